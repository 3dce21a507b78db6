"""Pairs of objects of an ensemble, from labels or from a matrix (eqs. I47, I52). Labels need no n x n array.

The three classes answer the same two questions: how many pairs have which similarity, and how similar is each row to
the members of each cluster. Pairs that no clustering labels together (N_ij = 0) are unknown, and are not counted.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from partita._kernels import internal
from partita._labels.ensemble import WeightedColumns, find_distinct_rows, weighted_columns
from partita._labels.validation import check_label_matrix
from partita._memory import ensure_memory
from partita._runs import in_order
from partita._typing import Array, FloatArray, IntArray
from partita.metrics._coassociation import Coassociation, count_block

_ROUNDING = 1e-8  # how far a similarity matrix may be from symmetry, from [0, 1] and from a unit diagonal
_BLOCK_ENTRIES = 2**22  # similarities per block of rows: 32 MiB of float64


class EqualObjects(NamedTuple):
    """Objects with the same labels, as one row."""

    inverse: IntArray  # (n,) row of each object
    n_objects: IntArray  # (n_rows,) objects with this row
    labelled: Array  # (n_rows,) bool, whether the row has a label, so that its objects are known to be together


class LabelPairs(NamedTuple):
    """Pairs of weighted distinct rows of labels; pairs of objects with the same row have similarity 1."""

    rows: EqualObjects
    columns: WeightedColumns

    def values(self, n_jobs: int | None) -> Iterator[tuple[FloatArray, IntArray]]:
        """Similarities that occur, and how many pairs have each: sums of integers, the same in any order."""
        m, missing, n_objects = int(self.columns.total), self.columns.has_missing, self.rows.n_objects
        shape = (m + 1 if missing else 1, m + 1)
        n_bytes = 3 * 8 * shape[0] * shape[1]
        ensure_memory(n_bytes, purpose=f"a table of {shape[0]} x {shape[1]} counts", instead="use fewer clusterings.")

        def tally(block: slice) -> IntArray:
            table = np.zeros(shape, dtype=np.int64)
            counts, totals = count_block(self.columns, block.start, block.stop, upper=True)
            # where nothing is missing the kernel does not read N; C stands for it, so that it is compiled once for both
            internal.tally_pairs(counts, totals if missing else counts, not missing, n_objects, block.start, table)
            return table

        table: IntArray = sum(in_order(tally, _blocks(len(n_objects)), n_jobs), np.zeros(shape, dtype=np.int64))
        n_total, n_together = np.nonzero(table)
        n_pairs = table[n_total, n_together]
        n_total = n_total if missing else np.full(len(n_total), m)
        known = n_total > 0
        yield n_together[known] / n_total[known], n_pairs[known]
        yield np.ones(1), np.array([(n_objects * (n_objects - 1) // 2)[self.rows.labelled].sum()])

    def to_clusters(self, members: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Similarity of each row to the others, summed over ``members`` (n_rows, k), and how many pairs are known."""
        sums, known = np.empty(members.shape), members.sum(axis=0) - members
        for block in _blocks(len(members)):
            counts, totals = count_block(self.columns, block.start, block.stop)
            itself = np.arange(block.stop - block.start), np.arange(block.start, block.stop)
            counts[itself] = 0
            if self.columns.has_missing:
                totals[itself] = 0
                known[block] = (totals > 0).astype(np.float64) @ members
                sums[block] = (counts / np.maximum(totals, 1)) @ members
            else:
                sums[block] = (counts / self.columns.total) @ members
        return sums, known


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
        """Similarities of a block of objects with all, and which of them are known."""
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
    if isinstance(X, Coassociation):
        return _pairs_of_counts(X)
    similarity = _as_similarity(X)
    if similarity is not None:
        return MatrixPairs(_each_object(len(similarity)), similarity, None)
    matrix = check_label_matrix(X)
    distinct = find_distinct_rows(matrix.codes, matrix.n_labels)
    codes = matrix.codes[distinct.first]
    rows = EqualObjects(distinct.inverse, distinct.n_objects, np.asarray((codes >= 0).any(axis=1)))
    return LabelPairs(rows, weighted_columns(codes, matrix.n_labels, np.ones(codes.shape[1])))


def _pairs_of_counts(X: Coassociation) -> MatrixPairs | SampledPairs:
    rows = _each_object(X.counts.shape[0])
    if not hasattr(X.counts, "tocsr"):
        return MatrixPairs(rows, X.counts, X.totals)
    if X.totals.diagonal().any():
        raise ValueError(
            "X is a Coassociation of form='sparse', which does not distinguish pairs that are never together from "
            "pairs that no clustering labels; pass the label matrix, or a Coassociation of form='dense' or 'pairs'."
        )
    return SampledPairs(rows, X.similarity())


def _each_object(n: int) -> EqualObjects:
    """Each object in a row of its own."""
    return EqualObjects(np.arange(n, dtype=np.int64), np.ones(n, dtype=np.int64), np.zeros(n, dtype=bool))


def _as_similarity(X: Any) -> FloatArray | None:
    """A square symmetric float matrix with entries in [0, 1] and ones on the diagonal, or None if X is labels."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if hasattr(X, "tocsr") or len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
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
            f"X is a {shape[0]} x {shape[1]} matrix of fractions, but not a similarity matrix: pass a symmetric one "
            "with entries in [0, 1] (NaN where unknown) and ones on the diagonal, or labels, which are not fractions."
        )
    return None


def _blocks(n: int) -> list[slice]:
    size = max(1, _BLOCK_ENTRIES // n)
    return [slice(lo, min(n, lo + size)) for lo in range(0, n, size)]
