"""Weights of an ordinary size inside, and reports on the user's scale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita._labels.weights import WeightScale, check_countable, check_reportable, to_ordinary_size


@given(st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=20))
def test_scaled_weights_are_a_power_of_two_apart_or_negligible(values):
    weights = np.array(values)
    found = to_ordinary_size(weights)
    assert 2.0**-4 <= found.weights.sum() <= 2.0**53
    assert found.exponent % 2 == 0
    heavy = weights > 1e-50 * weights.sum()
    assert np.array_equal(np.ldexp(found.weights[heavy], found.exponent), weights[heavy])
    assert (found.weights > 0).all()


@pytest.mark.parametrize("weights", [[1.0, 2.0, 0.0], [0.25], [2.0**52], [1.0] * 60])
def test_ordinary_weights_stay_as_they_are(weights):
    found = to_ordinary_size(np.array(weights))
    assert found.exponent == 0
    assert found.weights.tolist() == weights


def test_no_weight_stays_no_weight_and_a_tiny_one_stays_positive():
    weights = to_ordinary_size(np.array([0.0, 1e-300, 1e300])).weights
    assert weights[0] == 0
    assert 0 < weights[1] < 1e-40 * weights[2]


def test_reports_are_on_the_users_scale():
    scale = WeightScale(objects=10, clusterings=-4)
    assert scale.report(1.5, objects=2, clusterings=1) == 1.5 * 2.0**16
    assert scale.report([1.0, -2.0], clusterings=1) == [2.0**-4, -(2.0**-3)]
    assert scale.report(np.array([3.0]), objects=0.5).tolist() == [96.0]
    assert WeightScale(-900).report(1.0, objects=2) == 0  # too small a number is 0


def test_a_report_that_no_number_holds_is_refused():
    with pytest.raises(ValueError, match=r"would exceed the largest number, 1\.8e308\. Divide"):
        WeightScale(900).report([1.0], objects=2)
    with pytest.raises(ValueError, match=r"sample_weight adds up to 2e[+]200 and weights to 3"):
        check_reportable(np.full(2, 1e200), np.ones(3), (2, 1))
    check_reportable(np.full(2, 1e200), np.ones(3), (1, 1))
    check_reportable(np.full(2, 1e-200), np.full(3, 1e200), (2, 1))


def test_models_of_counts_refuse_what_cannot_be_counted():
    with pytest.raises(
        ValueError, match=r"sample_weight adds up to 2e[+]12; BCE counts .* from 1e-12 to 1e[+]12. Divide"
    ):
        check_countable(np.full(2, 1e12), "sample_weight", "BCE")
    with pytest.raises(ValueError, match=r"weights adds up to 2e-300; BCE counts .* to 1e[+]12. Multiply the weights"):
        check_countable(np.full(2, 1e-300), "weights", "BCE")
    weights = np.array([1e11, 3.0, 0.0])
    assert check_countable(weights, "sample_weight", "BCE") is weights
