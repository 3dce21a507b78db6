"""Blocks computed by the workers of a Dask cluster.

Every task reads what it needs by itself (a path, a part of a Dask collection), and what is kept on workers is the
result of such a task: if a worker dies, Dask runs its tasks again elsewhere, and nothing in the result changes. Data
are never scattered: what was scattered to a worker that dies is lost.
"""

import ctypes
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import cycle
from operator import itemgetter
from typing import Any

from partita import __version__
from partita._optional import require
from partita.blocks._engine import in_window, one_thread
from partita.blocks._sources import DaskBlock, YieldedBlock
from partita.exceptions import ClusterError

_WAIT = 30  # seconds for a first worker
_LOOK = 1.0  # seconds after which it is looked whether the worker of a task is still there
_AHEAD = 3  # tasks for each thread of a worker that are under way
# of the C library's memory: nannies make workers return memory of more than 64 KiB at once, and arrays are then mapped
# anew for every step; an E-step of the mixture took 1.3 times as long here, one of BCE 1.1 times
_TRIM, _MAP = 1 << 28, 1 << 25
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # names of these settings in malloc.h


def current_client() -> Any:
    """The client that is current in Dask, or None."""
    try:
        from distributed import default_client
    except ImportError:
        return None
    try:
        return default_client()  # type: ignore[no-untyped-call]
    except ValueError:
        return None


class OnWorker:
    """Handle of a result that stays on a worker."""

    def __init__(self, future: Any, address: str | None) -> None:
        self.future = future
        self.address = address  # of the worker; None if it is not known


class OnDask:
    """Computes tasks on the workers of a client's cluster."""

    def __init__(self, client: Any) -> None:
        require("distributed", extra="dask", purpose="computing on a Dask cluster")
        self.client = client
        with telling():
            _prepare_workers(client)
        workers = self._workers()
        self._width = max(_AHEAD * sum(worker["nthreads"] for worker in workers.values()), 4)
        self._turn = cycle(workers)

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Results in order."""
        with telling():
            yield from in_window(lambda task: self._submit(function, task), iter(tasks), self._width)

    def keep(
        self, function: Callable[..., tuple[Any, Any]], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[Any, Any]]:
        """For results of two parts: the first one, and a handle of the second, which stays on its worker."""

        def submit(task: tuple[Any, ...]) -> _Kept:
            return _Kept(self._submit(function, task, kept=True), self.client)

        with telling():
            yield from in_window(submit, iter(tasks), self._width)

    def drop(self, handle: Any) -> None:
        """Nothing: Dask forgets a result when nobody has its handle, and needs it until then to replace a worker."""

    def share(self, values: Any) -> Any:
        """A handle of values that many tasks need: they travel once to each worker."""
        with telling():
            return self.client.submit(_same, values, pure=False)

    def _workers(self) -> dict[str, Any]:
        return dict(self.client.scheduler_info(n_workers=-1)["workers"])

    def _submit(self, function: Callable[..., Any], task: tuple[Any, ...], *, kept: bool = False) -> Any:
        """A task on the worker that has its rows; rows that are new go to the workers in turn.

        What is ``kept`` may be computed by any worker: it is computed again when a worker dies.
        """
        first, *others = (part.future if isinstance(part, OnWorker) else part for part in task)
        if isinstance(first, YieldedBlock):
            raise ClusterError(
                "blocks that a function yields are in this process, and cannot be read by workers; use files or a Dask "
                "collection with a client."
            )
        if isinstance(first, DaskBlock):
            part = self.client.compute(first.part)
            return self.client.submit(_on_part, function, first.number, part, *others, pure=False)
        if isinstance(first, list) and isinstance(first[0], DaskBlock):
            numbers, parts = [block.number for block in first], [self.client.compute(block.part) for block in first]
            return self.client.submit(_on_parts, function, numbers, parts, *others, pure=False)
        arguments = (_alone, function, first, *others)
        rows = task[0] if isinstance(task[0], OnWorker) else None
        if not kept:
            return self.client.submit(*arguments, pure=False) if rows is None else _Pinned(self.client, arguments, rows)
        address = next(self._turn) if rows is None or rows.address is None else rows.address
        return self.client.submit(*arguments, pure=False, workers=[address], allow_other_workers=True)


class _Pinned:
    """A task that runs where its rows are, and elsewhere only if that worker is gone.

    Without this Dask lets idle workers take tasks from busy ones, and the rows travel with them: what a pass moves
    would grow with the number of objects.
    """

    def __init__(self, client: Any, arguments: tuple[Any, ...], rows: OnWorker) -> None:
        self._client, self._arguments, self._rows = client, arguments, rows
        where = {} if rows.address is None else {"workers": [rows.address]}
        self.future = client.submit(*arguments, pure=False, **where)

    def result(self) -> Any:
        """The result; the task is started again elsewhere if its worker died."""
        from distributed import wait

        while True:
            try:
                with self._client.as_current():
                    wait(self.future, timeout=_LOOK)  # type: ignore[no-untyped-call]
            except TimeoutError:
                if self._rows.address is not None and self._rows.address not in _addresses(self._client):
                    self._rows.address = None
                    self.future = self._client.submit(*self._arguments, pure=False)
                continue
            if self._rows.address is None:
                self._rows.address = _place_of(self._client, self._rows.future)
            return self.future.result()

    def cancel(self) -> None:
        self.future.cancel()


class _Kept:
    """The first part of a result, and a handle of the second."""

    def __init__(self, both: Any, client: Any) -> None:
        self._both, self._client = both, client

    def result(self) -> tuple[Any, OnWorker]:
        told, kept = (self._client.submit(itemgetter(place), self._both, pure=False) for place in (0, 1))
        first = told.result()
        return first, OnWorker(kept, _place_of(self._client, self._both))

    def cancel(self) -> None:
        self._both.cancel()


def _place_of(client: Any, future: Any) -> str | None:
    """Address of a worker that has a result; None if none has."""
    found = client.who_has([future])
    workers = next(iter(found.values()), ())
    return str(workers[0]) if workers else None


def _addresses(client: Any) -> set[str]:
    return set(client.scheduler_info(n_workers=-1)["workers"])


# --------------------------------------------------------------------------------------------------------- on a worker
def _alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function; libraries use one thread, so that their sums are those of any other machine."""
    with one_thread:
        return function(*arguments)


