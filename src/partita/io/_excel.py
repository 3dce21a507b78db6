"""Excel files (.xlsx): the first sheet of a workbook is read; what is written is text or numbers, never a formula."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from partita._optional import require
from partita.exceptions import FileFormatError
from partita.io._source import Source, foreign_reader

_MOST_ROWS, _MOST_COLUMNS, _MOST_CHARACTERS = 1_048_576, 16_384, 32_767  # limits of Excel: a sheet, a cell


def read_sheet(source: Source) -> list[list[Any]]:
    """Rows of the first sheet, all of one length, without those that are empty; formulas have their last value."""
    openpyxl = require("openpyxl", extra="excel", purpose="reading Excel files")
    with foreign_reader(source, "an Excel file (.xlsx)"), source.open() as file:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        if not book.worksheets:
            raise FileFormatError(f"{source.name!r} has no sheet of cells.")
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # some programs write a wrong size of the sheet
        rows = [list(row) for row in sheet.iter_rows(values_only=True)]
        book.close()
    filled = [row for row in rows if any(not _is_empty(cell) for cell in row)]
    width = max((_width(row) for row in filled), default=0)
    return [(row + [None] * width)[:width] for row in filled]


def _is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _width(row: Sequence[Any]) -> int:
    return max(place for place, cell in enumerate(row, start=1) if not _is_empty(cell))


def write_sheet(path: Path, table: pd.DataFrame, shown: str) -> None:
    """One sheet with a line of names; text stays text, whatever sign it begins with."""
    write_sheets(path, {"partita": table}, shown)


def write_sheets(path: Path, tables: Mapping[str, pd.DataFrame], shown: str) -> None:
    """One sheet per table, by name."""
    openpyxl = require("openpyxl", extra="excel", purpose="writing Excel files")
    columns_of = {}
    for title, table in tables.items():
        _check_limits(table, shown)
        names: list[Any] = [str(name) for name in table.columns]
        columns_of[title] = [
            [name, *_plain(table.iloc[:, place])] for place, name in enumerate(names)
        ]  # each begins with its name
        for column in columns_of[title]:
            _check_text(column, shown)  # before the writer is open: it cannot be left half-way
    book = openpyxl.Workbook(write_only=True)
    for title, columns in columns_of.items():
        sheet = book.create_sheet(title)
        for row in zip(*columns, strict=True):
            sheet.append([_cell(sheet, value) for value in row])
    book.save(path)


def _check_limits(table: pd.DataFrame, shown: str) -> None:
    n_rows, n_columns = table.shape
    if n_rows >= _MOST_ROWS or n_columns > _MOST_COLUMNS:
        raise FileFormatError(
            f"{shown!r}: a sheet of Excel holds {_MOST_ROWS - 1} rows below the names and {_MOST_COLUMNS} columns, not "
            f"{n_rows} and {n_columns}; write a CSV or Parquet file."
        )


def _check_text(column: list[Any], shown: str) -> None:
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    for value in column:
        if isinstance(value, str) and (len(value) > _MOST_CHARACTERS or ILLEGAL_CHARACTERS_RE.search(value)):
            what = "control characters" if len(value) <= _MOST_CHARACTERS else f"{len(value)} characters"
            raise FileFormatError(
                f"{shown!r}: a text with {what} does not fit in a cell of Excel, which holds {_MOST_CHARACTERS} "
                "characters of text; write a CSV file."
            )


def _plain(column: "pd.Series[Any]") -> list[Any]:
    """Values that a sheet can hold, None where one is missing."""
    values = column.astype(object)
    return values.where(column.notna(), None).tolist()


def _cell(sheet: Any, value: Any) -> Any:
    """A value; text that openpyxl would take for a formula ("=...") or an error ("#N/A") is marked as text."""
    if not isinstance(value, str):
        return value
    from openpyxl.cell import WriteOnlyCell

    if value[:1] not in ("=", "#"):
        return value
    cell = WriteOnlyCell(sheet, value=value)
    cell.data_type = "s"
    return cell
