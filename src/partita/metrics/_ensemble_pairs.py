"""Pairs of objects of an ensemble, from labels or from a matrix, without an n x n array where there was none.

Both classes answer the same two questions: how many pairs have which similarity, and how similar is each row to the
members of each cluster. Pairs that no clustering labels together (N_ij = 0) are unknown, and count nowhere.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from partita._kernels import agreement, internal
from partita._labels.ensemble import WeightedColumns, find_distinct_rows, weighted_columns
from partita._labels.validation import check_label_matrix
from partita._memory import ensure_memory
from partita._runs import in_order
from partita._typing import Array, FloatArray, IntArray

_ROUNDING = 1e-8  # of a similarity matrix, as single precision has it
_BLOCK_ENTRIES = 2**22  # similarities of a block of rows


class EqualObjects(NamedTuple):
    """Which objects are one, because they have the same labels."""

    inverse: IntArray  # (n,) row of each object
    n_objects: IntArray  # (n_rows,) objects that have the row
    labelled: Array  # (n_rows,) bool, whether the row has a label, so that its objects are known to be together


class LabelPairs(NamedTuple):
    """Pairs of weighted distinct rows of labels; pairs of objects with the same row have similarity 1."""

    rows: EqualObjects
    groups: WeightedColumns

    def values(self, n_jobs: int | None) -> Iterator[tuple[FloatArray, IntArray]]:
        """Similarities that occur, and how many pairs have each. The counts are whole numbers: no order matters."""
        m, missing, weight = int(self.groups.total), self.groups.has_missing, self.rows.n_objects
        shape = (m + 1 if missing else 1, m + 1)
        n_bytes = 3 * 8 * shape[0] * shape[1]
        ensure_memory(n_bytes, purpose=f"a table of {shape[0]} x {shape[1]} counts", instead="use fewer clusterings.")

        def tally(block: slice) -> IntArray:
            table = np.zeros(shape, dtype=np.int64)
            counts, totals = self._count(block, upper=True)
            internal.tally_pairs(counts, totals, not missing, weight, block.start, table)
            return table

        table: IntArray = sum(in_order(tally, _blocks(len(weight)), n_jobs), np.zeros(shape, dtype=np.int64))
        n_total, n_together = np.nonzero(table)
        n_pairs = table[n_total, n_together]
        n_total = n_total if missing else np.full(len(n_total), m)
        known = n_total > 0
        yield n_together[known] / n_total[known], n_pairs[known]
        yield np.ones(1), np.array([(weight * (weight - 1) // 2)[self.rows.labelled].sum()])

    def to_clusters(self, members: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Similarity of each row to the others, summed over ``members`` (n_rows, k), and how many pairs are known."""
        sums, known = np.empty(members.shape), members.sum(axis=0) - members
        for block in _blocks(len(members)):
            counts, totals = self._count(block, upper=False)
            itself = np.arange(block.stop - block.start), np.arange(block.start, block.stop)
            counts[itself] = 0
            if self.groups.has_missing:
                totals[itself] = 0
                known[block] = (totals > 0).astype(np.float64) @ members
                sums[block] = (counts / np.maximum(totals, 1)) @ members
            else:
                sums[block] = (counts / self.groups.total) @ members
        return sums, known

    def _count(self, block: slice, *, upper: bool) -> tuple[Array, Array]:
        """C and N of some rows with all rows (or, if ``upper``, at least with those after them)."""
        dtype = self.groups.count_type
        weights = self.groups.weights.astype(dtype)
        counts = np.empty((block.stop - block.start, len(self.rows.n_objects)), dtype=dtype)
        agreement.count_rows(self.groups.columns, weights, block.start, block.stop, upper, False, counts)
        if not self.groups.has_missing:
            return counts, counts
        totals = np.empty_like(counts)
        agreement.count_rows(self.groups.columns, weights, block.start, block.stop, upper, True, totals)
        return counts, totals


