"""How wide the terminal is, and lines of a name and a text that fit in it."""

import shutil
import textwrap

from partita.cli._say import say


def width() -> int:
    """Columns of the terminal, 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def print_field(name: str, text: str, *, err: bool) -> None:
    """A name, and beside it the text in as many lines as it needs."""
    for place, line in enumerate(textwrap.wrap(text, max(20, width() - 13), break_on_hyphens=False)):
        say(f"{'' if place else name:<12} {line}", err=err)
