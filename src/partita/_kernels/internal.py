"""Pairs of objects, visited once and never stored: distances to clusters, concordance, tables of co-association.

Points are stored with one *feature* per row and sorted by cluster, so that the distances from one point to many run in
SIMD and the points of a cluster are contiguous.
"""

import numpy as np

from partita._kernels._jit import helper_sums, jit, jit_sums

EUCLIDEAN, SQEUCLIDEAN, CITYBLOCK, CHEBYSHEV = range(4)
CHUNK = 512  # distances at a time: 4 KiB, which stay in the first-level cache


@helper_sums
def _fill_distances(columns, i, j0, j1, metric, distance):
    """Distances from point i to points j0..j1-1; the root of Euclidean ones is not yet taken."""
    width = j1 - j0
    for j in range(width):
        distance[j] = 0.0
    for f in range(columns.shape[0]):
        here = columns[f, i]
        there = columns[f, j0:j1]
        if metric <= SQEUCLIDEAN:
            for j in range(width):
                distance[j] += (there[j] - here) * (there[j] - here)
        elif metric == CITYBLOCK:
            for j in range(width):
                distance[j] += abs(there[j] - here)
        else:
            for j in range(width):
                gap = abs(there[j] - here)
                distance[j] = gap if gap > distance[j] else distance[j]


@jit_sums
def distances_to_clusters(columns, starts, lo, hi, metric, smallest, largest, sums):
    """Smallest, largest and sum of the distances from points lo..hi-1 to the points of each cluster.

    columns IN  (d, n) float64, points sorted by cluster, one feature per row
    starts  IN  (k + 1,) int64, cluster c holds points starts[c] to starts[c + 1] - 1; none is empty
    metric  IN  one of the constants above
    smallest, largest, sums OUT (hi - lo, k) float64, set to infinity, 0 and 0
    The order of each sum depends on the place of the points in the chunks only, so not on lo and hi.
    """
    n = columns.shape[1]
    distance = np.empty(CHUNK)
    bits = distance.view(np.int64)  # non-negative floats sort as integers, and integers reduce in SIMD
    extreme = np.empty(2)
    extreme_bits = extreme.view(np.int64)
    first = 0  # cluster in which the chunk begins
    for j0 in range(0, n, CHUNK):
        j1 = min(n, j0 + CHUNK)
        while starts[first + 1] <= j0:
            first += 1
        for i in range(lo, hi):
            _fill_distances(columns, i, j0, j1, metric, distance)
            if metric == EUCLIDEAN:
                for j in range(j1 - j0):
                    distance[j] = np.sqrt(distance[j])
            c, begin = first, j0
            while begin < j1:
                end = min(j1, starts[c + 1])
                low, high, total = np.int64(0x7FF0000000000000), np.int64(0), 0.0
                for j in range(begin - j0, end - j0):
                    low = min(low, bits[j])
                    high = max(high, bits[j])
                    total += distance[j]
                extreme_bits[0], extreme_bits[1] = low, high
                smallest[i - lo, c] = min(smallest[i - lo, c], extreme[0])
                largest[i - lo, c] = max(largest[i - lo, c], extreme[1])
                sums[i - lo, c] += total
                begin = end
                c += 1


@jit_sums
def concordance_rows(a, b, range_a, range_b, lo, hi, n_pairs, weighted):
    """Compare objects lo..hi-1 with those after them: order in a and b, and how similar the gaps are.

    a, b     IN  (n,) float64
    range_a, range_b IN float64, largest value minus smallest
    n_pairs  OUT (hi - lo, 3) int64: pairs ordered the same way, ordered oppositely, tied in both
    weighted OUT (hi - lo,) float64: sum of +-min(|r|, 1 / |r|), r the ratio of the gaps as shares of the range
    """
    for i in range(lo, hi):
        alike, opposite, tied = 0, 0, 0
        total = 0.0
        for j in range(i + 1, a.shape[0]):
            gap_a, gap_b = a[i] - a[j], b[i] - b[j]
            if gap_a == 0.0 or gap_b == 0.0:
                tied += gap_a == gap_b
                continue
            x, y = abs(gap_a) / range_a, abs(gap_b) / range_b
            larger = max(x, y)
            ratio = min(x, y) / larger if larger > 0.0 else 0.0  # both can underflow if the ranges are huge
            if (gap_a > 0.0) == (gap_b > 0.0):
                alike += 1
                total += ratio
            else:
                opposite += 1
                total -= ratio
        n_pairs[i - lo, 0] = alike
        n_pairs[i - lo, 1] = opposite
        n_pairs[i - lo, 2] = tied
        weighted[i - lo] = total


@jit
def tally_pairs(counts, totals, complete, n_objects, lo, out):
    """Add the pairs of rows lo, lo + 1, ... with the rows after them to a table by N (row) and C (column).

    counts, totals IN (n_rows, n) unsigned: C and N of rows lo, lo + 1, ... with all rows
    complete  IN  bool, nothing is missing: N is one number, ``totals`` is not read and ``out`` has one row
    n_objects IN  (n,) int64, objects with each row of labels
    out       OUT (n_totals, n_counts) int64, added to
    """
    for i in range(counts.shape[0]):
        for j in range(lo + i + 1, counts.shape[1]):
            out[0 if complete else totals[i, j], counts[i, j]] += n_objects[lo + i] * n_objects[j]
