"""``partita app``: a page to drop a file on, on this computer."""

import re
from typing import TYPE_CHECKING, Any

import click

from partita.cli._command import command

if TYPE_CHECKING:
    _Type = click.ParamType[int]
else:
    _Type = click.ParamType  # click 8.2 takes no brackets at run time

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


class Size(_Type):
    """A number of bytes, such as 200MB."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or a refusal."""
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", str(value).strip().lower())
        size = 0 if found is None else int(float(found[1]) * _UNITS[found[2]])
        if size < 1:
            self.fail(f"{value!r} is no size; write 500kB, 200MB or 1GB.", param, ctx)
        return size


@command("app")
@click.argument("file", type=click.Path(), required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of this computer [a free one].")
@click.option("--no-browser", is_flag=True, help="Print the address, and do not open a browser.")
@click.option("--max-upload", type=Size(), default="200MB", show_default=True,
              help="Largest file that the page takes.")  # fmt: skip
def app_command(file: str | None, port: int, no_browser: bool, max_upload: int) -> None:
    """Open a page in the browser: drop a file on it, correct how it is read, find and explore the consensus.

    The page is served by this computer to this computer alone, and asks nobody else for anything. FILE is opened at
    once. Ctrl-C ends it; what was not downloaded is gone then.
    """
    if file == "-":
        raise click.UsageError("the app reads a file more than once, and standard input (-) can be read once; name it.")
    from partita.app._serve import serve

    serve(file, port, browser=not no_browser, max_upload=max_upload, echo=click.echo)
    click.echo("partita: the app has ended, and nothing was kept.", err=True)
