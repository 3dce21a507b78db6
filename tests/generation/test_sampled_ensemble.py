"""Partitions drawn from a soft partition: frequencies, pairs, and rows that are refused."""

import pickle

import numpy as np
import pytest

from partita import SampledEnsemble


@pytest.fixture
def Y():
    return np.random.default_rng(3).dirichlet(np.ones(4), size=12)


def test_frequencies_are_the_probabilities(Y):
    X = SampledEnsemble(4000, random_state=0).fit_transform(Y)
    assert X.shape == (12, 4000)
    share = np.array([np.bincount(row, minlength=4) for row in X]) / 4000
    assert (np.abs(share - Y) <= 4 * np.sqrt(Y * (1 - Y) / 4000) + 1e-12).all()


def test_two_objects_are_together_a_binomial_number_of_times(Y):
    """Mean and variance over many ensembles of M: M p and M p (1 - p), with p the product of the memberships."""
    m, repeats = 20, 500
    X = SampledEnsemble(m * repeats, random_state=1).fit_transform(Y)
    for i in range(12):
        for j in range(i):
            p = Y[i] @ Y[j]
            counts = (X[i] == X[j]).reshape(repeats, m).sum(axis=1)
            assert abs(counts.mean() - m * p) <= 4 * np.sqrt(m * p * (1 - p) / repeats)
            assert counts.var() == pytest.approx(m * p * (1 - p), rel=0.35)


def test_objects_are_drawn_independently():
    X = SampledEnsemble(4000, random_state=0).fit_transform([[0.5, 0.5]] * 3)
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        assert abs((X[i] == X[j]).mean() - 0.5) < 4 * 0.5 / np.sqrt(4000)


def test_a_certain_object_is_never_elsewhere():
    X = SampledEnsemble(500, random_state=0).fit_transform([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert (np.array([[1], [0], [2]]) == X).all()


def test_a_cluster_of_probability_0_is_never_drawn():
    X = SampledEnsemble(2000, random_state=0).fit_transform([[0.5, 0.0, 0.5], [0.0, 0.3, 0.7]])
    assert set(X[0]) == {0, 2}
    assert set(X[1]) == {1, 2}


def test_draws_depend_on_the_seed_alone(Y):
    generator = SampledEnsemble(20, random_state=1)
    X = generator.fit_transform(Y)
    assert (SampledEnsemble(20, random_state=1).fit_transform(Y) == X).all()
    assert (pickle.loads(pickle.dumps(generator)).transform(Y) == X).all()
    assert not (SampledEnsemble(20, random_state=2).fit_transform(Y) == X).all()
    assert len(set(generator.get_feature_names_out())) == 20


@pytest.mark.parametrize("row", [[0.5, 0.6], [0.5, 0.4], [1.5, -0.5], [0.0, 0.0]], ids=str)
def test_rows_that_are_not_probabilities_are_refused_with_their_number(row):
    with pytest.raises(ValueError, match=r"row 2 of X is .*, which are not probabilities: they must not be negative"):
        SampledEnsemble(3).fit([[0.5, 0.5], [1.0, 0.0], row, [0.2, 0.8]])


def test_sums_may_be_off_by_rounding():
    assert SampledEnsemble(3, random_state=0).fit_transform(np.full((2, 3), 0.3333333)).shape == (2, 3)
