"""Collapsed variational Bayes: one row after another, from the expected occupancy of all others (eqs. N34 to N36).

The update of a row is the Gibbs conditional with every number of objects replaced by its expectation (zero order), and
corrected by - var / (2 (x + mean)^2) for each log (second order). A row of weight w stands for w equal objects that
share one gamma; each of them leaves out itself alone, so that fixed points are those of the objects one by one.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

_RUN = 16  # factors multiplied before a log is taken: none is below 1e-12, so their product does not underflow


class CvbRows(NamedTuple):
    """Rows of labels and what does not change."""

    start: Any  # (n + 1,) int64, row i has labels start[i] to start[i + 1] - 1
    cells: Any  # (n_observed,) int32, place of each label among all labels of all clusterings
    columns: Any  # (n_observed,) int32, its clustering
    row_weights: Any  # (n,) float64
    clustering_weights: Any  # (m,) float64
    n_labels: Any  # (m,) float64


class CvbState(NamedTuple):
    """q(Z) and the expectations (and, for the second order, variances) of numbers of objects under it."""

    gamma: Any  # (n, K) float64
    size: Any  # (2, K) float64: mean, variance
    tail: Any  # (2, K) float64: of the objects in clusters k, k + 1, ...
    label_size: Any  # (2, n_cells, K) float64; objects with a label in a cluster; (1, ...) for the zero order
    observed: Any  # (2, m, K) float64; objects with any label of a clustering in a cluster; (1, ...) for the zero order


@jit
def sum_up_cvb(rows, state):
    """Expectations and variances again, from gamma."""
    n, K = state.gamma.shape
    nothing, row = np.empty(K), np.empty(K)
    change = np.empty((2, K))
    for k in range(K):
        nothing[k] = 0.0
        for order in range(2):
            state.size[order, k] = 0.0
            state.tail[order, k] = 0.0
    for order in range(state.label_size.shape[0]):
        for cell in range(state.label_size.shape[1]):
            for k in range(K):
                state.label_size[order, cell, k] = 0.0
        for j in range(state.observed.shape[1]):
            for k in range(K):
                state.observed[order, j, k] = 0.0
    for i in range(n):
        for k in range(K):
            row[k] = state.gamma[i, k]
        _replace(rows, state, i, nothing, row, change)


@helper
def _replace(rows, state, i, old, new, change):
    """Count row i with gamma ``new`` instead of ``old``; ``change`` is memory."""
    K = old.shape[0]
    weight = rows.row_weights[i]
    before, after = 0.0, 0.0
    for k in range(K - 1, -1, -1):
        before = min(before + old[k], 1.0)
        after = min(after + new[k], 1.0)
        change[0, k] = weight * (new[k] - old[k])
        change[1, k] = weight * (new[k] * (1.0 - new[k]) - old[k] * (1.0 - old[k]))
        state.size[0, k] += change[0, k]
        state.size[1, k] += change[1, k]
        state.tail[0, k] += weight * (after - before)
        state.tail[1, k] += weight * (after * (1.0 - after) - before * (1.0 - before))
    for order in range(state.label_size.shape[0]):
        for p in range(rows.start[i], rows.start[i + 1]):
            cell = rows.cells[p]
            j = rows.columns[p]
            for k in range(K):
                state.label_size[order, cell, k] += change[order, k]
            for k in range(K):
                state.observed[order, j, k] += change[order, k]


@helper
def _log(x, mean, variance):
    """E[log(x + N)] to the second order; variance 0 is the zero order."""
    value = x + max(mean, 0.0)
    return math.log(value) - max(variance, 0.0) / (2.0 * value * value)


@helper
def _prior(state, i, own, a0, K, sticks, second, logs):
    """Log prior of each cluster, without ``own`` of row i."""
    k_used = logs.shape[0]
    order = 1.0 if second else 0.0
    if not sticks:
        for k in range(k_used):
            g = state.gamma[i, k]
            logs[k] = _log(a0 / K, state.size[0, k] - own * g, order * (state.size[1, k] - own * g * (1.0 - g)))
        return
    rest = 0.0
    above = 0.0  # gamma of row i in clusters before k
    for k in range(k_used):
        g = state.gamma[i, k]
        t = max(1.0 - above, 0.0)  # gamma in clusters from k on
        u = max(t - g, 0.0)  # and after k
        if k == K - 1:
            logs[k] = rest
            return
        whole = _log(1.0 + a0, state.tail[0, k] - own * t, order * (state.tail[1, k] - own * t * (1.0 - t)))
        here = _log(1.0, state.size[0, k] - own * g, order * (state.size[1, k] - own * g * (1.0 - g)))
        logs[k] = rest + here - whole
        if k + 1 < k_used:
            after = _log(a0, state.tail[0, k + 1] - own * u, order * (state.tail[1, k + 1] - own * u * (1.0 - u)))
            rest += after - whole
        above += g


@helper
def _likelihood_products(rows, state, i, own, b, logs, product, out):
    """Add the zero-order log factors of the labels; of equal weights the ratios are multiplied before the log."""
    K = logs.shape[0]
    n_factors = 0
    for k in range(K):
        product[k] = 1.0
        out[k] = own * state.gamma[i, k]
    for p in range(rows.start[i], rows.start[i + 1]):
        cell = rows.cells[p]
        j = rows.columns[p]
        weight = rows.clustering_weights[j]
        whole = rows.n_labels[j] * b
        for k in range(K):  # rounding makes a number negative by 1e-10 at most, far less than b
            product[k] *= (b + state.label_size[0, cell, k] - out[k]) / (whole + state.observed[0, j, k] - out[k])
        n_factors += 1
        last = p + 1 == rows.start[i + 1]
        if n_factors == _RUN or last or rows.clustering_weights[rows.columns[p + 1]] != weight:
            for k in range(K):
                logs[k] += weight * math.log(product[k])
                product[k] = 1.0
            n_factors = 0


@helper
def _likelihood_second(rows, state, i, own, b, logs):
    """Add the log factors of the labels to the second order."""
    K = logs.shape[0]
    for p in range(rows.start[i], rows.start[i + 1]):
        cell = rows.cells[p]
        j = rows.columns[p]
        for k in range(K):
            g = state.gamma[i, k]
            spread = own * g * (1.0 - g)
            label = _log(b, state.label_size[0, cell, k] - own * g, state.label_size[1, cell, k] - spread)
            whole = _log(rows.n_labels[j] * b, state.observed[0, j, k] - own * g, state.observed[1, j, k] - spread)
            logs[k] += rows.clustering_weights[j] * (label - whole)


@jit
def sweep_cvb(rows, state, a0, b, K, sticks, rows_to_do, changes):
    """Update rows in the given order. Clusters beyond the columns of gamma, up to K, stay empty.

    K          IN int64, number of clusters of the model
    rows_to_do IN  (s,) int64
    changes    OUT (n,) float64, largest change of a probability of each of these rows
    """
    k_used = state.gamma.shape[1]
    second = state.label_size.shape[0] == 2
    logs, old, product, out = np.empty(k_used), np.empty(k_used), np.empty(k_used), np.empty(k_used)
    change = np.empty((2, k_used))
    for i in rows_to_do:
        own = min(rows.row_weights[i], 1.0)
        _prior(state, i, own, a0, K, sticks, second, logs)
        if second:
            _likelihood_second(rows, state, i, own, b, logs)
        else:
            _likelihood_products(rows, state, i, own, b, logs, product, out)
        highest = logs[0]
        for k in range(1, k_used):
            highest = max(highest, logs[k])
        total = 0.0
        for k in range(k_used):
            logs[k] = math.exp(logs[k] - highest)
            total += logs[k]
        largest = 0.0
        for k in range(k_used):
            old[k] = state.gamma[i, k]
            logs[k] /= total
            largest = max(largest, abs(logs[k] - old[k]))
            state.gamma[i, k] = logs[k]
        changes[i] = largest
        if largest > 0.0:
            _replace(rows, state, i, old, logs, change)
