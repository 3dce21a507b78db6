"""Results of objects in blocks: nothing with a row per object and a column per cluster is ever held."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, overload

import numpy as np

from partita._typing import Array, FloatArray

_STEP = 1 << 20  # objects at a time: their indices, which NumPy widens, take 8 MB


def hand_out(of_row: Array, row_of_object: Array) -> Array:
    """Value of each object's row; -1 for objects without a row."""
    values = np.append(of_row, np.array([-1], dtype=of_row.dtype))
    out = np.empty(len(row_of_object), dtype=of_row.dtype)
    for lo in range(0, len(out), _STEP):
        np.take(values, row_of_object[lo : lo + _STEP], out=out[lo : lo + _STEP], mode="wrap")
    return out


class InBlocks(Sequence[FloatArray]):
    """``membership_`` of a fit on blocks: one array per block, made when it is asked for.

    ``membership_[b]`` is that of block b, (objects of the block, n_components_); iterating gives all blocks in order.
    ``np.vstack(list(membership_))`` is all of it, if it fits in memory.
    """

    def __init__(self, of_row: FloatArray, prior: Any, row_of_object: Array, lengths: list[int]) -> None:
        self._values = np.vstack([of_row, np.asarray(prior)[None, :]])  # the last row is for objects without any label
        self._row_of_object = row_of_object
        self._edges = np.cumsum([0, *lengths])

    def gammas(self, model: Any) -> "InBlocks":
        """``gamma_`` of BCE: every row times the sum of alpha and the weight of what the row has."""
        scaled = copy(self)
        weight = model.alpha_.sum() + np.append(model._observed_weight, 0.0)
        scaled._values = self._values * weight[:, None]
        return scaled

    def __len__(self) -> int:
        return len(self._edges) - 1

    @property
    def shape(self) -> tuple[int, int]:
        """Objects of all blocks, and clusters."""
        return len(self._row_of_object), self._values.shape[1]

    @overload
    def __getitem__(self, number: int) -> FloatArray: ...

    @overload
    def __getitem__(self, number: slice) -> list[FloatArray]: ...

    def __getitem__(self, number: int | slice) -> FloatArray | list[FloatArray]:
        """Membership of one block, or of several."""
        if isinstance(number, slice):
            return [self[place] for place in range(*number.indices(len(self)))]
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(f"there is no block {number}; there are {len(self)}.")
        return np.asarray(self._values[self._row_of_object[self._edges[place] : self._edges[place + 1]]])

    def __iter__(self) -> Iterator[FloatArray]:
        return (self[place] for place in range(len(self)))

    def __repr__(self) -> str:
        return f"<membership of {self.shape[0]} objects in {len(self)} blocks, {self.shape[1]} clusters>"
