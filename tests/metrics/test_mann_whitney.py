"""The test of Mann and Whitney by enumeration and against SciPy's (eqs. I25, I26, I27)."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from partita.metrics import mann_whitney_test

sides = pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])

series = st.lists(st.integers(-5, 5), min_size=1, max_size=12)


def enumerate_u(n1, n2):
    """U1 of every choice of the ranks of the first series."""
    return np.array([sum(ranks) - n1 * (n1 + 1) // 2 for ranks in combinations(range(1, n1 + n2 + 1), n1)])


@given(series, series)
def test_u_counts_pairs(x, y):
    result = mann_whitney_test(x, y)
    by_hand = sum((a > b) + 0.5 * (a == b) for a in x for b in y)
    assert result.u1 == by_hand
    assert result.u1 + result.u2 == len(x) * len(y)
    assert result.statistic == min(result.u1, result.u2)
    assert result.z <= 0
    assert 0 <= result.p_value <= 1
    swapped = mann_whitney_test(y, x)
    assert (swapped.u1, swapped.z) == (result.u2, result.z)
    assert swapped.p_value == pytest.approx(result.p_value, abs=1e-12)


@sides
@pytest.mark.parametrize(("n1", "n2"), [(n1, n2) for n1 in range(1, 6) for n2 in range(1, 6)])
def test_exact_p_values_are_those_of_all_orders(n1, n2, alternative):
    null = enumerate_u(n1, n2)
    for ranks in combinations(range(1, n1 + n2 + 1), n1):
        x = np.array(ranks)
        y = np.setdiff1d(np.arange(1, n1 + n2 + 1), x)
        result = mann_whitney_test(x, y, alternative=alternative)
        less, greater = (null <= result.u1).mean(), (null >= result.u1).mean()
        expected = {"less": less, "greater": greater, "two-sided": min(1, 2 * min(less, greater))}[alternative]
        assert result.method == "exact"
        assert result.p_value == pytest.approx(expected, rel=1e-12)


@sides
@pytest.mark.parametrize("continuity", [True, False])
def test_p_values_are_scipys(alternative, continuity, rng):
    x, y = rng.normal(size=30), rng.normal(size=20) + 0.4
    options = {"alternative": alternative, "use_continuity": continuity}
    for method in ("exact", "asymptotic"):
        ours = mann_whitney_test(x, y, method=method, alternative=alternative, continuity=continuity)
        theirs = stats.mannwhitneyu(x, y, method=method, **options)
        assert (ours.u1, ours.method) == (theirs.statistic, method)
        assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    tied = mann_whitney_test(x.round(), y.round(), alternative=alternative, continuity=continuity)
    assert tied.method == "asymptotic"
    assert tied.p_value == pytest.approx(stats.mannwhitneyu(x.round(), y.round(), **options).pvalue, rel=1e-12)


@pytest.mark.parametrize("continuity", [True, False])
def test_z_is_what_the_asymptotic_p_value_comes_from(continuity, rng):
    x, y = rng.integers(8, size=25), rng.integers(8, size=18) + 1
    result = mann_whitney_test(x, y, method="asymptotic", continuity=continuity)
    assert result.p_value == pytest.approx(2 * stats.norm.cdf(result.z), rel=1e-12)
    ties = np.unique(np.r_[x, y], return_counts=True)[1]
    variance = 25 * 18 / 12 * (44 - (ties**3 - ties).sum() / (43 * 42))
    by_hand = (result.statistic + 0.5 * continuity - 25 * 9) / np.sqrt(variance)
    assert result.z == pytest.approx(by_hand, rel=1e-12)


def test_auto_is_exact_while_that_is_cheap(rng):
    assert mann_whitney_test(rng.random(50), rng.random(50)).method == "exact"
    assert mann_whitney_test(rng.random(51), rng.random(50)).method == "asymptotic"
    assert mann_whitney_test([1, 2], [2, 3]).method == "asymptotic"


@sides
def test_no_difference_at_all(alternative):
    result = mann_whitney_test([3, 3], [3, 3, 3], alternative=alternative)
    assert result == (3, 3, 3, 0, 1, "asymptotic")


def test_nan_is_left_out():
    assert mann_whitney_test([1, np.nan, 4], [2, 3, np.nan]) == mann_whitney_test([1, 4], [2, 3])


def test_wrong_methods_alternatives_and_samples_are_refused():
    with pytest.raises(ValueError, match=r"method='exact' needs values without ties.*choose 'auto' or 'asymptotic'"):
        mann_whitney_test([1, 2], [2, 3], method="exact")
    with pytest.raises(ValueError, match="method='fast' is not known; choose 'auto', 'exact' or 'asymptotic'"):
        mann_whitney_test([1], [2], method="fast")
    with pytest.raises(ValueError, match="alternative='more' is not known"):
        mann_whitney_test([1], [2], alternative="more")
    with pytest.raises(ValueError, match="y has only NaN"):
        mann_whitney_test([1], [np.nan])
    with pytest.raises(ValueError, match=r"x has shape \(1, 1\)"):
        mann_whitney_test([[1]], [2])


def test_an_exact_test_of_long_series_is_refused_before_any_work(rng):
    with pytest.raises(ValueError, match=r"n1 n2 <= 10000, received 9000000: .* choose 'auto' or 'asymptotic'"):
        mann_whitney_test(rng.random(3000), rng.random(3000), method="exact")
    assert mann_whitney_test(rng.random(3000), rng.random(3000)).method == "asymptotic"
    assert mann_whitney_test(rng.random(100), rng.random(100), method="exact").method == "exact"


@pytest.mark.parametrize("wrong", [None, "x", -1, 1.0])
def test_the_correction_is_a_switch(wrong):
    with pytest.raises(ValueError, match=r"continuity=.* is not allowed; pass True or False"):
        mann_whitney_test([1, 2], [3, 4], continuity=wrong)
