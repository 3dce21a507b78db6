"""What each column of a table is, as a feature: numbers, text, dates, ids; and how columns become numbers."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._checks import check_choice
from partita._typing import FloatArray
from partita.exceptions import FileFormatError
from partita.io._id_names import ends_in_id

IMPUTATIONS = ("median", "mean")
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_TIME = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[ap]m)?"
_DATE = (
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})"
    rf"|\d{{1,2}}[ -]?({_MONTHS})[a-z]*[ ,.-]*\d{{2,4}}|({_MONTHS})[a-z]*\.? \d{{1,2}},? \d{{4}}"
)
_DATE_OR_TIME = rf"\s*(?:(?:{_DATE})(?:[t ]\s*{_TIME}(?:z|[+-]\d{{2}}:?\d{{2}})?)?|{_TIME})\s*"
_ENOUGH_DATES = 3  # whole numbers such as 20240131 that are dates by accident: 1 in 27 each, 1 in 20,000 all three
_EXAMPLES = 3
_FOR_DATES = 1000  # cells by which dates are recognised; one that is none decides it for most columns
_MOST_VALUES = 20  # of a text column that is encoded, if they are more than half of the rows: it would be ids, or notes


class FeatureColumn(NamedTuple):
    """What a column of a table is, as a feature."""

    name: str
    kind: str  # "number", "text", "date" or "id"
    n_different: int
    n_missing: int
    n_infinite: int  # of a column of numbers
    examples: list[str]  # the first values; of text with numbers among it, those that are none

    @property
    def is_constant(self) -> bool:
        """Whether all values are equal, so that the column tells no objects apart."""
        return self.n_different <= 1 and self.n_missing == 0

    @property
    def first_values(self) -> str:
        """The examples, and dots if there are more values."""
        return ", ".join(self.examples) + (", ..." if self.n_different > len(self.examples) else "")

    def is_like_ids(self, n_rows: int) -> bool:
        """Whether text has so many values that it names the objects, or describes them one by one."""
        return self.n_different > max(_MOST_VALUES, n_rows / 2)


def describe_columns(frame: pd.DataFrame, wanted: Sequence[str] = ()) -> list[FeatureColumn]:
    """What each column is. Numbers that are ids or dates by name or form are numbers if the user ``wanted`` them."""
    return [_describe(str(name), frame[name], str(name) in wanted) for name in frame.columns]


def _describe(name: str, column: "pd.Series[Any]", wanted: bool) -> FeatureColumn:
    if pd.api.types.is_numeric_dtype(column):
        return _describe_numbers(name, column.to_numpy(dtype=np.float64, na_value=np.nan), wanted)
    filled = column.dropna()
    numbers = pd.to_numeric(filled.astype(object), errors="coerce") if filled.dtype.kind not in "mM" else filled
    if are_dates(filled):
        kind, shown = "date", filled
    elif numbers.notna().all():
        kind, shown = "number", filled
    else:
        kind, shown = "text", filled[numbers.isna().to_numpy()]
    examples = [str(value) for value in shown.drop_duplicates().iloc[:_EXAMPLES]]
    return FeatureColumn(name, kind, int(filled.nunique()), len(column) - len(filled), 0, examples)


def _describe_numbers(name: str, values: FloatArray, wanted: bool) -> FeatureColumn:
    filled = values[~np.isnan(values)]
    whole = bool((filled == np.floor(filled)).all())
    kind = "number"
    if not wanted and whole and ends_in_id(name):
        kind = "id"
    elif not wanted and whole and _are_day_numbers(filled):
        kind = "date"
    different, first = np.unique(filled, return_index=True)
    examples = [f"{value:.15g}" for value in filled[np.sort(first)[:_EXAMPLES]]]
    n_infinite = int(np.isinf(filled).sum())
    return FeatureColumn(name, kind, len(different), len(values) - len(filled), n_infinite, examples)


def _are_day_numbers(whole: FloatArray) -> bool:
    """Whether whole numbers are dates such as 20240131."""
    first = whole[:_FOR_DATES]
    if len(first) < _ENOUGH_DATES or not ((first > 1.8e7) & (first < 2.2e7)).all():
        return False
    days = pd.Series(first.astype(np.int64)).astype(str)
    return bool(pd.to_datetime(days, format="%Y%m%d", errors="coerce").notna().all())


def are_dates(filled: "pd.Series[Any]") -> bool:
    """Whether a column that is not of numbers holds dates or times: by its type, or as text."""
    if filled.dtype.kind in "mM" or isinstance(filled.dtype, pd.DatetimeTZDtype | pd.PeriodDtype):
        return True
    if len(filled) == 0:
        return False
    if hasattr(filled.iloc[0], "isoformat"):  # dates as objects, from Parquet or Excel
        return True
    return bool(filled.iloc[:_FOR_DATES].astype(str).str.lower().str.fullmatch(_DATE_OR_TIME).all())


# ----------------------------------------------------------------------------------------------------- to numbers
def to_numbers(
    frame: pd.DataFrame, found: list[FeatureColumn], name: str, *, impute: str | None, encode: bool
) -> pd.DataFrame:
    """All columns as finite floats; what cannot be used as it is is refused, all at once."""
    if impute is not None:
        check_choice("impute", impute, IMPUTATIONS)
    if frame.shape[1] == 0:
        raise FileFormatError(f"{name!r} has no column of features; leave out fewer columns.")
    _refuse_all_at_once(found, len(frame), name, impute, encode)
    parts = [_column_as_numbers(frame[column.name], column, impute) for column in found]
    return pd.concat(parts, axis=1)


def _column_as_numbers(column: "pd.Series[Any]", found: FeatureColumn, impute: str | None) -> pd.DataFrame:
    if found.kind == "text":
        text = column.astype(object)
        filled = text.fillna(text.mode().iloc[0]) if found.n_missing else text
        return pd.get_dummies(filled.astype(str), prefix=found.name, prefix_sep="=", dtype=np.float64)
    numbers = pd.to_numeric(column, errors="coerce").astype(np.float64)
    if found.n_missing:
        numbers = numbers.fillna(numbers.median() if impute == "median" else numbers.mean())
    return numbers.to_frame(found.name)


class Needs(NamedTuple):
    """What must be done with columns before they can be used as features."""

    drop: list[str]  # dates, ids, text that is nearly all different, columns without values or with infinite ones
    encode: list[str]  # text
    impute: list[str]  # columns with some values missing


def needs(found: list[FeatureColumn], n_rows: int) -> Needs:
    """What must be done with the columns of a table of ``n_rows`` objects."""
    drop = [column for column in found if _is_useless(column, n_rows)]
    rest = [column for column in found if column not in drop]
    return Needs(
        [column.name for column in drop],
        [column.name for column in rest if column.kind == "text"],
        [column.name for column in rest if column.n_missing],
    )


def _is_useless(column: FeatureColumn, n_rows: int) -> bool:
    bad_text = column.kind == "text" and column.is_like_ids(n_rows)
    return column.kind in ("date", "id") or bad_text or column.n_infinite > 0 or column.n_missing == n_rows


def _refuse_all_at_once(found: list[FeatureColumn], n_rows: int, name: str, impute: str | None, encode: bool) -> None:
    """Say what is text, a date, an id, missing or infinite in one message, and what to do."""
    needed = needs(found, n_rows)
    text = [] if encode else needed.encode
    holes = [] if impute is not None else needed.impute
    if not (needed.drop or text or holes):
        return
    raise FileFormatError(
        f"{name!r} has columns that cannot be used as features as they are. {_facts(found, n_rows, text, holes)} "
        f"{_what_to_do(found, needed.drop, text, holes)}"
    )


def _facts(found: list[FeatureColumn], n_rows: int, text: list[str], holes: list[str]) -> str:
    """What the columns are, kind by kind."""
    ids = [column for column in found if column.kind == "id" or (column.kind == "text" and column.is_like_ids(n_rows))]
    groups: list[tuple[str, list[str]]] = [
        ("Text", [f"{c.name!r} ({c.first_values})" for c in found if c.name in text]),
        ("Dates or times", [f"{c.name!r} ({c.first_values})" for c in found if c.kind == "date"]),
        ("Ids or other text that is nearly all different", [f"{c.name!r} ({c.first_values})" for c in ids]),
        ("Missing values", [f"{c.name!r} ({c.n_missing} of {n_rows})" for c in found if c.name in holes]),
        ("No values", [repr(c.name) for c in found if c.n_missing == n_rows]),
        ("Infinite values", [f"{c.name!r} ({c.n_infinite} of {n_rows})" for c in found if c.n_infinite]),
        ("Constant, without effect", [repr(c.name) for c in found if c.is_constant and c.name not in text]),
    ]
    return " ".join(f"{what}: {_some(columns)}." for what, columns in groups if columns)


def _some(columns: list[str]) -> str:
    return ", ".join(columns[:10]) + (f" and {len(columns) - 10} more" if len(columns) > 10 else "")


def _what_to_do(found: list[FeatureColumn], drop: list[str], text: list[str], holes: list[str]) -> str:
    advice = []
    if drop or text:
        names = [column.name for column in found if column.name in (*drop, *text)]
        advice.append(f"leave columns out by drop={names!r}")
    if any(column.name in drop and column.kind in ("text", "id") for column in found):
        advice.append("say which column names the objects by id_column=...")
    if text:
        advice.append("turn text into columns of 0 and 1, one per value, by encode=True")
    if holes:
        advice.append("fill missing values by impute='median'")
    return f"What to do: {'; '.join(advice)}."
