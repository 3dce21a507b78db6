"""How a fit is stopped before its end: a limit of time, a flag that another thread sets, and who hears of progress.

Python loops call :func:`check_stop`. Compiled kernels that can run long take :func:`stop_flag`, an array of one number,
and look at it in their outer loop; what they leave behind after an early return is never used, because
:func:`until_stopped` raises then. Without limits nothing of this costs more than a look-up, and no limit changes a
result: a fit either comes to the end that it would have come to without, or raises.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, Protocol, TypeVar

import numpy as np

from partita._typing import Array
from partita.exceptions import Cancelled, Stopped, TimeLimitReached

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")

_WATCH_SECONDS = 0.1  # how often the flag of running kernels is brought up to date
_now = time.monotonic
_NEVER = np.zeros(1, dtype=np.uint8)  # the flag where there are no limits


class CancelFlag(Protocol):
    """What can be asked whether the fit is still wanted, such as a ``threading.Event``."""

    def is_set(self) -> bool:
        """Whether the fit is to stop."""


Listener = Callable[[str, int, int | None], object]  # stage, steps done, steps in all


class _Limits:
    """The limits of one ``with limits(...)``, and those around it."""

    def __init__(
        self, max_time: float | None, cancel: CancelFlag | None, listener: Listener | None, around: "_Limits | None"
    ) -> None:
        self.max_time, self.cancel, self.around = max_time, cancel, around
        self.deadline = None if max_time is None else _now() + max_time
        self.listeners: tuple[Listener, ...] = (around.listeners if around else ()) + ((listener,) if listener else ())
        self.flag = np.zeros(1, dtype=np.uint8)
        self._reason: type[Stopped] | None = None
        self._message = ""
        self._closed, self._lock = threading.Event(), threading.Lock()
        self._watcher: threading.Thread | None = None

    def check(self) -> None:
        """Raise if the fit is to stop; each thread raises an error of its own."""
        if self.must_stop():
            assert self._reason is not None
            raise self._reason(self._message)

    def must_stop(self) -> bool:
        """Whether a limit, here or around, is reached; what was true once stays so."""
        if self._reason is not None:
            return True
        limits: _Limits | None = self
        while limits is not None:
            if limits.cancel is not None and limits.cancel.is_set():
                return self._stop(Cancelled, "the fit was cancelled and left no result; clear the flag to fit again.")
            if limits.deadline is not None and _now() >= limits.deadline:
                return self._stop(TimeLimitReached, _too_long(limits.max_time))
            limits = limits.around
        return False

    def watched_flag(self) -> Array:
        """The flag for kernels, which a thread keeps up to date from now on."""
        with self._lock:
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, daemon=True, name="partita-limits")
                self._watcher.start()
        return self.flag

    def close(self) -> None:
        """End the thread that watches."""
        self._closed.set()

    def _stop(self, reason: type[Stopped], message: str) -> bool:
        self._message, self._reason = message, reason  # in this order: who sees a reason finds its message
        self.flag[0] = 1
        return True

    def _watch(self) -> None:
        while not self._closed.wait(_WATCH_SECONDS):
            if self.must_stop():
                return


def _too_long(max_time: float | None) -> str:
    return (
        f"max_time={max_time:g} seconds were over before the fit came to its end, and it left no result; pass a larger "
        "max_time, fewer objects or clusterings, or a method of lower cost (the column 'cost' of `partita methods`)."
    )


_current: ContextVar[_Limits | None] = ContextVar("partita_limits", default=None)


@contextmanager
def limits(
    max_time: float | None = None, *, cancel: CancelFlag | None = None, progress: Listener | None = None
) -> Iterator[None]:
    """Stop the fits inside when time is over or a flag is set, and tell how far they are.

    Parameters
    ----------
    max_time : float, optional
        Seconds from now after which a fit inside raises :class:`~partita.exceptions.TimeLimitReached`.
    cancel : threading.Event, or any object with a method ``is_set``, optional
        Looked at again and again; once it is set, a fit inside raises :class:`~partita.exceptions.Cancelled`.
    progress : callable, optional
        Called as ``progress(stage, done, total)`` with what a progress bar would show: a name, the steps done and the
        steps in all, None if unknown. Called in the threads of the fit, one at a time for each stage; it should return
        quickly, and an error that it raises ends the fit.

    Notes
    -----
    Limits may be nested: the strictest one counts, and each listener hears of all that is inside. They hold for the
    thread that opens them and for the threads that a fit starts. No limit changes a result. Most methods stop within a
    second; docs/stopping.md names those that do not, and for which sizes.

    Examples
    --------
    >>> import partita
    >>> from partita.datasets import load_wine_ensemble
    >>> with partita.limits(60):
    ...     result = partita.combine(load_wine_ensemble().labels, random_state=0)
    >>> result.n_clusters
    3
    """
    _check(max_time, cancel, progress)
    inside = _Limits(max_time, cancel, progress, _current.get())
    token = _current.set(inside)
    try:
        yield
    finally:
        _current.reset(token)
        inside.close()


def _check(max_time: Any, cancel: Any, progress: Any) -> None:
    """Refuse what is no limit."""
    number = isinstance(max_time, int | float | np.integer | np.floating) and not isinstance(max_time, bool)
    if max_time is not None and not (number and 0 < max_time < np.inf):
        raise ValueError(f"max_time={max_time!r:.60} is not a limit; pass a number of seconds above 0, or None.")
    if cancel is not None and not callable(getattr(cancel, "is_set", None)):
        raise TypeError(f"cancel={cancel!r:.60} has no method is_set; pass a threading.Event, or None.")
    if progress is not None and not callable(progress):
        raise TypeError(
            f"progress={progress!r:.60} cannot be called; pass a function of (stage, done, total), or None."
        )


def check_stop() -> None:
    """Raise :class:`Cancelled` or :class:`TimeLimitReached` if the limits say so."""
    now = _current.get()
    if now is not None:
        now.check()


def stop_flag() -> Array:
    """An array of one byte for kernels that run long: not 0 as soon as they are to return."""
    now = _current.get()
    return _NEVER if now is None else now.watched_flag()


def until_stopped(kernel: Callable[..., R], *arguments: Any) -> R:
    """Call a kernel whose last argument is the flag; raise if it was set, since the kernel may have returned early."""
    result = kernel(*arguments, stop_flag())
    check_stop()
    return result


def whole_or_nothing(fit: F) -> F:
    """Let a fit that is stopped leave its estimator as it was; one that is to stop already does not begin."""

    @wraps(fit)
    def stoppable(self: Any, *arguments: Any, **named: Any) -> Any:
        if _current.get() is None:
            return fit(self, *arguments, **named)
        before = dict(vars(self))
        try:
            check_stop()
            return fit(self, *arguments, **named)
        except Stopped:
            vars(self).clear()
            vars(self).update(before)
            raise

    return stoppable  # type: ignore[return-value]


def present_limits() -> _Limits | None:
    """The limits of this thread, to hand to the threads it starts."""
    return _current.get()


def take_over(given: _Limits | None) -> None:
    """Let this thread have the limits of the one that started it."""
    _current.set(given)


class Steps:
    """A progress bar that looks at the limits, tells the listeners, and draws where it is to be drawn."""

    def __init__(self, given: _Limits, total: int | None, stage: str, bar: Any = None) -> None:
        self._limits, self._total, self._stage, self._bar = given, total, stage, bar
        self._done, self._lock = 0, threading.Lock()
        self._tell()

    def update(self, n: int) -> None:
        """Report that ``n`` more steps are done."""
        self._limits.check()
        with self._lock:
            self._done += n
            self._tell()
        if self._bar is not None:
            self._bar.update(n)

    def _tell(self) -> None:
        for listener in self._limits.listeners:
            listener(self._stage, self._done, self._total)
