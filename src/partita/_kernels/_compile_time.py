"""How long kernels were compiled; importable without numba, so that asking costs nothing where no kernel ran."""

import time


class _Clock:
    """Seconds during which at least one kernel was being compiled; numba's compiler lock keeps it to one thread."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0  # a kernel that calls others compiles them inside its own compilation
        self._since = 0.0

    def start(self) -> None:
        """A compilation begins."""
        if self._depth == 0:
            self._since = time.perf_counter()
        self._depth += 1

    def stop(self) -> None:
        """A compilation ends."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._since


clock = _Clock()


def compile_seconds() -> float:
    """Seconds that this process has spent on compiling kernels so far; loading them from the cache is not counted."""
    return clock.seconds
