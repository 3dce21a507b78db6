"""Collapsed Gibbs sampling of a Dirichlet-process mixture over rows of labels (eqs. N10 to N14).

The log factors of the conditional are kept in tables, one entry per label and cluster, and change only when an object
moves to another cluster. So an object costs one pass over the rows of the table that its labels point to; its own
cluster, from which it must first be removed, is computed apart.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

_NEGLIGIBLE = -50.0  # log of a share of probability that no draw of 53 bits can hit
GAIN = 1e-10  # least rise of a log probability in a climb: less is rounding, and objects could move back and forth


class GibbsRows(NamedTuple):
    """Objects, and logs of everything that a number of objects can become."""

    start: Any  # (n + 1,) int64, object i has labels start[i] to start[i + 1] - 1
    cells: Any  # (n_observed,) int32, place of each label among all labels of all clusterings
    columns: Any  # (n_observed,) int32, its clustering
    clustering_weights: Any  # (m,) float64
    log_label: Any  # (n + 2,) float64, log(beta + number)
    log_total: Any  # (groups, n + 2) float64, log(J beta + number) for every number J of labels that occurs
    group: Any  # (m,) int64, which of them


class GibbsState(NamedTuple):
    """Clusters of the objects, and what follows from them."""

    z: Any  # (n,) int64
    size: Any  # (K,) int64
    label_size: Any  # (n_cells, K) int64, objects with a label in a cluster
    observed: Any  # (m, K) int64, objects with any label of a clustering in a cluster
    numerator: Any  # (n_cells, K) float64, weighted log(beta + label_size)
    denominator: Any  # (m, K) float64, weighted log(J beta + observed)
    total: Any  # (K,) float64, sum of the denominators over all clusterings


@jit
def rebuild(rows, state):
    """Make everything again from z."""
    n, K, m = state.z.shape[0], state.size.shape[0], rows.clustering_weights.shape[0]
    weight_of = np.empty(state.label_size.shape[0])
    for k in range(K):
        state.size[k] = 0
    for cell in range(state.label_size.shape[0]):
        weight_of[cell] = 0.0
        for k in range(K):
            state.label_size[cell, k] = 0
    for j in range(m):
        for k in range(K):
            state.observed[j, k] = 0
    for i in range(n):
        k = state.z[i]
        state.size[k] += 1
        for p in range(rows.start[i], rows.start[i + 1]):
            state.label_size[rows.cells[p], k] += 1
            state.observed[rows.columns[p], k] += 1
            weight_of[rows.cells[p]] = rows.clustering_weights[rows.columns[p]]
    for cell in range(state.label_size.shape[0]):
        for k in range(K):
            state.numerator[cell, k] = weight_of[cell] * rows.log_label[state.label_size[cell, k]]
    for k in range(K):
        state.total[k] = 0.0
        for j in range(m):
            state.denominator[j, k] = rows.clustering_weights[j] * rows.log_total[rows.group[j], state.observed[j, k]]
            state.total[k] += state.denominator[j, k]


@helper
def _set(rows, state, p, k, change):
    """Count label p of an object in or out of cluster k."""
    cell = rows.cells[p]
    j = rows.columns[p]
    state.label_size[cell, k] += change
    state.observed[j, k] += change
    state.numerator[cell, k] = rows.clustering_weights[j] * rows.log_label[state.label_size[cell, k]]
    state.denominator[j, k] = rows.clustering_weights[j] * rows.log_total[rows.group[j], state.observed[j, k]]


@helper
def _move(rows, state, i, old, new):
    """Move object i, and renew the entries of both clusters."""
    state.z[i] = new
    state.size[old] -= 1
    state.size[new] += 1
    for p in range(rows.start[i], rows.start[i + 1]):
        _set(rows, state, p, old, -1)
        _set(rows, state, p, new, 1)
    for k in (old, new):
        state.total[k] = 0.0
        for j in range(rows.clustering_weights.shape[0]):
            state.total[k] += state.denominator[j, k]


@helper
def _log_likelihoods(rows, state, i, top, logs):
    """Log predictive of the labels of object i in clusters 0 to top - 1 without it; returns that of an empty one."""
    first, last = rows.start[i], rows.start[i + 1]
    complete = last - first == rows.clustering_weights.shape[0]
    empty = 0.0
    own = 0.0
    k_own = state.z[i]
    for k in range(top):
        logs[k] = -state.total[k] if complete else 0.0
    for p in range(first, last):
        cell = rows.cells[p]
        j = rows.columns[p]
        for k in range(top):
            logs[k] += state.numerator[cell, k]
        if not complete:
            for k in range(top):
                logs[k] -= state.denominator[j, k]
        w = rows.clustering_weights[j]
        g = rows.group[j]
        empty += w * (rows.log_label[0] - rows.log_total[g, 0])
        own += w * (rows.log_label[state.label_size[cell, k_own] - 1] - rows.log_total[g, state.observed[j, k_own] - 1])
    logs[k_own] = own
    return empty


@helper
def _priors(state, k_own, top, a0, sticks, prior):
    """Prior weights of clusters 0 to top - 1 without one object of k_own; returns that of all others together.

    Finite symmetric Dirichlet: empty clusters are equal, so all of them are "others".
    Stick breaking: every label has its own weight, and the others are those from ``top`` on.
    """
    K = state.size.shape[0]
    if not sticks:
        occupied = 0
        for k in range(top):
            size = state.size[k] - (1 if k == k_own else 0)
            prior[k] = size + a0 / K if size > 0 else 0.0
            occupied += 1 if size > 0 else 0
        return (K - occupied) * a0 / K
    rest = 1.0
    beyond = state.z.shape[0] - 1  # objects in this cluster and those after it
    for k in range(top):
        size = state.size[k] - (1 if k == k_own else 0)
        whole = 1.0 + a0 + beyond
        beyond -= size
        if k == K - 1:
            prior[k] = rest
            rest = 0.0
        else:
            prior[k] = rest * (1.0 + size) / whole
            rest *= (a0 + beyond) / whole
    return rest


@helper
def _label_of_new(state, k_own, top, a0, sticks, share):
    """Label of a cluster without other objects; ``share`` in [0, 1) decides between those from ``top`` on (sticks)."""
    K = state.size.shape[0]
    if not sticks:  # labels are exchangeable, and the lowest keeps the occupied ones together
        if state.size[k_own] == 1:
            return k_own
        for k in range(K):
            if state.size[k] == 0:
                return k
        return K - 1
    skipped = math.floor(math.log1p(-share) / math.log(a0 / (1.0 + a0)))
    return min(top + int(skipped), K - 1)


@jit
def conditional(rows, state, i, a0, sticks, out):
    """p(z_i = k | all others) for all K clusters; the empty ones share equally (finite symmetric Dirichlet)."""
    K = state.size.shape[0]
    logs, prior = np.empty(K), np.empty(K)
    empty = _log_likelihoods(rows, state, i, K, logs)
    _priors(state, state.z[i], K, a0, sticks, prior)
    if not sticks:
        for k in range(K):
            if prior[k] == 0.0:
                prior[k] = a0 / K
                logs[k] = empty
    highest = logs[0]
    for k in range(1, K):
        highest = max(highest, logs[k])
    total = 0.0
    for k in range(K):
        out[k] = prior[k] * math.exp(logs[k] - highest)
        total += out[k]
    for k in range(K):
        out[k] /= total


@helper
def _draw(state, k_own, prior, logs, top, others, empty, a0, sticks, uniform):
    """Draw a cluster."""
    highest = empty if others > 0.0 else -math.inf
    for k in range(top):
        if prior[k] > 0.0:
            highest = max(highest, logs[k])
    sum_inside = 0.0
    for k in range(top):
        below = logs[k] - highest
        logs[k] = prior[k] * math.exp(below) if below > _NEGLIGIBLE and prior[k] > 0.0 else 0.0
        sum_inside += logs[k]
    outside = others * math.exp(empty - highest) if others > 0.0 else 0.0
    left = uniform * (sum_inside + outside)
    for k in range(top):
        left -= logs[k]
        if left < 0.0:
            return k
    if outside > 0.0:
        return _label_of_new(state, k_own, top, a0, sticks, min(max(left / outside, 0.0), 1.0 - 1e-16))
    best = 0
    for k in range(top):
        if logs[k] > logs[best]:
            best = k
    return best


@helper
def _climb(state, k_own, prior, logs, top, others, empty, a0, sticks):
    """The best cluster, the own one unless another is clearly better."""
    K = state.size.shape[0]
    best = k_own
    value = logs[k_own] + math.log(prior[k_own]) if prior[k_own] > 0.0 else empty + math.log(a0 / K)
    for k in range(top):
        if prior[k] > 0.0:
            candidate = logs[k] + math.log(prior[k])
            if candidate > value + GAIN:
                best, value = k, candidate
    if others > 0.0 and (sticks or state.size[k_own] > 1):
        one = a0 / K
        new = K - 1
        if sticks:  # the weights of empty sticks fall from ``top`` on, but the last one takes all that is left
            one = others * (a0 / (1.0 + a0)) ** (K - 1 - top)
            if top < K - 1 and others / (1.0 + a0) >= one:
                one = others / (1.0 + a0)
                new = top
        if empty + math.log(one) > value + GAIN:
            return new if sticks else _label_of_new(state, k_own, top, a0, sticks, 0.0)
    return best


@jit
def sweep_gibbs(rows, state, a0, sticks, climb, uniform):
    """Draw the cluster of every object in turn, or with ``climb`` move each to its best; returns how many moved.

    a0      IN (float)  concentration
    sticks  IN (bool)   truncated stick breaking; else finite symmetric Dirichlet
    uniform IN (n,) float64, random numbers in [0, 1)
    """
    n, K = state.z.shape[0], state.size.shape[0]
    logs, prior = np.empty(K), np.empty(K)
    top = 0
    for k in range(K):
        if state.size[k] > 0:
            top = k + 1
    n_moved = 0
    for i in range(n):
        k_own = state.z[i]
        empty = _log_likelihoods(rows, state, i, top, logs)
        others = _priors(state, k_own, top, a0, sticks, prior)
        if climb:
            k_new = _climb(state, k_own, prior, logs, top, others, empty, a0, sticks)
        else:
            k_new = _draw(state, k_own, prior, logs, top, others, empty, a0, sticks, uniform[i])
        if k_new != k_own:
            _move(rows, state, i, k_own, k_new)
            n_moved += 1
            top = max(top, k_new + 1)
            while state.size[top - 1] == 0:
                top -= 1
    return n_moved


@jit
def dissolve(rows, state, cluster, a0, sticks):
    """Move every object of a cluster to the best of the other occupied ones."""
    n, K = state.z.shape[0], state.size.shape[0]
    logs, prior = np.empty(K), np.empty(K)
    for i in range(n):
        if state.z[i] != cluster:
            continue
        _log_likelihoods(rows, state, i, K, logs)
        _priors(state, cluster, K, a0, sticks, prior)
        best = -1
        value = -math.inf
        for k in range(K):
            if k != cluster and state.size[k] > 0:
                candidate = logs[k] + math.log(prior[k])
                if candidate > value:
                    best, value = k, candidate
        if best >= 0:
            _move(rows, state, i, cluster, best)


@helper
def _log_sticks(size, a0, first, last, beyond):
    """Terms first to last of log p(Z) under stick breaking; ``beyond`` objects are in clusters from first on."""
    value = 0.0
    for k in range(first, min(last + 1, size.shape[0] - 1)):
        whole = beyond
        beyond -= size[k]
        value += math.lgamma(1.0 + size[k]) + math.lgamma(a0 + beyond) - math.lgamma(1.0 + a0 + whole)
    return value


@jit
def swap_labels(size, a0, pairs, log_uniform, place):
    """Metropolis moves that swap the labels of two clusters; the likelihood does not change.

    size        IN/OUT (K,) int64
    pairs       IN  (s, 2) int64, first < second
    log_uniform IN  (s,) float64
    place       OUT (K,) int64, new label of each cluster
    """
    K = size.shape[0]
    at = np.empty(K, dtype=np.int64)  # cluster that now has each label
    for k in range(K):
        at[k] = k
    for s in range(pairs.shape[0]):
        a, b = pairs[s, 0], pairs[s, 1]
        if size[a] == 0 and size[b] == 0:
            continue
        beyond = 0
        for k in range(a, K):
            beyond += size[k]
        before = _log_sticks(size, a0, a, b, beyond)
        size[a], size[b] = size[b], size[a]
        if log_uniform[s] < _log_sticks(size, a0, a, b, beyond) - before:
            at[a], at[b] = at[b], at[a]
        else:
            size[a], size[b] = size[b], size[a]
    for k in range(K):
        place[at[k]] = k
