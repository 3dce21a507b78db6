"""Whether a table that was read as labels holds features."""

from typing import Any

import numpy as np
import pandas as pd

from partita.io._feature_columns import are_dates
from partita.io._label_table import LabelTable

_SAMPLE = 2000  # rows by which fractions are looked for and counted: enough to count to _MANY
_FEW, _MANY = 10, 50  # fractional labels such as 1.1, 1.2, 2.1 are few; measurements are many, or as many as the rows
_ENOUGH_ROWS = 20  # in fewer rows labels can be all different by accident
_COUNTED, _SPREAD = 1 / 3, 5  # share of different values, and range relative to their number: codes have no such gaps
_NEARLY_ALL = 0.9  # of the rows have a text of their own: names or notes, no clustering worth the name


def feature_like_columns(table: LabelTable) -> list[str]:
    """Columns that look like features; empty if the table holds labels.

    A column of fractional numbers with many values is a measurement, wherever it stands; so are dates, and whole
    numbers that are many and spread out far beyond codes, such as incomes. Text that is nearly all different could be
    labels of very many clusters, so it counts only if half of the columns are such.
    """
    frame = table.labels
    fractional = [name for name, dtype in frame.dtypes.items() if dtype.kind == "f"]
    measured = [str(name) for name in fractional if _is_measured(frame[name])]
    if table.ids is not None and table.has_header and _is_measured(_as_numbers(table.ids)):
        measured.insert(0, str(table.ids.name))
    rest = [name for name in _spread_out(frame) if str(name) not in measured]
    measured += [str(name) for name in rest if _is_counted(frame[name]) or _holds_dates(frame[name])]
    others = [str(name) for name in rest if str(name) not in measured and _nearly_all_different(frame[name])]
    return measured + others if measured or 2 * len(others) >= frame.shape[1] else []


def _as_numbers(ids: "pd.Series[Any]") -> "pd.Series[Any]":
    """Ids, which are kept as text, as the numbers that they may be."""
    numbers = pd.to_numeric(ids.iloc[: _SAMPLE * 2], errors="coerce")
    return numbers if numbers.notna().all() else ids


def _is_measured(column: "pd.Series[Any]") -> bool:
    """Whether a column holds fractional numbers, and more of them than labels would be."""
    if column.dtype.kind != "f":
        return False
    step = max(1, len(column) // _SAMPLE)
    values = column.iloc[::step].to_numpy(dtype=np.float64, na_value=np.nan)
    values = values[np.isfinite(values)]
    if (values == np.floor(values)).all():
        return False
    n_different = len(np.unique(values))
    return bool(n_different > len(values) / 2 or n_different > np.clip(np.sqrt(len(values)), _FEW, _MANY))


def _spread_out(frame: pd.DataFrame) -> list[Any]:
    """Columns of text, and those of numbers that are spread out further than the rows: others hold codes.

    It looks at all columns at once, since there may be thousands.
    """
    numbers = frame.select_dtypes("number")
    values = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    with np.errstate(invalid="ignore"):  # infinity less infinity
        spread = np.fmax.reduce(values, axis=0) - np.fmin.reduce(values, axis=0)
    codes = set(numbers.columns[spread <= len(frame)])
    return [name for name in frame.columns if name not in codes]


def _is_counted(column: "pd.Series[Any]") -> bool:
    """Whether whole numbers are too many for labels, and spread out far beyond their number."""
    if len(column) < _ENOUGH_ROWS or not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return False
    n_different = column.nunique()
    return bool(n_different > _COUNTED * len(column) and column.max() - column.min() > _SPREAD * n_different)


def _holds_dates(column: "pd.Series[Any]") -> bool:
    """Whether the first entries are dates or times."""
    known = column.iloc[:_SAMPLE].dropna()
    return len(known) > 0 and not pd.api.types.is_numeric_dtype(column) and are_dates(known)


def _nearly_all_different(column: "pd.Series[Any]") -> bool:
    """Whether whole numbers are spread out far beyond codes, or text has a value of its own in nearly every row."""
    if len(column) < _ENOUGH_ROWS or pd.api.types.is_bool_dtype(column):
        return False
    numeric = pd.api.types.is_numeric_dtype(column)
    share = 0.5 if numeric else _NEARLY_ALL
    if column.iloc[:_SAMPLE].nunique() <= share * min(len(column), _SAMPLE):
        return False
    n_different = column.nunique()
    if n_different <= share * len(column):
        return False
    return not numeric or float(column.max()) - float(column.min()) > 2 * n_different
