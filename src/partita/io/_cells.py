"""Cells of a table as they are meant: without blanks around them, and missing where a word says so."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._runs import warn
from partita._typing import Array
from partita.exceptions import FileContentWarning
from partita.io._formats import is_number
from partita.io._source import Source

# How software writes a missing value: these are read as missing without a word.
WRITTEN_BY_SOFTWARE = ("NA", "N/A", "n/a", "#N/A", "nan", "NaN", "null", "NULL", "None", "<NA>")
# How people write it: each of them could be a label, so it is told which were found.
_WRITTEN_BY_PEOPLE = (
    *("?", "??", "-", "--", "---", ".", "..", "na", "Na", "nA", "n.a.", "N.A.", "NAN", "Nan", "Null", "none", "NONE"),
    *("#NA", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!"),  # errors of a spreadsheet
)
_SHOWN = 5  # columns or values that a warning names


class MissingWords(NamedTuple):
    """What is written in place of a missing value, beside nothing at all."""

    silent: frozenset[str]
    told: frozenset[str]

    @property
    def numbers(self) -> list[float]:
        """Numbers among the words, such as 999, which are missing in a column of numbers too."""
        return [float(word) for word in self.silent if is_number(word) and np.isfinite(float(word))]


def words_for_missing(missing: Sequence[str], known: bool) -> MissingWords:
    """The words of the caller, and the usual ones if ``known``."""
    if isinstance(missing, str):
        missing = [missing]
    own = frozenset(str(word).strip() for word in missing)
    if not known:
        return MissingWords(own, frozenset())
    return MissingWords(own | frozenset(WRITTEN_BY_SOFTWARE), frozenset(_WRITTEN_BY_PEOPLE) - own)


class Cleaned(NamedTuple):
    """One column after cleaning, and what was done to it."""

    values: Any  # None where nothing had to be done
    n_blanks: int
    told: dict[str, int]  # how often each word was taken as missing


def clean(
    frame: pd.DataFrame, ids: "pd.Series[Any] | None", words: MissingWords, source: Source
) -> tuple[pd.DataFrame, "pd.Series[Any] | None"]:
    """Strip blanks, and put holes where a word for a missing value stands; tells, once, what was done.

    Ids are only stripped: every one of them has a meaning.
    """
    found: dict[int, Cleaned] = {}
    for place, dtype in enumerate(frame.dtypes):
        if not _are_numbers(dtype):
            found[place] = _clean_text(frame.iloc[:, place], words)
        elif words.numbers:
            found[place] = _clean_numbers(frame.iloc[:, place], words)
    names = [str(name) for name in frame.columns]
    blanks = {names[place]: cleaned.n_blanks for place, cleaned in found.items() if cleaned.n_blanks}
    if ids is not None:
        written, ids = ids, clean_ids(ids, source)
        n_blanks = int(((ids != written.astype(ids.dtype)) & ids.notna()).sum())
        blanks |= {str(ids.name or "object"): n_blanks} if n_blanks else {}
    _tell_blanks(blanks, source)
    _tell_words({names[place]: cleaned.told for place, cleaned in found.items() if cleaned.told}, source)
    changed = {place: cleaned.values for place, cleaned in found.items() if cleaned.values is not None}
    return _replaced(frame, changed), ids


def clean_ids(ids: "pd.Series[Any]", source: Source) -> "pd.Series[Any]":
    """Ids without blanks around them; it is told if one occurs twice."""
    if not _are_numbers(ids.dtype):
        ids = _strip(ids)
    if not ids.is_unique:
        again = ids[ids.duplicated()]
        rows = "1 row has" if len(again) == 1 else f"{len(again)} rows have"
        warn(
            f"{source.name!r}: {rows} an id that an earlier row has, such as {str(again.iloc[0])!r}; every row is "
            "taken as an object of its own.",
            FileContentWarning,
        )
    return ids


def _replaced(frame: pd.DataFrame, changed: dict[int, Any]) -> pd.DataFrame:
    """The frame with other values in some columns."""
    if not changed:
        return frame
    columns = [
        pd.Series(changed[place], index=frame.index) if place in changed else frame.iloc[:, place]
        for place in range(frame.shape[1])
    ]
    return pd.concat(columns, axis=1, keys=frame.columns)


def _strip(column: "pd.Series[Any]") -> "pd.Series[Any]":
    column = column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
    if isinstance(column.dtype, pd.StringDtype) or pd.api.types.infer_dtype(column, skipna=True) == "string":
        return column.str.strip()
    return column.map(lambda value: value.strip() if isinstance(value, str) else value)


def _are_numbers(dtype: Any) -> bool:
    """Whether a column of this type holds numbers or times, so no text to clean."""
    if isinstance(dtype, np.dtype):
        return dtype.kind in "biufcmM"
    return bool(pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_datetime64_any_dtype(dtype))


def _clean_numbers(column: "pd.Series[Any]", words: MissingWords) -> Cleaned:
    gone = column.isin(words.numbers) if words.numbers and column.dtype != bool else None
    if gone is None or not gone.any():
        return Cleaned(None, 0, {})
    return Cleaned(column.mask(gone).to_numpy(), 0, {})


def _clean_text(column: "pd.Series[Any]", words: MissingWords) -> Cleaned:
    """Work on the distinct values: a column of labels has few."""
    if not any(_changes(value, words) for value in column.unique()):
        return Cleaned(None, 0, {})
    codes, distinct = pd.factorize(column)  # code -1 where a cell is missing already
    meant = [value.strip() if isinstance(value, str) else value for value in distinct]
    gone = np.array([_is_missing(value, words) for value in meant], dtype=bool)
    blanks = np.array([one != other for one, other in zip(distinct, meant, strict=True)], dtype=bool)
    times = np.bincount(codes[codes >= 0], minlength=len(meant))
    told: dict[str, int] = {}
    for place in np.flatnonzero(gone):
        if meant[place] in words.told:
            told[meant[place]] = told.get(meant[place], 0) + int(times[place])
    values = _rebuild(meant, gone, codes)
    return Cleaned(values, int(times[blanks & ~gone].sum()) if values.dtype == object else 0, told)


def _changes(value: Any, words: MissingWords) -> bool:
    return (isinstance(value, str) and value != value.strip()) or _is_missing(value, words)


def _is_missing(value: Any, words: MissingWords) -> bool:
    if isinstance(value, str):
        return value == "" or value in words.silent or value in words.told
    return not isinstance(value, bool) and bool(words.numbers) and value in words.numbers


def _rebuild(meant: list[Any], gone: Array, codes: Array) -> Array:
    """All cells from the distinct ones: numbers if every one that is left is a number, as if read without the words."""
    left = [value for value, missing in zip(meant, gone, strict=True) if not missing]
    values = np.empty(len(meant) + 1, dtype=object)  # the last one is for cells that were missing before
    values[:-1] = meant
    values[np.append(gone, True)] = None
    if left and all(isinstance(value, str) and is_number(value) for value in left):
        return np.asarray(pd.to_numeric(pd.Series(values)).to_numpy()[codes])
    return np.asarray(values[codes])


# ------------------------------------------------------------------------------------------------- what is told of it
def _tell_words(told: dict[str, dict[str, int]], source: Source) -> None:
    if not told:
        return
    counts = [
        f"{name!r}: " + " and ".join(f"{number} of {word!r}" for word, number in words.items())
        for name, words in list(told.items())[:_SHOWN]
    ]
    more = f"; and {len(told) - _SHOWN} more columns" if len(told) > _SHOWN else ""
    warn(
        f"{source.name!r}: words are read as missing ({'; '.join(counts)}{more}). If they are values, pass "
        "missing_words=False.",
        FileContentWarning,
    )


def _tell_blanks(blanks: dict[str, int], source: Source) -> None:
    if not blanks:
        return
    n_cells, names = sum(blanks.values()), list(blanks)
    shown = ", ".join(map(repr, names[:_SHOWN])) + (" and others" if len(names) > _SHOWN else "")
    cells = "1 cell" if n_cells == 1 else f"{n_cells} cells"
    warn(f"{source.name!r}: blanks around the text of {cells} are removed (in {shown}).", FileContentWarning)
