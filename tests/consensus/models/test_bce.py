"""Bayesian cluster ensembles: single steps against their definition, several sites, and what a fit hands out."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import psi
from scipy.stats import beta as beta_distribution
from sklearn.exceptions import ConvergenceWarning

from partita import BCE, _runs
from partita._kernels import bce as kernels
from partita.consensus.models import _bce_steps as module
from partita.consensus.models._bce_steps import settle
from partita.consensus.models._dirichlet import gradient, maximise_alpha
from partita.exceptions import FewerClustersWarning, UnlabelledObjectsWarning
from tests import twins
from tests.consensus.models.bce_problems import EXACT, expect, problem_of, random_beta, state_of, tables_of, update
from tests.ensembles import noisy_ensemble

# single steps: E-step, M-step and bound


def highest_bounds(problem, state):
    """The best of all clusters alike and of each cluster alone as the start of every row."""
    starts = [module.flat_gamma(problem, state.alpha)]
    for h in range(len(state.alpha)):
        starts.append(np.tile(state.alpha, (len(starts[0]), 1)))
        starts[-1][:, h] += problem.observed_weight
    return np.max([settle(problem, state, gamma)[1] for gamma in starts], axis=0)


def test_digamma_is_scipys():
    x = np.concatenate([np.geomspace(kernels.SMALLEST_ALPHA, 1e8, 3000), [7.999999999, 8.0, 8.000000001, 1.4616321449]])
    ours = np.array([kernels.digamma(value) for value in x])
    assert np.allclose(ours, psi(x), rtol=2e-14, atol=2e-14)
    ours = np.array([kernels.exp_digamma(value) for value in x])
    assert (ours > 0).all()
    assert np.allclose(ours, np.exp(psi(x)), rtol=2e-14 * np.maximum(1, np.abs(psi(x))), atol=0)


@pytest.mark.parametrize(("n_steps", "tol"), [(0, 0.0), (1, 0.0), (5, 0.0), (20_000, 1e-13)])
@pytest.mark.parametrize("scale", [0.05, 1.0])
def test_e_step_is_the_twins(n_steps, tol, scale, rng):
    X = noisy_ensemble(missing=0.3, n_clusterings=6).X[:25]
    weights, row_weights = rng.random(6) + 0.3, rng.random(len(X)) + 0.5
    weights[2] = 1.0
    alpha, beta = scale * (rng.random(3) + 0.5), random_beta(X.max(axis=0) + 1, 3, rng)
    problem = problem_of(X, weights=weights, row_weights=row_weights)
    gamma, bounds, sums = expect(problem, state_of(alpha, beta), n_steps=n_steps, tol=tol)
    labels, log_theta = [np.zeros_like(b) for b in beta], np.zeros(3)
    for i, row in enumerate(X):
        start = alpha + weights[row >= 0].sum() / 3
        g, phi, bound = twins.membership_row(row, alpha, beta, weights, start, n_steps=n_steps, tol=tol)
        assert np.allclose(gamma[i], g, rtol=1e-9)
        assert bounds[i] == pytest.approx(bound, rel=1e-10)
        log_theta += row_weights[i] * (psi(g) - psi(g.sum()))
        for j, p in zip(np.flatnonzero(row >= 0), phi, strict=True):
            labels[j][:, row[j]] += row_weights[i] * p
    assert sums.bound[0] == pytest.approx(row_weights @ bounds, rel=1e-12)
    assert np.allclose(sums.log_theta, log_theta, rtol=1e-9)
    assert np.allclose(np.hstack(tables_of(sums.labels, problem)), np.hstack(labels), rtol=1e-8, atol=1e-12)


def test_impossible_labels_do_no_harm():
    """Every label is possible in one cluster only, and not all labels of a row in the same."""
    beta = [np.eye(3) for _ in range(4)]
    X = np.array([[0, 1, 2, 0], [0, 0, 0, 0], [2, -1, -1, -1], [1, 1, 2, 2], [0, 2, 0, 1]])
    alpha = np.full(3, kernels.SMALLEST_ALPHA)
    gamma, bounds, _ = expect(problem_of(X), state_of(alpha, beta), **EXACT)
    assert np.allclose(gamma, alpha + (X[:, :, None] == np.arange(3)).sum(axis=1))
    exact = [twins.log_evidence_by_enumeration(row, alpha, beta) for row in X]
    assert np.allclose(bounds, exact)  # there is one possible z: q is the posterior


@pytest.mark.parametrize("scale", [0.01, 0.3, 3.0])
def test_bound_is_below_the_evidence(scale, rng):
    X = np.where(rng.random((20, 5)) < 0.2, -1, rng.integers(0, 3, size=(20, 5)))
    X[0] = 2
    beta, alpha = random_beta([3] * 5, 3, rng, 0.5), scale * (rng.random(3) + 0.5)
    problem, state = problem_of(X), state_of(alpha, beta)
    bounds, best = expect(problem, state, **EXACT)[1], highest_bounds(problem, state)
    for i, row in enumerate(X):
        evidence = twins.log_evidence_by_enumeration(row, alpha, beta)
        assert twins.log_evidence_by_counts(row, alpha, beta) == pytest.approx(evidence, rel=1e-10, abs=1e-12)
        assert bounds[i] <= evidence + 1e-12
        assert bounds[i] - 1e-8 <= best[i] <= evidence + 1e-12
        assert best[i] > evidence - 3


def test_bound_of_real_weights_is_below_the_integral(rng):
    X, weights = rng.integers(0, 3, size=(8, 4)), np.array([0.4, 1.7, 2.5, 1.0])
    X[0] = 2
    alpha, beta = np.array([0.8, 1.3]), random_beta([3] * 4, 2, rng)
    bounds = expect(problem_of(X, weights=weights), state_of(alpha, beta), **EXACT)[1]

    def integrand(t, row):
        mixed = [t * beta[j][0, row[j]] + (1 - t) * beta[j][1, row[j]] for j in range(4)]
        return beta_distribution.pdf(t, *alpha) * np.prod(np.array(mixed) ** weights)

    for row, bound in zip(X, bounds, strict=True):
        evidence = np.log(quad(integrand, 0, 1, args=(row,), limit=200)[0])
        assert evidence - 1 < bound < evidence


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_integer_weight_is_the_clustering_repeated(smoothing, rng):
    X, weights = noisy_ensemble(missing=0.2, n_clusterings=5).X, np.array([1, 3, 2, 1, 2])
    beta = random_beta(X.max(axis=0) + 1, 3, rng)
    narrow, wide = (
        problem_of(X, weights=weights, smoothing=smoothing),
        problem_of(np.repeat(X, weights, axis=1), smoothing=smoothing),
    )
    copies = np.repeat(np.arange(5), weights)
    state, wide_state = state_of([0.3, 0.5, 0.2], beta), state_of([0.3, 0.5, 0.2], [beta[j] for j in copies])
    gamma = wide_gamma = None
    for _ in range(4):
        gamma, bounds, sums = expect(narrow, state, gamma, n_steps=7, tol=0.0)
        wide_gamma, wide_bounds, wide_sums = expect(wide, wide_state, wide_gamma, n_steps=7, tol=0.0)
        assert np.allclose(gamma, wide_gamma, rtol=1e-8)
        assert np.allclose(bounds, wide_bounds, rtol=1e-10)
        penalised = module.penalised_bound(state, sums, narrow.columns)
        assert penalised == pytest.approx(module.penalised_bound(wide_state, wide_sums, wide.columns), rel=1e-10)
        state, wide_state = update(narrow, state, sums), update(wide, wide_state, wide_sums)
        assert np.allclose(state.alpha, wide_state.alpha, rtol=1e-7)
        tables = tables_of(state.table, narrow)
        assert np.allclose(
            np.hstack([tables[j] for j in copies]), np.hstack(tables_of(wide_state.table, wide)), atol=1e-9
        )


def test_m_step_gives_shares_of_phi_and_the_best_alpha(rng):
    X = noisy_ensemble(missing=0.3, n_clusterings=5).X
    weights, row_weights = rng.random(5) + 0.2, rng.random(len(X)) + 0.1
    problem = problem_of(X, weights=weights, row_weights=row_weights)
    alpha, beta = np.array([0.4, 0.6, 0.3]), random_beta(X.max(axis=0) + 1, 3, rng)
    gamma, _, sums = expect(problem, state_of(alpha, beta), **EXACT)
    new = update(problem, state_of(alpha, beta), sums)
    for j, table in enumerate(tables_of(new.table, problem)):
        mass = np.zeros_like(table)
        for i in np.flatnonzero(X[:, j] >= 0):
            phi = beta[j][:, X[i, j]] * np.exp(psi(gamma[i]))
            mass[:, X[i, j]] += row_weights[i] * phi / phi.sum()
        assert np.allclose(table, mass / mass.sum(axis=1, keepdims=True), atol=1e-10)
    e = row_weights @ (psi(gamma) - psi(gamma.sum(axis=1, keepdims=True)))
    assert np.allclose(gradient(new.alpha, e, row_weights.sum()), 0, atol=1e-5)


def test_cluster_without_labels_keeps_its_probabilities(rng):
    problem = problem_of(np.array([[0, 1], [1, 0], [1, 1]]))
    state = state_of([1.0, 1.0, 1.0], random_beta([2, 2], 3, rng))
    labels = rng.random((4, 3))
    labels[:2, 1] = 0
    sums = kernels.MembershipSums(labels, np.zeros((3, 0, 3)), np.array([-3.0, -4.0, -5.0]), np.zeros(1))
    new = update(problem, state, sums)
    assert np.array_equal(new.table[:2, 1], state.table[:2, 1])
    assert np.allclose(new.table[2:, 1], labels[2:, 1] / labels[2:, 1].sum())


@pytest.mark.parametrize("n_steps", [1, 5])
def test_warm_started_e_step_never_lowers_the_bound_of_a_row(n_steps, rng):
    X = noisy_ensemble(missing=0.2, flip=0.3).X
    problem, state = problem_of(X), state_of(np.full(4, 0.1), random_beta(X.max(axis=0) + 1, 4, rng))
    gamma, bounds, sums = expect(problem, state, n_steps=n_steps, tol=0.0)
    for _ in range(30):
        before = bounds
        gamma, bounds, sums = expect(problem, state, gamma, n_steps=n_steps, tol=0.0)
        assert (bounds >= before - 1e-10).all()
        state = update(problem, state, sums)
        after = expect(problem, state, gamma, n_steps=0, tol=0.0)[2]  # what the M-step alone does
        assert after.bound[0] >= sums.bound[0] - 1e-9
        gamma, bounds, sums = expect(problem, state, gamma, n_steps=n_steps, tol=0.0)
        assert sums.bound[0] >= after.bound[0] - 1e-9


def test_statistics_add_over_blocks_in_any_order(rng):
    X = noisy_ensemble(missing=0.2).X
    row_weights = rng.random(len(X))
    state = state_of([0.2, 0.5, 1.0], random_beta(X.max(axis=0) + 1, 3, rng))
    whole = expect(problem_of(X, row_weights=row_weights), state, n_steps=9, tol=0.0)
    order = rng.permutation(len(X))
    shuffled = problem_of(X[order], row_weights=row_weights[order])
    gamma, bounds = module.flat_gamma(shuffled, state.alpha), np.empty(len(X))
    blocks = ((40, len(X)), (0, 15), (15, 40))
    parts = module.add_sums(
        module.e_step_block(shuffled, state, block, gamma=gamma, bounds=bounds, n_steps=9, tol=0.0) for block in blocks
    )
    for one, other in zip(whole[2], parts, strict=True):
        assert np.allclose(one, other, rtol=1e-10)
    assert np.array_equal(whole[0][order], gamma)
    assert np.array_equal(whole[1][order], bounds)


def test_evidence_has_the_mixture_and_independence_as_limits(rng):
    pi, beta = np.array([0.5, 0.3, 0.2]), random_beta([3] * 4, 3, rng)
    for row in rng.integers(0, 3, size=(6, 4)):
        local = np.array([beta[j][:, label] for j, label in enumerate(row)])
        mixture, independent = np.log(pi @ local.prod(axis=0)), np.log((local @ pi).prod())
        assert twins.log_evidence_by_counts(row, 1e-7 * pi, beta) == pytest.approx(mixture, abs=1e-5)
        assert twins.log_evidence_by_counts(row, 1e7 * pi, beta) == pytest.approx(independent, abs=1e-5)
        bound = expect(problem_of(np.vstack([row, np.full(4, 2)])), state_of(1e4 * pi, beta), **EXACT)[1][0]
        assert bound == pytest.approx(independent, abs=1e-3)


def test_bound_of_small_alpha_is_that_of_the_likeliest_component(rng):
    pi, beta = np.array([0.5, 0.3, 0.2]), random_beta([3] * 6, 3, rng)
    X = np.vstack([rng.integers(0, 3, size=(10, 6)), np.full(6, 2)])
    likeliest = (np.log(pi) + sum(np.log(beta[j][:, X[:, j]].T) for j in range(6))).max(axis=1)
    gaps = [np.abs(highest_bounds(problem_of(X), state_of(s * pi, beta)) - likeliest).max() for s in (1.0, 0.1, 0.01)]
    assert gaps[0] > 4 * gaps[1] > 16 * gaps[2]
    assert gaps[2] < 0.05


def test_bound_of_small_alpha_rises_to_the_mixture_where_one_component_dominates():
    pi, beta = np.array([0.5, 0.3, 0.2]), [np.full((3, 3), 0.02) + 0.94 * np.eye(3)] * 6
    X = np.array([[0] * 6, [1] * 6, [2] * 6, [2, 2, 2, -1, 2, 0]])
    mixture = twins.mixture_posterior(X, pi, beta, np.ones(6))[1]
    gaps = []
    for scale in (0.1, 0.03, 0.01):
        bounds = highest_bounds(problem_of(X), state_of(scale * pi, beta))
        evidence = [twins.log_evidence_by_counts(row, scale * pi, beta) for row in X]
        assert (bounds <= np.array(evidence) + 1e-9).all()
        gaps.append(np.abs(mixture - bounds))
    assert (gaps[2] < gaps[1]).all()
    assert (gaps[1] < gaps[0]).all()
    assert gaps[2].max() < 0.05


# rows or columns in several places (eqs. M48, M50)


def em(problem, state, parts, n_iter=6):
    """EM with the rows at several sites: each makes the statistics of its own rows, and only those are added up."""
    gamma = module.flat_gamma(problem, state.alpha)
    bounds = np.empty(len(gamma))
    for _ in range(n_iter):
        sums = [
            module.e_step_block(problem, state, part, gamma=gamma, bounds=bounds, n_steps=20, tol=0.0) for part in parts
        ]
        state = update(problem, state, module.add_sums(sums))
    return state, gamma


@pytest.mark.parametrize("n_sites", [1, 2, 3, 4, 5])
def test_rows_at_several_sites_give_the_same_as_together(n_sites, rng):
    X = noisy_ensemble(flip=0.3).X
    problem = problem_of(X)
    state = state_of(np.ones(3), random_beta(X.max(axis=0) + 1, 3, rng))
    edges = np.linspace(0, len(X), n_sites + 1).astype(int)
    parts = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    together, gamma = em(problem, state, [(0, len(X))])
    apart, gamma_apart = em(problem, state, [parts[i] for i in rng.permutation(n_sites)])
    assert np.allclose(together.alpha, apart.alpha, rtol=1e-10)
    assert np.allclose(together.table, apart.table, rtol=1e-10, atol=1e-14)
    assert np.allclose(gamma, gamma_apart, rtol=1e-10)


def test_columns_at_several_clients_give_the_same_as_together(rng):
    """Every client sends what its clusters give to each object's label, and receives phi of its column alone."""
    X = noisy_ensemble(flip=0.3, missing=0.0).X
    n, m = X.shape
    beta = random_beta(X.max(axis=0) + 1, 3, rng)
    problem, state = problem_of(X), state_of(np.ones(3), beta)
    centre, gamma = em(problem, state, [(0, n)], n_iter=1)
    server = problem_of(
        np.tile(np.arange(n)[:, None], m)
    )  # the label of an object is its number, so names of labels stay with the clients
    sent = state_of(np.ones(3), [b[:, X[:, j]] for j, b in enumerate(beta)])
    own = module.flat_gamma(server, sent.alpha)
    sums = module.e_step_block(server, sent, (0, n), gamma=own, bounds=np.empty(n), n_steps=20, tol=0.0)
    assert np.allclose(own, gamma, rtol=1e-12)
    for j, phi in enumerate(np.split(sums.labels, m)):
        mass = np.array([phi[X[:, j] == label].sum(axis=0) for label in range(X[:, j].max() + 1)])
        first = problem.columns.layout.first_cell[j]
        assert np.allclose(mass / mass.sum(axis=0), centre.table[first : first + len(mass)], rtol=1e-10)
    assert np.allclose(maximise_alpha(sent.alpha, sums.log_theta, float(n)), centre.alpha, rtol=1e-10)


# fits


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
    """Their own label is unknown to the fit: it counts as missing, also in gamma."""
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
    with pytest.warns(FewerClustersWarning, match="n_clusters=6 exceeds the 3 distinct rows"):
        model = BCE(6, init=init, random_state=0).fit(X)
    assert model.membership_.shape == (10, 3)
    assert np.isfinite(np.hstack(model.beta_)).all()
    assert len(np.unique(model.labels_)) == 3


@pytest.mark.parametrize("smoothing", [0.0, 0.01])
def test_starts_that_compete_on_a_sample_end_as_high(smoothing, monkeypatch):
    X = noisy_ensemble(sizes=(150, 100, 60), flip=0.2).X
    everything = BCE(3, smoothing=smoothing, n_init=4, random_state=0).fit(X)
    monkeypatch.setattr(_runs, "SAMPLE_SIZE", 75)
    sampled = BCE(3, smoothing=smoothing, n_init=4, random_state=0).fit(X)
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
    monkeypatch.setattr(_runs, "_BLOCK", 1)
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
