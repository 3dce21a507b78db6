"""``partita compare``: every method that applies, side by side."""

import json
import sys
from typing import Any

import click

from partita.cli._methods import METHODS, build
from partita.cli._options import reading_arguments, reading_options


@click.command()
@click.argument("file", type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="File to write the table to [stdout alone].")
@click.option("--labels", "labels_output", type=click.Path(), help="File to write the labels of all methods to.")
@click.option(
    "-k",
    "--n-clusters",
    type=click.IntRange(min=1),
    help="Number of clusters [as many as evidence accumulation finds].",
)
@click.option("--methods", "names", metavar="A,B,...", help="Methods to compare [all; see `partita methods`].")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed, for methods that start at random.")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print table and agreement as JSON.")
def compare(
    file: str,
    output: str | None,
    labels_output: str | None,
    n_clusters: int | None,
    names: str | None,
    seed: int,
    columns: str | None,
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    noise: Any,
    as_json: bool,
) -> None:
    """Run many methods on the clusterings of FILE and compare what they find.

    The table tells, for each method, the number of clusters, the average normalised mutual information between its
    labels and the clusterings, and the seconds it took; below it, the adjusted Rand index between every two methods. A
    method that fails has the reason in its row and does not stop the others.
    """
    from partita import check_label_matrix
    from partita.io import check_output, read_labels, write_table

    chosen = _chosen(names)
    for target in (output, labels_output):
        if target is not None:
            check_output(target)
    table = read_labels(file, **reading_arguments(columns, id_column, no_ids, header))
    matrix = check_label_matrix(table.labels, noise)
    outcomes, k = _run(matrix, chosen, n_clusters, seed)
    result, agreed = _tables(outcomes)
    if output is not None:
        write_table(output, result)
    if labels_output is not None:
        write_table(labels_output, _labels(table, outcomes))
    if as_json:
        facts = {"file": file, "n_clusters": k, "methods": json.loads(result.to_json(orient="records"))}
        click.echo(json.dumps({**facts, "agreement": json.loads(agreed.to_json())}, indent=2))
        return
    given = "" if n_clusters else ", as evidence accumulation finds"
    click.echo(f"{matrix.shape[0]} objects, {matrix.shape[1]} clusterings; methods that need it take k = {k}{given}")
    _print_table(result)
    click.echo("\nadjusted Rand index between methods")
    click.echo(agreed.round(2).to_string())


def _chosen(names: str | None) -> list[str]:
    """Methods to run; by default all but those for soft clusterings."""
    if names is None:
        return [name for name, method in METHODS.items() if not method.for_soft]
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in chosen if name not in METHODS]
    if unknown or not chosen:
        raise click.UsageError(f"there is no method {(unknown or [names])[0]!r}; choose from {', '.join(METHODS)}.")
    return chosen


def _run(matrix: Any, chosen: list[str], n_clusters: int | None, seed: int) -> tuple[list[Any], int]:
    from partita.consensus.voting._supra_consensus import run_methods

    k = n_clusters or _number_of_clusters(matrix)
    outcomes: list[Any] = []
    for name in chosen:
        if sys.stderr.isatty():
            click.echo(f"  {name} ...", err=True)
        outcomes += run_methods(matrix, {name: build(name, _parameters(name, k, n_clusters is not None, seed))})
    return outcomes, k


def _number_of_clusters(matrix: Any) -> int:
    """As many as evidence accumulation finds, by single linkage where average linkage does not fit in memory."""
    from partita import EAC

    try:
        return int(EAC().fit(matrix).n_clusters_)
    except MemoryError:
        return int(EAC(linkage="single").fit(matrix).n_clusters_)


def _parameters(name: str, k: int, given: bool, seed: int) -> dict[str, Any]:
    """K for methods that need it, and for those that can find it if the user gave it; the seed."""
    import partita

    known = getattr(partita, METHODS[name].estimator)().get_params()
    parameters: dict[str, Any] = {"random_state": seed} if "random_state" in known else {}
    if "n_clusters" in known and (given or not METHODS[name].finds_k):
        parameters["n_clusters"] = k
    return parameters


def _tables(outcomes: list[Any]) -> tuple[Any, Any]:
    from partita.consensus.voting._supra_consensus import agreement, as_table

    return as_table(outcomes), agreement(outcomes)


def _labels(table: Any, outcomes: list[Any]) -> Any:
    import pandas as pd

    found = {outcome.name: outcome.labels for outcome in outcomes if outcome.labels is not None}
    return pd.DataFrame({table.id_name: table.object_ids(), **found})


def _print_table(result: Any) -> None:
    click.echo(f"{'method':<14} {'clusters':>8} {'average NMI':>11} {'seconds':>8}")
    for row in result.itertuples():
        if row.error:
            click.echo(f"{row.method:<14} failed: {row.error}")
        else:
            click.echo(f"{row.method:<14} {row.n_clusters:>8} {row.average_nmi:>11.3f} {row.seconds:>8.2f}")
