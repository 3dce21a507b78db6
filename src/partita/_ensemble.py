"""The ensemble that every method works on: weighted distinct rows of label codes.

Objects with the same row of labels are indistinguishable to a method that sees only labels.
Working on distinct rows with multiplicities is exact, and is what makes a million objects cheap.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from partita._kernels import agreement
from partita._kernels.distinct import distinct_rows
from partita._typing import Codes, FloatArray, IntArray


class Distinct(NamedTuple):
    """Distinct rows, numbered by first appearance."""

    first: IntArray  # (n_distinct,) row of first appearance
    inverse: IntArray  # (n_samples,) distinct row of each row
    counts: IntArray  # (n_distinct,) multiplicity


def find_distinct_rows(codes: Codes, n_labels: IntArray) -> Distinct:
    """Find the distinct rows of a code matrix: bits packed into words, words hashed, exact.

    Cost O(n m), against O(n m log n) for ``np.unique(axis=0)``.
    """
    n = len(codes)
    starts, shift = _pack_columns(n_labels)
    keys = np.empty((n, len(starts) - 1), dtype=np.uint64)  # touched only as far as there are distinct rows
    first = np.empty(n, dtype=np.int64)
    inverse = np.empty(n, dtype=np.int64)
    n_distinct = distinct_rows(np.ascontiguousarray(codes, dtype=np.int32), starts, shift, keys, first, inverse)
    return Distinct(first[:n_distinct].copy(), inverse, np.bincount(inverse, minlength=n_distinct))


def every_row(n_rows: int) -> Distinct:
    """Each row by itself, for methods to which equal rows are not one."""
    place = np.arange(n_rows, dtype=np.int64)
    return Distinct(place, place, np.ones(n_rows, dtype=np.int64))


def canonical_order(codes: Codes, row_weight: FloatArray, weights: FloatArray, *, by_codes: bool = False) -> IntArray:
    """An order of distinct rows that depends on how they relate to each other before anything else.

    Rows are sorted by the weight of those that share their labels, summed over the clusterings, and by the sum of its
    square: neither depends on the names of the labels, the order of the clusterings or the order of the objects.
    Methods break ties by place, and draw their starts by place, so both are as good as free of these accidents. Rows
    that still tie stay in the order of their first appearance, or are sorted by their codes: the answer can then
    depend on the order of the objects, or on the names of the labels; for symmetric data it must on one of them.
    """
    popularity, squared = np.zeros(len(codes)), np.zeros(len(codes))
    for j, weight in enumerate(weights):
        mass = np.bincount(codes[:, j] + 1, weights=row_weight)
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


class Ensemble(NamedTuple):
    """Rows of label codes with weights: what a consensus method sees."""

    codes: Codes  # (n_rows, n_clusterings) int32, C-contiguous, -1 = missing; every row has a label
    n_labels: IntArray  # (n_clusterings,) labels of each clustering
    weights: FloatArray  # (n_clusterings,) positive weight of each clustering
    counts: FloatArray  # (n_rows,) positive weight of each row: multiplicity, or sum of sample weights

    @property
    def has_missing(self) -> bool:
        """Whether any label is missing."""
        return bool((self.codes < 0).any())


class LabelList(NamedTuple):
    """The labels that rows have, one after another, so that no loop asks whether one is missing.

    A *cell* is the place of a label among all labels of all clusterings: those of the first, of the second, ...
    """

    start: IntArray  # (n_rows + 1,) row i has entries start[i] to start[i + 1] - 1
    cells: Codes  # (n_observed,) int32
    columns: Codes  # (n_observed,) int32, clustering of each


def list_labels(codes: Codes, n_labels: IntArray) -> LabelList:
    """List the labels of each row."""
    first = np.concatenate([[0], np.cumsum(n_labels)[:-1]]).astype(np.int32)
    seen = codes >= 0
    columns = np.broadcast_to(np.arange(codes.shape[1], dtype=np.int32), seen.shape)[seen]
    start = np.concatenate([[0], np.cumsum(np.count_nonzero(seen, axis=1))]).astype(np.int64)
    return LabelList(start, codes[seen] + first[columns], columns)


class ColumnGroups(NamedTuple):
    """Codes by clustering, in groups of equal weight, as the agreement kernels want them."""

    columns: agreement.Columns
    weights: FloatArray  # (n_groups,)
    total: float  # weight of all clusterings: N_ij where nothing is missing
    has_missing: bool


_GROUP = 255  # clusterings a group, so that their agreements fit a byte


def group_columns(codes: Codes, n_labels: IntArray, weights: FloatArray) -> ColumnGroups:
    """Store codes one clustering a row, in the smallest unsigned type, grouped by weight."""
    dtype = _code_type(int(n_labels.max()))
    order = np.argsort(weights, kind="stable")
    ordered = weights[order]
    new_weight = np.flatnonzero(np.diff(ordered)) + 1
    edges = np.concatenate([[0], new_weight, [len(ordered)]])
    starts = np.concatenate([np.arange(lo, hi, _GROUP) for lo, hi in pairwise(edges)])
    by_clustering = np.ascontiguousarray(codes.T[order].astype(dtype))  # -1 wraps to the largest value
    columns = agreement.Columns(
        by_clustering, np.append(starts, len(ordered)).astype(np.int64), dtype.type(np.iinfo(dtype).max)
    )
    return ColumnGroups(columns, ordered[starts], float(weights.sum()), bool((codes < 0).any()))


def _code_type(n_labels: int) -> "np.dtype[np.unsignedinteger]":
    """Smallest unsigned type that holds the codes 0..n_labels-1 and one more value for missing."""
    for dtype in (np.uint8, np.uint16):
        if n_labels <= np.iinfo(dtype).max:
            return np.dtype(dtype)
    return np.dtype(np.uint32)


def count_type(groups: ColumnGroups) -> "np.dtype[Any]":
    """Smallest type that holds every count exactly: unsigned integers, or float64 for real weights."""
    if np.any(groups.weights != np.floor(groups.weights)):
        return np.dtype(np.float64)
    for dtype in (np.uint8, np.uint16, np.uint32):
        if groups.total <= np.iinfo(dtype).max:
            return np.dtype(dtype)
    return np.dtype(np.float64)
