"""Variational Bayes against formulas, slow twins and enumeration (eqs. N27 to N32)."""

from functools import partial

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp, psi

from partita.consensus.models._mixture import as_rows, expect_all
from partita.consensus.nbce import _vb as module
from partita.consensus.nbce._hyperparameters import estimate_parameters
from partita.consensus.nbce._joint import HIGHEST, LOWEST, Occupancy, log_joint
from partita.consensus.nbce._nbce import NBCE
from tests.consensus.nbce.nbce_reference import (
    HOLES,
    N_LABELS,
    WEIGHTS,
    Posterior,
    expected_occupancy,
    make_ensemble,
    make_model,
    random_labels,
)


def blocks(table, model):
    return np.split(table, model.layout.first_cell[1:])


def expect(state, X, row_weights):
    rows = as_rows(make_ensemble(X, state.model, row_weights))
    stats = expect_all(rows, *module.expected_logs(state), None)
    return stats, module.lower_bound(state, stats)


def random_state(rng, model, n_clusters):
    xi, rho = rng.random(n_clusters), rng.random((model.layout.n_cells, n_clusters))
    return module.VBState(xi * 3 + 0.1, rho * 4 + 0.1, model)


def expected_logs(xi, rho):
    return psi(xi) - psi(xi.sum()), [psi(block) - psi(block.sum(axis=0)) for block in rho]


def responsibilities(X, xi, rho, model):
    """The gamma that is best for given xi and rho (eq. N27)."""
    e, E = expected_logs(xi, rho)
    logs = np.tile(e, (len(X), 1))
    for i, row in enumerate(X):
        for j, label in enumerate(row):
            if label >= 0:
                logs[i] += model.clustering_weights[j] * E[j][label]
    return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))


def bound_of_seven_terms(X, row_weights, gamma, xi, rho, model):
    """The lower bound as in eq. N29."""
    K, a0, b = len(xi), model.alpha0, model.beta
    e, E = expected_logs(xi, rho)
    labels = sum(
        row_weights[i] * model.clustering_weights[j] * gamma[i] @ E[j][X[i, j]] for i, j in np.argwhere(X >= 0)
    )  # E log p(Y | Z, theta)
    weights = gammaln(a0) - K * gammaln(a0 / K) + (a0 / K - 1) * e.sum()  # E log p(pi)
    clusters = (row_weights @ gamma) @ e  # E log p(Z | pi)
    tables = own_tables = 0.0
    for u, J, block, E_j in zip(model.clustering_weights, model.n_labels, rho, E, strict=True):
        tables += u * (K * gammaln(J * b) - K * J * gammaln(b) + (b - 1) * E_j.sum())  # E log p(theta)
        own_tables += u * (gammaln(block.sum(axis=0)).sum() - gammaln(block).sum() + ((block - 1) * E_j).sum())
    own_weights = gammaln(xi.sum()) - gammaln(xi).sum() + (xi - 1) @ e
    own_clusters = (row_weights[:, None] * gamma * np.log(gamma)).sum()
    return labels + weights + clusters + tables - own_weights - own_tables - own_clusters


def test_e_step_and_bound_are_those_of_the_seven_terms(rng):
    X, row_weights = random_labels(rng), rng.random(20) + 0.2
    model = make_model(N_LABELS, weights=WEIGHTS, alpha0=1.7)
    state = random_state(rng, model, 4)
    rho = blocks(state.rho, model)
    gamma = responsibilities(X, state.xi, rho, model)
    stats, bound = expect(state, X, row_weights)
    expected = expected_occupancy(X, gamma, model, row_weights)
    assert np.allclose(stats.mass, expected.size, rtol=1e-11)
    assert np.allclose(stats.label_mass, expected.label_size, rtol=1e-11, atol=1e-13)
    assert bound == pytest.approx(bound_of_seven_terms(X, row_weights, gamma, state.xi, rho, model), rel=1e-11)


