"""Text files (CSV, TSV and the like): the separator, the header and a column of ids are recognised."""

import csv
import gzip
from pathlib import Path
from typing import Any

import pandas as pd

from partita.exceptions import FileFormatError
from partita.io._formats import find_ids, is_number, listing
from partita.io._label_table import LabelTable

_SEPARATORS = (",", "\t", ";", "|", " ")
SAMPLE = 1000  # rows by which header and ids are recognised: more are slower to inspect, fewer mistake labels for ids
_FOR_SEPARATOR = 50  # lines by which the separator is recognised; one line decides it for most files

# how a missing label is written in a text file; ids are never read as missing
_MISSING = ["", "NA", "N/A", "n/a", "#N/A", "nan", "NaN", "null", "NULL", "None", "<NA>"]


def read_text(source: Path, id_column: str | bool | None, header: bool | None) -> LabelTable:
    """Read a text file as a table of labels."""
    lines, n_blank = _first_lines(source)
    if not lines:
        raise FileFormatError(f"{source.name!r} is empty; a label file has one row per object.")
    separator = _find_separator(lines)
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
    _refuse_ragged(rows, source)
    sample = pd.DataFrame(rows, dtype=object)
    has_header = _looks_like_header(sample) if header is None else header
    names = [str(name) for name in sample.iloc[0]] if has_header else [f"c{j}" for j in range(sample.shape[1])]
    body = sample.iloc[1:] if has_header else sample
    id_place = find_ids(names, [body[j] for j in body.columns], id_column, source, n_rows=len(body))
    if id_place is not None and not has_header:
        names = ["object" if j == id_place else f"c{j - (j > id_place)}" for j in range(len(names))]
    refuse_repeated(names, source)
    frame = _parse(source, separator, n_blank + has_header, id_place, len(names))
    frame.columns = pd.Index(names)
    nameless = [
        name for name in names if name == "" and frame[name].isna().all()
    ]  # from a separator at the end of every line
    frame = frame.drop(columns=nameless).rename(columns={"": "unnamed"})
    ids = None if id_place is None else frame.pop(names[id_place] or "unnamed").rename(names[id_place])
    return LabelTable(frame, ids, has_header)


def _first_lines(source: Path) -> tuple[list[str], int]:
    """The first lines that are not blank, and the number of blank lines before them."""
    open_text = gzip.open if source.suffix.lower() == ".gz" else open
    lines: list[str] = []
    n_blank = 0
    try:
        with open_text(source, "rt", encoding="utf-8-sig") as file:
            for line in file:
                if line.strip():
                    lines.append(line.rstrip("\r\n"))
                elif not lines:
                    n_blank += 1
                if len(lines) > SAMPLE:
                    break
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
        raise FileFormatError(f"{source.name!r} is not a text file ({error}).") from None
    return lines, n_blank


def _find_separator(lines: list[str]) -> str:
    """The separator that splits all lines into the same, largest, number of fields; a comma for one column."""
    best, best_fields = ",", 1
    for separator in _SEPARATORS:
        fields = {len(row) for row in csv.reader(lines[:_FOR_SEPARATOR], delimiter=separator)}
        if len(fields) == 1 and max(fields) > best_fields:
            best, best_fields = separator, max(fields)
    if best_fields == 1:  # ragged, or one column: take the most frequent separator, and let the parser report errors
        best = max(_SEPARATORS[:4], key=lambda separator: sum(line.count(separator) for line in lines[:_FOR_SEPARATOR]))
    return best


def _looks_like_header(sample: pd.DataFrame) -> bool:
    """Whether the first line holds names, not the first object."""
    top, body = list(sample.iloc[0]), sample.iloc[1:]
    if len(body) == 0:
        return not all(is_number(cell) or cell == "" for cell in top)
    if top[0] == "" and len(top) > 1 and (body[0] != "").any():
        return True  # as pandas writes above an index
    if all(is_number(cell) or cell == "" for cell in top):
        return len(top) >= 3 and [str(cell) for cell in top] == [str(j) for j in range(len(top))]
    numbers_below = [_is_column_of_numbers(body[j]) for j in body.columns]
    if any(below and cell and not is_number(cell) for below, cell in zip(numbers_below, top, strict=True)):
        return True
    if "" in top[1:]:
        return False  # a name is not empty, but a label may be missing
    return not any(cell in set(body[j]) for j, cell in enumerate(top))  # labels of text recur below, names do not


def _is_column_of_numbers(column: "pd.Series[Any]") -> bool:
    filled = [cell for cell in column if cell != ""]
    return bool(filled) and all(is_number(cell) for cell in filled)


def _parse(source: Path, separator: str, n_skip: int, id_place: int | None, n_columns: int) -> pd.DataFrame:
    """The table below the names; ids stay text as written, and an empty line of a single column is a missing label."""
    missing: dict[Any, list[str]] = {j: _MISSING for j in range(n_columns) if j != id_place}
    try:
        frame = pd.read_csv(
            source,
            sep=separator,
            header=None,
            skiprows=n_skip,
            skip_blank_lines=n_columns > 1,
            skipinitialspace=True,
            dtype=None if id_place is None else {id_place: str},
            keep_default_na=False,
            na_values=missing,
            low_memory=False,
            encoding="utf-8-sig",
        )
    except pd.errors.EmptyDataError:
        raise FileFormatError(f"{source.name!r} has a line of names but no rows.") from None
    except (pd.errors.ParserError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split()).removeprefix("Error tokenizing data. C error: ")
        raise FileFormatError(f"{source.name!r} cannot be read as a table: {reason}.") from None
    if n_columns == 1 and frame[0].notna().any():
        frame = frame.loc[: frame[0].last_valid_index()]  # empty lines at the end are not objects
    return frame


def _refuse_ragged(rows: list[list[str]], source: Path) -> None:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise FileFormatError(
                f"{source.name!r} is not a table: row {number} has {len(row)} fields and the first row has "
                f"{len(rows[0])}; give every row the same number of fields."
            )


def refuse_repeated(names: list[str], source: Path) -> None:
    """Refuse two columns of the same name."""
    repeated = sorted({name for name in names if name and names.count(name) > 1})
    if repeated:
        raise FileFormatError(f"{source.name!r} has more than one column named {listing(repeated)}; rename them.")
