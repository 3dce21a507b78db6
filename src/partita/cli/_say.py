"""What a command says to people and what it prints for programs; colour, and silence.

Text for people goes through ``say``, which ``--quiet`` silences. Tables and JSON are results: they are always printed.
"""

import json
import logging
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
_QUIET = "partita.quiet"


def _be_quiet(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[_QUIET] = value
    if value:
        logging.getLogger("partita").setLevel(logging.WARNING)  # a first compilation is not told either


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_be_quiet,
    help="Say nothing but results, warnings and errors: no summary, no progress.",
)


def is_quiet() -> bool:
    """Whether ``--quiet`` was given to the command that runs."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


def say(text: str = "", *, err: bool = False) -> None:
    """Print a line for people, unless they want none."""
    if not is_quiet():
        click.echo(text, err=err)


def say_result(text: str, *, in_file: bool) -> None:
    """Print a line of a result that is a table: also to those who want no words, if no file holds it."""
    if not (in_file and is_quiet()):
        click.echo(text)


def say_title(text: str, *, err: bool = False) -> None:
    """The same in bold, in a terminal."""
    say(click.style(text, bold=True), err=err)


def print_json(facts: Any) -> None:
    """Print plain values for programs."""
    click.echo(json.dumps(facts, indent=2))


def shows_progress() -> bool:
    """Whether someone watches who wants to know what is being done."""
    return sys.stderr.isatty() and not is_quiet()


def colour() -> bool | None:
    """Whether to colour: by the usual variables of the environment, else (None) in a terminal and nowhere else."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    if os.environ.get("CLICOLOR") == "0" or os.environ.get("TERM") == "dumb":
        return False
    return None
