"""``partita cluster``: features in, one clustering out."""

from typing import Any

import click

from partita.cli._command import command
from partita.cli._feature_file import read_points
from partita.cli._file_options import InputFile, printed_output_option, save_matrix, spreadsheet_option
from partita.cli._generators import Generator, choose_generator, generator_options
from partita.cli._methods import Named, Task, build, check_usage, fit, plan
from partita.cli._options import (
    annotate_option,
    compare_option,
    confidence_option,
    feature_file_arguments,
    feature_file_options,
    jobs_option,
    json_option,
    max_time_option,
    membership_option,
    method_options,
    parse_settings,
    report_option,
    seed_option,
    within_max_time,
)
from partita.cli._pages import Page, check_page, read_columns_beside, save_page
from partita.cli._python_lines import cluster_lines
from partita.cli._results import check_targets, label_table, show_results, summarise, write_results
from partita.cli._say import shows_progress
from partita.cli._stages import Stopwatch
from partita.cli._words import GENERATOR, naming


@command()
@click.argument("file", type=InputFile())
@printed_output_option("File to write the clusters to [stdout].")
@method_options
@generator_options
@click.option("--labels", type=click.Path(), help="File to write the labels of all clusterings to.")
@membership_option
@confidence_option
@report_option
@compare_option
@annotate_option
@seed_option
@jobs_option
@max_time_option
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
    report: str | None,
    compare: bool,
    annotate: tuple[str, ...],
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
    check_page(report, compare, annotate)
    check_targets([output, labels, membership], [file], tables=[confidence], page=report)
    reading = feature_file_arguments(columns, drop, id_column, no_ids, header, impute, encode)
    annotations, reading = read_columns_beside(file, annotate, reading)
    generator = choose_generator(base, n_clusterings, base_clusters, sample_fraction, seed, jobs)
    task = plan(method, parameters, seed=seed, jobs=jobs)
    found, table, result = _run(file, task, generator, reading, scale, output, labels, membership, confidence)
    page = None if report is None else Page(report, compare=compare, seed=seed)
    lines = cluster_lines(task, generator, file, reading, scale, page, annotate)
    if page is not None:
        watch = Stopwatch()
        save_page(page, result, annotations, lines, jobs)
        found["seconds_report"] = watch.read()["seconds"]
    summary = {
        "file": file,
        "method": task.method,
        "seed": seed,
        **found,
        "output": output,
        "labels_output": labels,
        "membership_output": membership,
        "confidence_output": confidence,
        "report_output": report,
        "python": lines,
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
) -> tuple[dict[str, Any], Any, Any]:
    """Read, generate, combine, write; returns what was found as plain values, the table of clusters, and the result."""
    import pandas as pd

    estimator = build(task.asked, task.parameters)
    points = read_points(file, reading, scale)
    watch = Stopwatch()
    with within_max_time():
        with naming(GENERATOR):
            built = generator.build(verbose=shows_progress())
            X = built.fit_transform(points.values)
        ids, names = points.ids, [str(name) for name in built.get_feature_names_out()]
        result = fit(task, estimator, X, Named(ids.to_numpy(), str(ids.name), names))
    seconds = watch.read()
    table = label_table(ids, str(ids.name), result.labels)
    if labels is not None:
        matrix = pd.DataFrame(X, columns=names)
        save_matrix(labels, matrix.where(matrix >= 0).astype("Int64"), ids=ids)
    write_results(table, result, output, membership, confidence)
    facts = {"n_features": points.shape[1], **points.facts, **summarise(task, result, X, seconds)}
    return facts, table, result
