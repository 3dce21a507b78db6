"""Small checks and orders that partitions and memberships share: numbering clusters by size, rows on the simplex."""

from typing import Any

import numpy as np

from partita._typing import Array, FloatArray, IntArray

ROUNDING = 1e-6  # how far from 1 the probabilities of an object may sum: those of float32 sum to 1 within this


def order_by_size(
    labels: Array, n_clusters: int | None = None, size: FloatArray | None = None, mass: FloatArray | None = None
) -> IntArray:
    """Clusters by decreasing size, equally large ones by first appearance; -1 is not a cluster.

    ``size`` is the weight of each cluster, by default its number of objects. Clusters of size 0 are left out or, if
    the ``mass`` of each cluster is given (soft methods), come last by decreasing mass.
    """
    labelled = np.flatnonzero(labels >= 0)
    found = labels[labelled]
    k = int(found.max(initial=-1)) + 1 if n_clusters is None else n_clusters
    sizes = np.asarray(np.bincount(found, minlength=k) if size is None else size, dtype=np.float64)
    first = np.full(k, len(labels))
    np.minimum.at(first, found, labelled)
    if mass is not None:
        return np.lexsort((-mass, first, -sizes))
    return np.lexsort((first, -sizes))[: int(np.count_nonzero(sizes > 0))]


def rank_of(order: IntArray, n_clusters: int) -> IntArray:
    """New number of each cluster when they are put in this order; -1 for those that are not in it."""
    rank = np.full(n_clusters, -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def number_by_size(labels: Array, weights: FloatArray | None = None, *, ties: str = "appearance") -> IntArray:
    """The same partition with clusters numbered by decreasing size; -1 stays.

    ``weights`` are those of the objects. Equally large clusters are numbered by their first ``"appearance"``, or by
    their present ``"number"``.
    """
    labelled = labels >= 0
    size = np.bincount(labels[labelled], weights=None if weights is None else weights[labelled]).astype(np.float64)
    order = order_by_size(labels, size=size) if ties == "appearance" else np.argsort(-size, kind="stable")
    return np.asarray(np.append(rank_of(order, len(size)), -1)[labels])  # the last entry serves -1


def check_membership(membership: Any, name: str, *, missing: bool = False) -> FloatArray:
    """Probabilities (n, k) as floats: rows are not negative and sum to 1; with ``missing`` a row may be all NaN."""
    try:
        Y = np.asarray(membership, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, received {membership!r:.60}.") from None
    if Y.ndim != 2 or Y.shape[1] == 0:
        raise ValueError(f"{name} has shape {Y.shape}; pass one row per object and one column per cluster, (n, k).")
    empty = np.isnan(Y).all(axis=1) if missing else np.zeros(len(Y), dtype=bool)
    with np.errstate(invalid="ignore"):  # inf - inf
        bad = ~empty & (~(np.abs(Y.sum(axis=1) - 1) <= ROUNDING) | ~(Y >= -ROUNDING).all(axis=1))
    if bad.any():
        row = int(bad.argmax())
        allowed = "; a row may be NaN throughout" if missing else ""
        raise ValueError(
            f"row {row} of {name} is {Y[row].round(4).tolist()!r:.80}, which are not probabilities: they must not be "
            f"negative and must sum to 1{allowed}."
        )
    return Y


def one_hot(labels: Array, n_clusters: int) -> FloatArray:
    """Membership (n, k) of a partition; rows of -1 are 0."""
    Y = np.zeros((len(labels), n_clusters))
    labelled = np.flatnonzero(labels >= 0)
    Y[labelled, labels[labelled]] = 1.0
    return Y
