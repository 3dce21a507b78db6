"""The lines of a text file: its comments, its first rows, and rows of another length than the others."""

import csv
import gzip
from collections.abc import Iterator
from io import BytesIO, StringIO
from typing import NamedTuple

from partita._runs import warn
from partita.exceptions import FileContentWarning, FileFormatError
from partita.io._encoding import to_utf8
from partita.io._formats import GZIP
from partita.io._source import Source, foreign_reader, reason_of

SAMPLE = 1000  # rows by which header and ids are recognised: more are slower to inspect, fewer mistake labels for ids
SEPARATORS = (",", "\t", ";", "|", " ")  # those that are recognised
_WRITTEN = {"tab": "\t", "\\t": "\t"}  # a tab can hardly be typed
_FOR_SEPARATOR = 50  # lines by which the separator is recognised; one line decides it for most files


class Text(NamedTuple):
    """A text file as UTF-8, from its first row on."""

    content: bytes
    n_before: int  # blank lines and comments before the first row
    last_comment: str  # the line before the first row, if it is a comment: some programs write the names there
    first_lines: list[str]  # of rows; neither blank nor a comment


def read_lines(source: Source, encoding: str | None) -> Text:
    """Read a text file, also a compressed one, and cut off what comes before its first row."""
    content = source.read()
    compressed = source.path.suffix.lower() == ".gz" if source.piped is None else content.startswith(GZIP)
    if compressed:
        with foreign_reader(source, "a gzip file", "it is cut off or damaged, or not compressed"):
            content = gzip.decompress(content)
    text = to_utf8(content, source, encoding)
    if text is not content and b"\0" in text:
        raise FileFormatError(f"{source.name!r} is not a text file (it holds zero characters).")
    content = text
    if b"\r" in content and b"\n" not in content:
        content = content.replace(b"\r", b"\n")  # as programs of old Macintosh computers write
    return _from_first_row(content)


def _from_first_row(content: bytes) -> Text:
    all_comments = all(line.startswith(b"#") for line in BytesIO(content) if line.strip())  # then they are rows
    n_before, start, last_comment = 0, 0, ""
    first_lines: list[str] = []
    for line in BytesIO(content):
        comment = line.startswith(b"#") and not all_comments
        if first_lines or (line.strip() and not comment):
            if line.strip() and not comment:
                first_lines.append(line.decode("utf-8"))
        else:
            n_before, start = n_before + 1, start + len(line)
            last_comment = line.decode("utf-8").strip() if comment else ""
        if len(first_lines) > SAMPLE:
            break
    return Text(content[start:] if start else content, n_before, last_comment, first_lines)


def split_rows(lines: list[str], separator: str, source: Source) -> list[list[str]]:
    """Fields of the first rows, without blanks; a row that goes on after the last line is left out."""
    rows = [[cell.strip() for cell in row] for row in _rows(lines, separator, source)]
    return rows[:-1] if len(lines) > SAMPLE and len(rows) > 1 else rows


def _rows(lines: list[str], separator: str, source: Source) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except csv.Error as error:
        raise FileFormatError(f"{source.name!r} cannot be read as a table: {_reason(error)}.") from None


def check_separator(separator: str) -> str:
    """The separator that a caller gives: one character, or "tab"."""
    character = _WRITTEN.get(separator, separator) if isinstance(separator, str) else ""
    if len(character) != 1 or character in '"\r\n\0' or not character.isascii():
        raise ValueError(f"separator={separator!r:.60} is not allowed; pass one character such as ';', or 'tab'.")
    return character


def find_separator(lines: list[str], source: Source) -> str:
    """The separator that splits all lines into the same, largest, number of fields; a comma for one column.

    If there is none, one that gives the first line one field less: R writes names so above a column of row names.
    """
    widths = {}
    for separator in SEPARATORS:
        rows = _rows(lines[:_FOR_SEPARATOR], separator, source)
        cut = len(lines) > _FOR_SEPARATOR and len(rows) > 2  # the last row may go on in the next line
        widths[separator] = [len(row) for row in (rows[:-1] if cut else rows)]
    for short in (0, 1):
        fits = {
            separator: counts[-1]
            for separator, counts in widths.items()
            if counts[0] == counts[-1] - short and len(set(counts[1:])) <= 1 and counts[-1] > 1
        }
        if fits:
            return max(fits, key=lambda separator: fits[separator])
    # ragged, or one column: take the most frequent separator, and let the error name the row
    return max(SEPARATORS[:4], key=lambda separator: sum(line.count(separator) for line in lines[:_FOR_SEPARATOR]))


# ------------------------------------------------------------------------------------------------------- whole files
def without_comments(content: bytes, separator: str, n_fields: int) -> bytes:
    """The text with blank lines in place of comments, so that lines keep their numbers.

    A line that begins with "#" is a comment if a blank or nothing follows, or if it has not the fields of a row: "#7"
    can be an id, and "#N/A" a missing label. In a single column, where a blank line is a missing label, it is removed.
    """
    if b"#" not in content or b"\n#" not in content:  # the first test alone is many times faster
        return content
    kept, in_quotes, like_rows = [], False, 0
    for line in content.split(b"\n"):
        if not in_quotes and line.startswith(b"#") and is_comment(line.decode("utf-8"), separator, n_fields):
            kept += [b""] if n_fields > 1 else []
            like_rows += n_fields > 1 and count_fields(line.decode("utf-8"), separator) == n_fields
            continue
        in_quotes ^= line.count(b'"') % 2 == 1
        kept.append(line)
    if like_rows:
        warn(
            f"{like_rows} lines that begin with '# ' have as many fields as a row, and are taken as comments; quote "
            "their first field if they are rows.",
            FileContentWarning,
        )
    return b"\n".join(kept)


def count_fields(line: str, separator: str) -> int:
    """Number of fields of a line."""
    return len(next(csv.reader([line], delimiter=separator, skipinitialspace=True)))


def is_comment(line: str, separator: str, n_fields: int) -> bool:
    """Whether a line that begins with "#" is no row."""
    if len(line.rstrip()) == 1 or line[1].isspace():
        return True
    return n_fields > 1 and count_fields(line, separator) != n_fields


def refuse_ragged(text: Text, separator: str, n_fields: int, short_header: bool, source: Source) -> None:
    """Refuse the first row with another number of fields than the others, by its line."""
    for row, (line, found) in enumerate(_row_lengths(text, separator, source)):
        if found != n_fields and not (row == 0 and short_header):
            raise FileFormatError(
                f"{source.name!r} is not a table: line {line} has {found} fields and the first row has {n_fields}; "
                "give every row the same number of fields."
            )


def _row_lengths(text: Text, separator: str, source: Source) -> Iterator[tuple[int, int]]:
    """First line and number of fields of every row that is not blank."""
    reader = csv.reader(StringIO(text.content.decode("utf-8"), newline=""), delimiter=separator, skipinitialspace=True)
    line = text.n_before + 1
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                yield line, len(row)
            line = text.n_before + reader.line_num + 1
    except csv.Error as error:
        raise FileFormatError(f"{source.name!r} cannot be read as a table: {_reason(error)}, on line {line}.") from None


def _reason(error: csv.Error) -> str:
    if "new-line character" in str(error):
        return "there is a carriage return within a line"
    if "field limit" in str(error):
        return "a field is very long, perhaps since a quote is not closed"
    return reason_of(error)
