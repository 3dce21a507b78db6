"""Write results in the format that a file's name asks for."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from partita._optional import require
from partita._typing import Array
from partita.io._excel import write_sheet, write_sheets
from partita.io._formats import EXCEL, NUMPY, PARQUET, TEXT, format_of, is_number
from partita.io._replacing import is_special, replacing
from partita.io._source import STANDARD

_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that spreadsheets compute


def write_table(path: str | os.PathLike[str], table: pd.DataFrame, *, spreadsheet_safe: bool = False) -> None:
    """Write a table in the format of the file's suffix: CSV, TSV (also .gz), Parquet, Excel, NPY or NPZ.

    It is written to a new file beside the target and renamed, so that a failure leaves an old file as it was. NPY
    holds the column "label" only; NPZ holds one array per column. "-" is standard output, as CSV.

    Parameters
    ----------
    path : path
        File to write.
    table : pandas.DataFrame
        One row per object.
    spreadsheet_safe : bool, default False
        Begin text that a spreadsheet would compute (``=...``, ``+...``, ``-...``, ``@...``) with an apostrophe in text
        files. By default text is written as it is. Excel files hold it as text always.
    """
    target = check_output(path)
    kind = _format_of_output(target)
    if kind in TEXT and spreadsheet_safe:
        table = without_formulas(table)
    if os.fspath(path) == STANDARD:
        _print_bytes(table.to_csv(index=False, lineterminator="\n").encode("utf-8"))
        return
    with replacing(target) as beside:
        if kind in TEXT:
            separator = "," if kind in (".csv", ".txt") else "\t"
            compression: Any = "gzip" if target.suffix.lower() == ".gz" else None
            table.to_csv(beside, index=False, sep=separator, compression=compression, lineterminator="\n")
        elif kind in PARQUET:
            table.to_parquet(beside, index=False)
        elif kind in EXCEL:
            write_sheet(beside, table, str(path))
        elif kind == ".npy":
            with open(beside, "wb") as file:
                np.save(file, table["label"].to_numpy())
        else:
            arrays: dict[str, Any] = {str(name): _without_objects(table[name]) for name in table.columns}
            with open(beside, "wb") as file:
                np.savez_compressed(file, **arrays)


def write_book(path: str | os.PathLike[str], tables: Mapping[str, pd.DataFrame]) -> None:
    """Write an Excel workbook (.xlsx) with one sheet per table; a failure leaves an old file as it was.

    Parameters
    ----------
    path : path
        File to write, ending in .xlsx.
    tables : dict of DataFrame
        Tables by the name of their sheet.
    """
    target = check_output(path)
    if _format_of_output(target) not in EXCEL:
        raise ValueError(f"{os.fspath(path)!r} is no name of an Excel workbook; let it end in .xlsx.")
    with replacing(target) as beside:
        write_sheets(beside, tables, str(path))


def _format_of_output(target: Path) -> str:
    """Format of an output: by its suffix; CSV for standard output, pipes and devices."""
    return ".csv" if str(target) == STANDARD or is_special(target) else format_of(target)


def _print_bytes(content: bytes) -> None:
    """Write to standard output whatever its encoding is, so that ids keep their bytes."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:  # as in a notebook
        sys.stdout.write(content.decode("utf-8"))
        return
    binary.write(content)
    binary.flush()


def without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """The table with an apostrophe before text, also in names, that begins like a formula and is no number."""
    safe = table.copy()
    for place in range(table.shape[1]):
        column = table.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(column):
            safe.isetitem(place, column.map(_as_text).to_numpy())
    safe.columns = pd.Index([_as_text(str(name)) for name in table.columns])
    return safe


def _as_text(value: Any) -> Any:
    formula = isinstance(value, str) and value.startswith(_BEGIN_FORMULAS) and not is_number(value)
    return f"'{value}" if formula else value


def write_matrix(
    path: str | os.PathLike[str],
    matrix: pd.DataFrame,
    *,
    ids: "pd.Series[Any]",
    name: str = "labels",
    spreadsheet_safe: bool = False,
) -> None:
    """Write one row of numbers per object, with one column per clustering or cluster, after a column of ids.

    NPY holds the numbers only; NPZ holds them as an array ``name``, beside the arrays "columns" and "ids". Both have -1
    where a label is missing. ``read_labels`` reads all formats. ``spreadsheet_safe`` is that of ``write_table``.
    """
    target = check_output(path)
    kind = _format_of_output(target)
    if kind not in NUMPY:
        table = pd.concat([ids.reset_index(drop=True), matrix], axis=1)
        write_table(path, table, spreadsheet_safe=spreadsheet_safe)
        return
    whole = name == "labels"
    numbers = matrix.fillna(-1).to_numpy(dtype=np.int64) if whole else matrix.to_numpy(dtype=np.float64)
    with replacing(target) as beside, open(beside, "wb") as file:
        if kind == ".npy":
            np.save(file, numbers)
        else:
            columns = np.array([str(column) for column in matrix.columns])
            arrays: dict[str, Any] = {name: numbers, "columns": columns, "ids": _without_objects(ids)}
            np.savez_compressed(file, **arrays)


def check_output(path: str | os.PathLike[str]) -> Path:
    """Refuse, before any work, a path that cannot be written; "-" is standard output."""
    target, shown = Path(path), os.fspath(path)
    if shown == STANDARD:
        return target
    if target.is_dir():
        raise IsADirectoryError(f"{shown!r} is a folder; pass the name of a file to write.")
    kind = _format_of_output(target)
    if kind in PARQUET:
        require("pyarrow", extra="parquet", purpose="writing Parquet")
    if kind in EXCEL:
        require("openpyxl", extra="excel", purpose="writing Excel files")
    if not is_special(target):
        _check_place(target, shown)
    return target


def check_file(path: str | os.PathLike[str], suffixes: Sequence[str]) -> Path:
    """Refuse, before any work, a path that cannot be written or has another suffix; for files that are no tables."""
    target, shown = Path(path), os.fspath(path)
    if target.is_dir():
        raise IsADirectoryError(f"{shown!r} is a folder; pass the name of a file to write.")
    if target.suffix.lower() not in suffixes:
        allowed = " or ".join(", ".join(suffixes).rsplit(", ", 1))
        raise ValueError(f"{shown!r} has no suffix that can be written here; let its name end in {allowed}.")
    if not is_special(target):
        _check_place(target, shown)
    return target


def _check_place(target: Path, shown: str) -> None:
    """Refuse a folder or a file that may not be written; of a link, those that it leads to."""
    end = Path(os.path.realpath(target))
    if end.is_symlink():
        raise OSError(f"{shown!r} is a link that leads to itself; name a file.")
    folder = end.parent
    if not folder.is_dir():
        named = target.parent if not target.is_symlink() else folder
        raise FileNotFoundError(f"there is no folder {str(named)!r} to write {end.name!r} in; create it first.")
    if end.exists() and not (os.access(end, os.W_OK) and end.stat().st_mode & 0o222):  # root may write all, but asks
        raise PermissionError(f"{shown!r} is read-only; choose another name, or allow writing to it.")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"the folder {str(folder)!r} cannot be written to; choose another one.")


def _without_objects(column: "pd.Series[Any]") -> Array:
    """Values that NPZ can store without pickling: text as text of fixed width."""
    values = column.to_numpy()
    return values.astype(str) if values.dtype.kind not in "biuf" else values
