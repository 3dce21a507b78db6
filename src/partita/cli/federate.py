"""``partita federate``: one consensus of objects, or of clusterings, whose owners do not pool them."""

from pathlib import Path
from typing import Any

import click

from partita.cli import _words
from partita.cli._command import Group
from partita.cli._federation_options import (
    accept_disclosure_option,
    by_option,
    check_method,
    checkpoint_option,
    encrypted_option,
    epsilon_option,
    estimator_of,
    heuristic_option,
    read_secret,
    secret_key_option,
)
from partita.cli._federation_results import show_federated
from partita.cli._federation_run import server, site
from partita.cli._file_options import InputFile, printed_output_option, spreadsheet_option
from partita.cli._label_file import force_option, read_label_file
from partita.cli._options import (
    json_option,
    label_file_arguments,
    label_file_options,
    method_options,
    parse_settings,
    seed_option,
)
from partita.cli._results import check_targets
from partita.cli._say import print_json, say
from partita.cli._stages import Stopwatch


@click.group(cls=Group)
@click.pass_context
def federate(context: click.Context) -> None:
    """Fit labels of several owners (sites) that do not pool them.

    Try it with `partita federate simulate`, in one process. Between machines: `certificates` once, then `server` on one
    machine and `site` on each of the others. docs/federation.md has the commands, docs/federation-trust.md says who
    learns what.
    """
    command = federate.commands.get(context.invoked_subcommand or "")
    _words.begin({option for parameter in (command.params if command else []) for option in parameter.opts})


federate.add_command(server)
federate.add_command(site)


@federate.command()
@click.argument("files", type=InputFile(), nargs=-1, required=True)
@printed_output_option("File to write, by its name CSV, TSV, Parquet, Excel, NPY or NPZ [stdout].")
@method_options
@by_option
@heuristic_option
@encrypted_option
@click.option(
    "--paper", is_flag=True, help="By columns, bce: the messages of Wang et al. (2011), which show all labels."
)
@accept_disclosure_option
@secret_key_option
@epsilon_option
@checkpoint_option
@seed_option
@label_file_options
@spreadsheet_option
@force_option
@json_option
def simulate(
    files: tuple[str, ...],
    output: str | None,
    method: str,
    n_clusters: int | str | None,
    settings: tuple[str, ...],
    by: Any,
    heuristic: bool,
    encrypted: bool,
    paper: bool,
    accept_disclosure: bool,
    secret_key: str | None,
    epsilon: float | None,
    checkpoint: str | None,
    seed: int,
    columns: str | None,
    drop: tuple[str, ...],
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    noise: Any,
    force: bool,
    as_json: bool,
) -> None:
    """Fit FILES, one per site, with the messages that sites on different machines would exchange."""
    from partita import check_label_matrix
    from partita.federated import simulate as run

    check_method(method, by, heuristic=heuristic, noisy=epsilon is not None)
    estimator, task = estimator_of(method, parse_settings(settings), n_clusters, seed)
    check_targets([output], files)
    reading = label_file_arguments(columns, drop, id_column, no_ids, header)
    tables = {name: read_label_file(file, reading, force=force).table for name, file in site_names(files).items()}
    parts = {name: check_label_matrix(table.labels, noise) for name, table in tables.items()}
    watch = Stopwatch()
    options = {"heuristic": heuristic, "encrypted": encrypted, "paper": paper, "accept_disclosure": accept_disclosure}
    key = read_secret(secret_key)
    if by == "columns":
        check_same_ids(tables)
    fitted = run(estimator, parts, by=by, secret_key=key, epsilon=epsilon, checkpoint=checkpoint, **options)
    show_federated(task, fitted, tables, by, watch.read(), output, as_json, seed)


def check_same_ids(tables: dict[str, Any]) -> None:
    """Refuse files by columns that name their objects differently; real sites compare a digest."""
    named = {site: [str(one) for one in table.ids] for site, table in tables.items() if table.ids is not None}
    if len(named) not in (0, len(tables)):
        without = next(site for site in tables if site not in named)
        raise ValueError(
            f"{without} has no column of ids, and {next(iter(named))} has; give all files ids, or --no-ids."
        )
    first = next(iter(named), None)
    for name, ids in named.items():
        if first is not None and ids != named[first]:
            raise ValueError(f"{name} has other ids than {first}, or in another order; all must have the same objects.")


def site_names(files: tuple[str, ...]) -> dict[str, str]:
    """A name for the site of each file: that of the file, with a number where two are the same."""
    named: dict[str, str] = {}
    for file in files:
        stem = Path(file).name.split(".")[0] or "site"
        name, number = stem, 2
        while name in named:
            name, number = f"{stem}-{number}", number + 1
        named[name] = file
    return named


@federate.command()
@click.argument("folder", type=click.Path())
@click.option("--server", "host", required=True, metavar="HOST", help="Name or IPv4 address of the server's machine.")
@click.option("--site", "sites", required=True, multiple=True, metavar="NAME", help="Name of a site; repeatable.")
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8443, show_default=True, help="Port on which the server listens."
)
@click.option(
    "--valid-days", type=click.IntRange(1, 3650), default=360, show_default=True, help="Days after which they expire."
)
@json_option
def certificates(folder: str, host: str, sites: tuple[str, ...], port: int, valid_days: int, as_json: bool) -> None:
    """Make FOLDER with keys and certificates: one folder for the server, one for each site.

    Give each folder to its owner by a way that you trust, and to nobody else. The key that signed them is not kept.
    """
    from partita.federated import make_certificates

    made = make_certificates(folder, server=host, sites=list(sites), port=port, valid_days=valid_days)
    if as_json:
        print_json({"output": folder, "kits": {name: str(path) for name, path in made.items()}})
        return
    for name, path in made.items():
        say(f"{name:<12} {path}")


@federate.command()
@click.argument("file", type=click.Path())
@json_option
def keys(file: str, as_json: bool) -> None:
    """Make FILE with the key under which sites encrypt their sums.

    Every site needs the same file, and the server must not have it.
    """
    from partita.federated import make_keys

    make_keys(file)
    if as_json:
        print_json({"output": file})
        return
    say(f"{file}: for the sites alone; the server must not have it.")
