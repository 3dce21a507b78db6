"""From the JSON and the arrays of a model file to the values of a fitted model (``_write_tree.py`` writes them).

Every key has its reader here, and there are no others: a file can ask for values of these kinds and nothing else.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from partita._in_blocks import ValuesInBlocks
from partita._typing import Array
from partita.exceptions import FileFormatError
from partita.model_files._checks import check_fields
from partita.model_files._classes import part_named
from partita.model_files._format import INDICES


class TreeReader:
    """Turns JSON back into values."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        self._arrays = arrays
        self._readers: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
            "array": self._array,
            "objects": self._objects,
            "text": self._text,
            "scalar": self._scalar,
            "float": self._float,
            "tuple": lambda items, _: tuple(self._items(items)),
            "dict": self._dict,
            "bytes": lambda text, _: bytes.fromhex(_typed(text, str)),
            "part": self._part,
            "blocks": self._blocks,
            "csr": self._csr,
            "range": self._range,
            "index": self._index,
        }

    def read(self, value: Any) -> Any:
        """The value that the JSON stands for."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, list):
            return self._items(value)
        kind = next(iter(value), None)
        if kind not in self._readers:
            raise FileFormatError(f"it holds a value of an unknown kind ({str(kind)[:40]!r})")
        return self._readers[kind](value[kind], value)

    def _items(self, items: Any) -> list[Any]:
        return [self.read(item) for item in _typed(items, list)]

    # ------------------------------------------------------------------------------------------------ numbers, arrays
    def _float(self, text: Any, _: Any) -> float:
        return float.fromhex(_typed(text, str))

    def _array(self, name: Any, _: Any) -> Array:
        if not isinstance(name, str) or name not in self._arrays:
            raise FileFormatError(f"its array {str(name)[:40]!r} is missing")
        return self._arrays[name]

    def _objects(self, items: Any, whole: dict[str, Any]) -> Array:
        values = self._items(items)
        array = np.empty(len(values), dtype=object)
        for place, value in enumerate(values):  # at once, tuples would become rows
            array[place] = value
        return array.reshape(_shape(whole, len(values)))

    def _text(self, items: Any, whole: dict[str, Any]) -> Array:
        values = [_typed(item, str) for item in _typed(items, list)]
        return np.array(values, dtype=np.str_).reshape(_shape(whole, len(values)))

    def _scalar(self, array: Any, _: Any) -> Any:
        value = self.read(array)
        if not isinstance(value, np.ndarray) or value.ndim:
            raise FileFormatError("a single number is no array without dimensions")
        return value[()]

    # --------------------------------------------------------------------------------------------------- compound ones
    def _dict(self, pairs: Any, _: Any) -> dict[Any, Any]:
        return {self.read(key): self.read(value) for key, value in _typed(pairs, list)}

    def _part(self, name: Any, whole: dict[str, Any]) -> Any:
        part = part_named(name)
        if part is None:
            raise FileFormatError(f"it names the class {str(name)[:40]!r}, which model files do not have")
        fields = _typed(whole.get("fields"), dict)
        values = {field: self.read(value) for field, value in fields.items()}
        check_fields(part, values)
        return part(**values)

    def _blocks(self, fields: Any, _: Any) -> ValuesInBlocks:
        values = {name: self.read(value) for name, value in _typed(fields, dict).items()}
        if set(values) != {"_of_row", "_row_of_object", "_edges"}:
            raise FileFormatError("values in blocks have other fields")
        made = ValuesInBlocks(values["_of_row"], values["_row_of_object"], [])
        made._edges = values["_edges"]
        return made

    def _csr(self, parts: Any, whole: dict[str, Any]) -> Any:
        from scipy import sparse

        data, indices, indptr = self._items(parts)
        rows, columns = (_typed(length, int) for length in _typed(whole.get("shape"), list))
        matrix = sparse.csr_array((data, indices, indptr), shape=(rows, columns))
        matrix.check_format(full_check=True)
        return matrix

    def _range(self, bounds: Any, whole: dict[str, Any]) -> Any:
        import pandas as pd

        start, stop, step = (_typed(bound, int) for bound in _typed(bounds, list))
        return pd.RangeIndex(start, stop, step, name=self.read(whole.get("name")))

    def _index(self, values: Any, whole: dict[str, Any]) -> Any:
        import pandas as pd

        dtype = whole.get("dtype")
        if dtype not in INDICES:
            raise FileFormatError(f"its index has the type {str(dtype)[:40]!r}")
        return pd.Index(self.read(values), dtype=dtype, name=self.read(whole.get("name")))


def _typed(value: Any, kind: type) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise FileFormatError(f"it holds a {type(value).__name__} where a {kind.__name__} belongs")
    return value


def _shape(whole: dict[str, Any], n_values: int) -> tuple[int, ...]:
    shape = tuple(_typed(length, int) for length in _typed(whole.get("shape"), list))
    if any(length < 0 for length in shape) or math.prod(shape) != n_values:
        raise FileFormatError(f"an array of {n_values} values claims the shape {shape}")
    return shape
