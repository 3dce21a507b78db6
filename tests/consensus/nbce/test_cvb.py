"""Collapsed variational Bayes against slow twins and enumeration (eqs. N34 to N38)."""

from functools import partial

import numpy as np
import pytest
from scipy.special import logsumexp

from partita._kernels import nbce_cvb as kernel
from partita._runs import progress
from partita.consensus.nbce import _cvb as module
from partita.consensus.nbce._hyperparameters import estimate_parameters
from partita.consensus.nbce._joint import HIGHEST, LOWEST, log_joint
from partita.consensus.nbce._nbce import NBCE
from tests.consensus.nbce.nbce_reference import (
    HOLES,
    N_LABELS,
    PRIORS,
    WEIGHTS,
    Posterior,
    entropy_of_q,
    expected_occupancy,
    make_ensemble,
    make_model,
    random_labels,
)
from tests.ensembles import noisy_ensemble


def mean_log(x, mean, variance, second):
    return np.log(x + mean) - second * variance / (2 * (x + mean) ** 2)


def update_slowly(X, gamma, i, row_weights, model, second, K=None):
    """gamma_i from the expected row_weights of all other objects, one copy of row i left out (eqs. N34 to N36).

    With K clusters, those beyond the columns of gamma being empty and left so.
    """
    n_used = gamma.shape[1]
    K = K or n_used
    gamma = np.pad(gamma, ((0, 0), (0, K - n_used)))
    others = row_weights.copy()
    others[i] -= min(1.0, row_weights[i])

    def log_of(x, member):
        """E log(x + number of objects), for objects that belong with probabilities ``member``."""
        return mean_log(x, others @ member, others @ (member * (1 - member)), second)

    logs = np.zeros(K)
    for k in range(K):
        from_k, after_k = gamma[:, k:].sum(axis=1), gamma[:, k + 1 :].sum(axis=1)
        if model.prior == "fsd":
            logs[k] += log_of(model.alpha0 / K, gamma[:, k])
        elif k < K - 1:
            logs[k] += log_of(1, gamma[:, k]) - log_of(1 + model.alpha0, from_k)
            logs[k + 1 :] += log_of(model.alpha0, after_k) - log_of(1 + model.alpha0, from_k)
        for j in np.flatnonzero(X[i] >= 0):
            same, seen = (X[:, j] == X[i, j]) * gamma[:, k], (X[:, j] >= 0) * gamma[:, k]
            J = model.n_labels[j]
            logs[k] += model.clustering_weights[j] * (log_of(model.beta, same) - log_of(J * model.beta, seen))
    return np.exp(logs[:n_used] - logsumexp(logs[:n_used]))


def rows_and_state(X, gamma, row_weights, model, *, second):
    ensemble = make_ensemble(X, model, row_weights)
    rows, state = module.cvb_rows(ensemble), module.cvb_state(ensemble, gamma.copy(), second_order=second)
    kernel.sum_up_cvb(rows, state)
    return rows, state


@pytest.mark.parametrize(("weights", "K"), [(None, 5), (WEIGHTS, 5), (WEIGHTS, 8)])
@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_sweep_is_the_slow_one(prior, second, weights, K, rng):
    X, row_weights = random_labels(rng), rng.choice([0.4, 1.0, 1.0, 3.0, 2.5], size=20)
    model = make_model(N_LABELS, prior, alpha0=1.4, weights=weights)
    slow, order, changes = rng.dirichlet(np.full(5, 0.5), size=20), rng.permutation(20), np.zeros(20)
    rows, state = rows_and_state(X, slow, row_weights, model, second=second)
    for _ in range(3):
        before = slow.copy()
        for i in order:
            slow[i] = update_slowly(X, slow, i, row_weights, model, second, K)
        kernel.sweep_cvb(rows, state, model.alpha0, model.beta, K, prior == "tsb", order, changes)
        assert np.allclose(state.gamma, slow, atol=1e-11)
        assert np.allclose(changes, np.abs(slow - before).max(axis=1), atol=1e-11)
    own = -(row_weights[:, None] * slow * np.log(slow)).sum()
    assert module.entropy(state.gamma, row_weights) == pytest.approx(own, rel=1e-9)
    anew = rows_and_state(X, state.gamma, row_weights, model, second=second)[1]
    for ours, theirs in zip(state, anew, strict=True):
        assert np.allclose(ours, theirs, atol=1e-11)


