"""``partita choose``: how many clusters there are, and why."""

import json
import shlex
import textwrap
import warnings
from typing import Any

import click

from partita.cli._command import command
from partita.cli._feature_file import print_features, read_points
from partita.cli._file_options import InputFile, save_table, spreadsheet_option
from partita.cli._label_file import read_unless_features
from partita.cli._methods import DEFAULT, build, fill_in
from partita.cli._options import (
    feature_file_arguments,
    feature_file_options,
    jobs_option,
    json_option,
    kind_option,
    max_time_option,
    noise_option,
    parse_numbers,
    seed_option,
    within_max_time,
    words_of_reading,
)
from partita.cli._results import check_targets, count
from partita.cli._say import is_quiet, print_json, say, shows_progress
from partita.cli._width import width


def _refuse_features(_: click.Context, __: click.Parameter, given: bool) -> None:
    """``--features`` was a flag here, and is a file in other commands."""
    if given:
        raise click.UsageError("choose has no option --features: pass --kind features if FILE holds features.")


@command()
@click.argument("file", type=InputFile())
@click.option(
    "-k",
    "--n-clusters",
    metavar="A,B,...|LOW-HIGH",
    help="Numbers to compare [2-10, or as far as the objects allow]; one cluster is always considered.",
)
@kind_option
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
@max_time_option
@noise_option
@feature_file_options
@spreadsheet_option
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
    drop: tuple[str, ...],
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    impute: str | None,
    encode: bool,
    scale: bool,
    as_json: bool,
) -> None:
    """Choose the number of clusters of the labels or features of FILE, with reasons.

    Samples of the objects are clustered again and again; where there are k clusters, two objects are nearly always
    together or nearly always apart. That is compared with reference data without clusters, so that "one cluster" can be
    the answer.
    """
    from partita import choose_n_clusters

    check_targets([], [file], tables=[output])
    numbers = None if n_clusters is None else parse_numbers(n_clusters)
    reading = feature_file_arguments(columns, drop, id_column, no_ids, header, impute, encode)
    labels = read_unless_features(file, reading, kind)
    facts: dict[str, Any] = {}
    if labels is None:
        _, X, facts = read_points(file, reading, scale)
    else:
        X = _label_matrix(labels.table, reading, noise)
    with within_max_time():
        by_halves = None if labels is None else _by_halves(X, seed, jobs)
        choice = choose_n_clusters(
            X,
            [numbers] if isinstance(numbers, int) else numbers,
            kind="features" if labels is None else "labels",
            n_resamples=resamples,
            n_references=references,
            max_objects=max_objects,
            random_state=seed,
            n_jobs=jobs,
            verbose=shows_progress(),
        )
    if output is not None:
        save_table(output, choice.table)
    if as_json:
        halves = {} if labels is None else {"halves_n_clusters": by_halves}
        _print_facts(choice, X, {"file": file, "kind": choice.kind, "seed": seed, **facts, **halves, "output": output})
        return
    if is_quiet():
        click.echo(choice.n_clusters)
        return
    _print_choice(choice, facts, by_halves)
    if X.shape[0] > choice.n_objects:
        say(f"\nfrom {choice.n_objects} of {X.shape[0]} objects (--max-objects)")
    if output is not None:
        say(f"written to {output}")
    say(f"\n{_next(choice, file, reading, scale, noise)}")


def _label_matrix(table: Any, reading: dict[str, Any], noise: Any) -> Any:
    from partita import check_label_matrix

    wrong = [name for name in ("impute", "encode") if name in reading]
    if wrong:
        raise click.UsageError(f"--{wrong[0]} is for features, and FILE is taken for labels; pass --kind features.")
    return check_label_matrix(table.labels, noise)


def _by_halves(X: Any, seed: int, jobs: int) -> int | None:
    """The number that `partita consensus` takes without options; None if its tables do not fit in memory."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whether there are clusters is told by the comparison with data without them
        try:
            return int(build(DEFAULT, fill_in(DEFAULT, {}, seed=seed, jobs=jobs)).fit(X).choice_.n_clusters)
        except MemoryError:
            return None


# Columns of the table that are printed, their titles, and what they say; a file holds all columns.
_SHOWN = {
    "n_clusters": ("k", "number of clusters that is tried"),
    "n_found": ("found", "clusters that are found among all objects"),
    "pac": ("PAC", "share of pairs that are now together, now apart; low is good"),
    "reference_pac": ("chance", "the same in data without clusters: PAC should be far below it"),
    "p_value": ("p", "share of data without clusters that look as good; small is good"),
    "stability": ("stability", "agreement of the samples with the whole (ARI); 1 is best"),
    "lifetime": ("lifetime", "how long k clusters last in a tree of merges; high is good"),
    "bic": ("BIC", "criterion of a mixture model; low is good"),
}


def _print_choice(choice: Any, facts: dict[str, Any], by_halves: int | None) -> None:
    """The number, the reasons, the table and what its columns say."""
    found = "no clusters (all objects are one)" if choice.n_clusters == 1 else count(choice.n_clusters, "cluster")
    say(f"{found}, from {choice.kind} of {count(choice.n_objects, 'object')}")
    more = [] if by_halves is None else [f"halves of the clusterings: {by_halves} (what --n-clusters auto takes)"]
    for reason in choice.reasons + more:
        say(textwrap.fill(reason, width(), initial_indent="  - ", subsequent_indent="    "))
    if facts:
        print_features(facts, err=False)
    table = choice.table[list(_SHOWN)].rename(columns={name: title for name, (title, _) in _SHOWN.items()})
    say(f"\n{table.round(3).to_string(index=False)}\n")
    for title, meaning in _SHOWN.values():
        say(f"{title:<9}  {meaning}")
    say("(-o FILE writes more columns, --json prints them)")


def _next(choice: Any, file: str, reading: dict[str, Any], scale: bool, noise: str) -> str:
    """The command that uses the number."""
    if choice.n_clusters == 1:
        return "next: nothing; a clustering would cut one group into parts (-k compares other numbers)"
    command, result = ("consensus", "consensus.csv") if choice.kind == "labels" else ("cluster", "clusters.csv")
    words = ["partita", command, file, "-o", result, "--n-clusters", str(choice.n_clusters)]
    words += words_of_reading(reading)
    words += [] if choice.kind == "labels" or scale else ["--no-scale"]
    words += [] if choice.kind == "features" or noise == "missing" else ["--noise", noise]
    return f"next: {shlex.join(words)}"


def _print_facts(choice: Any, X: Any, call: dict[str, Any]) -> None:
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
    print_json({**call, **facts})
