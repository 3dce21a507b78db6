"""Constraints on parameters of estimators: closed intervals, shared constraints."""

import numpy as np
import pytest

from partita._parameters import Interval, common


@pytest.mark.parametrize(
    ("interval", "inside", "outside"),
    [
        (Interval("int", 1, None), [1, 10**9, np.int64(3)], [0, 1.0, "1"]),
        (Interval("int", 2, 4), [2, 4], [1, 5]),
        (Interval("int", None, None), [-1, 0], [0.5, True, False]),
        (Interval("int", None, -1), [-1, -(10**9)], [0, 1]),
        (Interval("real", 0, None), [0, 0.0, 1e300], [-1e-300, np.nan]),
        (Interval("real", 0, 1), [0, 1.0], [1.1, True]),
    ],
    ids=["from 1", "2 to 4", "any", "to -1", "from 0", "0 to 1"],
)
def test_intervals_contain_their_ends_and_numbers_of_their_kind(interval, inside, outside):
    assert all(interval.is_satisfied_by(value) for value in inside)
    assert not any(interval.is_satisfied_by(value) for value in outside)


def test_shared_constraints_are_those_asked_for():
    found = common("n_clusters", "tol")
    assert set(found) == {"n_clusters", "tol"}
    assert found["n_clusters"][0].is_satisfied_by(1)
    assert not found["tol"][0].is_satisfied_by(-1.0)
    with pytest.raises(KeyError):
        common("nosuch")


def test_threads_are_a_number_but_not_zero():
    allowed = common("n_jobs")["n_jobs"]
    assert all(any(c is not None and c.is_satisfied_by(n) for c in allowed) for n in (1, 8, -1, -2))
    assert not any(c is not None and c.is_satisfied_by(n) for c in allowed for n in (0, 1.5, True, "x"))
