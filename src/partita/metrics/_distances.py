"""Distances between points and clusters, and between points and centroids, summarised as they are computed.

One pass over the pairs of points is enough for all forms of the Dunn index and both silhouettes by pairs. Rows are
taken in blocks of a fixed size, so results do not depend on the number of threads, and no n x n array is made.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from partita._checks import check_choice
from partita._kernels import internal
from partita._memory import ensure_memory
from partita._runs import in_order
from partita._typing import FloatArray, IntArray
from partita.metrics._clustered import Clustered

Metric = Literal["euclidean", "sqeuclidean", "cityblock", "chebyshev"]
_KERNEL_METRIC = {
    "euclidean": internal.EUCLIDEAN,
    "sqeuclidean": internal.SQEUCLIDEAN,
    "cityblock": internal.CITYBLOCK,
    "chebyshev": internal.CHEBYSHEV,
}
_BLOCK_ROWS = 512  # points per task, so that there are tasks for all threads
_BLOCK_ENTRIES = 2**18  # points times clusters per task: tables of 2 MiB


class PairTables(NamedTuple):
    """Distances of all pairs of points, by clusters p (rows) and q (columns), and by point."""

    smallest: FloatArray  # (k, k) distance between a point of p and one of q
    largest: FloatArray  # (k, k)
    sums: FloatArray  # (k, k) over all ordered pairs
    reach: FloatArray  # (k, k) largest distance from a point of p to the nearest one of q
    own: FloatArray  # (n,) mean distance to the other points of the point's cluster, 0 if there are none
    other: FloatArray  # (n,) smallest mean distance to the points of another cluster


class CentroidTables(NamedTuple):
    """The same for the distances from points to centroids."""

    between: FloatArray  # (k, k) between centroids
    sums: FloatArray  # (k, k) from the points of p to the centroid of q
    own: FloatArray  # (n,) to the centroid of the point's cluster
    other: FloatArray  # (n,) to the nearest centroid of another cluster


def check_metric(metric: str) -> None:
    """Refuse a metric that the kernel does not know."""
    check_choice("metric", metric, _KERNEL_METRIC)


def pair_tables(clusters: Clustered, metric: str, n_jobs: int | None, *, of_clusters: bool = True) -> PairTables:
    """Summarise the distances of all pairs of points, by cluster and by point, or by point alone.

    O(n^2 d) time, O(n d + k^2) memory; O(n d) without ``of_clusters``.
    """
    n, k = len(clusters.points), clusters.n_clusters
    if of_clusters:
        ensure_memory(10 * 8 * k * k, purpose=f"tables of {k} x {k} clusters", instead="merge clusters.")
    size = k if of_clusters else 0
    columns = np.ascontiguousarray(clusters.points.T)
    blocks = _row_blocks(n, k)
    largest, sums, reach = np.zeros((3, size, size))
    tables = PairTables(np.full((size, size), np.inf), largest, sums, reach, np.empty(n), np.empty(n))
    parts = in_order(lambda rows: _fold_pairs(clusters, columns, metric, rows), blocks, n_jobs)
    for rows, part in zip(blocks, parts, strict=True):
        tables.own[rows], tables.other[rows] = part.own, part.other
        if not of_clusters:
            continue
        band = _band(clusters, rows)
        np.minimum(tables.smallest[band], part.smallest, out=tables.smallest[band])
        np.maximum(tables.largest[band], part.largest, out=tables.largest[band])
        np.maximum(tables.reach[band], part.reach, out=tables.reach[band])
        tables.sums[band] += part.sums
    return tables


def _fold_pairs(clusters: Clustered, columns: FloatArray, metric: str, rows: slice) -> PairTables:
    """The tables of a block of points: one row per cluster of its points."""
    shape = rows.stop - rows.start, clusters.n_clusters
    smallest, largest, sums = (np.full(shape, value) for value in (np.inf, 0.0, 0.0))
    internal.distances_to_clusters(
        columns, clusters.starts, rows.start, rows.stop, _KERNEL_METRIC[metric], smallest, largest, sums
    )
    cuts = _cuts(clusters, rows)
    own, other = _means_to_clusters(sums, clusters.cluster[rows], clusters.sizes)
    return PairTables(
        np.minimum.reduceat(smallest, cuts, axis=0),
        np.maximum.reduceat(largest, cuts, axis=0),
        np.add.reduceat(sums, cuts, axis=0),
        np.maximum.reduceat(smallest, cuts, axis=0),
        own,
        other,
    )


def centroid_tables(
    clusters: Clustered, metric: str, n_jobs: int | None, *, of_clusters: bool = True
) -> CentroidTables:
    """Summarise the distances from all points to all centroids, by cluster and by point, or by point alone.

    O(n k d) time, O(n + k^2) memory; O(n) without ``of_clusters``.
    """
    n, k = len(clusters.points), clusters.n_clusters
    if of_clusters:
        ensure_memory(6 * 8 * k * k, purpose=f"tables of {k} x {k} clusters", instead="merge clusters.")
    size = k if of_clusters else 0
    same = clusters.rounding ** (2 if metric == "sqeuclidean" else 1)
    blocks = _row_blocks(n, k)
    between = _to_centroids(clusters.centroids[:size], clusters, metric, same)[:, :size]
    tables = CentroidTables(between, np.zeros((size, size)), np.empty(n), np.empty(n))
    parts = in_order(lambda rows: _fold_centroids(clusters, metric, same, rows), blocks, n_jobs)
    for rows, (sums, own, other) in zip(blocks, parts, strict=True):
        tables.own[rows], tables.other[rows] = own, other
        if of_clusters:
            tables.sums[_band(clusters, rows)] += sums
    return tables


def _fold_centroids(
    clusters: Clustered, metric: str, same: FloatArray, rows: slice
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sums by cluster, own and other distances of a block of points."""
    distances = _to_centroids(clusters.points[rows], clusters, metric, same)
    sums = np.add.reduceat(distances, _cuts(clusters, rows), axis=0)
    return sums, *_own_and_other(distances, clusters.cluster[rows])


