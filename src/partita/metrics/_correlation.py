"""Rank correlation of two series by their pairs: Goodman and Kruskal's, and one that also compares the gaps.

For a pair i < j let s_a and s_b be the signs of a_i - a_j and b_i - b_j. Its term is w = s_a s_b, and 1 if both are 0.
The weighted term w' replaces each nonzero product by s_a s_b min(r, 1 / r), where r is the ratio of |a_i - a_j| and
|b_i - b_j|, each as a share of the range of its series. Then

    GK = sum w / sum |w|,    WGK = sum w' / sum |w|        (eqs. I40, I41, I42).
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from partita._checks import check_choice
from partita._kernels import internal
from partita._runs import in_order
from partita._typing import FloatArray
from partita.metrics._series import check_series

DoubleTies = Literal["concordant", "neutral"]
_BLOCK_ROWS = 256  # values per task: enough tasks for all threads, each large enough to be worth a call


class _Concordance(NamedTuple):
    """Pairs of objects by how two series order them."""

    alike: int
    opposite: int
    tied: int  # in both series
    weighted: float  # sum of w' over the pairs that are tied in neither


def goodman_kruskal_score(
    a: Any, b: Any, double_ties: DoubleTies = "concordant", *, n_jobs: int | None = None
) -> float:
    """Goodman and Kruskal's gamma: pairs ordered the same way minus pairs ordered oppositely, over both.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Two series of numbers, without NaN.
    double_ties : {"concordant", "neutral"}, default="concordant"
        Whether a pair that is tied in both series counts as ordered the same way, or not at all (the classical gamma).
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.

    Returns
    -------
    score : float in [-1, 1]
        0 if every pair is tied in just one of the series.

    Notes
    -----
    Cost O(n^2) time, O(n) memory.

    References
    ----------
    L. Goodman and W. Kruskal, "Measures of association for cross classifications", Journal of the American
    Statistical Association 49, 1954.

    Examples
    --------
    >>> from partita.metrics import goodman_kruskal_score
    >>> goodman_kruskal_score([1, 2, 3, 4], [1, 4, 9, 16])
    1.0
    """
    pairs = _count_concordance(a, b, double_ties, n_jobs)
    return _over_pairs(pairs.alike - pairs.opposite, pairs, double_ties)


def weighted_goodman_kruskal_score(
    a: Any, b: Any, double_ties: DoubleTies = "concordant", *, n_jobs: int | None = None
) -> float:
    """Goodman and Kruskal's gamma with pairs weighted by how similar their gaps are (WGK).

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Two series of numbers, without NaN.
    double_ties : {"concordant", "neutral"}, default="concordant"
        Whether a pair that is tied in both series counts as ordered the same way, or not at all.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.

    Returns
    -------
    score : float in [-1, 1]
        Symmetric; increasing affine maps of a series change nothing. Without ties it is 1 or -1 if and only if one
        series is an affine map of the other; 0 if every pair is tied in just one of the series.

    Notes
    -----
    Only the numerator is weighted: weighting the denominator too would give 1 for every increasing relation.
    Cost O(n^2) time, O(n) memory.

    References
    ----------
    R. Campello and E. Hruschka, "On comparing two sequences of numbers and its applications to clustering analysis",
    Information Sciences 179, 2009.

    Examples
    --------
    >>> from partita.metrics import weighted_goodman_kruskal_score
    >>> round(weighted_goodman_kruskal_score([1, 2, 3, 4], [1, 4, 9, 16]), 3)
    0.825
    """
    pairs = _count_concordance(a, b, double_ties, n_jobs)
    return _over_pairs(pairs.weighted, pairs, double_ties)


def both_gammas(a: Any, b: Any, double_ties: DoubleTies, n_jobs: int | None) -> tuple[float, float]:
    """GK and WGK from one pass over the pairs."""
    pairs = _count_concordance(a, b, double_ties, n_jobs)
    gamma = _over_pairs(pairs.alike - pairs.opposite, pairs, double_ties)
    return gamma, _over_pairs(pairs.weighted, pairs, double_ties)


def _over_pairs(numerator: float, pairs: _Concordance, double_ties: DoubleTies) -> float:
    tied = pairs.tied if double_ties == "concordant" else 0
    counted = pairs.alike + pairs.opposite + tied
    return float((numerator + tied) / counted) if counted else 0.0


def _count_concordance(a: Any, b: Any, double_ties: DoubleTies, n_jobs: int | None) -> _Concordance:
    check_choice("double_ties", double_ties, ("concordant", "neutral"))
    (first, range_first), (second, range_second) = _with_range(a, "a"), _with_range(b, "b")
    n = len(first)
    if n != len(second):
        raise ValueError(f"a has {n} values and b has {len(second)}; pass two series of equal length.")

    def compare(rows: slice) -> tuple[FloatArray, FloatArray]:
        n_pairs, weighted = np.empty((rows.stop - rows.start, 3), dtype=np.int64), np.empty(rows.stop - rows.start)
        internal.concordance_rows(first, second, range_first, range_second, rows.start, rows.stop, n_pairs, weighted)
        return n_pairs.sum(axis=0), weighted

    blocks = [slice(lo, min(n, lo + _BLOCK_ROWS)) for lo in range(0, n, _BLOCK_ROWS)]
    n_pairs, weighted = zip(*in_order(compare, blocks, n_jobs), strict=True)
    alike, opposite, tied = (int(number) for number in sum(n_pairs))
    return _Concordance(alike, opposite, tied, float(np.concatenate(weighted).sum()))


def _with_range(values: Any, name: str) -> tuple[FloatArray, float]:
    series = check_series(values, name)
    if np.isnan(series).any():
        raise ValueError(f"{name}[{int(np.argmax(np.isnan(series)))}] is NaN; drop missing values first.")
    if series.max() / 2 - series.min() / 2 > np.finfo(float).max / 2:  # the range overflows
        series = series / 2
    return np.ascontiguousarray(series), float(series.max() - series.min())
