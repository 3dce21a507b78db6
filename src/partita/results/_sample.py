"""A sample of the objects in which every cluster is present: for pictures, and for what is computed many times."""

import numpy as np

from partita._typing import Array, IntArray

_AT_LEAST = 5  # objects of each cluster that are taken, as far as it has them and there is room


def stratified_sample(labels: Array, size: int, seed: int = 0) -> IntArray:
    """Objects of a sample of at most ``size``, in their order: all of them if they are not more.

    Each cluster has its share of the sample, rounded down, and at least five objects while there is room; the objects
    that rounding leaves are drawn from all others. Objects without a cluster (-1) are one more stratum.
    """
    n = len(labels)
    if n <= size:
        return np.arange(n)
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    strata, inverse, counts = np.unique(labels, return_inverse=True, return_counts=True)
    room = min(_AT_LEAST, size // len(strata))
    wanted = np.minimum(counts, np.maximum(size * counts // n, room))
    while wanted.sum() > size:  # small clusters have got more than their share: the largest gives it
        wanted[wanted.argmax()] -= 1
    rank = _rank_within(inverse[order])
    first = rank < wanted[inverse[order]]
    chosen = np.concatenate([order[first], order[~first][: size - int(first.sum())]])
    return np.sort(chosen)


def _rank_within(strata: IntArray) -> IntArray:
    """Place of each entry among those of its stratum, in the given order."""
    by_stratum = np.argsort(strata, kind="stable")
    starts = np.searchsorted(strata[by_stratum], strata[by_stratum], side="left")
    rank = np.empty(len(strata), dtype=np.int64)
    rank[by_stratum] = np.arange(len(strata)) - starts
    return rank
