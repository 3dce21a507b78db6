"""``partita compare``: every method that applies, side by side."""

import json
import sys
from typing import Any

import click

from partita.cli._methods import build, fill_in
from partita.cli._options import (
    jobs_option,
    json_option,
    label_file_arguments,
    label_file_options,
    parse_names,
    seed_option,
)
from partita.cli._results import check_targets, cluster_sizes, count, rounded
from partita.consensus._methods import METHODS


@click.command()
@click.argument("file", type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="File to write the table to [printed only].")
@click.option("--labels", type=click.Path(), help="File to write the labels of all methods to.")
@click.option(
    "-k",
    "--n-clusters",
    type=click.IntRange(min=1),
    help="Number of clusters [as many as evidence accumulation finds]; methods that always find it themselves, as "
    "nbce does, ignore it.",
)
@click.option("--methods", "names", metavar="A,B,...", help="Methods to compare [all; see `partita methods`].")
@seed_option
@jobs_option
@label_file_options
@json_option
def compare(
    file: str,
    output: str | None,
    labels: str | None,
    n_clusters: int | None,
    names: str | None,
    seed: int,
    jobs: int,
    columns: str | None,
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    noise: Any,
    as_json: bool,
) -> None:
    """Run many methods on the clusterings of FILE and compare what they find.

    The table shows, for each method, the number of clusters, the average normalised mutual information between its
    labels and the clusterings, and the seconds it took; below it, the adjusted Rand index between every two methods. A
    method that fails has the reason in its row and does not stop the others; it is an error if all of them fail.
    """
    from partita import check_label_matrix
    from partita.io import read_labels, write_table

    chosen = _chosen(names)
    check_targets([output, labels], [file])
    table = read_labels(file, **label_file_arguments(columns, id_column, no_ids, header))
    matrix = check_label_matrix(table.labels, noise)
    outcomes, k = _run(matrix, chosen, n_clusters, seed, jobs)
    result, agreed = _tables(outcomes)
    if output is not None:
        write_table(output, result)
    if labels is not None:
        write_table(labels, _labels(table, outcomes))
    if as_json:
        facts = {
            "file": file,
            "seed": seed,
            "n_objects": matrix.shape[0],
            "n_clusterings": matrix.shape[1],
            "given_n_clusters": k,
            "output": output,
            "methods_output": labels,
            "methods": json.loads(result.to_json(orient="records")),
            "agreement": json.loads(agreed.to_json()),
        }
        click.echo(json.dumps(facts, indent=2))
        return
    given = "" if n_clusters else ", as evidence accumulation finds"
    counts = f"{count(matrix.shape[0], 'object')}, {count(matrix.shape[1], 'clustering')}"
    click.echo(f"{counts}; methods that need it take k = {k}{given}")
    _print_table(result)
    click.echo("\nadjusted Rand index between methods")
    click.echo(agreed.round(2).to_string())


def _chosen(names: str | None) -> list[str]:
    """Methods to run; by default all but those for soft clusterings."""
    if names is None:
        return [name for name, method in METHODS.items() if not method.for_soft]
    chosen = parse_names(names)
    unknown = [name for name in chosen if name not in METHODS]
    if unknown or not chosen:
        raise click.UsageError(f"there is no method {(unknown or [names])[0]!r}; choose from {', '.join(METHODS)}.")
    return chosen


def _run(matrix: Any, chosen: list[str], n_clusters: int | None, seed: int, jobs: int) -> tuple[list[Any], int]:
    """What became of each method, and k."""
    from partita.consensus.voting._supra_consensus import run_methods

    k = n_clusters or _number_of_clusters(matrix)
    outcomes: list[Any] = []
    for name in chosen:
        if sys.stderr.isatty():
            click.echo(f"  {name} ...", err=True)
        wanted = n_clusters if METHODS[name].finds_k else k  # a method that finds k is given it only by the user
        estimator = build(name, fill_in(name, {}, seed=seed, jobs=jobs, n_clusters=wanted))
        outcomes += run_methods(matrix, {name: estimator})
    if all(outcome.labels is None for outcome in outcomes):
        errors = "; ".join(f"{outcome.name}: {outcome.error}" for outcome in outcomes)
        raise ValueError(f"no method gave a result: {errors}")
    return outcomes, k


def _number_of_clusters(matrix: Any) -> int:
    """As many as evidence accumulation finds, by single linkage where average linkage does not fit in memory."""
    from partita import EAC

    try:
        return int(EAC().fit(matrix).n_clusters_)
    except MemoryError:
        return int(EAC(linkage="single").fit(matrix).n_clusters_)


def _tables(outcomes: list[Any]) -> tuple[Any, Any]:
    """One row per method, and the agreement between methods."""
    from partita.consensus.voting._supra_consensus import agreement, as_table

    found = [outcome if outcome.labels is None else _as_printed(outcome) for outcome in outcomes]
    return as_table(found), agreement(outcomes)


def _as_printed(outcome: Any) -> Any:
    """The outcome with the clusters that have objects, and the digits of all commands."""
    return outcome._replace(
        n_clusters=len(cluster_sizes(outcome.labels)),
        average_nmi=rounded(outcome.average_nmi),
        seconds=round(outcome.seconds, 3),
    )


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
