"""Sampling partitions of a Dirichlet-process mixture over rows of labels: one compiled loop (eqs. N10 to N17).

Clusters have no order here: a cluster is a *slot*, and which stick it has is drawn at the end of a sweep. Both priors
are a product over clusters, p(partition) prop. to V(k) prod_c W(n_c), with W(n) = Gamma(o + n) up to a constant:

    sticks:    o = 0,         one more cluster: a0
    Dirichlet: o = a0 / K,    one more cluster: (K - k) / Gamma(o)

The log factors of the predictive of a row are kept in tables, one entry per label and slot, and change only when an
object moves. Objects with equal rows are neighbours, and share what is computed for their row.
"""

import math

import numpy as np

from partita._kernels._jit import helper, jit
from partita._kernels.nbce_types import PartitionScratch

_LARGE = 700.0  # exponents are cut here: exp of it is finite, and such a weight decides a draw alone
_LOG_2 = math.log(2.0)
ALPHA0, BETA, HEAT = 0, 1, 2  # places in ``values``


# ------------------------------------------------------------------------------------------------------------- numbers
@helper
def _uniform(random):
    """A number in [0, 1): splitmix64 (Steele, Lea and Flood 2014)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    word = random[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    word = word ^ (word >> np.uint64(31))
    return np.float64(word >> np.uint64(11)) * 2.0**-53


@helper
def _offset(state, sticks):
    """The number o of the module's first lines."""
    return 0.0 if sticks else state.values[ALPHA0] / state.size.shape[0]


@helper
def _new_weight(state, k, sticks):
    """Prior weight of a new cluster of one object beside k others: V(k + 1) W(1) / V(k)."""
    K, a0 = state.size.shape[0], state.values[ALPHA0]
    if k >= K:
        return 0.0
    return a0 if sticks else (K - k) * a0 / K


@helper
def _log_new(state, k, sticks):
    """Log factor of one cluster more than k, where W(n) is Gamma(o + n)."""
    weight = _new_weight(state, k, sticks)
    return math.log(weight) - math.lgamma(1.0 + _offset(state, sticks)) if weight > 0.0 else -math.inf


# -------------------------------------------------------------------------------------------------------- the tables
@helper
def _tabulate(rows, logs, state):
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
def _count(rows, logs, state):
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


@jit
def rebuild(rows, logs, state):
    """Make logs and tables from beta and z."""
    _tabulate(rows, logs, state)
    _count(rows, logs, state)


@helper
def _sum_denominators(rows, state, c):
    state.total[c] = 0.0
    for j in range(rows.clustering_weights.shape[0]):
        state.total[c] += state.denominator[j, c]


@helper
def _move(rows, logs, state, row, old, new, number):
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
def _free_slot(state):
    for c in range(state.size.shape[0]):
        if state.size[c] == 0:
            return c
    return -1


@helper
def _log_adding(rows, logs, state, row, c, change):
    """Log predictive of a row in slot c, if it held ``change`` more copies of the row (c = -1: an empty one)."""
    value = 0.0
    for p in range(rows.start[row], rows.start[row + 1]):
        j = rows.columns[p]
        number = change + (state.label_size[rows.cells[p], c] if c >= 0 else 0)
        seen = change + (state.observed[j, c] if c >= 0 else 0)
        value += rows.clustering_weights[j] * (logs.label[number] - logs.total[rows.group[j], seen])
    return value


@helper
def _log_predictives(rows, state, row, logs_out):
    """Log predictive of a row in every slot up to the last occupied one."""
    first, last, top = rows.start[row], rows.start[row + 1], state.counts[1]
    complete = last - first == rows.clustering_weights.shape[0]
    for c in range(top):
        logs_out[c] = -state.total[c] if complete else 0.0
    for p in range(first, last):
        cell = rows.cells[p]
        for c in range(top):
            logs_out[c] += state.numerator[cell, c]
        if not complete:
            j = rows.columns[p]
            for c in range(top):
                logs_out[c] -= state.denominator[j, c]


