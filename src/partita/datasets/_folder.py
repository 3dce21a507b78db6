"""Data sets in the folder that the environment variable PARTITA_DATA names.

Tables are ``<name>.csv.gz``: one row per object, the last column ``label``, an empty field where a value is missing.
In the subfolder ``clustbench`` label 0 marks noise, and ``<name>.labels.csv.gz`` may hold several labellings in columns
``labels0``, ``labels1``, ... Texts are ``<name>.counts.npz`` (sparse, documents x terms) with ``<name>.labels.csv.gz``
(``doc,label``) and ``<name>.vocab.txt.gz`` (one term per line). ``SHA256SUMS``, where it is there, is checked.
"""

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from partita.datasets._dataset import Dataset
from partita.exceptions import FileFormatError

VARIABLE = "PARTITA_DATA"
_PLANE = "clustbench"  # subfolder of the tables whose label 0 is noise
_TABLE, _COUNTS, _LABELS, _TERMS = ".csv.gz", ".counts.npz", ".labels.csv.gz", ".vocab.txt.gz"
# pandas before 3.1 reads decimal numbers to the last bit only if asked
_EXACT: dict[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
)


def data_folder() -> Path | None:
    """The folder of PARTITA_DATA; None if the variable is not set."""
    given = os.environ.get(VARIABLE)
    if not given:
        return None
    folder = Path(given).expanduser()
    if not folder.is_dir():
        raise FileNotFoundError(f"{VARIABLE}={given!r} is not a folder; set it to the folder that holds <name>.csv.gz.")
    return folder


def stored_files(folder: Path) -> dict[str, Path]:
    """The data sets of a folder, by name; the file with the features of each."""
    found: dict[str, Path] = {}
    for place in (folder, folder / _PLANE):
        for ending in (_TABLE, _COUNTS):
            for path in sorted(place.glob(f"*{ending}")):
                name = path.name.removesuffix(ending)
                if not path.name.endswith(_LABELS):
                    found.setdefault(name, path)
    return dict(sorted(found.items()))


def load_stored(name: str, path: Path, folder: Path, labelling: int) -> Dataset:
    """Read a data set of the folder."""
    sums = _sums_of(folder)
    if path.name.endswith(_COUNTS):
        return _load_text(name, path, sums, folder, labelling)
    return _load_table(name, path, sums, folder, labelling)


def _load_table(name: str, path: Path, sums: dict[str, str], folder: Path, labelling: int) -> Dataset:
    table = _read_table(path, sums, folder)
    if table.columns[-1] != "label" or table.shape[1] < 2:
        raise FileFormatError(f"{os.fspath(path)!r} has the last column {table.columns[-1]!r}, not 'label'; {_AGAIN}")
    features = table.iloc[:, :-1].copy()
    numbers = features.select_dtypes("number").columns
    features = features.astype(dict.fromkeys(numbers, "float64"))
    target = table["label"]
    noise = path.parent.name == _PLANE
    if labelling or noise:
        target = _labelling(name, path, sums, folder, target, labelling)
    if noise:
        target = target.mask(target == "0")
    return Dataset(name, features, target, 0, "", f"{name}: {_kinds(features)}, from {path.name}.")


def _labelling(
    name: str, path: Path, sums: dict[str, str], folder: Path, first: "pd.Series[str]", number: int
) -> "pd.Series[str]":
    """The labelling of that number; number 0 is the one in the table itself."""
    if number == 0:
        return first
    beside = path.with_name(name + _LABELS)
    several = _read_table(beside, sums, folder) if beside.exists() else pd.DataFrame({"labels0": first})
    if f"labels{number}" not in several:
        raise ValueError(f"labelling={number} is not there; {name} has {several.shape[1]}, numbered from 0.")
    if len(several) != len(first):
        raise FileFormatError(f"{os.fspath(beside)!r} has {len(several)} rows for {len(first)} objects; {_AGAIN}")
    return several[f"labels{number}"].rename("label")


def _load_text(name: str, path: Path, sums: dict[str, str], folder: Path, labelling: int) -> Dataset:
    from scipy.sparse import csr_matrix, load_npz

    if labelling:
        raise ValueError(f"labelling={labelling} is not there; {name} has one labelling, number 0.")
    beside, words = path.with_name(name + _LABELS), path.with_name(name + _TERMS)
    with _reading(path, sums, folder), path.open("rb") as file:
        counts = csr_matrix(load_npz(file))
    labels = _read_table(beside, sums, folder)
    with _reading(words, sums, folder), gzip.open(words, "rt", encoding="utf-8") as lines:
        terms = pd.Index(lines.read().splitlines(), dtype="str")
    if "label" not in labels or counts.shape != (len(labels), len(terms)):
        raise FileFormatError(
            f"{os.fspath(path)!r} has {counts.shape[0]} documents and {counts.shape[1]} terms, but the files beside it "
            f"have {len(labels)} rows and {len(terms)} terms; {_AGAIN}"
        )
    target = labels["label"]
    if "doc" in labels:
        target = target.set_axis(labels["doc"])
    said = f"{name}: counts of {counts.shape[1]} terms in {counts.shape[0]} documents, from {path.name}."
    return Dataset(name, counts, target, 0, "", said, terms)


def _read_table(path: Path, sums: dict[str, str], folder: Path) -> pd.DataFrame:
    """A table whose empty fields alone are missing; labels are text."""
    with _reading(path, sums, folder):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            header = lines.readline().strip().split(",")
        words: dict[Any, str] = {column: "str" for column in header if column.startswith(("label", "doc"))}
        table: pd.DataFrame = pd.read_csv(
            path, dtype=words, keep_default_na=False, na_values=[""], low_memory=False, **_EXACT
        )
    if not isinstance(table.index, pd.RangeIndex):  # pandas takes cells without a header for names of rows
        raise FileFormatError(f"{os.fspath(path)!r} has rows with more cells than the header; {_AGAIN}")
    if not len(table):
        raise FileFormatError(f"{os.fspath(path)!r} has no rows; {_AGAIN}")
    return table


_AGAIN = "copy the file again."


@contextmanager
def _reading(path: Path, sums: dict[str, str], folder: Path) -> Iterator[None]:
    """One error for a file that is not there, one for a file that cannot be what its name says."""
    shown = os.fspath(path)
    try:
        expected = sums.get(path.relative_to(folder).as_posix())
        if expected is not None and hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            raise FileFormatError(f"{shown!r} is not the file that SHA256SUMS beside it lists; {_AGAIN}")
        yield
    except FileFormatError:
        raise
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{shown!r} is missing; copy it beside the other files of the data set.") from error
    except (OSError, EOFError, zlib.error, BadZipFile, ValueError, KeyError) as error:
        raise FileFormatError(f"{shown!r} is damaged ({str(error).strip():.100}); {_AGAIN}") from error


def _sums_of(folder: Path) -> dict[str, str]:
    listed = folder / "SHA256SUMS"
    if not listed.exists():
        return {}
    lines = [line.split(maxsplit=1) for line in listed.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {line[1].removeprefix("*").removeprefix("./"): line[0] for line in lines if len(line) == 2}


def _kinds(features: pd.DataFrame) -> str:
    words = int(np.sum([kind.kind not in "fiu" for kind in features.dtypes if hasattr(kind, "kind")]))
    categorical = f" ({words} categorical)" if words else ""
    return f"{features.shape[0]} objects, {features.shape[1]} features{categorical}"
