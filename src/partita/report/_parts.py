"""What a page is made of: sections, and in them words, lists, facts, tables, pictures and code."""

import re
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

MAX_TEXT = 120  # characters of a name or a value in a table; with more, a long name would push out its neighbours
MAX_WORDS = 1500  # characters of a sentence or a paragraph
MAX_CODE = 20_000  # characters of a call
_SHORT = 24  # characters that stay on one line
MAX_POINTS = 40  # sentences of one list

# what no page can show: control characters and halves of characters, and marks that turn the direction of what follows
NOT_SHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")


def clean(text: Any, length: int = MAX_TEXT) -> str:
    """One line of any text: without control characters, and cut where it is too long."""
    words = " ".join(NOT_SHOWN.sub("\ufffd", str(text)[: 8 * length]).split())
    return words if len(words) <= length else words[: length - 1] + "…"


def clean_lines(text: Any, length: int = MAX_CODE) -> str:
    """Text of several lines, without control characters, and cut where it is too long."""
    lines = NOT_SHOWN.sub("\ufffd", str(text)[: length + 1].replace("\r\n", "\n").replace("\r", "\n"))
    return lines if len(lines) <= length else lines[: length - 1] + "…"


def sentence(text: Any) -> str:
    """Words that begin with a capital letter and end with a full stop."""
    words = clean(text, MAX_WORDS)
    ended = words if not words or words[-1] in ".!?…" else words + "."
    return ended[:1].upper() + ended[1:]


@dataclass(frozen=True)
class Words:
    """A paragraph; its tone is "lead" (the most important one), "note", "failed" or none."""

    kind: ClassVar[str] = "words"
    text: str
    tone: str = ""
    head: str = ""  # the words that it begins with, in bold


@dataclass(frozen=True)
class Points:
    """A list of sentences."""

    kind: ClassVar[str] = "points"
    items: list[str]


class Fact(NamedTuple):
    """A name and its value."""

    name: str
    value: str
    about: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and values: large figures, or a plain list."""

    kind: ClassVar[str] = "facts"
    items: list[Fact]
    large: bool = False


@dataclass(frozen=True)
class Code:
    """Lines to copy."""

    kind: ClassVar[str] = "code"
    title: str
    text: str


@dataclass(frozen=True)
class Picture:
    """A picture as markup, what it is called, and how to read it."""

    kind: ClassVar[str] = "picture"
    name: str
    title: str
    markup: str
    caption: str


class Cell(NamedTuple):
    """Text of a cell, the number it is sorted by (empty if it is missing, None for text), and a cluster's colour.

    A text that is short stays on one line, and a long one gets some room.
    """

    text: str
    value: str | None = None
    color: str = ""

    @property
    def width(self) -> str:
        """Whether the text is "long"; empty if it is not."""
        return "long" if len(self.text) > _SHORT else ""


class Heading(NamedTuple):
    """Head of a column."""

    title: str
    numeric: bool
    about: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells below headings; ``total`` rows exist of which these are the first."""

    kind: ClassVar[str] = "table"
    name: str
    title: str
    headings: list[Heading]
    rows: list[list[Cell]]
    total: int
    noun: str = "rows"
    searchable: bool = False
    row_heads: bool = False


@dataclass
class Section:
    """A section of the page."""

    name: str
    title: str
    parts: list[Any] = field(default_factory=list)


def listed(texts: Any) -> Points:
    """A list of the texts as they are, not too many and not too long."""
    return Points([clean(text, MAX_WORDS) for text in list(texts)[:MAX_POINTS]])
