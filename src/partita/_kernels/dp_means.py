"""DP-means: a pass over the points, means of clusters, nearest centres, farthest-first traversal (eqs. D3, D4, D10).

Centres lie in the columns of a (d, capacity) array: the distances of a point to all of them then run in SIMD, and each
is still summed over the features in their order. So every kernel here finds the same bits for the same distance.
"""

import numpy as np

from partita._kernels._jit import helper, jit

_ROUNDING = 1e-10  # relative gain below which a point stays where it is: it would move to and fro between equals


@helper
def _measure(points, i, centers, n_centers, distance):
    """Squared distances of a point to the first centres, into ``distance``."""
    x = points[i, 0]
    for k in range(n_centers):
        apart = x - centers[0, k]
        distance[k] = apart * apart
    for j in range(1, points.shape[1]):
        x = points[i, j]
        for k in range(n_centers):
            apart = x - centers[j, k]
            distance[k] += apart * apart


@helper
def _nearest(points, i, centers, n_centers, distance):
    """Nearest of the first centres, the first of equally near ones; all squared distances go to ``distance``."""
    _measure(points, i, centers, n_centers, distance)
    best = 0
    smallest = distance[0]
    for k in range(1, n_centers):
        if distance[k] < smallest:
            smallest = distance[k]
            best = k
    return best


@jit
def sweep_dp_means(points, order, first, reach, centers, n_centers, labels):
    """Take the points in order to their nearest centre, or to a new one at the point if that is beyond ``reach``.

    points  IN     (n, d) float64
    order   IN     (n,) int64, points as they are visited
    first   IN     place in ``order`` to begin at
    reach   IN     squared distance beyond which a centre is opened
    centers IN/OUT (d, capacity) float64, of which n_centers are in use
    labels  IN/OUT (n,) int64

    Returns the place where it stopped (n, or less where there is no room for one more centre), the number of centres,
    and how many labels changed.
    """
    n = points.shape[0]
    distance = np.empty(centers.shape[1])
    n_changed = 0
    for place in range(first, n):
        i = order[place]
        best = _nearest(points, i, centers, n_centers, distance)
        if distance[best] > reach:
            if n_centers == centers.shape[1]:
                return place, n_centers, n_changed
            for j in range(points.shape[1]):
                centers[j, n_centers] = points[i, j]
            best = n_centers
            n_centers += 1
        if labels[i] != best:
            labels[i] = best
            n_changed += 1
    return n, n_centers, n_changed


@helper
def _cheapest(distance, size, n_centers, own):
    """Cluster that a point joins at the least cost, n_c / (n_c + 1) |x - mu_c|^2, and that cost; not its own."""
    best = own
    smallest = np.inf
    for k in range(n_centers):
        cost = distance[k] * size[k] / (size[k] + 1)
        if k != own and size[k] > 0 and cost < smallest:
            smallest = cost
            best = k
    return best, smallest


@helper
def _move(points, i, centers, size, a, b):
    """Take a point from cluster a to cluster b, means included; b may be empty, and a may become it."""
    for j in range(points.shape[1]):
        x = points[i, j]
        if size[a] > 1:
            centers[j, a] -= (x - centers[j, a]) / (size[a] - 1)
        centers[j, b] = centers[j, b] + (x - centers[j, b]) / (size[b] + 1) if size[b] > 0 else x
    size[a] -= 1
    size[b] += 1


@jit
def move_points(points, order, lam, reach, centers, n_centers, size, labels):
    """Take each point in order to where it lowers the objective most, if anywhere; means follow at once (eq. D31).

    points  IN     (n, d) float64
    order   IN     (n,) int64, points as they are visited
    lam     IN     what a cluster costs, and saves where its only point leaves
    reach   IN     squared distance from the own mean beyond which a point may open a cluster
    centers IN/OUT (d, capacity) float64, of which n_centers are in use; none is opened where there is no room
    size    IN/OUT (capacity,) int64, 0 where a cluster became empty
    labels  IN/OUT (n,) int64

    Returns the number of centres, empty ones included, and how many points moved.
    """
    distance = np.empty(centers.shape[1])
    n_moved = 0
    for place in range(points.shape[0]):
        i = order[place]
        a = labels[i]
        _measure(points, i, centers, n_centers, distance)
        saved = distance[a] * size[a] / (size[a] - 1) if size[a] > 1 else lam
        b, cost = _cheapest(distance, size, n_centers, a)
        opens = size[a] > 1 and distance[a] > reach and lam < cost and n_centers < centers.shape[1]
        if opens:
            b = n_centers
            cost = lam
            size[b] = 0
            n_centers += 1
        if cost < saved * (1 - _ROUNDING):
            _move(points, i, centers, size, a, b)
            labels[i] = b
            n_moved += 1
    return n_centers, n_moved


@jit
def nearest(points, centers, labels, distance):
    """Nearest of all centres, and its squared distance.

    points   IN  (n, d) float64
    centers  IN  (d, k) float64
    labels   OUT (n,) int64
    distance OUT (n,) float64
    """
    k = centers.shape[1]
    of_all = np.empty(k)
    for i in range(points.shape[0]):
        best = _nearest(points, i, centers, k, of_all)
        labels[i] = best
        distance[i] = of_all[best]


@jit
def means(points, labels, centers, size):
    """Means and sizes of the clusters; returns the sum of squared distances to the means.

    points  IN  (n, d) float64
    labels  IN  (n,) int64
    centers OUT (k, d) float64, zero for empty clusters
    size    OUT (k,) int64
    """
    n, d = points.shape
    for c in range(size.shape[0]):
        size[c] = 0
        for j in range(d):
            centers[c, j] = 0.0
    for i in range(n):
        c = labels[i]
        size[c] += 1
        for j in range(d):
            centers[c, j] += points[i, j]
    for c in range(size.shape[0]):
        if size[c] > 1:
            for j in range(d):
                centers[c, j] /= size[c]
    total = 0.0
    for i in range(n):
        c = labels[i]
        of_point = 0.0
        for j in range(d):
            apart = points[i, j] - centers[c, j]
            of_point += apart * apart
        total += of_point
    return total


@jit
def farthest_first(points, distance, largest):
    """Again and again take the point farthest from all that were taken, the first of equally far ones.

    points   IN     (n, d) float64
    distance IN/OUT (n,) float64, squared distance to the nearest point taken, at first that to the start
    largest  OUT    (k,) float64, the largest distance of each round, before its point is taken
    """
    n, d = points.shape
    for r in range(largest.shape[0]):
        far = 0
        for i in range(1, n):
            if distance[i] > distance[far]:
                far = i
        largest[r] = distance[far]
        if r == largest.shape[0] - 1 or largest[r] == 0.0:  # all points are taken, and later rounds find 0, too
            for later in range(r + 1, largest.shape[0]):
                largest[later] = 0.0
            return
        for i in range(n):
            apart_from_far = 0.0
            for j in range(d):
                apart = points[i, j] - points[far, j]
                apart_from_far += apart * apart
            if apart_from_far < distance[i]:
                distance[i] = apart_from_far
