"""Label files in parts, for files that do not fit in memory: tables of a limited number of rows, one after another.

Each part is read and cleaned as a whole file would be (``read_labels``). What a text file looks like (separator,
header, ids) is recognised by its beginning. NPY files are not copied: their parts are memory-mapped.
"""

import gzip
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pandas as pd

from partita._optional import require
from partita.exceptions import FileFormatError
from partita.io._cells import words_for_missing
from partita.io._formats import NUMPY, PARQUET, TEXT, format_of
from partita.io._label_table import LabelTable
from partita.io._parquet import check_frame, name_columns, refuse_nested
from partita.io._read_labels import read_labels, select_columns
from partita.io._read_table import assemble_frame
from partita.io._source import PipedFile, Source, foreign_reader, open_source
from partita.io._text import open_text

IN_PARTS = (*TEXT, *PARQUET, ".npy")  # formats that can be read so
_HEAD = 1 << 18  # bytes by which a text file is recognised: some thousand lines
_TEXT = 1 << 26  # bytes of text in a part: a table of about four times that size


class PartReading(NamedTuple):
    """How files are read; parameters of ``read_labels``."""

    id_column: str | bool | None = None
    columns: tuple[str, ...] | None = None
    header: bool | None = None
    missing: tuple[str, ...] = ()
    missing_words: bool = True
    encoding: str | None = None
    separator: str | None = None


class FileHead(NamedTuple):
    """What can be told of a file by its beginning."""

    names: list[str]  # of the columns of labels
    kinds: list[str | None]  # "number", "text", or None where the beginning has no label
    reading: PartReading  # with what was recognised: header and ids
    n_rows: int | None  # None for text: its lines are not counted


def kind_of_labels(values: Any) -> str | None:
    """Whether labels are numbers or text; None if there are none."""
    column = pd.Series(values)
    if column.dtype.kind in "biuf":
        return "number" if column.notna().any() else None
    known = column.dropna()
    if not len(known):
        return None
    return "number" if all(isinstance(label, int | float | np.number) for label in known.unique()) else "text"


# ------------------------------------------------------------------------------------------------------ the beginning
def read_head(path: str | os.PathLike[str], reading: PartReading) -> FileHead:
    """Recognise a file by its beginning."""
    source = open_source(path)
    kind = format_of(source.path)
    if kind not in IN_PARTS:
        advice = "save its array as NPY" if kind in NUMPY else "save it as CSV or Parquet"
        raise FileFormatError(f"{source.name!r} cannot be read in parts; {advice}.")
    if source.is_empty():
        raise FileFormatError(f"{source.name!r} is empty; a table has one row per object.")
    if kind == ".npy":
        array = map_array(source)
        table = _as_table(np.array(array[:1000]), reading, source)
        return FileHead([str(name) for name in table.labels.columns], _kinds(table), reading, len(array))
    if kind in PARQUET:
        frame, n_rows = _first_rows(source)
        table = assemble_frame(frame, reading.id_column, *_words(reading), source)
        table = table._replace(labels=select(table.labels, reading, source))
    else:
        table, n_rows = read_labels(_beginning(source), **reading._asdict()), None
    found = reading._replace(id_column=_place_of_ids(table), header=table.has_header if kind in TEXT else None)
    return FileHead([str(name) for name in table.labels.columns], _kinds(table), found, n_rows)


def _kinds(table: LabelTable) -> list[str | None]:
    return [kind_of_labels(table.labels.iloc[:, j]) for j in range(table.labels.shape[1])]


def _place_of_ids(table: LabelTable) -> str | bool:
    """The column of ids, so that no part of the file is recognised in another way."""
    if table.ids is None:
        return False
    return table.id_name if table.has_header and str(table.ids.name or "") else True


def _beginning(source: Source) -> PipedFile:
    with open_bytes(source) as file, foreign_reader(source, "a text file"):
        start = file.read(_HEAD)
        start += file.readline() if len(start) == _HEAD else b""
    return PipedFile(source.name, start)


def open_bytes(source: Source) -> BinaryIO:
    """The bytes of a text file, uncompressed."""
    if source.path.suffix.lower() == ".gz":
        return gzip.open(source.path, "rb")  # type: ignore[return-value]
    return source.open()


# ---------------------------------------------------------------------------------------------------------- the parts
def read_parts(path: str | os.PathLike[str], reading: PartReading, *, n_rows: int) -> Iterator[LabelTable]:
    """The file, in tables of about ``n_rows`` rows; text in tables of 64 MB."""
    source = open_source(path)
    kind = format_of(source.path)
    if kind == ".npy":
        for lo in range(0, len(map_array(source)), n_rows):
            yield read_slice(path, reading, lo, lo + n_rows)
    elif kind in PARQUET:
        yield from read_groups(path, reading, None, n_rows=n_rows)
    else:
        yield from _text_parts(source, reading)


