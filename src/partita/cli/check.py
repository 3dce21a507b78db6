"""``partita check``: what is understood of a file, before anything is done with it."""

import shlex
from typing import Any

import click

from partita.cli._command import command
from partita.cli._file_options import InputFile
from partita.cli._label_file import read_unless_features
from partita.cli._options import (
    json_option,
    kind_option,
    label_file_arguments,
    label_file_options,
    words_of_reading,
)
from partita.cli._results import count, rounded
from partita.cli._say import print_json, say
from partita.cli._stages import stage


@command()
@click.argument("file", type=InputFile())
@kind_option
@label_file_options
@json_option
def check(
    file: str,
    kind: str,
    columns: str | None,
    drop: tuple[str, ...],
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    noise: Any,
    as_json: bool,
) -> None:
    """Say what is understood of a file of labels or features, and which command is next."""
    reading = label_file_arguments(columns, drop, id_column, no_ids, header)
    labels = read_unless_features(file, reading, kind)
    if labels is None:
        _check_features(file, reading, as_json)
    else:
        given = words_of_reading(reading) + ([] if noise == "missing" else ["--noise", noise])
        _check_labels(file, labels.table, noise, given, as_json)


# ---------------------------------------------------------------------------------------------------------- labels
def _check_labels(file: str, table: Any, noise: Any, given: list[str], as_json: bool) -> None:
    with stage("counting"):
        facts = describe(table, noise)
    if as_json:
        print_json({"file": file, "kind": "labels", **facts})
        return
    say(f"{file}: {count(facts['n_objects'], 'object')}, {count(facts['n_clusterings'], 'clustering')}")
    say(f"  names of clusterings  {'from the file' if table.has_header else 'none in the file'}")
    say(f"  ids of objects        {_ids(facts['id_column'])}")
    say(f"  missing labels        {facts['n_missing']} ({facts['share_missing']:.1%})")
    say(f"  objects without label {facts['n_unlabelled']}")
    say(f"  distinct rows         {facts['n_distinct_rows']}")
    width = _width(facts, "clustering")
    say(f"  {'clustering':<{width}}  labels  missing")
    for column in facts["columns"]:
        say(f"  {column['name']:<{width}}  {column['n_labels']:>6}  {column['n_missing']:>7}")
    say(f"next: {shlex.join(['partita', 'consensus', file, '-o', 'consensus.csv', *given])}")


def describe(table: Any, noise: Any) -> dict[str, Any]:
    """Counts of a label table, as plain Python values."""
    from partita import check_label_matrix
    from partita._labels.ensemble import find_distinct_rows

    matrix = check_label_matrix(table.labels, noise)
    missing = matrix.codes < 0
    distinct = find_distinct_rows(matrix.codes, matrix.n_labels)
    per_column = zip(matrix.names, matrix.n_labels, missing.sum(axis=0), strict=True)
    return {
        "n_objects": matrix.shape[0],
        "n_clusterings": matrix.shape[1],
        "id_column": None if table.ids is None else table.id_name,
        "n_missing": int(missing.sum()),
        "share_missing": rounded(missing.mean()),
        "n_unlabelled": int(missing.all(axis=1).sum()),
        "n_distinct_rows": len(distinct.first),
        "columns": [{"name": n, "n_labels": int(k), "n_missing": int(gaps)} for n, k, gaps in per_column],
    }


def _ids(name: str | None) -> str:
    return "none (objects are numbered from 0)" if name is None else f"column {name!r}"


def _width(facts: dict[str, Any], title: str) -> int:
    return max(len(title), *(len(column["name"]) for column in facts["columns"]))


# -------------------------------------------------------------------------------------------------------- features
_HINTS = {"text": "--encode, or --drop", "date": "--drop", "id": "--id-column, or --drop"}


def _check_features(file: str, reading: dict[str, Any], as_json: bool) -> None:
    from partita.io._feature_columns import needs
    from partita.io._read_features import read_columns

    with stage(f"reading {file}"):
        frame, ids, found = read_columns(file, **reading)
    facts: dict[str, Any] = {
        "n_objects": len(frame),
        "n_features": frame.shape[1],
        "id_column": None if ids is None else str(ids.name or "object"),
        "n_missing": sum(column.n_missing for column in found),
        "share_missing": rounded(frame.isna().to_numpy().mean()),
        "columns": [
            {"name": c.name, "kind": c.kind, "n_different": c.n_different, "n_missing": c.n_missing} for c in found
        ],
    }
    if as_json:
        print_json({"file": file, "kind": "features", **facts})
        return
    say(f"{file}: {count(len(frame), 'object')}, {count(frame.shape[1], 'column')} of features, not labels")
    say(f"  ids of objects  {_ids(facts['id_column'])}")
    width = _width(facts, "column")
    say(f"  {'column':<{width}}  kind    values  missing  to be used, pass")
    for column in found:
        line = f"{column.name:<{width}}  {column.kind:<6}  {column.n_different:>6}  {column.n_missing:>7}"
        say(f"  {line}  {_hint(column, len(frame))}".rstrip())
    words = ["partita", "cluster", file, "-o", "clusters.csv"]
    say(f"next: {shlex.join([*words, *words_of_reading(_with_needs(reading, needs(found, len(frame))))])}")
    say(f"      (or, if these are labels: partita check {shlex.quote(file)} --kind labels)")


def _hint(column: Any, n_rows: int) -> str:
    if column.is_constant:
        return "(constant: without effect)"
    if column.kind == "text" and column.is_like_ids(n_rows):
        return _HINTS["id"]
    if column.kind in _HINTS:
        return _HINTS[column.kind]
    if column.n_infinite or column.n_missing == n_rows:
        return "--drop"
    return "--impute" if column.n_missing else ""


def _with_needs(reading: dict[str, Any], needed: Any) -> dict[str, Any]:
    """The given arguments, and those without which the table cannot be used."""
    drop = [*reading.get("drop", []), *needed.drop]
    return {
        **reading,
        **({"drop": drop} if drop else {}),
        **({"encode": True} if needed.encode else {}),
        **({"impute": "median"} if needed.impute else {}),
    }
