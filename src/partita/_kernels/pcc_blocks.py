"""PCC on stored pairs, one row at a time: the gradient of a row, a Newton step on its simplex, a line search.

The objective is the sum over pairs of w_i w_j N_ij d(C_ij / N_ij, y_i.y_j) (eq. P17); rows, weights and stored pairs
are those of ``pcc_pairs``. The w objects of a row share one y and add (w - 1) / 2 * N_ii * d(1, y.y) each (eq. P25);
the kernels minimise a convex bound on that, which touches it at the present y (eq. P26).

All loops run over the neighbours of a row, one cluster after another, in SIMD: Y_t has one row per *cluster*.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper_quotients, jit_quotients
from partita._kernels.pcc_pairs import KL

_TINY = 1e-100  # 0 / TINY = 0, and c / TINY is a barrier that no step crosses; its square is still finite
_TRACE = 1e-15  # memberships below this become 0: clusters in use would never become fewer otherwise (eq. P39)
_MODEL_GAP = 0.01  # gap that the quadratic model is left with, relative to the row's: the model itself is only near f
_MODEL_STEPS = 30  # steps on the model, at most, per cluster; a safeguard against rounding
_FLAT = 0.1  # slope at which a line search may end, relative to the first: the rest is not worth its evaluations
_SHORTEST = 1e-14  # bracket of a line search at which it ends: what is left is rounding


class BlockRow(NamedTuple):
    """Work space for one row: its counts with its m neighbours, and what follows from them."""

    neighbours: Any  # (k, m) memberships of the neighbours; for dense pairs Y_t itself holds them
    c: Any  # (m,) w_j C_ij
    d: Any  # (m,) w_j (N_ij - C_ij)
    a: Any  # (m,) y_i.y_j
    e: Any  # (m,) change of a along a direction
    slope: Any  # (m,) N d'
    bend: Any  # (m,) N d''
    work: Any  # (m,)


def block_row(n_neighbours: int, n_clusters: int, *, dense: bool) -> BlockRow:
    """Work space for rows of at most so many neighbours."""
    return BlockRow(np.empty((n_clusters, 1 if dense else n_neighbours)), *(np.empty(n_neighbours) for _ in range(7)))


# ----------------------------------------------------------------------------------------------------------- one row
@helper_quotients
def _load_row(pairs, Y_t, i, row):
    """Counts and neighbours of row i; returns how many neighbours there are."""
    k, n = Y_t.shape
    weights = pairs.row_weights
    if pairs.indptr.shape[0] == 0:
        if pairs.N.shape[0] == 1:
            total = pairs.N[0, 0]
            for j in range(n):
                row.c[j] = weights[j] * pairs.C[i, j]
                row.d[j] = weights[j] * (total - pairs.C[i, j])
        else:
            for j in range(n):
                row.c[j] = weights[j] * pairs.C[i, j]
                row.d[j] = weights[j] * (pairs.N[i, j] - pairs.C[i, j])
        row.c[i] = 0.0
        row.d[i] = 0.0
        return n
    start = pairs.indptr[i]
    m = pairs.indptr[i + 1] - start
    for p in range(m):
        j = pairs.indices[start + p]
        row.c[p] = weights[j] * pairs.C[0, start + p]
        row.d[p] = weights[j] * (pairs.N[0, start + p] - pairs.C[0, start + p])
        for h in range(k):
            row.neighbours[h, p] = Y_t[h, j]
    return m


@helper_quotients
def _combine(V, m, coefficients, clusters, size, out):
    """out_j = sum of coefficients_h V_hj over the listed clusters, two of them at a time."""
    h = clusters[0]
    x = coefficients[h]
    for j in range(m):
        out[j] = x * V[h, j]
    for p in range(1, size - 1, 2):
        h = clusters[p]
        q = clusters[p + 1]
        x = coefficients[h]
        z = coefficients[q]
        for j in range(m):
            out[j] += x * V[h, j] + z * V[q, j]
    if size % 2 == 0:
        h = clusters[size - 1]
        x = coefficients[h]
        for j in range(m):
            out[j] += x * V[h, j]


@helper_quotients
def _derivatives(kind, row, m):
    """N d' and N d'' of each pair, in the second argument of d.

    |.| keeps the sign where rounding leaves the range of a by a last digit: the barrier stays a barrier.
    """
    if kind == KL:
        for j in range(m):
            x = abs(row.a[j]) + _TINY
            z = abs(1.0 - row.a[j]) + _TINY
            inverse = 1.0 / (x * z)  # one division for both
            p = row.c[j] * (inverse * z)
            q = row.d[j] * (inverse * x)
            row.slope[j] = q - p
            row.bend[j] = p * (inverse * z) + q * (inverse * x)
    else:
        for j in range(m):
            n = row.c[j] + row.d[j]
            row.slope[j] = 2.0 * (n * row.a[j] - row.c[j])
            row.bend[j] = 2.0 * n


@helper_quotients
def _own_slope(kind, copies, square):
    """N d'(1, y.y) of the pairs of a row's own objects."""
    if kind == KL:
        return -copies / (square + _TINY)
    return 2.0 * copies * (square - 1.0)


@helper_quotients
def _own_bend(kind, copies, square):
    """N d''(1, y.y) of the pairs of a row's own objects."""
    if kind == KL:
        return copies / (square + _TINY) ** 2
    return 2.0 * copies


