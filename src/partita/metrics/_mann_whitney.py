"""The test of Wilcoxon, Mann and Whitney, of whether one of two independent series tends to be larger.

U1 counts the pairs in which a value of the first series exceeds one of the second, ties by half; U1 + U2 = n1 n2
(eq. I25). p-values are SciPy's, exact or from the normal approximation (eq. I27).
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import stats

from partita._parameters import check_choice
from partita._typing import Array, FloatArray
from partita.metrics._series import check_series

Alternative = Literal["two-sided", "less", "greater"]
SIDES = ("two-sided", "less", "greater")
_EXACT_PAIRS = (
    2500  # "auto" is exact up to this n1 n2, 50 values each: more costs time and the normal approximation is close
)
LARGEST_EXACT = 10_000  # n1 n2, 100 values each: below a second; time grows with its square, to 20 s at 200 each


class MannWhitneyTest(NamedTuple):
    """Result of ``mann_whitney_test``."""

    u1: float
    u2: float
    statistic: float  # the smaller of both
    z: float
    p_value: float
    method: str


def mann_whitney_test(
    x: Any,
    y: Any,
    *,
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    alternative: Alternative = "two-sided",
    continuity: bool = True,
) -> MannWhitneyTest:
    """Test whether values of one series tend to be larger than those of another, independent one.

    Parameters
    ----------
    x, y : array-like of shape (n1,) and (n2,)
        Two series of numbers; NaN are left out.
    method : {"auto", "exact", "asymptotic"}, default="auto"
        Where the p-value comes from: the distribution of U, for values without ties, or its normal approximation.
        "auto" is exact if there are no ties and n1 n2 <= 2500; "exact" is refused above n1 n2 = 10,000, because its
        time grows with the square of n1 n2.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater": the values of ``x`` tend to be larger.
    continuity : bool, default=True
        Move U by 1/2 towards its mean in ``z`` and in the asymptotic p-value.

    Returns
    -------
    MannWhitneyTest
        ``u1``, ``u2``, ``statistic`` (the smaller of both), ``z``, ``p_value``, ``method`` ("exact" or
        "asymptotic"). ``z`` is that of ``statistic``, so never positive: U minus its mean n1 n2 / 2 over its standard
        deviation, corrected for ties. If all values are equal, z is 0 and the p-value 1.

    Notes
    -----
    p-values are SciPy's. For normal values, where the t-test is best, this test is 3 / pi = 95.5 % as efficient.

    References
    ----------
    H. Mann and D. Whitney, "On a test of whether one of two random variables is stochastically larger than the other",
    Annals of Mathematical Statistics 18, 1947.

    Examples
    --------
    >>> from partita.metrics import mann_whitney_test
    >>> result = mann_whitney_test([0.91, 0.95, 0.93, 0.97], [0.84, 0.92, 0.81, 0.88, 0.79])
    >>> result.u1, result.statistic, round(result.p_value, 4), result.method
    (19.0, 1.0, 0.0317, 'exact')
    """
    check_choice("method", method, ("auto", "exact", "asymptotic"))
    check_choice("alternative", alternative, SIDES)
    if not isinstance(continuity, bool | np.bool_):
        raise ValueError(f"continuity={continuity!r:.60} is not allowed; pass True or False.")
    first, second = (_without_nan(values, name) for values, name in ((x, "x"), (y, "y")))
    n1, n2 = len(first), len(second)
    ties = np.unique(np.concatenate([first, second]), return_counts=True)[1]
    used = _choose_method(method, bool((ties > 1).any()), n1 * n2)
    ranks = stats.rankdata(np.concatenate([first, second]))  # mid-ranks
    u1 = float(ranks[:n1].sum() - n1 * (n1 + 1) / 2)
    u = min(u1, n1 * n2 - u1)
    sd = _standard_deviation(n1, n2, ties)
    if sd == 0:
        return MannWhitneyTest(u1, n1 * n2 - u1, u, 0.0, 1.0, used)
    z = min(u + 0.5 * continuity - n1 * n2 / 2, 0.0) / sd
    p_value = stats.mannwhitneyu(first, second, use_continuity=continuity, alternative=alternative, method=used).pvalue
    return MannWhitneyTest(u1, n1 * n2 - u1, u, float(z), float(p_value), used)


def _without_nan(values: Any, name: str) -> FloatArray:
    series = check_series(values, name)
    series = series[~np.isnan(series)]
    if len(series) == 0:
        raise ValueError(f"{name} has only NaN; pass at least one number in each series.")
    return series


def _choose_method(method: str, tied: bool, n_pairs: int) -> Literal["exact", "asymptotic"]:
    if method == "exact" and tied:
        raise ValueError("method='exact' needs values without ties, and some are equal; choose 'auto' or 'asymptotic'.")
    if method == "exact" and n_pairs > LARGEST_EXACT:
        raise ValueError(
            f"method='exact' is for series with n1 n2 <= {LARGEST_EXACT}, received {n_pairs}: its time grows with the "
            "square of n1 n2; choose 'auto' or 'asymptotic', which is close for series this long."
        )
    if method == "auto":
        return "exact" if not tied and n_pairs <= _EXACT_PAIRS else "asymptotic"
    return "exact" if method == "exact" else "asymptotic"


def _standard_deviation(n1: int, n2: int, ties: Array) -> float:
    """Standard deviation of U under the null hypothesis; ``ties`` are the sizes of the groups of equal values."""
    n = n1 + n2
    correction = 1 - float((ties.astype(np.float64) ** 3 - ties).sum()) / (n**3 - n)
    return float(np.sqrt(max(n1 * n2 * (n + 1) / 12 * correction, 0.0)))
