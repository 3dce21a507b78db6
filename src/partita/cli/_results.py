"""What commands that end in a clustering share: files to write, a summary to print."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from partita._optional import require
from partita.cli._choice_words import choice_facts, print_reasons
from partita.cli._feature_file import print_features
from partita.cli._file_options import STANDARD, check_standard, save_matrix, save_table
from partita.cli._methods import Task, upper_bound
from partita.cli._model_file import SUFFIXES as MODELS
from partita.cli._python_lines import print_python
from partita.cli._say import print_json, say
from partita.cli._width import print_field
from partita.report._names import PAGES

FIGURES = (".svg", ".png", ".pdf")  # suffixes of pictures


def check_targets(
    targets: Sequence[str | None],
    inputs: Sequence[str | None],
    tables: Sequence[str | None] = (),
    *,
    page: str | None = None,
    figure: str | None = None,
    model: str | None = None,
) -> None:
    """Refuse, before any work, outputs that cannot be written, that are an input, or that are named twice.

    ``tables`` are outputs with columns of several kinds, which NPY cannot hold; ``page`` is a report.
    """
    from partita.io import check_output

    named = [target for target in (*targets, *tables) if target is not None]
    check_standard([*named, *(target for target in (page, figure, model) if target is not None)], inputs)
    for target in tables:
        if target is not None and Path(target).suffix.lower() == ".npy":
            raise ValueError(f"{target!r}: a table has columns of several kinds, .npy cannot hold it; name a CSV file.")
    for target in named:
        check_output(target)
    named += _check_shown(page, figure, model)
    for target in named:
        if any(source not in (None, STANDARD) and _same_file(target, str(source)) for source in inputs):
            raise ValueError(f"the output {target!r} is the input; choose another name, so that nothing is lost.")
    for place, target in enumerate(named):
        if any(_same_file(target, other) for other in named[:place]):
            raise ValueError(f"two results cannot go to one file ({', '.join(named)}); choose different names.")


def _check_shown(page: str | None, figure: str | None, model: str | None) -> list[str]:
    """The page, the picture and the model that are asked for, if they can be made and written."""
    from partita.io import check_file

    for target, suffixes in ((page, PAGES), (figure, FIGURES), (model, MODELS)):
        if target not in (None, STANDARD):
            check_file(str(target), suffixes)
    if page is not None:
        require("jinja2", extra="report", purpose="writing a report")
        require("matplotlib", extra="report", purpose="writing a report")
    if figure is not None:
        require("matplotlib", extra="plot", purpose="drawing")
    return [target for target in (page, figure, model) if target is not None]


def _same_file(one: str, other: str) -> bool:
    """Whether two paths lead to one file, also by links; files that do not exist yet are compared by their place."""
    if STANDARD in (one, other):
        return one == other
    first, second = Path(one), Path(other)
    if first.exists() and second.exists():
        return first.samefile(second)
    return first.resolve() == second.resolve()


def label_table(ids: Any, id_name: str, labels: Any) -> Any:
    """Ids and labels; a column of ids called "label" gets another name."""
    import pandas as pd

    return pd.DataFrame({"label_id" if id_name == "label" else id_name: ids, "label": labels})


def write_results(
    table: Any, result: Any, output: str | None, membership: str | None, confidence: str | None = None
) -> None:
    """Write the labels, and beside them the membership of each cluster, and how sure the result is."""
    import pandas as pd

    if membership is not None:
        save_membership(membership, table, result.membership)
    if confidence is not None:
        sure = result.to_frame().drop(columns="label").reset_index(drop=True)
        save_table(confidence, pd.concat([table, sure], axis=1))
    if output is not None:
        save_table(output, table)


def save_membership(path: str, table: Any, shares: Any) -> None:
    """Write the share of each cluster in each object, beside its id and label."""
    import pandas as pd

    columns = pd.DataFrame(shares, columns=[f"cluster_{k}" for k in range(shares.shape[1])])
    if Path(path).suffix.lower() == ".npy":
        save_matrix(path, columns, ids=table.iloc[:, 0], name="membership")
    else:
        save_table(path, pd.concat([table, columns], axis=1))


def summarise(task: Task, result: Any, X: Any, seconds: dict[str, float]) -> dict[str, Any]:
    """Numbers of a consensus, as plain values; ``n_components`` only where clusters have no object."""
    estimator, labels = result.estimator, result.labels
    sizes = cluster_sizes(labels)
    n_components = int(getattr(estimator, "n_components_", estimator.n_clusters_))
    return {
        "n_objects": len(labels),
        "n_clusterings": X.shape[1],
        "n_clusters": len(sizes),
        **({"n_components": n_components} if n_components != len(sizes) else {}),
        "cluster_sizes": sizes,
        "choice": choice_facts(result.choice),
        "upper_bound": upper_bound(task.method, estimator),
        "n_unlabelled": int((labels < 0).sum()),
        "n_in_doubt": int((result.confidence <= 0).sum()),
        "membership_kind": result.membership_kind,
        "average_nmi": _average_nmi(X, labels),
        **seconds,
    }


def cluster_sizes(labels: Any) -> list[int]:
    """Numbers of objects of the clusters that have one."""
    import numpy as np

    sizes: list[int] = np.unique(labels[labels >= 0], return_counts=True)[1].tolist()
    return sizes


def rounded(share: float) -> float:
    """A share or an index with the digits that every command prints in JSON."""
    return round(float(share), 4)


def count(number: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _average_nmi(matrix: Any, labels: Any) -> float:
    """Between the consensus and the clusterings; objects without label are left out."""
    from partita.exceptions import LeftOutWarning
    from partita.metrics import average_nmi_score

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # the summary says how many are unlabelled
        return rounded(average_nmi_score(matrix, labels))


def show_results(summary: dict[str, Any], table: Any, as_json: bool) -> None:
    """Print the summary, as JSON or for people, with the labels if no output file is given."""
    to_stdout = summary["output"] is None
    if as_json:
        if to_stdout:
            summary["ids"], summary["labels"] = (table[name].tolist() for name in table.columns)
        print_json(summary)
        return
    if to_stdout:
        save_table(STANDARD, table)
    print_summary(summary, err=to_stdout)


def print_summary(summary: dict[str, Any], *, err: bool = False) -> None:
    """Write the summary for people."""
    sizes = summary["cluster_sizes"]
    shown = ", ".join(map(str, sizes[:10])) + (f", ... ({len(sizes)} in all)" if len(sizes) > 10 else "")
    nouns = {"n_objects": "object", "n_features": "feature", "n_clusterings": "clustering"}
    counts = [count(summary[key], noun) for key, noun in nouns.items() if key in summary]
    say(f"{', '.join(counts)}, method {summary['method']}", err=err)
    if "features" in summary:
        print_features(summary, err=err)
    say(f"clusters     {summary['n_clusters']}, of sizes {shown}", err=err)
    if summary["choice"]["verdict"] != "given":
        print_reasons(summary["choice"], err=err)
    if summary["upper_bound"] is not None:
        bound = f"{count(summary['upper_bound'], 'cluster')} (--n-clusters sets another bound)"
        say(f"upper bound  {bound}; {len(sizes)} have objects", err=err)
    if "n_components" in summary:
        without = summary["n_components"] - summary["n_clusters"]
        columns = f"{summary['n_components']} in the membership; {without} of them without an object of their own"
        say(f"components   {columns}", err=err)
    if summary["n_unlabelled"]:
        say(f"unlabelled   {count(summary['n_unlabelled'], 'object')} (label -1)", err=err)
    if summary.get("n_in_doubt"):
        where = "--confidence FILE" if "confidence_output" in summary else "the page lists them"
        doubt = f"whose labels speak for another cluster as much or more ({where})"
        print_field("in doubt", f"{count(summary['n_in_doubt'], 'object')}, {doubt}", err=err)
    if "average_nmi" in summary:
        say(f"average NMI  {summary['average_nmi']:.3f} between the consensus and the clusterings", err=err)
    compiling = summary["seconds_compiling"]
    more = f", and {compiling:.1f} s to compile, which only the first run needs" if compiling else ""
    say(f"time         {summary['seconds']:.2f} s{more}", err=err)
    _print_files(summary, err=err)
    print_python(summary["python"], err=err)


_FILES = {
    "written to": "output",
    "labels": "labels_output",
    "membership": "membership_output",
    "confidence": "confidence_output",
    "report": "report_output",
    "model": "model_output",
}


def _print_files(summary: dict[str, Any], *, err: bool) -> None:
    """The files that were written, and what is in them where that is not plain."""
    notes = {
        "membership": " (votes, not probabilities)" if summary.get("membership_kind") == "votes" else "",
        "confidence": " (log-odds, not probabilities of being right)",
        "written to": _words_on_files(summary),
    }
    if "seconds_report" in summary:
        notes["written to" if "tables_output" in summary else "report"] = f" (in {summary['seconds_report']:.1f} s)"
    for name, key in _FILES.items():
        if summary.get(key):
            say(f"{name:<12} {summary[key]}{notes.get(name, '')}", err=err)
    if summary.get("tables_output"):
        print_field("tables", ", ".join(summary["tables_output"]), err=err)


def _words_on_files(summary: dict[str, Any]) -> str:
    """How many files of a folder were written, and how many were there before."""
    if "files" not in summary:
        return ""
    n_files, n_written = len(summary["files"]), sum(file["written"] for file in summary["files"])
    if n_written == n_files:
        return f" ({count(n_files, 'file')})"
    if n_written == 0:
        fitted = "" if summary["seconds"] else ", and nothing was fitted"
        return f" ({count(n_files, 'file')}, finished before{fitted}; --overwrite writes again)"
    return f" ({n_written} of {count(n_files, 'file')}; the others were finished before)"