@helper_quotients
def _row_gradient(kind, row, V, m, y, used, size, copies, g):
    """Gradient of the row in g; leaves a in the row, and the derivatives of its pairs. Returns y.y."""
    k = y.shape[0]
    square = 0.0
    for h in range(k):
        square += y[h] * y[h]
    own = _own_slope(kind, copies, square) if copies > 0.0 else 0.0
    for h in range(k):
        g[h] = own * y[h]
    _combine(V, m, y, used, size, row.a)
    _derivatives(kind, row, m)
    for h in range(k):
        total = 0.0
        for j in range(m):
            total += row.slope[j] * V[h, j]
        g[h] += total
    return square


@helper_quotients
def _gap(y, g):
    """Cluster with the smallest derivative, and the largest derivative of one in use minus that."""
    low = 0
    high = -1
    for h in range(y.shape[0]):
        if g[h] < g[low]:
            low = h
        if y[h] > 0.0 and (high < 0 or g[h] > g[high]):
            high = h
    return low, g[high] - g[low]


# ------------------------------------------------------------------------------------------------------ Newton's step
@helper_quotients
def _model(kind, row, V, m, y, copies, square, support, size, H):
    """Second derivatives of the row's bound between the clusters of the support; two of them at a time."""
    own = 2.0 * _own_bend(kind, copies, square) if copies > 0.0 else 0.0
    work = row.work
    for p in range(size):
        u = support[p]
        total = 0.0
        for j in range(m):
            work[j] = row.bend[j] * V[u, j]
            total += work[j] * V[u, j]
        H[p, p] = total
        for q in range(0, p - 1, 2):
            v = support[q]
            w = support[q + 1]
            one = 0.0
            two = 0.0
            for j in range(m):
                one += work[j] * V[v, j]
                two += work[j] * V[w, j]
            H[p, q] = one
            H[p, q + 1] = two
        if p % 2 == 1:
            v = support[p - 1]
            one = 0.0
            for j in range(m):
                one += work[j] * V[v, j]
            H[p, p - 1] = one
        for q in range(p + 1):
            H[p, q] += own * y[u] * y[support[q]]
            H[q, p] = H[p, q]


@jit_quotients
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


# --------------------------------------------------------------------------------------------------------- line search
@helper_quotients
def _along(kind, row, m, eps):
    """First and second derivative of the pairs' terms at step eps along the direction whose change of a is row.e."""
    slope = 0.0
    bend = 0.0
    if kind == KL:
        for j in range(m):
            e = row.e[j]
            at = row.a[j] + eps * e
            x = abs(at) + _TINY
            z = abs(1.0 - at) + _TINY
            inverse = 1.0 / (x * z)
            p = row.c[j] * (inverse * z)
            q = row.d[j] * (inverse * x)
            slope += e * (q - p)
            bend += e * e * (p * (inverse * z) + q * (inverse * x))
    else:
        for j in range(m):
            e = row.e[j]
            n = row.c[j] + row.d[j]
            slope += 2.0 * e * (n * (row.a[j] + eps * e) - row.c[j])
            bend += 2.0 * n * e * e
    return slope, bend


