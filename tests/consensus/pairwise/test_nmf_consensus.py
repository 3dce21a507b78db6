"""Factorisation of the co-association: the updates against dense matrices of all objects."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from partita import NMFConsensus
from partita._labels.ensemble import Ensemble
from partita.consensus.pairwise import _nmf_consensus as module
from tests import twins
from tests.consensus.pairwise.test_pair_counts import one_row_each
from tests.ensembles import noisy_ensemble, same_partition


def as_rows(X, row_weights):
    ensemble = Ensemble(X.astype(np.int32), X.max(axis=0).astype(np.int64) + 1, np.ones(X.shape[1]), row_weights)
    return one_row_each(ensemble)


def coassociation(X):
    C, N = twins.coassociation(X)
    return np.divide(C, N, out=np.zeros_like(C), where=N > 0)


def dense_updates(S, Q, n_steps):
    """The paper's updates, objects one by one; Q diag(G)^1/2 and the squared error after each."""
    G, steps = np.diag(1 / Q.sum(axis=0)), []
    for _ in range(n_steps):
        Q = Q * np.sqrt((S @ Q @ G) / (Q @ Q.T @ S @ Q @ G))
        G = G * np.sqrt((Q.T @ S @ Q) / (Q.T @ Q @ G @ Q.T @ Q))
        steps.append((Q * np.sqrt(np.diag(G)), ((S - Q @ G @ Q.T) ** 2).sum()))
    return steps


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_updates_of_weighted_rows_are_those_of_repeated_rows(missing, rng):
    X = np.unique(noisy_ensemble(missing=missing, flip=0.4).X, axis=0)[:25]
    n_objects = rng.integers(1, 4, len(X))
    similarity = module.similarity_of(as_rows(X, n_objects.astype(float)))
    assert (similarity.A is None) == (missing > 0)
    Q = rng.random((len(X), 3)) + 0.2
    steps = dense_updates(coassociation(np.repeat(X, n_objects, axis=0)), np.repeat(Q, n_objects, axis=0), 4)
    for n_steps in (1, 4):
        found = NMFConsensus(3, max_iter=n_steps, tol=0)._run(similarity, Q)
        assert not found.converged
        assert np.allclose(found.history, [error for _, error in steps[:n_steps]], rtol=1e-8)
        lowest = min(steps[:n_steps], key=lambda step: step[1])[0]
        assert np.allclose(np.repeat(found.best, n_objects, axis=0), lowest, rtol=1e-8)


def test_through_the_labels_as_with_the_matrix(rng):
    X = np.unique(noisy_ensemble(missing=0, flip=0.3).X, axis=0)
    weight = rng.integers(1, 4, len(X)).astype(float)
    factor = module.similarity_of(as_rows(X, weight))
    dense = module.Similarity(coassociation(X), None, weight)
    Q = rng.random((len(X), 3))
    assert np.allclose(factor.times(Q), dense.times(Q))
    assert factor.squared_norm() == pytest.approx(dense.squared_norm())
    whole = coassociation(np.repeat(X, weight.astype(int), axis=0))
    assert dense.squared_norm() == pytest.approx((whole**2).sum())
    assert np.allclose(*(NMFConsensus(3)._run(one, Q + 0.2)[0] for one in (factor, dense)), rtol=1e-5)
    assert sparse.issparse(factor.A)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_unanimous_clusterings_are_recovered(missing):
    X, truth = noisy_ensemble(sizes=(40, 20, 6), flip=0, missing=missing)
    model = NMFConsensus(3, random_state=0).fit(np.column_stack([X, truth]))
    assert same_partition(model.labels_, truth)
    assert model.membership_.max(axis=1).min() > 0.9


def test_unbalanced_clusters_are_recovered():
    X, truth = noisy_ensemble(sizes=(1000, 150, 30), n_clusterings=20, flip=0.1, missing=0.3)
    model = NMFConsensus(3, n_init=2, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.95


def test_what_is_reported_fits_together(X):
    model = NMFConsensus(3, random_state=0).fit(X)
    assert model.converged_
    assert model.objective_ == min(model.history_)
    assert model.n_iter_ == len(model.history_)
    assert np.allclose(model.membership_.sum(axis=1), 1)
    assert np.array_equal(model.labels_, model.membership_.argmax(axis=1))
    assert model.objective_ < ((coassociation(X) - coassociation(X).mean()) ** 2).sum()


def test_too_few_iterations_warn(X):
    with pytest.warns(ConvergenceWarning, match="NMFConsensus did not converge in max_iter=1 iterations"):
        assert not NMFConsensus(3, max_iter=1, random_state=0).fit(X).converged_


def test_same_bits_for_any_number_of_jobs(X):
    one, four = (NMFConsensus(3, random_state=0, n_jobs=n_jobs).fit(X) for n_jobs in (1, 4))
    assert np.array_equal(one.membership_, four.membership_)
    assert np.allclose(one.predict_proba(X), one.membership_)
