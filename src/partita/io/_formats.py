"""File formats by suffix or content, and how a column of ids is recognised."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from partita.exceptions import FileFormatError
from partita.io._id_names import is_certain_id_name, is_id_name
from partita.io._source import Source

TEXT = (".csv", ".tsv", ".tab", ".txt")
PARQUET = (".parquet", ".pq")
NUMPY = (".npy", ".npz")
EXCEL = (".xlsx",)
ALLOWED = "CSV, TSV, TXT (also .gz), Parquet, Excel (.xlsx), NPY and NPZ"
GZIP = b"\x1f\x8b"  # first bytes of a gzip file
_ZIP = b"PK\x03\x04"  # of an archive, which NPZ and xlsx files are
_ENOUGH_NUMBERS = 10  # rows from which a first column of distinct numbers is ids: in fewer, labels can be all different
_ENOUGH_NAMES = 3  # the same for text, which is less often all different by accident


def format_of(path: Path) -> str:
    """Suffix that determines the format, without .gz."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compressed = bool(suffixes) and suffixes[-1] == ".gz"
    kind = (suffixes[-2] if len(suffixes) > 1 else "") if compressed else (suffixes[-1] if suffixes else "")
    if kind in TEXT or (kind in (*PARQUET, *NUMPY, *EXCEL) and not compressed):
        return kind
    raise FileFormatError(f"the format of {path.name!r} is not known from its name; use {ALLOWED}.")


def format_of_source(source: Source) -> str:
    """Format of an input: by the suffix of a file, by the first bytes of a pipe, whose name says nothing."""
    if source.piped is None:
        return format_of(source.path)
    for mark, kind in ((b"PAR1", ".parquet"), (b"\x93NUMPY", ".npy")):
        if source.piped.startswith(mark):
            return kind
    if source.piped.startswith(_ZIP):
        return ".xlsx" if b"[Content_Types].xml" in source.piped else ".npz"
    return ".csv"


def is_number(cell: Any) -> bool:
    """Whether a cell can be read as a number."""
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def find_ids(names: list[str], first: "pd.Series[Any]", id_column: str | bool | None, source: Source) -> int | None:
    """Position of the column of ids, or None; it is recognised by the ``first`` column, of which a sample is enough."""
    if isinstance(id_column, str):
        if id_column not in names:
            raise FileFormatError(f"{source.name!r} has no column {id_column!r}; it has {listing(names)}.")
        return names.index(id_column)
    if isinstance(id_column, bool):
        return 0 if id_column else None
    if len(names) < 2:
        return None
    n_rows, n_different = len(first), first.nunique()
    if is_id_name(names[0]):
        return 0 if is_certain_id_name(names[0]) or n_different > n_rows / 2 else None
    distinct = n_different == n_rows and not (first.isna() | (first.astype(str) == "")).any()
    numeric = all(is_number(cell) for cell in first)
    return 0 if distinct and n_rows >= (_ENOUGH_NUMBERS if numeric else _ENOUGH_NAMES) else None


def listing(names: Sequence[str]) -> str:
    """The first ten names, and how many more there are."""
    return ", ".join(map(repr, names[:10])) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
