"""Locally weighted graph partitioning (Huang, Wang and Lai, 2018): the bipartite cut with clusters that count more.

A cluster of a clustering is reliable where the other clusterings do not scatter its objects. Its edges weigh
e_c = exp(-H(c) / theta), with H(c) the mean entropy of the clusterings among its objects (eqs. L3, L4); the graph of
objects and clusters is then cut by the transfer cut (eqs. L5 to L8). If the number of clusters is not given, it is the
one on which halves of the clusterings agree best (eqs. L19 to L22).
"""

from typing import Any, ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

from partita._labels.ensemble import Ensemble
from partita._labels.tables import ClusterTables, cluster_entropies, cluster_tables, entropy_weights
from partita._parameters import Interval
from partita._runs import draw_seeds
from partita._typing import FloatArray
from partita.base import Consensus, LabelledRows
from partita.consensus.graph._cell_memberships import cell_memberships
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
from partita.consensus.label_space._embedded_rows import EmbeddedRows
from partita.consensus.label_space._transfer_cut import TransferCut, cut_cells, ensure_cells

THETA = Interval("real", 1e-3, float("inf"))


class LWGP(EmbeddedRows):
    """Locally weighted graph partitioning.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. If it is not given, random halves of the clusterings are compared: the number on which they
        agree best is taken, and one cluster if the clusterings agree no more than by chance.
    theta : float, default=0.4
        How much clusters count whose objects the other clusterings scatter: the less, the smaller theta. The paper
        advises 0.2 to 1. With ``float("inf")`` all clusters count the same, as in :class:`USENC`.
    max_clusters : int, optional
        The largest number that is compared where ``n_clusters`` is not given. Default: the root of the number of
        objects, at most 40.
    n_init : int, default=10
        Starts of the k-means that turns the embedding into clusters.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of k-means.
    n_jobs : int, optional
        Threads that embed blocks of rows; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Present by convention; there is no step long enough for a progress bar.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    choice_ : ClusterNumber
        Where ``n_clusters`` was not given: ``n_clusters``, ``runner_up``, ``verdict``, ``p_value``, ``numbers`` and
        their ``score``. :func:`combine` puts it into words.
    cluster_weights_ : list of ndarray
        For each clustering that is used, the weight e in (0, 1] of each of its labels that has objects, in the order
        of the labels; without the clustering's own weight.
    singular_values_ : ndarray of shape (n_clusters + 1,), or (K + 1,) where K is the largest number compared
        Leading singular values of the normalised graph. The first is 1, and there are as many ones as parts of the
        ensemble that share no label; a large gap after the k-th speaks for k clusters.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings, t labels and k clusters: r (m^2 + m k) + t^3, linear in the number of
    objects; t^2 numbers. A missing label is an edge that is not there.

    References
    ----------
    D. Huang, C.-D. Wang, J.-H. Lai, Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48 (2018) 1460-1473.

    Z. Li, X.-M. Wu, S.-F. Chang, Segmentation using superpixels: a bipartite graph partitioning approach, CVPR 2012.

    Examples
    --------
    >>> from partita import LWGP
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> LWGP(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EmbeddedRows._parameter_constraints,
        "n_clusters": [Interval("int", 1, None), None],
        "theta": [THETA],
        "max_clusters": [Interval("int", 2, None), None],
    }

    choice_: ClusterNumber  # where the number was not given

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

    def _cell_weights(self, ensemble: Ensemble) -> FloatArray:
        ensure_cells(ensemble.n_cells)
        self._tables = cluster_tables(ensemble)
        index = weights_from(self._tables, self.theta)
        self.cluster_weights_ = split_cells(index, ensemble)
        return index * ensemble.cell_weights

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        self.__dict__.pop("choice_", None)
        check_one_number(self.n_clusters, self.max_clusters)
        found = super()._fit_rows(rows)
        del self._tables  # large, and not needed any more
        return found

    def _cut_graph(
        self, rows: LabelledRows, W: FloatArray, cell_weights: FloatArray, n_components: int
    ) -> tuple[TransferCut, int]:
        if self.n_clusters is not None:
            return super()._cut_graph(rows, W, cell_weights, n_components)
        ensemble, seed = rows.ensemble, int(draw_seeds(self.random_state, 3)[2])
        counts = count_objects(ensemble.row_weights, rows.n_objects, 2.0 ** min(rows.scale.objects, 500))
        limit = number_limit(float(counts.sum()), ensemble.n_rows, self.max_clusters)
        cut = cut_cells(W, cell_weights, limit)
        rng = np.random.default_rng(seed)
        sample = ensemble.sample(draw_rows(ensemble.row_weights, counts, rng))
        problem = NumberProblem(
            self._tables,
            cut.singular_values,
            n_components,
            ensemble.n_rows,
            cell_memberships(sample),
            one_row_per_object(sample),
            self.theta,
            limit,
        )
        with threadpool_limits(limits=1):  # many small products, which threads would only slow down
            self.choice_ = choose_number(problem, rng)
        warn_weak(self.choice_)
        return cut, self.choice_.n_clusters


def check_one_number(n_clusters: int | None, max_clusters: int | None) -> None:
    """Refuse a number of clusters together with a limit of what is to be found."""
    if n_clusters is not None and max_clusters is not None:
        raise ValueError(
            f"n_clusters={n_clusters} and max_clusters={max_clusters} are both given; max_clusters is for a number "
            "that is to be found: leave out one of the two."
        )


def local_weights(ensemble: Ensemble, theta: float) -> FloatArray:
    """The ensemble-driven cluster index of every cell, (t,) (eq. L4)."""
    ensure_cells(ensemble.n_cells)
    return weights_from(cluster_tables(ensemble), theta)


def weights_from(tables: ClusterTables, theta: float) -> FloatArray:
    """The same from the tables."""
    return entropy_weights(cluster_entropies(tables), tables.seen, tables.clustering_weights, theta)


def split_cells(values: FloatArray, ensemble: Ensemble) -> list[FloatArray]:
    """Values of the cells, one array per clustering."""
    return [values[ensemble.cell_clustering == m] for m in range(ensemble.n_clusterings)]
