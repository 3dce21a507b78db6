"""A Dask cluster of real processes on 127.0.0.1, whose workers tests may kill.

    with local_cluster(2) as (client, pids):
        os.kill(pids[0], signal.SIGKILL)

Workers have no nanny: one that was killed stays dead. Import ``distributed`` with ``pytest.importorskip`` first.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_START = 60  # seconds for scheduler and workers to come up
_HERE = ("--host", "127.0.0.1", "--no-dashboard")


@contextlib.contextmanager
def local_cluster(n_workers: int, n_threads: int = 1) -> Iterator[tuple[Any, list[int]]]:
    """A client, and the process ids of the workers; all processes have ended after the block."""
    from distributed import Client

    with tempfile.TemporaryDirectory(prefix="partita-dask-") as folder, _processes() as running:
        file = Path(folder, "scheduler.json")
        running.append(_start(folder, "scheduler", "--port", "0", "--scheduler-file", str(file), *_HERE))
        _wait_for(file, running[0], folder)
        options = ("--nthreads", str(n_threads), "--no-nanny", "--local-directory", folder)
        workers = [_start(folder, "worker", "--scheduler-file", str(file), *options, *_HERE) for _ in range(n_workers)]
        running += workers
        with Client(scheduler_file=str(file), timeout=_START, set_as_default=False) as client:
            client.wait_for_workers(n_workers, timeout=_START)
            yield client, [worker.pid for worker in workers]


@contextlib.contextmanager
def _processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that are ended with the block, each by its own id."""
    running: list[subprocess.Popen[bytes]] = []
    try:
        yield running
    finally:  # killed at once: asked to end, workers would wait for a scheduler that ends, too
        for process in running:
            process.kill()
        for process in running:
            process.wait()


def _start(folder: str, *words: str) -> "subprocess.Popen[bytes]":
    """A process of Dask that finds the modules of the tests, and writes what it says to a file."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with open(Path(folder, f"{words[0]}.log"), "ab") as log:
        command = [sys.executable, "-m", "dask", *words]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)


def _wait_for(file: Path, scheduler: "subprocess.Popen[bytes]", folder: str) -> None:
    """Wait for the file that says where the scheduler is."""
    end = time.monotonic() + _START
    while not (file.exists() and file.stat().st_size):
        if scheduler.poll() is not None or time.monotonic() > end:
            said = Path(folder, "scheduler.log").read_text(errors="replace")
            raise RuntimeError(f"the Dask scheduler did not start:\n{said[-2000:]}")
        time.sleep(0.05)
