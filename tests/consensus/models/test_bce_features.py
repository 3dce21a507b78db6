"""The steps of Bayesian cluster ensembles with features against their definition: E-step, M-step and bound."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import gammaln, logsumexp, psi

from partita._kernels.bce import GAUSSIAN
from partita.consensus.models import _bce as module
from tests.consensus.models.bce_problems import (
    EXACT,
    FAMILIES,
    expect,
    local_logs,
    log_density,
    noisy_features,
    phi_of,
    problem_of,
    random_state,
    settle_slowly,
    update,
)
from tests.ensembles import noisy_ensemble


@pytest.mark.parametrize("n_steps", [0, 1, 5, 5000])
@pytest.mark.parametrize("scale", [0.05, 1.0])
def test_e_step_is_the_slow_one(scale, n_steps, rng):
    X, truth = noisy_ensemble(missing=0.4, n_clusterings=4)
    F = noisy_features(truth, rng, missing=0.4)
    X[0], F[1], X[2] = -1, np.nan, -1
    F[2, 1:] = np.nan
    weights, feature_weights, row_weights = [0.5, 1.0, 2.3, 1.0], [1.0, 0.4, 1.7, 1.0], rng.random(len(X)) + 0.5
    problem = problem_of(X, F, weights, feature_weights, row_weights)
    state = random_state(X.max(axis=0) + 1, FAMILIES, 3, rng, scale)
    gamma, bounds, sums = expect(problem, state, n_steps=n_steps, tol=1e-13)
    log_theta, labels = np.zeros(3), np.zeros_like(state.table)
    for i in range(len(X)):
        logs, u, names = local_logs(X[i], F[i], problem, state)
        g, phi, bound = settle_slowly(logs, u, state.alpha, state.alpha + u.sum() / 3, n_steps)
        assert np.allclose(gamma[i], g, rtol=1e-8)
        assert bounds[i] == pytest.approx(bound, rel=1e-9, abs=1e-11)
        log_theta += row_weights[i] * (psi(g) - psi(g.sum()))
        for (kind, j), p in zip(names, phi, strict=True):
            if kind == "label":
                labels[problem.columns.layout.first_cell[j] + X[i, j]] += row_weights[i] * p
    assert sums.bound[0] == pytest.approx(row_weights @ bounds, rel=1e-12)
    assert np.allclose(sums.log_theta, log_theta, rtol=1e-8)
    assert np.allclose(sums.labels, labels, rtol=1e-7, atol=1e-11)


def test_m_step_gives_weighted_means_and_variances(rng):
    X, truth = noisy_ensemble(missing=0.3, n_clusterings=4)
    F, row_weights = noisy_features(truth, rng), rng.random(len(X)) + 0.2
    problem = problem_of(X, F, [0.5, 1.0, 2.3, 1.0], [1.0, 0.4, 1.7, 0.8], row_weights)
    state = random_state(X.max(axis=0) + 1, FAMILIES, 3, rng)
    gamma, _, sums = expect(problem, state, n_steps=20, tol=0.0)
    new = update(problem, state, sums)
    for d, family in enumerate(FAMILIES):
        seen = np.flatnonzero(~np.isnan(F[:, d]))
        logs = np.array([log_density(family, F[i, d], state.location[d], state.spread[d]) for i in seen])
        phi = np.array([phi_of(row[None], gamma[i])[0] for i, row in zip(seen, logs, strict=True)])
        for h in range(3):
            mean = np.average(F[seen, d], weights=row_weights[seen] * phi[:, h])
            assert new.location[d, h] == pytest.approx(mean, rel=1e-8)
            if family == GAUSSIAN:
                variance = np.average((F[seen, d] - mean) ** 2, weights=row_weights[seen] * phi[:, h])
                assert new.spread[d, h] == pytest.approx(variance, rel=1e-7)


def test_m_step_keeps_digits_of_features_far_from_zero(rng):
    X, truth = noisy_ensemble(n_clusterings=4)
    F = 1e8 + noisy_features(truth, rng, missing=0.0)[:, :1]
    problem = problem_of(X, F, families=[GAUSSIAN])
    state = random_state(X.max(axis=0) + 1, [GAUSSIAN], 3, rng)
    state = state._replace(location=state.location + 1e8)
    near = problem_of(X, F - 1e8, families=[GAUSSIAN])
    far, close = (
        update(p, s, expect(p, s, n_steps=5, tol=0.0)[2])
        for p, s in ((problem, state), (near, state._replace(location=state.location - 1e8)))
    )
    assert np.allclose(far.location - 1e8, close.location, atol=1e-6)
    assert np.allclose(far.spread, close.spread, rtol=1e-6)


def test_m_step_never_lowers_the_bound(rng):
    X, truth = noisy_ensemble(missing=0.3, n_clusterings=4, flip=0.3)
    problem = problem_of(X, noisy_features(truth, rng), [2.0, 1.0, 0.7, 1.0], [1.0, 0.4, 1.7, 0.8])
    state, gamma = random_state(X.max(axis=0) + 1, FAMILIES, 4, rng, 0.3), None
    for _ in range(20):
        gamma, _, sums = expect(problem, state, gamma, n_steps=3, tol=0.0)
        state = update(problem, state, sums)
        after = expect(problem, state, gamma, n_steps=0, tol=0.0)[2]
        assert after.bound[0] >= sums.bound[0] - 1e-9
        gamma, _, again = expect(problem, state, gamma, n_steps=3, tol=0.0)
        assert again.bound[0] >= after.bound[0] - 1e-9


def test_cluster_without_mass_keeps_its_parameters(rng):
    state = random_state([2], FAMILIES, 3, rng)
    columns = problem_of(np.array([[0], [1]]), np.ones((2, 4))).columns
    sums = rng.random((3, 4, 3)) + 0.5
    sums[2] += sums[1] ** 2 / sums[0]
    sums[:, :, 1] = 0
    location, spread = module.update_features(state, sums, columns)
    assert np.array_equal(location[:, 1], state.location[:, 1])
    assert np.array_equal(spread[:, 1], state.spread[:, 1])
    assert not np.isclose(location[:, 0], state.location[:, 0]).any()


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_integer_weight_is_the_column_repeated(smoothing, rng):
    X, truth = noisy_ensemble(missing=0.3, n_clusterings=3)
    F, u, v = noisy_features(truth, rng), np.array([2, 1, 3]), np.array([3, 1, 2, 2])
    narrow = problem_of(X, F, u, v, smoothing=smoothing)
    wide = problem_of(
        np.repeat(X, u, axis=1), np.repeat(F, v, axis=1), families=np.repeat(FAMILIES, v), smoothing=smoothing
    )
    state = random_state(X.max(axis=0) + 1, FAMILIES, 3, rng, 0.3)
    blocks = np.split(np.arange(len(state.table)), narrow.columns.layout.first_cell[1:])
    cells = np.concatenate([block for block, times in zip(blocks, u, strict=True) for _ in range(times)])

    def widen(state):
        location, spread = (np.repeat(values, v, axis=0) for values in state[2:])
        return module.BCEState(state.alpha, state.table[cells], location, spread)

    wide_state, gamma, wide_gamma = widen(state), None, None
    for _ in range(4):
        gamma, bounds, sums = expect(narrow, state, gamma, n_steps=6, tol=0.0)
        wide_gamma, wide_bounds, wide_sums = expect(wide, wide_state, wide_gamma, n_steps=6, tol=0.0)
        assert np.allclose(gamma, wide_gamma, rtol=1e-8)
        assert np.allclose(bounds, wide_bounds, rtol=1e-9)
        state, wide_state = update(narrow, state, sums), update(wide, wide_state, wide_sums)
        for ours, theirs in zip(widen(state), wide_state, strict=True):
            assert np.allclose(ours, theirs, rtol=1e-6, atol=1e-9)


def test_object_weight_is_the_object_repeated(rng):
    X, truth = noisy_ensemble(missing=0.3, n_clusterings=3)
    F, times = noisy_features(truth, rng), rng.integers(1, 4, size=len(X))
    once = problem_of(X, F, row_weights=times)
    long = problem_of(np.repeat(X, times, axis=0), np.repeat(F, times, axis=0))
    state = random_state(X.max(axis=0) + 1, FAMILIES, 3, rng)
    one, other = (update(p, state, expect(p, state, n_steps=6, tol=0.0)[2]) for p in (once, long))
    for ours, theirs in zip(one, other, strict=True):
        assert np.allclose(ours, theirs, rtol=1e-7)


def log_evidence(logs, u, alpha):
    """log of the integral of p(theta) prod_j (sum_h theta_h p_hj)^u_j, whole u: the sum over all z of all copies."""
    logs, terms = np.repeat(logs, u, axis=0), []
    for z in product(range(len(alpha)), repeat=len(logs)):
        times = np.bincount(np.array(z, dtype=int), minlength=len(alpha))
        prior = gammaln(alpha.sum()) - gammaln(alpha.sum() + len(z)) + (gammaln(alpha + times) - gammaln(alpha)).sum()
        terms.append(prior + logs[np.arange(len(z)), list(z)].sum())
    return logsumexp(terms)


@pytest.mark.parametrize("scale", [0.02, 0.5, 3.0])
def test_bound_is_below_the_weighted_evidence(scale, rng):
    X, truth = noisy_ensemble(sizes=(4, 3, 3), missing=0.2, n_clusterings=2)
    F, u, v = noisy_features(truth, rng), np.array([1, 2]), np.array([2, 1, 1, 1])
    problem = problem_of(X, F, u, v)
    state = random_state(X.max(axis=0) + 1, FAMILIES, 2, rng, scale)
    bounds = expect(problem, state, **EXACT)[1]
    for x, y, bound in zip(X, F, bounds, strict=True):
        logs, weights, _ = local_logs(x, y, problem, state)
        evidence = log_evidence(logs, weights.astype(int), state.alpha)
        assert evidence - 4 < bound <= evidence + 1e-10


def test_bound_of_real_weights_is_below_the_integral(rng):
    X, truth = noisy_ensemble(sizes=(4, 3, 3), missing=0.2, n_clusterings=2)
    problem = problem_of(X, noisy_features(truth, rng), [0.4, 1.7], [0.3, 1.0, 0.6, 2.2])
    state = random_state(X.max(axis=0) + 1, FAMILIES, 2, rng)
    bounds = expect(problem, state, **EXACT)[1]

    def integrand(t, logs, weights):
        return stats.beta.pdf(t, *state.alpha) * np.exp(weights @ np.log(np.exp(logs) @ [t, 1 - t]))

    for x, y, bound in zip(X, problem.rows.features, bounds, strict=True):
        evidence = np.log(quad(integrand, 0, 1, args=local_logs(x, y, problem, state)[:2], limit=200)[0])
        assert evidence - 1 < bound <= evidence + 1e-8


def test_missing_features_change_no_step(rng):
    X = noisy_ensemble(missing=0.3).X
    without, beside = (
        problem_of(X, np.empty((len(X), 0)), families=FAMILIES[:0]),
        problem_of(X, np.full((62, 4), np.nan)),
    )
    state = random_state(X.max(axis=0) + 1, FAMILIES, 3, rng)
    none = state._replace(location=state.location[:0], spread=state.spread[:0])
    one, other = expect(without, none, n_steps=9, tol=0.0), expect(beside, state, n_steps=9, tol=0.0)
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[1], other[1])
    assert np.array_equal(update(without, none, one[2]).table, update(beside, state, other[2]).table)
    assert np.array_equal(update(beside, state, other[2]).location, state.location)
