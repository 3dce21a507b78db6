"""Sums of a federated fit on disk, so that it can go on where it stopped, with the same bits.

The coordinator stores every sum; a site stores what it keeps between two questions (``SiteMemory``). A fit that is
started again with the same checkpoint takes the stored sums instead of asking, and then asks on.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from partita._typing import FloatArray
from partita.io import replacing

AGAIN = ("place",)  # questions whose answers sites need for themselves: asked again


class Checkpoint:
    """A folder with one file per exchange, and one that says what is being fitted."""

    def __init__(self, folder: str | Path, settings: dict[str, Any]) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._next = 0
        self._check_settings(settings)

    def _check_settings(self, settings: dict[str, Any]) -> None:
        """Refuse to go on with sums of another fit."""
        path, text = self._folder / "settings.json", json.dumps(settings, indent=1, sort_keys=True)
        if not path.exists():
            with replacing(path) as beside:
                beside.write_text(text)
        elif path.read_text() != text:
            raise ValueError(
                f"the checkpoint {self._folder} is of another fit (see settings.json there); pass another folder, or "
                "the same method, parameters and sites."
            )

    @property
    def n_stored(self) -> int:
        """Number of sums that are stored."""
        return len(list(self._folder.glob("sum-*.npz")))

    def stored(self, question: str) -> dict[str, FloatArray] | None:
        """The next stored sum, or None if there is no further one."""
        path = self._path(self._next)
        if question in AGAIN or not path.exists():
            return None
        try:
            with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                found = {key: file[key] for key in file.files}
        except (ValueError, OSError, zipfile.BadZipFile) as error:
            raise ValueError(f"{path} cannot be read ({error}); remove the checkpoint and start again.") from error
        if str(found.pop("question")) != question:
            raise ValueError(f"{path} answers another question; remove the checkpoint and start again.")
        self._next += 1
        return found

    def store(self, question: str, total: dict[str, FloatArray]) -> None:
        """Keep one more sum."""
        if question in AGAIN:
            return
        with replacing(self._path(self._next)) as beside, beside.open("wb") as file:
            np.savez(file, question=np.array(question), **total)  # type: ignore[arg-type]
        self._next += 1

    def _path(self, number: int) -> Path:
        return self._folder / f"sum-{number:06d}.npz"
