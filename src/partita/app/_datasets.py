"""The files of one start of the app, and what is told of them."""

import contextlib
import secrets
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pandas as pd

from partita._labels.ensemble import find_distinct_rows
from partita.app._errors import NotFoundError, RequestError
from partita.app._plain import plain, text_of
from partita.app._reading import Understood, check_corrections, merge, understand
from partita.app._words import in_page_words
from partita.consensus._registered import all_methods
from partita.exceptions import FileFormatError
from partita.io._lines import SEPARATORS

OFFERED = (*SEPARATORS, ":", "/")  # separators to choose from
_MOST = 50  # files at a time: each of them is kept in memory
_PREVIEWED, _EXAMPLES = 8, 4
_LONGEST_CELL = 200
_LONGEST_NAME = 200  # bytes: file systems take 255


class Dataset:
    """A file, and how it is read now."""

    def __init__(self, path: Path, name: str, corrections: dict[str, Any], *, owned: bool) -> None:
        self.id = secrets.token_hex(6)
        self.path, self.name, self.owned = path, name, owned
        self._lock = threading.Lock()
        self.understood = _understand_somehow(path, corrections)
        self.size, self.created = path.stat().st_size, time.time()
        self._told: dict[str, Any] | None = None

    @property
    def file(self) -> str:
        """What a script calls it: a file of the user has a place, one that was sent has a name only."""
        return self.name if self.owned else str(self.path)

    def correct(self, given: Any) -> None:
        """Read again; what cannot work leaves all as it was."""
        new = check_corrections(given)
        with self._lock:
            merged = merge(self.understood.corrections, new)
            self.understood, self._told = understand(self.path, merged, list(new)), None

    def short(self) -> dict[str, Any]:
        """One line of a list."""
        n_objects, kind = len(self.understood.frame), self.understood.kind
        return {"id": self.id, "name": self.name, "n_objects": n_objects, "kind": kind, "created": self.created}

    def told(self) -> dict[str, Any]:
        """All that was understood, as plain values."""
        found = self.understood
        if self._told is None:
            facts = {
                "size": self.size,
                "kind_reason": found.kind_reason,
                **_counts(found),
                "reading": reading_of(found),
            }
            warnings = [in_page_words(text) for text in found.warnings]
            tables = {"columns": _columns(found), "preview": _preview(found), "warnings": warnings}
            self._told = {**self.short(), **facts, **tables, "methods": methods(), "separators": list(OFFERED)}
        return self._told


def _understand_somehow(path: Path, corrections: dict[str, Any]) -> Understood:
    """A file that cannot be read as it looks is tried with other separators, so that the user can correct it."""
    try:
        return understand(path, corrections)
    except FileFormatError:
        for separator in OFFERED:
            with contextlib.suppress(ValueError, RequestError):
                found = understand(path, {**corrections, "separator": separator})
                if found.separator is not None and len(found.roles) > 1:
                    return found
        raise


class Datasets:
    """All files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, Dataset] = {}

    def check_room(self) -> None:
        """Refuse more files than there is room for."""
        if len(self._known) >= _MOST:
            raise RequestError(f"There are {_MOST} files already; remove one first.", 409)

    def new_folder(self) -> Path:
        """A private folder for one file."""
        place = self.folder / secrets.token_hex(8)
        place.mkdir(mode=0o700)
        return place

    def add(self, path: Path, corrections: dict[str, Any] | None = None, *, owned: bool = True) -> Dataset:
        """Read a file; if it cannot be read, a file of ours is removed."""
        self.check_room()
        try:
            dataset = Dataset(path, path.name, corrections or {}, owned=owned)
        except BaseException:
            if owned:
                shutil.rmtree(path.parent, ignore_errors=True)
            raise
        self._known[dataset.id] = dataset
        return dataset

    def add_example(self) -> Dataset:
        """The wines that come with the package."""
        from partita.datasets import load_wine_ensemble
        from partita.io import write_table

        wine = load_wine_ensemble()
        path = self.new_folder() / "wine.csv"
        write_table(path, pd.concat([wine.ids, wine.target, wine.labels.astype("Int64")], axis=1))
        return self.add(path, {"annotations": [str(wine.target.name)]})

    def get(self, key: str) -> Dataset:
        """One of them."""
        if key not in self._known:
            raise NotFoundError("This file")
        return self._known[key]

    def remove(self, key: str) -> None:
        """Forget one; a file of the user stays where it is."""
        dataset = self.get(key)
        del self._known[key]
        if dataset.owned:
            shutil.rmtree(dataset.path.parent, ignore_errors=True)

    def list(self) -> list[dict[str, Any]]:
        """All of them, in the order in which they came."""
        return [dataset.short() for dataset in list(self._known.values())]


def safe_name(name: str) -> str:
    """The last part of a name, without what a file system, a header or a terminal could take for something else."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(letter if letter.isprintable() and letter not in '<>:"|?*' else "_" for letter in last).strip(" .")
    written = kept.encode("utf-8", "replace")
    if len(written) > _LONGEST_NAME:
        half = _LONGEST_NAME // 2
        kept = written[:half].decode("utf-8", "ignore") + "..." + written[-half:].decode("utf-8", "ignore")
    return kept or "file.csv"


