"""alpha0 and beta of the highest variational bound, by Newton steps from their last values (eqs. N31, N32 and N54)."""

from collections.abc import Callable

import numpy as np
from scipy.special import polygamma, psi

from partita._typing import FloatArray
from partita.consensus.models._em import column_sums
from partita.consensus.nbce._joint import (
    HIGHEST,
    LOWEST,
    NBCEModel,
    Occupancy,
    log_assignment_prior,
    log_label_likelihood,
)

_STEPS = 50  # of Newton: two or three are enough near the maximum, twenty reach an end of the range
_LONGEST = 1.0  # largest step of a logarithm: far from the maximum the curvature says little
_PRECISION = 1e-9  # of the logarithms: far finer than matters for the bound, which is flat at its maximum
NOTHING = 1e-15  # objects of a cluster that count as none: their part of the bound is below rounding


def estimate_parameters(occupancy: Occupancy, model: NBCEModel, alpha0: bool, beta: bool) -> NBCEModel:
    """alpha0 and beta of the highest joint near their present values: each enters one of its two factors alone.

    With an expected occupancy this maximises the variational bound over alpha0, beta and q(pi), q(theta) together, for
    q(Z) as it is; at the end the derivatives of eq. N31 vanish, or a value is at an end of its range. The bound is
    never lower than before. ``label_size`` may lack the columns of empty clusters.
    """
    if alpha0:
        slopes = _slopes_of_sticks if model.prior == "tsb" else _slopes_of_weights
        best = _climb(lambda a0: slopes(occupancy.size, a0), model.alpha0)
        better = model._replace(alpha0=best)
        if log_assignment_prior(occupancy.size, better) >= log_assignment_prior(occupancy.size, model):
            model = better
    if beta:
        used = occupancy._replace(label_size=occupancy.label_size[:, occupancy.label_size.sum(axis=0) > NOTHING])
        model = estimate_beta(
            model,
            lambda b: slopes_of_labels(used.label_size, model, b),
            lambda b: log_label_likelihood(used, model._replace(beta=b)),
        )
    return model


def estimate_beta(
    model: NBCEModel, slopes: Callable[[float], tuple[float, float]], likelihood: Callable[[float], float]
) -> NBCEModel:
    """Beta of the highest likelihood, from its slopes: both are sums over clusterings, wherever these are."""
    best = _climb(slopes, model.beta)
    return model._replace(beta=best) if likelihood(best) >= likelihood(model.beta) else model


def _climb(slopes: Callable[[float], tuple[float, float]], now: float) -> float:
    """Newton steps of log x to a maximum, within [LOWEST, HIGHEST]; ``slopes`` gives both derivatives by x."""
    low, high = np.log(LOWEST), np.log(HIGHEST)
    log = float(np.clip(np.log(now), low, high))
    for _ in range(_STEPS):
        x = float(np.exp(log))
        first, second = slopes(x)
        slope, curve = x * first, x * x * second + x * first  # by log x
        step = -slope / curve if curve < 0 else np.sign(slope) * _LONGEST
        new = float(np.clip(log + np.clip(step, -_LONGEST, _LONGEST), low, high))
        if abs(new - log) < _PRECISION:
            return float(np.exp(new))
        log = new
    return float(np.exp(log))


def _trigamma(x: FloatArray | float) -> FloatArray:
    return np.asarray(polygamma(1, x))


def _slopes_of_weights(size: FloatArray, a0: float) -> tuple[float, float]:
    """Derivatives of eq. N6 by alpha0."""
    K, n = len(size), size.sum()
    first = psi(a0) - psi(a0 + n) + psi(a0 / K + size).mean() - psi(a0 / K)
    second = _trigamma(a0) - _trigamma(a0 + n) + (_trigamma(a0 / K + size).mean() - _trigamma(a0 / K)) / K
    return float(first), float(second)


def _slopes_of_sticks(size: FloatArray, a0: float) -> tuple[float, float]:
    """Derivatives of eq. N7 by alpha0."""
    beyond = size[::-1].cumsum()[::-1]  # n_{>=k}
    after, whole, n_sticks = a0 + beyond[1:], 1 + a0 + beyond[:-1], len(size) - 1
    first = n_sticks / a0 + (psi(after) - psi(whole)).sum()
    second = -n_sticks / a0**2 + (_trigamma(after) - _trigamma(whole)).sum()
    return float(first), float(second)


def slopes_of_labels(label_size: FloatArray, model: NBCEModel, b: float) -> tuple[float, float]:
    """Derivatives of eq. N5 by beta."""
    J, observed = model.n_labels, column_sums(label_size, model.layout)
    K = label_size.shape[1]

    def sums(f: Callable[[FloatArray], FloatArray]) -> tuple[FloatArray, FloatArray]:
        of_labels = f(b + label_size).sum(axis=1) - K * f(np.array(b))
        return of_labels, K * f(J * b) - f(J[:, None] * b + observed).sum(axis=1)

    labels, totals = sums(psi)
    curved_labels, curved_totals = sums(_trigamma)
    first = model.cell_weights @ labels + (model.clustering_weights * J) @ totals
    second = model.cell_weights @ curved_labels + (model.clustering_weights * J**2) @ curved_totals
    return float(first), float(second)
