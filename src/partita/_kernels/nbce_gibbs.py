"""Sampling partitions of a Dirichlet-process mixture over rows of labels: one compiled loop (eqs. N45 to N50).

A sweep moves objects between slots (``nbce_moves.py``); which stick each cluster has is drawn at its end.
"""

import math

import numpy as np

from partita._kernels import nbce_moves, nbce_tables
from partita._kernels._jit import helper, jit_over
from partita._kernels.nbce_moves import change_pair, draw_objects, share_rows
from partita._kernels.nbce_tables import ALPHA0, count, log_adding, tabulate, uniform
from partita._kernels.nbce_types import PartitionScratch


@jit_over(nbce_tables)
def rebuild(rows, logs, state):
    """Make logs and tables from beta and z."""
    tabulate(rows, logs, state)
    count(rows, logs, state)


# -------------------------------------------------------------------------------------------------- sticks, eq. N50
@helper
def _draw_labels(state):
    """Draw the stick of every cluster, one stick after another, into ``state.label``."""
    K, a0 = state.size.shape[0], state.values[ALPHA0]
    n_left, left = state.counts[0], state.z.shape[0]
    for c in range(state.counts[1]):
        state.label[c] = -1 if state.size[c] > 0 else K
    for h in range(K):
        if n_left == 0:
            return
        empty = 0.0 if n_left >= K - h else a0  # no stick to spare
        place = uniform(state.random) * (left + empty) - empty
        if place < 0.0:
            continue
        chosen = -1
        for c in range(state.counts[1]):
            if state.label[c] < 0:
                chosen = c
                place -= state.size[c]
                if place < 0.0:
                    break
        state.label[chosen] = h
        left -= state.size[chosen]
        n_left -= 1


@helper
def _order_by_label(state, scratch):
    """Sizes of the clusters by stick; returns the last one that has objects."""
    last = 0
    for h in range(state.size.shape[0]):
        scratch.by_label[h] = 0
    for c in range(state.counts[1]):
        if state.size[c] > 0:
            scratch.by_label[state.label[c]] = state.size[c]
            last = max(last, state.label[c])
    return last


@helper
def _order_by_size(state, scratch):
    """The same with the largest cluster first."""
    n_sorted = 0
    for c in range(state.counts[1]):
        if state.size[c] > 0:
            h = n_sorted
            while h > 0 and scratch.by_label[h - 1] < state.size[c]:
                scratch.by_label[h] = scratch.by_label[h - 1]
                h -= 1
            scratch.by_label[h] = state.size[c]
            n_sorted += 1
    return n_sorted - 1


@helper
def _log_excess(state, scratch, last):
    """Log of p(Z) with K sticks over p(Z) without limit, times the chance of its labels there over that of the draw."""
    K, a0 = state.size.shape[0], state.values[ALPHA0]
    value, left, n_left = 0.0, np.float64(state.z.shape[0]), state.counts[0]
    for h in range(last + 1):
        if n_left >= K - h:
            value += math.log(left / (left + a0))
        if h == K - 1:
            value += math.lgamma(1.0 + a0 + left) - math.lgamma(1.0 + left) - math.lgamma(1.0 + a0)
        left -= scratch.by_label[h]
        n_left -= 1 if scratch.by_label[h] > 0 else 0
    return value


@helper
def _log_prior(state, scratch, last, sticks):
    """Log p(Z), eqs. N6 and N7; sticks: sizes in ``by_label``."""
    K, a0, n = state.size.shape[0], state.values[ALPHA0], state.z.shape[0]
    value = 0.0
    if not sticks:
        for c in range(state.counts[1]):
            value += math.lgamma(a0 / K + state.size[c]) - math.lgamma(a0 / K)
        return value + math.lgamma(a0) - math.lgamma(a0 + n)
    left = np.float64(n)
    for h in range(min(last + 1, K - 1)):
        value += math.lgamma(1.0 + scratch.by_label[h]) - math.lgamma(1.0 + a0 + left) + math.log(a0)
        left -= scratch.by_label[h]
        value += math.lgamma(a0 + left)
    return value


@helper
def _log_likelihood(rows, logs, state):
    """Log p(Y | Z), eq. N5."""
    value = 0.0
    for c in range(state.counts[1]):
        if state.size[c] > 0:
            for cell in range(state.label_size.shape[0]):
                value += rows.cell_weights[cell] * logs.sum_label[state.label_size[cell, c]]
            for j in range(state.observed.shape[0]):
                value -= rows.clustering_weights[j] * logs.sum_total[rows.group[j], state.observed[j, c]]
    return value


