"""Read a label matrix from a file of any format."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from partita._optional import require
from partita.exceptions import FileFormatError
from partita.io._formats import ALLOWED, PARQUET, TEXT, find_ids, format_of, listing
from partita.io._label_table import LabelTable
from partita.io._text import SAMPLE, read_text, refuse_repeated


def read_labels(
    path: str | os.PathLike[str],
    *,
    id_column: str | bool | None = None,
    columns: Sequence[str] | None = None,
    header: bool | None = None,
) -> LabelTable:
    """Read a label matrix: one row per object, one column per clustering.

    Parameters
    ----------
    path : path
        CSV, TSV or TXT (also .gz), Parquet, NPY or NPZ (its only 2-D array, or the one named "labels").
    id_column : str or bool, optional
        Column with the names of the objects. By default the first column, if it has a usual name ("id", "cell", ...)
        or no two of its entries are equal. False if there is none, True for the first column whatever it holds.
    columns : sequence of str, optional
        Clusterings to use; by default all.
    header : bool, optional
        Whether a text file begins with a line of names; by default it is recognised.

    Returns
    -------
    LabelTable
        ``labels`` (a DataFrame), ``ids``, ``has_header``.
    """
    source = Path(path)
    if not source.exists():
        raise FileNotFoundError(f"there is no file {str(path)!r}.")
    if source.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file ({ALLOWED}).")
    kind = format_of(source)
    if kind in TEXT:
        table = read_text(source, id_column, header)
    elif kind in PARQUET:
        table = _split_ids(_read_parquet(source), id_column, source)
    else:
        table = _split_ids(_read_numpy(source), id_column if isinstance(id_column, str) else False, source)
    if columns is not None:
        table = table._replace(labels=select_columns(table.labels, columns, source))
    if table.labels.shape[1] == 0:
        raise FileFormatError(
            f"{str(path)!r} has no column of labels beside the ids; pass id_column=False if it has no ids."
        )
    if len(table.labels) == 0:
        raise FileFormatError(f"{str(path)!r} has no rows; a label file has one row per object.")
    return table


def _read_parquet(source: Path) -> pd.DataFrame:
    require("pyarrow", extra="parquet", purpose="reading Parquet")
    try:
        frame = pd.read_parquet(source)
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{source.name!r} is not a Parquet file ({' '.join(str(error).split())}).") from None
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index(names=frame.index.name or "object")
    frame.columns = pd.Index([str(name) for name in frame.columns])
    refuse_repeated(list(frame.columns), source)
    return frame


def _read_numpy(source: Path) -> pd.DataFrame:
    try:
        loaded = np.load(source, allow_pickle=False)
        arrays = {"labels": loaded} if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except (OSError, ValueError, EOFError) as error:
        raise FileFormatError(
            f"{source.name!r} cannot be read ({' '.join(str(error).split())}); save plain number or string arrays."
        ) from None
    tables = {name: array for name, array in arrays.items() if array.ndim == 2}
    if "labels" in tables:
        array = tables["labels"]
    elif len(tables) == 1:
        array = next(iter(tables.values()))
    else:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise FileFormatError(f"{source.name!r} must hold one 2-D array, or one named 'labels'; it holds {shapes}.")
    return pd.DataFrame(array, columns=[f"c{j}" for j in range(array.shape[1])])


def _split_ids(frame: pd.DataFrame, id_column: str | bool | None, source: Path) -> LabelTable:
    names = list(frame.columns)
    sample = frame.iloc[:SAMPLE]
    place = find_ids(names, [sample[name] for name in names], id_column, source, n_rows=len(sample))
    if place is None:
        return LabelTable(frame, None, True)
    return LabelTable(frame.drop(columns=names[place]), frame[names[place]], True)


def select_columns(labels: pd.DataFrame, columns: Sequence[str], source: Path) -> pd.DataFrame:
    """The named columns; unknown names are refused."""
    unknown = [name for name in columns if name not in labels.columns]
    if unknown:
        raise FileFormatError(
            f"{source.name!r} has no column {listing(unknown)}; it has {listing(list(labels.columns))}."
        )
    return labels[list(columns)]
