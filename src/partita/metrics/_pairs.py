"""Metrics that count pairs of objects: together in both partitions, in one, or in none (eqs. I10, I11, I12).

With a = pairs together in both, b = only in the first, c = only in the second, d = in none. Where a score
is 0 / 0 it is 1 for identical partitions and 0 otherwise (eq. I13). What scikit-learn has is computed by it.
"""

from typing import Any, NamedTuple

from sklearn import metrics as sk

from partita._typing import IntArray
from partita.metrics._contingency import contingency, cross_tabulate, paired_codes


class PairCounts(NamedTuple):
    """Numbers of pairs of objects, together (or not) in two partitions."""

    both: int
    first_only: int
    second_only: int
    neither: int


def pair_counts(labels_true: Any, labels_pred: Any) -> PairCounts:
    """Count the pairs of objects that two partitions put together.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Two partitions; objects that are -1 (or NaN, None) in one of them are left out, with a warning.

    Returns
    -------
    PairCounts

    Examples
    --------
    >>> from partita.metrics import pair_counts
    >>> pair_counts([0, 0, 1, 1], [0, 0, 0, 1])
    PairCounts(both=1, first_only=1, second_only=2, neither=2)
    """
    table = contingency(labels_true, labels_pred)
    both = _choose_two(table.cells)
    first = _choose_two(table.row_sums)
    second = _choose_two(table.col_sums)
    everything = table.n_objects * (table.n_objects - 1) // 2
    return PairCounts(both, first - both, second - both, everything - first - second + both)


def rand_score(labels_true: Any, labels_pred: Any) -> float:
    """Share of pairs of objects on which two partitions agree (Rand index), by scikit-learn.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Two partitions; objects that are -1 (or NaN, None) in one of them are left out, with a warning.

    Returns
    -------
    score : float in [0, 1]

    Examples
    --------
    >>> from partita.metrics import rand_score
    >>> rand_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    first, second, _ = paired_codes(labels_true, labels_pred)
    return float(sk.rand_score(first, second))


def adjusted_rand_score(labels_true: Any, labels_pred: Any) -> float:
    """Rand index, adjusted for chance (ARI), by scikit-learn.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Two partitions; objects that are -1 (or NaN, None) in one of them are left out, with a warning.

    Returns
    -------
    score : float in [-0.5, 1]
        0 on average for random partitions of given cluster sizes.

    Examples
    --------
    >>> from partita.metrics import adjusted_rand_score
    >>> adjusted_rand_score([0, 0, 1, 1], ["x", "x", "y", "y"])
    1.0
    """
    first, second, _ = paired_codes(labels_true, labels_pred)
    return float(sk.adjusted_rand_score(first, second))


def fowlkes_mallows_score(labels_true: Any, labels_pred: Any) -> float:
    """Geometric mean of pairwise precision and recall, a / sqrt((a + b)(a + c)), by scikit-learn.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Two partitions; objects that are -1 (or NaN, None) in one of them are left out, with a warning.

    Returns
    -------
    score : float in [0, 1]

    Examples
    --------
    >>> from partita.metrics import fowlkes_mallows_score
    >>> round(fowlkes_mallows_score([0, 0, 1, 1], [0, 0, 0, 1]), 3)
    0.408
    """
    first, second, _ = paired_codes(labels_true, labels_pred)
    same = cross_tabulate(first, second).is_bijection
    return 1.0 if same else float(sk.fowlkes_mallows_score(first, second))


def jaccard_score(labels_true: Any, labels_pred: Any) -> float:
    """Pairs together in both partitions among those together in at least one, a / (a + b + c).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Two partitions; objects that are -1 (or NaN, None) in one of them are left out, with a warning.

    Returns
    -------
    score : float in [0, 1]

    Examples
    --------
    >>> from partita.metrics import jaccard_score
    >>> jaccard_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.25
    """
    pairs = pair_counts(labels_true, labels_pred)
    together = pairs.both + pairs.first_only + pairs.second_only
    return pairs.both / together if together else 1.0


def pair_f1_score(labels_true: Any, labels_pred: Any) -> float:
    """Harmonic mean of pairwise precision and recall, 2a / (2a + b + c).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Two partitions; objects that are -1 (or NaN, None) in one of them are left out, with a warning.

    Returns
    -------
    score : float in [0, 1]

    Examples
    --------
    >>> from partita.metrics import pair_f1_score
    >>> pair_f1_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.4
    """
    pairs = pair_counts(labels_true, labels_pred)
    together = 2 * pairs.both + pairs.first_only + pairs.second_only
    return 2 * pairs.both / together if together else 1.0


def _choose_two(sizes: IntArray) -> int:
    """Pairs within groups, in 64-bit integers: 1e6 objects have 5e11 pairs."""
    return int((sizes * (sizes - 1) // 2).sum())
