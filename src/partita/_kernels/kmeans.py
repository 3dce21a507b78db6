"""k-means of few points, thousands of times: a start by greedy k-means++ and Lloyd's iterations in one call.

For large data there is scikit-learn; on small data the preparation of its calls would take most of the time.

The start is not ``_runs.plus_plus``, which draws one point per centre: this is the greedy variant, which draws several
and keeps the one that lowers the sum of squares most, as scikit-learn does. Results for a seed depend on it. It is
also part of the kernel, since a call from Python for each centre would cost more than the iterations.
"""

import numpy as np

from partita._kernels._jit import helper, jit


@helper
def _squared(points, i, centers, c):
    total = 0.0
    for j in range(points.shape[1]):
        apart = points[i, j] - centers[c, j]
        total += apart * apart
    return total


@helper
def _sum(numbers):
    total = 0.0
    for i in range(numbers.shape[0]):
        total += numbers[i]
    return total


@helper
def _draw_point(distance, uniform):
    """A point, drawn with probability proportional to its squared distance."""
    rest = uniform * _sum(distance)
    chosen = 0
    while chosen < distance.shape[0] - 1 and rest >= distance[chosen]:
        rest -= distance[chosen]
        chosen += 1
    return chosen


@helper
def _nearer(points, chosen, distance):
    """Sum of the squared distances to the nearest centre if this point were also a centre."""
    total = 0.0
    for i in range(points.shape[0]):
        apart = _squared(points, i, points, chosen)
        total += min(apart, distance[i])
    return total


@helper
def _choose_centers(points, uniform, centers, distance):
    """Greedy k-means++: of several points, drawn in proportion to squared distance, take what lowers the sum most."""
    n = points.shape[0]
    for c in range(centers.shape[0]):
        if c == 0:
            best = min(int(uniform[0, 0] * n), n - 1)
        else:
            best, smallest = -1, np.inf
            for trial in range(uniform.shape[1]):
                chosen = _draw_point(distance, uniform[c, trial])
                total = _nearer(points, chosen, distance)
                if total < smallest:
                    best, smallest = chosen, total
        for j in range(points.shape[1]):
            centers[c, j] = points[best, j]
        for i in range(n):
            apart = _squared(points, i, centers, c)
            if c == 0 or apart < distance[i]:
                distance[i] = apart


@helper
def _assign_points(points, centers, labels, distance):
    """Nearest centre of each point, the first of equally near ones; returns whether any label changed."""
    changed = False
    for i in range(points.shape[0]):
        best, smallest = 0, np.inf
        for c in range(centers.shape[0]):
            apart = _squared(points, i, centers, c)
            if apart < smallest:
                best, smallest = c, apart
        if labels[i] != best:
            labels[i] = best
            changed = True
        distance[i] = smallest
    return changed


@helper
def _move_centers(points, labels, centers, size):
    """Move centres to the means of their points; a centre without points stays."""
    n, d = points.shape
    for c in range(size.shape[0]):
        size[c] = 0
    for i in range(n):
        c = labels[i]
        if size[c] == 0:
            for j in range(d):
                centers[c, j] = 0.0
        size[c] += 1
        for j in range(d):
            centers[c, j] += points[i, j]
    for c in range(centers.shape[0]):
        if size[c] > 1:
            for j in range(d):
                centers[c, j] /= size[c]


@jit
def lloyd(points, uniform, max_iter, centers, labels):
    """One run of k-means; returns the sum of squared distances to the centres, and the number of iterations.

    points  IN  (n, d) float64
    uniform IN  (k, trials) float64 in [0, 1), for the start
    centers OUT (k, d) float64
    labels  OUT (n,) int64
    """
    distance, size = np.empty(points.shape[0]), np.empty(centers.shape[0], dtype=np.int64)
    _choose_centers(points, uniform, centers, distance)
    for i in range(labels.shape[0]):
        labels[i] = -1
    n_iter = 0
    while n_iter < max_iter and _assign_points(points, centers, labels, distance):
        _move_centers(points, labels, centers, size)
        n_iter += 1
    return _sum(distance), n_iter
