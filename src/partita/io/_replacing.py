"""Replace a file in one step, so that a failure of any kind leaves the old file as it was and no part of a new one."""

import os
import secrets
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path beside ``path`` to write to; it replaces ``path`` only if no error occurs.

    A symbolic link is followed: the file that it leads to is replaced. What is no file, such as a pipe or a device, is
    written directly.
    """
    target = Path(os.path.realpath(path))
    if is_special(target):
        with _naming(path):
            yield target
        return
    # a name of our own, not one of tempfile's: it is known before the file exists, so that no signal comes in between
    beside = target.parent / f".partita-{secrets.token_hex(8)}.part"
    with _ending_by_exception(), _naming(path):
        try:
            os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            yield beside
            beside.chmod(_mode_of(target))
            os.replace(beside, target)
        finally:
            beside.unlink(missing_ok=True)


def is_special(target: Path) -> bool:
    """Whether a path is a pipe or a device."""
    try:
        mode = target.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def _ending_by_exception() -> Iterator[None]:
    """Let the signals that end a process do so by an exception, so that what was begun is cleaned up.

    Only while a file is written: elsewhere a signal ends the process at once, also inside a kernel. Signals that the
    program handles itself stay as they are, and only the main thread can set them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in ours:
            signal.signal(number, _leave)
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _leave(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)  # the exit code that a shell shows for a process that a signal ended


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Give an error of the system the name of the file, and say that nothing is lost."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(
            f"{os.fspath(path)!r} cannot be written ({error.strerror}); what was there before is unchanged."
        ) from error


def _mode_of(target: Path) -> int:
    """Permissions of the file that is replaced, or of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
