"""Results of distinct rows, given to their objects."""

import numpy as np

from partita._typing import Array

_STEP = 1 << 20  # objects at a time: their indices, which NumPy widens, take 8 MB


def hand_out(of_row: Array, row_of_object: Array) -> Array:
    """Value of each object's row; -1 for objects without a row."""
    values = np.append(of_row, np.array([-1], dtype=of_row.dtype))
    out = np.empty(len(row_of_object), dtype=of_row.dtype)
    for lo in range(0, len(out), _STEP):
        np.take(values, row_of_object[lo : lo + _STEP], out=out[lo : lo + _STEP], mode="wrap")
    return out
