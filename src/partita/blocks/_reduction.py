"""Blocks of labels become weighted distinct rows: every block for itself, then all of them together.

A block is numbered by its own labels, so that it can be read without knowing the others. Where blocks are joined,
labels get a number when they are first seen; at the end the labels of a column are sorted, as in memory. Distinct rows
are numbered by first appearance, as in memory too: what comes out does not depend on how the objects are cut.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from partita._labels.columns import Noise, encode_column, named_columns, sort_key
from partita._labels.ensemble import find_distinct_rows
from partita._labels.validation import LabelMatrix, warn_dropped
from partita._memory import available_memory
from partita._typing import Array, Codes, IntArray
from partita.blocks._sources import Block, check_names, join_kinds, naming
from partita.exceptions import BlockError, LabelMatrixError

_PENDING = 1 << 18  # rows that wait until they are joined with the others, at least: each joining looks at all of them
_BYTES_OF_ROW = (100, 16)  # that a distinct row takes while rows are joined and fitted, and each of its labels


class BlockRows(NamedTuple):
    """Distinct rows of a block, in a numbering of its own labels."""

    name: str
    names: list[str]  # of the columns
    labels: list[Array]  # of each column: the label behind each code
    codes: Codes  # (n_rows, m), by first appearance
    n_objects: IntArray  # (n_rows,)
    row_of_object: Array  # (n_objects,) of the smallest unsigned type
    has_names: bool = False  # the names are those of a frame, and not made up

    @property
    def n_samples(self) -> int:
        """Objects of the block."""
        return len(self.row_of_object)


class TooManyRowsError(MemoryError):
    """Distinct rows of all blocks together do not fit in memory."""


# ------------------------------------------------------------------------------------------------------------ one block
def reduce_block(block: Block, noise: Noise) -> BlockRows | None:
    """Distinct rows of one block; None if it has no objects, as parts of a filtered Dask frame may."""
    with naming(block):
        return reduce_pieces(block, noise)


def reduce_pieces(block: Block, noise: Noise) -> BlockRows | None:
    """The same, without naming the block in errors."""
    joined = JoinedRows(limited=False)
    for piece in block.pieces():
        joined.add(_rows_of(piece.labels, block.name, noise))
    return joined.as_block(block.name) if joined.n_blocks else None


def _rows_of(labels: Any, name: str, noise: Noise) -> BlockRows:
    if isinstance(labels, np.ndarray) and labels.ndim == 2:
        labels = np.asfortranarray(labels)  # columns are read one by one: twice as fast as across the rows
    names, columns = named_columns(labels)
    by_column, found = np.empty((len(columns[0]), len(columns)), dtype=np.int32, order="F"), []
    for j, column in enumerate(columns):
        by_column[:, j], of_column = encode_column(column, names[j], noise)
        found.append(of_column)
    codes = np.ascontiguousarray(by_column)
    distinct = find_distinct_rows(codes, np.array([max(len(of_column), 1) for of_column in found]))
    row_of_object, named = shorten(distinct.inverse), has_names(labels)
    return BlockRows(name, names, found, codes[distinct.first], distinct.n_objects, row_of_object, named)


def has_names(labels: Any) -> bool:
    """Whether scikit-learn would take the names of the columns: those of a frame, if all are text."""
    return hasattr(labels, "columns") and all(isinstance(name, str) for name in labels.columns)


def shorten(numbers: IntArray) -> Array:
    """The same numbers in the smallest unsigned type."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


