"""What a file is taken for: labels or features, ids, annotations; and the corrections of the user."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from partita._labels.validation import LabelMatrix, check_label_matrix
from partita._typing import Array
from partita.app._errors import RequestError
from partita.app._listening import listening
from partita.io._feature_columns import FeatureColumn, describe_columns, to_numbers
from partita.io._formats import listing
from partita.io._label_table import LabelTable
from partita.io._looks_like_features import feature_like_columns
from partita.io._read_features import read_columns
from partita.io._read_table import read_table

KINDS, NOISE = ("labels", "features"), ("missing", "singleton", "cluster")
_MANY = 10  # values that are all different: fewer may be a clustering of few objects
_OF_THE_FILE = ("separator", "encoding", "header", "missing", "missing_words")
_LISTS = ("columns", "drop", "annotations", "missing")
_TYPES: dict[str, Any] = {
    **dict.fromkeys(_LISTS, list),
    **dict.fromkeys(("separator", "encoding", "id_column", "noise", "kind"), str),
    **dict.fromkeys(("header", "missing_words"), bool),
}


@dataclass(frozen=True, eq=False)
class Understood:
    """A file as it was understood; never changed, so that a run can go on with it."""

    path: Path
    kind: str
    kind_reason: str
    frame: pd.DataFrame  # all columns but the ids
    ids: "pd.Series[Any] | None"
    roles: dict[str, str]  # of the columns of the frame
    has_header: bool
    separator: str | None
    corrections: dict[str, Any]
    warnings: list[str]
    matrix: LabelMatrix | None  # of labels
    features: pd.DataFrame | None  # as numbers
    encoded: list[str]  # features that were text
    imputed: list[str]  # features with missing values

    @property
    def id_name(self) -> str:
        """Name of the column of ids."""
        return "object" if self.ids is None else str(self.ids.name or "object")

    @property
    def noise(self) -> str:
        """What -1 means."""
        return str(self.corrections.get("noise") or "missing")

    def object_ids(self) -> Array:
        """Ids of the objects; their numbers from 0 if the file has none."""
        return np.arange(len(self.frame)) if self.ids is None else np.asarray(self.ids, dtype=object)

    def having(self, role: str) -> list[str]:
        """Columns of one role."""
        return [name for name, one in self.roles.items() if one == role]

    @property
    def annotations(self) -> pd.DataFrame | None:
        """What is known of the objects beside."""
        names = self.having("annotation")
        return self.frame[names].reset_index(drop=True) if names else None


def check_corrections(given: Any) -> dict[str, Any]:
    """Refuse what is no correction; None takes one back."""
    if not isinstance(given, dict):
        raise RequestError("Corrections of the reading are an object of names and values.")
    for name, value in given.items():
        if name not in _TYPES:
            raise RequestError(f"There is no correction {name!r:.60}; there are {', '.join(_TYPES)}.")
        words = not isinstance(value, list) or all(isinstance(one, str) for one in value)
        if value is not None and not (isinstance(value, _TYPES[name]) and words):
            raise RequestError(f"{name} cannot be {value!r:.60}.")
    for name, allowed in (("kind", KINDS), ("noise", NOISE)):
        if given.get(name) not in (None, *allowed):
            raise RequestError(f"{name} cannot be {given[name]!r:.60}; it is one of {', '.join(allowed)}.")
    return given


def merge(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Earlier corrections with later ones; None means automatic again, and, of the ids, that there are none.

    Where the columns get other names, the name of the ids is looked for anew.
    """
    if old.get("id_column") is not None and any(name in new for name in ("separator", "header", "encoding")):
        old = {name: value for name, value in old.items() if name != "id_column"}
    return {name: value for name, value in {**old, **new}.items() if value is not None or name == "id_column"}


def understand(path: Path, corrections: dict[str, Any], newest: Sequence[str] = ()) -> Understood:
    """Read a file; of corrections that are not among the ``newest``, names that no longer exist are forgotten."""
    with listening() as said:
        how = {name: corrections[name] for name in _OF_THE_FILE if name in corrections}
        table = read_table(path, id_column=_id_argument(corrections), **how)
        read = LabelTable(table.frame, table.ids, table.has_header)
        measured = [name for name in feature_like_columns(read) if name in table.frame.columns]
        kind, reason = _kind(corrections.get("kind"), measured, table.frame.shape[1])
        frame, ids, found = table.frame, table.ids, None
        if kind == "features":
            as_features = read_columns(path, id_column=_id_argument(corrections), **how)
            if "kind" in corrections or "feature" in _auto_roles(frame, measured, as_features[2]).values():
                frame, ids, found = as_features
            else:
                kind, reason = "labels", "The columns are nearly all different, but none of them can be a feature."
        corrections = _without_strangers(corrections, newest, frame, ids, path.name)
        chosen = _auto_roles(frame, measured, found) | _given_roles(frame, corrections, kind)
        if kind == "labels" and "annotations" not in corrections and (some := _having(chosen, "annotation")):
            said.append(f"{listing(some)} looks like a measurement, not like a clustering: taken as an annotation.")
        matrix = features = None
        encoded: list[str] = []
        imputed: list[str] = []
        if kind == "labels":
            matrix = _labels(frame, chosen, corrections, path.name)
            said += _told_of_labels(matrix)
        else:
            features, encoded, imputed = _features(frame, chosen, corrections, path.name)
            said += _told(encoded, imputed)
    return Understood(
        path, kind, reason, frame, ids, chosen, table.has_header, table.separator, corrections, said, matrix, features,
        encoded, imputed,
    )  # fmt: skip


