"""LWGP for soft clusterings: probabilities in the place of indicators.

With S the (n, t) matrix of the probabilities of all clusters, tables, weights of the clusters and the transfer cut are
those of LWGP with S in the place of H (eqs. L1 to L8); the number of clusters is found in the same way (eqs. L19 to
L22). On one-hot input it is LWGP, but every object has a row of its own.
"""

from typing import Any, ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._labels.tables import ClusterTables, soft_tables
from partita._labels.weights import WeightScale
from partita._parameters import Interval, common
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._cell_memberships import CellMemberships
from partita.consensus.kmeans._weighted_kmeans import polish, weighted_kmeans
from partita.consensus.label_space._cluster_number import (
    ClusterNumber,
    NumberProblem,
    choose_number,
    count_objects,
    draw_rows,
    number_limit,
    one_row_per_object,
    warn_weak,
)
from partita.consensus.label_space._lwgp import THETA, check_one_number, weights_from
from partita.consensus.label_space._transfer_cut import (
    components,
    cut_cells,
    ensure_cells,
    keep_heaviest,
    membership_graph,
    unit_rows,
)
from partita.consensus.pairwise._counted_objects import CountsObjects
from partita.consensus.soft._soft_consensus import SoftEnsembleConsensus

_SAMPLE, _STEPS = 2000, 30  # objects on which the starts of k-means compete, and steps on all objects, as in LWGP
_SAME = 1e-9  # difference of probabilities that is rounding


