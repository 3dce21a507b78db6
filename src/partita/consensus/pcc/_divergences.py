"""Divergences between an observed share x1 and a predicted one x2, both of a pair of outcomes (x, 1 - x).

On such pairs the generalised I-divergence is the Kullback-Leibler divergence, because the terms -x + y cancel, and a
Mahalanobis distance is a multiple of the squared one; so the four names of the paper are two methods (eq. P19).
"""

from typing import Any, Protocol, runtime_checkable

import numpy as np

from partita._kernels import pcc_pairs
from partita._typing import FloatArray

KINDS = {"kl": pcc_pairs.KL, "i-divergence": pcc_pairs.KL, "l2": pcc_pairs.L2, "mahalanobis": pcc_pairs.L2}
_STEP = 1e-6  # of numeric slopes: about the cube root of the rounding of float64, at which their error is smallest


@runtime_checkable
class PairDivergence(Protocol):
    """A user-defined divergence: convex in its second argument, on arrays of equal shape."""

    def value(self, x1: FloatArray, x2: FloatArray) -> FloatArray:
        """d(x1, x2)."""

    def derivative(self, x1: FloatArray, x2: FloatArray) -> FloatArray:
        """Derivative of d in x2."""


def check_divergence(divergence: Any) -> None:
    """Refuse an object that is not a divergence: methods missing, slopes that do not fit, or not convex in x2."""
    if not isinstance(divergence, PairDivergence):
        raise ValueError(
            f"divergence={divergence!r:.60} is neither one of {', '.join(map(repr, KINDS))} nor an object with methods "
            "value(x1, x2) and derivative(x1, x2)."
        )
    edge = np.array([0.001, 0.002, 0.005, 0.01])  # where a divergence bends most
    x2 = np.concatenate([edge, np.linspace(0.02, 0.98, 49), 1 - edge[::-1]])
    for share in np.linspace(0.0, 1.0, 11):
        _check_at(divergence, float(share), x2)


def _check_at(divergence: PairDivergence, share: float, x2: FloatArray) -> None:
    """Compare slopes with differences of values, and see that they never fall, for one observed share."""
    name, x1 = type(divergence).__name__, np.full_like(x2, share)
    try:
        slope = np.asarray(divergence.derivative(x1, x2), dtype=np.float64)
        above, below = (np.asarray(divergence.value(x1, x2 + step)) for step in (_STEP, -_STEP))
    except Exception as error:
        raise ValueError(f"divergence {name} fails on arrays x1, x2 in [0, 1]: {error}") from error
    if slope.shape != x2.shape or not np.isfinite(slope).all():
        raise ValueError(f"divergence {name}: derivative must be finite inside (0, 1), in the shape of x2.")
    numeric = (above - below) / (2 * _STEP)
    if not np.allclose(slope, numeric, rtol=1e-3, atol=1e-4 * (1 + np.abs(numeric).max())):
        at = int(np.argmax(np.abs(slope - numeric)))
        raise ValueError(
            f"divergence {name}: derivative({share:.1f}, {x2[at]:.2f}) = {slope[at]:.6g}, but value has slope "
            f"{numeric[at]:.6g} there; derivative must be that of value in its second argument."
        )
    bend = np.diff(slope)
    if (bend < -1e-9 * (1 + np.abs(slope).max())).any():
        at = int(np.argmin(bend))
        raise ValueError(
            f"divergence {name} is not convex in x2: at x1 = {share:.1f} its derivative falls from "
            f"{slope[at]:.6g} to {slope[at + 1]:.6g} between x2 = {x2[at]:.2f} and {x2[at + 1]:.2f}."
        )
