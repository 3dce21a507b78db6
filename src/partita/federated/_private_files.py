"""Files of arrays that only their owner can read; a write that fails leaves the old file as it was."""

import os
import secrets
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from partita._typing import Array


def private_folder(folder: str | Path) -> Path:
    """The folder, made if it is not there, for its owner alone."""
    path = Path(folder)
    for part in (path, *path.parents):
        if part.exists() and not part.is_dir():
            raise ValueError(f"{part} is a file, and a folder is needed; name another one.")
    for part in reversed([path, *path.parents]):
        if not part.exists():
            part.mkdir(mode=0o700, exist_ok=True)
    return path


def save_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays beside, then rename."""
    beside = path.with_name(f".{path.name}-{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            np.savez(file, **arrays)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_arrays(path: Path) -> dict[str, Array]:
    """Read what ``save_arrays`` wrote."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} cannot be read ({error}); remove the folder and start again.") from error
