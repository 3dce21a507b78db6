"""The papers' greedy algorithm for PCC: the row with the largest gap, and a step between two of its clusters.

With U the cluster of the smallest derivative of row i and V that of the largest one in use, mass moves from V to U until
the objective falls no more (eq. P27). The gradients of all rows are kept up to date (eq. P29). A step over all pairs
costs O(n K); over chosen pairs it looks at the p neighbours of the row only, O(p K), and the row of the largest gap is
on top of a heap, in which a step changes the row and its neighbours, O(p log n).

Rows may have a weight w: the objective of a row's own objects is replaced by its bound, as in ``pcc_pairs``.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper_sums, jit_sums

_KL = 0  # pcc_pairs.KL
_TINY = 1e-100  # as in pcc_pairs: a barrier that no step crosses
_FLAT = 0.02  # slope at which a step may end, relative to the first; smaller ones cost more passes than they save steps
_NO_STEP = 1e-18  # step that is none: far below the least membership that counts
_PASSES = 100  # of a line search, at most: bisection alone ends before


class GreedyWork(NamedTuple):
    """Work space for one row with its m neighbours, without the weights of rows."""

    c: Any  # (m,) C_ij
    n: Any  # (m,) N_ij
    w: Any  # (m,) w_j
    e: Any  # (m,) change of a along the step
    a: Any  # (m,) y_i.y_j before the step
    a_new: Any  # (m,) after it


@helper_sums
def _slope(kind, c, n, a):
    """N d'(c / N, a): derivative in the second argument."""
    if kind == _KL:
        return (n - c) / max(1.0 - a, _TINY) - c / max(a, _TINY)
    return 2.0 * (n * a - c)


@helper_sums
def _slope_and_bend(kind, work, m, own, eps):
    """First and second derivative of the row's bound at step eps; own holds copies, y.y and its change."""
    slope = 0.0
    bend = 0.0
    c, n, w, e, a = work.c, work.n, work.w, work.e, work.a
    if kind == _KL:
        for j in range(m):
            x = a[j] + eps * e[j]
            near = 1.0 / max(x, _TINY)
            far = 1.0 / max(1.0 - x, _TINY)
            together = c[j] * near
            apart = (n[j] - c[j]) * far
            slope += w[j] * e[j] * (apart - together)
            bend += w[j] * e[j] * e[j] * (together * near + apart * far)
    else:
        for j in range(m):
            slope += w[j] * e[j] * 2.0 * (n[j] * (a[j] + eps * e[j]) - c[j])
            bend += w[j] * e[j] * e[j] * 2.0 * n[j]
    if own[0] > 0.0:
        x = own[1] + eps * own[2]
        slope += 0.5 * own[2] * _slope(kind, own[0], own[0], x)
        second = own[0] / max(x, _TINY) ** 2 if kind == _KL else 2.0 * own[0]
        bend += 0.5 * own[2] * own[2] * second
    return slope, bend


@helper_sums
def _step_length(kind, work, m, own, limit, gap):
    """The end of the segment if the objective still falls there, else a point just left of the lowest one.

    Newton's steps on the slope, which never falls, inside a bracket that shrinks; they aim at a slope of -_FLAT / 2 of
    the first one, so that they arrive on the left, where the objective still falls. For l2 the first is exact.
    """
    left, right = 0.0, limit
    aim = 0.5 * _FLAT * gap
    _, bend = _slope_and_bend(kind, work, m, own, 0.0)
    eps = limit if bend * limit <= gap - aim else (gap - aim) / bend
    ended = False  # whether the slope at the end of the segment is known to be positive
    for trial in range(_PASSES):
        slope, bend = _slope_and_bend(kind, work, m, own, eps)
        if slope <= 0.0:
            left = eps
            if eps == limit or slope >= -_FLAT * gap:
                break
        else:
            right = eps
            ended = True
        eps = eps - (slope + aim) / bend if bend > 0.0 else right
        if not ended and eps >= limit:
            eps = limit
        elif not (left < eps < right) or trial % 4 == 3:  # every fourth time bisection: Newton alone may crawl
            eps = 0.5 * (left + right)
        if eps <= left or eps < _NO_STEP:  # no step helps: the slope is 0 but for rounding
            break
    return left


@helper_sums
def _choose_clusters(y, g):
    """Cluster with the smallest derivative, that with the largest one in use, and the difference."""
    low = 0
    high = -1
    for h in range(y.shape[0]):
        if g[h] < g[low]:
            low = h
        if y[h] > 0.0 and (high < 0 or g[h] > g[high]):
            high = h
    return low, high, g[high] - g[low]


@helper_sums
def _move(kind, work, m, y, own, copies, low, high, gap):
    """Move mass of y between two clusters; returns how much."""
    own[0] = copies
    own[1] = 0.0
    for h in range(y.shape[0]):
        own[1] += y[h] * y[h]
    own[2] = 2.0 * (y[low] - y[high])
    eps = _step_length(kind, work, m, own, y[high], gap)
    y[low] += eps
    y[high] = 0.0 if eps == y[high] else y[high] - eps
    return eps


