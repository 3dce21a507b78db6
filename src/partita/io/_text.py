"""Text files (CSV, TSV and the like): the separator, the header and a column of ids are recognised."""

from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from itertools import chain, count
from typing import Any, NamedTuple

import pandas as pd

from partita.exceptions import FileFormatError
from partita.io._cells import MissingWords
from partita.io._formats import find_ids, is_number, listing
from partita.io._lines import (
    Text,
    check_separator,
    find_separator,
    is_comment,
    read_lines,
    refuse_ragged,
    split_rows,
    without_comments,
)
from partita.io._source import Source, reason_of


class Layout(NamedTuple):
    """How a table is written."""

    names: list[str]  # of all columns, all different
    has_header: bool
    id_place: int | None
    nameless: frozenset[str]  # those of the names that the file does not give

    @property
    def id_name(self) -> str | None:
        """Name of the column of ids, if there is one."""
        return None if self.id_place is None else self.names[self.id_place]


class TextTable(NamedTuple):
    """A text file whose layout is known, ready to be parsed."""

    text: Text
    separator: str
    layout: Layout
    n_header: int  # rows of names at the beginning of the text: 0 or 1
    short_header: bool  # one name less than columns, as R writes
    source: Source

    def parse(self, words: MissingWords) -> pd.DataFrame:
        """The columns under their names, without those that have neither name nor value; ids stay text as written."""
        n_fields, id_place = len(self.layout.names), self.layout.id_place
        silent = ["", *sorted(words.silent)]
        by_place: dict[Any, list[str]] = {place: silent for place in range(n_fields) if place != id_place}
        frame = self._read(
            dtype=None if id_place is None else {id_place: str}, na_values=silent if id_place is None else by_place
        )
        if frame.shape[1] != n_fields:  # blanks alone, which are a separator in one line and nothing in another
            self._refuse_ragged()
            raise FileFormatError(f"{self.source.name!r}: its lines do not have as many fields as it has names.")
        self._refuse_short_rows(frame)
        if n_fields == 1 and frame[0].notna().any():
            frame = frame.loc[: frame[0].last_valid_index()]  # empty lines at the end are not objects
        frame.columns = pd.Index(self.layout.names)
        # a separator at the end of every line makes a column of nothing
        nothing = [name for name in self.layout.nameless if frame[name].isna().all()]
        return frame.drop(columns=nothing) if nothing else frame

    def as_written(self, name: str) -> "pd.Series[Any]":
        """One column as text, as it is written."""
        place = self.layout.names.index(name)
        column = self._read(dtype=str, usecols=[place], na_values=[]).iloc[:, 0]
        return column.rename("" if name in self.layout.nameless else name)

    def _read(self, **how: Any) -> pd.DataFrame:
        try:
            frame: pd.DataFrame = pd.read_csv(
                BytesIO(self.text.content),
                sep=self.separator,
                header=None,
                skiprows=self.n_header,
                skip_blank_lines=len(self.layout.names) > 1,
                # blanks are stripped from cells later, and counted; before a quote they must go here
                skipinitialspace=self.separator == " " or b'"' in self.text.content,
                keep_default_na=False,
                low_memory=False,
                encoding="utf-8",
                **how,
            )
        except pd.errors.EmptyDataError:
            raise FileFormatError(f"{self.source.name!r} has a line of names but no rows.") from None
        except (pd.errors.ParserError, ValueError, OverflowError) as error:
            self._refuse_ragged()
            reason = reason_of(error).removeprefix("Error tokenizing data. C error: ")
            raise FileFormatError(f"{self.source.name!r} cannot be read as a table: {reason}.") from None
        return frame

    def _refuse_short_rows(self, frame: pd.DataFrame) -> None:
        """Look for rows that end early, which pandas fills with holes; it refuses longer ones.

        Such a row has a hole in its last column. If there are holes, the number of separators tells whether rows end
        early, as long as no quotes hide separators.
        """
        n_rows, n_fields, last = len(frame) + self.n_header, len(self.layout.names), frame.iloc[:, -1]
        if n_fields == 1 or not (last.isna() | (last == "")).any():
            return
        n_separators = n_rows * (n_fields - 1) - self.short_header
        content = self.text.content
        if b'"' in content or content.count(self.separator.encode()) != n_separators:
            self._refuse_ragged()

    def _refuse_ragged(self) -> None:
        refuse_ragged(self.text, self.separator, len(self.layout.names), self.short_header, self.source)


