"""``partita compare``: every method that applies, side by side."""

import json
import re
import textwrap
import warnings
from functools import partial
from typing import Any

import click

from partita.cli._command import command
from partita.cli._file_options import InputFile, save_table, spreadsheet_option
from partita.cli._label_file import force_option, read_label_file
from partita.cli._methods import AUTO, DEFAULT, NAMES, Task, build, fill_in
from partita.cli._options import (
    NumberOfClusters,
    jobs_option,
    json_option,
    label_file_arguments,
    label_file_options,
    max_time_option,
    parse_names,
    seed_option,
    within_max_time,
)
from partita.cli._results import check_targets, cluster_sizes, count, rounded
from partita.cli._say import print_json, say, say_result, shows_progress
from partita.cli._stages import stage
from partita.cli._width import width
from partita.cli._words import in_options
from partita.consensus._registered import all_methods, find_method


@command()
@click.argument("file", type=InputFile())
@click.option("-o", "--output", type=click.Path(), help="File to write the table to [printed only].")
@click.option("--labels", type=click.Path(), help="File to write the labels of all methods to.")
@click.option(
    "-k",
    "--n-clusters",
    type=NumberOfClusters(),
    metavar="NUMBER|auto",
    help="Number of clusters [auto: on which halves of the clusterings agree best]; methods that always find it "
    "themselves, as nbce does, ignore it.",
)
@click.option(
    "--methods", "names", metavar="A,B,...", help="Methods to compare [auto and all others; see `partita methods`]."
)
@seed_option
@jobs_option
@max_time_option
@click.option("--matrix", is_flag=True, help="Print the adjusted Rand index between every two methods, too.")
@click.option("--matrix-output", type=click.Path(), help="File to write that matrix to.")
@label_file_options
@spreadsheet_option
@force_option
@json_option
def compare(
    file: str,
    output: str | None,
    labels: str | None,
    n_clusters: int | str | None,
    names: str | None,
    seed: int,
    jobs: int,
    matrix: bool,
    matrix_output: str | None,
    columns: str | None,
    drop: tuple[str, ...],
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    noise: Any,
    force: bool,
    as_json: bool,
) -> None:
    """Run many methods on the clusterings of FILE and compare what they find.

    The first row is `auto`, what `partita consensus` does without options; the method behind it has no other row.
    The table shows, for each method, the number of clusters, the average normalised mutual information (NMI) between
    its labels and the clusterings, the average adjusted Rand index (ARI) with the other methods, and the seconds it
    took. A method that fails has the reason below the table and does not stop the others; it is an error if all of them
    fail.
    """
    from partita import check_label_matrix

    chosen = _chosen(names)
    check_targets([labels], [file], tables=[output, matrix_output])
    table = read_label_file(file, label_file_arguments(columns, drop, id_column, no_ids, header), force=force).table
    X = check_label_matrix(table.labels, noise)
    with within_max_time():
        outcomes, k, found = _run(X, chosen, None if n_clusters in (None, AUTO) else int(n_clusters), seed, jobs)
    result, agreed = _tables(outcomes)
    if output is not None:
        save_table(output, result)
    if labels is not None:
        save_table(labels, _labels(table, outcomes))
    if matrix_output is not None:
        save_table(matrix_output, agreed.rename_axis("method").reset_index())
    if as_json:
        facts = {
            "file": file,
            "seed": seed,
            "n_objects": X.shape[0],
            "n_clusterings": X.shape[1],
            "given_n_clusters": k,
            "output": output,
            "methods_output": labels,
            "matrix_output": matrix_output,
            "methods": json.loads(result.to_json(orient="records")),
            "agreement": json.loads(agreed.to_json()),
        }
        print_json(facts)
        return
    say(f"{count(X.shape[0], 'object')}, {count(X.shape[1], 'clustering')}")
    _print_note(f"methods that need the number of clusters take k = {k}{found}")
    _print_table(result, agreed, in_file=output is not None)
    if matrix:
        _print_matrix(agreed, in_file=matrix_output is not None)
    for written in filter(None, (output, labels, matrix_output)):
        say(f"written to {written}")


def _chosen(names: str | None) -> list[str]:
    """Methods to run; by default the default, and all others but those for soft clusterings."""
    if names is None:
        return [AUTO, *(name for name, method in all_methods().items() if not method.for_soft and name != DEFAULT)]
    chosen = parse_names(names)
    known = NAMES if chosen and set(chosen) <= set(NAMES) else [AUTO, *all_methods()]
    unknown = [name for name in chosen if name not in known]
    if unknown or not chosen:
        raise click.UsageError(f"there is no method {(unknown or [names])[0]!r}; choose from {', '.join(known)}.")
    return chosen


