"""Reports: what a command says of its page, columns of annotations, and writing it."""

import shlex
from typing import Any, NamedTuple

import click

from partita.cli._file_options import standard_file
from partita.cli._options import parse_names
from partita.cli._say import shows_progress
from partita.cli._stages import stage
from partita.report._names import TABLES, table_path


class Page(NamedTuple):
    """A report as the options ask for it."""

    path: str
    title: str | None = None
    compare: bool | list[str] = False
    tables: bool = False
    n_resamples: int | None = None  # None is the default of write_report
    seed: int = 0
    spreadsheet_safe: bool = False

    @property
    def table_files(self) -> list[str]:
        """Tables that may be written beside the page."""
        return [str(table_path(self.path, name)) for name in TABLES] if self.tables else []

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of ``write_report``, only those that differ from its defaults."""
        safe = self.tables and self.spreadsheet_safe
        given: dict[str, Any] = {"title": self.title, "compare": self.compare, "tables": self.tables}
        given |= {"spreadsheet_safe": safe, "random_state": self.seed}
        chosen = {name: value for name, value in given.items() if value}
        return chosen | ({} if self.n_resamples is None else {"n_resamples": self.n_resamples})


def check_page(report: str | None, compare: bool, annotate: tuple[str, ...]) -> None:
    """Refuse options of a report where there is none."""
    if report is None and (compare or annotate):
        option = "--compare" if compare else "--annotate"
        raise click.UsageError(f"{option} is for the report; pass --report FILE too, or --drop to leave out columns.")


def read_columns_beside(file: str, annotate: tuple[str, ...], reading: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Columns of a file that are no clusterings and no features, and how the others are read."""
    names = parse_names(*annotate)
    if not names:
        return None, reading
    from partita.io import read_labels

    how = {key: value for key, value in reading.items() if key not in ("columns", "drop", "impute", "encode")}
    with stage(f"reading {file}"):
        frame = read_labels(file, columns=names, **how).labels
    left = reading.get("columns", names)
    drop = list(dict.fromkeys([*reading.get("drop", []), *(name for name in names if name in left)]))
    return frame, {**reading, **({"drop": drop} if drop else {})}


def join_annotations(known: Any, more: Any) -> Any:
    """Annotations of two files; a name that is in both is refused."""
    if known is None:
        return more
    twice = [str(name) for name in more.columns if name in known.columns]
    if twice:
        raise ValueError(f"the annotation {twice[0]!r} is in both files; leave it out of one of them.")
    return known.join(more)


def save_page(page: Page, result: Any, annotations: Any, python: str, jobs: int) -> None:
    """Write the report, with the call that made it."""
    from partita.report import write_report

    words = click.get_current_context().find_root().obj or []
    calls = {"python": python, "shell": shlex.join(["partita", *words])}
    with standard_file(page.path, ".html") as target:
        write_report(
            result,
            target,
            annotations=annotations,
            n_jobs=None if jobs == 1 else jobs,
            verbose=shows_progress(),
            calls=calls,
            **page.options,
        )
