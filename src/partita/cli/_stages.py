"""How long a command computes, and what it is at when that is not quick."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from partita.cli._say import shows_progress

_QUIET_SECONDS = 2.0  # as for progress bars: what takes less needs no words


@contextmanager
def stage(what: str) -> Iterator[None]:
    """Say in a terminal what is being done, once it has taken two seconds."""
    if not shows_progress():
        yield
        return
    timer = threading.Timer(_QUIET_SECONDS, lambda: click.echo(f"partita: {what} ...", err=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class Stopwatch:
    """Seconds of a computation, and those that went into compiling kernels, which only a first run needs."""

    def __init__(self) -> None:
        from partita._kernels._compile_time import compile_seconds

        self._start, self._compiled = time.perf_counter(), compile_seconds()

    def read(self) -> dict[str, float]:
        """What has passed so far, under the keys of the summary."""
        from partita._kernels._compile_time import compile_seconds

        compiling = compile_seconds() - self._compiled
        passed = time.perf_counter() - self._start
        return {"seconds": round(max(0.0, passed - compiling), 3), "seconds_compiling": round(compiling, 3)}