@helper_sums
def _add_own(kind, y, copies, g):
    """What the objects of the row itself add to its gradient."""
    if copies > 0.0:
        square = 0.0
        for h in range(y.shape[0]):
            square += y[h] * y[h]
        own = _slope(kind, copies, copies, square)
        for h in range(y.shape[0]):
            g[h] += own * y[h]


# ------------------------------------------------------------------------------------------------------ all pairs
@helper_sums
def _load_all(pairs, i, work):
    n = pairs.row_weights.shape[0]
    for j in range(n):
        work.c[j] = pairs.C[i, j]
    if pairs.N.shape[0] == 1:
        total = float(pairs.N[0, 0])
        for j in range(n):
            work.n[j] = total
    else:
        for j in range(n):
            work.n[j] = pairs.N[i, j]
    work.c[i] = 0.0
    work.n[i] = 0.0


@helper_sums
def _combine_all(Y_t, y, out):
    """out_j = y.y_j."""
    n = Y_t.shape[1]
    for j in range(n):
        out[j] = 0.0
    for h in range(y.shape[0]):
        x = y[h]
        if x != 0.0:
            for j in range(n):
                out[j] += x * Y_t[h, j]


@helper_sums
def _gradient_all(kind, pairs, Y_t, y, i, work, t, g):
    """Gradient of row i; leaves a in a_new, and in t the slope of each pair without weights."""
    n = Y_t.shape[1]
    _combine_all(Y_t, y, work.a_new)
    for j in range(n):
        t[j] = _slope(kind, work.c[j], work.n[j], work.a_new[j])
    for h in range(y.shape[0]):
        total = 0.0
        for j in range(n):
            total += work.w[j] * t[j] * Y_t[h, j]
        g[h] = total
    _add_own(kind, y, pairs.copies[i], g)


@helper_sums
def _largest_gap(Y_t, gradient, low, high, stuck):
    """Row with the largest gap, and the gap; rows that cannot move do not count."""
    k, n = Y_t.shape
    for j in range(n):
        low[j] = np.inf
        high[j] = -np.inf
    for h in range(k):
        for j in range(n):
            value = gradient[h, j]
            low[j] = value if value < low[j] else low[j]
            used = value if Y_t[h, j] > 0.0 else -np.inf
            high[j] = used if used > high[j] else high[j]
    first = 0
    largest = -1.0
    for j in range(n):
        gap = high[j] - low[j]
        if gap > largest and not stuck[j]:
            first = j
            largest = gap
    return first, largest


@jit_sums
def greedy_all(pairs, Y_t, work, gradient, tolerance, n_steps, chosen):
    """Steps over all pairs.

    pairs     IN  dense
    Y_t       IN/OUT (k, n) float64
    work      WORK (n,) each
    gradient  OUT (k, n) float64, computed from scratch, then kept up to date
    tolerance IN  float64
    n_steps   IN  int64
    chosen    OUT (n_steps,) int64, the row of each step
    Returns the number of steps made, fewer than n_steps if the largest gap is within the tolerance or no row can move,
    and the largest gap before the first.
    """
    k, n = Y_t.shape
    kind = pairs.kind
    y, old, g, own = np.empty(k), np.empty(k), np.empty(k), np.empty(3)
    t, before = np.empty(n), np.empty(n)
    stuck = np.zeros(n, dtype=np.bool_)
    for j in range(n):
        work.w[j] = pairs.row_weights[j]
    for i in range(n):
        _load_all(pairs, i, work)
        for h in range(k):
            y[h] = Y_t[h, i]
        _gradient_all(kind, pairs, Y_t, y, i, work, t, g)
        for h in range(k):
            gradient[h, i] = g[h]
    step = 0
    first_gap = _largest_gap(Y_t, gradient, t, before, stuck)[1]
    while step < n_steps:
        i, gap = _largest_gap(Y_t, gradient, t, before, stuck)
        if gap <= tolerance:
            break
        _load_all(pairs, i, work)
        for h in range(k):
            old[h] = Y_t[h, i]
            y[h] = old[h]
            g[h] = gradient[h, i]
        low, high, gap = _choose_clusters(y, g)
        _combine_all(Y_t, old, work.a)
        for j in range(n):
            work.e[j] = Y_t[low, j] - Y_t[high, j]
        eps = _move(kind, work, n, y, own, pairs.copies[i], low, high, gap)
        if eps <= 0.0:
            stuck[i] = True  # until another row moves
            continue
        chosen[step] = i
        step += 1
        for j in range(n):
            stuck[j] = False
            before[j] = _slope(kind, work.c[j], work.n[j], work.a[j])
        for h in range(k):
            Y_t[h, i] = y[h]
        _gradient_all(kind, pairs, Y_t, y, i, work, t, g)
        w = pairs.row_weights[i]
        for h in range(k):
            gains, loses = w * y[h], w * old[h]
            if gains != 0.0 or loses != 0.0:
                for j in range(n):
                    gradient[h, j] += gains * t[j] - loses * before[j]
            gradient[h, i] = g[h]
    return step, first_gap


