"""Memberships: numbers, the check that rows are probabilities, and the one-hot rows of a partition."""

from typing import Any

import numpy as np

from partita._typing import Array, FloatArray

ROUNDING = 1e-6  # how far from 1 the probabilities of an object may sum: those of float32 sum to 1 within this


def as_numbers(values: Any, name: str) -> FloatArray:
    """Values as floats; text, objects, rows of different lengths and complex numbers are refused."""
    try:
        if np.asarray(values).dtype.kind != "c":  # NumPy would drop the imaginary parts
            return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name} must be numbers, received {values!r:.60}.")


def check_membership(membership: Any, name: str, *, missing: bool = False) -> FloatArray:
    """Probabilities (n, k) as floats: rows are not negative and sum to 1; with ``missing`` a row may be all NaN."""
    Y = as_numbers(membership, name)
    if Y.ndim != 2 or Y.shape[1] == 0:
        raise ValueError(f"{name} has shape {Y.shape}; pass one row per object and one column per cluster, (n, k).")
    empty = np.isnan(Y).all(axis=1) if missing else np.zeros(len(Y), dtype=bool)
    with np.errstate(invalid="ignore"):  # inf - inf
        bad = ~empty & (~(np.abs(Y.sum(axis=1) - 1) <= ROUNDING) | ~(Y >= -ROUNDING).all(axis=1))
    if bad.any():
        row = int(bad.argmax())
        allowed = "; a row may be NaN throughout" if missing else ""
        raise ValueError(
            f"row {row} of {name} is {Y[row].round(4).tolist()!r:.80}, which are not probabilities: they must not be "
            f"negative and must sum to 1{allowed}."
        )
    return Y


def one_hot(labels: Array, n_clusters: int) -> FloatArray:
    """Membership (n, k) of a partition; rows of -1 are 0."""
    Y = np.zeros((len(labels), n_clusters))
    labelled = np.flatnonzero(labels >= 0)
    Y[labelled, labels[labelled]] = 1.0
    return Y
