"""``partita choose``: how many clusters there are, and why."""

import json
import sys
from typing import Any

import click

from partita.cli._options import feature_arguments, feature_options, parse_numbers
from partita.cli._results import check_targets


@click.command()
@click.argument("file", type=click.Path())
@click.option(
    "-k",
    "--n-clusters",
    metavar="A,B,...|LOW-HIGH",
    help="Numbers to compare [2-10, or as far as the objects allow]; one cluster is always considered.",
)
@click.option(
    "--noise",
    type=click.Choice(["missing", "singleton", "cluster"]),
    default="missing",
    show_default=True,
    help="What -1 means among labels.",
)
@click.option("--features", is_flag=True, help="FILE holds features, not labels.")
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
    help="Objects that are used, at most; more are drawn from at random.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed.")
@click.option("--jobs", type=int, help="Number of threads [1]; the result does not depend on it.")
@feature_options
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def choose(
    file: str,
    n_clusters: str | None,
    noise: Any,
    features: bool,
    output: str | None,
    resamples: int,
    references: int,
    max_objects: int,
    seed: int,
    jobs: int | None,
    columns: str | None,
    drop: str | None,
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    scale: bool,
    as_json: bool,
) -> None:
    """Choose the number of clusters of the labels (or, with --features, of the features) of FILE, with reasons.

    Samples of the objects are clustered again and again; where there are k clusters, two objects are nearly always
    together or nearly always apart. That is compared with reference data without clusters, so that "one cluster" can be
    the answer.
    """
    from partita import check_label_matrix, choose_n_clusters
    from partita.cli.generate import read_scaled
    from partita.io import read_labels, write_table

    check_targets([], [file], tables=[output])
    numbers = None if n_clusters is None else parse_numbers(n_clusters)
    reading = feature_arguments(columns, drop, id_column, no_ids, header)
    if drop is not None and not features:
        raise click.UsageError("--drop is for --features.")
    if features:
        X: Any = read_scaled(file, reading, scale)[1]
    else:
        X = check_label_matrix(read_labels(file, **reading).labels, noise)
    choice = choose_n_clusters(
        X,
        [numbers] if isinstance(numbers, int) else numbers,
        kind="features" if features else "labels",
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
        facts = {"file": file, "n_clusters": choice.n_clusters, "p_value": choice.p_value, "reasons": choice.reasons}
        table = json.loads(choice.table.to_json(orient="records"))
        click.echo(json.dumps({**facts, "proposals": choice.proposals, "table": table}, indent=2))
        return
    click.echo(str(choice))
    if X.shape[0] > choice.n_objects:
        click.echo(f"\nfrom {choice.n_objects} of {X.shape[0]} objects (--max-objects)")
    if output is not None:
        click.echo(f"written to {output}")
