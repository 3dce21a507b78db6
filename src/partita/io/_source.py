"""Where the bytes of an input come from: a file, standard input ("-") or a pipe, which can be read only once."""

import os
import stat
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from partita.exceptions import FileFormatError, MissingExtraError, NotEnoughMemoryError

STANDARD = "-"  # standard input or standard output
_LONGEST_REASON = 200  # characters of a foreign library's message that are shown: more fills a screen


class PipedFile(str):
    """The name of a pipe with all that came through it, so that it can be looked at more than once."""

    content: bytes

    def __new__(cls, name: str, content: bytes) -> "PipedFile":
        """Join the name and the content."""
        piped = super().__new__(cls, name)
        piped.content = content
        return piped


class Source(NamedTuple):
    """An input: what to call it in messages, and its bytes."""

    name: str  # of the file, without folders
    path: Path
    piped: bytes | None  # content of a pipe; a file is read from its path

    def open(self) -> BinaryIO:
        """The bytes from the beginning."""
        return self.path.open("rb") if self.piped is None else BytesIO(self.piped)

    def is_empty(self) -> bool:
        """Whether there is not a single byte."""
        return self.path.stat().st_size == 0 if self.piped is None else not self.piped

    def read(self) -> bytes:
        """All bytes."""
        if self.piped is not None:
            return self.piped
        with _naming(str(self.path)):
            return self.path.read_bytes()


def open_source(path: str | os.PathLike[str]) -> Source:
    """Find an input, and refuse what is no readable file; a pipe is read here, and only here."""
    kept = keep_piped(path)
    if isinstance(kept, PipedFile):
        return Source("standard input" if kept == STANDARD else str(kept), Path(kept), kept.content)
    file, shown = Path(kept), str(kept)
    if not file.exists():
        link = f"{shown!r} is a link to a file that does not exist." if file.is_symlink() else ""
        raise FileNotFoundError(link or f"there is no file {shown!r}.")
    if file.is_dir():
        raise IsADirectoryError(f"{shown!r} is a folder; name a file.")
    with _naming(shown), file.open("rb"):
        return Source(file.name, file, None)


def keep_piped(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Read standard input or a pipe now, so that it can be looked at several times; a path of a file stays."""
    if isinstance(path, PipedFile):
        return path
    shown = os.fspath(path)
    if shown == STANDARD:
        if sys.stdin is None:
            raise FileNotFoundError("there is no standard input to read; name a file.")
        return PipedFile(shown, sys.stdin.buffer.read())
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return path  # no file: refused where it is opened
    if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode):
        with _naming(shown):
            return PipedFile(shown, Path(path).read_bytes())
    return path


@contextmanager
def _naming(shown: str) -> Iterator[None]:
    """Give an error of the system the name of the file."""
    try:
        yield
    except PermissionError:
        raise PermissionError(f"there is no permission to read {shown!r}; change it, or copy the file.") from None
    except OSError as error:
        raise OSError(f"{shown!r} cannot be read ({error.strerror or error}).") from None


@contextmanager
def foreign_reader(source: Source, kind: str, advice: str = "it is damaged, or of another kind") -> Iterator[None]:
    """Turn whatever another library raises on a damaged file into one error that names the file.

    Such libraries promise no set of errors: flipped bytes give KeyError, AttributeError, zlib.error and others. Their
    warnings speak of the inside of a file and are left out.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (FileFormatError, MissingExtraError):
        raise
    except MemoryError:
        raise NotEnoughMemoryError(
            f"{source.name!r} asks for more memory than there is; it is damaged, or too large for this machine."
        ) from None
    except Exception as error:
        raise FileFormatError(f"{source.name!r} cannot be read as {kind} ({reason_of(error)}); {advice}.") from None


def reason_of(error: BaseException) -> str:
    """What an error says, on one line of limited length."""
    text = " ".join(str(error).split()) or type(error).__name__
    text = text if len(text) <= _LONGEST_REASON else text[:_LONGEST_REASON] + "..."
    return text.rstrip(".")
