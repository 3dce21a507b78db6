"""Constraints on parameters: closed intervals, shared constraints, choices and counts."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from partita._parameters import Interval, check_choice, check_count, check_instance, check_share, common


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


def test_a_choice_is_one_of_the_allowed_names():
    check_choice("form", "dense", ["dense", "sparse", "pairs"])
    for wrong in ("full", None, 3):
        with pytest.raises(ValueError, match=rf"form={wrong!r} is not known; choose 'dense', 'sparse' or 'pairs'\."):
            check_choice("form", wrong, ["dense", "sparse", "pairs"])


def test_a_count_is_a_whole_number_from_one_on():
    assert check_count(np.int64(7), "n") == 7
    assert type(check_count(np.int64(7), "n")) is int
    for wrong in (0, -1, 1.0, True, "2", None):
        with pytest.raises(ValueError, match=rf"n={wrong!r} is not allowed; pass a whole number, at least 1"):
            check_count(wrong, "n")


def test_threads_are_a_number_but_not_zero():
    allowed = common("n_jobs")["n_jobs"]
    assert all(any(c is not None and c.is_satisfied_by(n) for c in allowed) for n in (1, 8, -1, -2))
    assert not any(c is not None and c.is_satisfied_by(n) for c in allowed for n in (0, 1.5, True, "x"))


def test_a_share_lies_between():
    assert check_share(np.float32(0.5), "alpha") == 0.5
    for wrong in (0, 1, -0.1, np.nan, True, "x", None):
        with pytest.raises(ValueError, match=f"alpha={wrong!r} is not allowed; pass a number between 0 and 1"):
            check_share(wrong, "alpha")


def test_an_estimator_is_an_instance():
    check_instance(KMeans(), "base", needs="fit_predict", example="KMeans()")
    with pytest.raises(TypeError, match=r"base is the class KMeans; pass an instance of it, KMeans\(\.\.\.\)"):
        check_instance(KMeans, "base", needs="fit_predict", example="KMeans()")
    for wrong in ("kmeans", 3, None, object()):
        with pytest.raises(TypeError, match=r"base=.* is not an estimator with fit_predict .*; pass KMeans\(\)"):
            check_instance(wrong, "base", needs="fit_predict", example="KMeans()")
