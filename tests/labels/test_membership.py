"""One-hot rows, and the check of memberships."""

import numpy as np
import pytest

from partita._labels.membership import check_membership, one_hot


def test_a_missing_label_is_a_row_of_zeros():
    assert one_hot(np.array([1, -1, 0]), 2).tolist() == [[0, 1], [0, 0], [1, 0]]


REFUSED = {
    "text": ("abc", "M must be numbers, received 'abc'"),
    "complex": (np.array([[1j, 0]]), "M must be numbers, received array"),
    "one row": ([0.5, 0.5], r"M has shape \(2,\); pass one row per object and one column per cluster"),
    "no column": (np.empty((3, 0)), r"M has shape \(3, 0\)"),
    "sum": ([[1, 0], [0.5, 0.4]], r"row 1 of M is \[0.5, 0.4\], which are not probabilities"),
    "negative": ([[1.5, -0.5]], r"row 0 of M is \[1.5, -0.5\]"),
    "NaN": ([[np.nan, np.nan]], "row 0 of M"),
    "infinite": ([[np.inf, -np.inf]], "row 0 of M"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_a_membership_is_refused(case):
    Y, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        check_membership(Y, "M")


def test_a_missing_row_is_nan_throughout():
    Y = [[0.25, 0.75], [np.nan, np.nan]]
    assert np.array_equal(check_membership(Y, "M", missing=True), Y, equal_nan=True)
    with pytest.raises(ValueError, match="a row may be NaN throughout"):
        check_membership([[np.nan, 1.0]], "M", missing=True)
