"""Variational Bayes, plain and collapsed, against formulas, slow twins and enumeration: T-20 of the catalogue."""

from functools import partial

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp, psi
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from partita._kernels import nbce_cvb as kernel
from partita._labels.ensemble import list_labels
from partita._runs import progress
from partita.consensus.models import _em
from partita.consensus.models._multinomial_mixture import as_rows, expect_all
from partita.consensus.nbce import _cvb as cvb
from partita.consensus.nbce import _vb as vb
from partita.consensus.nbce._joint import HIGHEST, LOWEST, Counts, estimate_parameters, log_joint
from partita.consensus.nbce._nbce import NBCE
from tests.consensus.nbce.nbce_reference import PRIORS, Posterior, entropy, expected_counts, make_ensemble, make_model
from tests.ensembles import noisy_ensemble

N_LABELS = np.array([3, 2, 2, 4])
WEIGHTS = [1.0, 0.4, 1.0, 2.5]
TINY = np.array([[0, 0, 1], [0, 0, -1], [1, -1, 0], [1, 1, 0], [0, 1, -1], [-1, 0, 1]])


def random_labels(rng, n=20):
    X = np.column_stack([rng.integers(size, size=n) for size in N_LABELS])
    X = np.where(rng.random(X.shape) < 0.3, -1, X)
    X[:, 0] = np.where((X < 0).all(axis=1), 0, X[:, 0])
    return X


def blocks(table, model):
    return np.split(table, model.layout.first[1:])


def expect(state, X, counts):
    ensemble = make_ensemble(X, state.model, counts)
    log_table, log_weights = vb.expected_logs(state)
    rows = as_rows(ensemble.codes, ensemble.n_labels, ensemble.row_weights)
    stats = expect_all(rows, log_table * state.model.cell_weight[:, None], log_weights, None)
    return stats, vb.lower_bound(state, stats)


def random_state(rng, model, n_clusters):
    return vb.State(rng.random(n_clusters) * 3 + 0.1, rng.random((model.layout.n_cells, n_clusters)) * 4 + 0.1, model)


def expected_logs(xi, rho):
    return psi(xi) - psi(xi.sum()), [psi(block) - psi(block.sum(axis=0)) for block in rho]


def responsibilities(X, xi, rho, model):
    """The gamma that is best for given xi and rho   (5.4)."""
    e, E = expected_logs(xi, rho)
    logs = np.tile(e, (len(X), 1))
    for i, row in enumerate(X):
        for j, label in enumerate(row):
            if label >= 0:
                logs[i] += model.weights[j] * E[j][label]
    return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))


def bound_of_seven_terms(X, counts, gamma, xi, rho, model):
    K, a0, b = len(xi), model.alpha0, model.beta
    e, E = expected_logs(xi, rho)
    labels = sum(
        counts[i] * model.weights[j] * gamma[i] @ E[j][X[i, j]] for i, j in np.argwhere(X >= 0)
    )  # E log p(Y | Z, theta)
    weights = gammaln(a0) - K * gammaln(a0 / K) + (a0 / K - 1) * e.sum()  # E log p(pi)
    clusters = (counts @ gamma) @ e  # E log p(Z | pi)
    tables = own_tables = 0.0
    for u, J, block, E_j in zip(model.weights, model.n_labels, rho, E, strict=True):
        tables += u * (K * gammaln(J * b) - K * J * gammaln(b) + (b - 1) * E_j.sum())  # E log p(theta)
        own_tables += u * (gammaln(block.sum(axis=0)).sum() - gammaln(block).sum() + ((block - 1) * E_j).sum())
    own_weights = gammaln(xi.sum()) - gammaln(xi).sum() + (xi - 1) @ e
    own_clusters = (counts[:, None] * gamma * np.log(gamma)).sum()
    return labels + weights + clusters + tables - own_weights - own_tables - own_clusters


# variational Bayes


