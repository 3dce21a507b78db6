"""A series of numbers, as correlations, tests and grids take it."""

import numpy as np
import pytest

from partita.metrics._series import check_series


@pytest.mark.parametrize("values", [[1, 2, 3], (1.0, 2.0, 3.0), np.arange(1, 4, dtype=np.int8), ["1", "2", "3"]])
def test_numbers_in_any_container_become_floats(values):
    series = check_series(values, "x")
    assert series.dtype == np.float64
    assert series.tolist() == [1, 2, 3]


def test_nan_may_occur():
    assert np.array_equal(check_series([1, np.nan], "x"), [1, np.nan], equal_nan=True)


REFUSED = {
    "text": (["a", "b"], r"x must be numbers, received \['a', 'b'\]"),
    "complex": (np.array([1j]), "x must be numbers, received array"),
    "ragged": ([[1, 2], [3]], "x must be numbers"),
    "a number": (3, r"x has shape \(\); pass a series of at least one number, shape \(n,\)"),
    "a table": ([[1, 2]], r"x has shape \(1, 2\)"),
    "empty": ([], r"x has shape \(0,\)"),
    "infinite": ([1, np.nan, -np.inf], r"x\[2\] is infinite; all values must be finite"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_a_series_of_numbers_is_refused(case):
    values, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        check_series(values, "x")
