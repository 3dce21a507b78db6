"""State of a partition of rows of labels into clusters, and the predictive of a row in each of them (eqs. N45, N46).

Clusters have no order here: a cluster is a *slot*. Both priors are a product over clusters, p(partition) prop. to
V(k) prod_c W(n_c), with W(n) = Gamma(o + n) up to a constant:

    sticks:    o = 0,         one more cluster: a0
    Dirichlet: o = a0 / K,    one more cluster: (K - k) / Gamma(o)

The log factors of the predictive are kept in tables, one entry per label and slot, and change only when an object
moves.
"""

import math

import numpy as np

from partita._kernels._jit import helper, helper_inline

ALPHA0, BETA, HEAT = 0, 1, 2  # places in ``values``


# ------------------------------------------------------------------------------------------------------------- numbers
@helper_inline
def uniform(random):
    """A number in [0, 1): splitmix64 (Steele, Lea and Flood 2014)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    word = random[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    word = word ^ (word >> np.uint64(31))
    return np.float64(word >> np.uint64(11)) * 2.0**-53


@helper_inline
def offset_of(state, sticks):
    """The number o of the module's first lines."""
    return 0.0 if sticks else state.values[ALPHA0] / state.size.shape[0]


@helper_inline
def new_weight(state, k, sticks):
    """Prior weight of a new cluster of one object beside k others: V(k + 1) W(1) / V(k)."""
    K, a0 = state.size.shape[0], state.values[ALPHA0]
    if k >= K:
        return 0.0
    return a0 if sticks else (K - k) * a0 / K


@helper
def log_new(state, k, sticks):
    """Log factor of one cluster more than k, where W(n) is Gamma(o + n)."""
    weight = new_weight(state, k, sticks)
    return math.log(weight) - math.lgamma(1.0 + offset_of(state, sticks)) if weight > 0.0 else -math.inf


# -------------------------------------------------------------------------------------------------------- the tables
@helper
def tabulate(rows, logs, state):
    """Fill the logs for the present beta."""
    beta = state.values[BETA]
    logs.sum_label[0] = 0.0
    for number in range(logs.label.shape[0]):
        logs.label[number] = math.log(beta + number)
        if number > 0:
            logs.sum_label[number] = logs.sum_label[number - 1] + logs.label[number - 1]
    for g in range(rows.n_labels.shape[0]):
        logs.sum_total[g, 0] = 0.0
        for number in range(logs.label.shape[0]):
            logs.total[g, number] = math.log(rows.n_labels[g] * beta + number)
            if number > 0:
                logs.sum_total[g, number] = logs.sum_total[g, number - 1] + logs.total[g, number - 1]


@helper
def count(rows, logs, state):
    """Make everything again from z, in slots that were empty or not."""
    K, m = state.size.shape[0], rows.clustering_weights.shape[0]
    for c in range(K):
        state.size[c] = 0
        for cell in range(state.label_size.shape[0]):
            state.label_size[cell, c] = 0
        for j in range(m):
            state.observed[j, c] = 0
    for i in range(state.z.shape[0]):
        c, row = state.z[i], rows.row_of[i]
        state.size[c] += 1
        for p in range(rows.start[row], rows.start[row + 1]):
            state.label_size[rows.cells[p], c] += 1
            state.observed[rows.columns[p], c] += 1
    for cell in range(state.label_size.shape[0]):
        for c in range(K):
            state.numerator[cell, c] = rows.cell_weights[cell] * logs.label[state.label_size[cell, c]]
    state.counts[0] = 0
    for c in range(K):
        for j in range(m):
            state.denominator[j, c] = rows.clustering_weights[j] * logs.total[rows.group[j], state.observed[j, c]]
        _sum_denominators(rows, state, c)
        if state.size[c] > 0:
            state.counts[0] += 1
            state.counts[1] = c + 1


@helper
def _sum_denominators(rows, state, c):
    state.total[c] = 0.0
    for j in range(rows.clustering_weights.shape[0]):
        state.total[c] += state.denominator[j, c]


@helper
def move(rows, logs, state, row, old, new, number):
    """Count objects of a row out of one slot and into another; z is changed by the caller."""
    state.counts[0] += (1 if state.size[new] == 0 else 0) - (1 if state.size[old] == number else 0)
    for c, change in ((old, -number), (new, number)):
        state.size[c] += change
        for p in range(rows.start[row], rows.start[row + 1]):
            cell, j = rows.cells[p], rows.columns[p]
            state.label_size[cell, c] += change
            state.observed[j, c] += change
            state.numerator[cell, c] = rows.clustering_weights[j] * logs.label[state.label_size[cell, c]]
            state.denominator[j, c] = rows.clustering_weights[j] * logs.total[rows.group[j], state.observed[j, c]]
        _sum_denominators(rows, state, c)
    state.counts[1] = max(state.counts[1], new + 1)
    while state.size[state.counts[1] - 1] == 0:
        state.counts[1] -= 1


@helper
def free_slot(state):
    for c in range(state.size.shape[0]):
        if state.size[c] == 0:
            return c
    return -1


@helper_inline
def log_adding(rows, logs, state, row, c, change):
    """Log predictive of a row in slot c, if it held ``change`` more copies of the row (c = -1: an empty one)."""
    value = 0.0
    for p in range(rows.start[row], rows.start[row + 1]):
        j = rows.columns[p]
        number = change + (state.label_size[rows.cells[p], c] if c >= 0 else 0)
        seen = change + (state.observed[j, c] if c >= 0 else 0)
        value += rows.clustering_weights[j] * (logs.label[number] - logs.total[rows.group[j], seen])
    return value


@helper_inline
def log_predictives(rows, state, row, logs_out):
    """Log predictive of a row in every slot up to the last occupied one."""
    first, last, top = rows.start[row], rows.start[row + 1], state.counts[1]
    complete = last - first == rows.clustering_weights.shape[0]
    for c in range(top):
        logs_out[c] = -state.total[c] if complete else 0.0
    _add_numerators(rows.cells, first, last, state.numerator, top, logs_out)
    if not complete:
        for p in range(first, last):
            j = rows.columns[p]
            for c in range(top):
                logs_out[c] -= state.denominator[j, c]


@helper
def _add_numerators(cells, first, last, numerator, top, logs_out):
    """Add the entries of labels; four labels at a time, as adding is faster than reading and writing the sums."""
    p = first
    while p + 4 <= last:
        cell0, cell1, cell2, cell3 = cells[p], cells[p + 1], cells[p + 2], cells[p + 3]
        for c in range(top):
            pair = numerator[cell0, c] + numerator[cell1, c]
            logs_out[c] += pair + (numerator[cell2, c] + numerator[cell3, c])
        p += 4
    while p < last:
        cell0 = cells[p]
        for c in range(top):
            logs_out[c] += numerator[cell0, c]
        p += 1
