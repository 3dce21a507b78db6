"""The ensemble that every method works on: weighted distinct rows of label codes, and the layout of their labels.

Objects with the same row of labels are indistinguishable to a method that sees only labels.
Working on distinct rows with weights is exact, and is what makes a million objects cheap (docs/theory, eq. C6).
"""

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from partita._kernels._ready import is_ready
from partita._kernels.code_columns import CodeColumns
from partita._stopping import check_stop
from partita._typing import Array, Codes, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Rows of label codes with weights: what a consensus method sees.

    A *cell* is one label of one clustering. Cells are numbered over all clusterings: those of the first, then those of
    the second, and so on, so a table with one row per cell holds one number for every label.
    """

    codes: Codes  # (n_rows, n_clusterings) int32, C-contiguous, -1 = missing; every row has a label
    n_labels: IntArray  # (n_clusterings,) labels of each clustering
    clustering_weights: FloatArray  # (n_clusterings,) positive
    row_weights: FloatArray  # (n_rows,) positive: sum of the sample weights of the objects with this row

    def __getstate__(self) -> dict[str, Any]:
        """The four fields; what is derived from them is not stored."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def with_rows(self, codes: Codes, row_weights: FloatArray | None = None) -> "Ensemble":
        """Other rows of the same clusterings, of weight 1 unless given."""
        weights = np.ones(len(codes)) if row_weights is None else row_weights
        return Ensemble(codes, self.n_labels, self.clustering_weights, weights)

    @property
    def layout(self) -> "Ensemble":
        """The same clusterings without rows: what tables of cells need, small enough to be kept by a fitted model."""
        return self.with_rows(self.codes[:0].copy())  # a view would keep all codes in memory

    def sample(self, drawn: IntArray) -> "Ensemble":
        """The rows that were drawn at least once, weighted by how often."""
        chosen = np.flatnonzero(drawn)
        return self.with_rows(self.codes[chosen], drawn[chosen].astype(np.float64))

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return len(self.codes)

    @property
    def n_clusterings(self) -> int:
        """Number of clusterings."""
        return len(self.n_labels)

    @cached_property
    def has_missing(self) -> bool:
        """Whether any label is missing."""
        return bool((self.codes < 0).any())

    # ------------------------------------------------------------------------------------------ layout of the labels
    @property
    def n_cells(self) -> int:
        """Labels of all clusterings together."""
        return len(self.cell_clustering)

    @cached_property
    def first_cell(self) -> IntArray:
        """First cell of each clustering, (n_clusterings,)."""
        return np.concatenate([[0], np.cumsum(self.n_labels)[:-1]]).astype(np.int64)

    @cached_property
    def cell_clustering(self) -> IntArray:
        """Clustering of each cell, (n_cells,)."""
        return np.repeat(np.arange(self.n_clusterings), self.n_labels)

    @cached_property
    def cell_weights(self) -> FloatArray:
        """Weight of each cell's clustering, (n_cells,)."""
        return np.asarray(self.clustering_weights[self.cell_clustering])

    @cached_property
    def _row_lists(self) -> tuple[IntArray, Codes, Codes]:
        check_stop()
        seen = self.codes >= 0
        clusterings = np.broadcast_to(np.arange(self.n_clusterings, dtype=np.int32), seen.shape)[seen]
        check_stop()
        starts = np.concatenate([[0], np.cumsum(np.count_nonzero(seen, axis=1))]).astype(np.int64)
        return starts, self.codes[seen] + self.first_cell.astype(np.int32)[clusterings], clusterings

    @property
    def row_starts(self) -> IntArray:
        """Row i has the entries row_starts[i] to row_starts[i + 1] - 1 of ``row_cells``: missing labels have none."""
        return self._row_lists[0]

    @property
    def row_cells(self) -> Codes:
        """Cells of the labels of all rows, one row after another, (n_observed,) int32."""
        return self._row_lists[1]

    @property
    def row_clusterings(self) -> Codes:
        """Clustering of each entry of ``row_cells``, (n_observed,) int32."""
        return self._row_lists[2]

    @cached_property
    def indicator(self) -> Any:
        """H: sparse (n_rows, n_cells), 1 where a row has a label."""
        from scipy import sparse

        ones = np.ones(len(self.row_cells))
        check_stop()
        return sparse.csr_array((ones, self.row_cells, self.row_starts), shape=(self.n_rows, self.n_cells))

    @cached_property
    def cell_mass(self) -> FloatArray:
        """Weight of the rows that have each label, (n_cells,)."""
        return np.asarray(self.indicator.T @ self.row_weights)

    def sum_over_labels(self, table: FloatArray) -> FloatArray:
        """Sum of the rows of a table of cells over the labels of each row: H @ table."""
        return np.asarray(self.indicator @ table)

    @cached_property
    def columns(self) -> "WeightedColumns":
        """Codes by clustering, as the agreement kernels need them."""
        return weighted_columns(self.codes, self.n_labels, self.clustering_weights)


