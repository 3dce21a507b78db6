"""Blocks computed by the workers of a Dask cluster.

Every task reads what it needs by itself (a path, a part of a Dask collection), and what is kept on workers is the
result of such a task: if a worker dies, Dask runs its tasks again elsewhere, and nothing in the result changes. Data
are never scattered: what was scattered to a worker that dies is lost.
"""

import ctypes
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from partita import __version__
from partita._optional import require
from partita.blocks._engine import in_window
from partita.blocks._sources import DaskBlock, YieldedBlock
from partita.exceptions import ClusterError

_WAIT = 30  # seconds for a first worker
_AHEAD = 3  # tasks for each thread of a worker that are under way
# of the C library's memory: nannies make workers return memory of more than 64 KiB at once, and arrays are then mapped
# anew for every step, which doubled the time of an E-step here
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


class OnDask:
    """Computes tasks on the workers of a client's cluster."""

    def __init__(self, client: Any) -> None:
        require("distributed", extra="dask", purpose="computing on a Dask cluster")
        self.client = client
        with telling():
            _prepare_workers(client)
        n_threads = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        self._width = max(_AHEAD * n_threads, 4)

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Results in order."""
        with telling():
            yield from in_window(lambda task: self._submit(function, task), iter(tasks), self._width)

    def keep(
        self, function: Callable[..., tuple[Any, Any]], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[Any, Any]]:
        """For results of two parts: the first one, and a handle of the second, which stays on its worker."""

        def submit(task: tuple[Any, ...]) -> _Kept:
            both = self._submit(function, task)
            return _Kept(*(self.client.submit(itemgetter(place), both, pure=False) for place in (0, 1)))

        with telling():
            yield from in_window(submit, iter(tasks), self._width)

    def drop(self, handle: Any) -> None:
        """Nothing: Dask forgets a result when nobody has its handle, and needs it until then to replace a worker."""

    def share(self, values: Any) -> Any:
        """A handle of values that many tasks need: they travel once to each worker."""
        with telling():
            return self.client.submit(_same, values, pure=False)

    def _submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
        first, *others = task
        if isinstance(first, YieldedBlock):
            raise ClusterError(
                "blocks that a function yields are in this process, and cannot be read by workers; use files or a Dask "
                "collection with a client."
            )
        if isinstance(first, DaskBlock):
            part = self.client.compute(first.part)
            return self.client.submit(_on_part, function, first.number, part, *others, pure=False)
        return self.client.submit(_alone, function, first, *others, pure=False)


class _Kept(NamedTuple):
    """Two futures that are waited for as one."""

    told: Any
    handle: Any

    def result(self) -> tuple[Any, Any]:
        return self.told.result(), self.handle

    def cancel(self) -> None:
        self.told.cancel()
        self.handle.cancel()


# --------------------------------------------------------------------------------------------------------- on a worker
def _alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function; libraries use one thread, so that their sums are those of any other machine."""
    with threadpool_limits(limits=1):
        return function(*arguments)


def _on_part(function: Callable[..., Any], number: int, part: Any, *others: Any) -> Any:
    """The same for a computed part of a Dask collection."""
    return _alone(function, DaskBlock(number, part), *others)


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
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            f"a task ended several workers, most likely for want of memory ({error}). Give workers more memory, or cut "
            "the blocks smaller (rows=)."
        ) from error
    except (CommClosedError, FutureCancelledError, TimeoutError, OSError) as error:
        if isinstance(error, OSError) and not isinstance(error, CommClosedError | TimeoutError):
            raise
        raise ClusterError(
            f"the connection to the Dask scheduler is lost ({type(error).__name__}). Start it again, and fit again; "
            "with resume=FOLDER, or --resume FOLDER, a fit goes on where it was."
        ) from error
