"""Options that the commands of ``partita federate`` share."""

import os
import stat
from typing import Any

import click

from partita.cli._methods import AUTO, DEFAULT, Task, build, check_usage, plan
from partita.consensus._methods import METHODS

by_option = click.option(
    "--by",
    type=click.Choice(["rows", "columns"]),
    default="rows",
    show_default=True,
    help="What the sites do not share: objects (rows), or clusterings of the same objects (columns).",
)
heuristic_option = click.option(
    "--heuristic",
    is_flag=True,
    help="By rows, bce: the sequential heuristic of Wang et al. (2011) instead of exact EM.",
)
encrypted_option = click.option("--encrypted", is_flag=True, help="The server adds up sums that it cannot read.")
accept_disclosure_option = click.option(
    "--accept-disclosure",
    is_flag=True,
    help="By columns: go on although messages show to others how a site clusters the objects.",
)
secret_key_option = click.option(
    "--secret-key",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="File with a key of the sites alone (16 characters at least): labels leave a site as keyed hashes.",
)
epsilon_option = click.option(
    "--epsilon", type=float, metavar="NUMBER", help="By rows, ecpcs and mcla: privacy budget of a site's noisy tables."
)
checkpoint_option = click.option(
    "--checkpoint", type=click.Path(), metavar="FOLDER", help="Keep the sums there, and go on from them if there are."
)
timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a site may take for a reply; then it is named and the fit ends.",
)
join_timeout_option = click.option(
    "--join-timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait until all sites and the server are there.",
)
workspace_option = click.option(
    "--workspace", type=click.Path(), metavar="FOLDER", help="Keep the engine's files and logs there."
)


def check_method(method: str, by: str, *, heuristic: bool = False, noisy: bool = False) -> None:
    """Refuse, in the names of the command line, a method that cannot be fitted in this way."""
    known = [row.name for row in METHODS.values() if (row.by_columns if by == "columns" else row.by_rows)]
    how = f"by {by}"
    if heuristic:
        known, how = ["bce"], "by the heuristic"
    if noisy:
        known, how = ["ecpcs", "mcla"], "from noisy tables"
    if (DEFAULT if method == AUTO else method) not in known:
        called = "the default method" if method == AUTO else f"method {method!r}"
        raise click.UsageError(f"{called} cannot be fitted {how} of several sites; pass --method {', '.join(known)}.")


def estimator_of(method: str, parameters: dict[str, Any], n_clusters: int | str | None, seed: int) -> tuple[Any, Task]:
    """The estimator of a federated fit."""
    if n_clusters == AUTO and method not in (AUTO, "lwgp"):
        raise click.UsageError(f"--n-clusters auto is for --method lwgp here; pass --n-clusters NUMBER for {method!r}.")
    if n_clusters is None and method not in (AUTO, "lwgp", "nbce"):
        raise click.UsageError(f"method {method!r} needs the number of clusters; pass --n-clusters NUMBER.")
    if n_clusters is not None:
        parameters = parameters | {"n_clusters": n_clusters}
    if method == "nbce":
        parameters = {"inference": "vb"} | parameters  # the only one that sites can do without pooling
    check_usage(method, parameters)
    task = plan(method, parameters, seed=seed, jobs=1)
    return build(task.asked, task.parameters), task


def read_secret(path: str | None) -> str | None:
    """The key in a file, without the line's end."""
    if path is None:
        return None
    if os.name == "posix" and stat.S_IMODE(os.stat(path).st_mode) & 0o077:
        raise ValueError(f"{path} can be read by other users; a key is private: chmod 600 {path}")
    with open(path, encoding="utf-8") as file:
        return file.read().strip()
