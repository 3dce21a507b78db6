"""What each column of a table is, as a feature: numbers, text, dates, ids; and how columns become numbers."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

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
    filled = column.dropna()
    n_infinite = 0
    shown = filled
    if _is_date(filled) and not (wanted and pd.api.types.is_numeric_dtype(column)):
        kind = "date"
    elif pd.api.types.is_numeric_dtype(column):
        kind = "id" if ends_in_id(name) and not wanted and not _has_fractions(filled) else "number"
        n_infinite = int(np.isinf(filled.to_numpy(np.float64)).sum())
    else:
        numbers = pd.to_numeric(filled.astype(object), errors="coerce")
        kind = "number" if len(filled) == 0 or numbers.notna().all() else "text"
        shown = filled[numbers.isna().to_numpy()] if kind == "text" else filled
    examples = [str(value) for value in shown.drop_duplicates().iloc[:3]]
    return FeatureColumn(name, kind, int(filled.nunique()), int(column.isna().sum()), n_infinite, examples)


def _has_fractions(filled: "pd.Series[Any]") -> bool:
    values = filled.to_numpy(np.float64)
    return bool((np.isfinite(values) & (values != np.floor(values))).any())


def _is_date(filled: "pd.Series[Any]") -> bool:
    """Whether a column holds dates or times: by its type, as text, or as whole numbers such as 20240131."""
    if filled.dtype.kind in "mM" or isinstance(filled.dtype, pd.DatetimeTZDtype | pd.PeriodDtype):
        return True
    if len(filled) == 0 or pd.api.types.is_bool_dtype(filled):
        return False
    first = filled.iloc[:_FOR_DATES]
    if pd.api.types.is_numeric_dtype(filled):
        values = first.to_numpy(np.float64)
        if (
            len(values) < _ENOUGH_DATES
            or not ((values > 1.8e7) & (values < 2.2e7) & (values == np.floor(values))).all()
        ):
            return False
        return bool(pd.to_datetime(first.astype("int64").astype(str), format="%Y%m%d", errors="coerce").notna().all())
    if any(hasattr(value, "isoformat") for value in first.iloc[:1]):  # dates as objects, from Parquet or Excel
        return True
    return bool(first.astype(str).str.lower().str.fullmatch(_DATE_OR_TIME).all())


# ----------------------------------------------------------------------------------------------------- to numbers
def to_numbers(
    frame: pd.DataFrame, found: list[FeatureColumn], name: str, *, impute: str | None, encode: bool
) -> pd.DataFrame:
    """All columns as finite floats; what cannot be used as it is is refused, all at once."""
    if impute is not None:
        from partita._parameters import check_choice  # loads scikit-learn, which reading does not need

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
