"""Evidence accumulation (Fred and Jain, 2005): hierarchical clustering of the co-association.

    S_ij = C_ij / N_ij,   D_ij = 1 - S_ij,   linkage on D,   cut by number, by threshold or by lifetime
                                                                                                    (eqs. P3, P6 to P8)

The tree is built on distinct rows with their weights, which is exact: equal rows have D = 0, so they merge first, and
what follows depends on them only through their weight (eq. P5).
"""

import math
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from partita._labels.ensemble import WeightedColumns, match_rows, weighted_columns
from partita._memory import ensure_memory
from partita._parameters import Interval, StrOptions, common
from partita._runs import progress, warn
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import Consensus, LabelledRows, too_many_clusters
from partita.consensus.pairwise import _small_linkage as small
from partita.consensus.pairwise._counted_objects import CountsObjects, objects_of_rows
from partita.exceptions import AmbiguousNumberWarning

_DOUBLE_BYTES = 2**29  # distances are float64 up to this size of the matrix, and float32 beyond, to halve the memory
_EXACT, _EXACT_SINGLE = 1e-9, 1e-6  # how exact heights are in float64 and in float32 (eq. P11)
_STEPS = 1000  # merges between two reports of progress: enough work for a call of the kernel, and a smooth bar
# Rows that a call may look at, so that it takes some tenths of a second: fewer merges per call where there are many
# rows. A step of Prim's walk looks at each row once; a merge of the chain some times, and at a row of the matrix.
_SEEN_BY_WALK, _SEEN_BY_CHAIN = 10**8, 10**7
# Share of the longest lifetime from which another number is nearly as good. Of 60 ensembles of 20 k-means clusterings
# (iris, wine, breast cancer, digits, blobs, moons, one cloud) 8 warn with average linkage and 3 with Ward's; with 0.9
# one in five does. Lives of single linkage are multiples of 1 / M, and half of these ensembles tie.
_NEAR = 0.95
_ROWS = 128  # rows of the distance matrix between two reports of progress, for the same reason


class Merges(NamedTuple):
    """What a linkage does: two clusters, each named by one of its rows, and the height of their merge; in any order."""

    left: IntArray  # (n_rows - 1,)
    right: IntArray  # (n_rows - 1,)
    height: FloatArray  # (n_rows - 1,)
    tolerance: float  # how exact the heights are


