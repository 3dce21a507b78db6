"""The door of the internal indices: features and one partition in, points sorted by cluster out (eq. I30)."""

from typing import Any, NamedTuple

import numpy as np

from partita._features import check_lengths, check_points
from partita._labels.validation import check_labels
from partita._typing import Array, FloatArray, IntArray
from partita.metrics._left_out import leave_out

_ROUNDING = 1e-14  # relative: well above the error of a mean (1e-16 each step), well below any real difference


class Clustered(NamedTuple):
    """Labelled points, sorted by cluster and moved so that their median is 0: no index depends on the origin.

    The median and not the mean: an outlier would move the mean, and all other points would lose digits.
    """

    points: FloatArray  # (n, d)
    cluster: IntArray  # (n,) cluster of each point, 0..k-1, non-decreasing
    starts: IntArray  # (k + 1,) cluster c holds points starts[c] to starts[c + 1] - 1; none is empty
    centroids: FloatArray  # (k, d)
    place: IntArray  # (n,) object behind each point
    n_objects: int  # labelled or not

    @property
    def sizes(self) -> IntArray:
        """Points in each cluster."""
        return np.diff(self.starts)

    @property
    def n_clusters(self) -> int:
        """Number of clusters, k."""
        return len(self.starts) - 1

    @property
    def rounding(self) -> FloatArray:
        """Distances to the centroid of each cluster, (k,), up to which a point is at the centroid."""
        largest = np.maximum.reduceat(np.abs(self.points).max(axis=1), self.starts[:-1])
        return np.asarray(_ROUNDING * largest)

    def to_objects(self, values: FloatArray) -> FloatArray:
        """Values of the points in the order of the objects, NaN for objects that were left out."""
        out = np.full(self.n_objects, np.nan)
        out[self.place] = values
        return out


def check_clustered(X: Any, labels: Any) -> Clustered:
    """Features and labels of the same objects; a LeftOutWarning says how many have no label."""
    points = check_points(X)
    codes = check_labels(labels, "labels")
    check_lengths(len(points), len(codes))
    return sort_by_cluster(points, codes, leave_out(codes >= 0))


def sort_by_cluster(points: FloatArray, codes: Array, place: IntArray) -> Clustered:
    """Sort the objects at ``place`` by their codes; codes that none of them has are not clusters."""
    _, cluster, sizes = np.unique(codes[place], return_inverse=True, return_counts=True)
    order = np.argsort(cluster, kind="stable")
    ordered = points[place[order]]
    ordered -= np.median(ordered, axis=0)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    # a mean lies between the smallest and the largest value; that of equal points is exactly the point
    low, high = (extreme.reduceat(ordered, starts[:-1], axis=0) for extreme in (np.minimum, np.maximum))
    centroids = np.clip(np.add.reduceat(ordered, starts[:-1], axis=0) / sizes[:, None], low, high)
    return Clustered(ordered, cluster[order], starts, centroids, place[order], len(points))
