"""``partita cluster``: features in, one clustering out."""

import sys
from typing import Any

import click

from partita.cli._feature_file import read_points
from partita.cli._file_options import InputFile, printed_output_option, save_matrix, spreadsheet_option
from partita.cli._generators import Generator, choose_generator, generator_options
from partita.cli._methods import Task, build, check_usage, fit, plan
from partita.cli._options import (
    confidence_option,
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
@confidence_option
@seed_option
@jobs_option
@feature_file_options
@spreadsheet_option
@json_option
def cluster(
    file: str,
    output: str | None,
    method: str,
    n_clusters: int | str | None,
    settings: tuple[str, ...],
    base: str | None,
    n_clusterings: int | None,
    base_clusters: str | None,
    sample_fraction: float | None,
    labels: str | None,
    membership: str | None,
    confidence: str | None,
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
    check_usage(method, parameters)
    check_targets([output, labels, membership], [file], tables=[confidence])
    reading = feature_file_arguments(columns, drop, id_column, no_ids, header, impute, encode)
    generator = choose_generator(base, n_clusterings, base_clusters, sample_fraction, seed, jobs)
    task = plan(method, parameters, seed=seed, jobs=jobs)
    found, table = _run(file, task, generator, reading, scale, output, labels, membership, confidence)
    summary = {
        "file": file,
        "method": task.method,
        "seed": seed,
        **found,
        "output": output,
        "labels_output": labels,
        "membership_output": membership,
        "confidence_output": confidence,
        "python": cluster_lines(task, generator, file, reading, scale),
    }
    show_results(summary, table, as_json)


def _run(
    file: str,
    task: Task,
    generator: Generator,
    reading: dict[str, Any],
    scale: bool,
    output: str | None,
    labels: str | None,
    membership: str | None,
    confidence: str | None,
) -> tuple[dict[str, Any], Any]:
    """Read, generate, combine, write; returns what was found as plain values, and the table of clusters."""
    import pandas as pd

    estimator = build(task.asked, task.parameters)
    points = read_points(file, reading, scale)
    watch = Stopwatch()
    with naming(GENERATOR):
        built = generator.build(verbose=sys.stderr.isatty())
        X = built.fit_transform(points.values)
    result = fit(task, estimator, X)
    seconds = watch.read()
    ids = points.ids
    table = label_table(ids, str(ids.name), result.labels)
    if labels is not None:
        matrix = pd.DataFrame(X, columns=built.get_feature_names_out())
        save_matrix(labels, matrix.where(matrix >= 0).astype("Int64"), ids=ids)
    write_results(table, result, output, membership, confidence)
    return {"n_features": points.shape[1], **points.facts, **summarise(task, result, X, seconds)}, table
