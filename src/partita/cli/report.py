"""``partita report``: labels in, one page out that shows the consensus and how sure it is."""

from pathlib import Path
from typing import Any

import click

from partita.cli._command import command
from partita.cli._file_options import STANDARD, InputFile, is_spreadsheet_safe, spreadsheet_option
from partita.cli._label_file import force_option
from partita.cli._methods import check_usage
from partita.cli._options import (
    annotate_option,
    compare_option,
    jobs_option,
    json_option,
    label_file_arguments,
    label_file_options,
    max_time_option,
    method_options,
    parse_names,
    parse_settings,
    seed_option,
    within_max_time,
)
from partita.cli._pages import Page
from partita.cli._results import print_summary
from partita.cli._say import print_json
from partita.cli.consensus import run_consensus


@command()
@click.argument("file", type=InputFile())
@click.option("-o", "--output", type=click.Path(), required=True, help="Page to write, such as report.html.")
@method_options
@annotate_option
@click.option("--annotations", type=InputFile(), help="Another file of annotations, one row per object; rows are "
              "matched by the column of ids, if it has the same name in both.")  # fmt: skip
@compare_option
@click.option("--compare-methods", metavar="A,B,...", help="Show these methods side by side; see `partita methods`.")
@click.option("--resamples-of-clusterings", "n_resamples", type=click.IntRange(0), metavar="NUMBER",
              help="Resamples for the stability; 0 leaves it out [30].")  # fmt: skip
@click.option("--tables", is_flag=True, help="Write the full tables beside the page, as CSV files.")
@click.option("--title", help="Title of the page.")
@seed_option
@jobs_option
@max_time_option
@label_file_options
@spreadsheet_option
@force_option
@json_option
def report(
    file: str,
    output: str,
    method: str,
    n_clusters: int | str | None,
    settings: tuple[str, ...],
    annotate: tuple[str, ...],
    annotations: str | None,
    compare: bool,
    compare_methods: str | None,
    n_resamples: int | None,
    tables: bool,
    title: str | None,
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
    """Combine the clusterings of FILE and write a report: one HTML page that opens offline.

    The page says in plain words what was found and how sure it is: how many clusters and why, pictures, the least
    certain objects, the clusters, how far the clusterings agree, how stable the result is, and how it was made.
    """
    parameters = parse_settings(settings) | ({} if n_clusters is None else {"n_clusters": n_clusters})
    check_usage(method, parameters)
    if tables and output == STANDARD:
        raise click.UsageError("--tables writes files beside the page; name a file instead of standard output (-).")
    chosen = _methods_to_compare(compare_methods) if compare_methods else compare
    page = Page(output, title, chosen, tables, n_resamples, seed, is_spreadsheet_safe())
    reading = label_file_arguments(columns, drop, id_column, no_ids, header)
    with within_max_time():  # the page is what takes long, and is written at once
        summary, _ = run_consensus(
            file,
            None,
            method,
            parameters,
            reading,
            noise=noise,
            seed=seed,
            jobs=jobs,
            force=force,
            page=page,
            annotate=annotate,
            annotations=annotations,
        )
    elsewhere = ("membership_output", "confidence_output", "report_output", "model_output")
    written = [name for name in page.table_files if Path(name).exists()] if tables else None
    kept = {key: value for key, value in summary.items() if key not in elsewhere}
    summary = {**kept, "output": output, "tables_output": written}
    if as_json:
        print_json(summary)
    else:
        print_summary(summary)


def _methods_to_compare(names: str) -> list[str]:
    """Names of methods, refused before any work if there is no such method."""
    from partita.results._comparison import check_methods

    return check_methods(parse_names(names))