@helper_quotients
def _derivatives_at(kind, row, m, copies, square, own_e, eps):
    """The same with the bound on the pairs of the row's own objects."""
    slope, bend = _along(kind, row, m, eps)
    if copies > 0.0:
        slope += own_e * 0.5 * _own_slope(kind, copies, square + eps * own_e)
        bend += own_e * own_e * 0.5 * _own_bend(kind, copies, square + eps * own_e)
    return slope, bend


@helper_quotients
def _line_search(kind, row, m, copies, square, own_e, first, first_bend):
    """A step in (0, 1] near the lowest point of the line, where the objective is not above its start (eq. P59).

    The slope rises with the step, and the second derivative b is convex in it. So from 0 to eps the objective changes
    by at most eps * slope(0) + eps^2 * (b(0) / 3 + b(eps) / 6); a step where that is not positive, or the slope
    itself is not, cannot raise the objective. first and first_bend are the slope (negative) and b at 0.
    """
    left, right = 0.0, 1.0
    at_left, at_right = first, 0.0
    eps = 1.0
    for trial in range(100):
        value, bend = _derivatives_at(kind, row, m, copies, square, own_e, eps)
        if value <= 0.0:
            if eps == 1.0 or value >= _FLAT * first:
                return eps
            left, at_left = eps, value
        else:
            if value <= -_FLAT * first and first + eps * (first_bend / 3.0 + bend / 6.0) <= 0.0:
                return eps
            right, at_right = eps, value
        if right - left <= _SHORTEST:
            break
        eps = left - at_left * (right - left) / (at_right - at_left)
        if trial % 2 == 1 or not (left < eps < right):
            eps = 0.5 * (left + right)
    return left


@helper_quotients
def _step(kind, row, V, m, y, g, copies, square, support, size, target):
    """Move y towards the target, as far as the line search says."""
    first = 0.0
    own_e = 0.0
    for h in range(y.shape[0]):
        target[h] -= y[h]
        first += g[h] * target[h]
        own_e += 2.0 * y[h] * target[h]
    if first >= 0.0:
        return
    _combine(V, m, target, support, size, row.e)
    first_bend = own_e * own_e * 0.5 * _own_bend(kind, copies, square) if copies > 0.0 else 0.0
    for j in range(m):
        first_bend += row.bend[j] * row.e[j] * row.e[j]
    eps = _line_search(kind, row, m, copies, square, own_e, first, first_bend)
    total = 0.0
    for h in range(y.shape[0]):
        y[h] = max(y[h] + eps * target[h], 0.0)
        if y[h] < _TRACE:
            y[h] = 0.0
        total += y[h]
    for h in range(y.shape[0]):
        y[h] /= total


@jit_quotients
def sweep_pairs(pairs, Y_t, row, chosen, threshold, gaps, stop):
    """One pass over the chosen rows: find each one's gap and, where it exceeds the threshold, a better membership.

    pairs     IN
    Y_t       IN/OUT (k, n) float64
    row       WORK
    chosen    IN  (n_chosen,) int64
    threshold IN  float64
    gaps      OUT (n,) float64, gap of each row before its update
    stop      IN  (1,) uint8, not 0 as soon as it is to return, whatever is done by then
    """
    k = Y_t.shape[0]
    kind = pairs.kind
    y = np.empty(k)
    g = np.empty(k)
    target = np.empty(k)
    H = np.empty((k, k))
    support = np.empty(k, dtype=np.int64)
    V = Y_t if pairs.indptr.shape[0] == 0 else row.neighbours
    for i in chosen:
        if stop[0] != 0:
            return
        m = _load_row(pairs, Y_t, i, row)
        copies = pairs.copies[i]
        size = np.int64(0)  # a literal 0 would compile newton_point once more
        for h in range(k):
            y[h] = Y_t[h, i]
            if y[h] > 0.0:
                support[size] = h
                size += 1
        square = _row_gradient(kind, row, V, m, y, support, size, copies, g)
        low, gap = _gap(y, g)
        gaps[i] = gap
        if gap <= threshold:
            continue
        if y[low] == 0.0:
            support[size] = low
            size += 1
        _model(kind, row, V, m, y, copies, square, support, size, H)
        newton_point(H, g, support, size, y, _MODEL_GAP * gap, target)
        _step(kind, row, V, m, y, g, copies, square, support, size, target)
        for h in range(k):
            Y_t[h, i] = y[h]
