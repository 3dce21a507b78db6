"""Values of a fitted model as JSON, with the arrays beside it.

None, truth values, whole numbers, text and lists are JSON themselves; every other value is an object with one key that
says what it is. ``_read_tree.py`` reads them.
"""

import math
from typing import Any

import numpy as np

from partita._in_blocks import ValuesInBlocks
from partita._typing import Array
from partita.model_files._classes import field_names, name_of_estimator, name_of_part
from partita.model_files._format import INDICES, KINDS


class NotStorableError(ValueError):
    """A value that a model file cannot hold."""


class TreeWriter:
    """Turns values into JSON, and collects the arrays, each once."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self._names: dict[int, str] = {}  # of arrays by their identity: one that is used twice is stored once
        self._kept: list[Any] = []  # so that no identity is given to another array in the meantime

    def write(self, value: Any) -> Any:
        """The value as JSON."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) and value != int(value) else {"float": value.hex()}
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        return self._compound(value)

    def _compound(self, value: Any) -> Any:
        """Containers, parts of models, and what other libraries have."""
        part = name_of_part(value)
        if part is not None:
            return {
                "part": part,
                "fields": {name: self.write(getattr(value, name)) for name in field_names(type(value))},
            }
        if type(value) is list:
            return [self.write(item) for item in value]
        if type(value) is tuple:
            return {"tuple": [self.write(item) for item in value]}
        if type(value) is dict:
            return {"dict": [[self.write(key), self.write(item)] for key, item in value.items()]}
        if type(value) is bytes:
            return {"bytes": value.hex()}
        if type(value) is ValuesInBlocks:
            return {"blocks": {name: self.write(item) for name, item in vars(value).items()}}
        if name_of_estimator(value) is not None:
            raise NotStorableError(f"an estimator inside another ({type(value).__name__})")
        return self._foreign(value)

    def _foreign(self, value: Any) -> Any:
        """Sparse arrays of SciPy, and indices of pandas."""
        if type(value).__name__ == "csr_array" and type(value).__module__.startswith("scipy.sparse"):
            parts = [self._array(np.asarray(part)) for part in (value.data, value.indices, value.indptr)]
            return {"csr": parts, "shape": [int(length) for length in value.shape]}
        if type(value).__module__.startswith("pandas") and hasattr(value, "get_indexer"):
            return self._index(value)
        raise NotStorableError(f"a {type(value).__module__}.{type(value).__qualname__}")

    def _array(self, array: Array) -> Any:
        if array.dtype.kind in "OU":
            kind = "objects" if array.dtype.kind == "O" else "text"
            return {kind: [self.write(item) for item in array.ravel().tolist()], "shape": list(array.shape)}
        if array.dtype.kind not in KINDS:
            raise NotStorableError(f"an array of the type {array.dtype}")
        name = self._names.get(id(array))
        if name is None:
            name = f"array_{len(self.arrays)}"
            self.arrays[name], self._names[id(array)] = array, name
            self._kept.append(array)
        return {"array": name}

    def _index(self, index: Any) -> Any:
        """Names of objects: a range, or plain values."""
        import pandas as pd

        named = {"name": self.write(index.name)}
        if type(index) is pd.RangeIndex:
            return {"range": [index.start, index.stop, index.step], **named}
        if type(index) is not pd.Index or str(index.dtype) not in INDICES:
            raise NotStorableError(f"an index of the type {type(index).__name__} ({getattr(index, 'dtype', '')})")
        return {"index": self._array(np.asarray(index)), "dtype": str(index.dtype), **named}
