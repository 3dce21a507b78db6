"""Moves of a partition that leave its posterior as it is: one object, two clusters, copies of a row (eqs. N46 to N49).

Objects with equal rows are neighbours, and share what is computed for their row.
"""

import math

import numpy as np

from partita._kernels._jit import helper, helper_inline
from partita._kernels.nbce_tables import (
    HEAT,
    free_slot,
    log_adding,
    log_new,
    log_predictives,
    move,
    new_weight,
    offset_of,
    uniform,
)

_LARGE = 700.0  # exponents are cut here: exp of it is finite, and such a weight decides a draw alone
_NEGLIGIBLE = -50.0  # log of a share of probability that no draw of 53 bits can hit
_FEW = 1e-3  # a product of shares of probability below it is replaced by its log; times exp(-700) it does not underflow
_LOG_2 = math.log(2.0)


# ----------------------------------------------------------------------------------------- one object, eqs. N10 and N46
@helper_inline
def _weigh(rows, logs, state, scratch, row, empty, sticks):
    """Weights of the slots for a copy of a row that they lack, and for one that they have; returns that of a new one.

    All are relative to the highest that a copy can see, so that not all of them underflow.
    """
    top, heat, offset, k = state.counts[1], state.values[HEAT], offset_of(state, sticks), state.counts[0]
    new = new_weight(state, k, sticks)
    highest = heat * empty if new > 0.0 else -math.inf
    for c in range(top):
        if scratch.copies[c] > 0:
            scratch.weight_own[c] = heat * log_adding(rows, logs, state, row, c, -1)
            highest = max(highest, scratch.weight_own[c])
        elif state.size[c] > 0:
            highest = max(highest, heat * scratch.logs[c])
    for c in range(top):
        size = state.size[c]
        scratch.weight[c] = 0.0
        above = heat * scratch.logs[c] - highest
        if size > 0 and above > _NEGLIGIBLE:
            scratch.weight[c] = (size + offset) * math.exp(min(above, _LARGE))
        if scratch.copies[c] > 0:  # if alone in its cluster, there is one cluster less without it
            prior = size - 1 + offset if size > 1 else new_weight(state, k - 1, sticks)
            scratch.weight_own[c] = prior * math.exp(scratch.weight_own[c] - highest)
    return new * math.exp(min(heat * empty - highest, _LARGE))


@helper_inline
def _weight_outside(state, scratch, own, new):
    """Weight of all slots but ``own``, a new one included; an object alone in its slot has no other new one."""
    total = 0.0 if state.size[own] == 1 else new
    for c in range(state.counts[1]):
        if c != own:
            total += scratch.weight[c]
    return total


@helper_inline
def _slot_outside(state, scratch, own, left):
    """The slot, not ``own``, in which ``left`` falls."""
    for c in range(state.counts[1]):
        if c != own:
            left -= scratch.weight[c]
            if left < 0.0:
                return c
    slot = free_slot(state)
    return own if state.size[own] == 1 or slot < 0 else slot


@helper
def _draw_copies(rows, logs, state, scratch, row, backward, sticks):
    """Draw the slot of each object of a row in turn, the last one first if ``backward``."""
    first, last = rows.first[row], rows.first[row + 1]
    for c in range(state.counts[1]):
        scratch.copies[c] = 0
    for i in range(first, last):
        scratch.copies[state.z[i]] += 1
    log_predictives(rows, state, row, scratch.logs)
    new, outside, before, weighed = 0.0, 0.0, -1, False
    for s in range(last - first):
        i = last - 1 - s if backward else first + s
        own = state.z[i]
        if not weighed:
            new = _weigh(rows, logs, state, scratch, row, scratch.empty[row], sticks)
        if own != before or not weighed:
            outside = _weight_outside(state, scratch, own, new)
        before, weighed = own, True
        left = uniform(state.random) * (outside + scratch.weight_own[own]) - scratch.weight_own[own]
        c = own if left < 0.0 else _slot_outside(state, scratch, own, left)
        if c != own:
            state.z[i] = c
            scratch.copies[own] -= 1
            scratch.copies[c] = scratch.copies[c] + 1 if state.size[c] > 0 else 1
            move(rows, logs, state, row, own, c, 1)
            scratch.logs[own] = log_adding(rows, logs, state, row, own, 0)
            scratch.logs[c] = log_adding(rows, logs, state, row, c, 0)
            weighed = False


