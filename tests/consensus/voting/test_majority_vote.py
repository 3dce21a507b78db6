"""The majority vote: orders that must not matter, ties, weights and missing labels."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from partita import majority_vote
from tests.ensembles import label_matrices, noisy_ensemble, same_partition


def quiet_vote(X, **rest):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return majority_vote(X, **rest)


@given(X=label_matrices(max_rows=14, max_columns=6), data=st.data())
def test_the_vote_depends_on_no_order_of_columns_and_no_names(X, data):
    order = data.draw(st.permutations(range(X.shape[1])))
    names = data.draw(st.permutations(range(4)))
    renamed = np.where(X >= 0, np.array(names)[X], -1)
    weights = np.array(data.draw(st.lists(st.sampled_from([1, 2, 3]), min_size=X.shape[1], max_size=X.shape[1])))
    if not (X >= 0).any(axis=0).all():
        weights = np.ones(X.shape[1])
    expected = quiet_vote(X, weights=weights)
    assert np.array_equal(expected, quiet_vote(renamed[:, order], weights=weights[list(order)]))


def test_a_unanimous_vote_is_recovered():
    X, truth = noisy_ensemble(flip=0, missing=0)
    assert same_partition(majority_vote(X), truth)
    assert np.bincount(majority_vote(X)).tolist() == [30, 20, 12]


def test_the_vote_is_better_than_its_voters():
    X, truth = noisy_ensemble(sizes=(60, 40, 30), flip=0.3, missing=0)
    assert adjusted_rand_score(truth, majority_vote(X)) > max(adjusted_rand_score(truth, x) for x in X.T) + 0.1


def test_missing_labels_do_not_vote():
    X = np.array([[0, 0, 0], [0, 0, -1], [0, -1, -1], [1, 1, 1], [1, -1, 1], [-1, 1, 1], [-1, -1, 1]])
    assert majority_vote(X).tolist() == [1, 1, 1, 0, 0, 0, 0]
    assert quiet_vote(np.vstack([X, [-1, -1, -1]])).tolist() == [1, 1, 1, 0, 0, 0, 0, -1]


def test_a_tie_goes_to_a_cluster_that_got_votes_and_stays_there():
    X = np.array([[0, 0], [0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 1]])
    voted = majority_vote(X)
    assert same_partition(voted, X[:, 0]) or same_partition(voted, X[:, 1])
    assert np.array_equal(voted, majority_vote(X[:, ::-1]))


def test_weights_decide_and_zero_is_silent():
    a, b = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1, 1, 1])
    X = np.column_stack([a, a, b])
    assert same_partition(majority_vote(X), a)
    assert same_partition(majority_vote(X, weights=[1, 1, 5]), b)
    assert same_partition(majority_vote(X, weights=[0, 0, 1]), b)
    with pytest.raises(ValueError, match="weights"):
        majority_vote(X, weights=[1, 2])


@given(X=label_matrices(max_rows=8, max_columns=3, max_label=2, min_rows=3), seed=st.integers(0, 99))
def test_vote_of_weight_two_is_the_partition_twice(X, seed):
    if not (X >= 0).any(axis=0).all():
        return
    weights = np.random.default_rng(seed).integers(1, 3, size=X.shape[1])
    twice = np.repeat(X, weights, axis=1)
    assert np.array_equal(majority_vote(X, weights=weights), majority_vote(twice))


def test_clusters_without_a_partner_do_not_vote_together():
    reference = np.repeat([0, 1], [9, 6])
    b, c = reference.copy(), reference.copy()
    b[:3], c[2:5] = 2, 2
    labels = majority_vote(np.column_stack([reference, b, c]), weights=[1.4, 1, 1])
    assert same_partition(labels, reference)


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_the_size_of_the_weights_does_not_matter(X, size):
    weights = np.linspace(1, 3, X.shape[1])
    assert np.array_equal(majority_vote(X, weights=size * weights), majority_vote(X, weights=weights))


def test_labels_without_weight_cannot_vote():
    with (
        pytest.raises(ValueError, match="all clusterings that have labels have weight 0"),
        pytest.warns(match="dropped"),
    ):
        majority_vote([[0, 1, 1], [None, None, None]], weights=[0, 1])