def _id_argument(corrections: dict[str, Any]) -> str | bool | None:
    """``id_column`` of the readers: None to look for ids, False for none."""
    if "id_column" not in corrections:
        return None
    return False if corrections["id_column"] is None else str(corrections["id_column"])


def _kind(given: str | None, measured: list[str], n_columns: int) -> tuple[str, str]:
    if given is not None:
        return given, f"Read as {given}, as you say."
    if measured and 2 * len(measured) >= n_columns:
        return "features", f"{listing(measured[:3])} hold measurements, or values that are nearly all different."
    return "labels", "The columns hold labels: values that recur."


# -------------------------------------------------------------------------------------------------------------- roles
def _auto_roles(frame: pd.DataFrame, measured: list[str], found: list[FeatureColumn] | None) -> dict[str, str]:
    """What each column is if nobody says more."""
    if found is None:
        few = 2 * len(measured) < frame.shape[1]
        return {str(name): "annotation" if few and name in measured else "clustering" for name in frame.columns}
    roles = {column.name: _feature_role(column, len(frame)) for column in found}
    if "feature" not in roles.values():  # text alone can be clustered too, as columns of 0 and 1
        roles = {name: "feature" if role == "annotation" else role for name, role in roles.items()}
    return roles


def _feature_role(column: FeatureColumn, n_rows: int) -> str:
    if column.kind == "number":
        return "dropped" if column.n_infinite or column.n_missing == n_rows else "feature"
    return "annotation" if column.kind == "text" and not column.is_like_ids(n_rows) else "dropped"


def _given_roles(frame: pd.DataFrame, corrections: dict[str, Any], kind: str) -> dict[str, str]:
    """What the user says of columns."""
    own = "clustering" if kind == "labels" else "feature"
    roles: dict[str, str] = {}
    if "columns" in corrections:
        roles |= {str(name): own if name in corrections["columns"] else "dropped" for name in frame.columns}
    for key, role in (("annotations", "annotation"), ("drop", "dropped")):
        roles |= dict.fromkeys(corrections.get(key, []), role)
    return roles


def _without_strangers(
    corrections: dict[str, Any], newest: Sequence[str], frame: pd.DataFrame, ids: Any, name: str
) -> dict[str, Any]:
    """Corrections with names of columns that there are: older ones are forgotten, new ones refused."""
    known = [str(column) for column in frame.columns]
    kept = dict(corrections)
    for key in ("columns", "drop", "annotations"):
        if key not in kept:
            continue
        strangers = [one for one in kept[key] if one not in known and (ids is None or one != ids.name)]
        if strangers and key in newest:
            raise RequestError(f"{name!r} has no column {listing(strangers)}; it has {listing(known)}.")
        kept[key] = [one for one in kept[key] if one in known]
        if not kept[key] and key == "columns" and key not in newest:
            del kept[key]
    return kept


def _having(roles: dict[str, str], role: str) -> list[str]:
    return [name for name, one in roles.items() if one == role]


# ------------------------------------------------------------------------------------------------------ what is used
def _labels(frame: pd.DataFrame, roles: dict[str, str], corrections: dict[str, Any], name: str) -> LabelMatrix:
    used = _having(roles, "clustering")
    if not used:
        raise RequestError(f"{name!r} has no column of labels left; use at least one column as a clustering.")
    return check_label_matrix(frame[used], corrections.get("noise", "missing"))


def _features(
    frame: pd.DataFrame, roles: dict[str, str], corrections: dict[str, Any], name: str
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Features as numbers, and which of them were text or had missing values."""
    used = _having(roles, "feature")
    if not used:
        raise RequestError(f"{name!r} has no column of features left; use at least one column as a feature.")
    found = describe_columns(frame[used], corrections.get("columns", used))
    encoded = [column.name for column in found if column.kind == "text"]
    imputed = [column.name for column in found if column.n_missing]
    numbers = to_numbers(frame[used], found, name, impute="median" if imputed else None, encode=bool(encoded))
    return numbers, encoded, imputed


def _told_of_labels(matrix: LabelMatrix) -> list[str]:
    """Say which columns are ids or free text rather than clusterings."""
    n_labelled = (matrix.codes >= 0).sum(axis=0)
    alone = [name for name, k, n in zip(matrix.names, matrix.n_labels, n_labelled, strict=True) if k == n >= _MANY]
    if not alone:
        return []
    words = "has another value for every object, so it is hardly a clustering: leave it out, or make it an annotation."
    return [f"{listing(alone)} {words}"]


def _told(encoded: list[str], imputed: list[str]) -> list[str]:
    said = []
    if imputed:
        said.append(f"Missing values of {listing(imputed)} are filled with the median, or the most frequent text.")
    if encoded:
        said.append(f"The text of {listing(encoded)} becomes columns of 0 and 1, one per value.")
    return said