class MatrixPairs(NamedTuple):
    """Pairs of objects with given counts C and N, or (N = None) given similarities, NaN where unknown."""

    rows: EqualObjects
    together: Array  # (n, n)
    totals: Array | None

    def values(self, n_jobs: int | None) -> Iterator[tuple[FloatArray, IntArray]]:
        """Similarities of the known pairs i < j, each one pair."""
        for block in _blocks(len(self.together)):
            similarity, known = self._look_up(block)
            after = np.arange(block.start, block.stop)[:, None] < np.arange(known.shape[1])
            values = similarity[known & after]
            yield values, np.ones(len(values), dtype=np.int64)

    def to_clusters(self, members: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Similarity of each object to the others, summed over ``members`` (n, k), and how many pairs are known."""
        sums, n_known = np.empty(members.shape), np.empty(members.shape)
        for block in _blocks(len(self.together)):
            similarity, known = self._look_up(block)
            known[np.arange(block.stop - block.start), np.arange(block.start, block.stop)] = False
            sums[block] = np.where(known, similarity, 0.0) @ members
            n_known[block] = known.astype(np.float64) @ members
        return sums, n_known

    def _look_up(self, block: slice) -> tuple[FloatArray, Array]:
        """Similarities of some objects with all, and which of them are known."""
        together = self.together[block]
        if self.totals is None:
            return together, ~np.isnan(together)
        totals = self.totals[block]
        return together / np.maximum(totals, np.finfo(float).tiny), totals > 0


class SampledPairs(NamedTuple):
    """Some pairs of objects, both (i, j) and (j, i) stored, all known."""

    rows: EqualObjects
    similarity: Any  # (n, n) CSR, stored zeros are pairs too

    def values(self, n_jobs: int | None) -> Iterator[tuple[FloatArray, IntArray]]:
        """Similarities of the stored pairs i < j, each one pair."""
        stored = self.similarity.tocoo()
        values = stored.data[stored.coords[0] < stored.coords[1]]
        yield values, np.ones(len(values), dtype=np.int64)

    def to_clusters(self, members: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Similarity of each object to the others, summed over ``members`` (n, k), and how many pairs are known."""
        known = self.similarity.copy()
        known.data = np.ones(len(known.data))
        return self.similarity @ members, known @ members


Pairs = LabelPairs | MatrixPairs | SampledPairs


def read_pairs(X: Any) -> Pairs:
    """Pairs of a label matrix, a Coassociation, or a square similarity matrix."""
    if isinstance(X, tuple) and hasattr(X, "counts") and hasattr(X, "totals"):
        return _pairs_of_counts(X.counts, X.totals)
    similarity = _as_similarity(X)
    if similarity is not None:
        return MatrixPairs(_each_object(len(similarity)), similarity, None)
    matrix = check_label_matrix(X)
    distinct = find_distinct_rows(matrix.codes, matrix.n_labels)
    codes = matrix.codes[distinct.first]
    rows = EqualObjects(distinct.inverse, distinct.n_objects, np.asarray((codes >= 0).any(axis=1)))
    return LabelPairs(rows, weighted_columns(codes, matrix.n_labels, np.ones(codes.shape[1])))


def _pairs_of_counts(counts: Any, totals: Any) -> MatrixPairs | SampledPairs:
    rows = _each_object(counts.shape[0])
    if not hasattr(counts, "tocsr"):
        return MatrixPairs(rows, counts, totals)
    if totals.diagonal().any():
        raise ValueError(
            "X is a Coassociation of form='sparse', which does not tell pairs that are never together from pairs that "
            "no clustering labels; pass the label matrix, or a Coassociation of form='dense' or 'pairs'."
        )
    similarity = counts.astype(np.float64)
    similarity.data /= totals.data
    return SampledPairs(rows, similarity)


def _each_object(n: int) -> EqualObjects:
    """Each object by itself: none has an equal one in its row."""
    return EqualObjects(np.arange(n, dtype=np.int64), np.ones(n, dtype=np.int64), np.zeros(n, dtype=bool))


def _as_similarity(X: Any) -> FloatArray | None:
    """A square symmetric float matrix with entries in [0, 1] and ones on the diagonal, or None if X is labels."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if hasattr(X, "tocsr") or len(shape) != 2 or shape[0] != shape[1]:
        return None
    array = np.asarray(X)
    if array.dtype.kind != "f":
        return None
    in_range = not (array < -_ROUNDING).any() and not (array > 1 + _ROUNDING).any()
    unit = bool((np.abs(array.diagonal() - 1) <= _ROUNDING).all())
    if in_range and unit and np.allclose(array, array.T, rtol=0, atol=_ROUNDING, equal_nan=True):
        near = np.round(array)
        return np.where(np.abs(array - near) <= _ROUNDING, near, array).astype(np.float64)
    if (np.isfinite(array) & (array != np.floor(array))).any():
        raise ValueError(
            f"X is a {shape[0]} x {shape[1]} matrix of fractions, but not a similarity matrix; that is symmetric, has "
            "entries in [0, 1] (NaN where unknown) and ones on the diagonal. A label matrix holds no fractions."
        )
    return None


def _blocks(n: int) -> list[slice]:
    size = max(1, _BLOCK_ENTRIES // n)
    return [slice(lo, min(n, lo + size)) for lo in range(0, n, size)]
