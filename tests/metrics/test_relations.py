"""Relations of clusters, centroids and certainty (eqs. P43, P44, P45, P46)."""

import numpy as np
import pytest

from partita import effective_n_clusters, membership_entropy, relation_matrix, soft_centroids


def test_relations_balance_in_detail(rng):
    Y = rng.dirichlet(np.ones(4), size=50)
    M = relation_matrix(Y, threshold=0)
    assert np.allclose(M.sum(axis=1), 1)
    assert ((M >= 0) & (M <= 1)).all()
    flow = Y.sum(axis=0)[:, None] * M
    assert np.allclose(flow, flow.T)
    assert np.allclose(M, (Y.T @ Y) / Y.sum(axis=0)[:, None])


def test_small_probabilities_are_dropped_and_the_largest_kept():
    Y = np.array([[0.96, 0.04, 0], [0.5, 0.5, 0], [0.4, 0.3, 0.3]])
    M = relation_matrix(Y, threshold=0.45)
    assert np.allclose(M[:2, :2], [[2.25 / 2.5, 0.25 / 2.5], [0.5, 0.5]])
    assert np.isnan(M[2]).all()
    assert np.isnan(M[:, 2]).all()


def test_a_small_cluster_lies_within_a_large_one():
    Y = np.vstack([np.tile([1.0, 0.0], (20, 1)), np.tile([0.5, 0.5], (4, 1))])
    M = relation_matrix(Y)
    assert M[1, 0] > M[0, 1]


def test_centroids_of_a_hard_partition_are_means(rng):
    labels = rng.integers(3, size=30)
    F = rng.normal(size=(30, 2))
    assert np.allclose(soft_centroids(np.eye(3)[labels], F), [F[labels == k].mean(axis=0) for k in range(3)])
    with_hole = np.vstack([np.eye(3)[labels], [[np.nan] * 3]])
    assert np.allclose(soft_centroids(with_hole, np.vstack([F, [[9, 9]]])), soft_centroids(np.eye(3)[labels], F))
    assert np.isnan(soft_centroids([[1.0, 0.0]], [[1.0]])[1]).all()


def test_entropy_and_effective_number_of_clusters_by_hand():
    Y = [[1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0]]
    assert np.allclose(membership_entropy(Y), [0, np.log2(3), 1])
    assert effective_n_clusters(Y) == 2
    assert effective_n_clusters(Y, least=0.1) == 3
    assert np.isnan(membership_entropy([[np.nan, np.nan], [1, 0]])).tolist() == [True, False]
    assert effective_n_clusters([[np.nan, np.nan], [1, 0]]) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: relation_matrix([[0.5, 0.6]]), "row 0 of membership is .* not probabilities"),
        (lambda: relation_matrix([[0.5, 0.5], [np.nan, 1.0]]), "row 1 of membership .* a row may be NaN throughout"),
        (lambda: membership_entropy([[1.5, -0.5]]), "not probabilities"),
        (lambda: effective_n_clusters([["a", "b"]]), "membership must be numbers"),
        (lambda: relation_matrix([0.5, 0.5]), "shape"),
        (lambda: relation_matrix([[1.0]], threshold=1), "threshold=1 must be in"),
        (lambda: soft_centroids([[1.0]], [[1.0], [2.0]]), r"features has shape \(2, 1\)"),
    ],
)
def test_what_is_not_a_membership_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
