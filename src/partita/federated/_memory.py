"""What a site keeps between two questions, in memory and, for resuming, on its own disk."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from partita._typing import Array
from partita.federated._private_files import load_arrays, private_folder, save_arrays

_FIT = "of which fit"  # key of the digest in a stored state


class SiteMemory(dict[str, Array]):
    """Arrays by name; after each exchange they are written to a folder, if there is one."""

    def __init__(self, folder: str | Path | None = None) -> None:
        super().__init__()
        self._folder = None if folder is None else private_folder(folder)
        self._number = 0  # of the exchange that is next
        self._fit = ""

    def begin(self, fit: str) -> None:
        """Begin a fit; ``fit`` is a digest of the site's labels and of what is fitted to them."""
        self.clear()
        self._number, self._fit = 0, fit

    @contextmanager
    def during(self, number: int) -> Iterator[None]:
        """One exchange: go back to what was kept before it, if it is not the next one, and keep what is there after."""
        self.go_to(number)
        yield
        self._number = number + 1
        self._save()

    def go_to(self, number: int) -> None:
        """What was kept before an exchange, from the folder if it is not what is here."""
        if number != self._number:
            self._load(number)

    def put(self, number: int, arrays: Mapping[str, Array]) -> None:
        """Go on before an exchange with copies of what was kept elsewhere."""
        self.clear()
        self.update({name: array.copy(order="K") for name, array in arrays.items()})
        self._number = number

    @property
    def fit(self) -> str:
        """Digest of the fit, by which stored states are recognised."""
        return self._fit

    def _load(self, number: int) -> None:
        path = None if self._folder is None else self._path(number)
        if path is None or not path.exists():
            raise ValueError(
                f"the fit goes on at exchange {number}, but this site is at {self._number} and has no stored state of "
                "it; start again without the checkpoint."
            )
        stored = load_arrays(path)
        if str(stored.pop(_FIT, "")) != self._fit:
            raise ValueError(
                "the stored state of this site is of other labels, or of another fit; start again without the "
                "checkpoint, and with another folder."
            )
        self.clear()
        self.update(stored)
        self._number = number

    def _save(self) -> None:
        """Two states are kept: the coordinator may have stopped before it stored the last sum."""
        if self._folder is None:
            return
        save_arrays(self._path(self._number), {**self, _FIT: np.array(self._fit)})
        self._path(self._number - 2).unlink(missing_ok=True)

    def _path(self, number: int) -> Path:
        assert self._folder is not None
        return self._folder / f"state-{number:06d}.npz"
