"""Search for hard clusters of rows under which the mixture gives the labels the highest probability (eq. M56).

A cluster with weight n_g, of which T_gj has a label of clustering j and M_gja has label a, adds

    F(n_g) + sum_j u_j (sum_a F(M_gja) - F(T_gj)),    F(x) = x log x

to log p(labels, clusters), up to a constant. Single rows move, two clusters are shared out anew, and two are merged
while another one is split; the number of clusters stays.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

_LEAST = 1e-9  # smallest rise that counts: far above rounding, far below what matters
_COOLED = 1.25  # the last fifth of the sweeps only climbs
_TINY = 1e-300  # instead of 0 in logs
_QUIET = 3  # sweeps with their proposals that change nothing, after which a search ends
_PASSES = 1  # turns in which the rows of two new clusters may change sides: later ones hardly move any


class HardRows(NamedTuple):
    """Rows of labels, and what does not change."""

    start: Any  # (n + 1,) int64, row i has labels start[i] to start[i + 1] - 1
    cells: Any  # (n_observed,) int32, place of each label among all labels of all clusterings
    columns: Any  # (n_observed,) int32, its clustering
    row_weights: Any  # (n,) float64
    clustering_weights: Any  # (m,) float64
    cell_clustering: Any  # (n_cells,) int64, clustering of each label
    same_total: float  # sum of all u_j if no label is missing: every T_gj is n_g then; else 0
    logs: Any  # x log x of whole numbers, if all weights are whole; else empty
    steps: Any  # differences of the logs, or empty


class HardState(NamedTuple):
    """Clusters of the rows, and what they hold. The last two clusters are for trials, and empty between them."""

    z: Any  # (n,) int64
    n_rows: Any  # (k + 2,) int64, rows of each cluster: the last one stays
    size: Any  # (k + 2,) float64, n_g
    mass: Any  # (k + 2, n_cells) float64, M_gja
    total: Any  # (k + 2, m) float64, T_gj
    value: Any  # (k + 2,) float64, what each cluster adds
    members: Any  # (n,) int64, memory
    sides: Any  # (n,) int64, memory
    generator: Any  # (1,) uint64
    best: Any  # (n,) int64, the best clusters so far


# ------------------------------------------------------------------------------------------------------- small parts
@helper
def _uniform(generator):
    """The next random number in [0, 1), by a linear congruential generator (Knuth's MMIX)."""
    generator[0] = generator[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return (generator[0] >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@helper
def _least(state, heat):
    """Smallest rise that is accepted."""
    return _LEAST if heat == 0.0 else heat * math.log(max(_uniform(state.generator), _TINY))


@helper
def _log_part(rows, x):
    """F(x) = x log x; a difference of sums may be slightly below 0."""
    if rows.logs.shape[0] > 0:
        return rows.logs[int(x)]
    return x * math.log(x) if x > 0.0 else 0.0


@helper
def _count(rows, state, i, cluster, sign):
    """Add row i to a cluster (sign 1), or take it out (-1)."""
    weight = sign * rows.row_weights[i]
    state.n_rows[cluster] += int(sign)
    state.size[cluster] += weight
    for p in range(rows.start[i], rows.start[i + 1]):
        state.mass[cluster, rows.cells[p]] += weight
        state.total[cluster, rows.columns[p]] += weight


@helper
def _clear(state, cluster):
    """Make a cluster empty; rounding must not stay in it."""
    state.n_rows[cluster] = 0
    state.size[cluster] = 0.0
    state.value[cluster] = 0.0
    for cell in range(state.mass.shape[1]):
        state.mass[cluster, cell] = 0.0
    for j in range(state.total.shape[1]):
        state.total[cluster, j] = 0.0


@helper
def _copy(state, source, target):
    """Let a cluster hold what another one holds."""
    state.n_rows[target] = state.n_rows[source]
    state.size[target] = state.size[source]
    state.value[target] = state.value[source]
    for cell in range(state.mass.shape[1]):
        state.mass[target, cell] = state.mass[source, cell]
    for j in range(state.total.shape[1]):
        state.total[target, j] = state.total[source, j]


@helper
def _gain(rows, state, i, g, sign):
    """How much the value of a cluster rises when row i joins it (sign 1) or leaves it (-1)."""
    if rows.row_weights[i] == 1.0 and rows.steps.shape[0] > 0:
        return _gain_of_one(rows, state, i, g, sign)
    weight = sign * rows.row_weights[i]
    change = (1.0 - rows.same_total) * (_log_part(rows, state.size[g] + weight) - _log_part(rows, state.size[g]))
    for p in range(rows.start[i], rows.start[i + 1]):
        j, mass = rows.columns[p], state.mass[g, rows.cells[p]]
        change += rows.clustering_weights[j] * (_log_part(rows, mass + weight) - _log_part(rows, mass))
        if rows.same_total == 0.0:
            total = state.total[g, j]
            change -= rows.clustering_weights[j] * (_log_part(rows, total + weight) - _log_part(rows, total))
    return change


@helper
def _gain_of_one(rows, state, i, g, sign):
    """The same for a row of one object: F(x + 1) - F(x) is tabulated too, and most rows of many clusterings are one."""
    shift = 0 if sign > 0.0 else -1
    change = (1.0 - rows.same_total) * rows.steps[int(state.size[g]) + shift]
    for p in range(rows.start[i], rows.start[i + 1]):
        change += rows.clustering_weights[rows.columns[p]] * rows.steps[int(state.mass[g, rows.cells[p]]) + shift]
    if rows.same_total == 0.0:
        for p in range(rows.start[i], rows.start[i + 1]):
            j = rows.columns[p]
            change -= rows.clustering_weights[j] * rows.steps[int(state.total[g, j]) + shift]
    return sign * change


@helper
def _value(rows, state, g, d):
    """What a cluster adds, or the union of two if they differ."""
    both = 1.0 if g != d else 0.0
    value = _log_part(rows, state.size[g] + both * state.size[d])
    for cell in range(state.mass.shape[1]):
        mass = state.mass[g, cell] + both * state.mass[d, cell]
        if mass > 0.0:
            value += rows.clustering_weights[rows.cell_clustering[cell]] * _log_part(rows, mass)
    for j in range(state.total.shape[1]):
        value -= rows.clustering_weights[j] * _log_part(rows, state.total[g, j] + both * state.total[d, j])
    return value


@jit
def count_clusters(rows, state):
    """Count everything anew; returns what all clusters add."""
    for g in range(state.size.shape[0]):
        _clear(state, g)
    for i in range(state.z.shape[0]):
        _count(rows, state, i, state.z[i], 1.0)
    total = 0.0
    for g in range(state.size.shape[0] - 2):
        state.value[g] = _value(rows, state, g, g)
        total += state.value[g]
    return total


# ------------------------------------------------------------------------------------------------------------ moves
@helper
def _move_row(rows, state, i, heat):
    """Take a row to the cluster that raises the sum most; returns the rise."""
    own, k = state.z[i], state.size.shape[0] - 2
    if state.n_rows[own] <= 1:
        return 0.0
    least = _least(state, heat)
    leave = _gain(rows, state, i, own, -1.0)
    best, highest, best_gain = -1, -np.inf, 0.0
    for g in range(k):
        if g != own:
            gain = _gain(rows, state, i, g, 1.0)
            score = gain
            if heat > 0.0:  # the highest after Gumbel noise is a draw with probabilities prop. to exp(gain / heat)
                score -= heat * math.log(-math.log(max(_uniform(state.generator), _TINY)))
            if score > highest:
                best, highest, best_gain = g, score, gain
    if best < 0 or leave + best_gain <= least:
        return 0.0
    _count(rows, state, i, own, -1.0)
    _count(rows, state, i, best, 1.0)
    state.value[own] += leave
    state.value[best] += best_gain
    state.z[i] = best
    return leave + best_gain


@helper
def _share_out(rows, state, i, j):
    """Share the rows of the clusters of i and j between two trial clusters; returns how many rows."""
    A, B = state.size.shape[0] - 2, state.size.shape[0] - 1
    c, d, n = state.z[i], state.z[j], 0
    for row in range(state.z.shape[0]):
        if state.z[row] == c or state.z[row] == d:
            state.members[n] = row
            n += 1
    _count(rows, state, i, A, 1.0)
    _count(rows, state, j, B, 1.0)
    for t in range(n - 1, -1, -1):
        u = int(_uniform(state.generator) * (t + 1))
        row = state.members[u]
        state.members[t], state.members[u] = row, state.members[t]
        state.sides[t] = A if row == i else B
        if row != i and row != j:
            state.sides[t] = A if _gain(rows, state, row, A, 1.0) > _gain(rows, state, row, B, 1.0) else B
            _count(rows, state, row, state.sides[t], 1.0)
    for _ in range(_PASSES):
        if not _settle_once(rows, state, n, A, B):
            break
    state.value[A], state.value[B] = _value(rows, state, A, A), _value(rows, state, B, B)
    return n


@helper
def _settle_once(rows, state, n, A, B):
    """Let rows change sides where that raises the sum; returns whether any did."""
    moved = False
    for t in range(n):
        row, side = state.members[t], state.sides[t]
        other = B if side == A else A
        if state.n_rows[side] == 1:
            continue
        if _gain(rows, state, row, side, -1.0) + _gain(rows, state, row, other, 1.0) > _LEAST:
            _count(rows, state, row, side, -1.0)
            _count(rows, state, row, other, 1.0)
            state.sides[t] = other
            moved = True
    return moved


@helper
def _take_trial(state, n, a, b):
    """Let the two trial clusters be clusters a and b."""
    A, B = state.size.shape[0] - 2, state.size.shape[0] - 1
    for t in range(n):
        state.z[state.members[t]] = a if state.sides[t] == A else b
    _copy(state, A, a)
    _copy(state, B, b)


@helper
def _clear_trial(state):
    _clear(state, state.size.shape[0] - 2)
    _clear(state, state.size.shape[0] - 1)


@helper
def _draw_from(state, g, i):
    """A row of cluster g that is not row i; -1 if there is none."""
    place = int(_uniform(state.generator) * (state.n_rows[g] - (state.z[i] == g)))
    for j in range(state.z.shape[0]):
        if state.z[j] == g and j != i:
            if place == 0:
                return j
            place -= 1
    return -1


@helper
def _next_best(rows, state, i):
    """The cluster that row i would join if it had to leave its own."""
    best, highest = -1, -np.inf
    for g in range(state.size.shape[0] - 2):
        if g != state.z[i]:
            gain = _gain(rows, state, i, g, 1.0)
            if gain > highest:
                best, highest = g, gain
    return best


@helper
def _renew_two(rows, state, i, j, heat):
    """Share two clusters out anew; returns the rise, 0 if it is not accepted."""
    A, B = state.size.shape[0] - 2, state.size.shape[0] - 1
    c, d = state.z[i], state.z[j]
    n = _share_out(rows, state, i, j)
    rise = state.value[A] + state.value[B] - state.value[c] - state.value[d]
    if rise > _least(state, heat):
        _take_trial(state, n, c, d)
    else:
        rise = 0.0
    _clear_trial(state)
    return rise


@helper
def _split_and_merge(rows, state, i, j, heat):
    """Split the cluster of both rows, and merge one drawn at random with the most similar one; returns the rise."""
    A, B, k = state.size.shape[0] - 2, state.size.shape[0] - 1, state.size.shape[0] - 2
    e = state.z[i]
    n = _share_out(rows, state, i, j)
    split = state.value[A] + state.value[B] - state.value[e]
    c = int(_uniform(state.generator) * k)
    merged, partner = -np.inf, -1
    if c != e:
        for d in range(k):
            if d != c and d != e:
                change = _value(rows, state, c, d) - state.value[c] - state.value[d]
                if change > merged:
                    merged, partner = change, d
    rise = split + merged
    if partner >= 0 and rise > _least(state, heat):
        state.value[c] += merged + state.value[partner]
        state.n_rows[c] += state.n_rows[partner]
        state.size[c] += state.size[partner]
        for cell in range(state.mass.shape[1]):
            state.mass[c, cell] += state.mass[partner, cell]
        for column in range(state.total.shape[1]):
            state.total[c, column] += state.total[partner, column]
        for row in range(state.z.shape[0]):
            if state.z[row] == partner:
                state.z[row] = c
        _take_trial(state, n, e, partner)
    else:
        rise = 0.0
    _clear_trial(state)
    return rise


@jit
def search_clusters(rows, state, n_sweeps, n_proposals, heat, stop):
    """Sweeps over the rows, and proposals for pairs of rows after each.

    The state must be counted (``count_clusters``). Changes that lower the sum are accepted as if it were divided by the
    heat, which falls to 0 at four fifths of the sweeps. The best clusters are left in z; the counts are not theirs.
    Returns how much they are above the first. ``stop``, (1,) uint8, is not 0 as soon as it is to return at once.
    """
    n = state.z.shape[0]
    total, highest, quiet = 0.0, 0.0, 0
    for i in range(n):
        state.best[i] = state.z[i]
    for sweep in range(n_sweeps):
        now = max(heat * (1.0 - _COOLED * sweep / n_sweeps), 0.0)
        rise = 0.0
        for i in range(n):
            if stop[0] != 0:
                return highest
            rise += _move_row(rows, state, i, now)
        for _ in range(n_proposals):
            if stop[0] != 0:
                return highest
            i = int(_uniform(state.generator) * n)
            split = _uniform(state.generator) < 0.5
            j = _draw_from(state, state.z[i] if split else _next_best(rows, state, i), i)
            if split and j >= 0:
                rise += _split_and_merge(rows, state, i, j, now)
            elif j >= 0:
                rise += _renew_two(rows, state, i, j, now)
        total += rise
        if total > highest:
            highest = total
            for i in range(n):
                state.best[i] = state.z[i]
        quiet = quiet + 1 if abs(rise) < _LEAST else 0
        if quiet == _QUIET or (quiet and now == 0.0):
            break
    for i in range(n):
        state.z[i] = state.best[i]
    return highest
