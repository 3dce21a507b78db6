"""Clusters of a partition rearranged: shared out anew, taken apart, parts of them moved (eqs. V8 to V10).

State and small parts are those of ``partition_moves.py``.
"""

from partita._kernels import partition_moves
from partita._kernels._jit import helper, jit_over
from partita._kernels.partition_moves import (
    ROUNDING,
    cost_alone,
    count_clusters,
    empty_slot,
    f_of,
    own_cost,
    put_row,
    row_costs,
    shuffle,
    top_slot,
)

_FAR = 8  # rows of which the one with the fewest entries in common with the first seeds the second half of a split
_PASSES = 2  # turns in which the rows of the two halves may change sides: later ones hardly move any


@helper
def _cost(rows, state, i, q):
    """What row i would add to one slot."""
    w, total = rows.row_weights[i], 0.0
    for place in range(rows.start[i], rows.start[i + 1]):
        e = rows.entries[place]
        x = state.mass[e, q]
        total += rows.coef[e] * (f_of(rows, x + w) - f_of(rows, x))
    return total


@helper
def _list_members(state, p, q):
    """Write the rows of two slots (q may be -1) to ``members``; returns their number."""
    n = 0
    for i in range(state.z.shape[0]):
        if state.z[i] == p or state.z[i] == q:
            state.members[n] = i
            n += 1
    return n


@helper
def _clear(state, q):
    """Make a slot of trials empty again; the costs of trials are computed without ``step``."""
    state.n_rows[q] = 0
    state.value[q] = 0.0
    for e in range(state.mass.shape[0]):
        state.mass[e, q] = 0.0


# ---------------------------------------------------------------------------------------- two clusters, shared out anew
@helper
def _common(rows, i, j):
    """Entries that two rows have in common; both lists are in increasing order."""
    n, a, b = 0, rows.start[i], rows.start[j]
    while a < rows.start[i + 1] and b < rows.start[j + 1]:
        if rows.entries[a] == rows.entries[b]:
            n += 1
            a += 1
            b += 1
        elif rows.entries[a] < rows.entries[b]:
            a += 1
        else:
            b += 1
    return n


@helper
def _seeds(rows, state, n):
    """Bring two rows that have little in common to the front of the members, which are in random order."""
    far, least = 1, _common(rows, state.members[0], state.members[1])
    for place in range(2, min(n, _FAR + 1)):
        common = _common(rows, state.members[0], state.members[place])
        if common < least:
            far, least = place, common
    state.members[1], state.members[far] = state.members[far], state.members[1]


@helper
def _share_out(rows, state, n, stop):
    """Members into the two slots of trials, each where it adds least, then a few turns of changing sides."""
    A, B = state.n_rows.shape[0] - 2, state.n_rows.shape[0] - 1
    for place in range(n):
        if stop[0] != 0:
            return
        i = state.members[place]
        state.before[place] = state.z[i]
        side = A if place == 0 else B
        if place > 1 and _cost(rows, state, i, A) < _cost(rows, state, i, B):
            side = A
        state.z[i] = side
        put_row(rows, state, i, side, 1.0)
    for _ in range(_PASSES):
        n_moves = 0
        for place in range(n):
            if stop[0] != 0:
                return
            i = state.members[place]
            own = state.z[i]
            other = A + B - own
            if state.n_rows[own] > 1:
                now, size = own_cost(rows, state, i, own)
                if _cost(rows, state, i, other) < now - ROUNDING * size:
                    put_row(rows, state, i, own, -1.0)
                    put_row(rows, state, i, other, 1.0)
                    state.z[i] = other
                    n_moves += 1
        if n_moves == 0:
            break


@helper
def _take_trial(rows, state, n, p, q, accepted):
    """Put the members of the trial into slots p and q if it is accepted, else back; the trial slots are empty then."""
    A, B = state.n_rows.shape[0] - 2, state.n_rows.shape[0] - 1
    if accepted:
        for slot, trial in ((p, A), (q, B)):
            state.n_rows[slot] = state.n_rows[trial]
            state.value[slot] = state.value[trial]
            for e in range(state.mass.shape[0]):
                x = state.mass[e, trial]
                state.mass[e, slot] = x
                state.step[e, slot] = rows.coef[e] * (f_of(rows, x + rows.unit) - f_of(rows, x))
    for place in range(n):
        i = state.members[place]
        if accepted:
            state.z[i] = p if state.z[i] == A else q
        else:
            state.z[i] = state.before[place]
    _clear(state, A)
    _clear(state, B)


@jit_over(partition_moves)
def share_out(rows, state, p, q, is_forced, stop):
    """Share the rows of two clusters out anew (eq. V8), or split cluster p if slot q is empty.

    Kept if the loss falls, or if ``is_forced``. Returns what it adds to the loss; 0 if nothing changed. ``stop``, (1,)
    uint8, is not 0 as soon as it is to return at once.
    """
    n = _list_members(state, p, q)
    if n < 2:
        return 0.0
    shuffle(state.generator, state.members, n)
    _seeds(rows, state, n)
    _share_out(rows, state, n, stop)
    if stop[0] != 0:
        return 0.0
    A, B = state.n_rows.shape[0] - 2, state.n_rows.shape[0] - 1
    change = state.value[A] + state.value[B] - state.value[p] - state.value[q]
    size = abs(state.value[A]) + abs(state.value[B]) + abs(state.value[p]) + abs(state.value[q])
    accepted = is_forced or change < -ROUNDING * size
    _take_trial(rows, state, n, p, q, accepted)
    return change if accepted else 0.0


