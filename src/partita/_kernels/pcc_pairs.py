"""PCC on stored pairs, dense or sparse: the objective, and the papers' greedy pair of clusters.

The objective is the sum over pairs of w_i w_j N_ij d(C_ij / N_ij, y_i.y_j) (eq. P17). Rows are rows of labels of
weight w; the w objects of a row share one y, and add (w - 1) / 2 * N_ii * d(1, y.y) each (eq. P25). For d decreasing in
its second argument up to 1 that is bounded from above, and touched at the present y0, by the same with y.y replaced by
2 y0.y - y0.y0, which is convex; the kernels minimise that bound (eq. P26).

The kernels work on the transpose of Y, called Y_t, (k, n): with one row per *cluster*, sums over objects run in SIMD.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper_sums, jit_sums

KL, L2 = 0, 1
_TINY = 1e-100  # 0 / TINY = 0, and c / TINY is a barrier that no step crosses; its square is still finite
_BRACKET = 1e-10  # width of the greedy solver's bracket, relative to the segment (eq. P27)
_NO_STEP = 1e-18  # step of the greedy solver that is none: far below the least membership, 1e-15


class StoredPairs(NamedTuple):
    """Counts of pairs.

    Dense: indptr is empty, C and N are (n, n), or N is (1, 1) if it is constant. Sparse: C and N are (1, n_stored), the
    entries of one symmetric CSR pattern.
    """

    C: Any
    N: Any
    indptr: Any  # (n + 1,) int64, or (0,) for dense
    indices: Any  # (n_stored,) int32, or (0,)
    row_weights: Any  # (n,) float64
    copies: Any  # (n,) float64, (w - 1) N_ii where w > 1, else 0
    kind: Any  # int: KL or L2


class PairRow(NamedTuple):
    """Work space for one row: its counts with its m neighbours, and what follows from them."""

    neighbours: Any  # (k, m) memberships of the neighbours
    c: Any  # (m,) w_j C_ij
    n: Any  # (m,) w_j N_ij
    a: Any  # (m,) y_i.y_j
    e: Any  # (m,) change of a along a direction


@helper_sums
def _slope(kind, c, n, a):
    """N d'(c / N, a): derivative in the second argument."""
    if kind == KL:
        return (n - c) / max(1.0 - a, _TINY) - c / max(a, _TINY)
    return 2.0 * (n * a - c)


@helper_sums
def _load_row(pairs, Y_t, i, row):
    """Counts and neighbours of row i; returns how many neighbours there are."""
    k, n = Y_t.shape
    if pairs.indptr.shape[0] == 0:
        constant = pairs.N.shape[0] == 1
        for j in range(n):
            row.c[j] = pairs.row_weights[j] * pairs.C[i, j]
        if constant:
            for j in range(n):
                row.n[j] = pairs.row_weights[j] * pairs.N[0, 0]
        else:
            for j in range(n):
                row.n[j] = pairs.row_weights[j] * pairs.N[i, j]
        row.c[i] = 0.0
        row.n[i] = 0.0
        return n
    start = pairs.indptr[i]
    m = pairs.indptr[i + 1] - start
    for p in range(m):
        j = pairs.indices[start + p]
        row.c[p] = pairs.row_weights[j] * pairs.C[0, start + p]
        row.n[p] = pairs.row_weights[j] * pairs.N[0, start + p]
        for h in range(k):
            row.neighbours[h, p] = Y_t[h, j]
    return m


@helper_sums
def _combine(V, m, coefficients, out):
    """out_j = sum_h coefficients_h V_hj."""
    for j in range(m):
        out[j] = 0.0
    for h in range(coefficients.shape[0]):
        x = coefficients[h]
        if x != 0.0:
            for j in range(m):
                out[j] += x * V[h, j]


