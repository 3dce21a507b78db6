"""The one reader of all formats: any file becomes a table with clean cells, and perhaps a column of ids."""

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pandas as pd

from partita.exceptions import FileFormatError
from partita.io._cells import MissingWords, clean, clean_ids, words_for_missing
from partita.io._excel import read_sheet
from partita.io._formats import EXCEL, PARQUET, TEXT, find_ids, format_of_source
from partita.io._label_table import LabelTable
from partita.io._lines import SAMPLE
from partita.io._numpy_files import read_numpy
from partita.io._parquet import read_parquet
from partita.io._source import Source, open_source
from partita.io._text import Layout, find_layout, open_text, refuse_repeated


class Table(NamedTuple):
    """What is in a file: cells without blanks around them, with holes where a value is missing."""

    frame: pd.DataFrame  # one row per object, without the ids
    ids: "pd.Series[Any] | None"  # as written
    has_header: bool
    source: Source
    as_written: Callable[[str], "pd.Series[Any]"]  # a column by its name in the frame, without any cleaning
    separator: str | None = None  # of a text file

    def with_ids(self, name: str) -> "Table":
        """The table, which has no ids so far, with those of a column."""
        ids = clean_ids(self.as_written(name), self.source)
        frame = self.frame.drop(columns=name)
        if not self.has_header:
            frame.columns = pd.Index([f"c{place}" for place in range(frame.shape[1])])
        return self._replace(frame=frame, ids=ids)


def read_table(
    path: str | os.PathLike[str],
    *,
    id_column: str | bool | None = None,
    header: bool | None = None,
    missing: Sequence[str] = (),
    missing_words: bool = True,
    encoding: str | None = None,
    separator: str | None = None,
) -> Table:
    """Read a file of any format; parameters as in ``read_labels``."""
    source = open_source(path)
    kind = format_of_source(source)
    if source.is_empty():
        raise FileFormatError(f"{source.name!r} is empty; a table has one row per object.")
    words = words_for_missing(missing, missing_words)
    if kind in TEXT:
        file = open_text(source, id_column, header, words, encoding, separator)
        table = _assemble(file.parse(words), file.layout, words, source, file.as_written)
        return table._replace(separator=file.separator)
    if kind in EXCEL:
        frame, layout = _read_excel(source, id_column, header, words)
    else:
        frame = read_parquet(source) if kind in PARQUET else read_numpy(source)
        layout = _layout_of(frame, id_column if kind in PARQUET or isinstance(id_column, str) else False, source)
    return _assemble(frame, layout, words, source, frame.__getitem__)


def assemble_frame(
    frame: pd.DataFrame, id_column: str | bool | None, missing: Sequence[str], missing_words: bool, source: Source
) -> LabelTable:
    """A frame as labels and ids, cleaned as those of a file are."""
    layout = _layout_of(frame, id_column, source)
    table = _assemble(frame, layout, words_for_missing(missing, missing_words), source, frame.__getitem__)
    return LabelTable(table.frame, table.ids, table.has_header)


def _layout_of(frame: pd.DataFrame, id_column: str | bool | None, source: Source) -> Layout:
    names = [str(name) for name in frame.columns]
    refuse_repeated(names, source)
    place = find_ids(names, frame.iloc[:SAMPLE, 0], id_column, source) if names else None
    return Layout(names, True, place, frozenset())


def _read_excel(
    source: Source, id_column: str | bool | None, header: bool | None, words: MissingWords
) -> tuple[pd.DataFrame, Layout]:
    """The first sheet; names and ids are recognised as in a text file."""
    rows = read_sheet(source)
    if not rows:
        raise FileFormatError(f"{source.name!r} is empty; a table has one row per object.")
    sample = [["" if cell is None else str(cell).strip() for cell in row] for row in rows[: SAMPLE + 1]]
    layout = find_layout(sample, id_column, header, words, source)
    body = rows[1:] if layout.has_header else rows
    return pd.DataFrame(body, columns=layout.names).infer_objects(), layout


def _assemble(
    frame: pd.DataFrame,
    layout: Layout,
    words: MissingWords,
    source: Source,
    as_written: Callable[[str], "pd.Series[Any]"],
) -> Table:
    """Part the ids from the other columns, and clean both."""
    if len(frame) == 0:
        raise FileFormatError(f"{source.name!r} has no rows; a table has one row per object.")
    ids = None
    if layout.id_name is not None:
        ids = frame[layout.id_name].rename("" if layout.id_name in layout.nameless else layout.id_name)
        frame = frame.drop(columns=layout.id_name)
    frame, ids = clean(frame, ids, words, source)
    return Table(frame, ids, layout.has_header, source, as_written)