# ------------------------------------------------------------------------------------------------ one object, eq. N10
@helper
def _weigh(rows, logs, state, scratch, row, empty, sticks):
    """Weights of the slots for a copy of a row that they lack, and for one that they have; returns that of a new one.

    All are relative to the highest that a copy can see, so that not all of them underflow.
    """
    top, heat, offset, k = state.counts[1], state.values[HEAT], _offset(state, sticks), state.counts[0]
    new = _new_weight(state, k, sticks)
    highest = heat * empty if new > 0.0 else -math.inf
    for c in range(top):
        if scratch.copies[c] > 0:
            scratch.weight_own[c] = heat * _log_adding(rows, logs, state, row, c, -1)
            highest = max(highest, scratch.weight_own[c])
        elif state.size[c] > 0:
            highest = max(highest, heat * scratch.logs[c])
    for c in range(top):
        size = state.size[c]
        scratch.weight[c] = 0.0
        if size > 0:
            scratch.weight[c] = (size + offset) * math.exp(min(heat * scratch.logs[c] - highest, _LARGE))
        if scratch.copies[c] > 0:  # if alone in its cluster, there is one cluster less without it
            prior = size - 1 + offset if size > 1 else _new_weight(state, k - 1, sticks)
            scratch.weight_own[c] = prior * math.exp(scratch.weight_own[c] - highest)
    return new * math.exp(min(heat * empty - highest, _LARGE))


@helper
def _draw_slot(state, scratch, own, new):
    """A slot for an object of slot ``own``."""
    alone = state.size[own] == 1
    outside = 0.0 if alone else new  # the own slot stands for the new one
    top = state.counts[1]
    total = outside + scratch.weight_own[own]
    for c in range(top):
        if c != own:
            total += scratch.weight[c]
    left = _uniform(state.random) * total - scratch.weight_own[own]
    if left < 0.0:
        return own
    for c in range(top):
        if c != own:
            left -= scratch.weight[c]
            if left < 0.0:
                return c
    return _free_slot(state) if outside > 0.0 else own


@helper
def _draw_copies(rows, logs, state, scratch, row, sticks):
    """Draw the slot of each object of a row in turn."""
    first, last = rows.first[row], rows.first[row + 1]
    for c in range(state.size.shape[0]):
        scratch.copies[c] = 0
    for i in range(first, last):
        scratch.copies[state.z[i]] += 1
    empty = _log_adding(rows, logs, state, row, -1, 0)
    _log_predictives(rows, state, row, scratch.logs)
    new = _weigh(rows, logs, state, scratch, row, empty, sticks)
    for i in range(first, last):
        own = state.z[i]
        c = _draw_slot(state, scratch, own, new)
        if c == own:
            continue
        state.z[i] = c
        _move(rows, logs, state, row, own, c, 1)
        scratch.copies[own] -= 1
        scratch.copies[c] += 1
        if i + 1 < last:
            scratch.logs[own] = _log_adding(rows, logs, state, row, own, 0)
            scratch.logs[c] = _log_adding(rows, logs, state, row, c, 0)
            new = _weigh(rows, logs, state, scratch, row, empty, sticks)


@helper
def _draw_objects(rows, logs, state, scratch, sticks):
    """All objects in turn; forward or backward, each half of the time, so that the whole pass is reversible."""
    n_rows = rows.first.shape[0] - 1
    backward = _uniform(state.random) < 0.5
    for s in range(n_rows):
        _draw_copies(rows, logs, state, scratch, n_rows - 1 - s if backward else s, sticks)


# ----------------------------------------------------------------------------------------- two clusters, eqs. N46, N47
@helper
def _put(rows, logs, scratch, row, side):
    """Count an object in on a side."""
    scratch.pair_size[side] += 1
    for p in range(rows.start[row], rows.start[row + 1]):
        cell, j = rows.cells[p], rows.columns[p]
        w = rows.clustering_weights[j]
        scratch.pair_label[cell, side] += 1
        scratch.pair_observed[j, side] += 1
        scratch.pair_numerator[cell, side] = w * logs.label[scratch.pair_label[cell, side]]
        denominator = w * logs.total[rows.group[j], scratch.pair_observed[j, side]]
        scratch.pair_total[side] += denominator - scratch.pair_denominator[j, side]
        scratch.pair_denominator[j, side] = denominator


@helper
def _clear_sides(rows, logs, scratch):
    for side in range(2):
        scratch.pair_size[side] = 0
        scratch.pair_total[side] = 0.0
        for cell in range(scratch.pair_label.shape[0]):
            scratch.pair_label[cell, side] = 0
            scratch.pair_numerator[cell, side] = rows.cell_weights[cell] * logs.label[0]
        for j in range(scratch.pair_observed.shape[0]):
            scratch.pair_observed[j, side] = 0
            scratch.pair_denominator[j, side] = rows.clustering_weights[j] * logs.total[rows.group[j], 0]
            scratch.pair_total[side] += scratch.pair_denominator[j, side]