def layout_of(n_labels: IntArray) -> Ensemble:
    """An ensemble without rows, of clusterings of weight 1."""
    codes = np.empty((0, len(n_labels)), dtype=np.int32)
    return Ensemble(codes, np.asarray(n_labels, dtype=np.int64), np.ones(len(n_labels)), np.empty(0))


# ------------------------------------------------------------------------------------------------------- distinct rows
_SORTED = 500_000  # packed words whose sorting takes less than loading numba: 0.3 s, against about 1 s


class DistinctRows(NamedTuple):
    """Distinct rows, numbered by first appearance."""

    first: IntArray  # (n_distinct,) row of first appearance
    inverse: IntArray  # (n_samples,) distinct row of each row
    n_objects: IntArray  # (n_distinct,) multiplicity


def find_distinct_rows(codes: Codes, n_labels: IntArray) -> DistinctRows:
    """Find the distinct rows of a code matrix: bits packed into words, words hashed, exact.

    Cost O(n m), against O(n m log n) for ``np.unique(axis=0)``. Few rows are sorted instead if the kernel is not ready.
    """
    n = len(codes)
    starts, shift = _pack_columns(n_labels)
    if n * (len(starts) - 1) <= _SORTED and not is_ready("distinct", "distinct_rows"):
        return sort_rows(codes, starts, shift)
    from partita._kernels.distinct import distinct_rows

    keys = np.empty((n, len(starts) - 1), dtype=np.uint64)  # touched only as far as there are distinct rows
    first = np.empty(n, dtype=np.int64)
    inverse = np.empty(n, dtype=np.int64)
    n_distinct = distinct_rows(np.ascontiguousarray(codes, dtype=np.int32), starts, shift, keys, first, inverse)
    return DistinctRows(first[:n_distinct].copy(), inverse, np.bincount(inverse, minlength=n_distinct))


def sort_rows(codes: Codes, starts: IntArray, shift: IntArray) -> DistinctRows:
    """The same by sorting the packed rows, in NumPy."""
    keys = np.zeros((len(codes), len(starts) - 1), dtype=np.uint64)
    for w, (lo, hi) in enumerate(pairwise(starts)):
        for j in range(lo, hi):
            keys[:, w] |= (codes[:, j] + 1).astype(np.uint64) << np.uint64(shift[j])
    order = np.lexsort(keys.T)  # stable: equal rows stay in the order of their appearance
    ordered = keys[order]
    is_new = np.append(len(codes) > 0, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(codes)]
    first = order[is_new]
    by_appearance = np.argsort(first)
    number = np.empty(len(first), dtype=np.int64)
    number[by_appearance] = np.arange(len(first))
    inverse = np.empty(len(codes), dtype=np.int64)
    inverse[order] = number[np.cumsum(is_new) - 1]
    return DistinctRows(first[by_appearance], inverse, np.bincount(inverse, minlength=len(first)))


def match_rows(known: Codes, new: Codes) -> IntArray:
    """First known row that is equal to each new row, -1 if there is none."""
    together = np.vstack([known, new])
    distinct = find_distinct_rows(together, together.max(axis=0).astype(np.int64).clip(0) + 1)
    first = distinct.first[distinct.inverse[len(known) :]]
    return np.where(first < len(known), first, -1)


def every_row(n_rows: int) -> DistinctRows:
    """Each row by itself, for methods that must keep equal rows apart."""
    place = np.arange(n_rows, dtype=np.int64)
    return DistinctRows(place, place, np.ones(n_rows, dtype=np.int64))


