"""Collapsed Gibbs sampling of Bayesian cluster ensembles: the cluster of every label of every object (eqs. M62 to M64).

Equal rows of labels are listed once; every object has draws of its own, and names its row. Random numbers come from the
caller.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit


class DrawnRows(NamedTuple):
    """Rows of labels, and the objects that have them."""

    start: Any  # (n_rows + 1,) int64, row r has labels start[r] to start[r + 1] - 1
    cells: Any  # (n_observed,) int32, place of each label among all labels of all clusterings
    columns: Any  # (n_observed,) int32, its clustering
    weights: Any  # (m,) float64, u of each clustering
    n_labels: Any  # (m,) float64, labels of each clustering
    row_of: Any  # (n,) int64, row of each object
    first: Any  # (n,) int64, place of each object's first label in z


class DrawnLabels(NamedTuple):
    """Clusters of the labels, and how many they hold."""

    z: Any  # (n_drawn,) int64, cluster of each label of each object
    counts: Any  # (n, k) float64, weight of the labels of each object in each cluster
    label_size: Any  # (n_cells, k) float64, objects whose label is in the cluster
    total: Any  # (m, k) float64, the same over all labels of a clustering


@helper
def _count(rows, state, p, cluster, sign):
    """Add a label to a cluster (sign 1), or take it out (-1)."""
    state.label_size[rows.cells[p], cluster] += sign
    state.total[rows.columns[p], cluster] += sign


@helper
def _log_label(rows, state, beta, p, h):
    """Log probability of a label in cluster h, given the other labels there."""
    j = rows.columns[p]
    return math.log((state.label_size[rows.cells[p], h] + beta) / (state.total[j, h] + beta * rows.n_labels[j]))


@helper
def _draw(share, k, uniform):
    """The first cluster at which the cumulative sum of the shares exceeds this part of their sum."""
    total = 0.0
    for h in range(k):
        total += share[h]
    target, last = uniform * total, 0
    for h in range(k):
        if share[h] > 0.0:
            last = h
            target -= share[h]
            if target < 0.0:
                break
    return last


@helper
def _exponentiate(logs, k):
    """exp(log - largest log), in place; 0 for minus infinity."""
    highest = -np.inf
    for h in range(k):
        highest = max(highest, logs[h])
    for h in range(k):
        logs[h] = math.exp(logs[h] - highest)


@helper
def _draw_label(rows, state, alpha, beta, i, p, share, uniform):
    """Cluster of one label, given all others (eq. M63)."""
    k, j = alpha.shape[0], rows.columns[p]
    u = rows.weights[j]
    if u == 1.0:
        extra = beta * rows.n_labels[j]
        for h in range(k):
            of_label = (state.label_size[rows.cells[p], h] + beta) / (state.total[j, h] + extra)
            share[h] = (alpha[h] + state.counts[i, h]) * of_label
    else:
        for h in range(k):
            held = alpha[h] + state.counts[i, h]
            share[h] = math.lgamma(held + u) - math.lgamma(held) + u * _log_label(rows, state, beta, p, h)
        _exponentiate(share, k)
    return _draw(share, k, uniform)


@helper
def _count_object(rows, state, i):
    """Weight of the labels of object i in each cluster."""
    row, first = rows.row_of[i], rows.first[i]
    for h in range(state.counts.shape[1]):
        state.counts[i, h] = 0.0
    for p in range(rows.start[row], rows.start[row + 1]):
        state.counts[i, state.z[first + p - rows.start[row]]] += rows.weights[rows.columns[p]]


@helper
def _draw_group(rows, state, alpha, beta, i, of_label, share, uniform):
    """Move all labels of object i that share a cluster to one that its other labels are not in (eq. M64)."""
    row, first, k = rows.row_of[i], rows.first[i], alpha.shape[0]
    low, high = rows.start[row], rows.start[row + 1]
    own = state.z[first + min(int(of_label * (high - low)), high - low - 1)]
    weight = state.counts[i, own]
    for h in range(k):
        share[h] = math.lgamma(alpha[h] + weight) - math.lgamma(alpha[h])
    for p in range(low, high):
        cluster = state.z[first + p - low]
        if cluster != own:
            share[cluster] = -np.inf
        else:
            _count(rows, state, p, own, -1.0)
            for h in range(k):
                share[h] += rows.weights[rows.columns[p]] * _log_label(rows, state, beta, p, h)
    _exponentiate(share, k)
    new = _draw(share, k, uniform)
    for p in range(low, high):
        if state.z[first + p - low] == own:
            state.z[first + p - low] = new
            _count(rows, state, p, new, 1.0)
    state.counts[i, own] = 0.0
    state.counts[i, new] = weight


@jit
def count_labels(rows, state):
    """Fill all tables from z; they must be 0."""
    for i in range(rows.row_of.shape[0]):
        row = rows.row_of[i]
        for p in range(rows.start[row], rows.start[row + 1]):
            _count(rows, state, p, state.z[rows.first[i] + p - rows.start[row]], 1.0)
        _count_object(rows, state, i)


@jit
def sweep_labels(rows, alpha, beta, of_labels, of_groups, state):
    """Draw the cluster of every label of every object, and then move one group of labels of each object.

    alpha     IN     (k,) float64
    beta      IN     float64
    of_labels IN     (n_drawn,) float64, uniform random numbers
    of_groups IN     (n, 2) float64, the same
    state     IN/OUT
    """
    share = np.empty(alpha.shape[0])
    for i in range(rows.row_of.shape[0]):
        row, first = rows.row_of[i], rows.first[i]
        low, high = rows.start[row], rows.start[row + 1]
        for p in range(low, high):
            place = first + p - low
            u, old = rows.weights[rows.columns[p]], state.z[place]
            _count(rows, state, p, old, -1.0)
            state.counts[i, old] = max(state.counts[i, old] - u, 0.0)  # a difference of sums may be slightly below 0
            new = _draw_label(rows, state, alpha, beta, i, p, share, of_labels[place])
            _count(rows, state, p, new, 1.0)
            state.counts[i, new] += u
            state.z[place] = new
        _count_object(rows, state, i)  # anew: what fractions add and take away must not add up to an error
        _draw_group(rows, state, alpha, beta, i, of_groups[i, 0], share, of_groups[i, 1])
