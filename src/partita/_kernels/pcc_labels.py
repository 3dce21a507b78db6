"""l2 over all pairs of objects, through the labels: no pair is ever looked at (eq. P31).

With B[m, l] the sum of y over the objects that clustering m gives label l, and G[m] the sum of y y' over the
objects that it labels, the others' part of object i in the objective is the quadratic y' A y - 2 b y with
A = sum_m G[m] and b = sum_m B[m, L_im] over the clusterings that label i, both without i itself.

Rows are distinct rows of labels of weight w; the w objects of a row share one y. A row's own objects add
(w - 1) / 2 * N_ii * (1 - y.y)^2, which is bounded from above, and touched at the present y0, by the same with
y.y replaced by 2 y0.y - y0.y0: a quadratic again (eq. P26).
"""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

_TIE = 1e-12  # relative difference of two clusters that fit equally well: more than sums round, less than labels differ
_ENTRY = 1e-9  # relative gap to which an entering row is placed, nearly exactly: later rows build on it
_ENTRY_STEPS, _SWEEP_STEPS = 10, 20  # steps between two clusters, at most, per cluster; a safeguard against rounding
_INNER = 0.01  # gap that a row is left with, relative to the threshold: its neighbours move it again anyway


class RowLabels(NamedTuple):
    """Labels of each row, one row after another: a missing label has no entry, so no branch asks for it."""

    starts: Any  # (n + 1,) int64, row i has the entries starts[i] to starts[i + 1] - 1
    cells: Any  # (n_observed,) int32, place of each label among all labels of all clusterings
    clusterings: Any  # (n_observed,) int32, its clustering
    row_weights: Any  # (n,) float64
    clustering_weights: Any  # (m,) float64


class LabelSums(NamedTuple):
    """Memberships, and the sums over them that stand for all pairs."""

    Y: Any  # (n, k) float64
    B: Any  # (n_cells, k) float64, sum of w y over each label
    G: Any  # (m, k, k) float64, sum of w y y' over each clustering; (1, k, k) if nothing is missing


def zero_sums(n_rows: int, n_cells: int, n_tables: int, n_clusters: int) -> LabelSums:
    """Sums over no rows; ``n_tables`` is the number of clusterings, or 1 if nothing is missing."""
    return LabelSums(
        np.zeros((n_rows, n_clusters)),
        np.zeros((n_cells, n_clusters)),
        np.zeros((n_tables, n_clusters, n_clusters)),
    )


@helper
def _gather_labels(rows, sums, i, b):
    """B of row i, itself included; returns N_ii."""
    k = b.shape[0]
    seen = 0.0
    for h in range(k):
        b[h] = 0.0
    for p in range(rows.starts[i], rows.starts[i + 1]):
        cell = rows.cells[p]
        weight = rows.clustering_weights[rows.clusterings[p]]
        seen += weight
        for h in range(k):
            b[h] += weight * sums.B[cell, h]
    return seen


@helper
def _gather_tables(rows, sums, i, seen, A):
    """A of row i, itself included."""
    k = A.shape[0]
    if sums.G.shape[0] == 1:
        for h in range(k):
            for q in range(k):
                A[h, q] = seen * sums.G[0, h, q]
        return
    for h in range(k):
        for q in range(k):
            A[h, q] = 0.0
    for p in range(rows.starts[i], rows.starts[i + 1]):
        m = rows.clusterings[p]
        weight = rows.clustering_weights[m]
        for h in range(k):
            for q in range(k):
                A[h, q] += weight * sums.G[m, h, q]


@helper
def _gather_products(rows, sums, i, seen, y, g):
    """A y of row i, itself included: only the clusters in use count, which are few."""
    k = y.shape[0]
    for h in range(k):
        g[h] = 0.0
    if sums.G.shape[0] == 1:
        for q in range(k):
            x = seen * y[q]
            if x > 0.0:
                for h in range(k):
                    g[h] += x * sums.G[0, q, h]
        return
    for p in range(rows.starts[i], rows.starts[i + 1]):
        m = rows.clusterings[p]
        weight = rows.clustering_weights[m]
        for q in range(k):
            x = weight * y[q]
            if x > 0.0:
                for h in range(k):
                    g[h] += x * sums.G[m, q, h]


@helper
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


@helper
def solve_simplex(A, g, y, tolerance, max_steps):
    """Minimise y' A y - 2 b y on the simplex by steps between two clusters; g = 2 (A y - b) is kept up to date."""
    k = y.shape[0]
    for _ in range(max_steps):
        low, high, gap = _gap(y, g)
        if gap <= tolerance:
            return
        curvature = 2.0 * (A[low, low] - 2.0 * A[low, high] + A[high, high])
        step = y[high]
        if curvature * step > gap:
            step = gap / curvature
            y[high] -= step
        else:
            y[high] = 0.0
        y[low] += step
        for h in range(k):
            g[h] += 2.0 * step * (A[h, low] - A[h, high])


