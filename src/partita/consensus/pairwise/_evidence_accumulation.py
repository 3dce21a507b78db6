"""Evidence accumulation (Fred and Jain, 2005): hierarchical clustering of the co-association.

    S_ij = C_ij / N_ij,   D_ij = 1 - S_ij,   linkage on D,   cut by number, by threshold or by lifetime.

The tree is built on distinct rows with their multiplicities, which is exact: equal rows have D = 0, so
they merge first, and what follows depends on them only through their number.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from partita._kernels import agreement, linkage
from partita._labels.ensemble import Ensemble, WeightedColumns, weighted_columns
from partita._memory import ensure_memory
from partita._parameters import Interval, StrOptions
from partita._runs import progress
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows, check_n_clusters
from partita.metrics._coassociation import divide_counts, iter_blocks

_METHODS = {"average": linkage.AVERAGE, "complete": linkage.COMPLETE, "ward": linkage.WARD}
_DOUBLE_BYTES = 2**29  # distances are float64 up to this size of the matrix, and float32 beyond
_STEPS = 1000  # merges between two reports of progress
_ROWS = 128  # rows of the distance matrix made at a time


class EAC(BaseConsensus):
    """Evidence accumulation clustering.

    Two objects are as similar as the share of clusterings, among those that label both, which put them
    together. A hierarchical clustering of that similarity is cut where the tree stays unchanged longest,
    or where the user says.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. If neither this nor ``threshold`` is given, the cut has the highest lifetime; if all
        merges are at one height, no cut is better than another and all rows stay apart.
    linkage : {"average", "single", "complete", "ward"}, default="average"
        Single linkage holds no matrix and takes hundreds of thousands of distinct rows; the others hold one
        of n_rows x n_rows (4 bytes an entry when large), and refuse if it does not fit in memory.
    cut : {"auto", "n_clusters", "threshold", "lifetime"}, default="auto"
        How to cut the tree; "auto" follows from what is given.
    threshold : float in [0, 1], optional
        Merge while the similarity is at least this. With single linkage the clusters are the connected
        components of S >= threshold. Not for Ward, whose heights are no similarities.
    ward : {"raw", "exact"}, default="raw"
        "raw" gives D = 1 - S to Ward's update, as is common; "exact" gives sqrt(2 (1 - S)), which for complete
        ensembles is a Euclidean distance (of the one-hot labels, divided by the root of their number).
    allow_one : bool, default=False
        Let the lifetime criterion answer "one cluster", whose lifetime is 1 minus the last merge's height.
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
    dendrogram_ : ndarray of shape (n_leaves - 1, 4)
        Tree over the objects in SciPy's form; heights are 1 - S (for Ward: Ward distances).
    leaves_ : ndarray of shape (n_leaves,)
        Object behind each leaf: all objects but those without label or without weight.
    lifetimes_ : ndarray
        Lifetime of the cut into k clusters, for k = 2, 3, ...: how far the height can move without changing it.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows and m clusterings: O(r^2 m / 64) byte comparisons; single linkage O(r m) memory,
    the others r^2 numbers, float64 up to r = 8192 and float32 beyond. Ties are broken by index.

    References
    ----------
    A. L. N. Fred and A. K. Jain, Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27
    (2005) 835-850.

    Examples
    --------
    >>> from partita import EAC
    >>> X = {"a": [0, 0, 0, 1, 1], "b": ["u", "u", "v", "v", "v"], "c": [5, 5, 5, 6, None]}
    >>> EAC().fit_predict(X)
    array([0, 0, 0, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval("int", 1, None), None],
        "linkage": [StrOptions({"average", "single", "complete", "ward"})],
        "cut": [StrOptions({"auto", "n_clusters", "threshold", "lifetime"})],
        "threshold": [Interval("real", 0, 1), None],
        "ward": [StrOptions({"raw", "exact"})],
        "allow_one": ["boolean"],
        "weights": ["array-like", None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        linkage: Literal["average", "single", "complete", "ward"] = "average",
        cut: Literal["auto", "n_clusters", "threshold", "lifetime"] = "auto",
        threshold: float | None = None,
        ward: Literal["raw", "exact"] = "raw",
        allow_one: bool = False,
        weights: Any = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.cut = cut
        self.threshold = threshold
        self.ward = ward
        self.allow_one = allow_one
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        cut = self._check_cut()
        ensemble = rows.ensemble
        n_rows = ensemble.n_rows
        n_clusters = check_n_clusters(self.n_clusters or 1, n_rows) if cut == "n_clusters" else 0
        tree, tolerance = self._build_tree(ensemble, rows.n_objects)
        self.dendrogram_, self.leaves_ = _expand_tree(tree, rows.row_of_object, rows.n_objects)
        heights = self.dendrogram_[:, 2]
        copies = len(self.leaves_) > n_rows or bool(ensemble.row_weights.max() > 1)
        self.lifetimes_ = lifetimes(heights, include_all=copies and len(self.leaves_) == n_rows)
        if cut == "lifetime":
            n_clusters = _longest_life(self.lifetimes_, heights, tolerance, allow_one=self.allow_one)
        n_merges = n_rows - n_clusters
        if cut == "threshold" and self.threshold is not None:
            n_merges = int(np.searchsorted(tree[:, 2], 1 - self.threshold + tolerance, side="right"))
        labels = cut_tree(tree, n_merges)
        self._ensemble, self._row_labels = ensemble, labels
        return Consensus(labels)

    def _check_cut(self) -> str:
        """Which cut is meant, refusing contradictions before any work."""
        given = {"n_clusters": self.n_clusters is not None, "threshold": self.threshold is not None}
        cut: str = self.cut
        if cut == "auto":
            if all(given.values()):
                raise ValueError(
                    f"n_clusters={self.n_clusters} and threshold={self.threshold} are both given; "
                    "pass one of them, or say which with cut='n_clusters' or cut='threshold'."
                )
            cut = next((name for name, there in given.items() if there), "lifetime")
        if not given.get(cut, True):
            raise ValueError(f"cut={cut!r} needs {cut}, which is None; pass {cut}=...")
        if self.linkage == "ward" and (cut == "threshold" or (cut == "lifetime" and self.allow_one)):
            raise ValueError(
                f"linkage='ward' with {'threshold' if cut == 'threshold' else 'allow_one=True'}: Ward's heights are no "
                "similarities, so they cannot be compared with one; pass n_clusters, or another linkage."
            )
        return cut

    def _build_tree(self, ensemble: Ensemble, n_objects: IntArray) -> tuple[FloatArray, float]:
        """Tree over the rows in SciPy's form, and how exact its heights are."""
        groups = ensemble.columns
        if self.linkage == "single":
            left, right, height = _single_link(groups, show=bool(self.verbose))
            tolerance = 1e-9
        else:
            D = self._distances(groups, ensemble.row_weights)
            tolerance = 1e-9 if D.dtype == np.float64 else 1e-6
            left, right, height = _chain_link(D, ensemble.row_weights, _METHODS[self.linkage], show=bool(self.verbose))
        order = np.argsort(height, kind="stable")
        tree = np.empty((len(height), 4))
        linkage.merge_tree(left[order], right[order], height[order], n_objects.astype(np.float64), tree)
        return tree, tolerance

    def _distances(self, groups: WeightedColumns, counts: FloatArray) -> Array:
        """D = 1 - S between rows; for Ward, between clusters of ``counts`` equal points."""
        n = len(counts)
        dtype = np.dtype(np.float64 if n * n * 8 <= _DOUBLE_BYTES else np.float32)
        ensure_memory(
            n * n * dtype.itemsize + 2048 * n,
            purpose=f"linkage={self.linkage!r} on {n} distinct rows",
            instead="use linkage='single', which holds no such matrix, or fewer clusterings or objects.",
        )
        D = np.empty((n, n), dtype=dtype)
        total = 0.0 if groups.has_missing else groups.total
        with progress(n, "co-association", show=bool(self.verbose)) as bar:
            for lo in range(0, n, _ROWS):
                part = D[lo : lo + _ROWS]
                agreement.dissimilarity_rows(groups.columns, groups.weights, total, lo, lo + len(part), part)
                if self.linkage == "ward":
                    self._to_ward(part, counts[lo : lo + _ROWS], counts)
                bar.update(len(part))
        return D

    def _to_ward(self, part: Array, own: FloatArray, counts: FloatArray) -> None:
        """Ward distance of a points at one place and b points at another: sqrt(2 a b / (a + b)) d."""
        if self.ward == "exact":
            np.sqrt(2 * np.maximum(part, 0), out=part)
        part *= np.sqrt(2 * own[:, None] * counts / (own[:, None] + counts)).astype(part.dtype)

    def _label_rows(self, codes: Codes) -> Array:
        """Cluster with the highest mean similarity, whatever the linkage."""
        ensemble = self._ensemble
        groups = weighted_columns(np.vstack([codes, ensemble.codes]), ensemble.n_labels, ensemble.clustering_weights)
        n_clusters = self._row_labels.max() + 1
        indicator = sparse.csr_array(
            (ensemble.row_weights, (np.arange(ensemble.n_rows), self._row_labels)),
            shape=(ensemble.n_rows, n_clusters),
        )
        size = np.bincount(self._row_labels, weights=ensemble.row_weights)
        labels = np.empty(len(codes), dtype=np.int64)
        for block in iter_blocks(groups):
            stop = min(block.stop, len(codes))
            if block.start >= stop:
                break
            new_to_old = (slice(stop - block.start), slice(len(codes), None))
            counts, totals = block.counts[new_to_old], block.totals[new_to_old]
            S = divide_counts(counts, totals, np.empty(counts.shape))
            labels[block.start : stop] = np.argmax((S @ indicator) / size, axis=1)
        return labels


def lifetimes(heights: FloatArray, *, include_all: bool = False) -> FloatArray:
    """Lifetime of the cut into k clusters, k = 2..n-1: h_{n-k+1} - h_{n-k} (with ``include_all`` also k = n)."""
    if len(heights) == 0:
        return np.empty(0)
    with_zero = np.concatenate([[0.0], heights]) if include_all else heights
    return np.diff(with_zero)[::-1].copy()


def _longest_life(lives: FloatArray, heights: FloatArray, tolerance: float, *, allow_one: bool) -> int:
    """Number of clusters of the longest life, the smaller one among equals."""
    if len(heights) == 0 or heights[-1] <= tolerance:
        return 1
    if len(lives) == 0 or lives.max() <= tolerance:
        # All merges at one height: there is no cut between "all apart" and "all together".
        return 1 if allow_one and 1 - heights[-1] >= heights[-1] else len(heights) + 1
    if allow_one and 1 - heights[-1] >= lives.max() - tolerance:
        return 1
    return int(np.flatnonzero(lives >= lives.max() - tolerance)[0]) + 2


def _single_link(groups: WeightedColumns, *, show: bool) -> tuple[IntArray, IntArray, FloatArray]:
    """Merges of single linkage: neighbours in the order in which Prim's walk visits the rows.

    The clusters of single linkage at any height are intervals of that order, so the step from one row to
    the next is a merge at the height of the step.
    """
    codes = groups.columns.codes
    n = codes.shape[1]
    walk = agreement.start_walk(codes[:, 0].copy(), n)
    outside = groups.columns._replace(codes=np.ascontiguousarray(codes[:, 1:]))
    with progress(n - 1, "single linkage", show=show) as bar:
        for _ in range(0, n - 1, _STEPS):
            agreement.prim(outside, groups.weights, not groups.has_missing, _STEPS, walk)
            bar.update(_STEPS)
    similarity = walk.similarity[1:] if groups.has_missing else walk.similarity[1:] / groups.total
    return walk.order[:-1], walk.order[1:], 1 - similarity


def _chain_link(D: Array, counts: FloatArray, method: int, *, show: bool) -> tuple[IntArray, IntArray, FloatArray]:
    """Merges by the nearest-neighbour chain; D is overwritten."""
    n = len(D)
    left, right = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64)
    height = np.empty(n - 1)
    chain = linkage.start_chain(D, counts)
    with progress(n - 1, "linkage", show=show) as bar:
        for _ in range(0, n - 1, _STEPS):
            linkage.nn_chain(chain, method, _STEPS, left, right, height)
            bar.update(_STEPS)
    return left, right, height


def cut_tree(tree: FloatArray, n_merges: int) -> IntArray:
    """Cluster of each leaf after the first merges of a tree: components of the graph of those merges."""
    n = len(tree) + 1
    made = n + np.arange(n_merges)
    ends = tree[:n_merges, :2].astype(np.int64)
    graph = sparse.coo_array(
        (np.ones(2 * n_merges, dtype=np.int8), (np.tile(made, 2), ends.T.ravel())),
        shape=(n + n_merges, n + n_merges),
    )
    labels = connected_components(graph, directed=False)[1][:n]
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _expand_tree(tree: FloatArray, members: IntArray, n_objects: IntArray) -> tuple[FloatArray, IntArray]:
    """Tree over the objects from the tree over the rows: equal objects merge first, at height 0."""
    leaves = np.flatnonzero(members >= 0)
    n, n_rows = len(leaves), len(n_objects)
    order = np.argsort(members[leaves], kind="stable")  # objects of a row stand together
    row = members[leaves][order]
    repeat = np.flatnonzero(np.diff(row, prepend=-1) == 0)  # all but the first object of each row
    copies = np.zeros((len(repeat), 4))
    made = n + np.arange(len(repeat))
    rank = np.arange(n) - np.flatnonzero(np.diff(row, prepend=-1))[row]  # 0, 1, 2, ... within a row
    second = rank[repeat] == 1
    copies[:, 0] = np.where(second, order[repeat - 1], made - 1)
    copies[:, 1] = order[repeat]
    copies[:, :2].sort(axis=1)
    copies[:, 3] = rank[repeat] + 1
    node = np.empty(2 * n_rows - 1, dtype=np.int64)  # number in the large tree of each node of the small one
    node[row] = order
    node[row[repeat]] = made  # the last one stays
    node[n_rows:] = n + len(repeat) + np.arange(n_rows - 1)
    above = tree.copy()
    above[:, :2] = np.sort(node[tree[:, :2].astype(np.int64)], axis=1)
    return np.vstack([copies, above]), leaves
