"""Checks that several metrics share: a choice of names, a series of numbers."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from partita._typing import FloatArray


def check_choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    """Refuse a value that is not one of the allowed names."""
    names = tuple(allowed)
    if not isinstance(value, str) or value not in names:
        shown = ", ".join(map(repr, names[:-1])) + f" or {names[-1]!r}"
        raise ValueError(f"{name}={value!r} is not known; choose {shown}.")


def check_series(values: Any, name: str) -> FloatArray:
    """A 1-D series of numbers, in which NaN may occur."""
    try:
        series = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, received {values!r:.60}.") from None
    if series.ndim != 1 or len(series) == 0:
        raise ValueError(f"{name} has shape {series.shape}; pass a series of at least one number, shape (n,).")
    if np.isinf(series).any():
        raise ValueError(f"{name}[{int(np.argmax(np.isinf(series)))}] is infinite; all values must be finite.")
    return series
