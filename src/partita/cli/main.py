"""Entry point: one group, one clear line for every error, exit codes 0, 1 and 2."""

import errno
import logging
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from partita import __version__
from partita.cli import _words
from partita.cli._command import Group
from partita.cli._deferred import defer
from partita.cli._say import colour
from partita.cli.app import app_command
from partita.cli.check import check
from partita.cli.choose import choose
from partita.cli.cluster import cluster
from partita.cli.compare import compare
from partita.cli.completion import completion
from partita.cli.consensus import consensus
from partita.cli.demo import demo
from partita.cli.ensemble import ensemble
from partita.cli.federate import federate
from partita.cli.generate import generate
from partita.cli.methods import methods
from partita.cli.plot import plot
from partita.cli.predict import predict
from partita.cli.report import report
from partita.cli.reproduce import reproduce
from partita.exceptions import Cancelled, ClusterError, FederationError

# What a user's input, file or option can cause; anything else is a fault of ours and shows a traceback.
_USER_ERRORS = (ValueError, TypeError, OSError, MemoryError, ImportError, FederationError, ClusterError)


_HEADINGS = {
    "Start": ("demo", "app", "check"),
    "Combine": ("consensus", "cluster", "predict", "report"),
    "Look closer": ("plot", "choose", "compare", "ensemble"),
    "Make clusterings": ("generate",),
    "Without pooling": ("federate",),
    "More": ("methods", "reproduce", "completion"),
}


@click.group(
    cls=Group, headings=_HEADINGS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="partita", message="%(prog)s %(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """Consensus clustering: many clusterings of the same objects in, one out.

    `partita COMMAND --help` has the options of a command and examples. Files can be CSV, TSV, Excel, Parquet, NPY and
    NPZ; - is standard input or output. NO_COLOR=1 in the environment switches colour off, and `partita completion`
    lets your shell complete names.
    """
    command = app.commands.get(context.invoked_subcommand or "")
    _words.begin({option for parameter in (command.params if command else []) for option in parameter.opts})


_COMMANDS = (
    demo, check, consensus, report, plot, compare, choose, ensemble, generate, cluster, federate, reproduce, methods,
    completion, predict, app_command,
)  # fmt: skip
for command in _COMMANDS:
    app.add_command(command)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line; errors are one line on stderr, with exit code 2."""
    _open_closed_streams()
    defer("scipy.stats")
    warnings.showwarning = _show_warning
    _shown.clear()
    _show_log()
    try:
        words = list(sys.argv[1:] if argv is None else argv)
        code = app.main(args=words, prog_name="partita", standalone_mode=False, obj=words, color=colour())
        sys.stdout.flush()  # an error of a full disk belongs here, not to the end of the interpreter
    except click.exceptions.NoArgsIsHelpError as shown:
        click.echo(shown.format_message(), err=True, color=colour())
        sys.exit(2)
    except click.ClickException as error:
        _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt, Cancelled) as stop:
        if isinstance(stop.__cause__, EOFError):  # click takes the end of a file for the end of the user's patience
            _fail(f"a file ends too early ({stop.__cause__}); it may be damaged.")
        click.echo("partita: interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has gone, as in `partita methods | head -1`
        _forget_output()
        sys.exit(1)
    except _USER_ERRORS as error:
        if os.environ.get("PARTITA_DEBUG"):
            raise
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            _forget_output()
            _fail("a file or standard output cannot be written (no space left on device); make room first.")
        told = str(error) if isinstance(error, FederationError) else _words.in_options(str(error))
        _fail(told or type(error).__name__, getattr(error, "__notes__", []))
    sys.exit(code if isinstance(code, int) else 0)


def _open_closed_streams() -> None:
    """Let what goes to a stream that the caller has closed (``>&-``) go nowhere, as with ``> /dev/null``."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  (as long as the process)


def _forget_output() -> None:
    """Let what is still to be written to standard output go nowhere, so that the interpreter's end is silent."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, notes: Sequence[str] = ()) -> None:
    word = click.style("error:", fg="red", bold=True)
    click.echo(f"partita: {word} {' '.join(message.split())}", err=True, color=colour())
    for note in notes:  # such as where a log is
        click.echo(f"partita: {note}", err=True)
    sys.exit(2)


_shown: set[str] = set()  # a command may look at a file twice, and says once what it finds


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    text = " ".join(_words.in_options(str(message)).split())
    if text not in _shown:
        _shown.add(text)
        click.echo(f"partita: {click.style('warning:', fg='yellow')} {text}", err=True, color=colour())


def _show_log() -> None:
    """Send the library's log to stderr, so that a first compilation explains the wait."""
    log = logging.getLogger("partita")
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("partita: %(message)s"))
        log.addHandler(handler)
    log.setLevel(logging.INFO)


if __name__ == "__main__":
    main()
