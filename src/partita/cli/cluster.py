"""``partita cluster``: features in, one clustering out."""

import json
import sys
import time
from typing import Any

import click

from partita.cli._generators import Generator, choose_generator, generator_options
from partita.cli._methods import METHODS, build, call_of
from partita.cli._options import feature_arguments, feature_options, parse_settings
from partita.cli._results import check_targets, label_table, print_summary, summarise, write_results
from partita.cli.consensus import check_usage
from partita.cli.generate import read_scaled


@click.command()
@click.argument("file", type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="File to write the clusters to [stdout].")
@click.option(
    "-m",
    "--method",
    type=click.Choice(list(METHODS)),
    default="eac",
    show_default=True,
    help="Consensus method; see `partita methods`.",
)
@click.option(
    "-k", "--n-clusters", type=click.IntRange(min=1), help="Number of clusters [found, where the method can]."
)
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Any parameter of the consensus estimator; repeatable.",
)
@generator_options
@click.option("--labels", type=click.Path(), help="File to write the labels of all clusterings to.")
@click.option("--membership", type=click.Path(), help="File to write the probabilities of a soft method to.")
@feature_options
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def cluster(
    file: str,
    output: str | None,
    method: str,
    n_clusters: int | None,
    settings: tuple[str, ...],
    base: str | None,
    n_clusterings: int | None,
    base_clusters: str | None,
    sample_fraction: float | None,
    seed: int,
    jobs: int | None,
    labels: str | None,
    membership: str | None,
    columns: str | None,
    drop: str | None,
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    scale: bool,
    as_json: bool,
) -> None:
    """Cluster the objects of FILE by a consensus of many clusterings of their features.

    FILE has one row an object and one column a feature. The result has one row an object: its id and its cluster, the
    largest cluster being 0.
    """
    parameters = parse_settings(settings)
    if n_clusters is not None:
        parameters["n_clusters"] = n_clusters
    check_usage(method, parameters, membership)
    check_targets([output, labels, membership], [file])
    reading = feature_arguments(columns, drop, id_column, no_ids, header)
    generator = choose_generator(base, n_clusterings, base_clusters, sample_fraction, seed, jobs)
    if "random_state" in build(method, {}).get_params():
        parameters.setdefault("random_state", seed)
    summary, table = _run(file, method, parameters, generator, reading, scale, output, labels, membership)
    if as_json:
        if output is None:
            summary["ids"], summary["labels_of_objects"] = (table[name].tolist() for name in table.columns)
        click.echo(json.dumps(summary, indent=2))
        return
    if output is None:
        table.to_csv(sys.stdout, index=False)
    print_summary(summary, err=output is None)


def _run(
    file: str,
    method: str,
    parameters: dict[str, Any],
    generator: Generator,
    reading: dict[str, Any],
    scale: bool,
    output: str | None,
    labels: str | None,
    membership: str | None,
) -> tuple[dict[str, Any], Any]:
    """Read, generate, combine, write; returns a summary of plain values and the table of clusters."""
    import pandas as pd

    from partita.io import write_matrix

    show = sys.stderr.isatty()
    estimator = build(method, parameters)
    if "verbose" in estimator.get_params() and "verbose" not in parameters:
        estimator.set_params(verbose=show)
    ids, features = read_scaled(file, reading, scale)
    start = time.perf_counter()
    built = generator.build(verbose=show)
    X = built.fit_transform(features)
    estimator.fit(X)
    seconds = time.perf_counter() - start
    result = label_table(ids, str(ids.name), estimator.labels_)
    if labels is not None:
        matrix = pd.DataFrame(X, columns=built.get_feature_names_out())
        write_matrix(labels, matrix.where(matrix >= 0).astype("Int64"), ids=ids)
    write_results(result, estimator, output, membership)
    summary = {
        "file": file,
        "method": method,
        "n_features": features.shape[1],
        **summarise(estimator, X, seconds),
        "output": output,
        "labels": labels,
        "membership": membership,
        "python": _python_call(file, method, parameters, generator, reading, scale),
    }
    return summary, result


def _python_call(
    file: str, method: str, parameters: dict[str, Any], generator: Generator, reading: dict[str, Any], scale: bool
) -> str:
    """The Python lines that do the same."""
    how = "".join(f", {name}={value!r}" for name, value in reading.items())
    steps = (["StandardScaler()"] if scale else []) + [generator.call(), call_of(method, parameters)]
    return "\n".join(
        [
            f"from partita import {METHODS[method].estimator}, {generator.name}",
            "from partita.io import read_feature_table",
            "from sklearn.pipeline import make_pipeline",
            *(["from sklearn.preprocessing import StandardScaler"] if scale else []),
            f"F = read_feature_table({file!r}{how}).features",
            f"labels = make_pipeline({', '.join(steps)}).fit_predict(F)",
        ]
    )
