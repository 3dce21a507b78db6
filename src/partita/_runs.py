"""How fits are run: seeds, threads, the best of several starts, progress bars and warnings.

The number of threads never changes a result: seeds are drawn once and in order, tasks return in order, and every sum
is made over a fixed grid of blocks.
"""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from partita._typing import FloatArray, IntArray

T = TypeVar("T")
R = TypeVar("R")

SAMPLE_SIZE = (
    3000  # objects on which starts compete when there are more distinct rows: seconds instead of minutes at 1M
)

_OURS = str(Path(__file__).parent)
_BETWEEN = ("sklearn", "joblib", "contextlib.py", "functools.py")  # frames that may stand between ours and the user's


# ------------------------------------------------------------------------------------------------ seeds and threads
def draw_seeds(random_state: Any, n_seeds: int) -> IntArray:
    """Draw one integer seed per task from scikit-learn's kind of ``random_state``."""
    from sklearn.utils import check_random_state

    seeds: IntArray = check_random_state(random_state).randint(np.iinfo(np.int32).max, size=n_seeds)
    return seeds.astype(np.int64)


def in_order(function: Callable[[T], R], tasks: Iterable[T], n_jobs: int | None) -> Iterator[R]:
    """Results of the tasks in their order, computed in threads (kernels release the GIL)."""
    from joblib import effective_n_jobs

    tasks = list(tasks)
    n_threads = 1 if n_jobs == 1 else min(effective_n_jobs(n_jobs), len(tasks))
    if n_threads <= 1:
        yield from map(function, tasks)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(function, tasks)


# ------------------------------------------------------------------------------------------------------------ starts
def best_of(run: Callable[[T], R], starts: Iterable[T], n_jobs: int | None, *, lowest: Callable[[R], float]) -> R:
    """Run every start and keep the result with the lowest value; the first one among equals."""
    return min(in_order(run, starts, n_jobs), key=lowest)


def draw_sample(row_weights: FloatArray, seed: int) -> IntArray | None:
    """How often each distinct row occurs in a sample of objects on which starts compete; None if no sample is needed.

    Use it as ``ensemble.sample(drawn)``: the best start on the sample then continues on all rows.
    """
    if len(row_weights) <= SAMPLE_SIZE:
        return None
    share = row_weights / row_weights.sum()
    return np.random.default_rng(seed).multinomial(SAMPLE_SIZE, share).astype(np.int64)


def plus_plus(
    weights: FloatArray, n_centers: int, distance_from: Callable[[int], FloatArray], rng: np.random.Generator
) -> list[int]:
    """Rows to start from, each drawn with probability proportional to weight times squared distance (k-means++).

    ``distance_from(row)`` gives the squared distance (or divergence) of every row from a row. Fewer rows are returned
    when all rows are at a chosen one.
    """
    chosen: list[int] = []
    nearest = np.full(len(weights), np.inf)
    share = weights
    while len(chosen) < n_centers:
        total = np.cumsum(share)
        if total[-1] <= 0:
            break
        row = int(np.searchsorted(total, rng.random() * total[-1], side="right").clip(max=len(share) - 1))
        chosen.append(row)
        nearest = np.minimum(nearest, distance_from(row))
        nearest[row] = 0.0
        share = weights * nearest
    return chosen


# --------------------------------------------------------------------------------------------------- progress and words
class Progress(Protocol):
    """What a loop needs of a progress bar."""

    def update(self, n: int) -> object:
        """Report that ``n`` more steps are done."""


class _Silent:
    def update(self, n: int) -> None:
        pass


@contextmanager
def progress(total: int, title: str, *, show: bool) -> Iterator[Progress]:
    """Open a bar over ``total`` steps that appears after two seconds; without ``show`` it is silent."""
    if not show:
        yield _Silent()
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=title, delay=2.0, leave=False, unit="") as bar:
        yield bar


def warn(message: str, category: type[Warning]) -> None:
    """Warn, and point at the line of the user that called into partita."""
    level, frame = 2, sys._getframe(1)  # level 2 is the caller of this function
    while frame.f_back is not None and _is_internal(frame.f_code.co_filename):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


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
