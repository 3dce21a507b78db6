"""How fits are run: seeds, threads, the best of several starts, progress bars and warnings.

The number of threads never changes a result: seeds are drawn once and in order, tasks return in order, and every sum
is made over a fixed grid of blocks.
"""

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from partita._stopping import Steps, check_stop, present_limits, take_over
from partita._typing import FloatArray, IntArray

T = TypeVar("T")
R = TypeVar("R")

SAMPLE_SIZE = 3000  # objects on which starts compete if there are more distinct rows: their cost stays bounded

_BLOCK = 8192  # rows per block, at least: more threads can share fewer rows, but each block fills its own table
_MANY_SEEDS = 100_000_000  # far above what finishes in a lifetime, and its seeds still fit in memory

_OURS = str(Path(__file__).parent) + os.sep
_BETWEEN = ("sklearn", "joblib", "contextlib.py", "functools.py")  # frames that may stand between ours and the user's


# ------------------------------------------------------------------------------------------------ seeds and threads
def as_random_state(random_state: Any) -> np.random.RandomState:
    """What scikit-learn draws from; a Generator shares its stream, so that it moves on with every draw."""
    from sklearn.utils import check_random_state

    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(random_state.bit_generator)
    if isinstance(random_state, int | np.integer) and not 0 <= random_state < 2**32:
        raise ValueError(f"random_state={random_state} is not a seed; pass a whole number from 0 to 2^32 - 1.")
    if not isinstance(random_state, int | np.integer | np.random.RandomState | ModuleType | None):
        raise ValueError(
            f"random_state={random_state!r:.60} cannot seed anything; pass a whole number, a RandomState, a Generator "
            "or None."
        )
    drawn: np.random.RandomState = check_random_state(random_state)
    return drawn


def draw_seeds(random_state: Any, n_seeds: int) -> IntArray:
    """Draw one integer seed per task from any kind of ``random_state``."""
    if n_seeds > _MANY_SEEDS:
        raise ValueError(f"{n_seeds} starts, chains or clusterings are too many; pass at most {_MANY_SEEDS}.")
    seeds = as_random_state(random_state).randint(np.iinfo(np.int32).max, size=n_seeds)
    return np.asarray(seeds, dtype=np.int64)


def check_run(n_jobs: Any, verbose: Any) -> None:
    """Refuse, in functions and before any work, what is not a number of threads, or not a switch."""
    check_n_jobs(n_jobs)
    if not isinstance(verbose, int | np.integer | np.bool_) or verbose < 0:
        raise ValueError(f"verbose={verbose!r:.60} is not allowed; pass True or False.")


def check_n_jobs(n_jobs: Any) -> None:
    """Refuse what is not a number of threads, in functions; estimators have a constraint that says the same."""
    whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (whole and n_jobs):
        raise ValueError(
            f"n_jobs={n_jobs!r:.60} is not a number of threads; pass at least 1, -1 for all cores, or None for one."
        )


def in_order(function: Callable[[T], R], tasks: Iterable[T], n_jobs: int | None) -> Iterator[R]:
    """Results of the tasks in their order, computed in threads (kernels release the GIL)."""
    check_n_jobs(n_jobs)  # now, and not when the first result is asked for
    return _results_in_order(function, list(tasks), n_jobs)


def _results_in_order(function: Callable[[T], R], tasks: list[T], n_jobs: int | None) -> Iterator[R]:
    from joblib import effective_n_jobs

    n_threads = 1 if n_jobs == 1 or len(tasks) < 2 else min(effective_n_jobs(n_jobs), len(tasks))
    if n_threads <= 1:
        for task in tasks:
            check_stop()
            yield function(task)
        return
    caller, limits = _user_line(), present_limits()

    def run(task: T) -> R:
        _thread.caller = caller  # a thread has no frame of the user: its warnings point at the line of the caller
        take_over(limits)
        check_stop()
        return function(task)

    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(run, tasks)


def block_edges(n_rows: int, n_cells: int) -> list[tuple[int, int]]:
    """Blocks of rows, long enough that adding up their tables of n_cells entries takes little time."""
    length = max(_BLOCK, 2 * n_cells)
    return [(lo, min(n_rows, lo + length)) for lo in range(0, n_rows, length)]


# ------------------------------------------------------------------------------------------------------------ starts
def best_of(run: Callable[[T], R], starts: Iterable[T], n_jobs: int | None, *, lowest: Callable[[R], float]) -> R:
    """Run every start and keep the result with the lowest value; the first one among equals."""
    return min(in_order(run, starts, n_jobs), key=lowest)


class Round(NamedTuple):
    """One round of a race between starts."""

    run: Callable[[Any], Any]  # a start, or the result of the round before, to a result
    keep: int  # how many of the best results go on


def race(starts: Iterable[Any], rounds: Iterable[Round], n_jobs: int | None, *, lowest: Callable[[Any], float]) -> Any:
    """All starts run through the first round, the best of them through the next, and so on.

    Returns the results that the last round keeps, best first; of equally good ones the first start is better.
    """
    field = list(starts)
    for run, keep in rounds:
        field = sorted(in_order(run, field, n_jobs), key=lowest)[:keep]
    return field


