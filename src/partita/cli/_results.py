"""What commands that end in a clustering share: files to write, a summary to print."""

import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from partita.cli._python_lines import print_python


def check_targets(
    targets: Sequence[str | None], inputs: Sequence[str | None], tables: Sequence[str | None] = ()
) -> None:
    """Refuse, before any work, outputs that cannot be written, that are an input, or that are named twice.

    ``tables`` are outputs with columns of several kinds, which NPY cannot hold.
    """
    from partita.io import check_output

    named = [target for target in (*targets, *tables) if target is not None]
    for target in tables:
        if target is not None and Path(target).suffix.lower() == ".npy":
            raise ValueError(f"{target!r}: a table has columns of several kinds, .npy cannot hold it; name a CSV file.")
    for target in named:
        check_output(target)
        for source in inputs:
            if source is not None and Path(target).exists() and Path(source).exists() and Path(target).samefile(source):
                raise ValueError(f"the output {target!r} is the input; choose another name, so that nothing is lost.")
    if len({Path(target).absolute() for target in named}) < len(named):
        raise ValueError(f"two results cannot go to one file ({', '.join(named)}); choose different names.")


def label_table(ids: Any, id_name: str, labels: Any) -> Any:
    """Ids and labels; a column of ids called "label" gets another name."""
    import pandas as pd

    return pd.DataFrame({"label_id" if id_name == "label" else id_name: ids, "label": labels})


def write_results(result: Any, estimator: Any, output: str | None, membership: str | None) -> None:
    """Write the labels, and the probability of each cluster beside them."""
    import pandas as pd

    from partita.io import write_matrix, write_table

    if membership is not None:
        names = [f"cluster_{k}" for k in range(estimator.membership_.shape[1])]
        probabilities = pd.DataFrame(estimator.membership_, columns=names)
        if Path(membership).suffix.lower() == ".npy":
            write_matrix(membership, probabilities, ids=result.iloc[:, 0], name="membership")
        else:
            write_table(membership, pd.concat([result, probabilities], axis=1))
    if output is not None:
        write_table(output, result)


def summarise(estimator: Any, X: Any, seconds: float) -> dict[str, Any]:
    """Numbers of a fitted consensus, as plain values."""
    import numpy as np

    labels = estimator.labels_
    return {
        "n_objects": len(labels),
        "n_clusterings": X.shape[1],
        "n_clusters": int(estimator.n_clusters_),
        "cluster_sizes": np.bincount(labels[labels >= 0]).tolist(),
        "n_unlabelled": int((labels < 0).sum()),
        "average_nmi": _average_nmi(X, labels),
        "seconds": round(seconds, 3),
    }


def _average_nmi(matrix: Any, labels: Any) -> float:
    """Between the consensus and the clusterings; objects without label are left out."""
    from partita.exceptions import LeftOutWarning
    from partita.metrics import average_nmi_score

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # the summary says how many are unlabelled
        return round(average_nmi_score(matrix, labels), 4)


def show_results(summary: dict[str, Any], table: Any, as_json: bool) -> None:
    """Print the summary, as JSON or for people, with the labels where they go to no file."""
    to_stdout = summary["output"] is None
    if as_json:
        if to_stdout:
            summary["ids"], summary["labels"] = (table[name].tolist() for name in table.columns)
        click.echo(json.dumps(summary, indent=2))
        return
    if to_stdout:
        table.to_csv(sys.stdout, index=False)
    print_summary(summary, err=to_stdout)


def print_summary(summary: dict[str, Any], *, err: bool = False) -> None:
    """Write the summary for people."""
    sizes = summary["cluster_sizes"]
    shown = ", ".join(map(str, sizes[:10])) + (f", ... ({len(sizes)} in all)" if len(sizes) > 10 else "")
    features = f"{summary['n_features']} features, " if "n_features" in summary else ""
    counts = f"{summary['n_objects']} objects, {features}{summary['n_clusterings']} clusterings"
    click.echo(f"{counts}, method {summary['method']}", err=err)
    click.echo(f"clusters     {summary['n_clusters']}, of sizes {shown}", err=err)
    if summary["upper_bound"] is not None:
        bound = f"at most {summary['upper_bound']} clusters (--n-clusters sets another bound)"
        click.echo(f"upper bound  {bound}; {len(sizes)} have objects", err=err)
    if summary["n_unlabelled"]:
        click.echo(f"unlabelled   {summary['n_unlabelled']} objects (label -1)", err=err)
    click.echo(f"average NMI  {summary['average_nmi']:.3f} between the consensus and the clusterings", err=err)
    click.echo(f"time         {summary['seconds']:.2f} s", err=err)
    for name, key in (("written to  ", "output"), ("labels      ", "labels_output")):
        if summary.get(key):
            click.echo(f"{name} {summary[key]}", err=err)
    if summary["membership_output"]:
        click.echo(f"probabilities {summary['membership_output']}", err=err)
    print_python(summary["python"], err=err)
