"""Options that the commands of ``partita federate`` share."""

from typing import Any

import click

from partita.cli._methods import AUTO, Task, build, check_usage, plan

by_option = click.option(
    "--by",
    type=click.Choice(["rows", "columns"]),
    default="rows",
    show_default=True,
    help="What the sites do not share: objects (rows), or clusterings of the same objects (columns).",
)
heuristic_option = click.option(
    "--heuristic", is_flag=True, help="By rows, bce: the sequential heuristic of the paper instead of exact EM."
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
    "--timeout", type=float, default=600.0, show_default=True, metavar="SECONDS", help="For each reply of a site."
)
join_timeout_option = click.option(
    "--join-timeout", type=float, default=600.0, show_default=True, metavar="SECONDS", help="For all to be there."
)
workspace_option = click.option(
    "--workspace", type=click.Path(), metavar="FOLDER", help="Keep the engine's files and logs there."
)


def estimator_of(method: str, parameters: dict[str, Any], n_clusters: int | str | None, seed: int) -> tuple[Any, Task]:
    """The estimator of a federated fit."""
    if n_clusters == AUTO and method not in (AUTO, "lwgp"):
        raise click.UsageError(f"--n-clusters auto is for --method lwgp here; pass --n-clusters NUMBER for {method!r}.")
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
    with open(path, encoding="utf-8") as file:
        return file.read().strip()