def test_e_step_and_bound_are_those_of_the_seven_terms(rng):
    X, model, counts = random_labels(rng), make_model(N_LABELS, weights=WEIGHTS, alpha0=1.7), rng.random(20) + 0.2
    state = random_state(rng, model, 4)
    rho = blocks(state.rho, model)
    gamma = responsibilities(X, state.xi, rho, model)
    stats, bound = expect(state, X, counts)
    expected = expected_counts(X, gamma, model, counts)
    assert np.allclose(stats.mass, expected.size, rtol=1e-11)
    assert np.allclose(stats.label_mass, expected.labels, rtol=1e-11, atol=1e-13)
    assert bound == pytest.approx(bound_of_seven_terms(X, counts, gamma, state.xi, rho, model), rel=1e-11)


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
    """With xi and rho at their best for gamma, the seven terms are log p(Y, Z) of expected counts plus the entropy."""
    X, gamma, counts = random_labels(rng), rng.dirichlet(np.ones(3), size=20), rng.random(20) + 0.2
    model = make_model(N_LABELS, weights=WEIGHTS, alpha0=alpha0)
    expected = expected_counts(X, gamma, model, counts)
    xi, rho = alpha0 / 3 + expected.size, blocks(model.beta + expected.labels, model)
    seven = bound_of_seven_terms(X, counts, gamma, xi, rho, model)
    own = -(counts[:, None] * gamma * np.log(gamma)).sum()
    assert log_joint(expected, model) + own == pytest.approx(seven, rel=1e-11)


def test_update_gives_the_best_xi_and_rho(rng):
    X, model = random_labels(rng), make_model(N_LABELS, weights=WEIGHTS, alpha0=2.0, beta=0.7)
    state = random_state(rng, model, 3)
    gamma = responsibilities(X, state.xi, blocks(state.rho, model), model)
    new = vb.update(state, expect(state, X, None)[0], estimate=(False, False))
    expected = expected_counts(X, gamma, model)
    assert np.allclose(new.xi, 2.0 / 3 + expected.size)
    assert np.allclose(new.rho, 0.7 + expected.labels)
    assert new.model == model
    best = bound_of_seven_terms(X, np.ones(20), gamma, new.xi, blocks(new.rho, model), model)
    for _ in range(10):
        xi, rho = (value * np.exp(0.05 * rng.normal(size=value.shape)) for value in new[:2])
        assert bound_of_seven_terms(X, np.ones(20), gamma, xi, blocks(rho, model), model) < best


@pytest.mark.parametrize("estimate", [(False, False), (True, False), (False, True), (True, True)])
def test_bound_never_falls(estimate, rng):
    X, model, counts = random_labels(rng, 40), make_model(N_LABELS, weights=WEIGHTS), rng.random(40) + 0.2
    state, bounds = random_state(rng, model, 6), []
    for _ in range(60):
        stats, bound = expect(state, X, counts)
        bounds.append(bound)
        state = vb.update(state, stats, estimate=estimate)
    assert (np.diff(bounds) >= -1e-10 * abs(bounds[-1])).all()
    assert bounds[-1] > bounds[0] + 1
    assert (state.model.alpha0 != 1.0) == estimate[0]
    assert (state.model.beta != 0.5) == estimate[1]


@pytest.mark.parametrize("parameters", [{}, {"alpha0": 3.0, "beta": 0.1}, {"alpha0": "auto", "beta": "auto"}])
@pytest.mark.parametrize("weights", [None, [1, 2, 1]])
def test_bound_of_a_fit_is_below_the_evidence(parameters, weights):
    options = {"tol": 1e-8, "n_init": 3, "max_iter": 3000, "random_state": 0}
    model = NBCE("vb", truncation=3, weights=weights, **options, **parameters).fit(TINY)
    of_model = make_model([2, 2, 2], alpha0=model.alpha0_, beta=model.beta_, weights=weights)
    evidence = Posterior(TINY, 3, of_model).log_evidence
    assert evidence - 5 < model.lower_bound_ <= evidence
    assert model.lower_bound_ == model.history_[-1]
    assert (np.diff(model.history_) >= -1e-10).all()
    assert model.converged_


def derivative(f, x, step):
    return (f(x + step) - f(x - step)) / (2 * step)


def slopes(model, size, labels):
    """dL/da0 and dL/db of REFERENCE 5.4 at rho = b + counts, xi = a0 / K + counts."""
    K = len(size)
    e, E = expected_logs(model.alpha0 / K + size, [model.beta + block for block in blocks(labels, model)])
    J, b = model.n_labels, model.beta
    of_alpha0 = psi(model.alpha0) - psi(model.alpha0 / K) + e.sum() / K
    of_beta = sum(w * (K * j * (psi(j * b) - psi(b)) + block.sum()) for w, j, block in zip(WEIGHTS, J, E, strict=True))
    return of_alpha0, of_beta


def test_derivatives_are_those_of_the_bound(rng):
    X, model = random_labels(rng), make_model(N_LABELS, weights=WEIGHTS)
    gamma = rng.dirichlet(np.ones(3), size=20)
    size, labels = expected_counts(X, gamma, model)

    def bound(name, value):
        xi, rho = model.alpha0 / 3 + size, blocks(model.beta + labels, model)
        return bound_of_seven_terms(X, np.ones(20), gamma, xi, rho, model._replace(**{name: value}))

    found = [derivative(partial(bound, name), getattr(model, name), 1e-6) for name in ("alpha0", "beta")]
    assert np.allclose(found, slopes(model, size, labels), rtol=1e-5)


