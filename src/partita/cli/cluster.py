"""``partita cluster``: features in, one clustering out."""

import sys
from typing import Any

import click

from partita.cli._feature_file import read_points
from partita.cli._file_options import InputFile, printed_output_option, save_matrix, spreadsheet_option
from partita.cli._generators import Generator, choose_generator, generator_options
from partita.cli._methods import build, check_usage, fill_in, upper_bound
from partita.cli._options import (
    feature_file_arguments,
    feature_file_options,
    jobs_option,
    json_option,
    membership_option,
    method_options,
    parse_settings,
    seed_option,
)
from partita.cli._python_lines import cluster_lines
from partita.cli._results import check_targets, label_table, show_results, summarise, write_results
from partita.cli._stages import Stopwatch
from partita.cli._words import GENERATOR, naming


@click.command()
@click.argument("file", type=InputFile())
@printed_output_option("File to write the clusters to [stdout].")
@method_options
@generator_options
@click.option("--labels", type=click.Path(), help="File to write the labels of all clusterings to.")
@membership_option
@seed_option
@jobs_option
@feature_file_options
@spreadsheet_option
@json_option
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
    labels: str | None,
    membership: str | None,
    seed: int,
    jobs: int,
    columns: str | None,
    drop: tuple[str, ...],
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    impute: str | None,
    encode: bool,
    scale: bool,
    as_json: bool,
) -> None:
    """Cluster the objects of FILE by a consensus of many clusterings of their features.

    FILE has one row per object and one column per feature. The result has one row per object: its id and its cluster,
    the largest cluster being 0.
    """
    parameters = parse_settings(settings) | ({} if n_clusters is None else {"n_clusters": n_clusters})
    check_usage(method, parameters, membership)
    check_targets([output, labels, membership], [file])
    reading = feature_file_arguments(columns, drop, id_column, no_ids, header, impute, encode)
    generator = choose_generator(base, n_clusterings, base_clusters, sample_fraction, seed, jobs)
    parameters = fill_in(method, parameters, seed=seed, jobs=jobs)
    found, table = _run(file, method, parameters, generator, reading, scale, output, labels, membership)
    summary = {
        "file": file,
        "method": method,
        "seed": seed,
        **found,
        "output": output,
        "labels_output": labels,
        "membership_output": membership,
        "python": cluster_lines(method, parameters, generator, file, reading, scale),
    }
    show_results(summary, table, as_json)


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
    """Read, generate, combine, write; returns what was found as plain values, and the table of clusters."""
    import pandas as pd

    estimator = build(method, parameters)
    points = read_points(file, reading, scale)
    watch = Stopwatch()
    with naming(GENERATOR):
        built = generator.build(verbose=sys.stderr.isatty())
        X = built.fit_transform(points.values)
    estimator.fit(X)
    seconds = watch.read()
    ids = points.ids
    result = label_table(ids, str(ids.name), estimator.labels_)
    if labels is not None:
        matrix = pd.DataFrame(X, columns=built.get_feature_names_out())
        save_matrix(labels, matrix.where(matrix >= 0).astype("Int64"), ids=ids)
    write_results(result, estimator, output, membership)
    found = {"n_features": points.shape[1], **points.facts, **summarise(estimator, X, seconds)}
    return {**found, "upper_bound": upper_bound(method, estimator)}, result