@helper
def _gain_of_side(rows, scratch, row):
    """Log predictive of a row on side 1 less that on side 0."""
    first, last = rows.start[row], rows.start[row + 1]
    complete = last - first == rows.clustering_weights.shape[0]
    gain = scratch.pair_total[0] - scratch.pair_total[1] if complete else 0.0
    for p in range(first, last):
        cell = rows.cells[p]
        gain += scratch.pair_numerator[cell, 1] - scratch.pair_numerator[cell, 0]
        if not complete:
            j = rows.columns[p]
            gain += scratch.pair_denominator[j, 0] - scratch.pair_denominator[j, 1]
    return gain


@helper
def _allocate(rows, logs, state, scratch, pair, n_members, draw, sticks):
    """Put a pair of objects on two sides, then the members in their order; returns the log probability of the sides.

    ``draw``: sides are drawn; else they are those that ``side`` has.
    """
    heat, offset, log_q = state.values[HEAT], _offset(state, sticks), 0.0
    _clear_sides(rows, logs, scratch)
    for side in range(2):
        _put(rows, logs, scratch, rows.row_of[pair[side]], side)
    for t in range(n_members):
        row = rows.row_of[scratch.members[t]]
        prior = (offset + scratch.pair_size[0]) / (offset + scratch.pair_size[1])
        odds = prior * math.exp(min(-heat * _gain_of_side(rows, scratch, row), _LARGE))  # of side 0 against 1
        if draw:
            scratch.side[t] = 1 if _uniform(state.random) * (1.0 + odds) < 1.0 else 0
        share = (1.0 if scratch.side[t] == 1 else odds) / (1.0 + odds)
        log_q += math.log(share) if share > 0.0 else -_LARGE
        _put(rows, logs, scratch, row, scratch.side[t])
    return log_q


@helper
def _log_factor(rows, logs, state, labels, observed, size, a, b, sticks):
    """Log of f of the objects in column a, and in column b unless it is -1: likelihood times W of their number."""
    value = 0.0
    for cell in range(labels.shape[0]):
        number = labels[cell, a] + (labels[cell, b] if b >= 0 else 0)
        value += rows.cell_weights[cell] * logs.sum_label[number]
    for j in range(observed.shape[0]):
        number = observed[j, a] + (observed[j, b] if b >= 0 else 0)
        value -= rows.clustering_weights[j] * logs.sum_total[rows.group[j], number]
    number = size[a] + (size[b] if b >= 0 else 0)
    return state.values[HEAT] * value + math.lgamma(_offset(state, sticks) + number)


@helper
def _log_present(rows, logs, state, a, b, sticks):
    """Log of f of the cluster, or of both, of a pair of objects as they are (b = a: one)."""
    labels, observed, size = state.label_size, state.observed, state.size
    value = _log_factor(rows, logs, state, labels, observed, size, a, np.int64(-1), sticks)
    if b != a:
        value += _log_factor(rows, logs, state, labels, observed, size, b, np.int64(-1), sticks)
    return value


@helper
def _list_members(state, scratch, i, j):
    """The other objects of the clusters of i and j in random order, and their sides; returns how many."""
    n_members = 0
    for t in range(state.z.shape[0]):
        if (state.z[t] == state.z[i] or state.z[t] == state.z[j]) and t != i and t != j:
            place = int(_uniform(state.random) * (n_members + 1))
            scratch.members[n_members] = scratch.members[place]
            scratch.members[place] = t
            n_members += 1
    for t in range(n_members):
        scratch.side[t] = 1 if state.z[scratch.members[t]] == state.z[j] else 0
    return n_members


@helper
def _change_pair(rows, logs, state, scratch, sticks):
    """Propose to split the cluster of two random objects, or to merge their clusters or split these anew."""
    n = state.z.shape[0]
    i, j = int(_uniform(state.random) * n), int(_uniform(state.random) * n)
    if rows.row_of[i] == rows.row_of[j]:
        return
    if state.z[i] != state.z[j] and _uniform(state.random) < 0.5:
        _merge(rows, logs, state, scratch, i, j, sticks)
    else:
        _split(rows, logs, state, scratch, i, j, sticks)


@helper
def _merge(rows, logs, state, scratch, i, j, sticks):
    a, b, k = state.z[i], state.z[j], state.counts[0]
    joined = _log_factor(rows, logs, state, state.label_size, state.observed, state.size, a, b, sticks)
    log_ratio = joined - _log_present(rows, logs, state, a, b, sticks) - _log_new(state, k - 1, sticks) + _LOG_2
    log_uniform = math.log1p(-_uniform(state.random))
    if log_uniform >= log_ratio:  # as log q <= 0: most end here
        return
    n_members = _list_members(state, scratch, i, j)
    log_ratio += _allocate(rows, logs, state, scratch, (i, j), n_members, False, sticks)
    if log_uniform < log_ratio:
        for t in range(n_members):
            scratch.side[t] = 0
        _accept_sides(rows, logs, state, scratch, i, j, n_members, a, a)