@pytest.mark.parametrize("start", [LOWEST, 0.5, 200.0])
def test_estimates_are_stationary_points_of_the_bound(start, rng):
    for _ in range(5):
        truth, model = np.arange(20) % 3, make_model(N_LABELS, weights=WEIGHTS, alpha0=start, beta=start)
        X = np.where(rng.random((20, 4)) < 0.4, random_labels(rng), truth[:, None] % N_LABELS)
        counts = Counts(*expected_counts(X, 0.9 * np.eye(5)[truth] + 0.02, model))
        found = estimate_parameters(counts, model, True, True)
        assert np.allclose(slopes(found, *counts), 0, atol=1e-3)
        assert log_joint(counts, found) >= log_joint(counts, model)
        for factor in (0.9, 1.1):
            near = found._replace(alpha0=found.alpha0 * factor, beta=found.beta * factor)
            assert log_joint(counts, near) < log_joint(counts, found)
        assert estimate_parameters(counts, model, False, False) == model


def test_estimates_stop_at_the_ends():
    model = make_model([2, 2])
    pure = Counts(np.array([30.0, 20.0]), np.array([[30.0, 0], [0, 20], [30, 0], [0, 20]]))
    even = Counts(np.array([20.0, 20.0]), np.full((4, 2), 10.0))
    assert estimate_parameters(pure, model, False, True).beta == pytest.approx(LOWEST)
    assert estimate_parameters(even, model, True, True)[-2:] == pytest.approx((HIGHEST, HIGHEST))
    alone = Counts(np.array([40.0, 0.0]), np.array([[40.0, 0], [0, 0], [40, 0], [0, 0]]))
    assert estimate_parameters(alone, model, True, False).alpha0 == pytest.approx(LOWEST)


# collapsed variational Bayes


def mean_log(x, mean, variance, second):
    return np.log(x + mean) - second * variance / (2 * (x + mean) ** 2)


def update_slowly(X, gamma, i, counts, model, second):
    """gamma_i from the expected counts of all other objects, one copy of row i left out   (5.5)."""
    K = gamma.shape[1]
    others = counts.copy()
    others[i] -= min(1.0, counts[i])

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
            logs[k] += model.weights[j] * (log_of(model.beta, same) - log_of(J * model.beta, seen))
    return np.exp(logs - logsumexp(logs))


def rows_and_state(X, gamma, counts, model, *, second):
    n_labels = model.n_labels.astype(int)
    rows = kernel.CvbRows(*list_labels(X.astype(np.int32), n_labels), counts, model.weights, model.n_labels)
    K, orders = gamma.shape[1], 2 if second else 1
    shapes = ((2, K), (2, K), (orders, model.layout.n_cells, K), (orders, len(n_labels), K))
    state = kernel.CvbState(gamma.copy(), *(np.zeros(shape) for shape in shapes))
    kernel.sum_up(rows, state)
    return rows, state


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_sweep_is_the_slow_one(prior, second, weights, rng):
    X, counts = random_labels(rng), rng.choice([0.4, 1.0, 1.0, 3.0, 2.5], size=20)
    model = make_model(N_LABELS, prior, alpha0=1.4, weights=weights)
    slow, order, changes = rng.dirichlet(np.full(5, 0.5), size=20), rng.permutation(20), np.zeros(20)
    rows, state = rows_and_state(X, slow, counts, model, second=second)
    for _ in range(3):
        before = slow.copy()
        for i in order:
            slow[i] = update_slowly(X, slow, i, counts, model, second)
        kernel.sweep(rows, state, model.alpha0, model.beta, prior == "tsb", order, changes)
        assert np.allclose(state.gamma, slow, atol=1e-11)
        assert np.allclose(changes, np.abs(slow - before).max(axis=1), atol=1e-11)
    own = -(counts[:, None] * slow * np.log(slow)).sum()
    assert cvb.entropy(state.gamma, counts) == pytest.approx(own, rel=1e-9)
    anew = rows_and_state(X, state.gamma, counts, model, second=second)[1]
    for ours, theirs in zip(state, anew, strict=True):
        assert np.allclose(ours, theirs, atol=1e-11)


