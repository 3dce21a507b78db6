"""NPY and NPZ files; nothing is unpickled, since a pickle can run any program."""

from typing import Any

import numpy as np
import pandas as pd

from partita._typing import Array
from partita.exceptions import FileFormatError
from partita.io._source import Source, foreign_reader

_LAST_CODE = 0x10FFFF  # of Unicode
_SURROGATES = (0xD800, 0xDFFF)  # halves of characters in UTF-16, no characters themselves
_PLAIN = "biufUS"  # kinds of arrays that hold numbers or text


def read_numpy(source: Source) -> pd.DataFrame:
    """The only 2-D array, or the one named "labels", with columns c0, c1, ..."""
    with foreign_reader(source, "a NumPy file", "it is damaged, or does not hold plain number or string arrays"):
        arrays = _load(source)
    tables = {name: array for name, array in arrays.items() if getattr(array, "ndim", 0) == 2}
    if "labels" in tables:
        array = tables["labels"]
    elif len(tables) == 1 and "labels" not in arrays:
        array = next(iter(tables.values()))
    else:
        held = ", ".join(f"{name} {_shape(array)}" for name, array in arrays.items()) or "nothing"
        raise FileFormatError(f"{source.name!r} must hold one 2-D array, or one named 'labels'; it holds {held}.")
    if array.dtype.kind not in _PLAIN:
        raise FileFormatError(f"{source.name!r} holds values of the type {array.dtype}; save plain numbers or text.")
    if array.dtype.kind == "S":
        with foreign_reader(source, "text", "save it as text, not as bytes"):
            array = np.char.decode(array, "utf-8")
    if array.dtype.kind == "U" and not _is_text(array):
        raise FileFormatError(f"{source.name!r} is damaged: it holds numbers that stand for no character.")
    return pd.DataFrame(array, columns=[f"c{j}" for j in range(array.shape[1])])


def _load(source: Source) -> dict[str, Any]:
    with source.open() as file:
        loaded = np.load(file, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"labels": loaded}
        return {name: loaded[name] for name in loaded.files}


def _is_text(array: Array) -> bool:
    """Whether all codes are those of characters; NumPy reads any 4 bytes, and Python fails on some of them later."""
    codes = np.ascontiguousarray(array).view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
    return bool(((codes < _SURROGATES[0]) | ((codes > _SURROGATES[1]) & (codes <= _LAST_CODE))).all())


def _shape(array: Any) -> str:
    return str(array.shape) if isinstance(array, np.ndarray) else "(no array)"