# --------------------------------------------------------------------------------------------------- chosen pairs
@helper_sums
def _gap_of(Y, gradient, j):
    low = np.inf
    high = -np.inf
    for h in range(Y.shape[1]):
        low = min(low, gradient[j, h])
        if Y[j, h] > 0.0:
            high = max(high, gradient[j, h])
    return high - low


@helper_sums
def _set_gap(heap, size, i, gap):
    """Set the gap of row i, and the maxima above it, as far as they change."""
    place = size + i
    heap[place] = gap
    place //= 2
    while place >= 1:
        top = max(heap[2 * place], heap[2 * place + 1])
        if heap[place] == top:
            return
        heap[place] = top
        place //= 2


@helper_sums
def _load_neighbours(pairs, Y, y, i, low, high, work):
    """Counts of row i with its neighbours, a and its change; returns how many there are."""
    start = pairs.indptr[i]
    m = pairs.indptr[i + 1] - start
    for p in range(m):
        j = pairs.indices[start + p]
        work.c[p] = pairs.C[0, start + p]
        work.n[p] = pairs.N[0, start + p]
        work.w[p] = pairs.row_weights[j]
        work.e[p] = Y[j, low] - Y[j, high]
        total = 0.0
        for h in range(y.shape[0]):
            total += y[h] * Y[j, h]
        work.a[p] = total
    return m


@helper_sums
def _gradient_chosen(kind, pairs, Y, y, i, m, work, g):
    """Gradient of row i from its neighbours; leaves a in a_new."""
    start = pairs.indptr[i]
    for h in range(y.shape[0]):
        g[h] = 0.0
    for p in range(m):
        j = pairs.indices[start + p]
        a = 0.0
        for h in range(y.shape[0]):
            a += y[h] * Y[j, h]
        work.a_new[p] = a
        t = work.w[p] * _slope(kind, work.c[p], work.n[p], a)
        for h in range(y.shape[0]):
            g[h] += t * Y[j, h]


@jit_sums
def greedy_chosen(pairs, Y, work, heap, gradient, tolerance, n_steps, chosen):
    """Steps over chosen pairs (section 5.4 of the PCC paper).

    The heap is a tree of maxima over the rows: with it the row of the largest gap is found in O(log n), and a new gap
    is entered in O(log n), fewer where the maximum above stays.

    pairs     IN  sparse, one object per row
    Y         IN/OUT (n, k) float64: here a step reads whole memberships of few rows
    work      WORK (m,) each, for the row with the most neighbours
    heap      WORK (2 * size,) float64, gaps in heap[size:], maxima of two above
    gradient  OUT (n, k) float64, computed from scratch, then kept up to date
    tolerance IN  float64
    n_steps   IN  int64
    chosen    OUT (n_steps,) int64, the row of each step
    Returns the number of steps made, fewer than n_steps if the largest gap is within the tolerance or no row can move,
    and the largest gap before the first.
    """
    n, k = Y.shape
    kind = pairs.kind
    size = heap.shape[0] // 2
    y, old, g, own = np.empty(k), np.empty(k), np.empty(k), np.empty(3)
    for place in range(2 * size):
        heap[place] = 0.0
    for i in range(n):
        for h in range(k):
            y[h] = Y[i, h]
        m = _load_neighbours(pairs, Y, y, i, 0, 0, work)
        _gradient_chosen(kind, pairs, Y, y, i, m, work, g)
        for h in range(k):
            gradient[i, h] = g[h]
        heap[size + i] = _gap_of(Y, gradient, i)
    for place in range(size - 1, 0, -1):
        heap[place] = max(heap[2 * place], heap[2 * place + 1])
    step = 0
    first_gap = heap[1]
    while step < n_steps and heap[1] > tolerance:
        i = 1
        while i < size:
            i = 2 * i if heap[2 * i] >= heap[2 * i + 1] else 2 * i + 1
        i -= size
        for h in range(k):
            old[h] = Y[i, h]
            y[h] = old[h]
            g[h] = gradient[i, h]
        low, high, gap = _choose_clusters(y, g)
        m = _load_neighbours(pairs, Y, y, i, low, high, work)
        eps = _move(kind, work, m, y, own, 0.0, low, high, gap)
        if eps <= 0.0:
            _set_gap(heap, size, i, 0.0)  # until a neighbour moves
            continue
        chosen[step] = i
        step += 1
        for h in range(k):
            Y[i, h] = y[h]
        _gradient_chosen(kind, pairs, Y, y, i, m, work, g)
        for h in range(k):
            gradient[i, h] = g[h]
        _set_gap(heap, size, i, _gap_of(Y, gradient, i))
        start = pairs.indptr[i]
        w = pairs.row_weights[i]
        for p in range(m):
            j = pairs.indices[start + p]
            before = w * _slope(kind, work.c[p], work.n[p], work.a[p])
            after = w * _slope(kind, work.c[p], work.n[p], work.a_new[p])
            for h in range(k):
                gradient[j, h] += y[h] * after - old[h] * before
            _set_gap(heap, size, j, _gap_of(Y, gradient, j))
    return step, first_gap
