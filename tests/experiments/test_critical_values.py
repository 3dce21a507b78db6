"""Critical values of the test of Mann and Whitney, by enumeration and by SciPy (eqs. I26, I28, I29)."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from partita.experiments import mann_whitney_critical_table, mann_whitney_critical_value
from partita.experiments._critical_values import _null_orders


def enumerate_u(n1, n2):
    """U1 of every choice of the ranks of the first series."""
    return np.array([sum(ranks) - n1 * (n1 + 1) // 2 for ranks in combinations(range(1, n1 + n2 + 1), n1)])


@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (1, 6), (3, 4), (5, 5), (6, 2)])
def test_null_orders_are_those_of_all_orders(n1, n2):
    *_, last = _null_orders(n1, n2)
    assert last[n2].tolist() == np.bincount(enumerate_u(n1, n2), minlength=n1 * n2 + 1).tolist()


def test_null_orders_do_not_overflow():
    *_, last = _null_orders(50, 50)
    orders = last[50]
    assert sum(orders) == comb(100, 50) > 2**63
    assert orders.tolist() == orders[::-1].tolist()
    mean = sum(u * c for u, c in enumerate(orders)) / Fraction(comb(100, 50))
    square = sum(u * u * c for u, c in enumerate(orders)) / Fraction(comb(100, 50))
    assert mean == 1250
    assert square - mean**2 == Fraction(50 * 50 * 101, 12)


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
def test_levels_outside_0_and_1_are_refused(alpha):
    with pytest.raises(ValueError, match="must be a number in"):
        mann_whitney_critical_value(3, 3, alpha)


def test_lengths_below_one_and_unknown_alternatives_are_refused():
    for wrong in (0, 2.0, True):
        with pytest.raises(ValueError, match=f"n2={wrong} is not allowed; pass a whole number, at least 1"):
            mann_whitney_critical_value(3, wrong)
        with pytest.raises(ValueError, match=f"n_max={wrong} is not allowed"):
            mann_whitney_critical_table(wrong)
    with pytest.raises(ValueError, match="alternative='one-sided' is not known"):
        mann_whitney_critical_value(3, 3, alternative="one-sided")


def test_long_series_are_refused_before_any_work():
    for wrong in ((3000, 3000), (1, 10_001)):
        with pytest.raises(ValueError, match=r"n1 n2 <= 10000, received .* use partita.metrics.mann_whitney_test"):
            mann_whitney_critical_value(*wrong)
    with pytest.raises(ValueError, match="received 101 x 101"):
        mann_whitney_critical_table(101)
