"""``partita choose``: how many clusters there are, and why."""

import json
import sys
from typing import Any

import click

from partita.cli._feature_file import holds_fractions, read_scaled
from partita.cli._options import (
    feature_file_arguments,
    feature_file_options,
    jobs_option,
    json_option,
    noise_option,
    parse_numbers,
    seed_option,
)
from partita.cli._results import check_targets


def _refuse_features(_: click.Context, __: click.Parameter, given: bool) -> None:
    """``--features`` was a flag here, and is a file in other commands."""
    if given:
        raise click.UsageError("choose has no option --features: pass --kind features if FILE holds features.")


@click.command()
@click.argument("file", type=click.Path())
@click.option(
    "-k",
    "--n-clusters",
    metavar="A,B,...|LOW-HIGH",
    help="Numbers to compare [2-10, or as far as the objects allow]; one cluster is always considered.",
)
@click.option(
    "--kind",
    type=click.Choice(["auto", "labels", "features"]),
    default="auto",
    show_default=True,
    help="What FILE holds; auto: labels if all numbers are integers, else features.",
)
@click.option("--features", is_flag=True, hidden=True, expose_value=False, callback=_refuse_features)
@click.option("-o", "--output", type=click.Path(), help="File to write the table to.")
@click.option(
    "--resamples",
    type=click.IntRange(min=2),
    default=20,
    show_default=True,
    help="Samples that are clustered for every number.",
)
@click.option(
    "--references",
    type=click.IntRange(min=1),
    default=19,
    show_default=True,
    help="Reference data sets without clusters.",
)
@click.option(
    "--max-objects",
    type=click.IntRange(min=4),
    default=1000,
    show_default=True,
    help="Largest number of objects that are used; if there are more, they are drawn at random.",
)
@seed_option
@jobs_option
@noise_option
@feature_file_options
@json_option
def choose(
    file: str,
    n_clusters: str | None,
    kind: str,
    output: str | None,
    resamples: int,
    references: int,
    max_objects: int,
    seed: int,
    jobs: int,
    noise: Any,
    columns: str | None,
    drop: str | None,
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    scale: bool,
    as_json: bool,
) -> None:
    """Choose the number of clusters of the labels or features of FILE, with reasons.

    Samples of the objects are clustered again and again; where there are k clusters, two objects are nearly always
    together or nearly always apart. That is compared with reference data without clusters, so that "one cluster" can be
    the answer.
    """
    from partita import choose_n_clusters
    from partita.io import write_table

    check_targets([], [file], tables=[output])
    numbers = None if n_clusters is None else parse_numbers(n_clusters)
    reading = feature_file_arguments(columns, drop, id_column, no_ids, header)
    if kind == "auto":
        kind = "features" if holds_fractions(file, reading) else "labels"
    X = read_scaled(file, reading, scale)[1] if kind == "features" else _read_labels(file, reading, noise)
    choice = choose_n_clusters(
        X,
        [numbers] if isinstance(numbers, int) else numbers,
        kind=kind,  # type: ignore[arg-type]  # click returns one of the three
        n_resamples=resamples,
        n_references=references,
        max_objects=max_objects,
        random_state=seed,
        n_jobs=jobs,
        verbose=sys.stderr.isatty(),
    )
    if output is not None:
        write_table(output, choice.table)
    if as_json:
        _print_json(choice, X, {"file": file, "kind": kind, "seed": seed, "output": output})
        return
    click.echo(str(choice))
    if X.shape[0] > choice.n_objects:
        click.echo(f"\nfrom {choice.n_objects} of {X.shape[0]} objects (--max-objects)")
    if output is not None:
        click.echo(f"written to {output}")


def _read_labels(file: str, reading: dict[str, Any], noise: Any) -> Any:
    from partita import check_label_matrix
    from partita.io import read_labels

    if "drop" in reading:
        raise click.UsageError("--drop leaves out features, and FILE is taken for labels; pass --kind features.")
    return check_label_matrix(read_labels(file, **reading).labels, noise)


def _print_json(choice: Any, X: Any, call: dict[str, Any]) -> None:
    width = "n_features" if call["kind"] == "features" else "n_clusterings"
    facts = {
        "n_objects": X.shape[0],
        "n_objects_used": choice.n_objects,
        width: X.shape[1],
        "n_clusters": choice.n_clusters,
        "p_value": choice.p_value,
        "reasons": choice.reasons,
        "proposals": choice.proposals,
        "table": json.loads(choice.table.to_json(orient="records")),
    }
    click.echo(json.dumps({**call, **facts}, indent=2))
