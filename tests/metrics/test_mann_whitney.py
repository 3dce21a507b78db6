"""The test of Mann and Whitney by enumeration and against scipy's, and its critical values: T-39 of the catalogue."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from partita.metrics import mann_whitney_critical_table, mann_whitney_critical_value, mann_whitney_test
from partita.metrics._mann_whitney import _null_counts

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


@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (1, 6), (3, 4), (5, 5), (6, 2)])
def test_null_counts_are_those_of_all_orders(n1, n2):
    *_, last = _null_counts(n1, n2)
    assert last[n2].tolist() == np.bincount(enumerate_u(n1, n2), minlength=n1 * n2 + 1).tolist()


def test_null_counts_do_not_overflow():
    *_, last = _null_counts(50, 50)
    counts = last[50]
    assert sum(counts) == comb(100, 50) > 2**63
    assert counts.tolist() == counts[::-1].tolist()
    mean = sum(u * c for u, c in enumerate(counts)) / Fraction(comb(100, 50))
    square = sum(u * u * c for u, c in enumerate(counts)) / Fraction(comb(100, 50))
    assert mean == 1250
    assert square - mean**2 == Fraction(50 * 50 * 101, 12)


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


def test_test_refuses():
    with pytest.raises(ValueError, match=r"method='exact' needs values without ties.*choose 'auto' or 'asymptotic'"):
        mann_whitney_test([1, 2], [2, 3], method="exact")
    with pytest.raises(ValueError, match="method='fast' is not known; choose 'auto', 'exact' or 'asymptotic'"):
        mann_whitney_test([1], [2], method="fast")
    with pytest.raises(ValueError, match="alternative='more' is not known"):
        mann_whitney_test([1], [2], alternative="more")
    with pytest.raises(ValueError, match="y has no value but NaN"):
        mann_whitney_test([1], [np.nan])
    with pytest.raises(ValueError, match=r"x has shape \(1, 1\)"):
        mann_whitney_test([[1]], [2])


@pytest.mark.parametrize(
    ("alpha", "n1", "n2", "right", "printed"),
    [
        (0.05, 4, 20, 14, 13),
        (0.05, 9, 10, 20, 21),
        (0.05, 14, 17, 69, 67),
        (0.05, 17, 14, 69, 67),
        (0.01, 11, 20, 48, 46),
        (0.01, 20, 11, 48, 46),
        (0.01, 13, 19, 57, 56),
        (0.01, 19, 13, 57, 56),
    ],
)
def test_critical_values_that_a_printed_table_has_wrong(alpha, n1, n2, right, printed):
    """Cells in which a table in use differs: by scipy's exact distribution, too, it is the table that is wrong."""
    critical = mann_whitney_critical_value(n1, n2, alpha)
    assert critical == right != printed
    assert exact_p(critical, n1, n2) <= alpha < exact_p(critical + 1, n1, n2)


def exact_p(u, n1, n2):
    """Two-sided exact p-value of U = u, by scipy, on values that have this U."""
    y = np.arange(n2, dtype=float)
    above = np.full(n1, -1.0)  # how many of y each x exceeds
    full, rest = divmod(u, n2)
    above[:full] = n2 - 1
    above[full : full + 1] = rest - 1
    x = above + 0.5 + 1e-3 * np.arange(n1) / n1
    result = stats.mannwhitneyu(x, y, method="exact")
    assert result.statistic == u
    return result.pvalue


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_whole_table_against_scipys_exact_distribution(alpha):
    table = mann_whitney_critical_table(20, alpha)
    for n1 in range(1, 21):
        for n2 in range(n1, 21):
            critical = table.loc[n1, n2]
            if pd.isna(critical):
                assert exact_p(0, n1, n2) > alpha
            else:
                assert exact_p(int(critical), n1, n2) <= alpha + 1e-12
                assert exact_p(int(critical) + 1, n1, n2) > alpha
    assert table.equals(table.T.rename_axis(index="n1", columns="n2"))


def test_table_and_single_values_agree():
    table = mann_whitney_critical_table(7, 0.1, "less")
    for n1 in range(1, 8):
        for n2 in range(1, 8):
            one = mann_whitney_critical_value(n1, n2, 0.1, "less")
            assert (pd.isna(table.loc[n1, n2]) and one is None) or table.loc[n1, n2] == one
    assert mann_whitney_critical_table(5, 0.05, "greater").equals(mann_whitney_critical_table(5, 0.05, "less"))
    assert mann_whitney_critical_table(5, 0.05, "less").equals(mann_whitney_critical_table(5, 0.1))


def test_alpha_is_the_decimal_number_that_it_is_written_as():
    """P(U = 0) = 1 / 40 for 1 and 39 values: twice that is 0.05, and the test rejects."""
    assert mann_whitney_critical_value(1, 39) == 0
    assert mann_whitney_critical_value(1, 38) is None
    assert mann_whitney_critical_value(3, 3, 0.1) == 0  # 2 / 20


def test_critical_values_of_long_series():
    critical = mann_whitney_critical_value(50, 45)
    assert exact_p(critical, 50, 45) <= 0.05 < exact_p(critical + 1, 50, 45)


@pytest.mark.parametrize("alpha", [0, 1, -0.1, "0.05", True, float("nan")])
def test_refused_levels(alpha):
    with pytest.raises(ValueError, match="must be a number in"):
        mann_whitney_critical_value(3, 3, alpha)


def test_refused_lengths():
    for wrong in (0, 2.0, True):
        with pytest.raises(ValueError, match=f"n2={wrong} must be a whole number, at least 1"):
            mann_whitney_critical_value(3, wrong)
        with pytest.raises(ValueError, match=f"n_max={wrong} must be a whole number"):
            mann_whitney_critical_table(wrong)
    with pytest.raises(ValueError, match="alternative='one-sided' is not known"):
        mann_whitney_critical_value(3, 3, alternative="one-sided")
