"""Where blocks are computed: in this process, in threads, or by the workers of a Dask cluster.

An engine applies a function to tasks and gives the results in the order of the tasks, a few at a time, so that results
that wait take little memory. Sums over blocks are made here, in that order: workers, and their number, change no bit.
"""

import os
import shutil
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from partita._stopping import check_stop, present_limits, take_over

Sums = dict[str, Any]  # arrays by name


class Engine(Protocol):
    """Computes tasks, and keeps results where they were made."""

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """``function(*task)`` for every task, in order."""
        ...

    def keep(
        self, function: Callable[..., tuple[Any, Any]], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[Any, Any]]:
        """For results of two parts: the first one, and a handle of the second, that can be passed in tasks."""
        ...

    def drop(self, handle: Any) -> None:
        """Forget what was kept under a handle."""
        ...

    def share(self, values: Any) -> Any:
        """A handle of values that many tasks need."""
        ...


class OnDisk(NamedTuple):
    """Handle of named arrays in a file."""

    path: str

    def load(self) -> dict[str, Any]:
        """The arrays."""
        with np.load(self.path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}


class _OneThread:
    """While any task runs, libraries use one thread: their sums must not depend on the number of threads.

    The limit is that of the process, so that the first task sets it and the last one takes it back.
    """

    def __init__(self) -> None:
        self._lock, self._n_inside = threading.Lock(), 0
        self._limits: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._n_inside += 1
            if self._n_inside == 1:
                self._limits = threadpool_limits(limits=1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                self._limits.restore_original_limits()


one_thread = _OneThread()


class InThisProcess:
    """Threads of this process; what is kept is kept on disk, in a folder that goes with the engine."""

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs
        self._folder: str | None = None
        self._n_kept = 0

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Results in order; the tasks are taken as they are needed."""
        from joblib import effective_n_jobs

        def run(task: tuple[Any, ...]) -> Any:
            with one_thread:
                return function(*(part.load() if isinstance(part, OnDisk) else part for part in task))

        n_threads = effective_n_jobs(self.n_jobs)
        if n_threads == 1:
            yield from map(run, tasks)
            return
        limits = present_limits()

        def run_in_thread(task: tuple[Any, ...]) -> Any:
            take_over(limits)
            check_stop()
            return run(task)

        with ThreadPoolExecutor(n_threads) as pool:
            yield from in_window(lambda task: pool.submit(run_in_thread, task), iter(tasks), 2 * n_threads)

    def keep(
        self, function: Callable[..., tuple[Any, Any]], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[Any, Any]]:
        """The first part of each result, and a handle of the second, which is written to disk."""
        for told, arrays in self.map(function, tasks):
            yield told, self._store(arrays)

    def share(self, values: Any) -> Any:
        """The values themselves."""
        return values

    def _store(self, arrays: dict[str, Any]) -> OnDisk:
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="partita-")
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._n_kept += 1
        path = os.path.join(self._folder, f"{self._n_kept:08d}.npz")
        np.savez(path, **arrays)
        return OnDisk(path)

    def drop(self, handle: OnDisk) -> None:
        """Delete what was kept."""
        os.unlink(handle.path)


def in_window(submit: Callable[[Any], Any], tasks: Iterator[Any], width: int) -> Iterator[Any]:
    """Results of tasks in order, of which at most ``width`` are under way; the others are given up after an error."""
    running = deque(map(submit, islice(tasks, width)))
    try:
        while running:
            yield running.popleft().result()
            running.extend(map(submit, islice(tasks, 1)))
    finally:
        for future in running:
            future.cancel()


def add_up(parts: Iterable[Sums]) -> Sums:
    """Sum of named arrays over the parts, in their order."""
    total: Sums = {}
    for part in parts:
        if not total:
            total = {name: array.copy() for name, array in part.items()}
            continue
        for name, array in part.items():
            total[name] += array
    return total