def test_many_labels_of_an_object_do_not_underflow(rng):
    """300 clusterings, whose factors are multiplied in runs before a log is taken."""
    X = np.repeat(rng.integers(3, size=(4, 300)), 5, axis=0)
    model = make_model([3] * 300, "fsd", beta=1e-4, weights=np.where(np.arange(300) < 20, 1.5, 1.0))
    gamma = rng.dirichlet(np.ones(3), size=20)
    rows, state = rows_and_state(X, gamma, np.ones(20), model, second=False)
    kernel.sweep(rows, state, 1.0, 1e-4, False, np.array([7]), np.zeros(20))
    assert np.allclose(state.gamma[7], update_slowly(X, gamma, 7, np.ones(20), model, False), atol=1e-10)


def solve(X, gamma, counts, model, *, second=False, estimate=(False, False), tol=1e-10, max_iter=5000):
    with progress(0, "", show=False) as bar:
        return cvb.solve(
            make_ensemble(X, model, counts),
            model,
            gamma.copy(),
            second_order=second,
            estimate=estimate,
            tol=tol,
            max_iter=max_iter,
            seed=0,
            bar=bar,
        )


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_bounds_are_in_their_order(prior, second, rng):
    """L_VB(q) <= L_CVB(q) <= log evidence, for the q(Z) that a fit ends with."""
    model = make_model([2, 2, 2], prior, alpha0=1.5)
    posterior = Posterior(TINY, 3, model)
    for _ in range(3):
        found = solve(TINY, rng.dirichlet(np.ones(3), size=6), np.ones(6), model, second=second)
        expected = expected_counts(TINY, found.gamma, model)
        bound = log_joint(expected, model) + entropy(found.gamma)
        assert found.converged
        assert np.allclose(found.gamma.sum(axis=1), 1)
        assert np.allclose(found.counts.labels, expected.labels)
        assert found.history[-1] == pytest.approx(bound, rel=1e-9)
        assert bound <= posterior.collapsed_bound(found.gamma) <= posterior.log_evidence


@pytest.mark.parametrize("prior", PRIORS)
def test_any_assignment_probabilities_have_the_bounds_in_their_order(prior, rng):
    model = make_model([2, 2, 2], prior, alpha0=0.8, beta=0.3)
    posterior = Posterior(TINY, 3, model)
    for concentration in (0.1, 1.0, 10.0):
        gamma = rng.dirichlet(np.full(3, concentration), size=6)
        bound = log_joint(expected_counts(TINY, gamma, model), model) + entropy(gamma)
        assert bound < posterior.collapsed_bound(gamma) < posterior.log_evidence


@pytest.mark.parametrize("prior", PRIORS)
def test_exact_expectations_never_lower_the_collapsed_bound(prior, rng):
    """A check of the enumeration itself, and of how near the approximations come to it."""
    model = make_model([2, 2, 2], prior, alpha0=1.5)
    posterior, gamma = Posterior(TINY, 3, model), rng.dirichlet(np.ones(3), size=6)
    bounds = [posterior.collapsed_bound(gamma)]
    for i in np.tile(np.arange(6), 15):
        exact = posterior.exact_update(gamma, i)
        for second in (False, True):
            assert np.abs(update_slowly(TINY, gamma, i, np.ones(6), model, second) - exact).max() < 0.12
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
    kernel.sweep(rows, state, model.alpha0, model.beta, prior == "tsb", order, changes)
    assert changes.max() < 1e-6
    assert np.abs(state.gamma - gamma).max() < 1e-6


@pytest.mark.parametrize("prior", PRIORS)
def test_estimated_parameters_have_the_highest_bound(prior, rng):
    X, gamma = random_labels(rng), rng.dirichlet(np.full(4, 0.2), size=20)
    model = make_model(N_LABELS, prior, weights=WEIGHTS)
    counts = expected_counts(X, gamma, model)
    grid = np.geomspace(LOWEST, HIGHEST, 400)
    best = {name: max(log_joint(counts, model._replace(**{name: x})) for x in grid) for name in ("alpha0", "beta")}
    one = cvb.estimate_parameters(counts, model, True, False)
    other = cvb.estimate_parameters(counts, model, False, True)
    assert (one.beta, other.alpha0) == (0.5, 1.0)
    assert log_joint(counts, one) >= best["alpha0"] - 1e-4
    assert log_joint(counts, other) >= best["beta"] - 1e-4


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_bound_of_a_collapsed_fit_is_below_the_evidence(prior, second):
    for parameters in ({}, {"alpha0": "auto", "beta": "auto"}):
        model = NBCE("cvb", prior, 3, second_order=second, n_init=3, random_state=0, **parameters).fit(TINY)
        of_model = make_model([2, 2, 2], prior, alpha0=model.alpha0_, beta=model.beta_)
        assert model.lower_bound_ <= Posterior(TINY, 3, of_model).log_evidence
        assert model.lower_bound_ == model.history_[-1]