@helper_sums
def _row_gradient(kind, row, V, m, y, copies, t, g):
    """Gradient of row i in g; leaves a in the row and N d' in t. Returns y.y."""
    _combine(V, m, y, row.a)
    for j in range(m):
        t[j] = _slope(kind, row.c[j], row.n[j], row.a[j])
    square = 0.0
    for h in range(y.shape[0]):
        square += y[h] * y[h]
    own = _slope(kind, copies, copies, square) if copies > 0.0 else 0.0
    for h in range(y.shape[0]):
        total = 0.0
        for j in range(m):
            total += V[h, j] * t[j]
        g[h] = total + own * y[h]
    return square


@helper_sums
def _gap(y, g):
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
def _slope_at(kind, row, m, copies, square, own_e, eps):
    """Derivative of the row's bound at step eps along the direction whose change of a is row.e."""
    total = 0.0
    for j in range(m):
        total += row.e[j] * _slope(kind, row.c[j], row.n[j], row.a[j] + eps * row.e[j])
    if copies > 0.0:
        total += own_e * 0.5 * _slope(kind, copies, copies, square + eps * own_e)
    return total


@jit_sums
def objective_pairs(pairs, Y_t, row):
    """Sum of N d(C / N, y_i.y_j) over unordered pairs of objects, with N d = 0 where N = 0."""
    k, n = Y_t.shape
    y = np.empty(k)
    dense = pairs.indptr.shape[0] == 0
    V = Y_t if dense else row.neighbours
    everything = 0.0
    for i in range(n):
        m = _load_row(pairs, Y_t, i, row)
        for h in range(k):
            y[h] = Y_t[h, i]
        _combine(V, m, y, row.a)
        total = 0.0
        if dense:
            for j in range(i):
                total += _value(pairs.kind, row.c[j], row.n[j], row.a[j])
        else:  # the pattern holds each pair twice
            for j in range(m):
                total += 0.5 * _value(pairs.kind, row.c[j], row.n[j], row.a[j])
        copies = pairs.copies[i]
        if copies > 0.0:
            square = 0.0
            for h in range(k):
                square += y[h] * y[h]
            total += 0.5 * _value(pairs.kind, copies, copies, square)
        everything += pairs.row_weights[i] * total
    return everything


@helper_sums
def _value(kind, c, n, a):
    """N d(c / N, a)."""
    if n <= 0.0:
        return 0.0
    if kind == L2:
        return n * (c / n - a) ** 2
    value = 0.0
    if c > 0.0:
        value += c * np.log(c / (n * a)) if a > 0.0 else np.inf
    if n > c:
        value += (n - c) * np.log((n - c) / (n * (1.0 - a))) if a < 1.0 else np.inf
    return value


