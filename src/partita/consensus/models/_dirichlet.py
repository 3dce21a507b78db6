"""Maximum likelihood of a Dirichlet's parameters from the mean of log theta, by Newton's method.

    L(alpha) = n [ lgamma(sum alpha) - sum_h lgamma(alpha_h) ] + sum_h (alpha_h - 1) S_h,   S_h = sum_i E[log theta_ih]

is concave (eq. M34); its Hessian is a diagonal plus a multiple of the matrix of ones, so a step costs O(k) (eq. M35;
BCE paper, eq. 8).
"""

import numpy as np
from scipy.special import gammaln, polygamma, psi

from partita._kernels.bce import LARGEST_ALPHA, SMALLEST_ALPHA
from partita._typing import Array, FloatArray

_STEPS = 100  # never reached in practice: Newton's method doubles the digits with each step
_TOL = 1e-11  # relative change of alpha at the end: near what rounding allows
_ROUNDING = 1e-13  # of L, relatively: without it the last, most exact, steps would be refused
_SHORTEST = 1e-9  # step, after 30 halvings, below which a direction is given up: L would change by rounding alone


def log_likelihood(alpha: FloatArray, log_theta: FloatArray, n: float) -> float:
    """L(alpha)."""
    return float(n * (gammaln(alpha.sum()) - gammaln(alpha).sum()) + (alpha - 1) @ log_theta)


def gradient(alpha: FloatArray, log_theta: FloatArray, n: float) -> FloatArray:
    """Derivative of L."""
    return np.asarray(n * (psi(alpha.sum()) - psi(alpha)) + log_theta)


def newton_direction(alpha: FloatArray, log_theta: FloatArray, n: float, free: Array | None = None) -> FloatArray:
    """H^-1 g by the formula for a diagonal plus a matrix of rank one; 0 for parameters that are not ``free``."""
    free = np.ones(len(alpha), dtype=bool) if free is None else free
    g = gradient(alpha, log_theta, n)[free]
    diagonal = -n * polygamma(1, alpha[free])
    off = n * polygamma(1, alpha.sum())
    shift = (g / diagonal).sum() / (1 / off + (1 / diagonal).sum())
    direction = np.zeros(len(alpha))
    direction[free] = (g - shift) / diagonal
    return direction


def maximise_alpha(alpha: FloatArray, log_theta: FloatArray, n: float) -> FloatArray:
    """Climb from ``alpha``; a step is halved until it neither leaves the domain nor lowers L.

    Parameters that would go to 0 (of clusters that no object needs) stop at SMALLEST_ALPHA, and all at LARGEST_ALPHA
    (eq. M36).
    """
    if len(alpha) == 1:  # theta is 1, and L does not depend on alpha
        return alpha
    value = log_likelihood(alpha, log_theta, n)
    for _ in range(_STEPS):
        free = (alpha > SMALLEST_ALPHA) | (gradient(alpha, log_theta, n) > 0)
        if not free.any():
            break
        direction = newton_direction(alpha, log_theta, n, free)
        moved, risen = _walk(alpha, direction, value, log_theta, n)
        change = np.abs(moved / alpha - 1).max()
        alpha, value = moved, risen
        if change < _TOL:
            break
    return alpha


def _walk(
    alpha: FloatArray, direction: FloatArray, value: float, log_theta: FloatArray, n: float
) -> tuple[FloatArray, float]:
    """The longest of the steps 1, 1/2, 1/4, ... that does not lower L, but for rounding, and L there."""
    step = 1.0
    while step > _SHORTEST:
        moved = np.maximum(alpha - step * direction, alpha / 10)  # a tenth at least: parameters stay positive
        moved = np.maximum(moved * min(1.0, LARGEST_ALPHA / moved.max()), SMALLEST_ALPHA)
        risen = log_likelihood(moved, log_theta, n)
        if risen >= value - _ROUNDING * abs(value):
            return moved, risen
        step /= 2
    return alpha, value
