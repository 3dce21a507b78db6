"""Refuse numbers whose squares a float cannot hold."""

import numpy as np

from partita._typing import FloatArray

_LARGEST, _SMALLEST = 1e70, 1e-70  # squares, and products of two of them, stay within float64


def check_magnitude(points: FloatArray) -> None:
    """Refuse features that are too large, or all but equal to their first row, to be squared; they can be rescaled."""
    largest = float(np.abs(points).max(initial=0.0))
    if largest > _LARGEST:
        raise ValueError(f"X has values up to {largest:.2g}, whose squares overflow; divide X by a number first.")
    apart = float(np.abs(points - points[:1]).max(initial=0.0))
    if 0 < apart < _SMALLEST:
        raise ValueError(f"the rows of X differ by {apart:.2g} at most, whose square is 0; multiply X by a number.")
