"""The papers' greedy algorithm for PCC: the row with the largest gap, and a step between two of its clusters.

With U the cluster of the smallest derivative of row i and V that of the largest one in use, mass moves from V to U
until the objective falls no more (eq. P27). The gradients of all rows are kept up to date (eq. P29). A step over all
pairs costs O(n K); over chosen pairs it looks at the p neighbours of the row only, O(p K), and the row of the largest
gap is on top of a heap, in which a step changes the row and its neighbours, O(p log n).

Rows may have a weight w: the objective of a row's own objects is replaced by its bound, as in ``pcc_pairs``.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper_sums, jit_sums

_KL = 0  # pcc_pairs.KL
_TINY = 1e-100  # as in pcc_pairs: a barrier that no step crosses
_FLAT = 0.01  # slope at which a step may end, relative to the first: from 0.3 to 0.001 the number of steps is the same
_NO_STEP = 1e-18  # step that is none: far below the least membership that counts
_BLOCK = 512  # rows that a step over all pairs looks at together: their memberships and gradients fit in the cache
_PASSES = 100  # of a line search, at most: bisection alone ends before


class GreedyWork(NamedTuple):
    """Work space for one row with its m neighbours, without the weights of rows."""

    c: Any  # (m,) C_ij
    n: Any  # (m,) N_ij
    w: Any  # (m,) w_j
    e: Any  # (m,) change of a along the step
    a: Any  # (m,) y_i.y_j before the step
    a_new: Any  # (m,) after it, for chosen pairs


@helper_sums
def _slope(kind, c, n, a):
    """N d'(c / N, a): derivative in the second argument."""
    if kind == _KL:  # (n - c) / (1 - a) - c / a with one division: it takes as long as all the rest
        near = max(a, _TINY)
        far = max(1.0 - a, _TINY)
        return ((n - c) * near - c * far) / max(near * far, _TINY)
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
            near = max(x, _TINY)
            far = max(1.0 - x, _TINY)
            inverse = 1.0 / max(near * far, _TINY)
            together = c[j] * far * inverse
            apart = (n[j] - c[j]) * near * inverse
            slope += w[j] * e[j] * (apart - together)
            bend += w[j] * e[j] * e[j] * (together * far + apart * near) * inverse
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
def _gradient_all(kind, pairs, Y_t, y, i, work, g):
    """Gradient of row i; leaves a in the work space."""
    n = Y_t.shape[1]
    _combine_all(Y_t, y, work.a)
    for j in range(n):
        work.e[j] = work.w[j] * _slope(kind, work.c[j], work.n[j], work.a[j])
    for h in range(y.shape[0]):
        total = 0.0
        for j in range(n):
            total += work.e[j] * Y_t[h, j]
        g[h] = total
    _add_own(kind, y, pairs.copies[i], g)


@helper_sums
def _slopes(kind, Y_t, start, stop, y, work, t, before):
    """Slope of each pair of a block at the new y, in t, and at the old one."""
    m = stop - start
    c, n, a = work.c[start:stop], work.n[start:stop], work.a[start:stop]
    for j in range(m):
        t[j] = 0.0
    for h in range(y.shape[0]):
        x = y[h]
        if x != 0.0:
            row = Y_t[h, start:stop]
            for j in range(m):
                t[j] += x * row[j]
    for j in range(m):
        before[j] = _slope(kind, c[j], n[j], a[j])
        t[j] = _slope(kind, c[j], n[j], t[j])


@helper_sums
def _gaps_after(Y_t, start, stop, y, old, w, weights, t, before, gradient, g, low, high):
    """Gradients of the rows of a block, their least and largest in use, and what they add to that of the moved row."""
    m = stop - start
    for j in range(m):
        low[j] = np.inf
        high[j] = -np.inf
    for h in range(y.shape[0]):
        gains, loses = w * y[h], w * old[h]
        row, slopes = Y_t[h, start:stop], gradient[h, start:stop]
        total = 0.0
        for j in range(m):
            total += weights[j] * t[j] * row[j]
        g[h] += total
        if gains != 0.0 or loses != 0.0:
            for j in range(m):
                slopes[j] += gains * t[j] - loses * before[j]
        for j in range(m):
            value = slopes[j]
            used = value if row[j] > 0.0 else -np.inf
            low[j] = value if value < low[j] else low[j]
            high[j] = used if used > high[j] else high[j]


@helper_sums
def _update_all(kind, Y_t, i, y, old, w, work, gradient, gaps, g):
    """Gradients and gaps of all rows after row i of weight w moved from old to y; its own gradient, in g, is new.

    One pass over blocks of rows that stay in the cache of a core.
    """
    k, n = Y_t.shape
    t, before, low, high = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    for h in range(k):
        g[h] = 0.0
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        _slopes(kind, Y_t, start, stop, y, work, t, before)
        _gaps_after(Y_t, start, stop, y, old, w, work.w[start:stop], t, before, gradient, g, low, high)
        for j in range(stop - start):
            gaps[start + j] = high[j] - low[j]


@jit_sums
def greedy_all(pairs, Y_t, work, gradient, tolerance, n_steps, chosen, stop):
    """Steps over all pairs.

    pairs     IN  dense
    Y_t       IN/OUT (k, n) float64
    work      WORK (n,) each
    gradient  OUT (k, n) float64, computed from scratch, then kept up to date
    tolerance IN  float64
    n_steps   IN  int64
    chosen    OUT (n_steps,) int64, the row of each step
    stop      IN (1,) uint8, not 0 as soon as it is to return, whatever is done by then
    Returns the number of steps made, fewer than n_steps if the largest gap is within the tolerance or no row can move,
    and the largest gap before the first.
    """
    k, n = Y_t.shape
    kind = pairs.kind
    y, old, g, own, gaps = np.empty(k), np.empty(k), np.empty(k), np.empty(3), np.empty(n)
    for j in range(n):
        work.w[j] = pairs.row_weights[j]
    first_gap = 0.0
    for i in range(n):
        if stop[0] != 0:
            return 0, 0.0
        _load_all(pairs, i, work)
        for h in range(k):
            y[h] = Y_t[h, i]
        _gradient_all(kind, pairs, Y_t, y, i, work, g)
        for h in range(k):
            gradient[h, i] = g[h]
        gaps[i] = _choose_clusters(y, g)[2]
        first_gap = max(first_gap, gaps[i])
    step = 0
    while step < n_steps and stop[0] == 0:
        i = 0
        for j in range(n):
            if gaps[j] > gaps[i]:
                i = j
        if gaps[i] <= tolerance:
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
            gaps[i] = 0.0  # until another row moves
            continue
        chosen[step] = i
        step += 1
        for h in range(k):
            Y_t[h, i] = y[h]
        _update_all(kind, Y_t, i, y, old, pairs.row_weights[i], work, gradient, gaps, g)
        _add_own(kind, y, pairs.copies[i], g)
        for h in range(k):
            gradient[h, i] = g[h]
        gaps[i] = _choose_clusters(y, g)[2]
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
def greedy_chosen(pairs, Y, work, heap, gradient, tolerance, n_steps, chosen, stop):
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
    stop      IN (1,) uint8, not 0 as soon as it is to return, whatever is done by then
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
        if stop[0] != 0:
            return 0, 0.0
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
    while step < n_steps and heap[1] > tolerance and stop[0] == 0:
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