@jit_over(partition_moves)
def dissolve(rows, state, q, n_least, n_most, stop):
    """Take cluster q apart: each row goes where it adds least, or to a new cluster (eq. V9).

    Kept if the loss falls, and in any case where there are more than ``n_most`` clusters: then no new one is opened.
    Returns what it adds to the loss; 0 if nothing changed. ``stop``, (1,) uint8, is not 0 as soon as it is to return at
    once.
    """
    n = _list_members(state, q, -1)
    shuffle(state.generator, state.members, n)
    live, top = count_clusters(state) - 1, top_slot(state)
    is_forced = live >= n_most
    old, size = 0.0, 0.0
    for slot in range(top):
        old += state.value[slot]
        size += abs(state.value[slot])
    for place in range(n):
        put_row(rows, state, state.members[place], q, -1.0)
    for place in range(n):
        if stop[0] != 0:
            return 0.0
        i = state.members[place]
        row_costs(rows, state, i, top)
        best, least = -1, 0.0
        for slot in range(top):
            if state.n_rows[slot] > 0 and (best < 0 or state.cost[slot] < least):
                best, least = slot, state.cost[slot]
        if best < 0 or (live < n_most and cost_alone(rows, i) < least):
            new = empty_slot(state)
            if new >= 0:
                best = new
                live += 1
        put_row(rows, state, i, best, 1.0)
        state.z[i] = best
        top = max(top, best + 1)
    change = -old
    for slot in range(top):
        change += state.value[slot]
    if is_forced or (change < -ROUNDING * size and live >= n_least):
        return change
    for place in range(n):
        put_row(rows, state, state.members[place], state.z[state.members[place]], -1.0)
    for place in range(n):
        state.z[state.members[place]] = q
        put_row(rows, state, state.members[place], q, 1.0)
    return 0.0


# ------------------------------------------------------------------------------------------------- parts of clusters
@helper
def _part_costs(rows, state, q, top):
    """Cost of adding the part in the trial slot to every slot before ``top``; slot q as if the part were not in it."""
    A, cost = state.n_rows.shape[0] - 2, state.cost
    size = 0.0
    for p in range(top + 1):
        cost[p] = 0.0
    for e in range(state.mass.shape[0]):
        x = state.mass[e, A]
        if x > 0.0:
            for p in range(top):
                y = state.mass[e, p] if p != q else max(state.mass[e, p] - x, 0.0)
                cost[p] += rows.coef[e] * (f_of(rows, y + x) - f_of(rows, y))
            y = max(state.mass[e, q] - x, 0.0)
            size += abs(rows.coef[e]) * (f_of(rows, y + x) - f_of(rows, y))
            cost[top] += rows.coef[e] * f_of(rows, x)  # as a cluster of its own
    return size


@helper
def _move_part(rows, state, q, p, n):
    """Move the part in the trial slot, whose rows are the first members, from slot q to slot p."""
    A = state.n_rows.shape[0] - 2
    for e in range(state.mass.shape[0]):
        x = state.mass[e, A]
        if x > 0.0:
            for slot, y in ((q, max(state.mass[e, q] - x, 0.0)), (p, state.mass[e, p] + x)):
                state.value[slot] += rows.coef[e] * (f_of(rows, y) - f_of(rows, state.mass[e, slot]))
                state.mass[e, slot] = y
                state.step[e, slot] = rows.coef[e] * (f_of(rows, y + rows.unit) - f_of(rows, y))
    state.n_rows[q] -= n
    state.n_rows[p] += n
    for place in range(n):
        state.z[state.members[place]] = p


@helper
def _take_part(rows, state, order, lo, hi):
    """Add up, in the trial slot, the rows order[lo] to order[hi - 1], all of one cluster."""
    A = state.n_rows.shape[0] - 2
    for place in range(lo, hi):
        i = order[place]
        state.members[place - lo] = i
        for entry in range(rows.start[i], rows.start[i + 1]):
            state.mass[rows.entries[entry], A] += rows.row_weights[i]


@jit_over(partition_moves)
def move_parts(rows, state, order, edges, n_most, stop):
    """Move the rows of a cluster that have one label in common to another cluster, or a new one, where that gains.

    order  IN (n,) int64, rows by their labels in one clustering, and by their clusters
    edges  IN (n_parts + 1,) int64, where the rows of each label and cluster begin
    stop   IN (1,) uint8, not 0 as soon as it is to return, whatever is done by then

    Returns the number of moves (eq. V10).
    """
    n_moves, A = 0, state.n_rows.shape[0] - 2
    for part in range(edges.shape[0] - 1):
        if stop[0] != 0:
            break
        n, q = edges[part + 1] - edges[part], state.z[order[edges[part]]]
        if n == 1 or n == state.n_rows[q]:  # sweeps move single rows, and merges whole clusters
            continue
        _take_part(rows, state, order, edges[part], edges[part + 1])
        top = top_slot(state)
        size = _part_costs(rows, state, q, top)
        best, least = q, state.cost[q] - ROUNDING * size
        for p in range(top):
            if state.cost[p] < least and state.n_rows[p] > 0:
                best, least = p, state.cost[p]
        if state.cost[top] < least and count_clusters(state) < n_most:
            new = empty_slot(state)
            best = new if new >= 0 else best
        if best != q:
            _move_part(rows, state, q, best, n)
            n_moves += 1
        _clear(state, A)
    return n_moves