# both


@pytest.mark.parametrize("inference", ["vb", "cvb"])
def test_starts_with_few_and_with_many_clusters_and_the_best_is_kept(inference, X):
    one = NBCE(inference, truncation=10, n_init=1, random_state=0).fit(X)
    many = NBCE(inference, truncation=10, n_init=6, random_state=0).fit(X)
    assert many.lower_bound_ >= one.lower_bound_ - 1e-6 * abs(one.lower_bound_)


@pytest.mark.parametrize("inference", ["vb", "cvb"])
@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_starts_that_compete_on_a_sample_go_on_with_all(init, inference, monkeypatch):
    X, truth = noisy_ensemble(sizes=(150, 100, 60), flip=0.15)
    options = {"truncation": 8, "init": init, "n_init": 4, "random_state": 0}
    everything = NBCE(inference, **options).fit(X)
    monkeypatch.setattr(_em, "_FEW_OBJECTS", 60)
    sampled = NBCE(inference, **options).fit(X)
    assert sampled.history_ != everything.history_
    assert sampled.converged_
    assert adjusted_rand_score(sampled.labels_, truth) > 0.97
    assert sampled.lower_bound_ == pytest.approx(everything.lower_bound_, rel=0.02)
    assert np.allclose(sampled.membership_.sum(axis=1), 1)
    if inference == "vb":
        assert (np.diff(sampled.history_) >= -1e-10 * abs(sampled.lower_bound_)).all()


@pytest.mark.parametrize("inference", ["vb", "cvb"])
def test_threads_change_no_bit(inference, monkeypatch):
    X = noisy_ensemble(sizes=(60, 40), flip=0.3).X
    monkeypatch.setattr(_em, "_BLOCK", 1)
    one, many = (NBCE(inference, truncation=6, n_init=4, random_state=0, n_jobs=n).fit(X) for n in (1, 3))
    assert one.history_ == many.history_
    assert np.array_equal(one.membership_, many.membership_)


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_converged_means_that_no_row_moves_any_more(prior, second, rng):
    """Rows that hardly move are left out of most sweeps, but never of the last."""
    X = np.unique(noisy_ensemble(sizes=(60, 40), flip=0.3, n_clusterings=6).X, axis=0)
    model, counts = make_model(X.max(axis=0) + 1, prior), rng.integers(1, 4, size=len(X)).astype(float)
    for tol in (1e-4, 1e-8):
        found = solve(X, rng.dirichlet(np.full(6, 0.3), size=len(X)), counts, model, second=second, tol=tol)
        assert found.converged
        assert found.n_iter >= len(found.history)
        moved = np.array([update_slowly(X, found.gamma, i, counts, model, second) for i in range(len(X))])
        assert np.abs(moved - found.gamma).max() < 10 * tol


@pytest.mark.parametrize("inference", ["vb", "cvb"])
def test_stopping_early_is_said(inference, X):
    with pytest.warns(ConvergenceWarning, match=f"inference='{inference}' had not converged after max_iter=2"):
        model = NBCE(inference, truncation=6, max_iter=2, tol=0.0, random_state=0).fit(X)
    assert model.n_iter_ == 2
    assert len(model.history_) >= 2  # and one more where taking out a cluster raised the bound
    assert not model.converged_


@pytest.mark.parametrize("inference", ["vb", "cvb"])
def test_sample_weight_is_the_object_repeated(inference, rng):
    X = noisy_ensemble(missing=0.2).X
    times = rng.integers(1, 4, size=len(X))
    options = {"truncation": 6, "n_init": 3, "random_state": 0, "tol": 1e-8, "max_iter": 3000}
    once = NBCE(inference, **options).fit(X, sample_weight=times)
    long = NBCE(inference, **options).fit(np.repeat(X, times, axis=0))
    assert once.lower_bound_ == pytest.approx(long.lower_bound_, rel=1e-8)
    assert np.allclose(np.repeat(once.membership_, times, axis=0), long.membership_, atol=1e-5)


@pytest.mark.parametrize("inference", ["vb", "cvb"])
def test_equal_rows_have_equal_membership(inference, X):
    model = NBCE(inference, truncation=6, n_init=2, random_state=0).fit(np.vstack([X, X[:9]]))
    assert np.array_equal(model.membership_[:9], model.membership_[len(X) :])


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
