"""Propagation of cluster-wise similarities (Huang et al., 2021): clusters are compared by walks among all clusters.

The similarity Z of two clusters is that of random walks that begin there (eqs. L13 to L15). "meta" cuts the graph of
the clusters, and objects join the group of clusters with which they are most associated (eqs. L16, L17); "tree" is
average linkage of the mean similarity of the labels of two objects (eq. L18).
"""

from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._labels.tables import ClusterTables, cluster_tables, label_sums
from partita._numbering import rank_of
from partita._parameters import Interval, StrOptions, common
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.label_space._cluster_cut import cut_graph
from partita.consensus.label_space._row_tree import TreeOfRows
from partita.consensus.label_space._trajectories import common_jaccard, trajectory_similarity
from partita.consensus.label_space._transfer_cut import ensure_cells

_BLOCK = 2**16  # rows associated at a time, so that only their groups are kept
_ROUNDING = 1e-12  # by which equal scores may differ


class ECPCS(TreeOfRows):
    """Ensemble clustering by propagating cluster-wise similarities.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. With "meta" some groups of clusters may end without objects; a warning says so.
    output : {"meta", "tree"}, default="meta"
        "meta" groups the clusters and is linear in the number of objects; "tree" is average linkage of the objects.
    steps : int, default=20
        Steps of the random walks.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : Ignored
        Present by convention; nothing is drawn at random.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    dendrogram_ : ndarray of shape (n_leaves - 1, 4)
        With "tree" only: tree over the objects in SciPy's form; heights are 1 - S.
    leaves_ : ndarray of shape (n_leaves,)
        With "tree" only: object behind each leaf; all that have a label, and a weight or the labels of one with
        a weight.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings and t labels: r m^2 + t^3, and for "tree" r^2 m more; t^2 numbers, or r^2.
    With "meta", ties between groups go to the heavier one (the paper: at random), and the cut begins at the heaviest
    clusters in turn (the paper: at one drawn at random).

    References
    ----------
    D. Huang, C.-D. Wang, H. Peng, J. Lai, C.-K. Kwoh, Enhanced ensemble clustering via fast propagation of cluster-wise
    similarities, IEEE Trans. SMC: Systems 51 (2021) 508-520.

    S. X. Yu, J. Shi, Multiclass spectral clustering, ICCV 2003.

    Examples
    --------
    >>> from partita import ECPCS
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> ECPCS(n_clusters=2).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("n_clusters", "weights", "random_state", "verbose"),
        "output": [StrOptions({"meta", "tree"})],
        "steps": [Interval("int", 1, None)],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        output: Literal["meta", "tree"] = "meta",
        steps: int = 20,
        weights: Any = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.output = output
        self.steps = steps
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        self.__dict__.pop("dendrogram_", None)  # of an earlier fit with another output
        self.__dict__.pop("leaves_", None)
        ensemble = rows.ensemble
        ensure_cells(ensemble.n_cells)
        tables = cluster_tables(ensemble)
        Z = cluster_similarity(tables, self.steps)
        if self.output == "meta":
            shares = share_table(tables, cut_graph(Z, rows.n_clusters, tables.size))
            used, labels = np.unique(associate_rows(ensemble, shares), return_inverse=True)
            self._shares = shares[:, np.r_[used, shares.shape[1] // 2 + used]]  # new rows join groups with objects only
            self._layout = ensemble.layout
            return Consensus(labels)
        cell_similarity = within_clusterings(Z, ensemble)
        grown = self._grow(rows, cell_similarity, show=bool(self.verbose))
        return Consensus(self._cut(rows, grown, cell_similarity, rows.n_clusters))

    def _label_rows(self, codes: Codes) -> Array:
        if self.output == "meta":
            return associate_rows(self._layout.with_rows(codes), self._shares)
        return self._label_like_rows(codes)


def cluster_similarity(tables: ClusterTables, steps: int) -> FloatArray:
    """Z: similarity of all pairs of clusters, (t, t) (eqs. L13 to L15)."""
    root = np.sqrt(tables.cell_weights)
    J = common_jaccard(tables) * np.outer(root, root)
    Z = trajectory_similarity(J.copy(), steps)
    if len(tables.clustering_weights) == 2:  # a walk changes the clustering with every step: no two walks ever meet
        Z = np.maximum(Z, J / max(J.max(), np.finfo(float).tiny))
    return Z


def within_clusterings(Z: FloatArray, ensemble: Ensemble) -> Any:
    """Similarity of the labels of one clustering times its weight, 1 for equal labels, sparse (t, t) (eq. L18)."""
    same = ensemble.cell_clustering[:, None] == ensemble.cell_clustering
    Z = np.where(same, Z, 0.0)
    np.fill_diagonal(Z, 1.0)
    return sparse.csr_array(Z * ensemble.cell_weights)


def share_table(tables: ClusterTables, group: IntArray) -> FloatArray:
    """What each cell adds to the score of each group, and what its clustering could add: (t, 2 k).

    The groups are ordered by their weight; those that stayed empty are left out.
    """
    mass = np.bincount(group, weights=tables.size)
    heavy_first = np.argsort(-mass, kind="stable")[: np.count_nonzero(mass)]
    member = one_hot(rank_of(heavy_first, len(mass))[group], len(heavy_first)) * tables.cell_weights[:, None]
    possible = tables.blocks.T @ member
    return np.hstack([member, possible[tables.cell_clustering]])


def associate_rows(ensemble: Ensemble, shares: FloatArray) -> IntArray:
    """Group of the largest mean membership in its clusters whose clusterings label the row (eq. L17)."""
    labels = np.empty(ensemble.n_rows, dtype=np.int64)
    for lo in range(0, ensemble.n_rows, _BLOCK):
        sums = label_sums(ensemble.with_rows(ensemble.codes[lo : lo + _BLOCK]), shares)
        member, possible = np.hsplit(sums, 2)
        score = np.divide(member, possible, out=np.zeros_like(member), where=possible > 0)
        best = score >= score.max(axis=1, keepdims=True) - _ROUNDING
        labels[lo : lo + _BLOCK] = best.argmax(axis=1)  # ties go to the heavier group
    return labels
