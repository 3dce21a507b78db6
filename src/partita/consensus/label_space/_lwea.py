"""Locally weighted evidence accumulation (Huang, Wang and Lai, 2018): a co-association in which clusters count more.

    S_rq = sum over m of v_m e(x_rm) [x_rm = x_qm] / N_rq,   average linkage on 1 - S                      (eq. L11)

e is the index of LWGP (eq. L4), N_rq the weight of the clusterings that label both. The number of clusters, if none is
given, is where the similarity of successive merges falls most, relatively (eq. L12).
"""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from partita._parameters import Interval, common
from partita._typing import Array, Codes, FloatArray
from partita.base import Consensus, LabelledRows
from partita.consensus.label_space._lwgp import THETA, local_weights, split_cells
from partita.consensus.label_space._row_tree import RowTree, TreeOfRows

_LEAST = 1e-3  # of a similarity in the ratios: below it, parts have nothing in common


class LWEA(TreeOfRows):
    """Locally weighted evidence accumulation.

    Two objects are as similar as the clusterings that put them together are reliable there: a clustering counts less
    where its cluster is scattered by the others.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. If it is not given, the tree is cut where the similarity of successive merges falls most,
        relatively.
    theta : float, default=0.4
        How much clusters count whose objects the other clusterings scatter: the less, the smaller theta. The paper
        advises 0.2 to 1. With ``float("inf")`` it is EAC with average linkage.
    max_clusters : int, default=30
        Largest number of clusters that is considered if ``n_clusters`` is not given; never more than the root of the
        number of objects.
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
    cluster_weights_ : list of ndarray
        For each clustering that is used, the weight e in (0, 1] of each of its labels that has objects, in the order
        of the labels; without the clustering's own weight.
    dendrogram_ : ndarray of shape (n_leaves - 1, 4)
        Tree over the objects in SciPy's form; heights are 1 - S, and 0 between objects with the same labels.
    leaves_ : ndarray of shape (n_leaves,)
        Object behind each leaf: all objects that have a label, and a weight or the labels of one with a weight.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings and t labels: r m^2 + r^2 m; r^2 numbers, float64 up to r = 8192 and
    float32 beyond. Ties are broken by index. Objects with the same labels are together from the start.

    References
    ----------
    D. Huang, C.-D. Wang, J.-H. Lai, Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48 (2018) 1460-1473.

    Examples
    --------
    >>> from partita import LWEA
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> LWEA(n_clusters=2).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("weights", "random_state", "verbose"),
        "n_clusters": [Interval("int", 1, None), None],
        "theta": [THETA],
        "max_clusters": [Interval("int", 2, None)],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        theta: float = 0.4,
        max_clusters: int = 30,
        weights: Any = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.max_clusters = max_clusters
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        index = local_weights(ensemble, self.theta)
        self.cluster_weights_ = split_cells(index, ensemble)
        cell_similarity = sparse.diags_array(index * ensemble.cell_weights).tocsr()  # Z: e where labels are equal
        grown = self._grow(rows, cell_similarity, show=bool(self.verbose))
        k = rows.n_clusters or self._find_number(rows, index, grown)
        return Consensus(self._cut(rows, grown, cell_similarity, k))

    def _find_number(self, rows: LabelledRows, index: FloatArray, grown: RowTree) -> int:
        """Number of clusters by the ratio of similarities (eq. L12)."""
        if rows.ensemble.n_rows == 1:
            return 1
        n_objects = max(float(rows.ensemble.row_weights.sum()), float(rows.n_objects.sum()))
        heights, copies = grown.tree[:, 2], own_similarity(rows, index)
        if len(copies):  # the merge that leaves all rows apart
            heights = np.append(1 - copies.min(), heights)
        return largest_ratio(heights, min(self.max_clusters, int(np.sqrt(n_objects))), grown.tolerance)

    def _label_rows(self, codes: Codes) -> Array:
        return self._label_like_rows(codes)


def own_similarity(rows: LabelledRows, index: FloatArray) -> FloatArray:
    """S of the rows that stand for more than one object, each with itself."""
    weights = rows.ensemble.cell_weights
    sums = rows.ensemble.sum_over_labels(np.column_stack([index * weights, weights]))
    several = (rows.n_objects > 1) | (rows.ensemble.row_weights > 1)
    return np.asarray((sums[:, 0] / sums[:, 1])[several])


def largest_ratio(heights: FloatArray, max_clusters: int, tolerance: float) -> int:
    """Number of clusters k at which the similarity falls most, s_k / s_(k-1), the smallest among equals (eq. L12).

    s_j = 1 - height of the merge that leaves j clusters. Where there is nothing to compare, all stay apart.
    """
    falling = np.log(np.maximum(1 - heights[::-1], _LEAST))  # s_1, s_2, ...
    ratios = np.diff(falling)[: max(max_clusters - 1, 1)]  # of k = 2, 3, ...
    if len(ratios) == 0:
        return len(heights) + 1
    return int(np.flatnonzero(ratios >= ratios.max() - tolerance)[0]) + 2
