"""Write a table or an array whose rows come in parts, so that it is never held as a whole.

As in ``write_table`` the rows go to a new file beside the target, which replaces an old one only if no error occurs.
"""

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from partita._typing import Array
from partita.exceptions import FileFormatError
from partita.io._formats import PARQUET, TEXT, format_of
from partita.io._replacing import replacing
from partita.io._write import check_output, without_formulas

_LEVEL = 6  # of gzip: ids and labels get hardly larger than at 9, in less than half of the time

AppendRows = Callable[[pd.DataFrame], None]


@contextmanager
def table_in_parts(path: str | os.PathLike[str], *, spreadsheet_safe: bool = False) -> Iterator[AppendRows]:
    """Give a function that appends rows to a table: CSV, TSV, TXT (also .gz) or Parquet.

    Parameters
    ----------
    path : path
        File to write.
    spreadsheet_safe : bool, default False
        As in ``write_table``.
    """
    target = check_output(path)
    kind = format_of(target)
    if kind not in (*TEXT, *PARQUET):
        raise FileFormatError(f"{target.name!r} cannot be written in parts; name a CSV or a Parquet file.")
    with replacing(target) as beside:
        if kind in PARQUET:
            with _parquet_rows(beside) as append:
                yield append
        else:
            separator = "," if kind in (".csv", ".txt") else "\t"
            with _text_rows(beside, separator, target.suffix.lower() == ".gz", spreadsheet_safe) as append:
                yield append


@contextmanager
def _text_rows(path: Path, separator: str, compressed: bool, spreadsheet_safe: bool) -> Iterator[AppendRows]:
    """Lines, the first of them with the names."""
    is_first = True
    with open(path, "wb") as raw, _bytes(raw, compressed) as binary, TextIOWrapper(binary, "utf-8", newline="") as file:

        def append(rows: pd.DataFrame) -> None:
            nonlocal is_first
            safe = without_formulas(rows) if spreadsheet_safe else rows
            safe.to_csv(file, index=False, sep=separator, header=is_first, lineterminator="\n")
            is_first = False

        yield append


def _bytes(raw: Any, compressed: bool) -> Any:
    """The file, or what compresses on the way to it; its own name, which is that of a part, is not kept."""
    return gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) if compressed else raw


@contextmanager
def _parquet_rows(path: Path) -> Iterator[AppendRows]:
    """Groups of rows, with the types of the first."""
    import pyarrow
    import pyarrow.parquet

    writer: Any = None

    def append(rows: pd.DataFrame) -> None:
        nonlocal writer
        schema = None if writer is None else writer.schema
        table = pyarrow.Table.from_pandas(rows, schema=schema, preserve_index=False)
        if writer is None:
            writer = pyarrow.parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)

    try:
        yield append
    finally:
        if writer is not None:
            writer.close()


@contextmanager
def array_in_parts(path: str | os.PathLike[str], n_rows: int) -> Iterator[Callable[[Array], None]]:
    """Give a function that appends rows to an array of ``n_rows`` rows in an NPY file."""
    n_written = 0
    with replacing(check_output(path)) as beside, open(beside, "wb") as file:

        def append(rows: Array) -> None:
            nonlocal n_written
            if n_written == 0:
                about = {"descr": rows.dtype.str, "fortran_order": False, "shape": (n_rows, *rows.shape[1:])}
                np.lib.format.write_array_header_1_0(file, about)
            n_written += len(rows)
            file.write(np.ascontiguousarray(rows).data)

        yield append
        if n_written != n_rows:
            raise ValueError(f"{os.fspath(path)!r} was to have {n_rows} rows, and {n_written} came.")