class EAC(CountsObjects):
    """Evidence accumulation clustering.

    Two objects are as similar as the share of clusterings, among those that label both, which put them
    together. A hierarchical clustering of that similarity is cut where the tree stays unchanged longest,
    or where the user says.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. If neither this nor ``threshold`` is given, the cut has the highest lifetime; if all
        merges are at one height, no cut is better than another and all rows stay apart. A warning tells if another
        number is nearly as good.
    linkage : {"average", "single", "complete", "ward"}, default="average"
        Single linkage holds no matrix and takes hundreds of thousands of distinct rows; the others hold one
        of n_rows x n_rows (4 bytes per entry when large), and refuse if it does not fit in memory.
    cut : {"auto", "n_clusters", "threshold", "lifetime"}, default="auto"
        How to cut the tree; "auto" follows from what is given.
    threshold : float in [0, 1], optional
        Merge while the similarity is at least this. With single linkage the clusters are the connected
        components of S >= threshold. Not for Ward, whose heights are not similarities.
    ward : {"raw", "exact"}, default="raw"
        "raw" gives D = 1 - S to Ward's update, as is common; "exact" gives sqrt(2 (1 - S)), which for complete
        ensembles is a Euclidean distance (of the one-hot labels, divided by the root of their number).
    allow_one : bool, default=False
        Let the lifetime criterion answer "one cluster", whose lifetime is 1 minus the last merge's height.
    max_clusters : "sqrt", int or None, default="sqrt"
        Largest number of clusters that the lifetime criterion may answer. "sqrt" is the root of n, rounded down, and at
        least 2; n counts the objects with a label and a weight (weight 2 is the object twice), not distinct rows. None
        sets no limit. Where no cut up to the limit has a life at all, as with a single clustering of more clusters,
        the limit does not count.
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
        Tree over the objects in SciPy's form; heights are 1 - S (for Ward: Ward distances).
    leaves_ : ndarray of shape (n_leaves,)
        Object behind each leaf: all objects that have a label, and a weight or the labels of one with a weight.
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
        **common("weights", "random_state", "verbose"),
        "n_clusters": [Interval("int", 1, None), None],
        "linkage": [StrOptions({"average", "single", "complete", "ward"})],
        "cut": [StrOptions({"auto", "n_clusters", "threshold", "lifetime"})],
        "threshold": [Interval("real", 0, 1), None],
        "ward": [StrOptions({"raw", "exact"})],
        "allow_one": ["boolean"],
        "max_clusters": [Interval("int", 2, None), StrOptions({"sqrt"}), None],
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
        max_clusters: int | Literal["sqrt"] | None = "sqrt",
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
        self.max_clusters = max_clusters
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        cut = self._check_cut()
        ensemble, n_rows = rows.ensemble, rows.ensemble.n_rows
        n_clusters = rows.n_clusters if cut == "n_clusters" else 0
        merges = self._merge_rows(rows)
        tree = _tree_of(merges, objects_of_rows(rows))
        self.dendrogram_, self.leaves_ = _expand_tree(tree, rows.row_of_object, n_rows)
        n_objects = int(rows.n_objects.sum())
        heights = self.dendrogram_[len(self.leaves_) - n_objects :, 2]  # objects without weight joined theirs at 0
        copies = n_objects > n_rows or bool(ensemble.row_weights.max() > 1)
        self.lifetimes_ = cut_lifetimes(heights, include_all=copies and n_objects == n_rows)
        if cut == "lifetime":
            candidates = lives_up_to(self.lifetimes_, self._limit(rows), merges.tolerance)
            n_clusters = _longest_life(candidates, heights, merges.tolerance, allow_one=self.allow_one)
        n_merges = n_rows - n_clusters
        if cut == "threshold" and self.threshold is not None:
            n_merges = int(np.searchsorted(tree[:, 2], 1 - self.threshold + merges.tolerance, side="right"))
        labels = cut_tree(tree, n_merges)
        power = 0.5 if self.linkage == "ward" else 0  # Ward distances grow with the root of the weights (eq. P4)
        self.dendrogram_[:, 2] = rows.scale.report(self.dendrogram_[:, 2], objects=power)
        self.lifetimes_ = rows.scale.report(self.lifetimes_, objects=power)
        if cut == "lifetime":
            _warn_ambiguous(self.lifetimes_[: len(candidates)], heights, n_clusters, allow_one=self.allow_one)
        self._ensemble, self._row_labels = ensemble, labels
        return Consensus(labels)

    def _allowed_clusters(self, n_rows: int) -> int:
        if n_rows > 1 and (self.n_clusters or 0) > n_rows:  # a tree has no such cut
            raise ValueError(f"{too_many_clusters(self.n_clusters or 0, n_rows)} Pass n_clusters <= {n_rows}.")
        return super()._allowed_clusters(n_rows)

    def _limit(self, rows: LabelledRows) -> int:
        """Largest number of clusters that the lifetime criterion may answer (eq. P9)."""
        if self.max_clusters is None:
            return int(rows.n_objects.sum())
        if isinstance(self.max_clusters, str):
            n = max(int(rows.n_objects.sum()), int(rows.ensemble.row_weights.sum()))
            return max(math.isqrt(n), 2)
        return int(self.max_clusters)

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
        if cut == "lifetime" and any(given.values()):
            name = next(name for name, there in given.items() if there)
            raise ValueError(
                f"cut='lifetime' finds the number of clusters, but {name}={getattr(self, name)} is given; leave out "
                f"one of the two."
            )
        if self.allow_one and cut != "lifetime":
            raise ValueError(f"allow_one=True is for the cut at the highest lifetime, but the tree is cut by {cut}.")
        if self.max_clusters != "sqrt" and cut != "lifetime":
            raise ValueError(
                f"max_clusters={self.max_clusters} limits the cut at the highest lifetime, but the tree is cut by "
                f"{cut}; leave out one of the two."
            )
        if self.ward != "raw" and self.linkage != "ward":
            raise ValueError(f"ward={self.ward!r} is for linkage='ward', received linkage={self.linkage!r}.")
        if not given.get(cut, True):
            raise ValueError(f"cut={cut!r} needs {cut}, which is None; pass {cut}=...")
        if self.linkage == "ward" and (cut == "threshold" or (cut == "lifetime" and self.allow_one)):
            given_too = "threshold" if cut == "threshold" else "allow_one=True"
            raise ValueError(
                f"linkage='ward' with {given_too}: Ward's heights are not similarities and cannot be compared with "
                "one; pass n_clusters, or another linkage."
            )
        return cut

    def _merge_rows(self, rows: LabelledRows) -> Merges:
        """Link the rows by their co-association."""
        groups, row_weights = rows.ensemble.columns, rows.ensemble.row_weights
        if self.linkage == "single":
            return Merges(*_single_link(groups, show=bool(self.verbose)), _EXACT)
        return self._link(self._distances(groups, row_weights), row_weights)

    def _link(self, D: Array, row_weights: FloatArray) -> Merges:
        """Link the rows by a matrix of distances, which is overwritten."""
        tolerance = _EXACT if D.dtype == np.float64 else _EXACT_SINGLE
        return Merges(*_chain_link(D, row_weights, self.linkage, show=bool(self.verbose)), tolerance)

    def _distances(self, groups: WeightedColumns, row_weights: FloatArray) -> Array:
        """D = 1 - S between rows; for Ward, between ``row_weights`` equal points each."""
        n = len(row_weights)
        dtype = np.dtype(np.float64 if n * n * 8 <= _DOUBLE_BYTES else np.float32)
        ensure_memory(
            n * n * dtype.itemsize + 2048 * n,
            purpose=f"linkage={self.linkage!r} on {n} distinct rows",
            instead="use linkage='single', which holds no such matrix, or fewer clusterings or objects.",
        )
        D = np.empty((n, n), dtype=dtype)
        with progress(n, "co-association", show=bool(self.verbose)) as bar:
            for lo in range(0, n, _ROWS):
                part = D[lo : lo + _ROWS]
                _dissimilarities(groups, lo, part)
                if self.linkage == "ward":
                    self._to_ward(part, row_weights[lo : lo + _ROWS], row_weights)
                bar.update(len(part))
        return D

    def _to_ward(self, part: Array, own: FloatArray, row_weights: FloatArray) -> None:
        """Ward distance of a points at one place and b points at another: sqrt(2 a b / (a + b)) d (eq. P4)."""
        if self.ward == "exact":
            np.sqrt(2 * np.maximum(part, 0), out=part)
        part *= np.sqrt(2 * own[:, None] * row_weights / (own[:, None] + row_weights)).astype(part.dtype)

    def _label_rows(self, codes: Codes) -> Array:
        """Cluster of the fitted row with the same labels, else that of the highest mean similarity (eq. P12)."""
        equal = match_rows(self._ensemble.codes, codes)
        labels = self._row_labels[equal]
        new = np.flatnonzero(equal < 0)
        if len(new):
            labels[new] = self._most_similar(codes[new])
        return labels

    def _most_similar(self, codes: Codes) -> IntArray:
        """Cluster with the highest mean similarity, whatever the linkage."""
        from partita.metrics._coassociation import divide_counts, iter_blocks

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


def cut_lifetimes(heights: FloatArray, *, include_all: bool = False) -> FloatArray:
    """Lifetime of the cut into k clusters, h_{n-k+1} - h_{n-k}, k = 2..n-1, or n with ``include_all`` (eqs. P8, P9)."""
    if len(heights) == 0:
        return np.empty(0)
    with_zero = np.concatenate([[0.0], heights]) if include_all else heights
    return np.diff(with_zero)[::-1].copy()


def lives_up_to(lives: FloatArray, limit: int, tolerance: float) -> FloatArray:
    """Lifetimes of k = 2, 3, ... up to the limit; all of them if none up to the limit is above 0 (eq. P9)."""
    allowed = lives[: limit - 1]
    return allowed if (allowed > tolerance).any() else lives


def _longest_life(lives: FloatArray, heights: FloatArray, tolerance: float, *, allow_one: bool) -> int:
    """Number of clusters of the longest life among the candidates, the smaller one among equals (eqs. P8, P9)."""
    if len(heights) == 0 or heights[-1] <= tolerance:
        return 1
    if len(lives) == 0 or lives.max() <= tolerance:
        # All merges at one height: there is no cut between "all apart" and "all together".
        return 1 if allow_one and 1 - heights[-1] >= heights[-1] else len(heights) + 1
    if allow_one and 1 - heights[-1] >= lives.max() - tolerance:
        return 1
    return int(np.flatnonzero(lives >= lives.max() - tolerance)[0]) + 2


def _warn_ambiguous(lives: FloatArray, heights: FloatArray, taken: int, *, allow_one: bool) -> None:
    """Say if another number of clusters lives nearly as long as the one that was taken (eq. P9)."""
    life = dict(enumerate(lives.tolist(), 2))
    if allow_one and len(heights):
        life[1] = 1 - float(heights[-1])
    longest = life.pop(taken, 0.0)
    near = sorted((k for k, other in life.items() if other >= _NEAR * longest), key=lambda k: (-life[k], k))
    if longest <= 0 or not near:
        return
    others = " or ".join(f"n_clusters={k}" for k in [taken, *near[:1]])
    more = f" (and {len(near) - 1} more)" if len(near) > 1 else ""
    warn(
        f"the tree does not tell the number of clusters: the cut into {taken} has the lifetime {longest:.4g}, "
        f"and that into {near[0]} has {life[near[0]]:.4g}{more}. {taken} clusters were taken; pass {others} to decide.",
        AmbiguousNumberWarning,
    )


def _dissimilarities(groups: WeightedColumns, lo: int, part: Array) -> None:
    """1 - S of rows lo, lo + 1, ... with all rows, into ``part``."""
    if small.is_small(groups.n_rows):
        part[:] = small.dissimilarity_rows(groups, lo, lo + len(part))
        return
    from partita._kernels import agreement

    total = 0.0 if groups.has_missing else groups.total
    agreement.dissimilarity_rows(groups.columns, groups.weights, total, lo, lo + len(part), part)


def _single_link(groups: WeightedColumns, *, show: bool) -> tuple[IntArray, IntArray, FloatArray]:
    """Merges of single linkage: neighbours in the order in which Prim's walk visits the rows.

    The clusters of single linkage at any height are intervals of that order, so the step from one row to
    the next is a merge at the height of the step.
    """
    if small.is_small(groups.n_rows):
        return small.single_link(groups)
    from partita._kernels import agreement

    codes = groups.columns.codes
    n = codes.shape[1]
    first, outside = codes[:, 0].copy(), groups.columns._replace(codes=np.ascontiguousarray(codes[:, 1:]))
    walk: Any = agreement.start_walk(first, n)
    if groups.has_missing:
        walk = agreement.start_walk_with_holes(first, _weight_seen(groups))
    with progress(n - 1, "single linkage", show=show) as bar:
        steps = max(1, min(_STEPS, _SEEN_BY_WALK // n))
        for _ in range(0, n - 1, steps):
            if groups.has_missing:
                agreement.prim_with_holes(outside, groups.weights, groups.total, steps, walk)
            else:
                agreement.prim(outside, groups.weights, steps, walk)
            bar.update(steps)
    similarity = walk.similarity[1:] if groups.has_missing else walk.similarity[1:] / groups.total
    return walk.order[:-1], walk.order[1:], 1 - similarity


def _weight_seen(groups: WeightedColumns) -> FloatArray:
    """Weight of the clusterings that label each row."""
    columns, seen = groups.columns, np.zeros(groups.n_rows)
    for weight, lo, hi in zip(groups.weights, columns.starts, columns.starts[1:], strict=False):
        seen += weight * (columns.codes[lo:hi] != columns.missing).sum(axis=0)
    return seen


def _chain_link(D: Array, row_weights: FloatArray, method: str, *, show: bool) -> tuple[IntArray, IntArray, FloatArray]:
    """Merges by the nearest-neighbour chain; D is overwritten."""
    n = len(D)
    if small.is_small(n) and small.is_ordinary(D):
        return small.chain_link(D, row_weights, method)
    from partita._kernels import linkage

    left, right = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64)
    height = np.empty(n - 1)
    chain = linkage.start_chain(D, row_weights)
    with progress(n - 1, "linkage", show=show) as bar:
        steps = max(1, min(_STEPS, _SEEN_BY_CHAIN // n))
        for _ in range(0, n - 1, steps):
            linkage.nn_chain(chain, linkage.METHODS[method], steps, left, right, height)
            bar.update(steps)
    return left, right, height


def _tree_of(merges: Merges, n_objects: IntArray) -> FloatArray:
    """Tree over the rows in SciPy's form."""
    order = np.argsort(merges.height, kind="stable")
    merged = merges.left[order], merges.right[order], merges.height[order], n_objects.astype(np.float64)
    if small.is_small(len(n_objects)):
        return small.merge_tree(*merged)
    from partita._kernels import linkage

    tree = np.empty((len(order), 4))
    linkage.merge_tree(*merged, tree)
    return tree


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


def _expand_tree(tree: FloatArray, row_of_object: IntArray, n_rows: int) -> tuple[FloatArray, IntArray]:
    """Tree over the objects from the tree over the rows: equal objects merge first, at height 0 (eq. P5)."""
    leaves = np.flatnonzero(row_of_object >= 0)
    n = len(leaves)
    order = np.argsort(row_of_object[leaves], kind="stable")  # objects of a row stand together
    row = row_of_object[leaves][order]
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
