"""The door of the internal indices: features and one partition in, points sorted by cluster out."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array

from partita._features import check_magnitude
from partita._labels.validation import check_labels
from partita._typing import Array, FloatArray, IntArray
from partita.exceptions import LeftOutWarning


class Clustered(NamedTuple):
    """Labelled points, sorted by cluster and moved so that their median is 0: no index depends on where they are.

    The median, since an outlier would take the mean, and with it the digits of all other points, along.
    """

    points: FloatArray  # (n, d)
    cluster: IntArray  # (n,) cluster of each, 0..k-1, non-decreasing
    starts: IntArray  # (k + 1,) cluster c holds points starts[c] to starts[c + 1] - 1; none is empty
    centroids: FloatArray  # (k, d)
    place: IntArray  # (n,) the object that each point is
    n_objects: int  # with those left out

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
        """What is nearer to the centroid of a cluster than this, (k,), is at the same place."""
        largest = np.maximum.reduceat(np.abs(self.points).max(axis=1), self.starts[:-1])
        return np.asarray(1e-14 * largest)

    def to_objects(self, values: FloatArray) -> FloatArray:
        """Values of the points in the order of the objects, NaN for those left out."""
        out = np.full(self.n_objects, np.nan)
        out[self.place] = values
        return out


def check_clustered(X: Any, labels: Any, *, stacklevel: int = 4) -> Clustered:
    """Features and labels of the same objects; a LeftOutWarning says how many have no label."""
    points = check_features(X)
    codes = check_labels(labels, "labels")
    check_lengths(len(points), len(codes))
    return sort_by_cluster(points, codes, leave_out(codes >= 0, stacklevel=stacklevel))


def check_features(X: Any) -> FloatArray:
    """Finite numbers, one row an object, by scikit-learn's check."""
    points: FloatArray = check_array(X, dtype=np.float64, input_name="X")
    check_magnitude(points)
    return points


def check_lengths(n_points: int, n_labels: int, name: str = "labels") -> None:
    """Refuse labels of other objects."""
    if n_points != n_labels:
        raise ValueError(f"X has {n_points} objects and {name} {n_labels}; both must be of the same objects.")


def leave_out(kept: Array, *, stacklevel: int) -> IntArray:
    """Places of the objects that are kept, with a warning if some are not."""
    place = np.flatnonzero(kept)
    if len(place) == 0:
        raise ValueError(f"none of the {len(kept)} objects is labelled, so there is no partition to judge.")
    if len(place) < len(kept):
        warnings.warn(
            f"{len(kept) - len(place)} of {len(kept)} objects are unlabelled and were left out.",
            LeftOutWarning,
            stacklevel=stacklevel,
        )
    return place


def sort_by_cluster(points: FloatArray, codes: Array, place: IntArray) -> Clustered:
    """Sort the objects at ``place`` by their codes; codes that none of them has do not count."""
    _, cluster, sizes = np.unique(codes[place], return_inverse=True, return_counts=True)
    order = np.argsort(cluster, kind="stable")
    ordered = points[place[order]]
    ordered -= np.median(ordered, axis=0)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    # a mean lies between its smallest and its largest value; that of equal points is exactly the point
    low, high = (extreme.reduceat(ordered, starts[:-1], axis=0) for extreme in (np.minimum, np.maximum))
    centroids = np.clip(np.add.reduceat(ordered, starts[:-1], axis=0) / sizes[:, None], low, high)
    return Clustered(ordered, cluster[order], starts, centroids, place[order], len(points))
