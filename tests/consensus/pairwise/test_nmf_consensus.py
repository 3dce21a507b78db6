"""Factorisation of the co-association: steps against dense matrices of all objects, and stationary points."""

import numpy as np
import pytest
import scipy.linalg
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


def dense_steps(S, Y, n_steps):
    """The steps of eq. P55, objects one by one and entry by entry; Y and the squared error after each."""
    steps, damping = [], 0.25
    for _ in range(n_steps):
        error = ((S - Y @ Y.T) ** 2).sum()
        while True:
            a, W = damping * (Y**2).sum(axis=0), Y.copy()
            for k in range(Y.shape[1]):
                others = S - np.delete(W, k, axis=1) @ np.delete(Y, k, axis=1).T
                for i in range(len(Y)):
                    W[i, k] = max(0.0, (others[i] @ Y[:, k] + a[k] * Y[i, k]) / (Y[:, k] @ Y[:, k] + a[k]))
            if ((S - W @ W.T) ** 2).sum() <= error:
                break
            damping *= 4
        Y, damping = W, max(0.25, damping / 2)
        steps.append((Y, ((S - Y @ Y.T) ** 2).sum()))
    return steps


def run(model, similarity, Y):
    return model._run(similarity, Y, module.progress(1, "", show=False).__enter__())


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_steps_of_weighted_rows_are_those_of_repeated_rows(missing, rng):
    X = np.unique(noisy_ensemble(missing=missing, flip=0.4).X, axis=0)[:15]
    n_objects = rng.integers(1, 4, len(X))
    similarity = module.similarity_of(as_rows(X, n_objects.astype(float)))
    assert (similarity.A is None) == (missing > 0)
    Y = rng.random((len(X), 3)) / 4
    steps = dense_steps(coassociation(np.repeat(X, n_objects, axis=0)), np.repeat(Y, n_objects, axis=0), 4)
    for n_steps in (1, 4):
        found = run(NMFConsensus(3, max_iter=n_steps, tol=0), similarity, Y)
        assert not found.converged
        assert np.allclose(found.history, [error for _, error in steps[:n_steps]], rtol=1e-8)
        assert np.allclose(np.repeat(found.Y, n_objects, axis=0), steps[n_steps - 1][0], rtol=1e-8)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_error_falls_to_a_stationary_point(missing, rng):
    X = np.unique(noisy_ensemble(missing=missing, flip=0.4).X, axis=0)[:40]
    similarity = module.similarity_of(as_rows(X, rng.integers(1, 4, len(X)).astype(float)))
    for Y in (module.rotated_eigenvectors(similarity, 3), rng.random((len(X), 3))):
        found = run(NMFConsensus(3, max_iter=20_000, tol=1e-13), similarity, Y)
        assert found.converged
        assert (np.diff(found.history) <= 0).all()
        factor = module.factor_of(similarity, similarity.squared_norm(), found.Y)
        slope = (found.Y @ factor.gram - factor.SY) / np.abs(factor.SY).max()  # the derivative of f, scaled
        assert slope.min() > -1e-4  # where Y is 0 it may not fall,
        assert np.abs(slope * found.Y).max() < 1e-4  # elsewhere it is level


def test_the_slope_is_the_derivative(rng):
    X = np.unique(noisy_ensemble(flip=0.4).X, axis=0)[:12]
    S, Y = coassociation(X), rng.random((len(X), 2))
    similarity = module.similarity_of(as_rows(X, np.ones(len(X))))
    factor = module.factor_of(similarity, similarity.squared_norm(), Y)
    change = 1e-6 * rng.standard_normal(Y.shape)
    above, below = (((S - (Y + sign * change) @ (Y + sign * change).T) ** 2).sum() for sign in (1, -1))
    assert above - below == pytest.approx(2 * (4 * (Y @ factor.gram - factor.SY) * change).sum(), rel=1e-6)


def test_the_first_start_is_the_best_factor_of_its_rank(rng):
    X = np.unique(noisy_ensemble(missing=0, flip=0.2).X, axis=0)
    similarity = module.similarity_of(as_rows(X, rng.integers(1, 4, len(X)).astype(float)))
    root = np.sqrt(similarity.row_weights)[:, None]
    B = module.best_factor(similarity, root, 3)
    values, vectors = np.linalg.eigh(root * coassociation(X) * root.T)
    assert np.allclose(B @ B.T, vectors[:, -3:] * values[-3:] @ vectors[:, -3:].T, atol=0.01 * values[-1])
    apart = module._rows_apart(B)
    assert list(scipy.linalg.qr(B.T, mode="r", pivoting=True)[1][:3]) == apart


def test_seeds_do_not_change_the_first_start(X):
    one, two = (NMFConsensus(3, random_state=seed).fit(X) for seed in (0, 1))
    assert np.array_equal(one.membership_, two.membership_)


def test_more_starts_are_not_worse(X):
    assert NMFConsensus(4, n_init=6, random_state=0).fit(X).objective_ <= NMFConsensus(4).fit(X).objective_


def test_through_the_labels_as_with_the_matrix(rng):
    X = np.unique(noisy_ensemble(missing=0, flip=0.3).X, axis=0)
    weight = rng.integers(1, 4, len(X)).astype(float)
    factor = module.similarity_of(as_rows(X, weight))
    dense = module.Similarity(coassociation(X), None, weight)
    Q = rng.random((len(X), 3)) / 4
    assert np.allclose(factor.times(Q), dense.times(Q))
    assert factor.squared_norm() == pytest.approx(dense.squared_norm())
    whole = coassociation(np.repeat(X, weight.astype(int), axis=0))
    assert dense.squared_norm() == pytest.approx((whole**2).sum())
    assert np.allclose(*(run(NMFConsensus(3), one, Q)[0] for one in (factor, dense)), rtol=1e-5)
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
    assert model.objective_ == model.history_[-1] == min(model.history_)
    assert model.n_iter_ == len(model.history_)
    assert np.allclose(model.membership_.sum(axis=1), 1)
    assert np.array_equal(model.labels_, model.membership_.argmax(axis=1))
    assert model.objective_ < ((coassociation(X) - coassociation(X).mean()) ** 2).sum()


def test_too_few_iterations_warn(X):
    with pytest.warns(ConvergenceWarning, match="NMFConsensus did not converge in max_iter=1 iterations"):
        assert not NMFConsensus(3, max_iter=1, tol=0, random_state=0).fit(X).converged_


def test_same_bits_for_any_number_of_jobs(X):
    one, four = (NMFConsensus(3, random_state=0, n_jobs=n_jobs).fit(X) for n_jobs in (1, 4))
    assert np.array_equal(one.membership_, four.membership_)
    assert np.allclose(one.predict_proba(X), one.membership_)
