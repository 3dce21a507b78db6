"""Perplexity by hand (eqs. I19, I20)."""

import numpy as np
import pytest

from partita.metrics import perplexity


def test_perplexity_is_the_inverse_geometric_mean_of_the_probabilities():
    X = np.array([[0, 1], [1, 0], [0, 0]])
    p = np.array([1 / 2 * 1 / 4, 1 / 8 * 1 / 2, 1 * 1 / 16])  # two labels per row
    assert perplexity(np.log(p), X) == pytest.approx((1 / p.prod()) ** (1 / 6))
    assert perplexity(np.log(p), 6) == pytest.approx(perplexity(np.log(p), X))
    assert perplexity(np.log(p).sum(), X) == pytest.approx(perplexity(np.log(p), X))


def test_certainty_is_one_and_ignorance_the_number_of_labels(rng):
    X = rng.integers(0, 5, size=(30, 4))
    assert perplexity(np.zeros(30), X) == 1
    assert perplexity(np.full(30, -4 * np.log(5)), X) == pytest.approx(5)


def test_missing_labels_are_not_predicted():
    X = [[0, 1, 1, None], [2, None, 3, None]]  # two clusterings; five labels
    assert perplexity(np.log([0.25, 0.5, 0.25, 1.0]), X) == pytest.approx(32 ** (1 / 5))


def test_number_of_labels_may_be_weighted():
    assert perplexity(-3.0, 1.5) == pytest.approx(np.exp(2))
    assert perplexity(-3.0, np.float32(1.5)) == pytest.approx(np.exp(2))
    assert perplexity(-3.0, np.int64(3)) == pytest.approx(np.e)


def test_rows_that_do_not_match_and_no_labels_are_refused():
    with pytest.raises(ValueError, match="2 rows, X has 3; pass one value per object"):
        perplexity([-1.0, -2.0], np.zeros((3, 2), int))
    for nothing in (0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="no observed label"):
            perplexity([-1.0], nothing)


def test_values_of_any_size_and_what_is_not_a_likelihood():
    assert perplexity([-1e300, -1.7e308], 1e305) == np.inf
    assert perplexity([-1.7e308, -1.7e308], 1.7e308) == pytest.approx(np.exp(2))
    for wrong, message in ((None, "is NaN"), ([[1, 2], [3]], "must be numbers"), ([-1.0, np.nan], r"\[1\] is NaN")):
        with pytest.raises(ValueError, match=f"log_likelihood.*{message}"):
            perplexity(wrong, 2)