def _to_centroids(points: FloatArray, clusters: Clustered, metric: Any, same: FloatArray) -> FloatArray:
    """Distances to all centroids; those up to ``same`` are rounding, and their ratios must not count."""
    distances: FloatArray = cdist(points, clusters.centroids, metric=metric)
    distances[distances <= same] = 0.0
    return distances


def _row_blocks(n: int, k: int) -> list[slice]:
    size = max(1, min(_BLOCK_ROWS, _BLOCK_ENTRIES // k))
    return [slice(lo, min(n, lo + size)) for lo in range(0, n, size)]


def _band(clusters: Clustered, rows: slice) -> slice:
    """Clusters of the points of a block."""
    return slice(int(clusters.cluster[rows.start]), int(clusters.cluster[rows.stop - 1]) + 1)


def _cuts(clusters: Clustered, rows: slice) -> IntArray:
    """Where, in a block of points, each of its clusters begins."""
    cuts: IntArray = np.maximum(clusters.starts[_band(clusters, rows)] - rows.start, 0)
    return cuts


def _means_to_clusters(sums: FloatArray, cluster: IntArray, sizes: IntArray) -> tuple[FloatArray, FloatArray]:
    """Mean distance to the others of the own cluster, and the smallest mean distance to another."""
    own, _ = _own_and_other(sums, cluster)
    _, other = _own_and_other(sums / sizes, cluster)
    return own / np.maximum(sizes[cluster] - 1, 1), other


def _own_and_other(distances: FloatArray, cluster: IntArray) -> tuple[FloatArray, FloatArray]:
    """Entry of the own cluster, and the smallest of the others (infinite if there are none)."""
    at = np.arange(len(distances)), cluster
    others = distances.copy()
    others[at] = np.inf
    return distances[at], others.min(axis=1)
