"""Ensembles of which the answer is known, and how two answers are compared."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from partita._typing import IntArray


class Noisy(NamedTuple):
    """A label matrix, and the partition behind it."""

    X: IntArray  # (n_samples, n_clusterings), -1 = missing
    truth: IntArray  # (n_samples,)


def noisy_ensemble(
    sizes: Sequence[int] = (30, 20, 12),
    n_clusterings: int = 15,
    flip: float = 0.08,
    missing: float = 0.15,
    seed: int = 0,
) -> Noisy:
    """A partition with flipped labels, shuffled names and holes; every object keeps a label.

    Parameters
    ----------
    sizes : sequence of int
        Number of objects of each cluster.
    n_clusterings : int
        Number of columns.
    flip : float
        Probability that a label is drawn anew.
    missing : float
        Probability that a label is missing.
    seed : int
        Seed.

    Returns
    -------
    Noisy
        ``X`` and ``truth``.

    Examples
    --------
    >>> from partita.testing import noisy_ensemble
    >>> noisy_ensemble(sizes=(3, 2), n_clusterings=4).X.shape
    (5, 4)
    """
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    rng.shuffle(truth)
    n, k = len(truth), len(sizes)
    X = np.empty((n, n_clusterings), dtype=np.int64)
    for m in range(n_clusterings):
        labels = np.where(rng.random(n) < flip, rng.integers(k, size=n), truth)
        X[:, m] = rng.permutation(k)[labels]
    holes = rng.random(X.shape) < missing
    holes[np.arange(n), rng.integers(n_clusterings, size=n)] = False
    return Noisy(np.where(holes, -1, X), truth)


def same_partition(a: Any, b: Any) -> bool:
    """Whether two labellings are the same up to the names of the clusters; -1 stays -1.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,)
        Labels.

    Returns
    -------
    bool

    Examples
    --------
    >>> from partita.testing import same_partition
    >>> same_partition([0, 0, 1, -1], [5, 5, 2, -1])
    True
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or not np.array_equal(a < 0, b < 0):
        return False
    pairs = {(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True) if x >= 0}
    return len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs})