def _on_part(function: Callable[..., Any], number: int, part: Any, *others: Any) -> Any:
    """The same for a computed part of a Dask collection."""
    return _alone(function, DaskBlock(number, part), *others)


def _on_parts(function: Callable[..., Any], numbers: list[int], parts: list[Any], *others: Any) -> Any:
    """The same for several parts that are taken together."""
    return _alone(function, [DaskBlock(*numbered) for numbered in zip(numbers, parts, strict=True)], *others)


def _same(values: Any) -> Any:
    return values


def _about_worker() -> str:
    return __version__


def keep_memory() -> None:
    """Let the C library keep the memory that arrays free for the arrays that come next."""
    if not sys.platform.startswith("linux"):
        return
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(_M_TRIM_THRESHOLD, _TRIM)
        library.mallopt(_M_MMAP_THRESHOLD, _MAP)


def _prepare_workers(client: Any) -> None:
    """Wait for a worker, compare versions, and set the workers' memory, of those that come later as well."""
    from distributed import WorkerPlugin

    class KeepMemory(WorkerPlugin):
        """Sets up a worker."""

        name = "partita-memory"

        def setup(self, worker: Any) -> None:
            """Called by every worker, also by one that replaces another."""
            keep_memory()

    try:
        client.wait_for_workers(1, timeout=_WAIT)
    except TimeoutError:
        raise ClusterError(
            f"the Dask cluster has no worker after {_WAIT} seconds; start one with `dask worker ADDRESS`."
        ) from None
    try:
        versions = client.run(_about_worker)
    except ModuleNotFoundError as error:
        raise ClusterError(
            f"a Dask worker cannot run this fit ({error}); install partita {__version__} there."
        ) from None
    other = {worker: version for worker, version in versions.items() if version != __version__}
    if other:
        worker, version = next(iter(other.items()))
        raise ClusterError(
            f"worker {worker} has partita {version}, and this process {__version__}; install one version."
        )
    client.register_plugin(KeepMemory())


@contextmanager
def telling() -> Iterator[None]:
    """Turn what Dask raises when a cluster is lost into one error that says what to do."""
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError, FuturesCancelledError
    from distributed.comm.core import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            f"a task ended several workers, most likely for want of memory ({error}). Give workers more memory, or cut "
            "the blocks smaller (rows=)."
        ) from error
    except (CommClosedError, FutureCancelledError, FuturesCancelledError, TimeoutError, OSError) as error:
        if isinstance(error, OSError) and not isinstance(error, CommClosedError | TimeoutError):
            raise
        raise ClusterError(
            f"the connection to the Dask scheduler is lost ({type(error).__name__}). Start it again, and fit again; "
            "with resume=FOLDER, or --resume FOLDER, a fit goes on where it was."
        ) from error
