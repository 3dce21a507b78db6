"""Start the server on this computer, and end it without leaving anything behind."""

import contextlib
import shutil
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from partita._optional import require

_TRIES = 3  # to remove the folder
_PURPOSE = "the page of partita"


def serve(file: str | None, port: int, *, browser: bool, max_upload: int, echo: Callable[[str], None]) -> None:
    """Serve until the process is interrupted."""
    for name in ("starlette", "uvicorn"):
        require(name, extra="app", purpose=_PURPOSE)
    import uvicorn

    from partita.app._security import Keys
    from partita.app._server import Workspace, build

    with _ending_on_signals(), _bound(port) as sock, _private_folder() as folder:
        keys = Keys(sock.getsockname()[1])
        space = Workspace(folder, max_upload)
        try:
            place = "" if file is None else f"#data={space.datasets.add(Path(file), owned=False).id}"
            config = uvicorn.Config(
                build(space, keys),
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=1,
                lifespan="off",
                ws="none",
            )
            echo(f"{keys.address()}{place}")
            if browser:
                address = f"{keys.address(keys.new_token())}{place}"
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
            with contextlib.suppress(KeyboardInterrupt):  # which uvicorn raises again when it has ended
                uvicorn.Server(config).run(sockets=[sock])
        finally:
            space.jobs.close()


@contextlib.contextmanager
def _bound(port: int) -> Iterator[socket.socket]:
    """A socket that only this computer can reach."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        if sys.platform != "win32":  # there, it would let a second server take the same port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind(("127.0.0.1", port))
        except OSError as error:
            raise OSError(f"port {port} cannot be used ({error.strerror}); choose another by --port.") from None
        sock.listen(128)
        yield sock


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    """A folder that only this user can read, for all temporary files of this process; removed at the end."""
    folder, usual = Path(tempfile.mkdtemp(prefix="partita-app-")), tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = usual
        for _ in range(_TRIES):  # a download that is being made may write to it until the process ends
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _ending_on_signals() -> Iterator[None]:
    """Let a polite kill, or a terminal that is closed, end the process by an exception, so that it cleans up."""

    def end(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    old = {name: signal.signal(getattr(signal, name), end) for name in names}
    try:
        yield
    finally:
        for name, handler in old.items():
            signal.signal(getattr(signal, name), handler)
