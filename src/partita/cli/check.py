"""``partita check``: what is understood of a label file, before anything is done with it."""

import json
from typing import Any

import click

from partita.cli._options import json_option, label_file_arguments, label_file_options
from partita.cli._results import count, rounded


@click.command()
@click.argument("file", type=click.Path())
@label_file_options
@json_option
def check(
    file: str,
    columns: str | None,
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    noise: Any,
    as_json: bool,
) -> None:
    """Say what is understood of a label file: objects, clusterings, labels, missing labels."""
    from partita.io import read_labels

    table = read_labels(file, **label_file_arguments(columns, id_column, no_ids, header))
    facts = describe(table, noise)
    if as_json:
        click.echo(json.dumps({"file": file, **facts}, indent=2))
        return
    ids = f"column {table.id_name!r}" if table.ids is not None else "none (objects are numbered from 0)"
    click.echo(f"{file}: {count(facts['n_objects'], 'object')}, {count(facts['n_clusterings'], 'clustering')}")
    click.echo(f"  names of clusterings  {'from the file' if table.has_header else 'none in the file'}")
    click.echo(f"  ids of objects        {ids}")
    click.echo(f"  missing labels        {facts['n_missing']} ({facts['share_missing']:.1%})")
    click.echo(f"  objects without label {facts['n_unlabelled']}")
    click.echo(f"  distinct rows         {facts['n_distinct_rows']}")
    width = max(len(column["name"]) for column in facts["columns"])
    click.echo(f"  {'clustering':<{max(width, 10)}}  labels  missing")
    for column in facts["columns"]:
        click.echo(f"  {column['name']:<{max(width, 10)}}  {column['n_labels']:>6}  {column['n_missing']:>7}")


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
        "n_missing": int(missing.sum()),
        "share_missing": rounded(missing.mean()),
        "n_unlabelled": int(missing.all(axis=1).sum()),
        "n_distinct_rows": len(distinct.first),
        "columns": [{"name": n, "n_labels": int(k), "n_missing": int(gaps)} for n, k, gaps in per_column],
    }
