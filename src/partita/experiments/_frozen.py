"""Frozen ensembles: label matrices with the true classes, kept in files and named by a hash of their content.

Results are comparable only if they were computed from the same labels. The same recipe and seed can give other labels
with another version of NumPy or scikit-learn; a hash of the labels and the classes tells.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from partita._labels.validation import LabelMatrix, check_label_matrix
from partita._typing import Array, Codes
from partita.exceptions import FileFormatError
from partita.io._replacing import replacing

_DIGITS = 12  # of the hash in names: 48 bits, so that a million ensembles share none by chance


@dataclass(frozen=True)
class FrozenEnsemble:
    """Labels and classes in canonical codes, with what made them.

    Codes are numbered by first appearance, so that equal partitions have equal codes. ``about`` has ``data``,
    ``recipe``, ``options``, ``seed``, ``half``, ``n_classes``, ``preparation`` and ``versions``.
    """

    labels: Codes  # (n_objects, n_clusterings), -1 where a label is missing
    truth: Codes  # class of each object, -1 where it is not counted
    about: dict[str, Any] = field(repr=False)
    hash: str  # of labels and truth, twelve hexadecimal digits

    @property
    def name(self) -> str:
        """Data set, recipe and hash."""
        return f"{self.about['data']}.{self.about['recipe']}.{self.hash}"

    @property
    def n_classes(self) -> int:
        """Number of classes of the objects that are counted."""
        return int(self.truth.max(initial=-1)) + 1


def freeze(
    labels: Any,
    truth: Any,
    *,
    data: str,
    recipe: str,
    seed: int,
    options: Mapping[str, Any] | None = None,
    preparation: str = "",
) -> FrozenEnsemble:
    """Freeze an ensemble.

    Parameters
    ----------
    labels : label matrix
        One row per object, one column per clustering; -1 or NaN where a label is missing.
    truth : array-like
        Class of each object; -1, NaN or None where the object does not count.
    data, recipe : str
        Name of the data set and of the recipe, without dots or slashes.
    seed : int
        Seed of the recipe.
    options : mapping, optional
        Options of the recipe.
    preparation : str
        What was done to the features.

    Returns
    -------
    FrozenEnsemble
        ``labels``, ``truth``, ``about``, ``hash``, ``name``.

    Examples
    --------
    >>> from partita.experiments import freeze
    >>> labels = {"first": [7, 7, 3], "second": [1, 0, 0]}
    >>> frozen = freeze(labels, ["a", "b", "b"], data="toy", recipe="hand", seed=0)
    >>> frozen.labels.tolist(), frozen.truth.tolist()
    ([[0, 0], [0, 1], [1, 1]], [0, 1, 1])
    >>> frozen.name
    'toy.hand.b621c107f07e'
    """
    for word, value in (("data", data), ("recipe", recipe)):
        if not isinstance(value, str) or not value or set(value) & set("./\\"):
            raise ValueError(f"{word}={value!r:.60} is not a name; pass a text without dots and slashes.")
    matrix = check_label_matrix(labels)
    classes = check_label_matrix(np.reshape(np.asarray(truth, dtype=object), (-1, 1)))
    if len(classes.codes) != len(matrix.codes):
        raise ValueError(
            f"truth has {len(classes.codes)} classes for {len(matrix.codes)} objects; pass one per object."
        )
    codes, target = _canonical(matrix), _canonical(classes)[:, 0]
    about = {
        "data": data,
        "recipe": recipe,
        "options": dict(options or {}),
        "seed": int(seed),
        "half": half_of(data),
        "n_classes": int(target.max()) + 1,
        "preparation": preparation,
        "versions": {library: version(library) for library in ("numpy", "scikit-learn")},
    }
    return FrozenEnsemble(codes, target, about, ensemble_hash(codes, target))


def half_of(data: str) -> str:
    """The half that a data set is in, "development" or "test": by the MD5 of its name, so that nobody chooses.

    Examples
    --------
    >>> from partita.experiments import half_of
    >>> half_of("wine"), half_of("iris")
    ('development', 'test')
    """
    digest = hashlib.md5(data.lower().encode(), usedforsecurity=False).hexdigest()
    return ("development", "test")[int(digest, 16) % 2]


def ensemble_hash(labels: Array, truth: Array) -> str:
    """The first digits of the SHA-256 of labels and classes: shape, then little-endian 32-bit codes row by row."""
    codes = np.ascontiguousarray(labels, dtype="<i4")
    digest = hashlib.sha256(f"{codes.shape[0]} x {codes.shape[1]}\n".encode())
    digest.update(codes.tobytes())
    digest.update(np.ascontiguousarray(truth, dtype="<i4").tobytes())
    return digest.hexdigest()[:_DIGITS]


def save_frozen(frozen: FrozenEnsemble, folder: str | os.PathLike[str]) -> Path:
    """Write ``<data>.<recipe>.<hash>.npz`` in a folder; a file is there as a whole or not at all."""
    path = Path(folder) / f"{frozen.name}.npz"
    about = json.dumps(frozen.about, sort_keys=True)
    with replacing(path) as beside, beside.open("wb") as file:
        np.savez_compressed(file, labels=frozen.labels, truth=frozen.truth, about=np.array(about))
    return path


def load_frozen(path: str | os.PathLike[str]) -> FrozenEnsemble:
    """Read a frozen ensemble, and refuse it if its content does not have the hash of its name."""
    shown = os.fspath(path)
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            labels, truth, about = stored["labels"], stored["truth"], json.loads(str(stored["about"]))
        named = Path(shown).name.split(".")
        found = ensemble_hash(labels, truth)
        expected = [about["data"], about["recipe"], found, "npz"]
    except FileNotFoundError:
        raise
    except (OSError, EOFError, BadZipFile, ValueError, KeyError, TypeError, IndexError) as error:
        raise FileFormatError(f"{shown!r} is not a frozen ensemble ({error!s:.100}); make it again.") from error
    if named != expected:
        raise FileFormatError(
            f"{shown!r} holds {'.'.join(expected[:3])}: its labels or classes were changed, or the file was renamed; "
            "make it again."
        )
    return FrozenEnsemble(np.asarray(labels, dtype=np.int32), np.asarray(truth, dtype=np.int32), about, found)


def check_same_ensembles(first: Mapping[str, str], second: Mapping[str, str]) -> None:
    """Refuse to compare results of different ensembles.

    Parameters
    ----------
    first, second : mapping
        Hash of every ensemble, by ``"<data>.<recipe>"``. Ensembles that only one of them has do not matter.
    """
    for name in sorted(first.keys() & second.keys()):
        if first[name] != second[name]:
            raise ValueError(
                f"results on {name} come from different ensembles ({first[name]} and {second[name]}) and cannot be "
                "compared; run both on the same files."
            )


def _canonical(matrix: LabelMatrix) -> Codes:
    """Codes numbered by first appearance in each column, -1 where missing."""
    made = np.full(matrix.codes.shape, -1, dtype=np.int32)
    for column, codes in enumerate(np.asarray(matrix.codes).T):
        seen = codes >= 0
        values, first, inverse = np.unique(codes[seen], return_index=True, return_inverse=True)
        rank = np.empty(len(values), dtype=np.int32)
        rank[np.argsort(first)] = np.arange(len(values))
        made[seen, column] = rank[inverse]
    return made
