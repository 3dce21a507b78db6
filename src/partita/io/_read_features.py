"""Read features: for the objects of a label table, or on their own."""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._typing import Array
from partita.exceptions import FileFormatError
from partita.io._formats import ID_NAMES, PARQUET, find_ids, is_number
from partita.io._label_table import LabelTable
from partita.io._read_labels import select_columns
from partita.io._read_table import read_table
from partita.io._source import Source


def read_features(
    path: str | os.PathLike[str],
    table: LabelTable,
    *,
    missing: Sequence[str] = (),
    missing_words: bool = True,
    encoding: str | None = None,
) -> pd.DataFrame:
    """Read features of the objects of a label table: one row per object, one column per feature.

    If the file has the label table's column of ids, rows are matched by it; else they must be in the same order.

    Parameters
    ----------
    path : path
        Any of the formats of ``read_labels``.
    table : LabelTable
        The labels of the same objects.
    missing, missing_words, encoding
        As in ``read_labels``.

    Returns
    -------
    pandas.DataFrame
        Features in the order of ``table``; columns that are not numbers are text.
    """
    file = read_table(path, id_column=False, missing=missing, missing_words=missing_words, encoding=encoding)
    frame = file.frame
    if table.ids is not None and table.id_name in frame.columns:
        frame = _match_ids(frame, file.as_written(table.id_name), table, str(path))
    if len(frame) != len(table.labels):
        raise FileFormatError(
            f"{str(path)!r} has {len(frame)} rows and the labels have {len(table.labels)}; pass one row per object, "
            "in the same order, or a column of ids with the same name as that of the labels."
        )
    if frame.shape[1] == 0:
        raise FileFormatError(f"{str(path)!r} has no column of features beside the ids; add one.")
    return frame.reset_index(drop=True)


def _match_ids(frame: pd.DataFrame, ids: "pd.Series[Any]", table: LabelTable, name: str) -> pd.DataFrame:
    """Rows of the frame in the order of the label table's ids."""
    ids = ids.astype(str).str.strip()
    labelled = [str(value) for value in table.object_ids()]
    if ids.duplicated().any():
        raise FileFormatError(f"{name!r} has the id {ids[ids.duplicated()].iloc[0]!r} twice; ids must be different.")
    place = {value: row for row, value in enumerate(ids)}
    missing = [value for value in labelled if value not in place]
    if missing:
        raise FileFormatError(
            f"{name!r} has no row for the object {missing[0]!r}; rows of {len(missing)} of {len(labelled)} objects are "
            "missing."
        )
    return frame.drop(columns=[table.id_name]).iloc[[place[value] for value in labelled]]


class FeatureTable(NamedTuple):
    """Features read from a file."""

    features: pd.DataFrame  # one row per object, one column per feature, all numbers
    ids: "pd.Series[Any] | None"  # name of each object, if the file has names

    @property
    def id_name(self) -> str:
        """Name of the column of ids; "object" if the file has none."""
        return "object" if self.ids is None else str(self.ids.name or "object")

    def object_ids(self) -> Array:
        """Ids of the objects; their numbers from 0 if the file has none."""
        return np.arange(len(self.features)) if self.ids is None else np.asarray(self.ids, dtype=object)


def read_feature_table(
    path: str | os.PathLike[str],
    *,
    id_column: str | bool | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    header: bool | None = None,
    missing: Sequence[str] = (),
    missing_words: bool = True,
    encoding: str | None = None,
) -> FeatureTable:
    """Read features: one row per object, one column per feature.

    Parameters
    ----------
    path : path
        Any of the formats of ``read_labels``.
    id_column : str or bool, optional
        Column with the names of the objects. By default the first column, if it has a usual name ("id", "cell", ...),
        or holds text and no two of its entries are equal. False if there is none, True for the first column.
    columns : sequence of str, optional
        Features to use; by default all.
    drop : sequence of str, optional
        Columns to leave out, such as a known class.
    header : bool, optional
        Whether a text file begins with a line of names; by default it is recognised.
    missing, missing_words, encoding
        As in ``read_labels``.

    Returns
    -------
    FeatureTable
        ``features`` (a DataFrame of floats) and ``ids``.
    """
    table = read_table(
        path, id_column=False, header=header, missing=missing, missing_words=missing_words, encoding=encoding
    )
    place = _find_feature_ids(table.frame, id_column, table.source)
    if id_column is None and place is not None and str(table.frame.columns[place]) in (*drop, *(columns or ())):
        place = None  # named in drop or columns, so a column like others
    if place is not None:
        table = table.with_ids(str(table.frame.columns[place]))
    frame = table.frame
    if drop:
        select_columns(frame, drop, table.source)  # refuses unknown names
        frame = frame.drop(columns=list(drop))
    if columns is not None:
        frame = select_columns(frame, columns, table.source)
    return FeatureTable(_only_numbers(frame, str(path)), table.ids)


def _find_feature_ids(frame: pd.DataFrame, id_column: str | bool | None, source: Source) -> int | None:
    names = [str(name) for name in frame.columns]
    if id_column is not None:
        return find_ids(names, frame.iloc[:, 0], id_column, source)
    first = frame.iloc[:, 0]
    if frame.shape[1] < 2 or first.isna().any():
        return None
    n_different = first.nunique()
    if names[0].strip().lower() in ID_NAMES or names[0] == "unnamed":
        return 0 if n_different > len(first) / 2 else None
    text = not pd.api.types.is_numeric_dtype(first)
    whole = source.path.suffix in PARQUET or not all(map(is_number, first))
    return 0 if text and whole and n_different == len(first) else None


def _only_numbers(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """All cells as floats; the first one that is not a finite number is refused, with its position."""
    if frame.shape[1] == 0:
        raise FileFormatError(f"{name!r} has no column of features; leave out fewer columns.")
    numbers = pd.DataFrame(frame.apply(pd.to_numeric, errors="coerce").astype(np.float64))
    bad = ~np.isfinite(numbers.to_numpy())
    if bad.any():
        row, column = (int(place[0]) for place in np.nonzero(bad))
        value: Any = frame.iloc[row, column]
        shown = repr(value) if isinstance(value, str) else value
        what = "is missing" if pd.isna(value) else f"is {shown}, not a number"
        raise FileFormatError(
            f"{name!r}: row {row}, column {str(frame.columns[column])!r} {what}; features are numbers without holes. "
            "Leave the column out, or fill the holes first."
        )
    return numbers
