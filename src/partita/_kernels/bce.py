"""Variational E-step of Bayesian cluster ensembles, by table look-up, one row of labels after another.

For the labels (and features) of one row, ``local[h, j]`` holds the probability that cluster h gives to what
column j shows. With w_h = exp(psi(gamma_h)) a step of the fixed point is two products with that small matrix:

    s_j = sum_h local[h, j] w_h,     gamma_h = alpha_h + w_h sum_j u_j local[h, j] / s_j,

because phi_jh = local[h, j] w_h / s_j (eqs. M28, M41); exp(-psi(sum gamma)) cancels in phi and enters the bound
(eq. M30) alone.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, helper_sums, jit
from partita._kernels.families import GAUSSIAN, POISSON

SMALLEST_ALPHA = 2e-3  # exp(psi) is 1e-218 there: a negligible part of a row, and still far from underflow
LARGEST_ALPHA = 1e4  # practically infinite: the columns of a row are then independent
_LARGE = 8.0  # from here on the series of psi is exact to 3e-13
_HUGE = 1e80  # logs are taken of products of factors up to here: one factor is at most 1e218, the largest float 1e308
_LOG_TWO_PI = math.log(2.0 * math.pi)


class MembershipRows(NamedTuple):
    """Rows of labels and features; labels are listed one after another, so that none is missing."""

    start: Any  # (n + 1,) int64, row i has labels start[i] to start[i + 1] - 1
    cells: Any  # (n_observed,) int32, place of each label among all labels of all clusterings
    features: Any  # (n, d) float64, NaN where missing
    row_weights: Any  # (n,) float64, weight of each row


class MembershipParameters(NamedTuple):
    """What the clusters give to labels and features, and how much each column counts."""

    alpha: Any  # (k,) float64
    table: Any  # (n_cells, k) float64, beta: probability of each label
    cell_weights: Any  # (n_cells,) float64, u of each label's clustering
    families: Any  # (d,) int64
    location: Any  # (d, k) float64: mean, rate or probability
    spread: Any  # (d, k) float64: variance of Gaussian features
    feature_weights: Any  # (d,) float64, u of each feature


class MembershipSums(NamedTuple):
    """What the M-step needs; additive over rows."""

    labels: Any  # (n_cells, k) float64, sum of phi
    features: Any  # (3, d, k) float64, sum of phi, phi y', phi y'^2 (y' = y, for Gaussians y - mean)
    log_theta: Any  # (k,) float64, sum of E[log theta]
    bound: Any  # (1,) float64


class MembershipScratch(NamedTuple):
    """Memory for one row."""

    local: Any  # (k, longest row) float64
    weight: Any  # (longest row,) float64, u of each column the row has
    place: Any  # (longest row,) int64, cell of a label, or -1 - feature
    ratio: Any  # (longest row,) float64, u_j / s_j
    w: Any  # (k,) float64, exp(psi(gamma))


@helper_sums
def _shift(x):
    """Y >= 8 and a number a with psi(x) = log(y) + a.

    psi(x) = psi(x + 8) - sum_{i<8} 1 / (x + i), the sum in one fraction: x + i and x + 7 - i have the product
    x (x + 7) + i (7 - i) and the same sum 2 x + 7.
    """
    lower = 0.0
    if x < _LARGE:
        a = x * (x + 7.0)
        b, c, d = a + 6.0, a + 10.0, a + 12.0
        lower = (2.0 * x + 7.0) * ((a + b) * (c * d) + (c + d) * (a * b)) / ((a * b) * (c * d))
        x += 8.0
    inverse = 1.0 / x
    q = inverse * inverse
    series = q * (-1 / 12 + q * (1 / 120 + q * (-1 / 252 + q * (1 / 240 + q * (-1 / 132 + q * (691 / 32760))))))
    return x, series - 0.5 * inverse - lower


@helper_sums
def exp_digamma(x):
    """exp(psi(x)) for x > 0."""
    y, a = _shift(x)
    return y * math.exp(a)


@helper
def digamma(x):
    """psi(x) for x > 0."""
    y, a = _shift(x)
    return math.log(y) + a


@helper
def _log_density(family, y, location, spread):
    """Log probability (density) of a feature in one cluster."""
    if family == GAUSSIAN:
        return -0.5 * (_LOG_TWO_PI + math.log(spread) + (y - location) ** 2 / spread)
    if family == POISSON:
        return y * math.log(location) - location - math.lgamma(y + 1.0)
    return y * math.log(location) + (1.0 - y) * math.log1p(-location)


@helper
def _gather(rows, parameters, i, scratch):
    """Fill the local matrix of row i; returns the number of its columns and a constant of the bound."""
    k = parameters.alpha.shape[0]
    n = 0
    constant = 0.0
    for p in range(rows.start[i], rows.start[i + 1]):
        cell = rows.cells[p]
        scratch.place[n] = cell
        scratch.weight[n] = parameters.cell_weights[cell]
        for h in range(k):
            scratch.local[h, n] = parameters.table[cell, h]
        n += 1
    for d in range(rows.features.shape[1]):
        y = rows.features[i, d]
        if math.isnan(y):
            continue
        family = parameters.families[d]
        highest = -math.inf
        for h in range(k):
            value = _log_density(family, y, parameters.location[d, h], parameters.spread[d, h])
            scratch.local[h, n] = value
            highest = max(highest, value)
        for h in range(k):
            scratch.local[h, n] = math.exp(scratch.local[h, n] - highest)
        scratch.place[n] = -1 - d
        scratch.weight[n] = parameters.feature_weights[d]
        constant += parameters.feature_weights[d] * highest
        n += 1
    return n, constant


@helper_sums
def _divide(gamma, i, n, scratch):
    """W = exp(psi(gamma)) and u_j / s_j of row i at its present gamma."""
    for j in range(n):
        scratch.ratio[j] = 0.0
    for h in range(gamma.shape[1]):
        w = exp_digamma(gamma[i, h])
        scratch.w[h] = w
        for j in range(n):
            scratch.ratio[j] += scratch.local[h, j] * w
    for j in range(n):  # never 0: SMALLEST_ALPHA keeps w above 1e-218
        scratch.ratio[j] = scratch.weight[j] / scratch.ratio[j]


@helper_sums
def _step(alpha, gamma, i, n, scratch):
    """Move gamma[i] one step along the fixed point; returns the largest change."""
    change = 0.0
    for h in range(alpha.shape[0]):
        total = 0.0
        for j in range(n):
            total += scratch.local[h, j] * scratch.ratio[j]
        moved = alpha[h] + scratch.w[h] * total
        change = max(change, abs(moved - gamma[i, h]))
        gamma[i, h] = moved
    return change


@helper
def _bound_of_row(alpha, gamma, i, n, scratch, log_theta):
    """Lower bound of row i at its gamma, apart from what depends on alpha alone; E[log theta] into ``log_theta``."""
    k = alpha.shape[0]
    total = 0.0
    for h in range(k):
        total += gamma[i, h]
    psi_total = digamma(total)
    bound = -math.lgamma(total)
    for h in range(k):
        log_theta[h] = digamma(gamma[i, h]) - psi_total
        bound += math.lgamma(gamma[i, h]) + (alpha[h] - gamma[i, h]) * log_theta[h]
    product = 1.0  # of the s_j of weight 1, so that a row takes one log instead of n
    for j in range(n):
        u = scratch.weight[j]
        bound -= u * psi_total
        if u == 1.0:
            product *= scratch.ratio[j]
            if product > _HUGE or product < 1 / _HUGE:
                bound -= math.log(product)
                product = 1.0
        else:
            bound += u * math.log(u / scratch.ratio[j])
    return bound - math.log(product)


@helper
def _add_row(rows, parameters, i, n, scratch, sums):
    """Add phi of row i to the sums."""
    k = parameters.alpha.shape[0]
    for j in range(n):
        place = scratch.place[j]
        scale = rows.row_weights[i] * scratch.ratio[j] / scratch.weight[j]
        if place >= 0:
            for h in range(k):
                sums.labels[place, h] += scale * scratch.local[h, j] * scratch.w[h]
            continue
        d = -1 - place
        for h in range(k):
            phi = scale * scratch.local[h, j] * scratch.w[h]
            y = rows.features[i, d]
            if parameters.families[d] == GAUSSIAN:
                y -= parameters.location[d, h]  # about the old mean, so that no digits are lost
            sums.features[0, d, h] += phi
            sums.features[1, d, h] += phi * y
            sums.features[2, d, h] += phi * y * y


@jit
def expect_memberships(rows, parameters, lo, hi, n_steps, tol, gamma, bounds, sums):
    """E-step of rows lo to hi - 1: improve their gamma, and add up what the M-step needs.

    gamma  IN/OUT (n, k) float64, where the fixed point starts and ends
    n_steps, tol  steps at most, and the largest change below which a row is settled
    bounds OUT    (n,) float64, lower bound of log p of each row
    sums   OUT    added to
    """
    k = parameters.alpha.shape[0]
    longest = rows.features.shape[1]
    for i in range(lo, hi):
        longest = max(longest, rows.features.shape[1] + rows.start[i + 1] - rows.start[i])
    scratch = MembershipScratch(
        np.empty((k, longest)), np.empty(longest), np.empty(longest, dtype=np.int64), np.empty(longest), np.empty(k)
    )
    log_theta = np.empty(k)
    of_alpha = 0.0
    total = 0.0
    for h in range(k):
        total += parameters.alpha[h]
        of_alpha -= math.lgamma(parameters.alpha[h])
    of_alpha += math.lgamma(total)
    for i in range(lo, hi):
        n, constant = _gather(rows, parameters, i, scratch)
        _divide(gamma, i, n, scratch)
        for _ in range(n_steps):
            change = _step(parameters.alpha, gamma, i, n, scratch)
            _divide(gamma, i, n, scratch)
            if change < tol:
                break
        bound = of_alpha + constant + _bound_of_row(parameters.alpha, gamma, i, n, scratch, log_theta)
        bounds[i] = bound
        sums.bound[0] += rows.row_weights[i] * bound
        for h in range(k):
            sums.log_theta[h] += rows.row_weights[i] * log_theta[h]
        _add_row(rows, parameters, i, n, scratch, sums)