class SoftLWGP(SoftEnsembleConsensus, CountsObjects):
    """Locally weighted graph partitioning of soft clusterings.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. If it is not given, it is found as in :class:`LWGP`.
    theta : float, default=0.4
        How much clusters count whose objects the other clusterings scatter: the less, the smaller theta.
    max_clusters : int, optional
        The largest number that is compared where ``n_clusters`` is not given.
    n_init : int, default=10
        Starts of the k-means that turns the embedding into clusters.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of k-means and of the sample.
    n_jobs : int, optional
        Present by convention: all starts of k-means run at a time.
    verbose : bool, default=False
        Present by convention; there is no step long enough for a progress bar.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects that no clustering saw.
    n_clusters_ : int
        Number of clusters that have objects.
    choice_ : ClusterNumber
        Where ``n_clusters`` was not given, as in :class:`LWGP`.
    n_features_in_ : int
        Number of clusterings.

    Notes
    -----
    Cost with n objects and t clusters in all: n t^2 + t^3. Whether the clusterings agree by chance only is tested on
    the most probable cluster of each object.

    References
    ----------
    D. Huang, C.-D. Wang, J.-H. Lai, Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48 (2018) 1460-1473.

    K. Punera, J. Ghosh, Consensus-based ensembles of soft clusterings, Applied Artificial Intelligence 22 (2008).

    Examples
    --------
    >>> import numpy as np
    >>> from partita import SoftLWGP
    >>> a = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]])
    >>> SoftLWGP(n_clusters=2, random_state=0).fit_predict([a, a[:, ::-1], a])
    array([0, 0, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("n_init", "weights", "random_state", "n_jobs", "verbose"),
        "n_clusters": [Interval("int", 1, None), None],
        "theta": [THETA],
        "max_clusters": [Interval("int", 2, None), None],
    }

    choice_: ClusterNumber  # where the number was not given
    _counts: FloatArray  # (n_rows,) objects that each row stands for, during a fit

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        theta: float = 0.4,
        max_clusters: int | None = None,
        n_init: int = 10,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _note_objects(self, row_weights: FloatArray, n_objects: IntArray, scale: WeightScale) -> None:
        self._counts = count_objects(row_weights, n_objects, 2.0 ** min(scale.objects, 500))

    def _cluster(self, cells: CellMemberships, n_clusters: int, seed: int) -> IntArray:
        self.__dict__.pop("choice_", None)
        check_one_number(self.n_clusters, self.max_clusters)
        cells, rng = _in_use(cells), np.random.default_rng(seed)
        ensure_cells(len(cells.cell_clustering))
        tables = soft_tables(cells.H, cells.row_weights, cells.cell_clustering, cells.clustering_weights)
        edges = weights_from(tables, self.theta) * cells.cell_weights
        W = membership_graph(cells.H, cells.row_weights, edges)
        part = components(W)
        if not n_clusters:
            n_clusters = self._find_number(cells, tables, W, edges, part, rng)
        del self._counts
        if part.max() + 1 >= n_clusters:  # eq. L9
            group = one_hot(keep_heaviest(part, W.sum(axis=1), n_clusters), n_clusters)
            return np.asarray((cells.H @ (edges[:, None] * group)).argmax(axis=1))
        points = unit_rows(cut_cells(W, edges, n_clusters).embed_memberships(cells.H))
        return _cluster_points(points, cells.row_weights, n_clusters, self.n_init, rng)

    def _find_number(
        self,
        cells: CellMemberships,
        tables: ClusterTables,
        W: FloatArray,
        edges: FloatArray,
        part: IntArray,
        rng: np.random.Generator,
    ) -> int:
        if len(cells.clustering_weights) == 1:  # it has nothing to agree with, and is the answer
            self.choice_ = ClusterNumber(len(np.unique(_dense(cells.H).argmax(axis=1))), "agreed")
            return self.choice_.n_clusters
        n_components = int(part.max()) + 1
        n_rows = n_components if _are_alike(cells.H, part) else cells.n_rows
        limit = number_limit(float(self._counts.sum()), n_rows, self.max_clusters)
        drawn = draw_rows(cells.row_weights, self._counts, rng)
        sample = cells._replace(row_weights=drawn.astype(np.float64)).take(np.flatnonzero(drawn))
        problem = NumberProblem(
            tables,
            cut_cells(W, edges, limit).singular_values,
            n_components,
            n_rows,
            sample,
            one_row_per_object(_most_probable(sample)),
            self.theta,
            limit,
        )
        with threadpool_limits(limits=1):
            self.choice_ = choose_number(problem, rng)
        warn_weak(self.choice_)
        return self.choice_.n_clusters


def _in_use(cells: CellMemberships) -> CellMemberships:
    """The cells that have objects, and their clusterings."""
    used = cells.cells_in_use()
    there, cell_clustering = np.unique(cells.cell_clustering[used], return_inverse=True)
    return CellMemberships(
        cells.H[:, used], cells.seen[:, there], cell_clustering, cells.clustering_weights[there], cells.row_weights
    )


def _dense(H: Any) -> FloatArray:
    return H if isinstance(H, np.ndarray) else np.asarray(H.toarray())


def _are_alike(H: Any, part: IntArray) -> bool:
    """Whether the rows of each component are equal, up to rounding: the clusterings do not differ."""
    of_row = part[H.argmax(axis=1)] if isinstance(H, np.ndarray) else part[H.indices[H.indptr[:-1]]]
    first = np.unique(of_row, return_index=True)[1]
    return bool(abs(H - H[first[of_row]]).max() <= _SAME)


def _most_probable(cells: CellMemberships) -> Ensemble:
    """The most probable cluster of each row in each clustering, as labels."""
    H, n_clusterings = _dense(cells.H), len(cells.clustering_weights)
    columns = [
        np.where(cells.seen[:, m], H[:, cells.cell_clustering == m].argmax(axis=1), -1) for m in range(n_clusterings)
    ]
    n_labels = np.bincount(cells.cell_clustering, minlength=n_clusterings).astype(np.int64)
    codes = np.ascontiguousarray(np.column_stack(columns), dtype=np.int32)
    return Ensemble(codes, n_labels, cells.clustering_weights, cells.row_weights)


def _cluster_points(
    points: FloatArray, weights: FloatArray, n_clusters: int, n_init: int, rng: np.random.Generator
) -> IntArray:
    """Weighted k-means, by starts on a sample if there are many points (eq. L8)."""
    few, weights_of_few = points, weights
    if len(points) > _SAMPLE:
        drawn = rng.choice(len(points), size=_SAMPLE, p=weights / weights.sum())
        few, weights_of_few = points[drawn], np.ones(_SAMPLE)
    seed = int(rng.integers(2**31))
    best = weighted_kmeans(few, weights_of_few, n_clusters, n_init=n_init, seed=seed)
    return polish(points, weights, best.centers, _STEPS)[0]
