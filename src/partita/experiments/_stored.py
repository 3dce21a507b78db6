"""Results of an experiment in one JSON file: every cell with its settings, seed, rows and error.

The file is written anew, beside the old one and then renamed, each time a cell is done. A cell that is there with the
same settings and the same version of the library is not computed again.
"""

import base64
import json
import os
import platform
import sys
import zlib
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import partita
from partita.exceptions import FileFormatError
from partita.experiments._cells import Cell, Outcome, Row
from partita.io._replacing import replacing

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pymetis", "mtkahypar")
_KEYS = {"settings", "version", "seconds", "error", "columns", "rows", "arrays"}  # of a cell
_DIGITS = 6  # significant ones of the numbers that are stored


def file_name(experiment: str, *, quick: bool) -> str:
    """Name of the file with the results of an experiment."""
    return f"{experiment}{'.quick' if quick else ''}.json"


class Stored:
    """The results of an experiment in a file, or in memory only."""

    def __init__(self, path: Path | None, experiment: str, *, quick: bool) -> None:
        self.path = path
        self.experiment = experiment
        self.quick = quick
        self.cells: dict[str, dict[str, Any]] = {}
        self.about = _about()

    # ------------------------------------------------------------------------------------------------------- files
    @classmethod
    def at(cls, folder: Path, experiment: str, *, quick: bool) -> "Stored":
        """The results in a folder; empty if there are none yet."""
        path = folder / file_name(experiment, quick=quick)
        made = cls(path, experiment, quick=quick)
        if path.exists():
            made._read(path)
        return made

    def _read(self, path: Path) -> None:
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            if stored["experiment"] != self.experiment:
                raise ValueError(f"it is of {stored['experiment']!r}")
            cells, self.about = dict(stored["cells"]), dict(stored["about"])
            for name, cell in cells.items():
                if not set(cell) >= _KEYS:
                    raise ValueError(f"cell {name!r} is not whole")
            self.cells = cells
        except (ValueError, KeyError, TypeError) as error:
            raise FileFormatError(
                f"{os.fspath(path)!r} does not hold results of {self.experiment} ({error!s:.100}); move it away and "
                "run again."
            ) from error

    def save(self) -> None:
        """Replace the file by what is known now: one line per cell; what another run added meanwhile stays."""
        if self.path is None:
            return
        if self.path.exists():
            meanwhile = Stored.at(self.path.parent, self.experiment, quick=self.quick)
            self.cells = meanwhile.cells | self.cells
        lines = [f"{json.dumps(name)}: {_compact(cell)}" for name, cell in sorted(self.cells.items())]
        head = {"experiment": self.experiment, "quick": self.quick, "about": self.about}
        body = json.dumps(head, indent=1)[:-2] + ',\n "cells": {\n' + ",\n".join(lines) + "\n}}\n"
        with replacing(self.path) as beside:
            beside.write_text(body, encoding="utf-8")

    # ------------------------------------------------------------------------------------------------------- cells
    def holds(self, cell: Cell) -> bool:
        """Whether the cell was computed without an error, with these settings."""
        known = self.cells.get(cell.name)
        return known is not None and known["error"] is None and known["settings"] == _as_read(cell.settings)

    def failed(self, cell: Cell) -> bool:
        """Whether the cell was tried with these settings, and failed."""
        known = self.cells.get(cell.name)
        return known is not None and known["error"] is not None and known["settings"] == _as_read(cell.settings)

    def is_current(self, cell: Cell) -> bool:
        """Whether that was done by this version and every fit succeeded, so that it need not be done again."""
        if not self.holds(cell):
            return False
        known = self.cells[cell.name]
        place = known["columns"].index("error") if "error" in known["columns"] else None
        failed = place is not None and any(row[place] is not None for row in known["rows"])
        return not failed and known["version"] == partita.__version__

    def add(self, cell: Cell, outcome: Outcome) -> None:
        """Keep a cell, and write the file."""
        self.about = _about()
        columns = list(dict.fromkeys(name for row in outcome.rows for name in row))
        self.cells[cell.name] = {
            "settings": _as_read(cell.settings),
            "version": partita.__version__,
            "seconds": _number(outcome.seconds),
            "error": outcome.error,
            "columns": columns,
            "rows": [[_number(row.get(name)) for name in columns] for row in outcome.rows],
            "arrays": {name: pack(array) for name, array in outcome.arrays.items()},
            "notes": list(outcome.notes),
        }
        self.save()

    def only(self, names: Iterable[str]) -> "Stored":
        """The results of some cells, in this order, in memory."""
        made = Stored(None, self.experiment, quick=self.quick)
        made.about = self.about
        made.cells = {name: self.cells[name] for name in names if name in self.cells}
        return made

    # ------------------------------------------------------------------------------------------------------- reading
    @property
    def table(self) -> pd.DataFrame:
        """All measurements, one row each; the columns ``cell`` and ``error`` are always there."""
        rows: list[Row] = []
        for name, cell in self.cells.items():
            rows += [{"cell": name, **dict(zip(cell["columns"], row, strict=True))} for row in cell["rows"]]
        made = pd.DataFrame(rows)
        for column in ("cell", "error"):
            if column not in made:
                made[column] = None
        return made

    @property
    def errors(self) -> list[str]:
        """What went wrong, in words: of whole cells, of single fits, of clusterings that were left out."""
        whole = [f"{name}: {cell['error']}" for name, cell in self.cells.items() if cell["error"]]
        table = self.table
        failed = table[table["error"].notna()]
        fits = [
            f"{method} failed {len(of)} times in {of['cell'].nunique()} cells, first: {of['error'].iloc[0]}"
            for method, of in (failed.groupby("method") if len(failed) else ())
        ]
        noted = Counter(note for cell in self.cells.values() for note in cell.get("notes", ()))
        return whole + fits + [f"{note} ({count} cells)" for note, count in noted.items()]

    def array(self, name: str, cell: str | None = None) -> Any:
        """A stored array; of any cell that has one of this name, if no cell is given. None if there is none."""
        for known, stored in self.cells.items():
            if cell in (None, known) and name in stored["arrays"]:
                return unpack(stored["arrays"][name])
        return None


def _as_read(settings: dict[str, Any]) -> Any:
    """Settings as they are when they come back from a file: tuples are lists."""
    return json.loads(json.dumps(settings))


def _compact(cell: dict[str, Any]) -> str:
    return json.dumps(cell, separators=(",", ":"))


def _about() -> dict[str, Any]:
    """What made the results: versions and machine, without its name."""
    versions = {"partita": partita.__version__, "python": sys.version.split()[0]}
    for library in _LIBRARIES:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            versions[library] = "not installed"
    machine = {"system": platform.system(), "architecture": platform.machine(), "cores": os.cpu_count()}
    return {"versions": versions, "machine": machine}


def _number(value: Any) -> Any:
    """A value as JSON keeps it: few digits, no NaN."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None
    return value


# --------------------------------------------------------------------------------------------------------------- arrays
def pack(array: Any) -> dict[str, Any]:
    """An array as text: compressed, little-endian."""
    values = np.asarray(array)
    values = values.astype(values.dtype.newbyteorder("<"))
    text = base64.b64encode(zlib.compress(np.ascontiguousarray(values).tobytes(), 9)).decode("ascii")
    return {"dtype": values.dtype.str, "shape": list(values.shape), "zlib": text}


def unpack(stored: dict[str, Any]) -> Any:
    """The array that was packed."""
    values = np.frombuffer(zlib.decompress(base64.b64decode(stored["zlib"])), dtype=stored["dtype"])
    return values.reshape(stored["shape"])
