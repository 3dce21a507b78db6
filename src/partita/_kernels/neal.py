"""Gibbs sampling of a Dirichlet-process mixture of spherical Gaussians, and the climb to a mode (eqs. D16, D25).

Means lie in the columns of a (d, capacity) array: the distances of a point to all of them then run in SIMD.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

_NEGLIGIBLE = -50.0  # log of a share of probability that no draw of 53 bits can hit
_GAIN = 1e-10  # least rise of a log probability in a climb: less is rounding, and points could move back and forth


class NealPoints(NamedTuple):
    """The data, relative to the mean of the prior."""

    points: Any  # (n, d) float64
    norms: Any  # (n,) float64, squared length of each


class NealModel(NamedTuple):
    """Values of the parameters."""

    alpha: float  # concentration
    sigma: float  # variance within clusters
    rho: float  # variance of the means


class NealState(NamedTuple):
    """Clusters of the points."""

    z: Any  # (n,) int64
    size: Any  # (capacity,) int64, 0 for slots that are free
    means: Any  # (d, capacity) float64


@helper
def _distances(points, i, means, n_slots, out):
    """Squared distances of a point to the first means."""
    x = points[i, 0]
    for k in range(n_slots):
        apart = x - means[0, k]
        out[k] = apart * apart
    for j in range(1, points.shape[1]):
        x = points[i, j]
        for k in range(n_slots):
            apart = x - means[j, k]
            out[k] += apart * apart


@helper
def _draw(size, logs, n_slots, log_new, uniform):
    """A slot with probability prop. to size exp(log), or n_slots with probability prop. to exp(log_new)."""
    highest = log_new
    for k in range(n_slots):
        if size[k] > 0 and logs[k] > highest:
            highest = logs[k]
    total = 0.0
    for k in range(n_slots):
        below = logs[k] - highest
        logs[k] = size[k] * math.exp(below) if size[k] > 0 and below > _NEGLIGIBLE else 0.0
        total += logs[k]
    left = uniform * (total + math.exp(log_new - highest))
    last = n_slots
    for k in range(n_slots):
        left -= logs[k]
        if left < 0.0:
            return k
        if logs[k] > 0.0:
            last = k
    return n_slots if log_new - highest > _NEGLIGIBLE else last


@helper
def _free_slot(size, n_slots):
    """The first slot without points."""
    for k in range(n_slots):
        if size[k] == 0:
            return k
    return n_slots


@jit
def sweep_neal(data, state, model, n_slots, first, uniform, normal):
    """Draw the cluster of every point in turn given the means; a new cluster draws its mean given its point.

    n_slots IN slots in use, occupied or free
    first   IN point to begin at
    uniform IN (n,) float64, random numbers in [0, 1), one per point
    normal  IN (s, d) float64, standard normal numbers, one row per new cluster

    Returns the point where it stopped (n, or less where there is no slot or no row of ``normal`` for one more
    cluster) and the number of slots.
    """
    points, z, size = data.points, state.z, state.size
    n, d = points.shape
    alpha, sigma, rho = model
    logs = np.empty(size.shape[0])
    of_new = math.log(alpha) + 0.5 * d * math.log(sigma / (rho + sigma))  # relative to (2 pi sigma)^(-d/2)
    shrink, spread = rho / (rho + sigma), math.sqrt(sigma * rho / (sigma + rho))
    n_new = 0
    for i in range(first, n):
        if n_new == normal.shape[0] or n_slots == size.shape[0]:
            return i, n_slots
        size[z[i]] -= 1
        _distances(points, i, state.means, n_slots, logs)
        for k in range(n_slots):
            logs[k] *= -0.5 / sigma
        k = _draw(size, logs, n_slots, of_new - 0.5 * data.norms[i] / (rho + sigma), uniform[i])
        if k == n_slots:
            k = _free_slot(size, n_slots)
            n_slots = max(n_slots, k + 1)
            for j in range(d):
                state.means[j, k] = shrink * points[i, j] + spread * normal[n_new, j]
            n_new += 1
        z[i] = k
        size[k] += 1
    return n, n_slots


@helper
def _log_predictive(n_in, distance, d, sigma, rho):
    """Log density, without (2 pi)^(-d/2), of a point at ``distance`` from the posterior mean of n_in points."""
    variance = sigma + sigma * rho / (sigma + rho * n_in)
    return -0.5 * (d * math.log(variance) + distance / variance)


@helper
def _set_mean(state, total, k, sigma, rho):
    """Posterior mean of a cluster from the sum of its points."""
    shrink = rho / (sigma + rho * state.size[k])
    for j in range(total.shape[0]):
        state.means[j, k] = shrink * total[j, k]


@jit
def climb_neal(data, state, model, total, n_slots):
    """Move each point in turn where log p(x, z), means integrated out, is highest; returns how many moved.

    state.means holds the posterior means, and there is one slot more than are in use.
    total   IN/OUT (d, capacity) float64, sums of the points of each cluster
    n_slots IN slots in use
    """
    points, z, size = data.points, state.z, state.size
    n, d = points.shape
    alpha, sigma, rho = model
    distance = np.empty(size.shape[0])
    n_moved = 0
    for i in range(n):
        own = z[i]
        new = -0.5 * (d * math.log(rho + sigma) + data.norms[i] / (rho + sigma)) + math.log(alpha)
        _distances(points, i, state.means, n_slots, distance)
        best = own
        if size[own] == 1:
            value = new
        else:
            distance[own] = 0.0
            shrink = rho / (sigma + rho * (size[own] - 1))
            for j in range(d):
                apart = points[i, j] - shrink * (total[j, own] - points[i, j])
                distance[own] += apart * apart
            value = math.log(size[own] - 1) + _log_predictive(size[own] - 1, distance[own], d, sigma, rho)
        for k in range(n_slots):
            if k != own and size[k] > 0:
                other = math.log(size[k]) + _log_predictive(size[k], distance[k], d, sigma, rho)
                if other > value + _GAIN:
                    best, value = k, other
        if size[own] > 1 and new > value + _GAIN:
            free = _free_slot(size, n_slots)
            if free < size.shape[0]:
                best = free
                n_slots = max(n_slots, free + 1)
        if best != own:
            n_moved += 1
            z[i] = best
            size[own] -= 1
            size[best] += 1
            for j in range(d):
                total[j, own] -= points[i, j]
                total[j, best] = points[i, j] + (total[j, best] if size[best] > 1 else 0.0)
            _set_mean(state, total, own, sigma, rho)
            _set_mean(state, total, best, sigma, rho)
    return n_moved


@jit
def posterior_gaussian(points, means, variance, log_weight, member):
    """Probability of each of several spherical Gaussians.

    points     IN  (n, d) float64
    means      IN  (d, k) float64
    variance   IN  (k,) float64
    log_weight IN  (k,) float64
    member     OUT (n, k) float64
    """
    d, n_means = means.shape
    logs, constant = np.empty(n_means), np.empty(n_means)
    for k in range(n_means):
        constant[k] = log_weight[k] - 0.5 * d * math.log(variance[k])
    for i in range(points.shape[0]):
        _distances(points, i, means, n_means, logs)
        highest = -math.inf
        for k in range(n_means):
            logs[k] = constant[k] - 0.5 * logs[k] / variance[k]
            highest = max(highest, logs[k])
        total = 0.0
        for k in range(n_means):
            member[i, k] = math.exp(logs[k] - highest)
            total += member[i, k]
        for k in range(n_means):
            member[i, k] /= total


@jit
def log_density(points, means, variance, log_weight, out):
    """Log density of a mixture of spherical Gaussians.

    Arguments as in ``posterior_gaussian``; out OUT (n,) float64
    """
    d, n_means = means.shape
    logs, constant = np.empty(n_means), np.empty(n_means)
    for k in range(n_means):
        constant[k] = log_weight[k] - 0.5 * d * math.log(2.0 * math.pi * variance[k])
    for i in range(points.shape[0]):
        _distances(points, i, means, n_means, logs)
        highest = -math.inf
        for k in range(n_means):
            logs[k] = constant[k] - 0.5 * logs[k] / variance[k]
            highest = max(highest, logs[k])
        total = 0.0
        for k in range(n_means):
            total += math.exp(logs[k] - highest)
        out[i] = highest + math.log(total)
