"""E-step of mixtures over rows of labels, by table look-up: one posterior per row over k components."""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

_NEGLIGIBLE = 1e-20  # posterior that adds nothing to a sum of posteriors: with many clusterings most are


class MixtureRows(NamedTuple):
    """Rows of labels, listed one after another, so that none is missing."""

    start: Any  # (n + 1,) int64, row i has labels start[i] to start[i + 1] - 1
    cells: Any  # (n_observed,) int32, place of each label among all labels of all clusterings
    row_weights: Any  # (n,) float64, weight of each row


@helper
def _log_sums(rows, table, log_weight, i, logs):
    """Log weight of each component times what it gives to row i; returns the largest."""
    k = logs.shape[0]
    for h in range(k):
        logs[h] = log_weight[h]
    for p in range(rows.start[i], rows.start[i + 1]):
        cell = rows.cells[p]
        for h in range(k):
            logs[h] += table[cell, h]
    highest = logs[0]
    for h in range(1, k):
        highest = max(highest, logs[h])
    return highest


@jit
def posterior(rows, table, log_weight, lo, hi, membership, log_likelihood):
    """Posterior of rows lo to hi - 1 over the components.

    table          IN  (n_cells, k) float64, log probability of each label
    log_weight     IN  (k,) float64
    membership     OUT (hi - lo, k) float64
    log_likelihood OUT (hi - lo,) float64
    """
    k = log_weight.shape[0]
    logs = np.empty(k)
    for i in range(lo, hi):
        highest = _log_sums(rows, table, log_weight, i, logs)
        total = 0.0
        for h in range(k):
            logs[h] = math.exp(logs[h] - highest)
            total += logs[h]
        for h in range(k):
            membership[i - lo, h] = logs[h] / total
        log_likelihood[i - lo] = highest + math.log(total)


@jit
def expect_mixture(rows, table, log_weight, lo, hi, mass, label_mass):
    """Add up the posterior of rows lo to hi - 1; returns their log-likelihood.

    mass       OUT (k,) float64, added to: weight of each component
    label_mass OUT (n_cells, k) float64, added to: weight of each label in each component
    """
    k = log_weight.shape[0]
    logs, kept = np.empty(k), np.empty(k, dtype=np.int64)
    log_likelihood = 0.0
    for i in range(lo, hi):
        highest = _log_sums(rows, table, log_weight, i, logs)
        total = 0.0
        for h in range(k):
            logs[h] = math.exp(logs[h] - highest)
            total += logs[h]
        scale = rows.row_weights[i] / total
        n_kept = 0
        for h in range(k):
            r = logs[h] * scale
            if logs[h] > _NEGLIGIBLE:
                mass[h] += r
                logs[n_kept], kept[n_kept] = r, h
                n_kept += 1
        for p in range(rows.start[i], rows.start[i + 1]):
            cell = rows.cells[p]
            for q in range(n_kept):
                label_mass[cell, kept[q]] += logs[q]
        log_likelihood += rows.row_weights[i] * (highest + math.log(total))
    return log_likelihood
