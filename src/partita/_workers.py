"""Tasks in processes of their own, with one thread each: a task that ends its process, or takes too long, is recorded.

A worker runs one task after another, so that libraries are loaded and kernels compiled once; one that is lost is
replaced.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from typing import Any, NamedTuple

ONE_THREAD = {f"{pool}_NUM_THREADS": "1" for pool in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
_PATIENCE = 0.5  # seconds between two looks at the clock


class Lost(NamedTuple):
    """What stands for the result of a task that gave none."""

    why: str
    late: bool = False  # whether it took longer than the limit


def run_in_processes(
    run: Callable[[Any], Any],
    tasks: Iterable[Any],
    *,
    jobs: int,
    limit: float | None = None,
    prepare: Callable[[], None] | None = None,
) -> Iterator[tuple[Any, Any]]:
    """Run the tasks, and give each with its result as soon as it is done.

    Parameters
    ----------
    run : function of a module
        A task to its result, both of which can be pickled. It should not raise.
    tasks : iterable
        Asked for one by one when a worker is free, so that a generator may look at the results so far.
    jobs : int
        Number of processes.
    limit : float, optional
        Seconds that a task may take.
    prepare : function of a module, optional
        Called in each process before its first task, outside the limit.
    """
    waiting = iter(tasks)
    workers: list[_Worker] = []
    try:
        while True:
            _give(workers, waiting, run, prepare, jobs, limit)
            if not workers:
                return
            for worker in _heard(workers):
                yield from _results(worker, workers, limit)
    finally:
        for worker in workers:
            worker.end()


def _give(
    workers: list["_Worker"],
    waiting: Iterator[Any],
    run: Callable[[Any], Any],
    prepare: Callable[[], None] | None,
    jobs: int,
    limit: float | None,
) -> None:
    """A task for every worker that has none; workers that get none are ended, and new ones begun while there are any.

    A worker gets its first task before it is ready, so that none is begun without one.
    """
    for worker in [worker for worker in workers if worker.is_free]:
        task = next(waiting, _NONE)
        if task is _NONE:
            workers.remove(worker)
            worker.end()
        else:
            worker.give(task, limit)
    while len(workers) < jobs:
        task = next(waiting, _NONE)
        if task is _NONE:
            return
        workers.append(_Worker(run, prepare, task))


def _heard(workers: list["_Worker"]) -> list["_Worker"]:
    """The workers that said something, or are late."""
    said = wait([worker.connection for worker in workers], timeout=_PATIENCE)
    return [worker for worker in workers if worker.connection in said or worker.is_late]


def _results(worker: "_Worker", workers: list["_Worker"], limit: float | None) -> Iterator[tuple[Any, Any]]:
    """The result of a worker's task, if there is one now; a worker that is lost leaves the list."""
    try:
        if not worker.connection.poll():
            lost = Lost(f"not done in {limit:g} s", late=True)
        else:
            said = worker.connection.recv()
            if not worker.is_ready:
                worker.begin(limit)
                return
            task, worker.task = worker.task, _NONE
            yield task, said
            return
    except (EOFError, ConnectionResetError):
        worker.process.join(5)
        lost = Lost(f"its process ended (exit code {worker.process.exitcode})")
    workers.remove(worker)
    worker.end()
    yield worker.task, lost


_NONE: Any = object()  # no task


class _Worker:
    """A process, the task it has, and when that must be done."""

    def __init__(self, run: Callable[[Any], Any], prepare: Callable[[], None] | None, task: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, far = context.Pipe()
        self.process = context.Process(target=_work, args=(far, run, prepare), daemon=True)
        with _one_thread():
            self.process.start()
        far.close()
        self.task = task
        self.is_ready = False
        self.deadline: float | None = None

    @property
    def is_free(self) -> bool:
        return self.task is _NONE

    @property
    def is_late(self) -> bool:
        return self.deadline is not None and not self.is_free and time.monotonic() > self.deadline

    def begin(self, limit: float | None) -> None:
        """Send the first task, once the process has said that it is ready."""
        self.is_ready = True
        self.give(self.task, limit)

    def give(self, task: Any, limit: float | None) -> None:
        self.task, self.deadline = task, None if limit is None else time.monotonic() + limit
        self.connection.send(task)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _work(connection: Any, run: Callable[[Any], Any], prepare: Callable[[], None] | None) -> None:
    """Run the tasks that come through the connection, until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, BrokenPipeError):
        if prepare is not None:
            prepare()
        connection.send("ready")
        while True:
            connection.send(run(connection.recv()))


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, also if that was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread for the processes that start meanwhile; libraries read the variables when they are loaded."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
