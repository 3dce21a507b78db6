"""An experiment as cells: parts that are computed on their own, stored one by one, and never lost.

A cell is a function and its settings. What it raises is recorded as its error, and the others go on.
"""

import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from partita._workers import Lost, run_in_processes

_LONGEST = 1000  # letters of an error: advice stands at its end
Row = dict[str, Any]  # one measurement: numbers and words by name


class Measured(NamedTuple):
    """What a cell gives: rows of measurements, arrays that its figures need, and what should be known about them."""

    rows: list[Row]
    arrays: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    notes: tuple[str, ...] = ()


class Cell(NamedTuple):
    """A part of an experiment."""

    name: str  # unique in its experiment
    compute: Callable[..., Measured]  # a function of a module, called with the settings
    settings: dict[str, Any]  # as JSON keeps them
    cost: float = 1.0  # relative to the other cells, for the time left


class Experiment(NamedTuple):
    """What is computed once, for one table or figure or several."""

    name: str
    words: str  # what it does, in one sentence
    cells: Callable[[bool], list[Cell]]  # whether it is to be quick, to the cells


class Outcome(NamedTuple):
    """How a cell ended."""

    rows: list[Row]
    arrays: dict[str, Any]
    seconds: float
    error: str | None = None
    notes: tuple[str, ...] = ()


def outcomes(cells: list[Cell], jobs: int | None) -> Iterator[tuple[Cell, Outcome]]:
    """Compute the cells, in this process (None) or in others, and give each outcome as soon as it is there."""
    if jobs is None:
        for cell in cells:
            yield cell, compute(cell)
        return
    for cell, outcome in run_in_processes(compute, cells, jobs=jobs):
        yield cell, Outcome([], {}, 0.0, outcome.why) if isinstance(outcome, Lost) else outcome


def compute(cell: Cell) -> Outcome:
    """Compute a cell; what it raises is its error."""
    begun = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of hundreds of fits; what matters is in the rows
            rows, arrays, notes = cell.compute(**cell.settings)
    except Exception as error:
        return Outcome([], {}, time.perf_counter() - begun, words_of(error))
    return Outcome(rows, arrays, time.perf_counter() - begun, notes=notes)


def words_of(error: Exception) -> str:
    """An error in one line, with the line of code that raised it."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}, line {place.lineno}"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:_LONGEST]} ({where})"
