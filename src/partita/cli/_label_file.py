"""Labels from a file; a file of features is refused, with the command for it."""

import shlex
from pathlib import Path
from typing import Any, NamedTuple

import click

from partita.cli._options import Option
from partita.cli._stages import stage

force_option: Option[Any] = click.option(
    "--force", is_flag=True, help="Take FILE for labels even if its columns look like features."
)


class LabelFile(NamedTuple):
    """Labels as read, without the columns that were left out."""

    table: Any  # a LabelTable
    reading: dict[str, Any]  # arguments of read_labels, and under "drop" the columns of labels that were left out
    elsewhere: list[str]  # names to leave out that are no columns of this file


def read_label_file(file: str, reading: dict[str, Any], *, force: bool, beside: bool = False) -> LabelFile:
    """Labels; columns that look like features are refused, unless forced.

    ``beside``: there is a file of features too, whose columns may be among those to leave out.
    """
    from partita.io._looks_like_features import feature_like_columns

    found = read_any_labels(file, reading, beside=beside)
    features = [] if force else feature_like_columns(found.table)
    if features:
        raise ValueError(_refusal(file, features, found.table.labels.shape[1]))
    return found


def read_unless_features(file: str, reading: dict[str, Any], kind: str) -> LabelFile | None:
    """Labels, or None if the file holds features: because the user says so, or because it looks so."""
    from partita.io._looks_like_features import feature_like_columns

    if kind == "features":
        return None
    found = read_any_labels(file, {name: value for name, value in reading.items() if name not in ("impute", "encode")})
    return None if kind == "auto" and feature_like_columns(found.table) else found


def read_any_labels(file: str, reading: dict[str, Any], *, beside: bool = False) -> LabelFile:
    """Labels, or whatever the columns hold."""
    from partita.exceptions import FileFormatError
    from partita.io import read_labels
    from partita.io._read_labels import select_columns

    how = {name: value for name, value in reading.items() if name != "drop"}
    with stage(f"reading {file}"):
        table = read_labels(file, **how)
    names = reading.get("drop", [])
    if table.ids is not None and table.id_name in names:
        names = [name for name in names if name != table.id_name]
        table = table._replace(ids=None)
    drop = [name for name in names if not beside or name in table.labels.columns]
    if drop:
        select_columns(table.labels, drop, Path(file))  # refuses unknown names
        table = table._replace(labels=table.labels.drop(columns=drop))
        how["drop"] = drop
    if table.labels.shape[1] == 0:
        raise FileFormatError(f"{file!r} has no column of labels left; leave out fewer columns.")
    return LabelFile(table, how, [name for name in names if name not in drop])


def _refusal(file: str, features: list[str], n_columns: int) -> str:
    from partita.io._formats import listing

    if 2 * len(features) < n_columns:
        those = shlex.quote(",".join(features))
        options = {name for option in click.get_current_context().command.params for name in option.opts}
        shown = f", show it in the report by --annotate {those}" if "--annotate" in options else ""
        return (
            f"{listing(features)} of {file!r} looks like a measurement, not like a clustering; leave it out by --drop "
            f"{those}{shown}, or pass --force if it holds labels."
        )
    return (
        f"{file!r} looks like a table of features, not of labels: {listing(features)} hold measurements or values that "
        f"are nearly all different. Run `partita cluster {shlex.quote(file)} -o clusters.csv` to cluster features, or "
        "pass --force if they are labels."
    )