@helper
def _split(rows, logs, state, scratch, i, j, sticks):
    """Split one cluster, or two anew."""
    a, b = state.z[i], state.z[j]
    n_members = _list_members(state, scratch, i, j)
    log_ratio = -_log_present(rows, logs, state, a, b, sticks)
    if a == b:
        log_ratio += _log_new(state, state.counts[0], sticks) - _LOG_2
    else:
        log_ratio += _allocate(rows, logs, state, scratch, (i, j), n_members, False, sticks)
    log_ratio -= _allocate(rows, logs, state, scratch, (i, j), n_members, True, sticks)
    for side in range(2):
        log_ratio += _log_factor(
            rows, logs, state, scratch.pair_label, scratch.pair_observed, scratch.pair_size, side, np.int64(-1), sticks
        )
    if math.log1p(-_uniform(state.random)) < log_ratio:
        other = _free_slot(state) if a == b else b
        _accept_sides(rows, logs, state, scratch, i, j, n_members, a, other)


@helper
def _accept_sides(rows, logs, state, scratch, i, j, n_members, a, b):
    """Move the objects to the slot of their side: a that of i, b that of j."""
    for t in range(n_members + 1):
        member = scratch.members[t] if t < n_members else j
        old, new = state.z[member], a if t < n_members and scratch.side[t] == 0 else b
        if old != new:
            state.z[member] = new
            _move(rows, logs, state, rows.row_of[member], old, new, 1)


# ------------------------------------------------------------------------------------------------ equal rows, eq. N48
@helper
def _gains(rows, logs, state, scratch, row, c, number, side, sticks):
    """Log factors of the first, second, ... copy of a row that joins slot c, of which all copies were taken."""
    size = state.size[c] - scratch.copies[c] if c >= 0 else 0
    copies = scratch.copies[c] if c >= 0 else 0
    offset, k = _offset(state, sticks), state.counts[0]
    scratch.gains[side, 0] = 0.0
    for u in range(number):
        gain = state.values[HEAT] * _log_adding(rows, logs, state, row, c, u - copies)
        if size + u > 0:
            gain += math.log(offset + size + u)
        else:  # the cluster of copies alone, or a new one: k - 1 or k others
            weight = _new_weight(state, k - (1 if copies > 0 else 0), sticks)
            gain += math.log(weight) if weight > 0.0 else -math.inf
        scratch.gains[side, u + 1] = scratch.gains[side, u] + gain


@helper
def _pick_pair(state, scratch, row_first, row_last):
    """Two slots, chosen without regard to the copies of a row; returns their places in ``options``, or -1.

    They are clusters with other objects, and one without (-1 if it is new). Two without: no choice.
    """
    top, n_options, alone = state.counts[1], 0, -1
    for c in range(top):
        scratch.copies[c] = 0
    for i in range(row_first, row_last):
        scratch.copies[state.z[i]] += 1
    for c in range(top):
        if state.size[c] > scratch.copies[c]:
            scratch.options[n_options] = c
            n_options += 1
        elif state.size[c] > 0:
            if alone >= 0:
                return -1, -1
            alone = c
    if n_options == 0:
        return -1, -1
    scratch.options[n_options] = alone
    one = int(_uniform(state.random) * (n_options + 1))
    other = int(_uniform(state.random) * n_options)
    return one, other if other < one else other + 1


@helper
def _share_copies(rows, logs, state, scratch, row, sticks):
    """Draw how many copies of a row are in each of two clusters, all their copies at once, and which ones."""
    first, last = rows.first[row], rows.first[row + 1]
    if last - first < 2:
        return
    one, other = _pick_pair(state, scratch, first, last)
    if one < 0:
        return
    a, b = scratch.options[one], scratch.options[other]
    in_a = scratch.copies[a] if a >= 0 else 0
    number = in_a + (scratch.copies[b] if b >= 0 else 0)
    if number == 0:
        return
    _gains(rows, logs, state, scratch, row, a, number, 0, sticks)
    _gains(rows, logs, state, scratch, row, b, number, 1, sticks)
    into_a = _draw_number(state, scratch, number)
    if into_a == in_a:
        return
    if a < 0:
        a = _free_slot(state)
    if b < 0:
        b = _free_slot(state)
    old, new, have, moved = (a, b, in_a, in_a - into_a) if into_a < in_a else (b, a, number - in_a, into_a - in_a)
    _move(rows, logs, state, row, old, new, moved)
    for i in range(first, last):  # a random subset: each with the share that is still to be moved
        if state.z[i] == old:
            if _uniform(state.random) * have < moved:
                state.z[i] = new
                moved -= 1
            have -= 1


