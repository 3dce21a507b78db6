"""k-means of few points, many times over: a start by k-means++ and Lloyd's iterations in one call.

scikit-learn's is the one for large data; here the time it takes to prepare a call would be most of it.
"""

import numpy as np

from partita._kernels._jit import jit


@jit
def _squared(points, i, centers, c):
    total = 0.0
    for j in range(points.shape[1]):
        apart = points[i, j] - centers[c, j]
        total += apart * apart
    return total


@jit
def _draw(distance, uniform):
    """A point with probability prop. to its squared distance."""
    rest = uniform * distance.sum()
    chosen = 0
    while chosen < distance.shape[0] - 1 and rest >= distance[chosen]:
        rest -= distance[chosen]
        chosen += 1
    return chosen


@jit
def _nearer(points, chosen, distance):
    """Sum of the squared distances to the nearest centre if this point were one as well."""
    total = 0.0
    for i in range(points.shape[0]):
        apart = _squared(points, i, points, chosen)
        total += min(apart, distance[i])
    return total


@jit
def _start(points, uniform, centers, distance):
    """Greedy k-means++: of some points, each drawn prop. to its squared distance, the one that helps most."""
    n = points.shape[0]
    for c in range(centers.shape[0]):
        if c == 0:
            best = min(int(uniform[0, 0] * n), n - 1)
        else:
            best, smallest = -1, np.inf
            for trial in range(uniform.shape[1]):
                chosen = _draw(distance, uniform[c, trial])
                total = _nearer(points, chosen, distance)
                if total < smallest:
                    best, smallest = chosen, total
        centers[c] = points[best]
        for i in range(n):
            apart = _squared(points, i, centers, c)
            if c == 0 or apart < distance[i]:
                distance[i] = apart


@jit
def _assign(points, centers, labels, distance):
    """Nearest centre of each point, the first of equally near ones; returns whether any label changed."""
    changed = False
    for i in range(points.shape[0]):
        best, smallest = 0, _squared(points, i, centers, 0)
        for c in range(1, centers.shape[0]):
            apart = _squared(points, i, centers, c)
            if apart < smallest:
                best, smallest = c, apart
        if labels[i] != best:
            labels[i] = best
            changed = True
        distance[i] = smallest
    return changed


@jit
def _move(points, labels, centers, size):
    """Centres to the means of their points; one without points stays."""
    n, d = points.shape
    size[:] = 0
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
    _start(points, uniform, centers, distance)
    labels[:] = -1
    n_iter = 0
    while n_iter < max_iter and _assign(points, centers, labels, distance):
        _move(points, labels, centers, size)
        n_iter += 1
    return distance.sum(), n_iter
