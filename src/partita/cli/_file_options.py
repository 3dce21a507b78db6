"""Options on files that all commands share: how they are read and written, and "-" for standard input and output."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

STANDARD = "-"
_READING = "partita.reading"  # what the options say is kept with the context, so that commands need not pass it on
_SAFE = "partita.spreadsheet_safe"
_STDOUT = "partita.stdout"
_PRINTS_RESULT = "partita.prints_result"


class InputFile(click.Path):
    """A file to read; a pipe or standard input is read once, here, since commands look at a file more than once."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, with the content if it is a pipe."""
        from partita.io._source import keep_piped

        return keep_piped(str(super().convert(value, param, ctx)))


def _keep_reading(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    name = str(parameter.name)
    if name == "no_missing_words" and value:
        context.meta.setdefault(_READING, {})["missing_words"] = False
    elif name != "no_missing_words" and value:
        context.meta.setdefault(_READING, {})[name] = list(value) if isinstance(value, tuple) else value


def _keep_safe(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[_SAFE] = value


def _keep_printed(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    """``-o -`` is the same as no output file in a command that prints its result then."""
    context.meta[_PRINTS_RESULT] = value in (None, STANDARD)
    return None if value == STANDARD else value


reading_options = [
    click.option("--missing", metavar="VALUE", multiple=True, expose_value=False, callback=_keep_reading,
                 help="What else stands for a missing value, beside empty fields, NA, nan, ?, - and the like; "
                      "repeatable."),
    click.option("--no-missing-words", is_flag=True, expose_value=False, callback=_keep_reading,
                 help="Only empty fields, and what --missing gives, are missing values."),
    click.option("--encoding", metavar="NAME", expose_value=False, callback=_keep_reading,
                 help="Encoding of text files, such as latin-1 or utf-16 [recognised]."),
    click.option("--separator", metavar="CHARACTER", expose_value=False, callback=_keep_reading,
                 help="Character between the fields of text files, such as ';', or tab [recognised]."),
]  # fmt: skip

spreadsheet_option = click.option(
    "--spreadsheet-safe",
    is_flag=True,
    expose_value=False,
    callback=_keep_safe,
    help="Write an apostrophe before text such as =1+1 in CSV files, which spreadsheets would compute.",
)


def printed_output_option(help: str) -> Callable[[F], F]:
    """``-o`` of a command that prints its result if there is no file for it."""
    return click.option("-o", "--output", type=click.Path(), callback=_keep_printed, help=help)


# ------------------------------------------------------------------------------------------- what the options said
def reading_arguments() -> dict[str, Any]:
    """Keyword arguments of all functions of ``partita.io`` that read, only those that differ from their defaults."""
    context = click.get_current_context(silent=True)
    given = {} if context is None else context.meta.get(_READING, {})
    return {name: given[name] for name in ("missing", "missing_words", "encoding", "separator") if name in given}


def check_standard(targets: Sequence[str], inputs: Sequence[str | None]) -> None:
    """Refuse two users of standard input or output; if a result goes there, messages go to standard error."""
    context = click.get_current_context()
    if sum(source == STANDARD for source in inputs) > 1:
        raise click.UsageError("standard input (-) can be read once; name a file for the other input.")
    n_results = sum(target == STANDARD for target in targets) + bool(context.meta.get(_PRINTS_RESULT))
    if STANDARD not in targets:
        return
    if n_results > 1:
        raise click.UsageError("one result can go to standard output (-); name a file for the other.")
    if context.params.get("as_json"):
        raise click.UsageError("--json prints to standard output; name a file instead of -.")
    context.meta[_STDOUT] = sys.stdout
    context.with_resource(redirect_stdout(sys.stderr))


def is_spreadsheet_safe() -> bool:
    """Whether text that a spreadsheet would compute is to be marked."""
    return bool(click.get_current_context().meta.get(_SAFE))


def save_table(path: str, table: Any) -> None:
    """Write a table as ``write_table`` does, with the options of the command line."""
    from partita.io import write_table

    context = click.get_current_context()
    with redirect_stdout(context.meta.get(_STDOUT, sys.stdout)):
        write_table(path, table, spreadsheet_safe=is_spreadsheet_safe())


def save_matrix(path: str, matrix: Any, *, ids: Any, name: str = "labels") -> None:
    """Write a matrix as ``write_matrix`` does, with the options of the command line."""
    from partita.io import write_matrix

    context = click.get_current_context()
    with redirect_stdout(context.meta.get(_STDOUT, sys.stdout)):
        write_matrix(path, matrix, ids=ids, name=name, spreadsheet_safe=is_spreadsheet_safe())


@contextmanager
def standard_file(path: str, suffix: str) -> Iterator[Path]:
    """The path of a file to write; for "-" a file elsewhere, whose bytes are printed when it is complete."""
    if path != STANDARD:
        yield Path(path)
        return
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        beside = Path(folder) / f"result{suffix}"
        yield beside
        stdout: Any = click.get_current_context().meta.get(_STDOUT, sys.stdout)
        stdout.flush()
        stdout.buffer.write(beside.read_bytes())
        stdout.buffer.flush()
