"""The table of methods as text: in Markdown for the pages, as a grid for the docstring of ``partita.consensus``."""

from itertools import zip_longest
from textwrap import wrap

from partita.consensus._methods import COST_SYMBOLS, METHODS


def markdown_table(header: list[str], rows: list[list[str]]) -> str:
    """Lines of a Markdown table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def docstring_table() -> str:
    """The table in the docstring of ``partita.consensus``."""
    rows = [
        [
            f"{method.estimator} ({method.name})",
            method.summary,
            method.source,
            method.output,
            method.number_of_clusters,
            method.missing,
            method.cost,
        ]
        for method in METHODS.values()
    ]
    header = ["class (name)", "what it does", "source", "output", "clusters", "missing label", "cost"]
    return f"Cost with {COST_SYMBOLS}.\n\n{grid_table(header, rows, widths=[21, 24, 12, 6, 8, 13, 13])}"


def grid_table(header: list[str], rows: list[list[str]], widths: list[int]) -> str:
    """Lines of a table whose cells are wrapped to the widths of their columns."""
    line = "+".join(["", *("-" * (width + 2) for width in widths), ""])
    lines = [line]
    for row in (header, *rows):
        cells = [wrap(cell, width, break_on_hyphens=False) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            padded = [part.ljust(width) for part, width in zip(parts, widths, strict=True)]
            lines.append(f"| {' | '.join(padded)} |")
        lines.append(line if row is not header else line.replace("-", "="))
    return "\n".join(lines)
