"""PCC on stored pairs, dense or sparse: blocks of one row at a time.

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
_TRACE = 1e-15  # memberships below this become 0: clusters in use would never become fewer otherwise (eq. P39)
_MODEL_GAP = 0.001  # gap that the quadratic model is left with, relative to the row's: the model itself is only near f
_MODEL_STEPS = 30  # steps on the model, at most, per cluster; a safeguard against rounding
_FLAT = 0.1  # slope at which a line search may end, relative to the first: the rest is not worth its evaluations
_SHORTEST = 1e-14  # bracket of a line search at which it ends: what is left is rounding


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
def _curvature(kind, c, n, a):
    """N d''(c / N, a)."""
    if kind == KL:
        return c / max(a, _TINY) ** 2 + (n - c) / max(1.0 - a, _TINY) ** 2
    return 2.0 * n


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


@helper_sums
def _model(kind, row, V, m, y, copies, square, t, support, size, H):
    """Second derivatives of the row's bound between the clusters of the support."""
    for j in range(m):
        t[j] = _curvature(kind, row.c[j], row.n[j], row.a[j])
    own = 2.0 * _curvature(kind, copies, copies, square) if copies > 0.0 else 0.0
    for p in range(size):
        for q in range(p + 1):
            total = 0.0
            for j in range(m):
                total += t[j] * V[support[p], j] * V[support[q], j]
            total += own * y[support[p]] * y[support[q]]
            H[p, q] = total
            H[q, p] = total


@jit_sums
def newton_point(H, g, support, size, y, tolerance, target):
    """Minimise the quadratic model on the simplex over the support, by steps between two clusters, into target."""
    slope = np.empty(size)
    for h in range(y.shape[0]):
        target[h] = y[h]
    for p in range(size):
        slope[p] = g[support[p]]
    for _ in range(_MODEL_STEPS * size):
        low = 0
        high = -1
        for p in range(size):
            if slope[p] < slope[low]:
                low = p
            if target[support[p]] > 0.0 and (high < 0 or slope[p] > slope[high]):
                high = p
        gap = slope[high] - slope[low]
        if gap <= tolerance:
            return
        bend = H[low, low] - 2.0 * H[low, high] + H[high, high]
        step = target[support[high]]
        if bend * step > gap:
            step = gap / bend
            target[support[high]] -= step
        else:
            target[support[high]] = 0.0
        target[support[low]] += step
        for p in range(size):
            slope[p] += step * (H[p, low] - H[p, high])


@helper_sums
def _line_search(kind, row, m, copies, square, own_e, first):
    """A step in (0, 1] at which the objective still falls, near the lowest point of the line.

    The derivative rises with the step; its left end is returned, where it is not positive, so that the objective
    cannot rise. first is the (negative) derivative at 0.
    """
    at_one = _slope_at(kind, row, m, copies, square, own_e, 1.0)
    if at_one <= -1e-12 * first:  # 0, but for rounding
        return 1.0
    left, right = 0.0, 1.0
    at_left, at_right = first, at_one
    for trial in range(100):
        middle = left - at_left * (right - left) / (at_right - at_left)
        if trial % 2 == 1 or not (left < middle < right):
            middle = 0.5 * (left + right)
        value = _slope_at(kind, row, m, copies, square, own_e, middle)
        if value <= 0.0:
            left, at_left = middle, value
            if value >= _FLAT * first:
                return left
        else:
            right, at_right = middle, value
        if right - left <= _SHORTEST:
            break
    return left


@jit_sums
def sweep_pairs(pairs, Y_t, row, chosen, threshold, gaps):
    """One pass over the chosen rows: find each one's gap and, where it exceeds the threshold, a better membership.

    pairs     IN
    Y_t       IN/OUT (k, n) float64
    row       WORK
    chosen    IN  (n_chosen,) int64
    threshold IN  float64
    gaps      OUT (n,) float64, gap of each row before its update
    """
    k = Y_t.shape[0]
    kind = pairs.kind
    y = np.empty(k)
    g = np.empty(k)
    target = np.empty(k)
    H = np.empty((k, k))
    support = np.empty(k, dtype=np.int64)
    t = np.empty(row.a.shape[0])
    dense = pairs.indptr.shape[0] == 0
    V = Y_t if dense else row.neighbours
    for i in chosen:
        m = _load_row(pairs, Y_t, i, row)
        copies = pairs.copies[i]
        for h in range(k):
            y[h] = Y_t[h, i]
        square = _row_gradient(kind, row, V, m, y, copies, t, g)
        low, _, gap = _gap(y, g)
        gaps[i] = gap
        if gap <= threshold:
            continue
        size = np.int64(0)  # a literal 0 would compile newton_point once more
        for h in range(k):
            if y[h] > 0.0 or h == low:
                support[size] = h
                size += 1
        _model(kind, row, V, m, y, copies, square, t, support, size, H)
        newton_point(H, g, support, size, y, _MODEL_GAP * gap, target)
        first = 0.0
        own_e = 0.0
        for h in range(k):
            target[h] -= y[h]
            first += g[h] * target[h]
            own_e += 2.0 * y[h] * target[h]
        if first >= 0.0:
            continue
        _combine(V, m, target, row.e)
        eps = _line_search(kind, row, m, copies, square, own_e, first)
        total = 0.0
        for h in range(k):
            y[h] = max(y[h] + eps * target[h], 0.0)
            if y[h] < _TRACE:
                y[h] = 0.0
            total += y[h]
        for h in range(k):
            Y_t[h, i] = y[h] / total


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
