"""``partita federate server`` and ``site``: a federated fit between machines, with mutual TLS."""

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from partita.cli._command import command
from partita.cli._federation_options import (
    accept_disclosure_option,
    by_option,
    check_method,
    checkpoint_option,
    encrypted_option,
    epsilon_option,
    estimator_of,
    heuristic_option,
    join_timeout_option,
    read_secret,
    secret_key_option,
    timeout_option,
    workspace_option,
)
from partita.cli._file_options import (
    InputFile,
    printed_output_option,
    save_table,
    spreadsheet_option,
)
from partita.cli._label_file import force_option, read_label_file
from partita.cli._options import (
    json_option,
    label_file_arguments,
    label_file_options,
    membership_option,
    method_options,
    parse_settings,
    seed_option,
)
from partita.cli._results import check_targets, label_table, save_membership
from partita.cli._say import print_json, say


@command()
@click.argument("kit", type=click.Path(exists=True, file_okay=False))
@method_options
@by_option
@heuristic_option
@encrypted_option
@accept_disclosure_option
@click.option("--with-noise", is_flag=True, help="By rows, ecpcs and mcla: the sites release noisy tables (--epsilon).")
@checkpoint_option
@click.option("--local", is_flag=True, help="Listen on 127.0.0.1 only.")
@timeout_option
@join_timeout_option
@workspace_option
@seed_option
@json_option
def server(
    kit: str,
    method: str,
    n_clusters: int | str | None,
    settings: tuple[str, ...],
    by: str,
    heuristic: bool,
    encrypted: bool,
    accept_disclosure: bool,
    with_noise: bool,
    checkpoint: str | None,
    local: bool,
    timeout: float,
    join_timeout: float,
    workspace: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Wait for all sites of KIT and run the fit. KIT is the server's folder of `partita federate certificates`.

    The server has no labels. It prints the sizes of the clusters, or nothing if the sums are encrypted.
    """
    from partita.federated._deployment import run_federation, server_settings
    from partita.federated._simulate import check_fit
    from partita.federated.flare._certificates import read_kit

    check_method(method, by, heuristic=heuristic, noisy=with_noise)
    estimator, task = estimator_of(method, parse_settings(settings), n_clusters, seed)
    check_fit(estimator, by=by, heuristic=heuristic, noisy=with_noise)
    options = {
        "by": by,
        "heuristic": heuristic,
        "accept_disclosure": accept_disclosure,
        "with_noise": with_noise,
        "checkpoint": None if checkpoint is None else str(Path(checkpoint).resolve()),
    }
    running = {"timeout": timeout, "join_timeout": join_timeout, "local": local, "workspace": workspace}
    told = run_federation(kit, server_settings(estimator, **options), encrypted=encrypted, tell=_tell, **running)
    sites = list(read_kit(kit, "server").sites)
    summary = {"method": task.method, "seed": seed, "by": by, "sites": sites, **told}
    if as_json:
        print_json(summary)
    elif not told:
        say("the fit is complete; the sites have the result")
    else:
        sizes = ", ".join(f"{size:g}" for size in told["cluster_sizes"])
        say(f"clusters     {len(told['cluster_sizes'])}, of sizes {sizes}")
        say(f"exchanges    {told['n_exchanges']}, {told['seconds_exchanging']:.1f} s")


@command()
@click.argument("kit", type=click.Path(exists=True, file_okay=False))
@click.argument("file", type=InputFile())
@printed_output_option("File to write, by its name CSV, TSV, Parquet, Excel, NPY or NPZ [stdout].")
@membership_option
@by_option
@accept_disclosure_option
@click.option(
    "--keys",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Encrypt sums with this key, of `partita federate keys`.",
)
@secret_key_option
@epsilon_option
@click.option(
    "--min-objects",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Take part with so many objects at least.",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Send no table with a smaller count above 0.",
)
@click.option("--state", type=click.Path(), metavar="FOLDER", help="Keep this site's state there, for resuming.")
@timeout_option
@join_timeout_option
@workspace_option
@label_file_options
@spreadsheet_option
@force_option
@json_option
def site(
    kit: str,
    file: str,
    output: str | None,
    membership: str | None,
    by: str,
    accept_disclosure: bool,
    keys: str | None,
    secret_key: str | None,
    epsilon: float | None,
    min_objects: int,
    min_count: int,
    state: str | None,
    timeout: float,
    join_timeout: float,
    workspace: str | None,
    columns: str | None,
    drop: tuple[str, ...],
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    noise: Any,
    force: bool,
    as_json: bool,
) -> None:
    """Take part with the labels of FILE, which stay here. KIT is this site's folder of `partita federate certificates`.

    At the end the clusters of this site's objects are written.
    """
    import numpy as np

    from partita import check_label_matrix
    from partita.federated._deployment import join_federation, site_settings
    from partita.federated.flare._certificates import read_kit

    name = read_kit(kit, "site").name
    _check_site(by, epsilon, min_count)
    check_targets([output, membership], [file])
    reading = label_file_arguments(columns, drop, id_column, no_ids, header)
    table = read_label_file(file, reading, force=force).table
    matrix = check_label_matrix(table.labels, noise, allow_unlabelled=True)
    with _ending_cleanly(), tempfile.TemporaryDirectory() as folder:
        settings = site_settings(
            folder,
            matrix,
            name=name,
            ids=None if table.ids is None else [str(one) for one in table.object_ids()],
            by=by,
            accept_disclosure=accept_disclosure,
            keys=keys,
            secret_key=read_secret(secret_key),
            epsilon=epsilon,
            min_objects=min_objects,
            min_count=min_count,
            state=state,
        )
        running = {"timeout": timeout, "join_timeout": join_timeout, "workspace": workspace}
        found = join_federation(kit, settings, tell=_tell, **running)
    labels = label_table(table.object_ids(), table.id_name, found["labels"])
    if output is not None or not as_json:
        save_table(output or "-", labels)
    if membership is not None:
        save_membership(membership, labels, found["membership"])
    sizes = np.bincount(found["labels"][found["labels"] >= 0]).tolist()
    if as_json:
        facts = {"site": name, "by": by, "n_objects": len(labels), "n_clusters": len(sizes), "cluster_sizes": sizes}
        facts |= {"output": output, "membership_output": membership}
        listed = {"ids": labels.iloc[:, 0].tolist(), "labels": labels["label"].tolist()} if output is None else {}
        print_json({**facts, **listed})
        return
    shown = ", ".join(f"{size}" for size in sizes)
    _tell(f"{name}: {len(labels)} objects here, of clusters {shown}; written {output or 'to standard output'}")


def _check_site(by: str, epsilon: float | None, min_count: int) -> None:
    """Refuse, before anything is sent, what a site by columns cannot keep."""
    if by == "columns" and epsilon is not None:
        raise click.UsageError("--epsilon is for --by rows, where tables of labels are released.")
    if by == "columns" and min_count != 1:
        raise click.UsageError("--min-count is for --by rows: by columns every message has a line per object.")


@contextmanager
def _ending_cleanly() -> Iterator[None]:
    """Let SIGTERM end by an exception, so that the copy of the labels is removed."""
    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _tell(line: str) -> None:
    say(line, err=True)