# ------------------------------------------------------------------------------------------------------- several blocks
class Dictionary:
    """Labels of one column, numbered as they come."""

    def __init__(self) -> None:
        self.place: dict[Any, int] = {}
        self.kind: str | None = None
        self.is_bool = True  # no other labels so far

    def number(self, labels: Array) -> Codes:
        """Numbers of these labels; the last entry, -1, is for a missing one."""
        self.is_bool &= labels.dtype.kind == "b" or not len(labels)
        place = self.place
        return np.array([place.setdefault(label, len(place)) for label in labels.tolist()] + [-1], dtype=np.int32)

    def sorted_labels(self) -> tuple[Array, Codes]:
        """Labels in order, and the place of each number in it; the last entry, -1, is for a missing label."""
        listed = list(self.place)
        key = None if self.kind == "number" else sort_key
        order = sorted(range(len(listed)), key=lambda i: listed[i] if key is None else key(listed[i]))
        rank = np.full(len(listed) + 1, -1, dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return self._as_array([listed[i] for i in order]), rank

    def _as_array(self, labels: list[Any]) -> Array:
        if self.kind == "number":
            if self.is_bool and labels:
                return np.array(labels, dtype=bool)
            whole = all(isinstance(label, int) for label in labels)
            if whole and labels and labels[-1] >= 2**63:  # NumPy would round them to floats
                return np.array(labels, dtype=np.uint64 if labels[0] >= 0 else object)
            return np.array(labels)
        text = np.empty(len(labels), dtype=object)
        text[:] = labels
        return text


def label_kinds(labels: list[Array]) -> list[str | None]:
    """What the labels of each column are; None where there are none."""
    return [_kind(of_column) for of_column in labels]


def _kind(labels: Array) -> str | None:
    if not len(labels):
        return None
    if labels.dtype.kind in "biuf":
        return "number"
    return "number" if all(isinstance(label, int | float | np.number) for label in labels) else "text"


class JoinedRows:
    """Distinct rows of the blocks that were added so far."""

    def __init__(self, *, limited: bool = True) -> None:
        self.n_blocks = 0  # that have objects
        self.n_samples = 0
        self.lengths: list[int] = []  # objects of each block
        self.has_names = False
        self.names: list[str] = []
        self._limited = limited
        self._columns: list[Dictionary] = []
        self._codes: Codes = np.empty((0, 0), dtype=np.int32)
        self._n_objects: IntArray = np.empty(0, dtype=np.int64)
        self._waiting: list[Codes] = []
        self._counts: list[IntArray] = []  # of the rows that wait
        self._inverse: list[Array] = []  # of the objects of all blocks: row of their own block
        self._place: list[IntArray] = []  # of the rows of each block among all rows; those that wait have none yet

    def add(self, block: BlockRows | None) -> None:
        """Add the rows of one more block; refuses one that is not like the first."""
        self.lengths.append(0 if block is None else block.n_samples)
        if block is None:
            return
        if self.n_blocks == 0:
            self.names, self.has_names = block.names, block.has_names
            self._columns = [Dictionary() for _ in block.names]
            self._codes = np.empty((0, len(block.names)), dtype=np.int32)
        self._check(block)
        codes = np.empty(block.codes.shape, dtype=np.int32)
        for j, (column, labels) in enumerate(zip(self._columns, block.labels, strict=True)):
            codes[:, j] = column.number(labels)[block.codes[:, j]]
        self.n_blocks += 1
        self.n_samples += block.n_samples
        self._waiting.append(codes)
        self._counts.append(block.n_objects)
        self._inverse.append(block.row_of_object)
        if sum(map(len, self._waiting)) >= max(_PENDING, len(self._codes)):
            self._join()

    def _check(self, block: BlockRows) -> None:
        check_names(block.name, block.names, self.names)
        known = [column.kind for column in self._columns]
        for column, kind in zip(
            self._columns, join_kinds(block.name, label_kinds(block.labels), known, self.names), strict=True
        ):
            column.kind = kind

    def _join(self) -> None:
        """Join the rows that wait with the others, which keep their numbers."""
        if not self._waiting:
            return
        together = np.concatenate([self._codes, *self._waiting])
        distinct = find_distinct_rows(together, np.array([max(len(column.place), 1) for column in self._columns]))
        counts = np.concatenate([self._n_objects, *self._counts])
        edges = np.cumsum([len(self._codes), *map(len, self._waiting)])
        self._place += [distinct.inverse[lo:hi] for lo, hi in pairwise(edges)]
        self._codes = together[distinct.first]
        self._n_objects = np.bincount(distinct.inverse, weights=counts, minlength=len(self._codes)).astype(np.int64)
        self._waiting, self._counts = [], []
        if self._limited and self.bytes_needed() > available_memory():
            raise TooManyRowsError

    def bytes_needed(self) -> int:
        """Memory that a fit of these rows takes, roughly, beside 8 bytes per object."""
        n_rows, m = self._codes.shape
        of_row, of_label = _BYTES_OF_ROW
        return int(n_rows * (of_row + of_label * m))

    # ------------------------------------------------------------------------------------------------------ the result
    def as_block(self, name: str) -> BlockRows:
        """All rows as those of one block."""
        self._join()
        labels, codes = self._sorted()
        row_of_object = self._rows_of_objects(short=True)
        return BlockRows(name, self.names, labels, codes, self._n_objects, row_of_object, self.has_names)

    def as_matrix(self, noise: Noise) -> "ReducedLabels":
        """All rows as a label matrix of distinct rows, and the row of each object."""
        self._join()
        labels, codes = self._sorted()
        kept = np.flatnonzero([len(of_column) > 0 for of_column in labels])
        if not len(kept):
            raise LabelMatrixError(f"all labels of the {self.n_samples} objects in {self.n_blocks} blocks are missing.")
        warn_dropped(self.names, kept)
        matrix = LabelMatrix(
            np.ascontiguousarray(codes[:, kept]),
            [labels[j] for j in kept],
            [self.names[j] for j in kept],
            kept,
            len(self.names),
            noise,
        )
        names = self.names if self.has_names else None
        row_of_object = self._rows_of_objects(short=False)
        return ReducedLabels(matrix, self._n_objects, row_of_object, names, self.lengths)

    def dictionary(self) -> tuple[list[Array], list[str | None]]:
        """Sorted labels of each column, and their kinds."""
        return [column.sorted_labels()[0] for column in self._columns], [column.kind for column in self._columns]

    def _sorted(self) -> tuple[list[Array], Codes]:
        codes, labels = self._codes, []
        for j, column in enumerate(self._columns):
            of_column, rank = column.sorted_labels()
            codes[:, j] = rank[codes[:, j]]
            labels.append(of_column)
        return labels, codes

    def _rows_of_objects(self, *, short: bool) -> Array:
        """Row of each object, (n_samples,) int32 or shorter; what it is made from is dropped on the way."""
        dtype = np.min_scalar_type(max(len(self._codes) - 1, 0)) if short else np.dtype(np.int32)
        rows, lo = np.empty(self.n_samples, dtype=dtype), 0
        for number, place in enumerate(self._place):
            inverse, self._inverse[number] = self._inverse[number], self._inverse[number][:0]
            rows[lo : lo + len(inverse)] = place.astype(dtype)[inverse]
            lo += len(inverse)
        return rows


class ReducedLabels(NamedTuple):
    """All objects of all blocks as weighted distinct rows: what is fitted instead of them."""

    matrix: LabelMatrix  # one row per distinct row, by first appearance
    n_objects: IntArray  # (n_rows,) objects of each row
    row_of_object: Array  # (n_samples,) int32
    names: list[str] | None  # of all columns, if they have names of their own
    lengths: list[int]  # objects of each block


def join_blocks(blocks: Iterable[BlockRows | None], noise: Noise, *, limited: bool = True) -> ReducedLabels:
    """Distinct rows of all blocks together; ``limited`` to the memory there is."""
    joined = JoinedRows(limited=limited)
    for block in blocks:
        joined.add(block)
    if joined.n_blocks == 0:
        raise BlockError("there are no blocks with objects; pass at least one.")
    return joined.as_matrix(noise)
