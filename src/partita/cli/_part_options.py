"""Options of labels in parts: a folder of files, or more of them than fit in memory."""

import glob
import os
from pathlib import Path
from typing import Any, NamedTuple

import click

from partita.cli._file_options import STANDARD
from partita.cli._options import F, add_options

_KEPT = "partita.parts"  # what the options say is kept with the context, so that commands need not pass it on


class PartOptions(NamedTuple):
    """What the options said."""

    block_rows: int | None = None
    resume: str | None = None
    overwrite: bool = False
    dask: str | None = None
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None

    @property
    def certificates(self) -> tuple[str, str, str] | None:
        """Files for TLS, if they are given: all three of them."""
        if self.tls_ca is None or self.tls_cert is None or self.tls_key is None:
            return None
        return self.tls_ca, self.tls_cert, self.tls_key


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    context.meta.setdefault(_KEPT, {})[str(parameter.name)] = value


def part_options(command: F) -> F:
    """Options on how parts are read, computed and written."""
    a_file = click.Path(exists=True, dir_okay=False)
    how: dict[str, Any] = {"expose_value": False, "callback": _keep}
    return add_options(
        command,
        click.option("--overwrite", is_flag=True, **how, help="Of a folder: write all files again, also over others."),
        click.option("--resume", metavar="FOLDER", type=click.Path(), **how,
                     help="Keep there what was computed; the same command, interrupted, goes on from it."),
        click.option("--block-rows", metavar="NUMBER", type=click.IntRange(1), **how,
                     help="Of a folder: objects that are read at once from NPY and Parquet [8 million labels]."),
        click.option("--dask", metavar="ADDRESS", **how,
                     help="Compute on a Dask cluster, such as tcp://127.0.0.1:8786 (extra dask)."),
        click.option("--tls-ca", metavar="FILE", type=a_file, **how, help="For tls://: certificate of the authority."),
        click.option("--tls-cert", metavar="FILE", type=a_file, **how, help="For tls://: certificate of this client."),
        click.option("--tls-key", metavar="FILE", type=a_file, **how, help="For tls://: private key of this client."),
    )  # fmt: skip


def given_part_options() -> PartOptions:
    """The options of the command that runs; what does not go together is refused."""
    given = PartOptions(**click.get_current_context().meta.get(_KEPT, {}))
    tls = [value for value in (given.tls_ca, given.tls_cert, given.tls_key) if value is not None]
    if tls and given.dask is None:
        raise click.UsageError("--tls-ca, --tls-cert and --tls-key are for --dask tls://HOST:PORT; pass --dask too.")
    if tls and (len(tls) < 3 or not str(given.dask).startswith("tls://")):
        raise click.UsageError(
            "TLS needs all of --tls-ca, --tls-cert and --tls-key, and an address that begins with tls://."
        )
    return given


def is_in_parts(file: str, options: PartOptions) -> bool:
    """Whether FILE is read in parts: a folder or a pattern always, a file if an option asks for it."""
    path = Path(file)
    like_a_folder = file.endswith(("/", os.sep)) or glob.has_magic(file) or not path.suffix
    if path.is_dir() or (like_a_folder and file != STANDARD and not path.exists()):
        return True
    if options.dask is not None or options.resume is not None:
        return True
    if options.overwrite or options.block_rows is not None:
        option = "--overwrite" if options.overwrite else "--block-rows"
        raise click.UsageError(f"{option} is for a folder of files, and {file!r} is none; leave it out.")
    return False


def refuse_in_parts(**given: Any) -> None:
    """Refuse, before any work, options that need all labels in memory."""
    for name, value in given.items():
        if value:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(
                f"{option} needs all labels in memory, and FILE is read in parts; leave it out, or run the command on "
                "one file, such as a sample of the objects."
            )
