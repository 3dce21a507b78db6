"""A file on its way from the browser: written to disk piece by piece, and refused as soon as it is too large."""

import shutil
from pathlib import Path

from starlette.requests import Request

from partita.app._datasets import Datasets, safe_name
from partita.app._errors import RequestError
from partita.io._formats import format_of

_READ_ON = 10  # times the limit: so much of a file that is too large is read and thrown away, until the answer is sent


async def receive(request: Request, datasets: Datasets, most: int) -> Path:
    """Write the body of a request to a file of its own, under its name."""
    name = safe_name(request.query_params.get("name", ""))
    format_of(Path(name))  # refuses names of no known format
    datasets.check_room()
    told = request.headers.get("content-length", "")
    size = int(told) if told.isdecimal() else 0
    if size > most:
        await _throw_away(request, _READ_ON * most)
        raise _too_large(name, most)
    folder = datasets.new_folder()
    try:
        await _write(request, folder / name, most)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder / name


async def _write(request: Request, path: Path, most: int) -> None:
    size = 0
    with path.open("wb") as file:
        async for part in request.stream():
            size += len(part)
            if size <= most:
                file.write(part)
            elif size > _READ_ON * most:
                break
    if size > most:
        raise _too_large(path.name, most)


async def _throw_away(request: Request, most: int) -> None:
    """Read what still comes, up to a limit: a browser that cannot send all shows no answer."""
    thrown = 0
    async for part in request.stream():
        thrown += len(part)
        if thrown > most:
            return


def _too_large(name: str, most: int) -> RequestError:
    return RequestError(
        f"{name!r} is larger than {size_in_words(most)}, the most that is taken here. Start with a larger limit "
        "(partita app --max-upload 1GB), or use the command line: partita consensus FILE.",
        413,
    )


def size_in_words(n_bytes: int) -> str:
    """A number of bytes for people."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.4g} {unit}"
    return f"{n_bytes} bytes"
