"""Where blocks of labels come from: files, slices of arrays, what a function yields, parts of Dask collections.

A block is read again in every pass, here or by a worker: it travels as what it needs to be read (a path and a range of
rows), never as its labels. A file that changed since it was first seen is refused by name.
"""

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from partita._runs import warn
from partita._typing import Array
from partita.exceptions import BlockError, FileContentWarning
from partita.io._formats import NUMPY, PARQUET, format_of, listing
from partita.io._label_parts import PartReading, group_sizes, read_groups, read_head, read_parts, read_slice

LABELS_PER_BLOCK = 1 << 23  # of arrays and of files that can be read from anywhere: about 100 MB while a block is read


class Piece(NamedTuple):
    """Some objects of a block, that fit in memory."""

    labels: Any  # a label matrix in any container
    ids: Array | None = None
    id_name: str = "object"


class Block(Protocol):
    """Objects that are read together."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        ...

    def pieces(self) -> Iterator[Piece]:
        """Its objects in their order."""
        ...


@contextmanager
def naming(block: Block) -> Iterator[None]:
    """Whatever goes wrong with a block is told with its name."""
    try:
        yield
    except BlockError:
        raise
    except (OSError, ValueError, TypeError) as error:
        raise BlockError(f"block {block.name!r}: {error}") from error


# --------------------------------------------------------------------------------------------------------------- files
class FileMark(NamedTuple):
    """What a file looked like when it was first seen."""

    path: str
    size: int
    changed: int  # time of the last change, in nanoseconds

    def check(self) -> None:
        """Refuse a file that is not what it was."""
        name = Path(self.path).name
        try:
            now = mark_of(self.path)
        except OSError as error:
            raise BlockError(f"block {name!r}: the file is gone ({error.strerror or error}): {self.path!r}.") from None
        if now != self:
            raise BlockError(
                f"block {name!r}: the file changed while it was used (from {self.size} to {now.size} bytes); fit again "
                "when nothing writes to it."
            )


def mark_of(path: str | os.PathLike[str]) -> FileMark:
    """What a file looks like now."""
    about = os.stat(path)
    return FileMark(os.path.abspath(path), about.st_size, about.st_mtime_ns)


@dataclass(frozen=True)
class FileBlock:
    """A file, or some of its rows: a range of an NPY file, some groups of a Parquet file."""

    mark: FileMark
    reading: PartReading
    n_rows: int  # of a piece
    first: int = 0  # row, or group of rows
    last: int | None = None  # behind the last one; None for the whole file

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.mark.path)

    @property
    def name(self) -> str:
        """Name of the file, with the rows if it is not all of it."""
        unit = "groups" if format_of(self.path) in PARQUET else "rows"
        return self.path.name if self.last is None else f"{self.path.name}, {unit} {self.first} to {self.last - 1}"

    def pieces(self) -> Iterator[Piece]:
        """Its objects in their order; the file is looked at before and after."""
        self.mark.check()
        plain = format_of(self.path) in NUMPY  # columns of an array have no names
        for table in self._tables():
            ids = None if table.ids is None else table.object_ids()
            yield Piece(table.labels.to_numpy() if plain else table.labels, ids, table.id_name)
        self.mark.check()

    def _tables(self) -> Iterator[Any]:
        if self.last is None:
            yield from read_parts(self.path, self.reading, n_rows=self.n_rows)
        elif format_of(self.path) in PARQUET:
            yield from read_groups(self.path, self.reading, range(self.first, self.last), n_rows=self.n_rows)
        else:
            for lo in range(self.first, self.last, self.n_rows):
                yield read_slice(self.path, self.reading, lo, min(self.last, lo + self.n_rows))


class FileSet(NamedTuple):
    """Files with the same columns, as blocks."""

    blocks: list[FileBlock]
    names: list[str]


def files_as_blocks(paths: list[Path], reading: PartReading, rows: int | None) -> FileSet:
    """Look at the beginning of every file, before anything is computed, and cut those that can be cut."""
    blocks: list[FileBlock] = []
    names: list[str] = []
    kinds: list[str | None] = []
    for path in paths:
        try:
            head, mark = read_head(path, reading), mark_of(path)
        except (OSError, ValueError) as error:
            raise BlockError(f"block {path.name!r}: {error}") from error
        if not blocks:
            names, kinds, reading = head.names, head.kinds, head.reading
        check_names(path.name, head.names, names)
        kinds = join_kinds(path.name, head.kinds, kinds, names)
        n_rows = rows or max(LABELS_PER_BLOCK // len(names), 1)
        blocks += [FileBlock(mark, reading, n_rows, first, last) for first, last in _cuts(path, head.n_rows, n_rows)]
    return FileSet(blocks, names)


def _cuts(path: Path, n_objects: int | None, n_rows: int) -> Iterator[tuple[int, int | None]]:
    """Ranges of rows or of groups that are a block each; a file of one block is not cut."""
    if n_objects is None or n_objects <= n_rows:
        yield 0, None
    elif format_of(path) in PARQUET:
        sizes, first, held = group_sizes(path), 0, 0
        for number, size in enumerate(sizes):
            if held and held + size > n_rows:
                yield first, number
                first, held = number, 0
            held += size
        yield first, len(sizes)
    else:
        for lo in range(0, n_objects, n_rows):
            yield lo, min(n_objects, lo + n_rows)


def check_names(block: str, names: list[str], expected: list[str]) -> None:
    """Refuse a block with other columns than the first one."""
    if names == expected:
        return
    if len(names) != len(expected):
        told = f"has {len(names)} clusterings ({listing(names)}), but the first block has {len(expected)}"
    else:
        told = f"has the columns {listing(names)}, but the first block has {listing(expected)}"
    raise BlockError(f"block {block!r} {told}; all blocks must have the same columns, in the same order.")


def join_kinds(block: str, kinds: list[str | None], expected: list[str | None], names: list[str]) -> list[str | None]:
    """Kinds of labels, of this block and those before; refuse text where others have numbers."""
    for kind, before, name in zip(kinds, expected, names, strict=True):
        if kind is not None and before is not None and kind != before:
            raise BlockError(
                f"block {block!r}: the labels of column {name!r} are {_plural(kind)}, but earlier ones are "
                f"{_plural(before)}; write all labels of a column as one kind."
            )
    return [before if kind is None else kind for kind, before in zip(kinds, expected, strict=True)]


def _plural(kind: str) -> str:
    return "numbers" if kind == "number" else kind


# -------------------------------------------------------------------------------------------------------------- arrays
@dataclass(frozen=True, eq=False)
class ArrayBlock:
    """Some rows of an array in memory."""

    array: Any
    first: int
    last: int

    @property
    def name(self) -> str:
        """The rows."""
        return f"rows {self.first} to {self.last - 1}"

    def pieces(self) -> Iterator[Piece]:
        """One piece."""
        yield Piece(self.array[self.first : self.last])

    def __getstate__(self) -> dict[str, Any]:
        """What travels to a worker: these rows alone."""
        rows = self.array[self.first : self.last]
        rows = rows if hasattr(rows, "columns") else np.array(rows)
        return {"array": rows, "first": self.first, "last": self.last}

    def __setstate__(self, state: dict[str, Any]) -> None:
        object.__setattr__(self, "array", _Shifted(state["array"], state["first"]))
        object.__setattr__(self, "first", state["first"])
        object.__setattr__(self, "last", state["last"])


class _Shifted:
    """Rows of an array that begin at another number."""

    def __init__(self, array: Any, first: int) -> None:
        self.array, self.first = array, first

    def __getitem__(self, rows: slice) -> Any:
        return self.array[rows.start - self.first : rows.stop - self.first]


@dataclass(frozen=True)
class MappedBlock:
    """Some rows of a memory-mapped array: it travels as the place in its file."""

    mark: FileMark
    dtype: str
    shape: tuple[int, int]
    offset: int
    order: Literal["C", "F"]
    first: int
    last: int

    @property
    def name(self) -> str:
        """The file, and the rows."""
        return f"{Path(self.mark.path).name}, rows {self.first} to {self.last - 1}"

    def pieces(self) -> Iterator[Piece]:
        """One piece."""
        self.mark.check()
        array: Any = np.memmap(
            self.mark.path, dtype=np.dtype(self.dtype), mode="r", offset=self.offset, shape=self.shape, order=self.order
        )
        yield Piece(np.array(array[self.first : self.last]))
        self.mark.check()


def array_as_blocks(array: Any, rows: int | None) -> list[Block]:
    """Slices of an array; those of a memory-mapped file by their place in it."""
    shape: tuple[int, ...] = tuple(getattr(array, "shape", ()))
    if len(shape) != 2 or 0 in shape:
        raise BlockError(
            f"the array has shape {shape}; labels are a 2-D array with one row per object, one column per "
            "clustering, and at least one of each."
        )
    n, m = shape
    step = rows or max(LABELS_PER_BLOCK // m, 1)
    ranges = [(lo, min(n, lo + step)) for lo in range(0, n, step)]
    if isinstance(array, np.memmap) and array.mode == "r" and isinstance(array.base, mmap.mmap):  # no view of a part
        order: Literal["C", "F"] = "C" if array.flags.c_contiguous else "F"
        mark, kind = mark_of(str(array.filename)), array.dtype.str
        return [MappedBlock(mark, kind, (int(n), int(m)), int(array.offset), order, lo, hi) for lo, hi in ranges]
    return [ArrayBlock(array, lo, hi) for lo, hi in ranges]


# ------------------------------------------------------------------------------------------- what a function yields
@dataclass(frozen=True, eq=False)
class YieldedBlock:
    """One block that a function yielded; it is in memory while it is used."""

    number: int
    labels: Any

    @property
    def name(self) -> str:
        """Its number."""
        return f"number {self.number}"

    def pieces(self) -> Iterator[Piece]:
        """One piece, if it has objects."""
        if getattr(self.labels, "shape", (1,))[0]:
            yield Piece(self.labels)


# ---------------------------------------------------------------------------------------------------------------- Dask
@dataclass(frozen=True, eq=False)
class DaskBlock:
    """One part of a Dask collection."""

    number: int
    part: Any  # delayed; on a worker what it computes

    @property
    def name(self) -> str:
        """Its number."""
        return f"part {self.number}"

    def pieces(self) -> Iterator[Piece]:
        """One piece."""
        labels = self.part.compute(scheduler="synchronous") if hasattr(self.part, "compute") else self.part
        if len(labels):
            yield Piece(labels)


def dask_as_blocks(collection: Any) -> list[DaskBlock]:
    """Parts of a Dask array or frame, all columns of an object in one part."""
    if hasattr(collection, "rechunk"):
        if collection.ndim != 2:
            raise BlockError(f"the Dask array has {collection.ndim} dimension(s); labels are a 2-D array.")
        parts = collection.rechunk({1: -1}).to_delayed().ravel()
    elif hasattr(collection, "to_delayed"):
        parts = np.array(collection.to_delayed(), dtype=object).ravel()
    else:
        raise BlockError(f"{type(collection).__name__} is neither a Dask array nor a Dask frame.")
    return [DaskBlock(number, part) for number, part in enumerate(parts)]


def warn_unknown(path: Path) -> None:
    """Say that a file of a folder is left out."""
    warn(f"{path.name!r} holds no labels that can be read in blocks, and is left out.", FileContentWarning)
