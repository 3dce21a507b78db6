"""The climb after sampling: single objects move, and small clusters are dissolved, as long as log p(Y, Z) rises.

Z is numbered by decreasing size, as labels are handed out: the prior of sticks depends on their order (eq. N18).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

_GAIN = 1e-9  # least rise that counts: less is rounding, and objects could move back and forth
_ROUNDS = 100  # limit of the passes over all objects, and of the clusters dissolved; both end long before it


class ClimbState(NamedTuple):
    """Clusters of the objects, and what follows from them."""

    z: Any  # (n,) int64
    size: Any  # (K,) int64
    label_size: Any  # (n_cells, K) int64
    observed: Any  # (m, K) int64
    sorted: Any  # (K,) int64, sizes in decreasing order
    terms: Any  # (3, n + 1) float64, what a number of objects contributes to log p(Z)


@helper
def _fill_terms(terms, a0, K, sticks):
    """Sticks: log Gamma of 1 + n, a0 + n, 1 + a0 + n; else the log of Gamma(a0 / K + n) / Gamma(a0 / K)."""
    for number in range(terms.shape[1]):
        if sticks:
            terms[0, number] = math.lgamma(1.0 + number) + math.log(a0)
            terms[1, number] = math.lgamma(a0 + number)
            terms[2, number] = math.lgamma(1.0 + a0 + number)
        else:
            terms[0, number] = math.lgamma(a0 / K + number) - math.lgamma(a0 / K)


@helper
def _log_prior(state, sticks):
    """Log p(Z) up to a constant, eqs. N6 and N7, from the sizes in decreasing order."""
    K, left, value = state.size.shape[0], state.z.shape[0], 0.0
    for h in range(K):
        size = state.sorted[h]
        if size == 0 or (sticks and h == K - 1):
            break
        value += state.terms[0, size]
        if sticks:
            value -= state.terms[2, left]
            left -= size
            value += state.terms[1, left]
    return value


@helper
def _resize(state, size, change):
    """Change one of the sorted sizes by 1, so that they stay sorted."""
    place = 0
    if change > 0:  # the first of equal ones
        while state.sorted[place] > size:
            place += 1
    else:  # the last of them
        while place + 1 < state.sorted.shape[0] and state.sorted[place + 1] >= size:
            place += 1
    state.sorted[place] += change


@helper
def _count(rows, state):
    K = state.size.shape[0]
    for c in range(K):
        state.size[c] = 0
        state.sorted[c] = 0
        for cell in range(state.label_size.shape[0]):
            state.label_size[cell, c] = 0
        for j in range(state.observed.shape[0]):
            state.observed[j, c] = 0
    for i in range(state.z.shape[0]):
        _add(rows, state, i, state.z[i], 1)


@helper
def _add(rows, state, i, c, change):
    """Count an object in or out of a cluster."""
    row = rows.row_of[i]
    _resize(state, state.size[c], change)
    state.size[c] += change
    for p in range(rows.start[row], rows.start[row + 1]):
        state.label_size[rows.cells[p], c] += change
        state.observed[rows.columns[p], c] += change


@helper
def _value_of(rows, logs, state, i, c, sticks):
    """Log p(Y, Z) up to a constant if object i, which is in no cluster, were in c."""
    row, value = rows.row_of[i], 0.0
    for p in range(rows.start[row], rows.start[row + 1]):
        j = rows.columns[p]
        of_total = logs.total[rows.group[j], state.observed[j, c]]
        value += rows.clustering_weights[j] * (logs.label[state.label_size[rows.cells[p], c]] - of_total)
    _resize(state, state.size[c], 1)
    value += _log_prior(state, sticks)
    _resize(state, state.size[c] + 1, -1)
    return value


@helper
def _best_cluster(rows, logs, state, i, own, closed, sticks):
    """The best cluster of an object, its own unless another is clearly better; ``closed`` is left out (-1: none)."""
    best, highest, empty_seen = own, -math.inf, False
    if own != closed:
        highest = _value_of(rows, logs, state, i, own, sticks) + _GAIN
        empty_seen = state.size[own] == 0  # it was alone: any other empty cluster is the same
    for c in range(state.size.shape[0]):
        if c in (own, closed) or (state.size[c] == 0 and (empty_seen or closed >= 0)):
            continue
        empty_seen = empty_seen or state.size[c] == 0
        value = _value_of(rows, logs, state, i, c, sticks)
        if value > highest:
            best, highest = c, value
    return best


@helper
def _rise(rows, logs, state, sticks, stop):
    """Move single objects until none gains."""
    for _ in range(_ROUNDS):
        n_moved = 0
        for i in range(state.z.shape[0]):
            if stop[0] != 0:
                return
            own = state.z[i]
            _add(rows, state, i, own, -1)
            state.z[i] = _best_cluster(rows, logs, state, i, own, np.int64(-1), sticks)
            _add(rows, state, i, state.z[i], 1)
            n_moved += 1 if state.z[i] != own else 0
        if n_moved == 0:
            break


@helper
def _dissolve(rows, logs, state, cluster, sticks):
    """Move every object of a cluster to the best of the other ones."""
    for i in range(state.z.shape[0]):
        if state.z[i] == cluster:
            _add(rows, state, i, cluster, -1)
            state.z[i] = _best_cluster(rows, logs, state, i, cluster, cluster, sticks)
            _add(rows, state, i, state.z[i], 1)


@helper
def _log_joint(rows, logs, state, sticks):
    value = _log_prior(state, sticks)
    for c in range(state.size.shape[0]):
        if state.size[c] > 0:
            for cell in range(state.label_size.shape[0]):
                value += rows.cell_weights[cell] * logs.sum_label[state.label_size[cell, c]]
            for j in range(state.observed.shape[0]):
                value -= rows.clustering_weights[j] * logs.sum_total[rows.group[j], state.observed[j, c]]
    return value


@helper
def _next_small(state, tried, limit):
    """The smallest cluster below ``limit`` objects that was not tried and is not the only one, or -1."""
    best = -1
    for c in range(state.size.shape[0]):
        if 0 < state.size[c] < min(limit, state.z.shape[0]) and not tried[c]:
            best = c if best < 0 or state.size[c] < state.size[best] else best
    return best


@jit
def climb(rows, logs, z, n_clusters, a0, sticks, small, stop):
    """Climb from an assignment, in place.

    n_clusters IN (int)   K
    small      IN (float) number of objects below which dissolving a cluster is tried
    stop       IN (1,) uint8, not 0 as soon as it is to return, whatever is done by then
    """
    n, K = z.shape[0], n_clusters
    shape = logs.label.shape[0]
    tables = (
        np.empty((rows.cell_weights.shape[0], K), dtype=np.int64),
        np.empty((rows.group.shape[0], K), dtype=np.int64),
    )
    sizes = np.empty(K, dtype=np.int64), np.empty(K, dtype=np.int64)
    state = ClimbState(z, sizes[0], tables[0], tables[1], sizes[1], np.empty((3, shape)))
    _fill_terms(state.terms, a0, K, sticks)
    _count(rows, state)
    _rise(rows, logs, state, sticks, stop)
    kept, tried = z.copy(), np.zeros(K, dtype=np.bool_)
    highest = _log_joint(rows, logs, state, sticks)
    for _ in range(_ROUNDS):
        cluster = _next_small(state, tried, small)
        if cluster < 0 or stop[0] != 0:
            break
        tried[cluster] = True
        _dissolve(rows, logs, state, cluster, sticks)
        _rise(rows, logs, state, sticks, stop)
        value = _log_joint(rows, logs, state, sticks)
        rises = value > highest + _GAIN * abs(highest)
        highest = value if rises else highest
        for i in range(n):
            kept[i] = z[i] if rises else kept[i]
            z[i] = kept[i]
        if rises:
            for c in range(K):
                tried[c] = False
        else:
            _count(rows, state)