def _run(X: Any, chosen: list[str], n_clusters: int | None, seed: int, jobs: int) -> tuple[list[Any], int, str]:
    """What became of each method, k, and in words how it was found."""
    from partita._runs import progress
    from partita.consensus.voting._supra_consensus import run_methods

    with stage("finding the number of clusters"):
        k, found = (n_clusters, "") if n_clusters else _number_of_clusters(X, seed, jobs)
    outcomes: list[Any] = []
    with progress(len(chosen), "methods", show=shows_progress()) as bar:
        for name in chosen:
            outcomes += run_methods(X, {name: _build(name, n_clusters, k, seed, jobs)})
            bar.update(1)
    if all(outcome.labels is None for outcome in outcomes):
        errors = " ".join(f"{outcome.name}: {_in_plain_words(outcome.error)}" for outcome in outcomes)
        raise ValueError(f"no method gave a result: {errors}")
    return outcomes, k, found


def _build(name: str, n_clusters: int | None, k: int, seed: int, jobs: int) -> Any:
    """The estimator; one of another package that cannot be made says so when it is fitted, as any that fails."""
    method = Task(name, {}).method
    wanted = n_clusters if find_method(method).finds_k else k  # a method that finds k is given it only by the user
    try:
        return build(name, fill_in(method, {}, seed=seed, jobs=jobs, n_clusters=wanted))
    except (ImportError, TypeError) as error:
        return _CannotBeBuilt(error)


class _CannotBeBuilt:
    """In the place of a method that cannot be made."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __sklearn_clone__(self) -> "_CannotBeBuilt":
        return self

    def fit(self, _: Any) -> Any:
        """Raise why."""
        raise self.error


def _number_of_clusters(X: Any, seed: int, jobs: int) -> tuple[int, str]:
    """As many as the default finds, and how; what it warns of is told in its row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        number = build(AUTO, fill_in(DEFAULT, {}, seed=seed, jobs=jobs)).fit(X).choice_
    found = {
        "chance": ": the clusterings do not agree more than chance",
        "agreed": ": the clusterings do not differ",
    }
    return int(number.n_clusters), found.get(number.verdict, ", on which halves of the clusterings agree best")


def _tables(outcomes: list[Any]) -> tuple[Any, Any]:
    """One row per method, the default first and then by average NMI, and the agreement between methods."""
    from partita.consensus.voting._supra_consensus import agreement, as_table

    table = as_table([_as_printed(outcome) for outcome in outcomes])
    table = table.sort_values("method", key=lambda names: names != AUTO, kind="stable", ignore_index=True)
    for column in ("error", "warning"):
        table[column] = [_in_plain_words(text) for text in table[column]]
    return table, agreement(outcomes)


def _in_plain_words(text: str) -> str:
    """A message without the kind of a usual error."""
    return in_options(re.sub(r"^(ValueError|TypeError|LabelMatrixError|NotEnoughMemoryError): ", "", text))


def _as_printed(outcome: Any) -> Any:
    """The outcome with the clusters that have objects, and the digits of all commands."""
    if outcome.labels is None:
        return outcome
    return outcome._replace(
        n_clusters=len(cluster_sizes(outcome.labels)),
        average_nmi=rounded(outcome.average_nmi),
        seconds=round(outcome.seconds, 3),
    )


def _labels(table: Any, outcomes: list[Any]) -> Any:
    import pandas as pd

    found = {outcome.name: outcome.labels for outcome in outcomes if outcome.labels is not None}
    return pd.DataFrame({table.id_name: table.object_ids(), **found})


def _print_table(result: Any, agreed: Any, *, in_file: bool) -> None:
    """One line per method that worked; below them, what failed or warned."""
    tell = partial(say_result, in_file=in_file)
    tell(f"{'method':<14} {'clusters':>8} {'average NMI':>11} {'average ARI':>11} {'seconds':>8}")
    for row in result[result["error"] == ""].itertuples():
        others = agreed[row.method].drop(row.method)
        ari = f"{others.mean():>11.3f}" if len(others) else f"{'':>11}"
        mark = "  *" if row.warning else ""
        tell(f"{row.method:<14} {row.n_clusters:>8} {row.average_nmi:>11.3f} {ari} {row.seconds:>8.2f}{mark}")
    for row in result[result["error"] != ""].itertuples():
        tell(_folded(f"{row.method} failed: {row.error}"))
    say("NMI is with the clusterings of the file, ARI with the other methods")
    for row in result[result["warning"] != ""].itertuples():
        _print_note(f"* {row.method}: {row.warning}")


def _print_note(text: str) -> None:
    say(_folded(text))


def _folded(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), width(), subsequent_indent="    ", break_on_hyphens=False)


def _print_matrix(agreed: Any, *, in_file: bool) -> None:
    """The matrix in blocks of columns that fit in the terminal."""
    say("\nadjusted Rand index between methods")
    say_result(agreed.round(2).to_string(line_width=width()), in_file=in_file)