@helper
def _move(rows, sums, i, old, new):
    """Move the objects of row i from membership old to new in all sums."""
    k = new.shape[0]
    w = rows.row_weights[i]
    shared = sums.G.shape[0] == 1
    for p in range(rows.starts[i], rows.starts[i + 1]):
        cell = rows.cells[p]
        for h in range(k):
            sums.B[cell, h] += w * (new[h] - old[h])
        if not shared:
            m = rows.clusterings[p]
            for h in range(k):
                for q in range(k):
                    sums.G[m, h, q] += w * (new[h] * new[q] - old[h] * old[q])
    if shared:
        for h in range(k):
            for q in range(k):
                sums.G[0, h, q] += w * (new[h] * new[q] - old[h] * old[q])


@jit
def insert_rows(rows, sums, order, seed, stop):
    """Start: rows enter one after another, each where it fits best with those already in.

    rows  IN
    sums  IN/OUT, over the rows that are in already
    order IN (n_entering,) int64, order of entry
    seed  IN int64, breaks ties between clusters that fit equally
    stop  IN (1,) uint8, not 0 as soon as it is to return, whatever is done by then
    """
    k = sums.Y.shape[1]
    A = np.empty((k, k))
    b = np.empty(k)
    g = np.empty(k)
    y = np.empty(k)
    nothing = np.empty(k)
    for h in range(k):
        nothing[h] = 0.0
    state = np.uint64(seed) * np.uint64(2) + np.uint64(1)  # of a linear congruential generator (Knuth's MMIX)
    for i in order:
        if stop[0] != 0:
            return
        for h in range(k):
            sums.Y[i, h] = 0.0
        seen = _gather_labels(rows, sums, i, b)
        _gather_tables(rows, sums, i, seen, A)
        best = np.inf
        chosen = 0
        n_ties = 0
        for h in range(k):
            value = A[h, h] - 2.0 * b[h]
            if value < best - _TIE * (1.0 + abs(best)) or n_ties == 0:
                best = value
                chosen = h
                n_ties = 1
            elif value <= best + _TIE * (1.0 + abs(best)):
                n_ties += 1
                state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                if (state >> np.uint64(33)) % np.uint64(n_ties) == np.uint64(0):
                    chosen = h
        for h in range(k):
            y[h] = 0.0
        y[chosen] = 1.0
        for h in range(k):
            g[h] = 2.0 * (A[h, chosen] - b[h])
        solve_simplex(A, g, y, _ENTRY * (1.0 + abs(best)), _ENTRY_STEPS * k)
        for h in range(k):
            sums.Y[i, h] = y[h]
        _move(rows, sums, i, nothing, y)


@jit
def sum_memberships(rows, sums):
    """Compute B and G again from Y."""
    k = sums.Y.shape[1]
    y = np.empty(k)
    nothing = np.empty(k)
    for h in range(k):
        nothing[h] = 0.0
    for cell in range(sums.B.shape[0]):
        for h in range(k):
            sums.B[cell, h] = 0.0
    for m in range(sums.G.shape[0]):
        for h in range(k):
            for q in range(k):
                sums.G[m, h, q] = 0.0
    for i in range(sums.Y.shape[0]):
        for h in range(k):
            y[h] = sums.Y[i, h]
        _move(rows, sums, i, nothing, y)


@jit
def sweep_labels(rows, sums, chosen, threshold, gaps, stop):
    """One pass over the chosen rows: find each one's gap and, where it exceeds the threshold, its best membership.

    rows      IN
    sums      IN/OUT
    chosen    IN  (n_chosen,) int64
    threshold IN  float64
    gaps      OUT (n,) float64, gap of each row before its update
    stop      IN  (1,) uint8, not 0 as soon as it is to return, whatever is done by then
    """
    k = sums.Y.shape[1]
    A = np.empty((k, k))
    b = np.empty(k)
    g = np.empty(k)
    y = np.empty(k)
    old = np.empty(k)
    for i in chosen:
        if stop[0] != 0:
            return
        w = rows.row_weights[i]
        for h in range(k):
            y[h] = sums.Y[i, h]
        # Without the row itself A loses w N_ii y y', and b the same times y; the bound on its own pairs, at y, adds
        # 2 c y y' to A and c (1 + y.y) y to b, with c = (w - 1) N_ii (eqs. P26, P31).
        seen = _gather_labels(rows, sums, i, b)
        _gather_products(rows, sums, i, seen, y, g)
        copies = max(w - 1.0, 0.0) * seen
        square = 0.0
        for h in range(k):
            square += y[h] * y[h]
        own = 2.0 * copies - w * seen
        linear = copies * (1.0 + square) - w * seen
        for h in range(k):
            g[h] = 2.0 * (g[h] + own * square * y[h] - b[h] - linear * y[h])
        gap = _gap(y, g)[2]
        gaps[i] = gap
        if gap > threshold:
            _gather_tables(rows, sums, i, seen, A)
            for h in range(k):
                for q in range(k):
                    A[h, q] += own * y[h] * y[q]
            solve_simplex(A, g, y, _INNER * threshold, _SWEEP_STEPS * k)
            total = 0.0
            for h in range(k):
                total += y[h]
            for h in range(k):
                y[h] /= total
                old[h] = sums.Y[i, h]
                sums.Y[i, h] = y[h]
            _move(rows, sums, i, old, y)