@helper_inline
def _draw_single(rows, logs, state, scratch, row, sticks):
    """The same for a row of one object."""
    i, top, heat, offset = rows.first[row], state.counts[1], state.values[HEAT], offset_of(state, sticks)
    own = state.z[i]
    alone = state.size[own] == 1
    log_predictives(rows, state, row, scratch.logs)
    scratch.logs[own] = log_adding(rows, logs, state, row, own, -1)
    new = new_weight(state, state.counts[0] - (1 if alone else 0), sticks)
    highest = scratch.empty[row] if new > 0.0 else -math.inf
    for c in range(top):
        if state.size[c] > (1 if c == own else 0):
            highest = max(highest, scratch.logs[c])
    total = new * math.exp(heat * (scratch.empty[row] - highest)) if new > 0.0 else 0.0
    outside = total
    for c in range(top):
        others, below = state.size[c] - (1 if c == own else 0), heat * (scratch.logs[c] - highest)
        scratch.weight[c] = (others + offset) * math.exp(below) if others > 0 and below > _NEGLIGIBLE else 0.0
        total += scratch.weight[c]
    left, c = uniform(state.random) * total - outside, -1
    while left >= 0.0 and c + 1 < top:
        c += 1
        left -= scratch.weight[c]
    if c < 0:
        c = own if alone else free_slot(state)
    if c != own:
        state.z[i] = c
        move(rows, logs, state, row, own, c, 1)


@helper
def draw_objects(rows, logs, state, scratch, sticks, stop):
    """All objects in turn; forward or backward, each half of the time, so that the whole pass is reversible."""
    n_rows = rows.first.shape[0] - 1
    backward = uniform(state.random) < 0.5
    for s in range(n_rows):
        row = n_rows - 1 - s if backward else s
        if stop[0] != 0:
            return
        if rows.first[row + 1] - rows.first[row] == 1:
            _draw_single(rows, logs, state, scratch, row, sticks)
        else:
            _draw_copies(rows, logs, state, scratch, row, backward, sticks)


# ----------------------------------------------------------------------------------------- two clusters, eqs. N47, N48
@helper_inline
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


@helper_inline
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
def _allocate(rows, logs, state, scratch, i, j, n_members, draw, sticks):
    """Put objects i and j on sides 0 and 1, then the members in their order; returns the log probability of the sides.

    ``draw``: sides are drawn; else they are those of the clusters of i and j.
    """
    heat, offset, log_q, product = state.values[HEAT], offset_of(state, sticks), 0.0, 1.0
    _clear_sides(rows, logs, scratch)
    _put(rows, logs, scratch, rows.row_of[i], 0)
    _put(rows, logs, scratch, rows.row_of[j], 1)
    for t in range(n_members):
        member = scratch.members[t]
        row = rows.row_of[member]
        prior = (offset + scratch.pair_size[0]) / (offset + scratch.pair_size[1])
        odds = prior * math.exp(min(-heat * _gain_of_side(rows, scratch, row), _LARGE))  # of side 0 against 1
        if draw:
            scratch.side[t] = 1 if uniform(state.random) * (1.0 + odds) < 1.0 else 0
        side = scratch.side[t] if draw else (1 if state.z[member] == state.z[j] else 0)
        share = (1.0 if side == 1 else odds) / (1.0 + odds)
        product *= share
        if product < _FEW:
            log_q += math.log(product) if product > 0.0 else -_LARGE
            product = 1.0
        _put(rows, logs, scratch, row, side)
    return log_q + math.log(product)


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
    return state.values[HEAT] * value + math.lgamma(offset_of(state, sticks) + number)


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
    """The other objects of the clusters of i and j in random order; returns how many."""
    n_members = 0
    for t in range(state.z.shape[0]):
        if (state.z[t] == state.z[i] or state.z[t] == state.z[j]) and t != i and t != j:
            place = int(uniform(state.random) * (n_members + 1))
            scratch.members[n_members] = scratch.members[place]
            scratch.members[place] = t
            n_members += 1
    return n_members


@helper
def _sides_are_new(state, scratch, j, n_members):
    """Whether the sides that were drawn differ from the clusters."""
    for t in range(n_members):
        if (scratch.side[t] == 1) != (state.z[scratch.members[t]] == state.z[j]):
            return True
    return False


@helper
def change_pair(rows, logs, state, scratch, sticks):
    """Propose to split the cluster of two random objects, or to merge their clusters or split these anew."""
    n = state.z.shape[0]
    i, j = int(uniform(state.random) * n), int(uniform(state.random) * n)
    if rows.row_of[i] == rows.row_of[j]:
        return
    if state.z[i] != state.z[j] and uniform(state.random) < 0.5:
        _merge(rows, logs, state, scratch, i, j, sticks)
    else:
        _split(rows, logs, state, scratch, i, j, sticks)


