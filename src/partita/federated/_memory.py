"""What a site keeps between two questions, in memory and, for resuming, on its own disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from partita._typing import Array
from partita.io import replacing


class SiteMemory(dict[str, Array]):
    """Arrays by name; after each exchange they are written to a folder, if there is one."""

    def __init__(self, folder: str | Path | None = None) -> None:
        super().__init__()
        self._folder = Path(folder) if folder is not None else None
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
        self._number = 0  # of the exchange that is next

    def forget(self) -> None:
        """Begin a new fit."""
        self.clear()
        self._number = 0

    @contextmanager
    def during(self, number: int) -> Iterator[None]:
        """One exchange: go back to what was kept before it, if it is not the next one, and keep what is there after."""
        if number != self._number:
            self._load(number)
        yield
        self._number = number + 1
        self._save()

    def _load(self, number: int) -> None:
        path = None if self._folder is None else self._path(number)
        if path is None or not path.exists():
            raise ValueError(
                f"the fit goes on at exchange {number}, but this site is at {self._number} and has no stored state of "
                "it; start again without the checkpoint."
            )
        self.clear()
        with np.load(path, allow_pickle=False) as file:
            self.update({name: file[name] for name in file.files})
        self._number = number

    def _save(self) -> None:
        """Two states are kept: the coordinator may have stopped before it stored the last sum."""
        if self._folder is None:
            return
        with replacing(self._path(self._number)) as beside, beside.open("wb") as file:
            np.savez(file, **self)  # type: ignore[arg-type]
        self._path(self._number - 2).unlink(missing_ok=True)

    def _path(self, number: int) -> Path:
        assert self._folder is not None
        return self._folder / f"state-{number:06d}.npz"
