"""Values of objects in blocks: nothing with a row per object and a column per cluster is ever held."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, overload

import numpy as np

from partita._typing import Array, FloatArray


class ValuesInBlocks(Sequence[FloatArray]):
    """One array per block, made when it is asked for: ``membership_`` and ``votes_`` of a fit on blocks.

    ``values[b]`` are those of block b, (objects of the block, columns); iterating gives all blocks in order.
    ``np.vstack(list(values))`` is all of it, if it fits in memory.
    """

    def __init__(self, of_row: FloatArray, row_of_object: Array, lengths: list[int]) -> None:
        self._of_row = of_row  # the last row is for objects without a row of their own
        self._row_of_object = row_of_object
        self._edges = np.cumsum([0, *lengths])

    def gammas(self, model: Any) -> "ValuesInBlocks":
        """``gamma_`` of BCE from its membership: every row times the sum of alpha and the weight of what it has."""
        scaled = copy(self)
        weight = model.alpha_.sum() + np.append(model._observed_weight, 0.0)
        scaled._of_row = self._of_row * weight[:, None]
        return scaled

    def __len__(self) -> int:
        return len(self._edges) - 1

    @property
    def shape(self) -> tuple[int, int]:
        """Objects of all blocks, and columns."""
        return len(self._row_of_object), self._of_row.shape[1]

    @overload
    def __getitem__(self, number: int) -> FloatArray: ...

    @overload
    def __getitem__(self, number: slice) -> list[FloatArray]: ...

    def __getitem__(self, number: int | slice) -> FloatArray | list[FloatArray]:
        """Values of one block, or of several."""
        if isinstance(number, slice):
            return [self[place] for place in range(*number.indices(len(self)))]
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(f"there is no block {number}; there are {len(self)}.")
        return np.asarray(self._of_row[self._row_of_object[self._edges[place] : self._edges[place + 1]]])

    def __iter__(self) -> Iterator[FloatArray]:
        return (self[place] for place in range(len(self)))

    def __repr__(self) -> str:
        return f"<{self.shape[0]} objects in {len(self)} blocks, {self.shape[1]} columns>"
