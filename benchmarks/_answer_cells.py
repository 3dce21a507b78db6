"""The results of the leaderboard, one line of JSON per cell: a method, an ensemble, k given or found.

A line is written as soon as a cell is done, so that an interrupted run loses nothing. Of several lines for one cell the
last counts; a line that is not whole is left out.
"""

import json
import sys
from pathlib import Path

from partita.experiments import check_same_ensembles


def key(cell):
    """What a cell is the result of."""
    return cell["hash"], cell["method"], cell["mode"], cell["version"]


def read_cells(path):
    """The stored cells by key."""
    cells, damaged = {}, 0
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            cell = json.loads(line)
            cells[key(cell)] = cell
        except (ValueError, KeyError, TypeError):
            damaged += bool(line.strip())
    if damaged:
        print(f"{path}: {damaged} lines are not whole and are left out", file=sys.stderr)
    return cells


class Store:
    """A file that cells are added to."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        torn = path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
        self._file = path.open("a", encoding="utf-8")
        if torn:  # the last run was stopped within a line
            self._file.write("\n")

    def add(self, cell):
        self._file.write(json.dumps(cell) + "\n")
        self._file.flush()

    def close(self):
        self._file.close()


def hashes_of(cells):
    """The hash of every ensemble, by data and recipe; refused if there are two for one."""
    found = {}
    for cell in cells:
        check_same_ensembles(found, {ensemble_name(cell): cell["hash"]})
        found[ensemble_name(cell)] = cell["hash"]
    return found


def ensemble_name(cell):
    return f"{cell['data']}.{cell['recipe']}"


def is_timeout(cell):
    return cell.get("timeout") is not None


# ---------------------------------------------------------------------------------------- the compact, committed form
_OF_ENSEMBLE = ("hash", "data", "recipe", "half", "n", "rows", "classes")
_OF_CELL = ("version", "ari", "nmi", "k", "seconds", "error", "timeout")


def write_compact(cells, path, about):
    """Keep cells in one file, with every ensemble and every method written once."""
    ordered = sorted(cells, key=lambda cell: (cell["data"], cell["recipe"], cell["mode"], cell["method"]))
    ensembles = list(dict.fromkeys(tuple(cell[name] for name in _OF_ENSEMBLE) for cell in ordered))
    place = {ensemble[0]: number for number, ensemble in enumerate(ensembles)}
    methods = sorted({cell["method"] for cell in ordered})
    rows = [
        [place[cell["hash"]], methods.index(cell["method"]), cell["mode"], *(cell.get(name) for name in _OF_CELL)]
        for cell in ordered
    ]
    fields = {"ensemble": _OF_ENSEMBLE, "cell": ("ensemble", "method", "mode", *_OF_CELL)}
    lines = [
        f'"about": {json.dumps(about)}',
        f'"fields": {json.dumps(fields)}',
        f'"methods": {json.dumps(methods)}',
        f'"ensembles": {_lines(ensembles)}',
        f'"cells": {_lines(rows)}',
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _lines(rows):
    return "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]"


def read_compact(path):
    """The cells of a compact file, and what it says about itself."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        ensembles = [dict(zip(_OF_ENSEMBLE, row, strict=True)) for row in stored["ensembles"]]
        cells = [
            {
                **ensembles[row[0]],
                "method": stored["methods"][row[1]],
                "mode": row[2],
                **dict(zip(_OF_CELL, row[3:], strict=True)),
            }
            for row in stored["cells"]
        ]
    except FileNotFoundError:
        raise SystemExit(f"{path} is not there; run python -m benchmarks answer first") from None
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise SystemExit(f"{path} is damaged ({error}); run python -m benchmarks answer again") from None
    return cells, stored["about"]