class WeightedRows(Protocol):
    """What starts compete on: rows with weights, of which a sample can be drawn."""

    @property
    def row_weights(self) -> FloatArray:
        """Weight of each row."""

    def sample(self, drawn: IntArray) -> Self:
        """The rows that were drawn at least once, weighted by how often."""


P = TypeVar("P", bound=WeightedRows)


def sample_for_starts(problem: P, seed: int, size: int | None = None) -> P:
    """The problem on which starts compete: a sample of its objects if it has many distinct rows, else itself."""
    drawn = draw_sample(problem.row_weights, seed, size)
    return problem if drawn is None else problem.sample(drawn)


def draw_sample(row_weights: FloatArray, seed: int, size: int | None = None) -> IntArray | None:
    """How often each distinct row occurs in a sample of ``SAMPLE_SIZE`` or fewer objects; None if none is needed."""
    size = SAMPLE_SIZE if size is None else min(size, SAMPLE_SIZE)
    if len(row_weights) <= size:
        return None
    share = row_weights / row_weights.sum()
    return np.random.default_rng(seed).multinomial(size, share).astype(np.int64)


def plus_plus(
    row_weights: FloatArray,
    n_centers: int,
    distance_from: Callable[[int], FloatArray],
    rng: np.random.Generator,
    first: int | None = None,
    *,
    n_candidates: int = 1,
) -> list[int]:
    """Rows to start from, each drawn with probability proportional to weight times squared distance (k-means++).

    ``distance_from(row)`` gives the squared distance (or divergence) of every row from a row. Fewer rows are returned
    when all rows are at a chosen one. The ``first`` row may be given. Of several candidates for a row, the one that
    lowers the weighted sum of distances most is taken (greedy k-means++).
    """
    chosen: list[int] = []
    nearest = np.full(len(row_weights), np.inf)
    share = row_weights
    while len(chosen) < n_centers:
        total = np.cumsum(share)
        if total[-1] <= 0:
            break
        given = [first] if first is not None and not chosen else None
        candidates = given or [_draw_row(total, rng) for _ in range(n_candidates if chosen else 1)]
        row, nearest = min(
            ((row, _with_row(nearest, distance_from(row), row)) for row in candidates),
            key=lambda candidate: float(row_weights @ candidate[1]),
        )
        chosen.append(row)
        share = row_weights * nearest
    return chosen


def _with_row(nearest: FloatArray, distance: FloatArray, row: int) -> FloatArray:
    """Distance of every row from the nearest chosen one when this row is chosen too."""
    nearest = np.minimum(nearest, distance)
    nearest[row] = 0.0
    return nearest


def _draw_row(total: FloatArray, rng: np.random.Generator) -> int:
    """A row drawn with probability proportional to its share; ``total`` holds the cumulative sums."""
    return int(np.searchsorted(total, rng.random() * total[-1], side="right").clip(max=len(total) - 1))


# --------------------------------------------------------------------------------------------------- progress and words
class Progress(Protocol):
    """What a loop needs of a progress bar."""

    def update(self, n: int) -> object:
        """Report that ``n`` more steps are done."""


class _Silent:
    def update(self, n: int) -> None:
        pass


@contextmanager
def progress(total: int | None, title: str, *, show: bool) -> Iterator[Progress]:
    """Open a bar over ``total`` steps, None if unknown, that appears after two seconds; silent without ``show``.

    Every update looks at the limits of the fit, and tells those who listen to its progress.
    """
    limits = present_limits()
    if not show:
        yield _Silent() if limits is None else Steps(limits, total, title)
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=title, delay=2.0, leave=False, unit="") as bar:
        yield bar if limits is None else Steps(limits, total, title, bar)


class _UserLine(NamedTuple):
    """A line of the user's code."""

    filename: str
    lineno: int
    module: str
    registry: dict[Any, Any]  # where Python remembers which warnings that module has shown


_thread = threading.local()  # caller: the line that started the tasks of a thread


def _user_line() -> _UserLine:
    """The line that called into partita, also through scikit-learn's wrappers."""
    known: _UserLine | None = getattr(_thread, "caller", None)
    if known is not None:
        return known
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_internal(frame.f_code.co_filename):
        frame = frame.f_back
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    return _UserLine(frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__", "<unknown>"), registry)


def warn(message: str, category: type[Warning]) -> None:
    """Warn, and point at the line of the user that called into partita."""
    line = _user_line()
    warnings.warn_explicit(message, category, line.filename, line.lineno, line.module, line.registry)


def _is_internal(filename: str) -> bool:
    if filename.startswith(_OURS):
        return True
    path = Path(filename)
    return path.name in _BETWEEN or any(part in _BETWEEN for part in path.parts)


def warn_not_converged(
    method: str, max_iter: int, *, gap: str = "", unit: str = "iterations", advice: str = "raise max_iter or tol"
) -> None:
    """Say that a method stopped at ``max_iter``, and what to change."""
    from sklearn.exceptions import ConvergenceWarning

    reached = f" ({gap})" if gap else ""
    warn(f"{method} did not converge in max_iter={max_iter} {unit}{reached}; {advice}.", ConvergenceWarning)
