"""What docstrings write for readers of the code, in the words of reStructuredText: names_ of attributes, tables."""

import re
from typing import Any

from sphinx.application import Sphinx

ATTRIBUTE = re.compile(r"(?<![\w`:.*<\]])(\w+)_(?![\w`*>])")  # labels_ is no link
PROPERTY = re.compile(r":obj:`(\w+_) <[^>]*>`")  # numpydoc links these by a name that several classes have
PATTERN = re.compile(r"""(['"])([^'"`]*\*[^'"`]*)\1""")  # 'parts/*.csv' is no emphasis
LITERAL = re.compile(r"(``.*?``|`[^`]*`)")


def setup(app: Sphinx) -> dict[str, Any]:
    """Run after numpydoc, which makes reStructuredText of the sections."""
    app.connect("autodoc-process-docstring", change, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def change(app: Sphinx, kind: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Change the lines of one docstring in place."""
    lines[:] = with_tables([line if is_code(line) else in_words(line) for line in lines])


def is_code(line: str) -> bool:
    """Examples and directives stay as they are."""
    return line.lstrip().startswith((">>>", "...", ".. "))


def in_words(line: str) -> str:
    """A line in which names of attributes and patterns of files are text, outside its literals."""
    parts = LITERAL.split(PROPERTY.sub(r"**\1**", line))
    return "".join(part if LITERAL.fullmatch(part) else plain(part) for part in parts)


def plain(text: str) -> str:
    """Text without accidental links and emphasis."""
    return ATTRIBUTE.sub(r"\1\\_", PATTERN.sub(r"``\2``", text))


def with_tables(lines: list[str]) -> list[str]:
    """Lines in which tables of Markdown are tables of reStructuredText."""
    found: list[str] = []
    inside = False
    for line in lines:
        row = line.strip()
        if not (row.startswith("|") and row.endswith("|") and len(row) > 1):
            found += [""] if inside else []
            found.append(line)
            inside = False
            continue
        indent = line[: len(line) - len(line.lstrip())]
        if not inside:
            found += ["", f"{indent}.. list-table::", f"{indent}   :header-rows: 1", ""]
        inside = True
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if not all(set(cell) <= set("-:") for cell in cells):
            found += [f"{indent}   {'* -' if not number else '  -'} {cell}" for number, cell in enumerate(cells)]
    return found
