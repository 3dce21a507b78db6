"""Sums of a federated fit on disk, so that it can go on where it stopped, with the same bits.

The coordinator stores every sum; a site stores what it keeps between two questions (``SiteMemory``). A fit that is
started again with the same checkpoint takes the stored sums instead of asking, and then asks on.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from partita._typing import FloatArray
from partita.federated._private_files import load_arrays, private_folder, save_arrays

WITHOUT_SEED = ("ECPCS",)  # nothing is drawn at random
AGAIN = ("place",)  # questions whose answers sites need for themselves: asked again


class Checkpoint:
    """A folder with one file per exchange, and one that says what is being fitted."""

    def __init__(self, folder: str | Path, settings: dict[str, Any]) -> None:
        self._folder = private_folder(folder)
        self._next = 0
        self._check_settings(settings)

    def _check_settings(self, settings: dict[str, Any]) -> None:
        """Refuse to go on with sums of another fit."""
        path, text = self._folder / "settings.npz", json.dumps(settings, sort_keys=True)
        if not path.exists():
            save_arrays(path, {"settings": np.array(text)})
        elif str(load_arrays(path)["settings"]) != text:
            raise ValueError(
                f"the checkpoint {self._folder} is of another fit; pass another folder, or the same method, "
                "parameters, seed and sites."
            )

    def stored(self, question: str) -> dict[str, FloatArray] | None:
        """The next stored sum, or None if there is no further one."""
        path = self._path(self._next)
        if question in AGAIN or not path.exists():
            return None
        found = load_arrays(path)
        if str(found.pop("question")) != question:
            raise ValueError(f"{path} answers another question; remove the checkpoint and start again.")
        self._next += 1
        return found

    def store(self, question: str, total: dict[str, FloatArray]) -> None:
        """Keep one more sum."""
        if question in AGAIN:
            return
        save_arrays(self._path(self._next), {"question": np.array(question), **total})
        self._next += 1

    def _path(self, number: int) -> Path:
        return self._folder / f"sum-{number:06d}.npz"


def seed_of(estimator: Any) -> int | None:
    """The seed of a fit that can be resumed; one that is drawn anew each time cannot."""
    seed = estimator.get_params(deep=False).get("random_state")
    if type(estimator).__name__ in WITHOUT_SEED:
        return None
    if not isinstance(seed, int | np.integer):
        raise ValueError(f"random_state={seed!r:.40}, but a checkpoint needs a seed to go on from; pass a number.")
    return int(seed)
