"""Fitted Bayesian cluster ensembles: bound, memberships, parameters, new rows, samples and threads."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from partita import BCE, _runs
from partita._kernels import bce as kernels
from partita.consensus.models import _em
from partita.consensus.models._bce import settle
from partita.exceptions import UnlabelledObjectsWarning
from tests import twins
from tests.consensus.models.bce_problems import EXACT, expect, problem_of, random_beta, state_of, update
from tests.ensembles import noisy_ensemble


@pytest.fixture(scope="module")
def fitted():
    X = noisy_ensemble(missing=0.3, flip=0.25).X
    weights = np.linspace(0.5, 1.5, X.shape[1])
    return X, weights, BCE(3, weights=weights, n_init=4, tol=1e-9, max_iter=5000, random_state=0).fit(X)


def test_bound_of_the_fit(fitted):
    X, _, model = fitted
    assert model.converged_
    assert len(model.history_) == model.n_iter_
    assert (np.diff(model.history_) >= -1e-10 * abs(model.lower_bound_)).all()
    assert model.lower_bound_ == model.history_[-1]
    assert model.score_samples(X).sum() == pytest.approx(model.lower_bound_, rel=1e-8)


def test_gamma_is_the_fixed_point_and_membership_its_mean(fitted):
    X, weights, model = fitted
    total = 0.0
    for row, gamma in zip(X, model.gamma_, strict=True):
        g, phi, bound = twins.membership_row(row, model.alpha_, model.beta_, weights, gamma)
        assert np.allclose(g, gamma, atol=1e-4)
        assert np.allclose(model.alpha_ + weights[row >= 0] @ phi, gamma, atol=1e-4)
        total += bound
    assert model.lower_bound_ == pytest.approx(total, rel=1e-7)
    assert np.allclose(model.membership_, model.gamma_ / model.gamma_.sum(axis=1, keepdims=True), atol=1e-12)
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.allclose(model.predict_proba(X), model.membership_, atol=1e-5)


def test_parameters_of_the_fit_are_in_their_domain(fitted):
    X, weights, model = fitted
    assert np.allclose([b.sum(axis=1) for b in model.beta_], 1, atol=1e-12)
    assert (model.alpha_ >= kernels.SMALLEST_ALPHA).all()
    assert (model.alpha_ <= kernels.LARGEST_ALPHA).all()
    assert model.gamma_.sum(axis=1) == pytest.approx(model.alpha_.sum() + (X >= 0) @ weights)


def test_one_more_iteration_gains_next_to_nothing(fitted):
    """The fit stopped at a rise of 1e-9, so what the last E-step found must have been used by an M-step."""
    X, weights, model = fitted
    problem, state = problem_of(X, weights=weights), state_of(model.alpha_, model.beta_)
    gamma, bounds, sums = expect(problem, state, model.gamma_, **EXACT)
    again = expect(problem, update(problem, state, sums), gamma, **EXACT)[1]
    assert again.sum() - bounds.sum() < 1e-6 * abs(bounds.sum())


@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_smoothing_keeps_probabilities_positive_and_the_penalised_bound_rises(init, rng):
    X = noisy_ensemble(missing=0.3).X
    weights = rng.random(X.shape[1]) + 0.5
    model = BCE(3, smoothing=0.05, init=init, weights=weights, n_init=3, random_state=0).fit(X)
    assert min(b.min() for b in model.beta_) > 1e-4
    assert (np.diff(model.history_) >= -1e-10 * abs(model.history_[-1])).all()
    penalty = 0.05 * sum(u * np.log(b).sum() for u, b in zip(weights, model.beta_, strict=True))
    assert model.history_[-1] == pytest.approx(model.score_samples(X).sum() + penalty, rel=1e-8)


def test_sample_weight_is_the_object_repeated(rng):
    X = noisy_ensemble(missing=0.2).X
    row_weights = rng.integers(1, 4, size=len(X))
    once = BCE(3, random_state=0).fit(X, sample_weight=row_weights)
    long = BCE(3, random_state=0).fit(np.repeat(X, row_weights, axis=0))
    assert np.allclose(once.history_, long.history_, rtol=1e-9)
    assert np.allclose(once.alpha_, long.alpha_, rtol=1e-5)
    assert np.allclose(np.hstack(once.beta_), np.hstack(long.beta_), atol=1e-6)
    assert np.allclose(np.repeat(once.membership_, row_weights, axis=0), long.membership_, atol=1e-5)


def test_equal_rows_have_equal_membership(X):
    model = BCE(3, random_state=0).fit(np.vstack([X, X[:9]]))
    assert np.array_equal(model.membership_[:9], model.membership_[len(X) :])


def test_object_without_labels_changes_nothing(X):
    with pytest.warns(UnlabelledObjectsWarning):
        model = BCE(3, random_state=0).fit(np.insert(X, 7, -1, axis=0))
    plain = BCE(3, random_state=0).fit(X)
    assert model.history_ == plain.history_
    assert np.array_equal(model.alpha_, plain.alpha_)
    assert np.array_equal(np.hstack(model.beta_), np.hstack(plain.beta_))
    assert np.array_equal(np.delete(model.membership_, 7, axis=0), plain.membership_)
    assert model.labels_[7] == -1
    assert np.allclose(model.membership_[7], plain.alpha_ / plain.alpha_.sum())
    assert np.allclose(model.gamma_[7], plain.alpha_)


def test_renaming_labels_permutes_the_columns_of_beta(X, rng):
    names = [rng.permutation(3) for _ in range(X.shape[1])]
    renamed = np.column_stack([np.where(x >= 0, name[x], -1) for x, name in zip(X.T, names, strict=True)])
    plain, model = BCE(3, random_state=0).fit(X), BCE(3, random_state=0).fit(renamed)
    assert np.array_equal(model.labels_, plain.labels_)
    assert np.allclose(model.alpha_, plain.alpha_, rtol=1e-6)
    for name, ours, theirs in zip(names, model.beta_, plain.beta_, strict=True):
        assert np.allclose(ours[:, name], theirs, atol=1e-7)


def test_clustering_of_weight_zero_has_no_beta(X):
    model = BCE(3, weights=np.arange(X.shape[1]) > 0, random_state=0).fit(X)
    assert np.isnan(model.beta_[0]).all()
    assert np.allclose(np.hstack(model.beta_[1:]), np.hstack(BCE(3, random_state=0).fit(X[:, 1:]).beta_))


def test_new_rows_are_settled_for_the_fitted_parameters(fitted):
    X, weights, model = fitted
    new = np.where(np.arange(X.shape[1]) % 3 == 0, X, -1)[:12].astype(object)
    new[new[:, 0] >= 0, 0] = "never seen"
    known = np.where(new == "never seen", -1, new).astype(int)
    scores, membership = model.score_samples(new), model.predict_proba(new)
    placed = (known >= 0).any(axis=1)
    for i in np.flatnonzero(placed):
        gamma = membership[i] * (model.alpha_.sum() + weights[known[i] >= 0].sum())
        g, _, bound = twins.membership_row(known[i], model.alpha_, model.beta_, weights, gamma)
        assert np.allclose(g, gamma, atol=1e-4)
        unseen = weights[0] * np.log(1e-12) * (new[i, 0] == "never seen")
        assert scores[i] == pytest.approx(bound + unseen, rel=1e-7)
    assert np.allclose(membership[~placed], model.alpha_ / model.alpha_.sum())
    assert np.array_equal(model.predict(new), np.where(placed, membership.argmax(axis=1), -1))


def test_rows_with_one_label_have_the_evidence_in_closed_form(fitted):
    _, weights, model = fitted
    row = np.full((1, len(weights)), -1)
    row[0, 6] = 1
    pi = model.alpha_ / model.alpha_.sum()
    assert model.score_samples(row)[0] <= weights[6] * np.log(pi @ model.beta_[6][:, 1]) + 1e-9


def test_labels_of_objects_without_weight_have_no_share(X):
    """Their own label is unknown to the fit: it row_weights as missing, also in gamma."""
    X = X.copy()
    X[0, 0] = 9
    weight = (np.arange(len(X)) > 0).astype(float)
    model = BCE(3, random_state=0).fit(X, sample_weight=weight)
    seen = (X[0] >= 0).sum() - 1
    assert np.allclose(model.membership_[0], model.predict_proba(X[:1])[0])
    assert model.gamma_[0].sum() == pytest.approx(model.alpha_.sum() + seen)


def test_smoothing_and_a_label_that_no_object_of_weight_has(X):
    plain = BCE(3, smoothing=0.01, random_state=0).fit(X[1:])
    X = X.copy()
    X[0, 0] = 9
    weight = (np.arange(len(X)) > 0).astype(float)
    model = BCE(3, smoothing=0.01, random_state=0).fit(X, sample_weight=weight)
    assert np.isfinite(model.history_).all()
    assert model.score_samples(X[1:]).sum() == pytest.approx(plain.score_samples(X[1:]).sum(), rel=1e-2)


@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_more_clusters_than_distinct_rows(init):
    X = np.repeat([[0, 0, 0], [1, 1, 0], [2, 0, 1]], [5, 3, 2], axis=0)
    model = BCE(6, init=init, random_state=0).fit(X)
    assert model.membership_.shape == (10, 6)
    assert np.isfinite(np.hstack(model.beta_)).all()
    assert len(np.unique(model.labels_)) == 3


@pytest.mark.parametrize("smoothing", [0.0, 0.01])
def test_starts_that_compete_on_a_sample_end_as_high(smoothing, monkeypatch):
    X = noisy_ensemble(sizes=(150, 100, 60), flip=0.2).X
    everything = BCE(3, smoothing=smoothing, n_init=4, random_state=0).fit(X)
    monkeypatch.setattr(_runs, "SAMPLE_SIZE", 75)
    sampled = BCE(3, smoothing=smoothing, n_init=4, random_state=0).fit(X)
    assert sampled.history_ != everything.history_
    assert sampled.converged_
    assert (np.diff(sampled.history_) >= -1e-10 * abs(sampled.lower_bound_)).all()
    assert sampled.lower_bound_ == pytest.approx(everything.lower_bound_, rel=0.01)


@pytest.mark.parametrize("smoothing", [0.0, 0.01])
@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_labels_that_a_sample_lacks_are_not_lost(init, smoothing, monkeypatch):
    X = noisy_ensemble(sizes=(150, 100, 60), flip=0.2).X
    X[:4, 3] = [3, 4, 5, 6]
    nearly_empty = np.where(np.arange(len(X)) == 200, 0, -1)
    monkeypatch.setattr(_runs, "SAMPLE_SIZE", 30)
    model = BCE(3, init=init, smoothing=smoothing, n_init=2, random_state=0).fit(np.column_stack([X, nearly_empty]))
    assert np.isfinite(model.history_).all()
    assert np.allclose([b.sum(axis=1) for b in model.beta_], 1)
    assert (model.beta_[3].max(axis=0) > 1e-3).all()


@pytest.mark.parametrize("few", [10_000, 30])
def test_threads_change_no_bit(few, monkeypatch):
    X = noisy_ensemble(sizes=(150, 100, 60), flip=0.3).X
    monkeypatch.setattr(_runs, "SAMPLE_SIZE", few)
    monkeypatch.setattr(_em, "_BLOCK", 1)
    one, many = (BCE(3, n_init=3, random_state=0, n_jobs=n).fit(X) for n in (1, 3))
    assert one.history_ == many.history_
    assert np.array_equal(one.gamma_, many.gamma_)
    assert np.array_equal(np.hstack(one.beta_), np.hstack(many.beta_))


def test_parameters_behind_the_labels_are_found(rng):
    n, m, alpha = 3000, 20, np.array([0.5, 0.3, 0.2])
    beta = random_beta([4] * m, 3, rng, 0.2)
    theta = rng.dirichlet(alpha, size=n)
    z = (rng.random((n, m, 1)) > theta.cumsum(axis=1)[:, None]).sum(axis=2).clip(max=2)
    columns = [(rng.random((n, 1)) > beta[j].cumsum(axis=1)[z[:, j]]).sum(axis=1).clip(max=3) for j in range(m)]
    model = BCE(3, n_init=2, random_state=0).fit(np.column_stack(columns))
    X = np.column_stack(columns)
    at_truth = settle(problem_of(X), state_of(alpha, beta))[1].sum()
    assert model.lower_bound_ > at_truth
    assert np.abs(np.hstack(model.beta_) - np.hstack(beta)).mean() < 0.03
    assert np.abs(model.membership_ - theta).mean() < 0.1


def test_stopping_early_is_said(X):
    with pytest.warns(ConvergenceWarning, match="BCE did not converge in max_iter=2 iterations; raise max_iter or tol"):
        model = BCE(3, max_iter=2, tol=0.0, random_state=0).fit(X)
    assert model.n_iter_ == len(model.history_) == 2
    assert not model.converged_
