"""``partita predict``: labels of new objects in, their clusters in a model that was fitted before out."""

import warnings
from typing import TYPE_CHECKING, Any

import click

from partita.cli._command import command
from partita.cli._file_options import InputFile, printed_output_option, reading_arguments, spreadsheet_option
from partita.cli._label_file import read_any_labels
from partita.cli._model_file import fitted_columns, method_of, open_model, votes_of
from partita.cli._options import (
    json_option,
    label_file_arguments,
    label_reading_options,
    membership_option,
)
from partita.cli._python_lines import predict_lines, print_python
from partita.cli._results import check_targets, count, label_table, save_membership
from partita.cli._say import print_json, say
from partita.cli._width import print_field

if TYPE_CHECKING:
    from partita.model_files import StoredModel


@command()
@click.argument("file", type=InputFile())
@click.option("--model", required=True, type=InputFile(), help="Model file of `partita consensus --save-model`.")
@printed_output_option("File to write, by its name CSV, TSV, Parquet, Excel, NPY or NPZ [stdout].")
@membership_option
@click.option("--features", type=InputFile(), help="For gbce: file of features, one row per object.")
@label_reading_options
@spreadsheet_option
@json_option
def predict(
    file: str,
    model: str,
    output: str | None,
    membership: str | None,
    features: str | None,
    columns: str | None,
    drop: tuple[str, ...],
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    as_json: bool,
) -> None:
    """Place the objects of FILE in the clusters of a model, by the labels that they have.

    FILE has one row per object and the clusterings of the model as columns, in any order: they are found by their
    names, other columns are left out, and one that is missing is an error. A label that the model has not seen counts
    as missing, and a warning counts them. An object without any label that the model knows gets the label -1.
    """
    check_targets([output, membership], [file, features, model])
    stored = open_model(model)
    check_asked(stored, features)
    reading = label_file_arguments(columns, drop, id_column, no_ids, header)
    table, reading = _read(file, reading, stored)
    new = fitted_columns(stored, table, file)
    beside = {} if features is None else {"features": _features(stored, features, table)}
    labels, membership_of = _place(stored, new.frame, beside, shares=membership is not None)
    found = label_table(table.object_ids(), table.id_name, labels)
    if membership is not None:
        save_membership(membership, found, membership_of)
    summary = {
        "file": file,
        "model": model,
        "method": method_of(stored.estimator),
        "model_version": stored.partita_version,
        "n_objects": len(found),
        "n_clusterings": new.frame.shape[1],
        "n_clusters": int(stored.estimator.n_clusters_),
        "cluster_sizes": [int((labels == k).sum()) for k in range(stored.estimator.n_clusters_)],
        "n_unlabelled": int((labels < 0).sum()),
        "n_unseen": new.n_unseen,
        "membership_kind": "probabilities" if hasattr(stored.estimator, "predict_proba") else "votes",
        "output": output,
        "membership_output": membership,
        "python": predict_lines(model, file, reading, new, features, stored.noise),
    }
    _show(summary, found, as_json)


def check_asked(stored: "StoredModel", features: str | None) -> None:
    """Refuse, before any work, what the model cannot take."""
    if features is not None and method_of(stored.estimator) != "gbce":
        raise click.UsageError("the model was fitted to labels only; leave out --features.")


def _read(file: str, reading: dict[str, Any], stored: "StoredModel") -> tuple[Any, dict[str, Any]]:
    """The table; a clustering of the model is never taken for ids, unless that is asked for.

    Of a few objects nothing but the model tells that a column holds ids: it stands first, beside the clusterings.
    """
    table, how, _ = read_any_labels(file, reading)
    known = stored.clusterings or []
    if "id_column" in reading:
        return table, how
    if table.ids is not None and table.id_name in known:
        table, how, _ = read_any_labels(file, {**reading, "id_column": False})
    elif table.ids is None and table.has_header and known:
        first, *others = map(str, table.labels.columns)
        beside = first not in known and set(others) == set(known)
        if beside and table.labels.iloc[:, 0].is_unique and table.labels.iloc[:, 0].notna().all():
            table, how, _ = read_any_labels(file, {**reading, "id_column": first})
    return table, how


def _features(stored: "StoredModel", file: str, table: Any) -> Any:
    """The features of the model, in its order; a file may have other columns."""
    from partita.exceptions import FileFormatError
    from partita.io import read_features

    found, names = read_features(file, table, **reading_arguments()), stored.estimator._features.names
    missing = [name for name in names if name not in found.columns]
    if missing:
        raise FileFormatError(f"{file!r} lacks the feature {missing[0]!r} of the model; pass the same features.")
    return found[names]


def _place(stored: "StoredModel", X: Any, beside: dict[str, Any], *, shares: bool) -> tuple[Any, Any]:
    """Clusters of the objects, and their probabilities, or votes for them, if they are asked for."""
    from partita import check_label_matrix

    given: Any = X
    if stored.noise == "cluster":  # noise is a label like others; where each noisy object was its own cluster it is new
        given = check_label_matrix(X, "cluster", allow_unlabelled=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X (does not have valid|has) feature names")  # they were compared
        labels = stored.estimator.predict(given, **beside)
        if not shares:
            return labels, None
        if hasattr(stored.estimator, "predict_proba"):
            return labels, stored.estimator.predict_proba(given, **beside)
        return labels, votes_of(stored.estimator, given)


def _show(summary: dict[str, Any], table: Any, as_json: bool) -> None:
    """Print the summary, as JSON or for people, with the labels if no output file is given."""
    from partita.cli._file_options import STANDARD, save_table

    output = summary["output"]
    if output is not None:
        save_table(output, table)
    elif not as_json:
        save_table(STANDARD, table)
    if as_json:
        if output is None:
            summary["ids"], summary["labels"] = (table[name].tolist() for name in table.columns)
        print_json(summary)
        return
    err = output is None
    counts = f"{count(summary['n_objects'], 'object')}, {count(summary['n_clusterings'], 'clustering')}"
    say(f"{counts}, model of method {summary['method']}", err=err)
    sizes = ", ".join(map(str, summary["cluster_sizes"]))
    print_field("clusters", f"{summary['n_clusters']} in the model, with {sizes} of these objects", err=err)
    if summary["n_unlabelled"]:
        say(f"unlabelled   {count(summary['n_unlabelled'], 'object')} (label -1)", err=err)
    for name, key in {"written to": "output", "membership": "membership_output"}.items():
        if summary[key]:
            votes = name == "membership" and summary["membership_kind"] == "votes"
            say(f"{name:<12} {summary[key]}{' (votes, not probabilities)' if votes else ''}", err=err)
    print_python(summary["python"], err=err)