@jit_sums
def greedy_pairs(pairs, Y_t, row, tree, gradient, tolerance, n_steps, chosen):
    """The papers' algorithm: the row with the largest gap, its best pair of clusters, an exact step by bisection.

    The gradients of all rows are kept up to date; the row with the largest gap is on top of a tournament tree over
    the rows, of which a step changes the row and its neighbours.

    pairs     IN
    Y_t       IN/OUT (k, n) float64
    row       WORK
    tree      WORK (2 * size,) float64, gaps in tree[size:], maxima of pairs above; see ``start_greedy``
    gradient  WORK (k, n) float64; see ``start_greedy``
    tolerance IN  float64
    n_steps   IN  int64
    chosen    OUT (n_steps,) int64, the row of each step
    Returns the number of steps made; fewer than n_steps if the largest gap is within the tolerance.
    """
    k = Y_t.shape[0]
    kind = pairs.kind
    size = tree.shape[0] // 2
    dense = pairs.indptr.shape[0] == 0
    V = Y_t if dense else row.neighbours
    old = np.empty(k)
    y = np.empty(k)
    g = np.empty(k)
    a_old = np.empty(row.a.shape[0])
    t = np.empty(row.a.shape[0])
    for step in range(n_steps):
        if tree[1] <= tolerance:
            return step
        place = 1
        while place < size:
            place = 2 * place if tree[2 * place] >= tree[2 * place + 1] else 2 * place + 1
        i = place - size
        chosen[step] = i
        m = _load_row(pairs, Y_t, i, row)
        copies = pairs.copies[i]
        square = 0.0
        for h in range(k):
            old[h] = Y_t[h, i]
            y[h] = old[h]
            g[h] = gradient[h, i]
            square += old[h] * old[h]
        low, high, gap = _gap(y, g)
        _combine(V, m, old, row.a)
        for j in range(m):
            a_old[j] = row.a[j]
            row.e[j] = V[low, j] - V[high, j]
        own_e = 2.0 * (y[low] - y[high])
        eps = _bisect(kind, row, m, copies, square, own_e, y[high], gap)
        y[low] += eps
        y[high] = 0.0 if eps == old[high] else y[high] - eps
        for h in range(k):
            Y_t[h, i] = y[h]
        _row_gradient(kind, row, V, m, y, copies, t, g)
        # The others: row i was at a_old and is at row.a; c and n hold the weights of the others, not of i.
        w = pairs.row_weights[i]
        for p in range(m):
            j = p if dense else pairs.indices[pairs.indptr[i] + p]
            other = pairs.row_weights[j]
            if row.n[p] > 0.0:
                c = row.c[p] * w / other
                total = row.n[p] * w / other
                before = _slope(kind, c, total, a_old[p])
                after = _slope(kind, c, total, row.a[p])
                for h in range(k):
                    gradient[h, j] += y[h] * after - old[h] * before
                _set_gap(tree, size, j, _gap_of(Y_t, gradient, j), dense)
        for h in range(k):
            gradient[h, i] = g[h]
        _set_gap(tree, size, i, _gap(y, g)[2] if eps > 0.0 else 0.0, dense)
        if dense:
            for place in range(size - 1, 0, -1):
                tree[place] = max(tree[2 * place], tree[2 * place + 1])
    return n_steps


@helper_sums
def _gap_of(Y_t, gradient, j):
    low = np.inf
    high = -np.inf
    for h in range(Y_t.shape[0]):
        low = min(low, gradient[h, j])
        if Y_t[h, j] > 0.0:
            high = max(high, gradient[h, j])
    return high - low


@helper_sums
def _set_gap(tree, size, i, gap, leaf_only):
    """Set the gap of row i, and the maxima above it (unless all of them are computed again later)."""
    place = size + i
    tree[place] = gap
    if not leaf_only:
        place //= 2
        while place >= 1:
            top = max(tree[2 * place], tree[2 * place + 1])
            if tree[place] == top:
                return
            tree[place] = top
            place //= 2


@helper_sums
def _bisect(kind, row, m, copies, square, own_e, limit, gap):
    """Step of the papers: the end of the segment if the objective still falls there, else a root by bisection.

    Returns the left end of the bracket, where the objective still falls (eq. P27).
    """
    if _slope_at(kind, row, m, copies, square, own_e, limit) <= 0.0:
        return limit
    left, right = 0.0, limit
    while right - left > _BRACKET * limit or left == 0.0:
        middle = 0.5 * (left + right)
        if middle <= left or middle >= right or middle < _NO_STEP:  # no step helps: the slope is 0 but for rounding
            break
        if _slope_at(kind, row, m, copies, square, own_e, middle) <= 0.0:
            left = middle
        else:
            right = middle
    return left


@jit_sums
def start_greedy(pairs, Y_t, row, tree, gradient):
    """All gradients and gaps from scratch; returns the largest gap."""
    k, n = Y_t.shape
    size = tree.shape[0] // 2
    dense = pairs.indptr.shape[0] == 0
    V = Y_t if dense else row.neighbours
    y = np.empty(k)
    g = np.empty(k)
    t = np.empty(row.a.shape[0])
    for place in range(2 * size):
        tree[place] = 0.0
    for i in range(n):
        m = _load_row(pairs, Y_t, i, row)
        for h in range(k):
            y[h] = Y_t[h, i]
        _row_gradient(pairs.kind, row, V, m, y, pairs.copies[i], t, g)
        for h in range(k):
            gradient[h, i] = g[h]
        tree[size + i] = _gap(y, g)[2]
    for place in range(size - 1, 0, -1):
        tree[place] = max(tree[2 * place], tree[2 * place + 1])
    return tree[1]
