"""What the commands of ``partita federate`` write and print."""

from typing import Any

from partita.cli._file_options import STANDARD, save_table
from partita.cli._methods import Task
from partita.cli._results import count, label_table
from partita.cli._say import print_json, say


def show_federated(
    task: Task,
    fitted: Any,
    tables: dict[str, Any],
    by: str,
    seconds: dict[str, Any],
    output: str | None,
    as_json: bool,
    seed: int,
) -> None:
    """Write the labels of the sites one after another, or of the common objects, and print what the fit took."""
    table = federated_table(tables, by, fitted.labels_)
    if output is not None:
        save_table(output, table)
    sizes = sizes_of(fitted.labels_, fitted.n_clusters_)
    summary = {
        "method": task.method,
        "seed": seed,
        "by": by,
        "sites": list(tables),
        "n_objects": len(fitted.labels_),
        "n_clusters": fitted.n_clusters_,
        "cluster_sizes": sizes,
        "n_exchanges": len(fitted.exchanges_),
        **seconds,
        "output": output,
    }
    if as_json:
        if output is None:
            summary["ids"], summary["labels"] = table.iloc[:, -2].tolist(), table["label"].tolist()
        print_json(summary)
        return
    if output is None:
        save_table(STANDARD, table)
    err = output is None
    say(f"{count(len(tables), 'site')}, {count(len(table), 'object')}, by {by}, method {task.method}", err=err)
    say(f"clusters     {fitted.n_clusters_}, of sizes {', '.join(map(str, sizes))}", err=err)
    say(f"exchanges    {len(fitted.exchanges_)}, {seconds['seconds']:.1f} s in one process", err=err)
    if output is not None:
        say(f"written      {output}")


def federated_table(tables: dict[str, Any], by: str, labels: Any) -> Any:
    """Site, id and label of each object; without a column of sites where they have the same objects."""
    import pandas as pd

    if by == "columns":
        first = next(iter(tables.values()))
        return label_table(first.object_ids(), first.id_name, labels)
    parts, start = [], 0
    for name, table in tables.items():
        own = label_table(table.object_ids(), "id", labels[start : start + len(table.labels)])
        parts.append(own.assign(site=name)[["site", "id", "label"]])
        start += len(table.labels)
    return pd.concat(parts, ignore_index=True)


def sizes_of(labels: Any, n_clusters: int) -> list[int]:
    """Objects of each cluster."""
    return [int((labels == cluster).sum()) for cluster in range(n_clusters)]