@helper
def _merge(rows, logs, state, scratch, i, j, sticks):
    a, b, k = state.z[i], state.z[j], state.counts[0]
    joined = _log_factor(rows, logs, state, state.label_size, state.observed, state.size, a, b, sticks)
    log_ratio = joined - _log_present(rows, logs, state, a, b, sticks) - log_new(state, k - 1, sticks) + _LOG_2
    log_uniform = math.log1p(-uniform(state.random))
    if log_uniform >= log_ratio:  # as log q <= 0: most end here
        return
    n_members = _list_members(state, scratch, i, j)
    log_ratio += _allocate(rows, logs, state, scratch, i, j, n_members, False, sticks)
    if log_uniform < log_ratio:
        for t in range(n_members):
            scratch.side[t] = 0
        _accept_sides(rows, logs, state, scratch, j, n_members, a, a)


@helper
def _split(rows, logs, state, scratch, i, j, sticks):
    """Split one cluster, or two anew."""
    a, b = state.z[i], state.z[j]
    n_members = _list_members(state, scratch, i, j)
    log_ratio = -_allocate(rows, logs, state, scratch, i, j, n_members, True, sticks)
    if a != b and not _sides_are_new(state, scratch, j, n_members):
        return
    for side in range(2):
        log_ratio += _log_factor(
            rows, logs, state, scratch.pair_label, scratch.pair_observed, scratch.pair_size, side, np.int64(-1), sticks
        )
    log_ratio -= _log_present(rows, logs, state, a, b, sticks)
    if a == b:
        log_ratio += log_new(state, state.counts[0], sticks) - _LOG_2
        b = free_slot(state)
    else:
        log_ratio += _allocate(rows, logs, state, scratch, i, j, n_members, False, sticks)
    if math.log1p(-uniform(state.random)) < log_ratio:
        _accept_sides(rows, logs, state, scratch, j, n_members, a, b)


@helper
def _accept_sides(rows, logs, state, scratch, j, n_members, a, b):
    """Move the objects to the slot of their side, j to b."""
    for t in range(n_members + 1):
        member = scratch.members[t] if t < n_members else j
        old, new = state.z[member], a if t < n_members and scratch.side[t] == 0 else b
        if old != new:
            state.z[member] = new
            move(rows, logs, state, rows.row_of[member], old, new, 1)


# ------------------------------------------------------------------------------------------------ equal rows, eq. N49
@helper_inline
def _gains(rows, logs, state, scratch, row, c, number, side, sticks):
    """Log factors of the first, second, ... copy of a row that joins slot c, of which all copies were taken."""
    size = state.size[c] - scratch.copies[c] if c >= 0 else 0
    copies = scratch.copies[c] if c >= 0 else 0
    offset, k = offset_of(state, sticks), state.counts[0]
    scratch.gains[side, 0] = 0.0
    for u in range(number):
        gain = state.values[HEAT] * log_adding(rows, logs, state, row, c, u - copies)
        if size + u > 0:
            gain += math.log(offset + size + u)
        else:  # the cluster of copies alone, or a new one: k - 1 or k others
            weight = new_weight(state, k - (1 if copies > 0 else 0), sticks)
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
    one = int(uniform(state.random) * (n_options + 1))
    other = int(uniform(state.random) * n_options)
    return one, other if other < one else other + 1


@helper
def _share_copies(rows, logs, state, scratch, row, sticks):
    """Draw how many copies of a row are in each of two clusters, all their copies at once, and which ones."""
    first, last = rows.first[row], rows.first[row + 1]
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
        a = free_slot(state)
    if b < 0:
        b = free_slot(state)
    old, new, have, moved = (a, b, in_a, in_a - into_a) if into_a < in_a else (b, a, number - in_a, into_a - in_a)
    move(rows, logs, state, row, old, new, moved)
    for i in range(first, last):  # a random subset: each with the share that is still to be moved
        if state.z[i] == old:
            if uniform(state.random) * have < moved:
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
    left, u = uniform(state.random) * total - scratch.gains[0, 0], 0
    while left >= 0.0 and u < number:
        u += 1
        left -= scratch.gains[0, u]
    return u


@helper
def share_rows(rows, logs, state, scratch, sticks, stop):
    """All rows in turn, forward or backward."""
    n_rows = rows.first.shape[0] - 1
    backward = uniform(state.random) < 0.5
    for s in range(n_rows):
        row = n_rows - 1 - s if backward else s
        if stop[0] != 0:
            return
        if rows.first[row + 1] - rows.first[row] > 1:
            _share_copies(rows, logs, state, scratch, row, sticks)