def test_gamma_of_the_e_step_is_the_best(rng):
    X, model = random_labels(rng), make_model(N_LABELS, weights=WEIGHTS)
    state = random_state(rng, model, 3)
    bound = expect(state, X, None)[1]
    gamma, rho = responsibilities(X, state.xi, blocks(state.rho, model), model), blocks(state.rho, model)
    for _ in range(10):
        other = 0.95 * gamma + 0.05 * rng.dirichlet(np.ones(3), size=20)
        assert bound_of_seven_terms(X, np.ones(20), other, state.xi, rho, model) < bound


@pytest.mark.parametrize("alpha0", [0.3, 4.0])
def test_bound_from_assignments_alone_is_that_of_the_best_xi_and_rho(alpha0, rng):
    """With xi and rho at their best, the seven terms are log p(Y, Z) of the expected occupancy plus the entropy."""
    X, gamma, row_weights = random_labels(rng), rng.dirichlet(np.ones(3), size=20), rng.random(20) + 0.2
    model = make_model(N_LABELS, weights=WEIGHTS, alpha0=alpha0)
    expected = expected_occupancy(X, gamma, model, row_weights)
    xi, rho = alpha0 / 3 + expected.size, blocks(model.beta + expected.label_size, model)
    seven = bound_of_seven_terms(X, row_weights, gamma, xi, rho, model)
    own = -(row_weights[:, None] * gamma * np.log(gamma)).sum()
    assert log_joint(expected, model) + own == pytest.approx(seven, rel=1e-11)


def test_update_gives_the_best_xi_and_rho(rng):
    X, model = random_labels(rng), make_model(N_LABELS, weights=WEIGHTS, alpha0=2.0, beta=0.7)
    state = random_state(rng, model, 3)
    gamma = responsibilities(X, state.xi, blocks(state.rho, model), model)
    new = module.update_vb(state, expect(state, X, None)[0], estimate=(False, False))
    expected = expected_occupancy(X, gamma, model)
    assert np.allclose(new.xi, 2.0 / 3 + expected.size)
    assert np.allclose(new.rho, 0.7 + expected.label_size)
    assert new.model == model
    best = bound_of_seven_terms(X, np.ones(20), gamma, new.xi, blocks(new.rho, model), model)
    for _ in range(10):
        xi, rho = (value * np.exp(0.05 * rng.normal(size=value.shape)) for value in new[:2])
        assert bound_of_seven_terms(X, np.ones(20), gamma, xi, blocks(rho, model), model) < best


@pytest.mark.parametrize("estimate", [(False, False), (True, False), (False, True), (True, True)])
def test_bound_never_falls(estimate, rng):
    X, model, row_weights = random_labels(rng, 40), make_model(N_LABELS, weights=WEIGHTS), rng.random(40) + 0.2
    state, bounds = random_state(rng, model, 6), []
    for _ in range(60):
        stats, bound = expect(state, X, row_weights)
        bounds.append(bound)
        state = module.update_vb(state, stats, estimate=estimate)
    assert (np.diff(bounds) >= -1e-10 * abs(bounds[-1])).all()
    assert bounds[-1] > bounds[0] + 1
    assert (state.model.alpha0 != 1.0) == estimate[0]
    assert (state.model.beta != 0.5) == estimate[1]


@pytest.mark.parametrize("parameters", [{}, {"alpha0": 3.0, "beta": 0.1}, {"alpha0": "auto", "beta": "auto"}])
@pytest.mark.parametrize("weights", [None, [1, 2, 1]])
def test_bound_of_a_fit_is_below_the_evidence(parameters, weights):
    options = {"tol": 1e-8, "n_init": 3, "max_iter": 3000, "random_state": 0}
    model = NBCE("vb", truncation=3, weights=weights, **options, **parameters).fit(HOLES)
    of_model = make_model([2, 2, 2], alpha0=model.alpha0_, beta=model.beta_, weights=weights)
    evidence = Posterior(HOLES, 3, of_model).log_evidence
    assert evidence - 5 < model.lower_bound_ <= evidence
    assert model.lower_bound_ == model.history_[-1]
    assert (np.diff(model.history_) >= -1e-10).all()
    assert model.converged_


