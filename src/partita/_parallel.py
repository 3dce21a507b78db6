"""Tasks in threads, results in order: the number of threads never changes what comes out."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from joblib import effective_n_jobs

T = TypeVar("T")


def in_order(function: Callable[[T], Any], tasks: list[T], n_jobs: int | None) -> Iterator[Any]:
    """Results of the tasks in their order, computed in threads."""
    n_threads = min(effective_n_jobs(n_jobs), len(tasks))
    if n_threads <= 1:
        yield from map(function, tasks)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(function, tasks)
