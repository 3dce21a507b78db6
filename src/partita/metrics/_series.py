"""A series of numbers, as correlations, tests and grids take it."""

from typing import Any

import numpy as np

from partita._labels.membership import as_numbers
from partita._typing import FloatArray


def check_series(values: Any, name: str) -> FloatArray:
    """A 1-D series of numbers, in which NaN may occur."""
    series = as_numbers(values, name)
    if series.ndim != 1 or len(series) == 0:
        raise ValueError(f"{name} has shape {series.shape}; pass a series of at least one number, shape (n,).")
    if np.isinf(series).any():
        raise ValueError(f"{name}[{int(np.argmax(np.isinf(series)))}] is infinite; all values must be finite.")
    return series
