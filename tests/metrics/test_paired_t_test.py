"""The paired t-test against SciPy's, and its limits (eqs. I22, I23, I24)."""

import numpy as np
import pytest
from scipy import stats

from partita.metrics import paired_t_test

sides = pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])


@sides
def test_t_test_is_scipys(alternative, rng):
    a, b = rng.normal(size=(2, 12))
    ours = paired_t_test(a, b + 0.3, alternative=alternative)
    theirs = stats.ttest_rel(a, b + 0.3, alternative=alternative)
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.p_value == pytest.approx(theirs.pvalue)
    assert ours.degrees_of_freedom == theirs.df == 11
    assert ours.mean_difference == pytest.approx((a - b).mean() - 0.3)
    assert ours.sd_difference == pytest.approx(np.std(a - b, ddof=1))


@sides
def test_pairs_with_nan_are_left_out(alternative, rng):
    a, b = rng.normal(size=(2, 9))
    a[2] = b[5] = a[7] = b[7] = np.nan
    there = ~np.isnan(a - b)
    ours = paired_t_test(a, b, alternative=alternative)
    assert ours == paired_t_test(a[there], b[there], alternative=alternative)
    assert ours.degrees_of_freedom == 5
    assert ours.p_value == pytest.approx(stats.ttest_rel(a, b, nan_policy="omit", alternative=alternative).pvalue)


@pytest.mark.parametrize(
    ("sign", "alternative", "p_value"),
    [(1, "two-sided", 0), (1, "greater", 0), (1, "less", 1), (-1, "two-sided", 0), (-1, "greater", 1), (-1, "less", 0)],
)
def test_equal_differences_are_the_limit_of_vanishing_spread(sign, alternative, p_value):
    a = np.array([0.3, 0.7, 0.1, 0.9])
    result = paired_t_test(a + sign * 0.1, a, alternative=alternative)  # equal but for rounding
    assert result.statistic == sign * np.inf
    assert result.p_value == p_value
    assert result.mean_difference == pytest.approx(sign * 0.1)
    assert result.sd_difference == 0
    nearly = paired_t_test(a + sign * (0.1 + 1e-7 * np.arange(4)), a, alternative=alternative)
    assert nearly.p_value == pytest.approx(p_value, abs=1e-10)


@pytest.mark.parametrize(("alternative", "p_value"), [("two-sided", 1), ("less", 0.5), ("greater", 0.5)])
def test_no_difference_at_all(alternative, p_value):
    result = paired_t_test([1, 2, 3], [1, 2, 3], alternative=alternative)
    assert result == (0, p_value, 2, 0, 0)
    assert 2 * stats.t.sf(0, 2) == 1  # the two-sided one of t = 0


def test_significance_on_seven_datasets():
    """t = 4.67 on seven pairs, as between two methods of one of the papers: 0.0017 one-sided, 0.0034 two-sided."""
    spread = np.arange(7) - 3.0
    difference = 4.67 / np.sqrt(7) + spread / spread.std(ddof=1)
    b = np.array([0.5, 0.1, 0.9, 0.4, 0.7, 0.2, 0.6])
    result = paired_t_test(b + difference, b, alternative="greater")
    assert result.statistic == pytest.approx(4.67, rel=1e-9)
    assert round(result.p_value, 4) == 0.0017
    assert round(paired_t_test(b + difference, b).p_value, 4) == 0.0034
    assert round(paired_t_test(b, b + difference, alternative="less").p_value, 4) == 0.0017


def test_wrong_alternatives_and_series_are_refused():
    with pytest.raises(ValueError, match="alternative='more' is not known; choose"):
        paired_t_test([1, 2], [2, 1], alternative="more")
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\); pass two series of equal length"):
        paired_t_test([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match=r"a has shape \(1, 2\); pass a series of at least one number"):
        paired_t_test([[1, 2]], [[1, 3]])
    with pytest.raises(ValueError, match="1 pairs without NaN are too few"):
        paired_t_test([1, np.nan, 2], [1, 2, np.nan])


@pytest.mark.parametrize("exponent", [-1000, -500, 500, 990])
def test_the_unit_of_the_results_does_not_matter(exponent, rng):
    a, b = rng.normal(size=(2, 8))
    ours, usual = paired_t_test(np.ldexp(a, exponent), np.ldexp(b, exponent)), paired_t_test(a, b)
    assert ours[:3] == usual[:3]
    assert ours[3:] == tuple(np.ldexp(usual[3:], exponent))


def test_values_whose_differences_may_overflow_are_refused():
    with pytest.raises(ValueError, match=r"values up to 1.7e\+308, above 1e\+300; divide both by a number"):
        paired_t_test([1.7e308, 1.0], [-1.7e308, 2.0])
