"""``partita consensus``: labels in, one clustering out."""

from typing import Any

import click

from partita.cli._command import command
from partita.cli._file_options import InputFile, printed_output_option, reading_arguments, spreadsheet_option
from partita.cli._label_file import force_option, read_label_file
from partita.cli._methods import Named, build, check_usage, fit, plan
from partita.cli._model_file import save_model_file, save_model_option
from partita.cli._options import (
    annotate_option,
    compare_option,
    confidence_option,
    jobs_option,
    json_option,
    label_file_arguments,
    label_file_options,
    max_time,
    max_time_option,
    membership_option,
    method_options,
    parse_families,
    parse_settings,
    parse_value,
    report_option,
    seed_option,
    within_max_time,
)
from partita.cli._pages import Page, check_page, join_annotations, read_columns_beside, save_page
from partita.cli._part_options import given_part_options, is_in_parts, part_options, refuse_in_parts
from partita.cli._parts import run_parts
from partita.cli._python_lines import consensus_lines
from partita.cli._results import check_targets, label_table, show_results, summarise, write_results
from partita.cli._stages import Stopwatch


@command()
@click.argument("file", type=InputFile())
@printed_output_option(
    "File to write, by its name CSV, TSV, Parquet, Excel, NPY or NPZ [stdout]; or a folder, see above."
)
@method_options
@click.option("--divergence", help="For pcc: kl or l2 [kl].")
@click.option("--pairs", help="For pcc, baum-eagon, aspect: all, a share such as 0.01, or a number per object [all].")
@click.option("--features", type=InputFile(), help="For gbce: file of features, one row per object.")
@click.option(
    "--family",
    "families",
    metavar="[NAME=]FAMILY",
    multiple=True,
    help="For gbce: gaussian, poisson, bernoulli or categorical, of one feature (repeatable) or of all [by type].",
)
@membership_option
@confidence_option
@save_model_option
@report_option
@compare_option
@annotate_option
@seed_option
@jobs_option
@max_time_option
@label_file_options
@spreadsheet_option
@force_option
@part_options
@json_option
def consensus(
    file: str,
    output: str | None,
    method: str,
    n_clusters: int | str | None,
    settings: tuple[str, ...],
    divergence: str | None,
    pairs: str | None,
    features: str | None,
    families: tuple[str, ...],
    membership: str | None,
    confidence: str | None,
    save_model: str | None,
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
    noise: Any,
    force: bool,
    as_json: bool,
) -> None:
    """Find one clustering that agrees best with all clusterings of FILE.

    FILE has one row per object and one column per clustering, with empty fields (or -1) where a clustering did not
    see an object. The result has one row per object: its id and its cluster, the largest cluster being 0. Without
    options the number of clusters is found, and the summary says why; one cluster can be the answer.

    FILE can be a folder of files with the same columns, or a pattern in quotes ('parts/*.csv'), of any size: then -o,
    --membership and --confidence name folders, which get one file for each input. The same command, interrupted, goes
    on with the files that are not finished.
    """
    options = given_part_options()
    in_parts = is_in_parts(file, options)
    if in_parts:
        refuse_in_parts(report=report, save_model=save_model, compare=compare, annotate=annotate, features=features)
        refuse_in_parts(max_time=max_time())
    check_page(report, compare, annotate)
    if families and features is None:
        raise click.UsageError("--family describes the features; pass --features too.")
    given = {
        "n_clusters": n_clusters,
        "divergence": divergence,
        "pairs": None if pairs is None else parse_value(pairs),
        "families": parse_families(families) if families else None,
    }
    parameters = parse_settings(settings) | {name: value for name, value in given.items() if value is not None}
    check_usage(method, parameters, features)
    reading = label_file_arguments(columns, drop, id_column, no_ids, header)
    common = {"noise": noise, "membership": membership, "confidence": confidence}
    common |= {"seed": seed, "jobs": jobs, "force": force}
    if in_parts:
        show_results(run_parts(file, output, method, parameters, reading, options, **common), None, as_json)
        return
    summary, table = run_consensus(
        file,
        output,
        method,
        parameters,
        reading,
        **common,
        features=features,
        page=None if report is None else Page(report, compare=compare, seed=seed),
        annotate=annotate,
        save_model=save_model,
    )
    show_results(summary, table, as_json)


def run_consensus(
    file: str,
    output: str | None,
    method: str,
    parameters: dict[str, Any],
    reading: dict[str, Any],
    *,
    noise: Any = "missing",
    membership: str | None = None,
    confidence: str | None = None,
    features: str | None = None,
    seed: int = 0,
    jobs: int = 1,
    force: bool = False,
    page: Page | None = None,
    annotate: tuple[str, ...] = (),
    annotations: str | None = None,
    save_model: str | None = None,
) -> tuple[dict[str, Any], Any]:
    """Read, fit, write; returns a summary of plain values and the table of labels."""
    from partita import check_label_matrix
    from partita.io import read_features

    inputs, page_path = [file, features, annotations], None if page is None else page.path
    beside_page = [] if page is None else page.table_files
    check_targets([output, membership], inputs, tables=[confidence, *beside_page], page=page_path, model=save_model)
    task = plan(method, parameters, seed=seed, jobs=jobs)
    estimator = build(task.asked, task.parameters)
    known, reading = read_columns_beside(file, annotate, reading)
    table, reading, elsewhere = read_label_file(file, reading, force=force, beside=features is not None)
    matrix = check_label_matrix(table.labels, noise)
    of_features = ({"drop": elsewhere} if elsewhere else {}) | reading_arguments()
    beside = {} if features is None else {"features": read_features(features, table, **of_features)}
    if annotations is not None:
        known = join_annotations(known, read_features(annotations, table, **reading_arguments()))
    watch = Stopwatch()
    named = Named(table.object_ids(), table.id_name, [str(name) for name in table.labels.columns])
    with within_max_time():
        result = fit(task, estimator, matrix, named, **beside)
    seconds = watch.read()
    labels = label_table(table.object_ids(), table.id_name, result.labels)
    write_results(labels, result, output, membership, confidence)
    if save_model is not None:
        save_model_file(save_model, result.estimator, [str(name) for name in table.labels.columns], noise)
    lines = consensus_lines(task, file, reading, noise, features, of_features, page, annotate, annotations)
    if page is not None:
        watch = Stopwatch()
        save_page(page, result, known, lines, jobs)
        seconds["seconds_report"] = watch.read()["seconds"]
    summary = {
        "file": file,
        "method": task.method,
        "seed": seed,
        **summarise(task, result, matrix, seconds),
        "output": output,
        "membership_output": membership,
        "confidence_output": confidence,
        "report_output": page_path,
        "model_output": save_model,
        "python": lines,
    }
    return summary, labels
