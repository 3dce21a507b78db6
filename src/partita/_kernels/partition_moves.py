"""Moves of a partition that lower its expected distance from the clusterings of an ensemble (eqs. V5 to V7).

The loss is a constant plus the sum over clusters q and entries e of coef_e f(mass_eq), with f(x) = x log2 x or x^2.
An entry is a label of a clustering, or "has a label of clustering m"; mass_eq is the weight of the rows of cluster q
that have it. So a row is a list of entries, and adding it to a cluster costs the sum of the changes of these.

Clusters live in slots, some of them empty. The last two slots are for trials, and empty between them.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

ROUNDING = 1e-11  # relative to what is added up: a smaller gain may be rounding, and rows could move for ever


class MoveRows(NamedTuple):
    """Rows of entries, and what does not change."""

    start: Any  # (n + 1,) int64, row i has the entries start[i] to start[i + 1] - 1
    entries: Any  # (n_listed,) int32
    row_weights: Any  # (n,) float64
    coef: Any  # (n_entries,) float64
    unit: float  # the most frequent weight of a row, for which ``step`` is kept
    is_vi: bool  # f(x) = x log2 x, else x^2
    logs: Any  # x log2 x of whole numbers, if all weights are whole; else empty


class MergePairs(NamedTuple):
    """What merges of all pairs of clusters cost, kept from one search for merges to the next."""

    content: Any  # (n_slots, n_entries) float64, mass of each cluster when it was last looked at
    logged: Any  # (n_slots, n_entries) float64, f of it
    listed: Any  # (n_slots, n_entries) int32, first the entries that the cluster has
    n_listed: Any  # (n_slots,) int64, how many these are; -1: nothing is known of the cluster
    cost: Any  # (n_slots, n_slots) float64, upper triangle


def make_pairs(n_slots: int, n_entries: int) -> MergePairs:
    """Memory of merges among so many slots, none of which is known yet."""
    listed = np.empty((n_slots, n_entries), dtype=np.int32)
    content, logged = np.empty((n_slots, n_entries)), np.empty((n_slots, n_entries))
    return MergePairs(content, logged, listed, np.full(n_slots, -1, dtype=np.int64), np.empty((n_slots, n_slots)))


NO_PAIRS = make_pairs(0, 0)


class MoveState(NamedTuple):
    """Clusters of the rows, and what they hold."""

    z: Any  # (n,) int64, slot of each row
    n_rows: Any  # (n_slots,) int64
    mass: Any  # (n_entries, n_slots) float64
    step: Any  # (n_entries, n_slots) float64, cost of adding a row of weight ``unit`` that has this entry
    value: Any  # (n_slots,) float64, what each cluster adds to the loss
    cost: Any  # (n_slots,) float64, memory
    members: Any  # (n,) int64, memory
    before: Any  # (n,) int64, memory
    generator: Any  # (1,) uint64
    pairs: MergePairs = NO_PAIRS  # memory of ``merge_clusters``


# ------------------------------------------------------------------------------------------------------- small parts
@helper
def _draw(generator, n):
    """A random number below n, by a linear congruential generator (Knuth's MMIX)."""
    generator[0] = generator[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return int((generator[0] >> np.uint64(11)) * (1.0 / 9007199254740992.0) * n)


@helper
def shuffle(generator, order, n):
    for place in range(n - 1, 0, -1):
        other = _draw(generator, place + 1)
        order[place], order[other] = order[other], order[place]


@helper
def f_of(rows, x):
    """f(x); a difference of sums may be slightly below 0."""
    if not rows.is_vi:
        return x * x
    if rows.logs.shape[0] > 0:
        return rows.logs[int(x + 0.5)]
    return x * math.log2(x) if x > 0.0 else 0.0


@helper
def put_row(rows, state, i, q, sign):
    """Add row i to slot q (sign 1), or take it out (-1)."""
    w = sign * rows.row_weights[i]
    state.n_rows[q] += int(sign)
    for place in range(rows.start[i], rows.start[i + 1]):
        e = rows.entries[place]
        old = state.mass[e, q]
        new = 0.0 if state.n_rows[q] == 0 else max(old + w, 0.0)
        state.value[q] += rows.coef[e] * (f_of(rows, new) - f_of(rows, old))
        state.mass[e, q] = new
        state.step[e, q] = rows.coef[e] * (f_of(rows, new + rows.unit) - f_of(rows, new))
    if state.n_rows[q] == 0:
        state.value[q] = 0.0


@helper
def row_costs(rows, state, i, top):
    """What row i would add to each of the slots before ``top`` (eq. V6)."""
    w, cost = rows.row_weights[i], state.cost
    for q in range(top):
        cost[q] = 0.0
    if w == rows.unit:
        for place in range(rows.start[i], rows.start[i + 1]):
            e = rows.entries[place]
            for q in range(top):
                cost[q] += state.step[e, q]
        return
    for place in range(rows.start[i], rows.start[i + 1]):
        e = rows.entries[place]
        for q in range(top):
            x = state.mass[e, q]
            cost[q] += rows.coef[e] * (f_of(rows, x + w) - f_of(rows, x))


@helper
def own_cost(rows, state, i, q):
    """What row i adds to its own cluster, and the sum of the sizes of what was added up."""
    w, total, size = rows.row_weights[i], 0.0, 0.0
    for place in range(rows.start[i], rows.start[i + 1]):
        e = rows.entries[place]
        x = state.mass[e, q]
        part = rows.coef[e] * (f_of(rows, x) - f_of(rows, max(x - w, 0.0)))
        total += part
        size += abs(part)
    return total, size


@helper
def cost_alone(rows, i):
    """What row i adds as a cluster of its own."""
    total, alone = 0.0, f_of(rows, rows.row_weights[i])
    for place in range(rows.start[i], rows.start[i + 1]):
        total += rows.coef[rows.entries[place]] * alone
    return total


@helper
def count_clusters(state):
    """Slots that are not empty."""
    live = 0
    for q in range(state.n_rows.shape[0] - 2):
        live += 1 if state.n_rows[q] > 0 else 0
    return live


@helper
def top_slot(state):
    """The slot after the last one that is not empty."""
    top = state.n_rows.shape[0] - 2
    while top > 0 and state.n_rows[top - 1] == 0:
        top -= 1
    return top


@helper
def empty_slot(state):
    """The first empty slot, -1 if there is none."""
    for q in range(state.n_rows.shape[0] - 2):
        if state.n_rows[q] == 0:
            return q
    return -1


# ------------------------------------------------------------------------------------------------------ whole states
@jit
def fill_tables(rows, state):
    """Tables of the clusters in ``z``; slots are numbered anew, without gaps, in the order of their first row."""
    n, n_slots = state.z.shape[0], state.n_rows.shape[0]
    name = np.empty(n_slots, dtype=np.int64)
    for q in range(n_slots):
        name[q] = -1
        state.n_rows[q] = 0
        state.value[q] = 0.0
    live = 0
    for e in range(state.mass.shape[0]):
        for q in range(n_slots):
            state.mass[e, q] = 0.0
    for i in range(n):
        if name[state.z[i]] < 0:
            name[state.z[i]] = live
            live += 1
        q = name[state.z[i]]
        state.z[i] = q
        state.n_rows[q] += 1
        for place in range(rows.start[i], rows.start[i + 1]):
            state.mass[rows.entries[place], q] += rows.row_weights[i]
    for e in range(state.mass.shape[0]):
        nothing = rows.coef[e] * f_of(rows, rows.unit)
        for q in range(n_slots):
            x = state.mass[e, q]
            if x > 0.0:
                state.value[q] += rows.coef[e] * f_of(rows, x)
                state.step[e, q] = rows.coef[e] * (f_of(rows, x + rows.unit) - f_of(rows, x))
            else:
                state.step[e, q] = nothing
    return live


@jit
def sweep(rows, state, n_least, n_most, order, stop):
    """Give each row, in random order, to the cluster in which it adds least, or to a new one (eq. V6).

    The number of clusters stays from ``n_least`` to ``n_most``. Returns the number of moves, and whether a new cluster
    found no empty slot. ``stop``, (1,) uint8, is not 0 as soon as it is to return at once.
    """
    n_moves, is_full = 0, False
    live, top = count_clusters(state), top_slot(state)
    shuffle(state.generator, order, order.shape[0])
    for place in range(order.shape[0]):
        if stop[0] != 0:
            break
        i = order[place]
        own = state.z[i]
        is_last = state.n_rows[own] == 1
        if is_last and live <= n_least:
            continue
        row_costs(rows, state, i, top)
        now, size = own_cost(rows, state, i, own)
        best, least = own, now - ROUNDING * size
        for q in range(top):
            if state.cost[q] < least and q != own and state.n_rows[q] > 0:
                best, least = q, state.cost[q]
        if not is_last and live < n_most and cost_alone(rows, i) < least:
            q = empty_slot(state)
            if q < 0:
                is_full = True
            else:
                best = q
        if best == own:
            continue
        live += (1 if state.n_rows[best] == 0 else 0) - (1 if is_last else 0)
        put_row(rows, state, i, own, -1.0)
        put_row(rows, state, i, best, 1.0)
        state.z[i] = best
        top = max(top, best + 1)
        n_moves += 1
    return n_moves, is_full


@jit
def allocate(rows, state, n_most, order, stop):
    """Rows in random order, each to the cluster in which it adds least given those before it, or to a new one.

    All rows must be outside the (empty) tables. Returns the number of clusters, at once if ``stop`` is not 0.
    """
    live = 0
    limit = min(n_most, state.n_rows.shape[0] - 2)
    shuffle(state.generator, order, order.shape[0])
    for place in range(order.shape[0]):
        if stop[0] != 0:
            break
        i = order[place]
        row_costs(rows, state, i, live)
        best = -1
        for q in range(live):
            if best < 0 or state.cost[q] < state.cost[best]:
                best = q
        if live < limit and (best < 0 or cost_alone(rows, i) < state.cost[best]):
            best = live
            live += 1
        put_row(rows, state, i, best, 1.0)
        state.z[i] = best
    return live


@jit
def nearest_clusters(rows, state, n_clusters, labels, stop):
    """Cluster in which each row, not one of those in the tables, adds least, among the first ``n_clusters`` slots."""
    for i in range(rows.row_weights.shape[0]):
        if stop[0] != 0:
            return
        row_costs(rows, state, i, n_clusters)
        best = 0
        for q in range(1, n_clusters):
            if state.cost[q] < state.cost[best]:
                best = q
        labels[i] = best


# ------------------------------------------------------------------------------------------------------------- merges
@helper
def _new_pairs(n_slots, n_entries):
    """Memory of merges that knows no cluster yet."""
    n_listed = np.empty(n_slots, dtype=np.int64)
    for q in range(n_slots):
        n_listed[q] = -1
    content, logged = np.empty((n_slots, n_entries)), np.empty((n_slots, n_entries))
    listed = np.empty((n_slots, n_entries), dtype=np.int32)
    return MergePairs(content, logged, listed, n_listed, np.empty((n_slots, n_slots)))


@helper
def _list_entries(rows, pairs, q):
    """Entries that cluster q has, and f of them."""
    n = 0
    for e in range(pairs.content.shape[1]):
        pairs.logged[q, e] = f_of(rows, pairs.content[q, e])
        if pairs.content[q, e] > 0.0:
            pairs.listed[q, n] = e
            n += 1
    pairs.n_listed[q] = n


@helper
def _merge_cost(rows, pairs, p, q):
    """What merging two clusters adds to the loss (eq. V7); entries of one of them alone cancel."""
    content, total, size = pairs.content, 0.0, 0.0
    short = p if pairs.n_listed[p] <= pairs.n_listed[q] else q
    for place in range(pairs.n_listed[short]):
        e = pairs.listed[short, place]
        if content[p, e] > 0.0 and content[q, e] > 0.0:
            part = rows.coef[e] * (f_of(rows, content[p, e] + content[q, e]) - pairs.logged[p, e] - pairs.logged[q, e])
            total += part
            size += abs(part)
    return total if abs(total) > ROUNDING * size else 0.0


@helper
def _know_clusters(rows, state, pairs, top, stop):
    """Bring what is kept of the clusters, and of the merges of those that have changed, up to date."""
    is_new = np.empty(top, dtype=np.bool_)
    for q in range(top):
        is_new[q] = pairs.n_listed[q] < 0
        for e in range(pairs.content.shape[1]):
            if is_new[q] or pairs.content[q, e] != state.mass[e, q]:
                is_new[q] = True
                pairs.content[q, e] = state.mass[e, q]
        if is_new[q]:
            _list_entries(rows, pairs, q)
        if state.n_rows[q] == 0:
            pairs.n_listed[q] = -1
    for a in range(top):
        if stop[0] != 0:
            return
        for b in range(a + 1, top):
            if (is_new[a] or is_new[b]) and pairs.n_listed[a] >= 0 and pairs.n_listed[b] >= 0:
                pairs.cost[a, b] = _merge_cost(rows, pairs, a, b)


@helper
def _find_partner(pairs, a, top, partner):
    """The cluster after ``a`` with which a merge adds least, the first of equals; -1 if there is none."""
    partner[a] = -1
    for b in range(a + 1, top):
        if pairs.n_listed[b] >= 0 and (partner[a] < 0 or pairs.cost[a, b] < pairs.cost[a, partner[a]]):
            partner[a] = b


@helper
def _best_merge(pairs, top, partner):
    """The first cluster of the best pair, the first of equals; -1 if there is none."""
    p = -1
    for a in range(top):
        if pairs.n_listed[a] >= 0 and partner[a] >= 0:
            if p < 0 or pairs.cost[a, partner[a]] < pairs.cost[p, partner[p]]:
                p = a
    return p


@helper
def _merge_pair(rows, pairs, p, q, top, partner):
    """Cluster q joins p, and the costs and partners that this changes are found again."""
    for e in range(pairs.content.shape[1]):
        pairs.content[p, e] += pairs.content[q, e]
    _list_entries(rows, pairs, p)
    pairs.n_listed[q] = -1
    for b in range(top):
        if pairs.n_listed[b] >= 0 and b != p:
            low, high = min(p, b), max(p, b)
            pairs.cost[low, high] = _merge_cost(rows, pairs, low, high)
    for a in range(q):
        if pairs.n_listed[a] < 0:
            continue
        if a == p or partner[a] == p or partner[a] == q:
            _find_partner(pairs, a, top, partner)
        elif a < p and (
            pairs.cost[a, p] < pairs.cost[a, partner[a]]
            or (pairs.cost[a, p] == pairs.cost[a, partner[a]] and p < partner[a])
        ):
            partner[a] = p


@jit
def merge_clusters(rows, state, n_least, n_most, stop):
    """Merge the best pair of clusters while that lowers the loss, or while there are more than ``n_most``.

    Never below ``n_least`` clusters. ``fill_tables`` must follow: z and the number of rows are changed, no table.
    ``state.pairs``, if it has room, keeps costs of pairs for the next call, where few clusters will have changed.
    Returns the number of merges. ``stop``, (1,) uint8, is not 0 as soon as it is to return at once.
    """
    top, live = top_slot(state), count_clusters(state)
    pairs = state.pairs
    if pairs.cost.shape[0] < top:
        pairs = _new_pairs(top, state.mass.shape[0])
    _know_clusters(rows, state, pairs, top, stop)
    if stop[0] != 0:
        return 0
    into, partner = np.empty(top, dtype=np.int64), np.empty(top, dtype=np.int64)
    for q in range(top):
        into[q] = q
        _find_partner(pairs, q, top, partner)
    n_merges = 0
    while live > n_least and stop[0] == 0:
        p = _best_merge(pairs, top, partner)
        if p < 0 or (live <= n_most and pairs.cost[p, partner[p]] >= 0.0):
            break
        q = partner[p]
        _merge_pair(rows, pairs, p, q, top, partner)
        for b in range(top):
            if into[b] == q:
                into[b] = p
        live -= 1
        n_merges += 1
    for i in range(state.z.shape[0]):
        state.z[i] = into[state.z[i]]
    return n_merges
