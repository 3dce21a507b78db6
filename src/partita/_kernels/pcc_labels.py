"""l2 over all pairs of objects, through the labels: no pair is ever looked at.

With B[m, l] the sum of y over the objects that clustering m gives label l, and G[m] the sum of y y' over the
objects that it labels, the others' part of object i in the objective is the quadratic y' A y - 2 b y with
A = sum_m G[m] and b = sum_m B[m, L_im] over the clusterings that label i, both without i itself.

Rows are distinct rows of labels of weight w; the w objects of a row share one y. A row's own objects add
(w - 1) / 2 * N_ii * (1 - y.y)^2, which is bounded from above, and touched at the present y0, by the same with
y.y replaced by 2 y0.y - y0.y0: a quadratic again.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import jit


class LabelProblem(NamedTuple):
    """Rows of label cells, and the sums over them that stand for all pairs.

    The labels that a row has are listed one after another, so that no branch asks whether one is missing.
    """

    start: Any  # (n + 1,) int64, row i has labels start[i] to start[i + 1] - 1
    cells: Any  # (n_observed,) int32, place of each label among all labels of all clusterings
    columns: Any  # (n_observed,) int32, its clustering
    row_weight: Any  # (n,) float64
    weights: Any  # (m,) float64, weight of each clustering
    Y: Any  # (n, k) float64, memberships
    B: Any  # (n_cells, k) float64, sum of w y over each label
    G: Any  # (m, k, k) float64, sum of w y y' over each clustering, lower part; one for all if nothing is missing


@jit
def _gather(problem, i, own, A, b):
    """A and b of row i, without ``own`` of its objects; returns N_ii."""
    k = b.shape[0]
    shared = problem.G.shape[0] == 1
    seen = 0.0
    for h in range(k):
        b[h] = 0.0
        for q in range(h + 1):
            A[h, q] = 0.0
    for p in range(problem.start[i], problem.start[i + 1]):
        cell = problem.cells[p]
        m = problem.columns[p]
        weight = problem.weights[m]
        seen += weight
        for h in range(k):
            b[h] += weight * problem.B[cell, h]
        if not shared:
            for h in range(k):
                for q in range(h + 1):
                    A[h, q] += weight * problem.G[m, h, q]
    if shared:
        for h in range(k):
            for q in range(h + 1):
                A[h, q] = seen * problem.G[0, h, q]
    for h in range(k):
        b[h] -= own * seen * problem.Y[i, h]
        for q in range(h + 1):
            A[h, q] -= own * seen * problem.Y[i, h] * problem.Y[i, q]
            A[q, h] = A[h, q]
    return seen


@jit
def _add_copies(copies, y, A, b):
    """Add the bound on (copies / 2) * (1 - y.y)^2 at y to the quadratic."""
    k = b.shape[0]
    square = 0.0
    for h in range(k):
        square += y[h] * y[h]
    for h in range(k):
        b[h] += copies * (1.0 + square) * y[h]
        for q in range(k):
            A[h, q] += 2.0 * copies * y[h] * y[q]


@jit
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


@jit
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


@jit
def _move(problem, i, old, new):
    """Move the objects of row i from membership old to new in all sums."""
    k = new.shape[0]
    w = problem.row_weight[i]
    shared = problem.G.shape[0] == 1
    for p in range(problem.start[i], problem.start[i + 1]):
        cell = problem.cells[p]
        for h in range(k):
            problem.B[cell, h] += w * (new[h] - old[h])
        if not shared:
            m = problem.columns[p]
            for h in range(k):
                for q in range(h + 1):
                    problem.G[m, h, q] += w * (new[h] * new[q] - old[h] * old[q])
    if shared:
        for h in range(k):
            for q in range(h + 1):
                problem.G[0, h, q] += w * (new[h] * new[q] - old[h] * old[q])


@jit
def insert_rows(problem, order, seed):
    """Start: rows enter one after another, each where it fits best with those already in.

    problem IN/OUT, B and G zero at the start
    order   IN (n,) int64, order of entry
    seed    IN int64, breaks ties between clusters that fit equally
    """
    k = problem.Y.shape[1]
    A = np.empty((k, k))
    b = np.empty(k)
    g = np.empty(k)
    y = np.empty(k)
    nothing = np.zeros(k)
    state = np.uint64(seed) * np.uint64(2) + np.uint64(1)
    for i in order:
        for h in range(k):
            problem.Y[i, h] = 0.0
        _gather(problem, i, 0.0, A, b)
        best = np.inf
        chosen = 0
        n_ties = 0
        for h in range(k):
            value = A[h, h] - 2.0 * b[h]
            if value < best - 1e-12 * (1.0 + abs(best)) or n_ties == 0:
                best = value
                chosen = h
                n_ties = 1
            elif value <= best + 1e-12 * (1.0 + abs(best)):
                n_ties += 1
                state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                if (state >> np.uint64(33)) % np.uint64(n_ties) == np.uint64(0):
                    chosen = h
        for h in range(k):
            y[h] = 0.0
        y[chosen] = 1.0
        for h in range(k):
            g[h] = 2.0 * (A[h, chosen] - b[h])
        solve_simplex(A, g, y, 1e-9 * (1.0 + abs(best)), 10 * k)
        for h in range(k):
            problem.Y[i, h] = y[h]
        _move(problem, i, nothing, y)


@jit
def sum_up(problem):
    """Make B and G anew from Y."""
    problem.B[:] = 0.0
    problem.G[:] = 0.0
    k = problem.Y.shape[1]
    y = np.empty(k)
    nothing = np.zeros(k)
    for i in range(problem.Y.shape[0]):
        for h in range(k):
            y[h] = problem.Y[i, h]
        _move(problem, i, nothing, y)


@jit
def sweep_labels(problem, rows, threshold, gaps):
    """One pass over ``rows``: find each one's gap and, where it exceeds the threshold, its best membership.

    problem   IN/OUT
    rows      IN  (n_rows,) int64
    threshold IN  float64
    gaps      OUT (n,) float64, gap of each row before its update
    """
    k = problem.Y.shape[1]
    A = np.empty((k, k))
    b = np.empty(k)
    g = np.empty(k)
    y = np.empty(k)
    old = np.empty(k)
    for i in rows:
        w = problem.row_weight[i]
        for h in range(k):
            y[h] = problem.Y[i, h]
        seen = _gather(problem, i, w, A, b)
        if w > 1.0:
            _add_copies((w - 1.0) * seen, y, A, b)
        for h in range(k):
            g[h] = -b[h]
            for q in range(k):
                g[h] += A[h, q] * y[q]
            g[h] *= 2.0
        gap = _gap(y, g)[2]
        gaps[i] = gap
        if gap > threshold:
            solve_simplex(A, g, y, 0.01 * threshold, 20 * k)
            total = 0.0
            for h in range(k):
                total += y[h]
            for h in range(k):
                y[h] /= total
                old[h] = problem.Y[i, h]
                problem.Y[i, h] = y[h]
            _move(problem, i, old, y)
