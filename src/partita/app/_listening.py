"""Warnings of one job, while others run in other threads.

``warnings.catch_warnings`` changes the whole process, so two threads that use it lose each other's warnings. Here one
hook stays in place, and a context variable says which job a warning belongs to; the threads of a fit inherit it.
"""

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_heard: ContextVar[list[str] | None] = ContextVar("partita_app_warnings", default=None)
_lock = threading.Lock()


def _hear(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    heard, text = _heard.get(), " ".join(str(message).split())
    if heard is None:
        sys.stderr.write(f"partita: warning: {text}\n")
    elif text not in heard and issubclass(category, UserWarning):
        heard.append(text)


@contextmanager
def listening() -> Iterator[list[str]]:
    """The sentences that are warned of inside, each once; warnings for programmers are left out."""
    heard: list[str] = []
    with _lock:
        warnings.showwarning = _hear
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
    token = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(token)
