"""Objects and their nearest representatives: search, sums over pairs of them, clusters of the embedded objects.

A link of an object is the number of a representative and the squared distance from it; its weight is
exp(-squared * scale) + least, with scale = 1 / (2 sigma^2). Each object is treated alone and in order, so that neither
threads nor blocks of objects change a bit.
"""

import numpy as np

from partita._kernels._jit import helper, helper_sums, jit, jit_sums


@helper_sums
def _squared_distance(X, i, points, j):
    total = 0.0
    for f in range(X.shape[1]):
        apart = X[i, f] - points[j, f]
        total += apart * apart
    return total


@helper
def _keep_if_near(index, squared, i, n_kept, j, apart):
    """Put point j at its place among the nearest of object i, in order; an equal one stays behind the earlier."""
    width = index.shape[1]
    if n_kept == width:
        if apart >= squared[i, width - 1]:
            return n_kept
        place = width - 1
    else:
        place = n_kept
        n_kept += 1
    while place > 0 and squared[i, place - 1] > apart:
        squared[i, place] = squared[i, place - 1]
        index[i, place] = index[i, place - 1]
        place -= 1
    squared[i, place] = apart
    index[i, place] = j
    return n_kept


@jit_sums
def nearest_of_all(X, points, index, squared):
    """Nearest points of each object by comparison with all: X (n, d), points (p, d), index int32 and squared (n, K)."""
    for i in range(X.shape[0]):
        n_kept = 0
        for j in range(points.shape[0]):
            n_kept = _keep_if_near(index, squared, i, n_kept, j, _squared_distance(X, i, points, j))


@jit_sums
def nearest_by_regions(X, points, regions, first, near, radius, index, squared):
    """The same by the nearest region, the nearest point in it, and the points near that one.

    regions (r, d) are centres, points[first[g]:first[g + 1]] those of region g, near (p, K') int32 the points near each
    point, nearest first and itself among them, radius (p, K') their distances from it, K' >= K.
    """
    width = index.shape[1]
    for i in range(X.shape[0]):
        region, least = 0, np.inf
        for g in range(regions.shape[0]):
            apart = _squared_distance(X, i, regions, g)
            if apart < least:
                region, least = g, apart
        nearest, least = first[region], np.inf
        for j in range(first[region], first[region + 1]):
            apart = _squared_distance(X, i, points, j)
            if apart < least:
                nearest, least = j, apart
        n_kept, reach = 0, np.sqrt(least)
        for place in range(near.shape[1]):
            # by the triangle inequality, this point and those after it are at least so far from the object
            gap = radius[nearest, place] - reach
            if n_kept == width and gap > 0.0 and gap * gap > squared[i, width - 1]:
                break
            j = near[nearest, place]
            n_kept = _keep_if_near(index, squared, i, n_kept, j, _squared_distance(X, i, points, j))


@jit
def add_link_pairs(index, squared, scale, least, weight, out):
    """Add b_a b_c / (sum of b) to ``out[index[i, a], index[i, c]]`` for the links a <= c of each object.

    index (n, K) int32, squared (n, K); weight (K,) is work space; out (p, p).
    """
    n, width = index.shape
    for i in range(n):
        degree = 0.0
        for a in range(width):
            weight[a] = np.exp(-squared[i, a] * scale) + least
            degree += weight[a]
        for a in range(width):
            share = weight[a] / degree
            for c in range(a, width):
                out[index[i, a], index[i, c]] += share * weight[c]


@jit
def nearest_embedded(index, squared, scale, least, table, half, total, labels):
    """Nearest centre of each object, whose embedding is the weighted sum of the rows of its links, of unit length.

    table (p, v + k): v coordinates of each point, then their products with the k centres; half (k,): half the squared
    lengths of the centres; total (v + k,) is work space; labels (n,) int64.
    """
    n, width = index.shape
    k = half.shape[0]
    v = table.shape[1] - k
    for i in range(n):
        for q in range(v + k):
            total[q] = 0.0
        for a in range(width):
            weight = np.exp(-squared[i, a] * scale) + least
            row = index[i, a]
            for q in range(v + k):
                total[q] += weight * table[row, q]
        length = 0.0
        for q in range(v):
            length += total[q] * total[q]
        length = np.sqrt(length)
        best, highest = 0, -np.inf
        for c in range(k):
            score = total[v + c] / length - half[c] if length > 0.0 else -half[c]
            if score > highest:
                best, highest = c, score
        labels[i] = best
