"""PCC on stored pairs, dense or sparse: what the solvers share, and the objective.

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


@jit_sums
def objective_pairs(pairs, Y_t, row, stop):
    """Sum of N d(C / N, y_i.y_j) over unordered pairs of objects, with N d = 0 where N = 0.

    ``stop``, (1,) uint8, is not 0 as soon as it is to return at once.
    """
    k, n = Y_t.shape
    y = np.empty(k)
    dense = pairs.indptr.shape[0] == 0
    V = Y_t if dense else row.neighbours
    everything = 0.0
    for i in range(n):
        if stop[0] != 0:
            break
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
