"""How clusters are numbered: by decreasing size (eqs. C13 to C16)."""

import numpy as np

from partita._typing import Array, FloatArray, IntArray


def order_by_size(
    labels: Array, n_clusters: int | None = None, size: FloatArray | None = None, mass: FloatArray | None = None
) -> IntArray:
    """Clusters by decreasing size, equally large ones by first appearance; -1 is not a cluster.

    ``size`` is the weight of each cluster, by default its number of objects. Clusters without objects are left out or,
    if the ``mass`` of each cluster is given (soft methods), come last by decreasing mass.
    """
    labelled = np.flatnonzero(labels >= 0)
    found = labels[labelled]
    k = int(found.max(initial=-1)) + 1 if n_clusters is None else n_clusters
    sizes = np.asarray(np.bincount(found, minlength=k) if size is None else size, dtype=np.float64)
    first = np.full(k, len(labels))
    np.minimum.at(first, found, labelled)
    if mass is not None:
        return np.lexsort((-mass, first, -sizes))
    return np.lexsort((first, -sizes))[: int(np.count_nonzero(first < len(labels)))]


def rank_of(order: IntArray, n_clusters: int) -> IntArray:
    """New number of each cluster when they are put in this order; -1 for those that are not in it."""
    rank = np.full(n_clusters, -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def number_by_size(labels: Array, row_weights: FloatArray | None = None, *, ties: str = "appearance") -> IntArray:
    """The same partition with clusters numbered by decreasing size; -1 stays.

    ``row_weights`` are those of the objects or rows. Equally large clusters are numbered by their first
    ``"appearance"``, or by their present ``"number"``.
    """
    labelled = labels >= 0
    weights = np.ones(len(labels)) if row_weights is None else row_weights
    size = sum_per_row(labels[labelled], weights[labelled], 0)
    order = order_by_size(labels, size=size) if ties == "appearance" else np.argsort(-size, kind="stable")
    return np.asarray(np.append(rank_of(order, len(size)), -1)[labels])  # the last entry is used for -1


def sum_per_row(place: Array, weights: FloatArray, length: int) -> FloatArray:
    """Sum of the weights at each place."""
    return np.bincount(place, weights=weights, minlength=length).astype(np.float64)