def derivative(f, x, step):
    return (f(x + step) - f(x - step)) / (2 * step)


def slopes(model, size, label_size):
    """dL/da0 and dL/db (eq. N31) at rho = b + label_size, xi = a0 / K + size."""
    K = len(size)
    e, E = expected_logs(model.alpha0 / K + size, [model.beta + block for block in blocks(label_size, model)])
    J, b = model.n_labels, model.beta
    of_alpha0 = psi(model.alpha0) - psi(model.alpha0 / K) + e.sum() / K
    of_beta = sum(w * (K * j * (psi(j * b) - psi(b)) + block.sum()) for w, j, block in zip(WEIGHTS, J, E, strict=True))
    return of_alpha0, of_beta


def test_derivatives_are_those_of_the_bound(rng):
    X, model = random_labels(rng), make_model(N_LABELS, weights=WEIGHTS)
    gamma = rng.dirichlet(np.ones(3), size=20)
    size, label_size = expected_occupancy(X, gamma, model)

    def bound(name, value):
        xi, rho = model.alpha0 / 3 + size, blocks(model.beta + label_size, model)
        return bound_of_seven_terms(X, np.ones(20), gamma, xi, rho, model._replace(**{name: value}))

    found = [derivative(partial(bound, name), getattr(model, name), 1e-6) for name in ("alpha0", "beta")]
    assert np.allclose(found, slopes(model, size, label_size), rtol=1e-5)


@pytest.mark.parametrize("start", [LOWEST, 0.5, 200.0])
def test_estimates_are_stationary_points_of_the_bound(start, rng):
    for _ in range(5):
        truth, model = np.arange(20) % 3, make_model(N_LABELS, weights=WEIGHTS, alpha0=start, beta=start)
        X = np.where(rng.random((20, 4)) < 0.4, random_labels(rng), truth[:, None] % N_LABELS)
        occupancy = Occupancy(*expected_occupancy(X, 0.9 * np.eye(5)[truth] + 0.02, model))
        found = estimate_parameters(occupancy, model, True, True)
        assert np.allclose(slopes(found, *occupancy), 0, atol=1e-3)
        assert log_joint(occupancy, found) >= log_joint(occupancy, model)
        for factor in (0.9, 1.1):
            near = found._replace(alpha0=found.alpha0 * factor, beta=found.beta * factor)
            assert log_joint(occupancy, near) < log_joint(occupancy, found)
        assert estimate_parameters(occupancy, model, False, False) == model


def test_estimates_stop_at_the_ends():
    model = make_model([2, 2])
    pure = Occupancy(np.array([30.0, 20.0]), np.array([[30.0, 0], [0, 20], [30, 0], [0, 20]]))
    even = Occupancy(np.array([20.0, 20.0]), np.full((4, 2), 10.0))
    assert estimate_parameters(pure, model, False, True).beta == pytest.approx(LOWEST)
    assert estimate_parameters(even, model, True, True)[-2:] == pytest.approx((HIGHEST, HIGHEST))
    alone = Occupancy(np.array([40.0, 0.0]), np.array([[40.0, 0], [0, 0], [40, 0], [0, 0]]))
    assert estimate_parameters(alone, model, True, False).alpha0 == pytest.approx(LOWEST)


def test_membership_of_vb_is_that_of_the_e_step(X):
    """xi and rho are the means that the fit gives, times what they sum to."""
    model = NBCE("vb", truncation=3, tol=1e-12, max_iter=5000, random_state=0).fit(X)
    of_model = make_model(X.max(axis=0) + 1)
    assert model.n_clusters_ == 3
    rho = []
    for j, theta in enumerate(model.theta_):
        total = of_model.n_labels[j] * of_model.beta + model.membership_[X[:, j] >= 0].sum(axis=0)
        rho.append((theta * total[:, None]).T)
    gamma = responsibilities(X, model.weights_ * (of_model.alpha0 + len(X)), rho, of_model)
    assert np.allclose(gamma, model.membership_, atol=1e-5)
