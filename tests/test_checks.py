"""Values of parameters of functions: choices, counts, shares, instances."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from partita._checks import check_choice, check_count, check_instance, check_share


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
