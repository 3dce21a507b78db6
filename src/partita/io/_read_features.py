"""Read features: for the objects of a label table, or on their own."""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._runs import warn
from partita._typing import Array
from partita.exceptions import FileFormatError
from partita.io._feature_columns import FeatureColumn, describe_columns, to_numbers
from partita.io._formats import find_ids, is_number, listing
from partita.io._id_names import is_id_name
from partita.io._label_table import LabelTable
from partita.io._read_labels import select_columns
from partita.io._read_table import read_table
from partita.io._source import Source


def read_features(
    path: str | os.PathLike[str],
    table: LabelTable,
    *,
    drop: Sequence[str] = (),
    missing: Sequence[str] = (),
    missing_words: bool = True,
    encoding: str | None = None,
    separator: str | None = None,
) -> pd.DataFrame:
    """Read features of the objects of a label table: one row per object, one column per feature.

    If the file has the label table's column of ids, rows are matched by it; else they must be in the same order, and a
    column of other ids is left out.

    Parameters
    ----------
    path : path
        Any of the formats of ``read_labels``.
    table : LabelTable
        The labels of the same objects.
    drop : sequence of str, optional
        Columns to leave out, such as a known class.
    missing, missing_words, encoding, separator
        As in ``read_labels``.

    Returns
    -------
    pandas.DataFrame
        Features in the order of ``table``; columns that are not numbers are text.
    """
    how = {"missing": missing, "missing_words": missing_words, "encoding": encoding, "separator": separator}
    file = read_table(path, id_column=False, **how)  # type: ignore[arg-type]
    frame = _without(file.frame, drop, file.source)
    if table.ids is not None and table.id_name in frame.columns:
        frame = _match_ids(frame, file.as_written(table.id_name), table, str(path))
    elif (place := _find_feature_ids(frame, None, file.source)) is not None:
        name = str(frame.columns[place])
        warn(
            f"the column {name!r} of {str(path)!r} is taken for ids and left out; rows are in the order of the labels.",
            UserWarning,
        )
        frame = frame.drop(columns=name)
    if len(frame) != len(table.labels):
        raise FileFormatError(
            f"{str(path)!r} has {len(frame)} rows and the labels have {len(table.labels)}; pass one row per object, "
            "in the same order, or a column of ids with the same name as that of the labels."
        )
    if frame.shape[1] == 0:
        raise FileFormatError(f"{str(path)!r} has no column of features beside the ids; add one.")
    dates = [column.name for column in describe_columns(frame, list(frame.columns)) if column.kind == "date"]
    if dates:
        raise FileFormatError(
            f"{str(path)!r} has dates or times in {listing(dates)}; pass drop={dates!r} to leave columns out."
        )
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
    columns: list[FeatureColumn] = []  # what the columns of the file that were used are  # noqa: RUF012

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
    impute: str | None = None,
    encode: bool = False,
    missing: Sequence[str] = (),
    missing_words: bool = True,
    encoding: str | None = None,
    separator: str | None = None,
) -> FeatureTable:
    """Read features: one row per object, one column per feature.

    Parameters
    ----------
    path : path
        Any of the formats of ``read_labels``.
    id_column : str or bool, optional
        Column with the names of the objects. By default the first column, if it has a usual name ("id", "cell", ...),
        or holds text and no two of its entries are equal; else the first column with such a name, of whole numbers or
        text that are all different. False if there is none, True for the first column.
    columns : sequence of str, optional
        Features to use; by default all.
    drop : sequence of str, optional
        Columns to leave out, such as a known class.
    header : bool, optional
        Whether a text file begins with a line of names; by default it is recognised.
    impute : {"median", "mean"}, optional
        What missing numbers of a column are replaced with; missing text becomes the most frequent one. By default
        missing values are refused.
    encode : bool, default=False
        Turn each column of text into columns of 0 and 1, one per value. By default text is refused.
    missing, missing_words, encoding, separator
        As in ``read_labels``.

    Returns
    -------
    FeatureTable
        ``features`` (a DataFrame of floats), ``ids``, and ``columns``: what each column of the file is.
    """
    frame, ids, found = read_columns(
        path,
        id_column=id_column,
        columns=columns,
        drop=drop,
        header=header,
        missing=missing,
        missing_words=missing_words,
        encoding=encoding,
        separator=separator,
    )
    return FeatureTable(to_numbers(frame, found, str(path), impute=impute, encode=encode), ids, found)


def read_columns(
    path: str | os.PathLike[str],
    *,
    id_column: str | bool | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    header: bool | None = None,
    missing: Sequence[str] = (),
    missing_words: bool = True,
    encoding: str | None = None,
    separator: str | None = None,
) -> tuple[pd.DataFrame, "pd.Series[Any] | None", list[FeatureColumn]]:
    """The columns of a table of features as they are, the ids, and what each column is."""
    table = read_table(
        path,
        id_column=False,
        header=header,
        missing=missing,
        missing_words=missing_words,
        encoding=encoding,
        separator=separator,
    )
    place = _find_feature_ids(table.frame, id_column, table.source, other=(*drop, *(columns or ())))
    if place is not None:
        table = table.with_ids(str(table.frame.columns[place]))
    frame = _without(table.frame, drop, table.source)
    chosen = frame if columns is None else select_columns(frame, columns, table.source)
    wanted = list(chosen.columns) if id_column is False else columns or ()
    return chosen, table.ids, describe_columns(chosen, wanted)


def _without(frame: pd.DataFrame, drop: Sequence[str], source: Source) -> pd.DataFrame:
    if not drop:
        return frame
    select_columns(frame, drop, source)  # refuses unknown names
    return frame.drop(columns=list(drop))


def _find_feature_ids(
    frame: pd.DataFrame, id_column: str | bool | None, source: Source, other: Sequence[str] = ()
) -> int | None:
    """Position of the column of ids, or None; a column that the user names for something ``other`` is not taken."""
    names = [str(name) for name in frame.columns]
    if id_column is not None:
        return find_ids(names, frame.iloc[:, 0], id_column, source)
    if frame.shape[1] < 2:
        return None
    if names[0] not in other and _first_column_is_ids(names[0], frame.iloc[:, 0]):
        return 0
    for place, name in enumerate(names):
        if is_id_name(name) and name not in other and _has_whole_values(frame[name]) and frame[name].is_unique:
            return place
    return None


def _first_column_is_ids(name: str, first: "pd.Series[Any]") -> bool:
    if first.isna().any():
        return False
    n_different = first.nunique()
    if is_id_name(name):
        return n_different > len(first) / 2 and _has_whole_values(first)
    text = not pd.api.types.is_numeric_dtype(first) and first.dtype.kind not in "mM"
    return text and not all(map(is_number, first)) and n_different == len(first)


def _has_whole_values(column: "pd.Series[Any]") -> bool:
    """Whether a column holds text or whole numbers, none of them missing; fractions are measurements."""
    if column.isna().any() or column.dtype.kind in "mM":
        return False
    return column.dtype.kind != "f" or bool((column == np.floor(column)).all())