def open_text(
    source: Source,
    id_column: str | bool | None,
    header: bool | None,
    words: MissingWords,
    encoding: str | None,
    separator: str | None = None,
) -> TextTable:
    """Recognise how a text file is written; what is given is not looked for."""
    given = None if separator is None else check_separator(separator)
    text = read_lines(source, encoding)
    if not text.first_lines:
        raise FileFormatError(f"{source.name!r} is empty; a table has one row per object.")
    separator = given or find_separator(text.first_lines, source)
    rows = split_rows(text.first_lines, separator, source)
    short_header = header is not False and _is_header_of_r(rows, given=header is True)
    if short_header:
        rows[0] = ["", *rows[0]]
    n_fields = len(rows[0])
    text = text._replace(content=without_comments(text.content, separator, n_fields))
    if any(len(row) != n_fields for row in rows):
        refuse_ragged(text, separator, n_fields, short_header, source)
        rows = [row for row in rows if len(row) == n_fields]
    names_in_comment = [] if header is False else _names_in_comment(text.last_comment, separator, n_fields, source)
    layout = find_layout(rows, id_column, True if short_header else header, words, source, names_in_comment)
    n_header = int(layout.has_header and not (names_in_comment and layout.names == names_in_comment))
    return TextTable(text, separator, layout, n_header, short_header, source)


def find_layout(
    rows: list[list[str]],
    id_column: str | bool | None,
    header: bool | None,
    words: MissingWords,
    source: Source,
    names_in_comment: list[str] | None = None,
) -> Layout:
    """Names of the columns and the place of the ids, from the first rows as text."""
    words_for_nothing = words.silent | words.told
    known = [["" if cell in words_for_nothing else cell for cell in row] for row in rows]
    has_header = _looks_like_header(known) if header is None else header
    body = rows[1:] if has_header else rows
    names = rows[0] if has_header else names_in_comment or [f"c{place}" for place in range(len(rows[0]))]
    id_place = find_ids(names, pd.Series([row[0] for row in body], dtype=object), id_column, source)
    if id_place is not None and not has_header and not names_in_comment:
        names = ["object" if place == id_place else f"c{place - (place > id_place)}" for place in range(len(names))]
    refuse_repeated(names, source)
    given = _name_the_nameless(names)
    nameless = frozenset(new for new, old in zip(given, names, strict=True) if old == "")
    return Layout(given, has_header or bool(names_in_comment), id_place, nameless)


def _name_the_nameless(names: list[str]) -> list[str]:
    """Names without empty ones: "unnamed", "unnamed_2", ... in their place."""
    free = (name for name in chain(["unnamed"], (f"unnamed_{j}" for j in count(2))) if name not in names)
    return [name or next(free) for name in names]


def _is_header_of_r(rows: list[list[str]], *, given: bool) -> bool:
    """Whether the first row has one field less than the others because it has no name for a column of row names.

    That column holds different names in R; and unless the caller says that there is a header, no name is a number.
    """
    top, body = rows[0], rows[1:]
    if not body or any(len(row) != len(top) + 1 for row in body):
        return False
    different = len({row[0] for row in body}) == len(body)
    return different and (given or not any(is_number(cell) or cell == "" for cell in top))


def _names_in_comment(comment: str, separator: str, n_fields: int, source: Source) -> list[str]:
    """Names in the comment before the first row, such as "#cell,run1,run2"; empty if it is another comment."""
    if not comment or n_fields < 2 or is_comment(comment, separator, n_fields):
        return []
    names = split_rows([comment[1:]], separator, source)[0]
    return [] if any(is_number(name) for name in names) else names


def _looks_like_header(rows: list[list[str]]) -> bool:
    """Whether the first row holds names, not the first object; words for missing values are empty here."""
    top, body = rows[0], rows[1:]
    if not body:
        return not all(is_number(cell) or cell == "" for cell in top)
    if top[0] == "" and len(top) > 1 and any(row[0] for row in body):
        return True  # as pandas writes above an index
    if all(is_number(cell) or cell == "" for cell in top):
        return len(top) >= 3 and top == [str(place) for place in range(len(top))]
    columns = list(zip(*body, strict=True))
    if any(cell and not is_number(cell) and _holds_numbers(below) for cell, below in zip(top, columns, strict=True)):
        return True
    if "" in top[1:]:
        return False  # a name is not empty, but a label may be missing
    return not any(cell in below for cell, below in zip(top, columns, strict=True))  # labels recur below, names do not


def _holds_numbers(column: Sequence[str]) -> bool:
    filled = [cell for cell in column if cell != ""]
    return bool(filled) and all(map(is_number, filled))


def refuse_repeated(names: list[str], source: Source) -> None:
    """Refuse two columns of the same name."""
    repeated = sorted(name for name, times in Counter(names).items() if name and times > 1)
    if repeated:
        raise FileFormatError(f"{source.name!r} has more than one column named {listing(repeated)}; rename them.")