# ----------------------------------------------------------------------------------------------------------- the loop
@helper
def _make_scratch(rows, logs, state):
    n, K, n_cells, m = state.z.shape[0], state.size.shape[0], state.label_size.shape[0], state.observed.shape[0]
    empty = np.empty(rows.first.shape[0] - 1)
    for row in range(empty.shape[0]):
        empty[row] = log_adding(rows, logs, state, row, np.int64(-1), 0)
    return PartitionScratch(
        empty,
        np.empty(K + 1),
        np.empty(K + 1),
        np.empty(K + 1),
        np.empty(K + 1, dtype=np.int64),
        np.empty(K + 1, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty((n_cells, 2), dtype=np.int64),
        np.empty((m, 2), dtype=np.int64),
        np.empty(2, dtype=np.int64),
        np.empty((n_cells, 2)),
        np.empty((m, 2)),
        np.empty(2),
        np.empty((2, n + 1)),
        np.empty(K, dtype=np.int64),
    )


@helper
def _keep(state, old_z, old_label):
    """Remember the partition and its sticks."""
    for i in range(old_z.shape[0]):
        old_z[i] = state.z[i]
    for c in range(old_label.shape[0]):
        old_label[c] = state.label[c]


@helper
def _draw_sticks(rows, logs, state, scratch, old_z, old_label, log_excess):
    """Draw the sticks, and accept them with the partition or go back to both before the sweep; returns the last one."""
    _draw_labels(state)
    last = _order_by_label(state, scratch)
    if math.log1p(-uniform(state.random)) < _log_excess(state, scratch, last) - log_excess:
        return last
    for i in range(old_z.shape[0]):
        state.z[i] = old_z[i]
    for c in range(old_label.shape[0]):
        state.label[c] = old_label[c]
    count(rows, logs, state)
    return _order_by_label(state, scratch)


@helper
def _trace_sweep(rows, logs, state, scratch, last, sticks, trace, t):
    """Fill a row of the trace."""
    trace[t, 1] = state.counts[0]
    trace[t, 2] = _log_likelihood(rows, logs, state)
    trace[t, 0] = trace[t, 2] + _log_prior(state, scratch, last, sticks)
    trace[t, 3] = trace[t, 2] + _log_prior(state, scratch, _order_by_size(state, scratch), sticks)


@jit_over(nbce_tables, nbce_moves)
def sweep_partition(rows, logs, state, plan, trace, best_z, stop):
    """Sweep as often as ``trace`` has rows.

    The moves are made in one order or its reverse, each half of the time, so that all of them together are reversible.

    trace   OUT (n_sweeps, 4) float64: log p(Y, Z), clusters, log p(Y | Z), log p(Y, Z) numbered by size
    best_z  IN/OUT (n,) int64, slots of the sweep with the highest of the last
    stop    IN (1,) uint8, not 0 as soon as it is to return, whatever is done by then
    returns that value
    """
    n, sticks, highest, last, log_excess = state.z.shape[0], plan.sticks, -math.inf, 0, 0.0
    scratch = _make_scratch(rows, logs, state)
    old_z, old_label = np.empty(n, dtype=np.int64), np.empty(state.size.shape[0], dtype=np.int64)
    for t in range(trace.shape[0]):
        if sticks:
            _keep(state, old_z, old_label)
            log_excess = _log_excess(state, scratch, _order_by_label(state, scratch))
        backward = uniform(state.random) < 0.5
        for s in range(3):
            move = 2 - s if backward else s
            for _ in range(plan.objects if move == 0 else plan.pairs if move == 1 else plan.rows):
                if stop[0] != 0:
                    return highest
                if move == 0:
                    draw_objects(rows, logs, state, scratch, sticks, stop)
                elif move == 1:
                    change_pair(rows, logs, state, scratch, sticks)
                else:
                    share_rows(rows, logs, state, scratch, sticks, stop)
        if sticks:
            last = _draw_sticks(rows, logs, state, scratch, old_z, old_label, log_excess)
        _trace_sweep(rows, logs, state, scratch, last, sticks, trace, t)
        if trace[t, 3] > highest:
            highest = trace[t, 3]
            for i in range(n):
                best_z[i] = state.z[i]
    return highest