# ----------------------------------------------------------------------------------------------------- what is told
def reading_of(found: Understood) -> dict[str, Any]:
    """How the file is read: given or recognised."""
    given = found.corrections
    own = "clustering" if found.kind == "labels" else "feature"
    return {
        "separator": found.separator,
        "encoding": given.get("encoding"),
        "header": found.has_header,
        "id_column": None if found.ids is None else found.id_name,
        "missing": given.get("missing", []),
        "missing_words": given.get("missing_words", True),
        "noise": found.noise,
        "columns": found.having(own),
        "drop": found.having("dropped"),
        "annotations": found.having("annotation"),
        "kind": found.kind,
    }


def _counts(found: Understood) -> dict[str, Any]:
    id_column = None if found.ids is None else found.id_name
    if found.matrix is None:
        holes = found.frame[found.having("feature")].isna().to_numpy()
        counts = {"n_unlabelled": 0, "n_distinct_rows": None}
    else:
        matrix = found.matrix
        holes = matrix.codes < 0
        distinct = len(find_distinct_rows(matrix.codes, matrix.n_labels).first)
        counts = {"n_unlabelled": int(holes.all(axis=1).sum()), "n_distinct_rows": distinct}
    return {"n_missing": int(holes.sum()), "share_missing": float(holes.mean()), **counts, "id_column": id_column}


def _columns(found: Understood) -> list[dict[str, Any]]:
    ids = [] if found.ids is None else [_column(found.id_name, "id", found.ids)]
    return ids + [_column(name, role, found.frame[name]) for name, role in found.roles.items()]


def _column(name: str, role: str, values: "pd.Series[Any]") -> dict[str, Any]:
    distinct = values.dropna().unique()
    examples = [_short(text_of(value)) for value in distinct[:_EXAMPLES]]
    n_missing = int(values.isna().sum())
    return {"name": name, "role": role, "n_values": len(distinct), "n_missing": n_missing, "examples": examples}


def _preview(found: Understood) -> dict[str, Any]:
    head = found.frame.head(_PREVIEWED)
    columns = [(str(name), head[name]) for name in head.columns]
    if found.ids is not None:
        columns.insert(0, (found.id_name, found.ids.head(_PREVIEWED)))
    rows = zip(*([_short(text_of(value)) for value in values] for _, values in columns), strict=True)
    return {"columns": [name for name, _ in columns], "rows": [list(row) for row in rows]}


def _short(text: str | None) -> str | None:
    return text if text is None or len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…"


def methods() -> list[dict[str, Any]]:
    """The methods that can be chosen for labels."""
    rows = [row for row in all_methods().values() if not row.for_soft and row.name != "gbce"]
    return [
        {
            "name": row.name,
            "title": row.estimator,
            "soft": row.soft,
            "finds_k": row.finds_k,
            "cost": plain(row.cost),
            "missing": row.missing,
            "words": row.summary,
        }
        for row in rows
    ]
