"""Ctrl-C while compiled code runs: Python itself hears of it only when that code has returned."""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class _Interrupt:
    """A flag that is set as soon as the user has interrupted."""

    def __init__(self, signals: socket.socket) -> None:
        self._signals, self._set = signals, False

    def is_set(self) -> bool:
        """Whether the signal has come; asked by any thread."""
        with suppress(OSError):  # no signal yet, or nobody listens any more
            self._set = self._set or signal.SIGINT in self._signals.recv(64)
        return self._set


@contextmanager
def heard_interrupt() -> Iterator[_Interrupt | None]:
    """A flag for ``limits(cancel=)``; None in a thread that gets no signals.

    The flag only lets compiled code return. What ends the command is the KeyboardInterrupt that Python raises then.
    """
    if threading.current_thread() is not threading.main_thread():
        yield None
        return
    heard, told = socket.socketpair()
    with heard, told:
        heard.setblocking(False)
        told.setblocking(False)
        before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        try:
            yield _Interrupt(heard)
        finally:
            signal.set_wakeup_fd(before)
