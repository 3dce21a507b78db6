"""``partita ensemble``: how diverse the clusterings of a file are, which to keep, and whether there are enough."""

import json
import shlex
import textwrap
from typing import Any

import click

from partita.cli._command import command
from partita.cli._file_options import InputFile, save_table, spreadsheet_option
from partita.cli._label_file import force_option, read_label_file
from partita.cli._options import (
    jobs_option,
    json_option,
    label_file_arguments,
    label_file_options,
    max_time_option,
    seed_option,
    within_max_time,
    words_of_reading,
)
from partita.cli._results import check_targets, count, rounded
from partita.cli._say import print_json, say, say_result, shows_progress
from partita.cli._stages import stage
from partita.cli._width import width

SELECTIONS = ("cas", "jc", "hull", "outliers")


@command()
@click.argument("file", type=InputFile())
@click.option("--select", "selection", type=click.Choice(SELECTIONS), help="Keep some of the clusterings: by cluster "
              "and select, by the joint criterion, on the convex hull, or all but outliers.")  # fmt: skip
@click.option("--keep", type=click.IntRange(min=1), help="With --select cas or jc: how many to keep [half of them].")
@click.option("-o", "--output", type=click.Path(), help="With --select: file to write these clusterings to.")
@click.option("--enough", is_flag=True, help="Also measure whether there are enough clusterings; this takes longer.")
@seed_option
@jobs_option
@max_time_option
@label_file_options
@spreadsheet_option
@force_option
@json_option
def ensemble(
    file: str,
    selection: str | None,
    keep: int | None,
    output: str | None,
    enough: bool,
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
    """Say how diverse the clusterings of FILE are, which are the same and which stand apart.

    With --select some of them are kept; with --enough parts of the clusterings are combined again and again, to see
    whether more of them would change the answer.
    """
    from partita import check_label_matrix, diversity

    _check_options(selection, keep, output)
    check_targets([], [file], tables=[output])
    table, reading, _ = read_label_file(
        file, label_file_arguments(columns, drop, id_column, no_ids, header), force=force
    )
    X = check_label_matrix(table.labels, noise)
    with within_max_time():
        with stage("comparing the clusterings"):
            found = diversity(X, random_state=seed)
        chosen = None if selection is None else _select(X, selection, keep, seed)
        verdict = _measure(X, seed, jobs) if enough else None
    if output is not None:
        _save(output, table, chosen)
    if as_json:
        facts = {"file": file, "seed": seed, "n_objects": X.shape[0], "n_clusterings": X.shape[1]}
        print_json({**facts, **_facts(found, chosen, verdict), "output": output})
        return
    say(f"{file}: {count(X.shape[0], 'object')}, {count(X.shape[1], 'clustering')}")
    _print(found, chosen, verdict, in_file=output is not None)
    if output is not None:
        say(f"written to {output}")
    given = words_of_reading(reading) + ([] if noise == "missing" else ["--noise", noise])
    if output is not None or X.shape[1] > 1:
        say(f"\n{_next(file, output, given)}")


def _check_options(selection: str | None, keep: int | None, output: str | None) -> None:
    """Refuse, before any work, options that have no effect."""
    if selection is None and (keep is not None or output is not None):
        option = "--keep" if keep is not None else "--output"
        raise click.UsageError(f"{option} needs --select, which chooses the clusterings to keep; add --select cas.")
    if keep is not None and selection not in ("cas", "jc"):
        raise click.UsageError(f"--select {selection} finds how many to keep; leave out --keep, or select cas or jc.")


def _select(X: Any, selection: str, keep: int | None, seed: int) -> Any:
    from partita import select_clusterings

    if keep is not None and keep > X.shape[1]:
        raise click.UsageError(f"--keep {keep} is more than FILE has: {count(X.shape[1], 'clustering')}; pass fewer.")
    with stage("selecting clusterings"):
        return select_clusterings(X, keep, method=selection, random_state=seed)  # type: ignore[arg-type]


def _measure(X: Any, seed: int, jobs: int) -> Any:
    from partita import enough_clusterings

    return enough_clusterings(X, random_state=seed, n_jobs=None if jobs == 1 else jobs, verbose=shows_progress())


def _save(output: str, table: Any, chosen: Any) -> None:
    """The columns that are kept, after the ids if the file has any."""
    import pandas as pd

    kept = table.labels.iloc[:, chosen.positions].reset_index(drop=True).convert_dtypes()  # 3, not 3.0, beside holes
    parts = [kept] if table.ids is None else [pd.Series(table.ids, name=table.id_name).reset_index(drop=True), kept]
    save_table(output, pd.concat(parts, axis=1))


# ---------------------------------------------------------------------------------------------------------------- words
def _print(found: Any, chosen: Any, verdict: Any, *, in_file: bool) -> None:
    for words in (found.summary, None if verdict is None else verdict.summary, None if chosen is None else str(chosen)):
        if words is not None:
            say(textwrap.fill(words, width(), initial_indent="  - ", subsequent_indent="    "))
    kept = None if chosen is None else chosen.table["kept"].tolist()
    length = max(len("clustering"), *(len(name) for name in found.clusterings["clustering"]))
    say()
    say_result(f"{'clustering':<{length}}  labels  quality  consensus  remarks", in_file=in_file)
    for place, row in enumerate(found.clusterings.itertuples()):
        remarks = [
            *(["kept"] if kept is not None and kept[place] else []),
            *([f"same as {row.same_as}"] if row.same_as else []),
            *(["stands apart"] if row.outlier else []),
        ]
        quality = f"{row.quality:>7.3f}" if row.quality == row.quality else f"{'-':>7}"  # of a single one there is none
        numbers = f"{row.n_labels:>6}  {quality}  {row.consensus_nmi:>9.3f}"
        say_result(f"{row.clustering:<{length}}  {numbers}  {', '.join(remarks)}".rstrip(), in_file=in_file)
    say("\nquality    mean NMI to the other clusterings\nconsensus  NMI to the consensus of all")


def _next(file: str, output: str | None, given: list[str]) -> str:
    """The command that goes on."""
    if output is None:
        return f"next: {shlex.join(['partita', 'ensemble', file, '--select', 'cas', '-o', 'selected.csv', *given])}"
    return f"next: {shlex.join(['partita', 'consensus', output, '-o', 'consensus.csv'])}"


def _facts(found: Any, chosen: Any, verdict: Any) -> dict[str, Any]:
    """Numbers as plain values; those that are not finite are null."""
    facts: dict[str, Any] = {
        "summary": found.summary,
        "mean_nmi": _plain(found.mean_nmi),
        "mean_adjusted_rand": _plain(found.mean_adjusted_rand),
        "against_consensus": {name: _plain(value) for name, value in found.against_consensus.items()},
        "redundant": found.redundant,
        "outliers": found.outliers,
        "clusterings": json.loads(found.clusterings.to_json(orient="records")),
        "selection": None,
        "enough": None,
    }
    if chosen is not None:
        rows = json.loads(chosen.table.to_json(orient="records"))
        facts["selection"] = {"method": chosen.method, "names": chosen.names, "table": rows}
    if verdict is not None:
        rows = json.loads(verdict.table.to_json(orient="records"))
        words = {"verdict": verdict.verdict, "needed": verdict.needed, "summary": verdict.summary}
        facts["enough"] = {**words, "n_clusters": verdict.n_clusters, "table": rows}
    return facts


def _plain(value: float) -> float | None:
    return rounded(value) if value == value else None  # NaN is not itself
