"""One numbering of the labels for all sites: which labels every clustering has, wherever they occur.

Sites send the labels of each clustering; the coordinator puts them in order and sends them back. With a key that the
sites share, and nobody else has, they send keyed hashes (HMAC-SHA256) instead: the coordinator then sees how many
labels a clustering has and which sites have them in common, but not what they are.
"""

import hashlib
import hmac
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from partita._labels.columns import sort_key
from partita._labels.validation import LabelMatrix
from partita._typing import Array
from partita.exceptions import SiteError

SHORTEST_KEY = 16  # bytes: fewer could be guessed, and with them the labels


# ------------------------------------------------------------------------------------------------------- at a site
def labels_of(matrix: LabelMatrix, key: bytes | None) -> dict[str, Any]:
    """What a site says of its columns: names, kinds of labels, and the labels or their hashes."""
    by_column: list[list[Any]] = [[] for _ in range(matrix.n_columns_in)]
    for column, labels in zip(matrix.kept.tolist(), matrix.labels, strict=True):
        by_column[column] = labels.tolist()
    kinds = [sorted({_kind(label) for label in labels}) for labels in by_column]
    names = column_names(matrix)
    if key is None:
        return {"names": names, "kinds": kinds, "labels": by_column}
    hashed = [[hash_label(label, j, key) for label in labels] for j, labels in enumerate(by_column)]
    hidden = [hash_label(name, -1, key) if name else "" for name in names]
    return {"names": hidden, "kinds": kinds, "labels": hashed}


def column_names(matrix: LabelMatrix) -> list[str]:
    """Name of each column of the input; a column without labels has none, and takes part without a name."""
    names = [""] * matrix.n_columns_in
    for column, name in zip(matrix.kept.tolist(), matrix.names, strict=True):
        names[column] = name
    return names


def with_labels(matrix: LabelMatrix, agreed: Sequence[Sequence[Any]], key: bytes | None) -> LabelMatrix:
    """The matrix in the agreed numbering; columns that no site has labels for are left out."""
    used = [j for j, labels in enumerate(agreed) if labels]
    codes = np.full((len(matrix.codes), len(used)), -1, dtype=np.int32)
    place = {column: i for i, column in enumerate(matrix.kept.tolist())}
    labels: list[Array] = []
    for j, column in enumerate(used):
        known = {label: number for number, label in enumerate(agreed[column])}
        named = list(agreed[column])
        if column in place:
            mine = matrix.labels[place[column]].tolist()
            numbers = [known[_as_sent(label, column, key)] for label in mine]
            for number, label in zip(numbers, mine, strict=True):
                named[number] = label  # behind the hash
            codes[:, j] = np.append(np.array(numbers, dtype=np.int32), np.int32(-1))[matrix.codes[:, place[column]]]
        labels.append(as_array(named))
    names = column_names(matrix)
    return LabelMatrix(codes, labels, [names[j] for j in used], np.array(used), matrix.n_columns_in, matrix.noise)


def hash_label(label: Any, column: int, key: bytes) -> str:
    """Keyed hash of a label of a column; equal labels of two columns have different hashes."""
    text = f"{column}|{_kind(label)}|{_canonical(label)}"
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _canonical(label: Any) -> str:
    """One text for labels that are equal: 1, 1.0 and True are."""
    if isinstance(label, int | float):
        return str(int(label)) if float(label).is_integer() else repr(float(label))
    return str(label)


def check_key(key: Any) -> bytes | None:
    """The key as bytes."""
    if key is None:
        return None
    found = key.encode() if isinstance(key, str) else key
    if not isinstance(found, bytes) or len(found) < SHORTEST_KEY:
        raise ValueError(
            f"secret_key must be text or bytes of at least {SHORTEST_KEY} characters, known to the sites only; for "
            "example the output of `openssl rand -hex 32`."
        )
    return found


def _as_sent(label: Any, column: int, key: bytes | None) -> Any:
    return label if key is None else hash_label(label, column, key)


def _kind(label: Any) -> str:
    return "number" if isinstance(label, int | float) else "text"


def as_array(labels: list[Any]) -> Array:
    """Labels as the door has them: numbers as an array of numbers, the rest as objects."""
    array = np.asarray(labels)
    if array.dtype.kind in "biuf" and not any(isinstance(label, str) for label in labels):
        return array
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


# ------------------------------------------------------------------------------------------------ at the coordinator
def agree(replies: dict[str, Any]) -> list[list[Any]]:
    """The labels of every column at all sites, in the order in which the door would number them."""
    failed = {site: fault for site, reply in replies.items() if (fault := _fault(reply))}
    if failed:
        raise SiteError(failed)
    first = next(iter(replies))
    names = replies[first]["names"]
    for site, reply in replies.items():
        _compare_names(first, names, site, reply["names"])
    agreed: list[list[Any]] = []
    for j, name in enumerate(names):
        _refuse_mixed(j, name, replies)
        union = {label for reply in replies.values() for label in reply["labels"][j]}
        agreed.append(sorted(union, key=sort_key))
    if not any(agreed):
        raise SiteError(dict.fromkeys(replies, "has no label in any clustering"))
    return agreed


def _fault(reply: Any) -> str | None:
    """What is wrong with what a site says of its columns; None if nothing is."""
    lists: list[Any] = [reply.get(key) for key in ("names", "kinds", "labels")] if isinstance(reply, dict) else []
    if not lists or not all(isinstance(found, list) for found in lists) or len({len(found) for found in lists}) != 1:
        return "sent no names, kinds and labels of its clusterings"
    names, kinds, labels = lists
    known = all(isinstance(name, str) for name in names) and all(isinstance(kind, list) for kind in kinds)
    if not known or not all(isinstance(column, list) and all(map(_is_label, column)) for column in labels):
        return "sent labels that are neither numbers nor text"
    return None


def _is_label(label: Any) -> bool:
    return isinstance(label, str) or (isinstance(label, int | float) and math.isfinite(label))


def _compare_names(first: str, names: list[str], site: str, others: list[str]) -> None:
    if len(names) != len(others):
        raise SiteError({site: f"has {len(others)} clusterings, and site {first!r} has {len(names)}"})
    for j, (one, other) in enumerate(zip(names, others, strict=True)):
        if one and other and one != other:
            raise SiteError(
                {site: f"calls column {j + 1} {other!r}, and site {first!r} calls it {one!r}; columns must match"}
            )


def _refuse_mixed(j: int, name: str, replies: dict[str, Any]) -> None:
    """Numbers at one site and text at another would never be equal, although they may look it."""
    kinds = {site: reply["kinds"][j] for site, reply in replies.items() if reply["kinds"][j]}
    texts = [site for site, found in kinds.items() if "text" in found]
    numbers = [site for site, found in kinds.items() if found == ["number"]]
    if texts and numbers:
        fault = f"has text labels in clustering {name or j!r}, and site {numbers[0]!r} has numbers"
        raise SiteError(dict.fromkeys(texts, f"{fault}; the same labels must be of the same kind"))