def canonical_order(
    codes: Codes, row_weights: FloatArray, clustering_weights: FloatArray, *, by_codes: bool = False
) -> IntArray:
    """An order of distinct rows that depends on how they relate to each other before anything else (eq. C7).

    Rows are sorted by the weight of those that share their labels, summed over the clusterings, and by the sum of its
    square: neither depends on the names of the labels, the order of the clusterings or the order of the objects.
    Methods break ties by position and draw their starts by position, so their results rarely depend on these three
    either. Rows that still tie stay in the order of their first appearance, or are sorted by their codes: the answer
    can then depend on the order of the objects, or on the names of the labels. For symmetric data one of the two is
    unavoidable.
    """
    popularity, squared = np.zeros(len(codes)), np.zeros(len(codes))
    for j, weight in enumerate(clustering_weights):
        check_stop()
        mass = np.bincount(codes[:, j] + 1, weights=row_weights)
        mass[0] = 0.0  # missing labels agree with none
        share = mass[codes[:, j] + 1]
        popularity += weight * share
        squared += weight * share**2
    order = np.lexsort((squared, -popularity)).astype(np.int64)  # stable
    if not by_codes:
        return order
    again = (np.diff(popularity[order]) == 0) & (np.diff(squared[order]) == 0)
    tied = np.flatnonzero(np.append(again, False) | np.insert(again, 0, False))
    rows = order[tied]
    order[tied] = rows[np.lexsort((*codes[rows].T[::-1], squared[rows], -popularity[rows]))]
    return order


def _pack_columns(n_labels: IntArray) -> tuple[IntArray, IntArray]:
    """Give each column just the bits it needs (k_j labels and missing), never across two words.

    Returns the first column of each 64-bit word (and the number of columns), and each column's first bit.
    """
    bits = np.ceil(np.log2(np.asarray(n_labels, dtype=np.float64) + 1)).astype(np.int64).clip(1)
    starts, shift, used = [0], np.empty(len(bits), dtype=np.int64), 0
    for j, width in enumerate(bits):
        if used + width > 64:
            starts.append(j)
            used = 0
        shift[j] = used
        used += int(width)
    return np.array([*starts, len(bits)], dtype=np.int64), shift


# ------------------------------------------------------------------------------------- columns for agreement kernels
_GROUP = 255  # clusterings per group, so that their agreements fit a byte


class WeightedColumns(NamedTuple):
    """Codes by clustering, in groups of equal weight, as the agreement kernels need them."""

    columns: CodeColumns
    weights: FloatArray  # (n_groups,)
    total: float  # weight of all clusterings: N_ij where nothing is missing
    has_missing: bool

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.columns.codes.shape[1])

    @property
    def count_type(self) -> "np.dtype[Any]":
        """Smallest type that holds every count exactly: unsigned integers, or float64 for real weights."""
        if np.any(self.weights != np.floor(self.weights)):
            return np.dtype(np.float64)
        for dtype in (np.uint8, np.uint16, np.uint32):
            if self.total <= np.iinfo(dtype).max:
                return np.dtype(dtype)
        return np.dtype(np.float64)


def weighted_columns(codes: Codes, n_labels: IntArray, clustering_weights: FloatArray) -> WeightedColumns:
    """Store codes with one row per clustering, in the smallest unsigned type, grouped by weight."""
    dtype = _code_type(int(n_labels.max()))
    order = np.argsort(clustering_weights, kind="stable")
    ordered = clustering_weights[order]
    new_weight = np.flatnonzero(np.diff(ordered)) + 1
    edges = np.concatenate([[0], new_weight, [len(ordered)]])
    starts = np.concatenate([np.arange(lo, hi, _GROUP) for lo, hi in pairwise(edges)])
    by_clustering = np.ascontiguousarray(codes.T[order].astype(dtype))  # -1 wraps to the largest value
    columns = CodeColumns(
        by_clustering, np.append(starts, len(ordered)).astype(np.int64), dtype.type(np.iinfo(dtype).max)
    )
    return WeightedColumns(columns, ordered[starts], float(clustering_weights.sum()), bool((codes < 0).any()))


def _code_type(n_labels: int) -> "np.dtype[np.unsignedinteger]":
    """Smallest unsigned type that holds the codes 0..n_labels-1 and one more value for missing."""
    for dtype in (np.uint8, np.uint16):
        if n_labels <= np.iinfo(dtype).max:
            return np.dtype(dtype)
    return np.dtype(np.uint32)


def have_a_label(codes: Codes) -> Array:
    """Whether each row has a label; the first clusterings usually decide it for all rows."""
    labelled = np.zeros(len(codes), dtype=bool)
    for column in codes.T:
        labelled |= column >= 0
        if labelled.all():
            break
    return labelled
