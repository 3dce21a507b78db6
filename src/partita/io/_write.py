"""Write results so that a failure leaves the old file as it was."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from partita._optional import require
from partita._typing import Array
from partita.io._formats import NUMPY, PARQUET, TEXT, format_of


def write_table(path: str | os.PathLike[str], table: pd.DataFrame) -> None:
    """Write a table in the format of the file's suffix: CSV, TSV (also .gz), Parquet, NPY or NPZ.

    It is written to a new file beside the target and renamed, so that a failure leaves an old file as it was. NPY
    holds the column "label" only; NPZ holds one array per column.
    """
    target = check_output(path)
    kind = format_of(target)
    with replacing(target) as beside:
        if kind in TEXT:
            separator = "," if kind in (".csv", ".txt") else "\t"
            table.to_csv(beside, index=False, sep=separator, compression="gzip" if target.suffix == ".gz" else None)
        elif kind in PARQUET:
            table.to_parquet(beside, index=False)
        elif kind == ".npy":
            with open(beside, "wb") as file:
                np.save(file, table["label"].to_numpy())
        else:
            arrays: dict[str, Any] = {str(name): _without_objects(table[name]) for name in table.columns}
            with open(beside, "wb") as file:
                np.savez_compressed(file, **arrays)


def write_matrix(
    path: str | os.PathLike[str], matrix: pd.DataFrame, *, ids: "pd.Series[Any]", name: str = "labels"
) -> None:
    """Write one row of numbers per object, with one column per clustering or cluster, after a column of ids.

    NPY holds the numbers only; NPZ holds them as an array ``name``, beside the arrays "columns" and "ids". Both have -1
    where a label is missing. ``read_labels`` reads all formats.
    """
    target = check_output(path)
    kind = format_of(target)
    if kind not in NUMPY:
        write_table(path, pd.concat([ids.reset_index(drop=True), matrix], axis=1))
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
    """Refuse, before any work, a path that cannot be written."""
    target = Path(path)
    kind = format_of(target)
    if kind in PARQUET:
        require("pyarrow", extra="parquet", purpose="writing Parquet")
    if target.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; pass the name of a file to write.")
    folder = target.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {str(folder)!r} to write {target.name!r} in; create it first.")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"the folder {str(folder)!r} cannot be written to; choose another one.")
    return target


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path beside ``path`` to write to; it replaces ``path`` only if no error occurs."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(_mode_of(target))
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def _mode_of(target: Path) -> int:
    """Permissions of the file that is replaced, or of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _without_objects(column: "pd.Series[Any]") -> Array:
    """Values that NPZ can store without pickling: text as text of fixed width."""
    values = column.to_numpy()
    return values.astype(str) if values.dtype.kind not in "biuf" else values