def test_many_labels_of_an_object_do_not_underflow(rng):
    """300 clusterings, whose factors are multiplied in runs before a log is taken."""
    X = np.repeat(rng.integers(3, size=(4, 300)), 5, axis=0)
    model = make_model([3] * 300, "fsd", beta=1e-4, weights=np.where(np.arange(300) < 20, 1.5, 1.0))
    gamma = rng.dirichlet(np.ones(3), size=20)
    rows, state = rows_and_state(X, gamma, np.ones(20), model, second=False)
    kernel.sweep_cvb(rows, state, 1.0, 1e-4, 3, False, np.array([7]), np.zeros(20))
    assert np.allclose(state.gamma[7], update_slowly(X, gamma, 7, np.ones(20), model, False), atol=1e-10)


def solve(X, gamma, row_weights, model, *, K=None, second=False, tol=1e-10, max_iter=5000, drop=False):
    with progress(0, "", show=False) as bar:
        ensemble = make_ensemble(X, model, row_weights)
        again = partial(
            module.solve_cvb,
            n_clusters=K or gamma.shape[1],
            second_order=second,
            estimate=(False, False),
            tol=tol,
            max_iter=max_iter,
            seed=0,
            bar=bar,
        )
        found = again(ensemble, model, gamma.copy())
        return module.drop_clusters(ensemble, found, again) if drop else found


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_bounds_are_in_their_order(prior, second, rng):
    """L_VB(q) <= L_CVB(q) <= log evidence, for the q(Z) that a fit ends with."""
    model = make_model([2, 2, 2], prior, alpha0=1.5)
    posterior = Posterior(HOLES, 3, model)
    for _ in range(3):
        found = solve(HOLES, rng.dirichlet(np.ones(3), size=6), np.ones(6), model, second=second)
        expected = expected_occupancy(HOLES, found.gamma, model)
        bound = log_joint(expected, model) + entropy_of_q(found.gamma)
        assert found.converged
        assert np.allclose(found.gamma.sum(axis=1), 1)
        assert np.allclose(found.occupancy.label_size, expected.label_size)
        assert found.history[-1] == pytest.approx(bound, rel=1e-9)
        assert bound <= posterior.collapsed_bound(found.gamma) <= posterior.log_evidence


@pytest.mark.parametrize("prior", PRIORS)
def test_any_assignment_probabilities_have_the_bounds_in_their_order(prior, rng):
    model = make_model([2, 2, 2], prior, alpha0=0.8, beta=0.3)
    posterior = Posterior(HOLES, 3, model)
    for concentration in (0.1, 1.0, 10.0):
        gamma = rng.dirichlet(np.full(3, concentration), size=6)
        bound = log_joint(expected_occupancy(HOLES, gamma, model), model) + entropy_of_q(gamma)
        assert bound < posterior.collapsed_bound(gamma) < posterior.log_evidence


@pytest.mark.parametrize("prior", PRIORS)
def test_exact_expectations_never_lower_the_collapsed_bound(prior, rng):
    """A check of the enumeration itself, and of how near the approximations come to it."""
    model = make_model([2, 2, 2], prior, alpha0=1.5)
    posterior, gamma = Posterior(HOLES, 3, model), rng.dirichlet(np.ones(3), size=6)
    bounds = [posterior.collapsed_bound(gamma)]
    for i in np.tile(np.arange(6), 15):
        exact = posterior.exact_update(gamma, i)
        for second in (False, True):
            assert np.abs(update_slowly(HOLES, gamma, i, np.ones(6), model, second) - exact).max() < 0.12
        gamma[i] = exact
        bounds.append(posterior.collapsed_bound(gamma))
    assert (np.diff(bounds) >= -1e-12).all()
    assert bounds[0] < bounds[-1] <= posterior.log_evidence


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_fixed_point_of_distinct_rows_is_one_of_the_objects(prior, second, rng):
    X = np.unique(random_labels(rng, 14), axis=0)
    times = rng.integers(1, 6, size=len(X))
    model = make_model(N_LABELS, prior)
    found = solve(X, rng.dirichlet(np.full(4, 0.3), size=len(X)), times.astype(float), model, second=second)
    assert found.converged
    long, gamma = np.repeat(X, times, axis=0), np.repeat(found.gamma, times, axis=0)
    rows, state = rows_and_state(long, gamma, np.ones(len(long)), model, second=second)
    order, changes = rng.permutation(len(long)), np.ones(len(long))
    kernel.sweep_cvb(rows, state, model.alpha0, model.beta, 4, prior == "tsb", order, changes)
    assert changes.max() < 1e-6
    assert np.abs(state.gamma - gamma).max() < 1e-6


