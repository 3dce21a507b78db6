"""NVFlare's processes of one party, as children of the process that the operator started."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from partita.exceptions import FederationError
from partita.federated.flare._workspace import LOG

OUTPUT = "output.txt"
_PATIENCE = 5.0  # seconds for a child to end before it is killed
_GRPC = re.compile(r"[IWEF]\d{4} ")
_HEADERS = 1 << 20  # bytes that NVFlare may add to a message


class Workspace:
    """A private folder for one run. It is removed at its end, unless the run failed: the log may tell why."""

    def __init__(self, name: str, folder: str | os.PathLike[str] | None) -> None:
        if sys.platform == "win32":
            raise FederationError(
                "a federation between machines needs Linux or macOS: it links keys and ends processes in ways "
                "that Windows does not have; partita.federated.simulate runs everywhere."
            )
        self.given = folder is not None
        self.folder = Path(folder) if folder is not None else Path(tempfile.mkdtemp(prefix=f"partita-{name}-"))
        if self.given:
            self.folder.mkdir(mode=0o700, parents=True)
        self.folder = self.folder.resolve()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and not self.given:
            shutil.rmtree(self.folder, ignore_errors=True)
        elif error is not None:
            error.add_note(f"NVFlare's log: {self.folder / LOG}")


class Child:
    """NVFlare's parent process of a party; it ends with this object, and when this process ends."""

    def __init__(self, role: str, folder: Path, name: str, max_message: int) -> None:
        self.folder = folder
        settings = {
            "PYTHONSAFEPATH": "1",  # the workspace is no place to import from
            "NVFLARE_STREAMING_MAX_BLOB_SIZE": str(max_message + _HEADERS),
            "GRPC_VERBOSITY": "INFO",  # tells why a connection was refused
        }
        with open(folder / OUTPUT, "wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "partita.federated.flare._process", role, str(folder), name],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                cwd=folder,
                # An operator's Ctrl-C reaches this process alone, which then ends the others in order.
                start_new_session=True,
                env={**os.environ, **settings},
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def ended(self) -> int | None:
        """Its exit code, or None while it runs."""
        return self._process.poll()

    def output(self) -> str:
        """Return what the process wrote to its terminal, which is a file."""
        return (self.folder / OUTPUT).read_text(encoding="utf-8", errors="replace")

    def last_words(self) -> str:
        """Return the last line that the process wrote, without those of gRPC."""
        lines = [line for line in self.output().splitlines() if line.strip() and not _GRPC.match(line)]
        return lines[-1] if lines else "it left no message"
