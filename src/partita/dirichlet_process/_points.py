"""Features at the door, and clusters numbered on the way out."""

from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from partita._features import check_magnitude
from partita._typing import FloatArray, IntArray


def check_points(X: Any, estimator: Any = None, *, reset: bool = True) -> FloatArray:
    """Features as rows of float64 that kernels can take; with an estimator its number and names of features, too."""
    if estimator is None:
        points: FloatArray = check_array(X, dtype=np.float64, order="C")
    else:
        points = validate_data(estimator, X, dtype=np.float64, order="C", reset=reset)
    check_magnitude(points)
    return points if points.flags.writeable else points.copy()  # kernels are compiled for one kind of array


def order_by_size(labels: IntArray, n_clusters: int) -> IntArray:
    """Clusters that have objects by decreasing size, the first to appear first among equally large ones."""
    size = np.bincount(labels, minlength=n_clusters)
    first = np.full(n_clusters, len(labels))
    np.minimum.at(first, labels, np.arange(len(labels)))
    return np.lexsort((first, -size))[: int((size > 0).sum())]


def number_by(order: IntArray, labels: IntArray, n_clusters: int) -> IntArray:
    """The labels after the clusters are put in this order."""
    rank = np.full(n_clusters, -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    return np.asarray(rank[labels])


def check_count(number: Any, name: str) -> int:
    """A whole number from 1."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
        raise ValueError(f"{name}={number!r} is not allowed; pass a whole number from 1.")
    return int(number)