@pytest.mark.parametrize("prior", PRIORS)
def test_estimated_parameters_have_the_highest_bound(prior, rng):
    X, gamma = random_labels(rng), rng.dirichlet(np.full(4, 0.2), size=20)
    model = make_model(N_LABELS, prior, weights=WEIGHTS)
    occupancy = expected_occupancy(X, gamma, model)
    grid = np.geomspace(LOWEST, HIGHEST, 400)
    best = {name: max(log_joint(occupancy, model._replace(**{name: x})) for x in grid) for name in ("alpha0", "beta")}
    one = estimate_parameters(occupancy, model, True, False)
    other = estimate_parameters(occupancy, model, False, True)
    assert (one.beta, other.alpha0) == (0.5, 1.0)
    assert log_joint(occupancy, one) >= best["alpha0"] - 1e-4
    assert log_joint(occupancy, other) >= best["beta"] - 1e-4


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_bound_of_a_collapsed_fit_is_below_the_evidence(prior, second):
    for parameters in ({}, {"alpha0": "auto", "beta": "auto"}):
        model = NBCE("cvb", prior, 3, second_order=second, n_init=3, random_state=0, **parameters).fit(HOLES)
        of_model = make_model([2, 2, 2], prior, alpha0=model.alpha0_, beta=model.beta_)
        assert model.lower_bound_ <= Posterior(HOLES, 3, of_model).log_evidence
        assert model.lower_bound_ == model.history_[-1]


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_converged_means_that_no_row_moves_any_more(prior, second, rng):
    """Rows that hardly move are left out of most sweeps, but never of the last."""
    X = np.unique(noisy_ensemble(sizes=(60, 40), flip=0.3, n_clusterings=6).X, axis=0)
    model, row_weights = make_model(X.max(axis=0) + 1, prior), rng.integers(1, 4, size=len(X)).astype(float)
    for tol in (1e-4, 1e-8):
        found = solve(X, rng.dirichlet(np.full(6, 0.3), size=len(X)), row_weights, model, second=second, tol=tol)
        assert found.converged
        assert found.n_iter >= len(found.history)
        moved = np.array([update_slowly(X, found.gamma, i, row_weights, model, second) for i in range(len(X))])
        assert np.abs(moved - found.gamma).max() < 10 * tol


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_converged_means_converged_after_the_last_cluster_was_taken_out(prior, second, rng):
    """Two clusters from a start with six: each that goes raises the bound, and the rest is a fixed point again."""
    X = np.unique(noisy_ensemble(sizes=(60, 40), flip=0.3, n_clusterings=6).X, axis=0)
    model, row_weights = make_model(X.max(axis=0) + 1, prior), rng.integers(1, 4, size=len(X)).astype(float)
    start = 0.5 / 6 + 0.5 * np.eye(6)[rng.integers(6, size=len(X))]
    options = {"K": 9, "second": second, "tol": 1e-8}
    full = solve(X, start, row_weights, model, **options)
    found = solve(X, start, row_weights, model, **options, drop=True)
    n_out = full.gamma.shape[1] - found.gamma.shape[1]
    assert n_out > 0
    assert found.converged
    assert found.n_iter > full.n_iter
    assert found.history[: len(full.history)] == full.history
    assert (np.diff(found.history[len(full.history) - 1 :]) > 0).all()
    assert len(found.history) == len(full.history) + n_out
    moved = np.array([update_slowly(X, found.gamma, i, row_weights, model, second, 9) for i in range(len(X))])
    assert np.abs(moved - found.gamma).max() < 1e-7
    gamma = np.pad(found.gamma, ((0, 0), (0, 9 - found.gamma.shape[1])))
    own = -(row_weights[:, None] * found.gamma * np.log(found.gamma)).sum()
    bound = log_joint(expected_occupancy(X, gamma, model, row_weights), model) + own
    assert found.history[-1] == pytest.approx(bound, rel=1e-10)


@pytest.mark.parametrize("prior", PRIORS)
def test_membership_of_a_fit_is_a_fixed_point(prior):
    X = noisy_ensemble(sizes=(40, 30, 20), flip=0.35, n_clusterings=8).X
    model = NBCE("cvb", prior, 12, tol=1e-9, max_iter=3000, random_state=0).fit(X)
    of_model, gamma = make_model(X.max(axis=0) + 1, prior), model.membership_
    assert model.converged_
    moved = np.array([update_slowly(X, gamma, i, np.ones(len(X)), of_model, False, 12) for i in range(len(X))])
    assert np.abs(moved - gamma).max() < 1e-6