def read_slice(path: str | os.PathLike[str], reading: PartReading, lo: int, hi: int) -> LabelTable:
    """Some rows of an NPY file."""
    source = open_source(path)
    return _as_table(np.array(map_array(source)[lo:hi], order="F"), reading, source)  # labels are read by column


def _as_table(array: Any, reading: PartReading, source: Source) -> LabelTable:
    """Rows of an array, whose ids are a column only if it is named."""
    ids = reading.id_column if isinstance(reading.id_column, str) else False
    table = assemble_frame(_frame(array), ids, *_words(reading), source)
    return table._replace(labels=select(table.labels, reading, source))


def map_array(source: Source) -> Any:
    """The array of an NPY file, mapped into memory."""
    with foreign_reader(source, "a NumPy file", "it is damaged, or does not hold plain number or string arrays"):
        array = np.load(source.path, mmap_mode="r", allow_pickle=False)
    if array.ndim != 2 or array.dtype.kind not in "biufU":
        raise FileFormatError(
            f"{source.name!r} holds an array of shape {array.shape} and type {array.dtype}; labels are a 2-D array of "
            "plain numbers or text, one row per object."
        )
    return array


def _frame(array: Any) -> pd.DataFrame:
    return pd.DataFrame(array, columns=[f"c{j}" for j in range(array.shape[1])], copy=False)


def group_sizes(path: str | os.PathLike[str]) -> list[int]:
    """Rows of each group of a Parquet file."""
    import pyarrow.parquet as pq

    source = open_source(path)
    with foreign_reader(source, "a Parquet file"), source.open() as handle:
        about = pq.ParquetFile(handle).metadata
        return [about.row_group(number).num_rows for number in range(about.num_row_groups)]


def read_groups(
    path: str | os.PathLike[str], reading: PartReading, groups: Sequence[int] | None, *, n_rows: int
) -> Iterator[LabelTable]:
    """Some groups of rows of a Parquet file, by default all."""
    import pyarrow.parquet as pq

    source = open_source(path)
    with source.open() as handle:
        with foreign_reader(source, "a Parquet file"):
            file = pq.ParquetFile(handle)
            batches = file.iter_batches(batch_size=n_rows, row_groups=None if groups is None else list(groups))
        while True:
            with foreign_reader(source, "a Parquet file"):
                batch = next(batches, None)
                if batch is None:
                    return
                frame = check_frame(name_columns(batch.to_pandas()))
            table = assemble_frame(frame, reading.id_column, *_words(reading), source)
            yield table._replace(labels=select(table.labels, reading, source))


def _first_rows(source: Source) -> tuple[pd.DataFrame, int]:
    require("pyarrow", extra="parquet", purpose="reading Parquet")
    import pyarrow.parquet as pq

    with foreign_reader(source, "a Parquet file"), source.open() as handle:
        refuse_nested(handle, source)
        file = pq.ParquetFile(handle)
        if file.metadata.num_rows == 0:
            raise FileFormatError(f"{source.name!r} has no rows; a table has one row per object.")
        batch = next(file.iter_batches(batch_size=1000))
        return check_frame(name_columns(batch.to_pandas())), file.metadata.num_rows


def _text_parts(source: Source, reading: PartReading) -> Iterator[LabelTable]:
    """A text file, cut between lines; every part gets the line of names again."""
    if source.path.suffix.lower() != ".gz" and source.path.stat().st_size <= _TEXT:
        yield read_labels(source.path, **reading._asdict())
        return
    with open_bytes(source) as file:
        first = _some_lines(file)
        if first[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise FileFormatError(f"{source.name!r} is UTF-16 and too large to be read at once; save it as UTF-8.")
        before = _lines_before(first, source, reading)
        yield read_labels(PipedFile(source.name, first), **reading._asdict())
        while lines := _some_lines(file):
            yield read_labels(PipedFile(source.name, before + lines), **reading._asdict())


def _lines_before(first: bytes, source: Source, reading: PartReading) -> bytes:
    """Comments and names before the first object."""
    words = words_for_missing(reading.missing, reading.missing_words)
    head = _beginning(source)
    given = (reading.encoding, reading.separator)
    text = open_text(open_source(head), reading.id_column, reading.header, words, *given)
    lines = iter(first.splitlines(keepends=True))
    return b"".join(islice(lines, text.text.n_before + text.n_header))


def _some_lines(file: BinaryIO) -> bytes:
    """About 64 MB of whole lines; a quoted field that holds a line break is not cut."""
    lines = file.read(_TEXT)
    if not lines:
        return b""
    lines += file.readline()
    while lines.count(b'"') % 2:
        more = file.readline()
        if not more:
            break
        lines += more
    return lines


def select(frame: pd.DataFrame, reading: PartReading, source: Source | Path) -> pd.DataFrame:
    """The columns that are asked for."""
    return frame if reading.columns is None else select_columns(frame, reading.columns, source)


def _words(reading: PartReading) -> tuple[tuple[str, ...], bool]:
    return reading.missing, reading.missing_words
