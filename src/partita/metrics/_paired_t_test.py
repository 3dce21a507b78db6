"""Student's test of whether one of two paired series of results is larger on average (eqs. I22, I23)."""

from math import frexp, ldexp
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import stats

from partita._checks import check_choice
from partita._typing import FloatArray
from partita.metrics._series import check_series

_LARGEST = 1e300  # a difference, and the spread of differences, stay within float64
_ROUNDING = 1e-12  # spread relative to the mean, below which all differences are equal up to rounding


class PairedTTest(NamedTuple):
    """Result of ``paired_t_test``."""

    statistic: float
    p_value: float
    degrees_of_freedom: int
    mean_difference: float
    sd_difference: float


def paired_t_test(a: Any, b: Any, *, alternative: Literal["two-sided", "less", "greater"] = "two-sided") -> PairedTTest:
    """Student's t-test of whether paired results differ on average, such as two methods on the same datasets.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Results in the same order; pairs in which one is NaN are left out.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater": the results ``a`` are larger on average.

    Returns
    -------
    PairedTTest
        ``statistic``, ``p_value``, ``degrees_of_freedom``, ``mean_difference``, ``sd_difference``. If all differences
        are equal, the statistic is infinite (0 if they are 0, with p-value 1, or 1/2 for a one-sided alternative).

    Examples
    --------
    >>> from partita.metrics import paired_t_test
    >>> result = paired_t_test([0.9, 0.8, 0.7, 0.9], [0.8, 0.7, 0.7, 0.7])
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (2.449, 0.092)
    """
    check_choice("alternative", alternative, ("two-sided", "less", "greater"))
    first, second = check_series(a, "a"), check_series(b, "b")
    if first.shape != second.shape:
        raise ValueError(f"a and b have shapes {first.shape} and {second.shape}; pass two series of equal length.")
    exponent = _size_of(first, second)
    differences = np.ldexp(first, -exponent) - np.ldexp(second, -exponent)
    differences = differences[~np.isnan(differences)]
    if len(differences) < 2:
        raise ValueError(f"{len(differences)} pairs without NaN are too few; a t-test needs at least 2.")
    mean, sd = float(differences.mean()), float(differences.std(ddof=1))
    if sd <= _ROUNDING * abs(mean) or not differences.any():
        return _equal_differences(ldexp(mean, exponent), len(differences), alternative)
    result = stats.ttest_1samp(differences, 0.0, alternative=alternative)
    statistic, p_value = float(result.statistic), float(result.pvalue)
    return PairedTTest(statistic, p_value, len(differences) - 1, ldexp(mean, exponent), ldexp(sd, exponent))


def _size_of(a: FloatArray, b: FloatArray) -> int:
    """The power of two of the largest value: relative to it squares stay within float64, and no digit changes."""
    largest = float(np.nan_to_num(np.abs([a, b])).max())
    if largest > _LARGEST:
        raise ValueError(f"a and b have values up to {largest:.2g}, above {_LARGEST:.0e}; divide both by a number.")
    return int(frexp(largest)[1])


def _equal_differences(mean: float, n: int, alternative: str) -> PairedTTest:
    """Result for differences that are all the same number: the limit of vanishing spread."""
    statistic = float(np.sign(mean) * np.inf) if mean else 0.0
    wrong_way = alternative == ("less" if mean > 0 else "greater")
    p_value = (1.0 if alternative == "two-sided" else 0.5) if mean == 0 else float(wrong_way)
    return PairedTTest(statistic, p_value, n - 1, mean, 0.0)