@helper
def _draw_number(state, scratch, number):
    """How many of the copies join the first slot: C(number, u) f(first + u) f(second + number - u)."""
    highest, log_choose = -math.inf, 0.0
    for u in range(number + 1):
        scratch.gains[0, u] += scratch.gains[1, number - u] + log_choose
        highest = max(highest, scratch.gains[0, u])
        log_choose += math.log((number - u) / (u + 1.0)) if u < number else 0.0
    total = 0.0
    for u in range(number + 1):
        scratch.gains[0, u] = math.exp(scratch.gains[0, u] - highest)
        total += scratch.gains[0, u]
    left, u = _uniform(state.random) * total - scratch.gains[0, 0], 0
    while left >= 0.0 and u < number:
        u += 1
        left -= scratch.gains[0, u]
    return u


@helper
def _share_rows(rows, logs, state, scratch, sticks):
    """All rows in turn, forward or backward."""
    n_rows = rows.first.shape[0] - 1
    backward = _uniform(state.random) < 0.5
    for s in range(n_rows):
        _share_copies(rows, logs, state, scratch, n_rows - 1 - s if backward else s, sticks)


# ----------------------------------------------------------------------------------------- sticks, eqs. N49 and N50
@helper
def _draw_labels(state, scratch):
    """Draw the stick of every cluster, one stick after another; ``copies`` holds those of the slots."""
    K, a0 = state.size.shape[0], state.values[ALPHA0]
    n_left, left = state.counts[0], state.z.shape[0]
    for c in range(state.counts[1]):
        state.label[c] = -1 if state.size[c] > 0 else K
    for h in range(K):
        if n_left == 0:
            return
        empty = 0.0 if n_left >= K - h else a0  # no stick to spare
        place = _uniform(state.random) * (left + empty) - empty
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
def _make_scratch(rows, state):
    n, K, n_cells, m = state.z.shape[0], state.size.shape[0], state.label_size.shape[0], state.observed.shape[0]
    return PartitionScratch(
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
def _change_partition(rows, logs, state, scratch, plan, sticks):
    """All moves; in this order or its reverse, each half of the time, so that the whole is reversible."""
    backward = _uniform(state.random) < 0.5
    for s in range(3):
        move = 2 - s if backward else s
        if move == 0:
            for _ in range(plan.objects):
                _draw_objects(rows, logs, state, scratch, sticks)
        elif move == 1:
            for _ in range(plan.pairs):
                _change_pair(rows, logs, state, scratch, sticks)
        else:
            for _ in range(plan.rows):
                _share_rows(rows, logs, state, scratch, sticks)


@jit
def sweep_partition(rows, logs, state, plan, trace, best_z):
    """Sweep as often as ``trace`` has rows.

    trace   OUT (n_sweeps, 4) float64: log p(Y, Z), clusters, log p(Y | Z), log p(Y, Z) numbered by size
    best_z  IN/OUT (n,) int64, slots of the sweep with the highest of the last
    returns that value
    """
    n, K, sticks = state.z.shape[0], state.size.shape[0], plan.sticks
    scratch = _make_scratch(rows, state)
    old_z, old_label = np.empty(n, dtype=np.int64), np.empty(K, dtype=np.int64)
    highest = -math.inf
    for t in range(trace.shape[0]):
        if sticks:
            for i in range(n):
                old_z[i] = state.z[i]
            for c in range(K):
                old_label[c] = state.label[c]
            log_excess = _log_excess(state, scratch, _order_by_label(state, scratch))
        _change_partition(rows, logs, state, scratch, plan, sticks)
        last = 0
        if sticks:
            _draw_labels(state, scratch)
            gain = _log_excess(state, scratch, _order_by_label(state, scratch)) - log_excess
            if math.log1p(-_uniform(state.random)) >= gain:  # back to the partition and its sticks before the sweep
                for i in range(n):
                    state.z[i] = old_z[i]
                for c in range(K):
                    state.label[c] = old_label[c]
                _count(rows, logs, state)
            last = _order_by_label(state, scratch)
        trace[t, 1] = state.counts[0]
        trace[t, 2] = _log_likelihood(rows, logs, state)
        trace[t, 0] = trace[t, 2] + _log_prior(state, scratch, last, sticks)
        trace[t, 3] = trace[t, 2] + _log_prior(state, scratch, _order_by_size(state, scratch), sticks)
        if trace[t, 3] > highest:
            highest = trace[t, 3]
            for i in range(n):
                best_z[i] = state.z[i]
    return highest
