"""``partita consensus``: labels in, one clustering out."""

import json
import sys
import time
from typing import Any

import click

from partita.cli._methods import METHODS, build, python_call
from partita.cli._options import parse_families, parse_settings, parse_value, reading_arguments, reading_options
from partita.cli._results import check_targets, label_table, print_summary, summarise, write_results


@click.command()
@click.argument("file", type=click.Path())
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="File to write, by its name CSV, TSV, Parquet, NPY or NPZ [stdout].",
)
@click.option(
    "-m",
    "--method",
    type=click.Choice(list(METHODS)),
    default="eac",
    show_default=True,
    help="See `partita methods`.",
)
@click.option(
    "-k", "--n-clusters", type=click.IntRange(min=1), help="Number of clusters [found, where the method can]."
)
@click.option("--seed", type=int, help="Seed, for methods that start at random.")
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Any parameter of the estimator; repeatable.",
)
@click.option("--divergence", help="For pcc: kl or l2 [kl].")
@click.option("--pairs", help="For pcc, baum-eagon, aspect: all, a share such as 0.01, or a number an object [all].")
@click.option("--features", type=click.Path(), help="For gbce: table of features, one row an object.")
@click.option(
    "--family",
    "families",
    metavar="[NAME=]FAMILY",
    multiple=True,
    help="For gbce: gaussian, poisson, bernoulli or categorical, of one feature (repeatable) or of all [by type].",
)
@click.option("--membership", type=click.Path(), help="File to write the probabilities of a soft method to.")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def consensus(
    file: str,
    output: str | None,
    method: str,
    n_clusters: int | None,
    seed: int | None,
    settings: tuple[str, ...],
    divergence: str | None,
    pairs: str | None,
    features: str | None,
    families: tuple[str, ...],
    membership: str | None,
    columns: str | None,
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    noise: Any,
    as_json: bool,
) -> None:
    """Find one clustering that agrees best with all clusterings of FILE.

    FILE has one row an object and one column a clustering, with empty fields (or -1) where a clustering did not
    see an object. The result has one row an object: its id and its cluster, the largest cluster being 0.
    """
    parameters = parse_settings(settings)
    if n_clusters is not None:
        parameters["n_clusters"] = n_clusters
    if divergence is not None:
        parameters["divergence"] = divergence
    if pairs is not None:
        parameters["pairs"] = parse_value(pairs)
    if seed is not None:
        parameters["random_state"] = seed
    check_usage(method, parameters, membership, features)
    if families and features is None:
        raise click.UsageError("--family is of no use without --features.")
    if families:
        parameters["families"] = parse_families(families)
    reading = reading_arguments(columns, id_column, no_ids, header)
    summary, table = run_consensus(file, output, method, parameters, reading, noise, membership, features)
    if as_json:
        if output is None:
            summary["ids"], summary["labels"] = (table[name].tolist() for name in table.columns)
        click.echo(json.dumps(summary, indent=2))
        return
    if output is None:
        table.to_csv(sys.stdout, index=False)
    print_summary(summary, err=output is None)


def check_usage(method: str, parameters: dict[str, Any], membership: str | None, features: str | None = None) -> None:
    """Refuse options that the method has no use for, and a missing one that it needs."""
    if membership is not None and not METHODS[method].soft:
        raise click.UsageError(f"method {method!r} gives no probabilities; see `partita methods` for those that do.")
    if features is not None and method != "gbce":
        raise click.UsageError(f"method {method!r} knows labels alone; features are for --method gbce.")
    if not METHODS[method].finds_k and "n_clusters" not in parameters:
        raise click.UsageError(f"method {method!r} needs the number of clusters; pass --n-clusters.")


def run_consensus(
    file: str,
    output: str | None,
    method: str,
    parameters: dict[str, Any],
    reading: dict[str, Any],
    noise: Any = "missing",
    membership: str | None = None,
    features: str | None = None,
) -> tuple[dict[str, Any], Any]:
    """Read, fit, write; returns a summary of plain values and the table of labels."""
    from partita import check_label_matrix
    from partita.io import read_features, read_labels

    check_targets([output, membership], [file, features])
    estimator = build(method, parameters)
    if "verbose" in estimator.get_params() and "verbose" not in parameters:
        estimator.set_params(verbose=sys.stderr.isatty())
    table = read_labels(file, **reading)
    matrix = check_label_matrix(table.labels, noise)
    beside = {} if features is None else {"features": read_features(features, table)}
    start = time.perf_counter()
    estimator.fit(matrix, **beside)
    seconds = time.perf_counter() - start
    result = label_table(table.object_ids(), table.id_name, estimator.labels_)
    write_results(result, estimator, output, membership)
    summary = {
        "file": file,
        "method": method,
        **summarise(estimator, matrix, seconds),
        "output": output,
        "membership": membership,
        "python": python_call(method, parameters, file, reading, noise, features),
    }
    return summary, result
