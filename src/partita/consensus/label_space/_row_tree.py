"""A tree over the rows from a similarity of cells: linkage of what their labels have in common.

    S_rq = sum over m of v_m Z[x_rm, x_qm] / sum over m of v_m,   over the clusterings m that label both   (eq. L10)

Z compares two labels of one clustering: LWEA gives equal labels a weight, ECPCS gives different labels a similarity.
Methods with another similarity of rows bring their own matrix (PTA), or their own sum over labels (LCE).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble, match_rows
from partita._memory import ensure_memory
from partita._runs import progress
from partita._stopping import check_stop
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import LabelledRows
from partita.consensus.pairwise._counted_objects import CountsObjects, objects_of_rows
from partita.consensus.pairwise._evidence_accumulation import (
    _DOUBLE_BYTES,
    Merges,
    _chain_link,
    _expand_tree,
    _tree_of,
    cut_tree,
)

_EXACT, _EXACT_SINGLE = 1e-9, 1e-6  # how exact heights are in float64 and in float32, as in evidence accumulation
_ROWS = 128  # rows of the matrix at a time: 128 x t numbers beside it


class RowTree(NamedTuple):
    """Linkage of the rows."""

    tree: FloatArray  # (n_rows - 1, 4) in SciPy's form
    tolerance: float  # how exact its heights are


class TreeOfRows(CountsObjects):
    """What methods with a tree over the rows share: the tree, its cut, and new rows."""

    dendrogram_: FloatArray
    leaves_: IntArray

    def _grow(self, rows: LabelledRows, cell_similarity: Any, *, show: bool, linkage: str = "average") -> RowTree:
        """Tree of the rows; sets ``dendrogram_`` and ``leaves_``."""
        ensemble = rows.ensemble
        D = distances(ensemble, lambda block: self._similarities(block, ensemble, cell_similarity), show=show)
        return self._link(rows, D, ensemble.row_weights, linkage, show=show)

    def _link(self, rows: LabelledRows, D: Array, weights: FloatArray, linkage: str, *, show: bool) -> RowTree:
        """Tree of rows that count by their weights, from their distances, which are overwritten."""
        tolerance = _EXACT if D.dtype == np.float64 else _EXACT_SINGLE
        merged = _single_link(D) if linkage == "single" else _chain_link(D, weights, linkage, show=show)
        tree = _tree_of(Merges(*merged, tolerance), objects_of_rows(rows))
        self.dendrogram_, self.leaves_ = _expand_tree(tree, rows.row_of_object, rows.ensemble.n_rows)
        return RowTree(tree, tolerance)

    def _similarities(self, some: Ensemble, rows: Ensemble, cell_similarity: Any) -> FloatArray:
        """S of some rows with all rows, (n_some, n_rows)."""
        return similarities(some, rows, cell_similarity)

    def _keep_rows(self, rows: LabelledRows, labels: IntArray, cell_similarity: Any) -> None:
        """What placing new rows needs."""
        self._ensemble, self._row_labels, self._cell_similarity = rows.ensemble, labels, cell_similarity

    def _cut(self, rows: LabelledRows, grown: RowTree, cell_similarity: Any, n_clusters: int) -> IntArray:
        """Clusters of the rows; keeps what placing new rows needs."""
        labels = cut_tree(grown.tree, rows.ensemble.n_rows - n_clusters)
        self._keep_rows(rows, labels, cell_similarity)
        return labels

    def _label_like_rows(self, codes: Codes) -> IntArray:
        """Cluster of the fitted row with the same labels, else that of the highest mean similarity (eq. P12)."""
        equal = match_rows(self._ensemble.codes, codes)
        labels = self._row_labels[equal]
        new = np.flatnonzero(equal < 0)
        size = np.bincount(self._row_labels, weights=self._ensemble.row_weights)
        for lo in range(0, len(new), _ROWS):
            chosen = new[lo : lo + _ROWS]
            S = self._similarities(self._ensemble.with_rows(codes[chosen]), self._ensemble, self._cell_similarity)
            S *= self._ensemble.row_weights
            mean = np.column_stack([S[:, self._row_labels == q].sum(axis=1) for q in range(len(size))]) / size
            labels[chosen] = mean.argmax(axis=1)
        return labels


def similarities(some: Ensemble, rows: Ensemble, cell_similarity: Any) -> FloatArray:
    """S of some rows with all rows, (n_some, n_rows) (eq. L10); 0 where no clustering labels both.

    ``cell_similarity`` is v_m Z, sparse (t, t): 0 between clusterings.
    """
    of_some = (some.indicator @ cell_similarity).toarray()
    S = np.ascontiguousarray(rows.sum_over_labels(np.ascontiguousarray(of_some.T)).T)
    if not (some.has_missing or rows.has_missing):
        return np.asarray(S / rows.clustering_weights.sum())
    N = np.zeros_like(S)
    for m, weight in enumerate(rows.clustering_weights):  # in one order for both rows of a pair, so that S_rq = S_qr
        N += weight * np.outer(some.codes[:, m] >= 0, rows.codes[:, m] >= 0)
    return np.divide(S, N, out=np.zeros_like(S), where=N > 0)


def agreement_of_cells(ensemble: Ensemble) -> Any:
    """v_m for equal labels, 0 for others, sparse (t, t): S is then the co-association (eq. P3)."""
    return sparse.diags_array(ensemble.cell_weights).tocsr()


def distances(ensemble: Ensemble, compare: Callable[[Ensemble], FloatArray], *, show: bool) -> Array:
    """D = 1 - S between rows, 0 on the diagonal; float32 where large. ``compare`` gives S of a block of rows."""
    n = ensemble.n_rows
    dtype = np.dtype(np.float64 if n * n * 8 <= _DOUBLE_BYTES else np.float32)
    ensure_memory(
        n * n * dtype.itemsize + 4096 * n,
        purpose=f"linkage of {n} distinct rows",
        instead="use a method that is linear in the objects, such as LWGP, or fewer clusterings or objects.",
    )
    D = np.empty((n, n), dtype=dtype)
    with progress(n, "similarity", show=show) as bar:
        for lo in range(0, n, _ROWS):
            block = ensemble.with_rows(ensemble.codes[lo : lo + _ROWS])
            D[lo : lo + _ROWS] = (1.0 - compare(block)).clip(0.0)
            bar.update(block.n_rows)
    _mirror(D)
    np.fill_diagonal(D, 0.0)
    return D


def _mirror(D: Array) -> None:
    """Below the diagonal what is above it: sums in another order may round in another way, and linkage would wander."""
    for lo in range(0, len(D), _ROWS):
        check_stop()
        hi = lo + _ROWS
        D[hi:, lo:hi] = D[lo:hi, hi:].T
        corner = np.triu(D[lo:hi, lo:hi])
        D[lo:hi, lo:hi] = np.maximum(corner, corner.T)


def symmetrise(D: Array) -> None:
    """(D + D') / 2 in place: symmetric to the last bit, as linkage needs it. No second matrix is made."""
    for lo in range(0, len(D), _ROWS):
        check_stop()
        hi = lo + _ROWS
        mean = (D[lo:hi, lo:] + D[lo:, lo:hi].T) / 2
        D[lo:hi, lo:] = mean
        D[lo:, lo:hi] = mean.T


def _single_link(D: Array) -> tuple[IntArray, IntArray, FloatArray]:
    """Merges of single linkage, by SciPy: the edges of a minimum spanning tree."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    n = len(D)
    if n < 2:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0)
    tree = linkage(squareform(D, checks=False), "single")
    name = np.arange(2 * n - 1)  # a row of each cluster
    for made, (left, _) in enumerate(tree[:, :2].astype(np.int64), n):
        name[made] = name[left]
    return name[tree[:, 0].astype(np.int64)], name[tree[:, 1].astype(np.int64)], tree[:, 2]
