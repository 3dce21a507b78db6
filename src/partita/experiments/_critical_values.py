"""Critical values of the test of Mann and Whitney, as the tables of the papers' experiments print them.

Under the null hypothesis, without ties, all orders of the n1 + n2 values are equally likely. The number of orders with
U = u follows from what the largest value is: one of the first series, which then exceeds all m of the second, or one
of the second (eq. I26),

    orders(n, m)[u] = orders(n - 1, m)[u - m] + orders(n, m - 1)[u].

The test itself is ``partita.metrics.mann_whitney_test``.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pandas as pd

from partita._parameters import check_choice, check_count
from partita._typing import Array
from partita.metrics._mann_whitney import LARGEST_EXACT, SIDES, Alternative


def mann_whitney_critical_value(
    n1: int, n2: int, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> int | None:
    """Largest U at which the exact test rejects the null hypothesis; None where it never does.

    Parameters
    ----------
    n1, n2 : int
        Lengths of the two series.
    alpha : float in (0, 1), default=0.05
        Level: the test rejects if its p-value is at most alpha. Read as a decimal number: 0.05 is exactly 1 / 20.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        For "two-sided", compare with the smaller of U1 and U2; for "less" with U1, for "greater" with U2.

    Returns
    -------
    critical : int or None
        Reject if U <= critical. None if even U = 0 is not rare enough.

    Notes
    -----
    Counted in whole numbers, so exact. Cost O(n1^2 n2^2); n1 n2 above 10,000 is refused.

    Examples
    --------
    >>> from partita.experiments import mann_whitney_critical_value
    >>> mann_whitney_critical_value(9, 10), mann_whitney_critical_value(2, 3)
    (20, None)
    """
    check_choice("alternative", alternative, SIDES)
    shorter, longer = sorted((check_count(n1, "n1"), check_count(n2, "n2")))
    _check_size(shorter, longer)
    tail = _tail(alpha, alternative)
    *_, last = _null_orders(shorter, longer)
    return _largest_rejected(last[-1], tail)


def mann_whitney_critical_table(
    n_max: int = 20, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> pd.DataFrame:
    """Table of critical values for series of up to ``n_max`` results.

    Parameters
    ----------
    n_max : int, default=20
        Longest series, at most 100.
    alpha : float in (0, 1), default=0.05
        Level of the test.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        See :func:`mann_whitney_critical_value`.

    Returns
    -------
    table : DataFrame of shape (n_max, n_max)
        Rows n1, columns n2, whole numbers; <NA> where the test never rejects.

    Examples
    --------
    >>> from partita.experiments import mann_whitney_critical_table
    >>> int(mann_whitney_critical_table(10).loc[9, 10])
    20
    """
    check_choice("alternative", alternative, SIDES)
    check_count(n_max, "n_max")
    _check_size(n_max, n_max)
    tail = _tail(alpha, alternative)
    values = [[_largest_rejected(orders, tail) for orders in row[1:]] for row in _null_orders(n_max, n_max)]
    lengths = range(1, n_max + 1)
    return pd.DataFrame(values, index=pd.Index(lengths, name="n1"), columns=pd.Index(lengths, name="n2"), dtype="Int64")


def _check_size(n1: int, n2: int) -> None:
    """Refuse series whose orders would take minutes to count."""
    if n1 * n2 > LARGEST_EXACT:
        raise ValueError(
            f"critical values are counted for series with n1 n2 <= {LARGEST_EXACT}, received {n1} x {n2}; for longer "
            "ones use partita.metrics.mann_whitney_test, which has a normal approximation."
        )


def _null_orders(n1: int, n2: int) -> Iterator[list[Array]]:
    """For n = 1..n1, the numbers orders(n, m)[u] for m = 0..n2, as Python integers, which do not overflow."""
    above = [np.ones(1, dtype=object) for _ in range(n2 + 1)]  # orders(0, m): one, with U = 0
    for n in range(1, n1 + 1):
        row = [np.ones(1, dtype=object)]
        for m in range(1, n2 + 1):
            orders = np.zeros(n * m + 1, dtype=object)
            orders[m:] += above[m]
            orders[: n * (m - 1) + 1] += row[m - 1]
            row.append(orders)
        yield row
        above = row


def _largest_rejected(orders: Array, tail: Fraction) -> int | None:
    """Largest u with P(U <= u) <= tail (eq. I28)."""
    up_to = np.cumsum(orders)
    rejected = int(np.count_nonzero(up_to * tail.denominator <= up_to[-1] * tail.numerator))
    return rejected - 1 if rejected else None


def _tail(alpha: float, alternative: Alternative) -> Fraction:
    """Largest probability of a small U: 0.05 means 1 / 20, not the nearest binary fraction."""
    if isinstance(alpha, bool) or not isinstance(alpha, int | float | np.number) or not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r} must be a number in (0, 1).")
    return Fraction(str(float(alpha))) / (2 if alternative == "two-sided" else 1)
