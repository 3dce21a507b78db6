"""Generalised Bayesian cluster ensembles: single steps against their definition; weights, units, objects, threads."""

import pickle
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import gammaln, logsumexp, psi
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV

from partita import BCE, GBCE, _runs
from partita._kernels.families import GAUSSIAN
from partita.consensus.models import _bce_steps as module
from partita.exceptions import UnlabelledObjectsWarning
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

# single steps with features: E-step, M-step and bound


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


# features that do not count


def assert_same_fit(one, other):
    assert one.history_ == pytest.approx(other.history_, rel=1e-12)
    assert np.allclose(one.alpha_, other.alpha_, rtol=1e-12)
    assert np.allclose(np.hstack(one.beta_), np.hstack(other.beta_), atol=1e-12)
    assert np.allclose(one.membership_, other.membership_, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "features"),
    [
        ({}, None),
        ({"feature_weights": 0}, np.arange(62, dtype=float)[:, None]),
        ({}, np.full((62, 2), np.nan)),
        ({"families": ["categorical", "poisson"]}, np.full((62, 2), None)),
        ({"feature_weights": [0, 1]}, [[1.0, None]] * 62),
    ],
    ids=["no features", "weight 0", "NaN", "None", "weight 0 and NaN"],
)
def test_features_that_do_not_count_leave_bce(options, features, X):
    plain = BCE(3, n_init=3, random_state=0).fit(X)
    model = GBCE(3, n_init=3, random_state=0, **options).fit(X, features=features)
    assert_same_fit(model, plain)
    assert np.allclose(model.gamma_, plain.gamma_, rtol=1e-12)
    assert np.array_equal(model.predict(X), plain.predict(X))
    assert model.feature_parameters_ == []
    weights = np.linspace(0.5, 1.5, X.shape[1])
    weighted = GBCE(3, n_init=3, random_state=0, label_weights=weights, **options).fit(X, features=features)
    assert_same_fit(weighted, BCE(3, n_init=3, weights=weights, random_state=0).fit(X))


def test_feature_of_weight_zero_is_as_absent(truth, X, rng):
    F = noisy_features(truth, rng)
    model = GBCE(3, feature_weights=[1, 0, 0, 2], n_init=2, random_state=0).fit(X, features=F)
    plain = GBCE(3, feature_weights=[1, 2], n_init=2, random_state=0).fit(X, features=F[:, [0, 3]])
    assert_same_fit(model, plain)
    assert np.isnan(model.feature_parameters_[1]["mean"]).all()
    assert np.isnan(model.feature_parameters_[2]["variance"]).all()
    assert np.array_equal(model.feature_parameters_[0]["mean"], plain.feature_parameters_[0]["mean"])


# fits


@pytest.fixture(scope="module")
def fitted():
    X, truth = noisy_ensemble(missing=0.3, flip=0.3, n_clusterings=6)
    F = noisy_features(truth, np.random.default_rng(1))
    X[5] = -1
    families = ["gaussian", "gaussian", "poisson", "bernoulli"]
    options = {"families": families, "feature_weights": [1.0, 0.5, 1.0, 2.0], "label_weights": 1.5}
    model = GBCE(3, n_init=4, tol=1e-9, max_iter=5000, random_state=0, **options)
    return X, F, options, model.fit(X, features=F)


def test_history_never_falls(fitted):
    *_, model = fitted
    assert model.converged_
    assert model.n_iter_ == len(model.history_)
    assert model.lower_bound_ == model.history_[-1]
    assert (np.diff(model.history_) >= -1e-9 * abs(model.lower_bound_)).all()


def slow_problem(fitted):
    """The fitted model in the units of the features, as the slow functions need it."""
    X, F, options, model = fitted
    problem = problem_of(X, F, np.full(6, options["label_weights"]), options["feature_weights"])
    location, spread = [], []
    for parameters in model.feature_parameters_:
        values = [value for name, value in parameters.items() if name not in ("name", "family")]
        location.append(values[0])
        spread.append(values[1] if len(values) == 2 else np.ones(3))
    table = np.vstack([beta.T for beta in model.beta_])
    return problem, module.BCEState(model.alpha_, table, np.array(location), np.array(spread))


def test_parameters_are_in_the_units_of_the_features(fitted):
    """One more round of the slow steps, in these units, leaves gamma and the parameters where they are."""
    X, F, _, model = fitted
    problem, state = slow_problem(fitted)
    mass, first, second = np.zeros((3, 4, 3))
    for i in range(len(X)):
        logs, u, names = local_logs(X[i], F[i], problem, state)
        gamma, phi, _ = settle_slowly(logs, u, state.alpha, model.gamma_[i], 500)
        assert np.allclose(gamma, model.gamma_[i], atol=1e-4)
        assert model.gamma_[i].sum() == pytest.approx(model.alpha_.sum() + u.sum())
        for (kind, d), p in zip(names, phi, strict=True):
            if kind == "feature":
                mass[d] += p
                first[d] += p * F[i, d]
                second[d] += p * F[i, d] ** 2
    assert np.allclose(state.location, first / mass, atol=2e-3)
    assert np.allclose(state.spread[:2], (second / mass - (first / mass) ** 2)[:2], atol=2e-3)
    assert [p["name"] for p in model.feature_parameters_] == ["c0", "c1", "c2", "c3"]
    assert [p["family"] for p in model.feature_parameters_] == ["gaussian", "gaussian", "poisson", "bernoulli"]


def test_lower_bound_is_that_of_the_standardised_features(fitted):
    X, F, options, model = fitted
    problem, state = slow_problem(fitted)
    total = 0.0
    for x, y, gamma in zip(X, F, model.gamma_, strict=True):
        logs, u, _ = local_logs(x, y, problem, state)
        total += settle_slowly(logs, u, state.alpha, gamma, 0)[2]
    for d in range(2):  # a density is per unit
        total += options["feature_weights"][d] * (~np.isnan(F[:, d])).sum() * np.log(np.nanstd(F[:, d]))
    assert model.lower_bound_ == pytest.approx(total, rel=1e-6)


def test_fitted_objects_are_placed_where_they_are(fitted):
    X, F, _, model = fitted
    assert np.array_equal(model.labels_, model.membership_.argmax(axis=1))
    assert np.array_equal(model.predict(X, features=F), model.labels_)
    assert np.allclose(model.predict_proba(X, features=F), model.membership_, atol=1e-4)
    assert model.score_samples(X, features=F).sum() == pytest.approx(model.lower_bound_, rel=1e-6)
    weight = np.arange(len(X)) % 3
    scores = model.score_samples(X, features=F)
    assert model.score(X, features=F, sample_weight=weight) == pytest.approx(np.average(scores, weights=weight))


def test_new_objects_without_features_are_placed_by_labels(fitted):
    X, F, _, model = fitted
    problem, state = slow_problem(fitted)
    membership, scores = model.predict_proba(X), model.score_samples(X)
    for i, x in enumerate(X):
        logs, u, _ = local_logs(x, np.full(4, np.nan), problem, state)
        gamma, _, bound = settle_slowly(logs, u, state.alpha, state.alpha + u.sum() / 3, 2000)
        assert np.allclose(membership[i], gamma / gamma.sum(), atol=1e-4)
        assert scores[i] == pytest.approx(bound, rel=1e-6, abs=1e-9)
    assert model.predict(X)[5] == -1
    assert np.allclose(membership[5], model.alpha_ / model.alpha_.sum())
    assert np.allclose(model.predict_proba(X, features=np.full_like(F, np.nan)), membership, atol=1e-12)


def test_objects_are_placed_by_features_alone(fitted):
    X, F, _, model = fitted
    empty = np.full_like(X, -1)
    membership = model.predict_proba(empty, features=F)
    assert model.predict(empty, features=F)[5] == model.labels_[5]
    assert np.allclose(membership[5], model.membership_[5], atol=1e-4)
    assert (model.predict(empty, features=np.full_like(F, np.nan)) == -1).all()
    assert np.allclose(model.score_samples(empty, features=np.full_like(F, np.nan)), 0, atol=1e-10)
    assert (membership[~np.isnan(F).all(axis=1)].max(axis=1) > model.alpha_.max() / model.alpha_.sum()).mean() > 0.5


def test_default_weight_of_labels_is_the_number_of_features(truth, X, rng):
    F, weights = noisy_features(truth, rng), np.linspace(0.5, 1.5, X.shape[1])
    options = {"feature_weights": [1.0, 0.3, 0.0, 1.0], "n_init": 2, "random_state": 0}
    default = GBCE(3, **options).fit(X, features=F)
    given = GBCE(3, label_weights=3, **options).fit(X, features=F)
    assert_same_fit(default, given)
    relative = GBCE(3, weights=weights, **options).fit(X, features=F)
    given = GBCE(3, label_weights=3 * weights, **options).fit(X, features=F)
    assert_same_fit(relative, given)
    seen = ~np.isnan(F) @ [1.0, 0.3, 0.0, 1.0]
    assert np.allclose(default.gamma_.sum(axis=1), default.alpha_.sum() + 3 * (X >= 0).sum(axis=1) + seen)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_units_of_features_do_not_matter(missing, truth, X, rng):
    F = noisy_features(truth, rng, missing)[:, :2]
    plain = GBCE(3, n_init=2, random_state=0).fit(X, features=F)
    other = GBCE(3, n_init=2, random_state=0).fit(X, features=F * [1e3, -0.01] + [5.0, 1e3])
    assert np.allclose(plain.history_, other.history_, rtol=1e-9)
    assert np.allclose(plain.membership_, other.membership_, atol=1e-6)
    for ours, theirs, scale, shift in zip(
        plain.feature_parameters_, other.feature_parameters_, [1e3, -0.01], [5.0, 1e3], strict=True
    ):
        assert np.allclose(ours["mean"] * scale + shift, theirs["mean"], rtol=1e-6)
        assert np.allclose(ours["variance"] * scale**2, theirs["variance"], rtol=1e-5)


def test_without_standardisation_the_bound_is_in_the_units(truth, X, rng):
    F = 10 * noisy_features(truth, rng)[:, :2]
    options = {"n_init": 2, "tol": 1e-9, "max_iter": 5000, "random_state": 0}
    plain = GBCE(3, **options).fit(X, features=F)
    raw = GBCE(3, standardize=False, **options).fit(X, features=F)
    shift = ((~np.isnan(F)).sum(axis=0) * np.log(np.nanstd(F, axis=0))).sum()
    assert raw.lower_bound_ + shift == pytest.approx(plain.lower_bound_, rel=1e-5)
    assert np.array_equal(raw.labels_, plain.labels_)
    assert np.allclose(raw.feature_parameters_[0]["mean"], plain.feature_parameters_[0]["mean"], rtol=1e-2)


def test_variance_has_a_floor(truth, X):
    F = np.column_stack([truth.astype(float), np.full(len(truth), 7.0)])
    model = GBCE(3, n_init=2, random_state=0).fit(X, features=F)
    steps_, constant = model.feature_parameters_
    assert np.allclose(steps_["variance"], 1e-6 * F[:, 0].var(), rtol=1e-6)
    assert np.allclose(steps_["mean"], [0, 1, 2], atol=1e-3)
    assert np.allclose(constant["mean"], 7)
    assert (constant["variance"] > 0).all()
    assert np.isfinite(model.history_).all()


def test_recovers_structure_from_features_where_labels_are_poor(rng):
    X, truth = noisy_ensemble(sizes=(60, 50, 40), flip=0.8, n_clusterings=4)
    F = np.column_stack([4.0 * (truth == 1), 4.0 * (truth == 2)]) + rng.normal(size=(150, 2))
    labels_alone = BCE(3, random_state=0).fit(X)
    model = GBCE(3, feature_weights=4, label_weights=1, random_state=0).fit(X, features=F)
    assert adjusted_rand_score(truth, labels_alone.labels_) < 0.3
    assert adjusted_rand_score(truth, model.labels_) > 0.8


def test_more_weight_of_features_is_more_influence(rng):
    """Labels and features that disagree: the weights decide."""
    labels, of_features = np.repeat([0, 1], 40), np.tile([0, 1], 40)
    X, F = np.tile(labels[:, None], 4), 5.0 * of_features[:, None] + rng.normal(size=(80, 1))
    strong, weak = (GBCE(2, feature_weights=u, label_weights=1, random_state=0).fit(X, features=F) for u in (50, 0.1))
    assert adjusted_rand_score(labels, weak.labels_) == 1
    assert adjusted_rand_score(of_features, strong.labels_) > 0.9


# objects


def test_object_with_features_and_no_label_takes_part(truth, X, rng):
    F = np.column_stack([3.0 * truth, -3.0 * truth]) + 0.3 * rng.normal(size=(62, 2))
    X, F = X.copy(), F.copy()
    X[[3, 8]] = -1
    F[8] = np.nan
    with pytest.warns(UnlabelledObjectsWarning, match="1 of 62 objects"):
        model = GBCE(3, n_init=3, random_state=0).fit(X, features=F)
    plain = GBCE(3, n_init=3, random_state=0).fit(np.delete(X, 8, axis=0), features=np.delete(F, 8, axis=0))
    assert model.labels_[8] == -1
    assert np.allclose(model.membership_[8], model.alpha_ / model.alpha_.sum())
    assert np.array_equal(np.delete(model.labels_, 8), plain.labels_)
    assert model.history_ == plain.history_
    others = np.delete(np.arange(62), [3, 8])
    same_class = others[truth[others] == truth[3]]
    assert model.labels_[3] == np.bincount(model.labels_[same_class]).argmax()


def test_object_without_weight_is_placed_by_its_features(truth, X, rng):
    F = 3.0 * truth[:, None] + 0.3 * rng.normal(size=(62, 1))
    F[0] = 3.0 * ((truth[0] + 1) % 3)
    weight = np.ones(62)
    weight[0] = 0
    plain = GBCE(3, n_init=2, random_state=0).fit(X[1:], features=F[1:])
    unlabelled = X.copy()
    unlabelled[0] = -1
    for labels in (X, unlabelled):
        model = GBCE(3, n_init=2, random_state=0).fit(labels, sample_weight=weight, features=F)
        assert np.allclose(model.membership_[1:], plain.membership_, atol=1e-9)
        assert model.labels_[0] == plain.predict(labels[:1], features=F[:1])[0]
        assert np.allclose(model.membership_[0], plain.predict_proba(labels[:1], features=F[:1])[0], atol=1e-9)
        assert model.gamma_[0].sum() == pytest.approx(model.alpha_.sum() + 1 + (labels[0] >= 0).sum())


def test_object_without_weight_has_no_influence_however_far_it_is(truth, X, rng):
    F = 3.0 * truth[:, None] + rng.normal(size=(62, 1))
    plain = GBCE(3, n_init=2, random_state=0).fit(X, features=F)
    weight = np.append(np.ones(62), 0)
    model = GBCE(3, n_init=2, random_state=0).fit(
        np.vstack([X, X[:1]]), sample_weight=weight, features=np.vstack([F, [[1e6]]])
    )
    assert np.allclose(model.feature_parameters_[0]["variance"], plain.feature_parameters_[0]["variance"], rtol=1e-6)
    assert np.allclose(model.membership_[:62], plain.membership_, atol=1e-6)


def test_category_that_only_an_object_without_weight_has_is_missing(truth, X):
    names = np.append(np.array(["a", "b", "c"], dtype=object)[truth], "never")[:, None]
    weight = np.append(np.ones(62), 0)
    model = GBCE(3, n_init=2, random_state=0).fit(np.vstack([X, X[:1]]), sample_weight=weight, features=names)
    plain = GBCE(3, n_init=2, random_state=0).fit(X, features=names[:62])
    expected = plain.predict_proba(X[:1], features=[[None]])[0]
    assert np.allclose(model.membership_[62], expected, atol=1e-6)
    assert model.gamma_[62].sum() == pytest.approx(model.alpha_.sum() + (X[0] >= 0).sum())


def test_labels_without_weight_are_refused(truth, X):
    with pytest.raises(ValueError, match="label_weights is zero everywhere; at least one clustering must count"):
        GBCE(3, label_weights=0).fit(X, features=truth[:, None])


def test_weights_too_large_to_multiply_are_refused_without_a_warning(truth, X):
    with pytest.raises(ValueError, match="adds up to inf"):
        GBCE(3, weights=np.full(X.shape[1], 1e307)).fit(X, features=np.tile(truth.astype(float)[:, None], 20))


# many objects, threads


def test_starts_that_compete_on_a_sample_end_as_high(rng, monkeypatch):
    X, truth = noisy_ensemble(sizes=(150, 100, 60), flip=0.2)
    F = noisy_features(truth, rng)
    families = ["gaussian", "gaussian", "poisson", "bernoulli"]
    options = {"families": families, "n_init": 4, "random_state": 0}
    everything = GBCE(3, **options).fit(X, features=F)
    monkeypatch.setattr(_runs, "SAMPLE_SIZE", 70)
    sampled = GBCE(3, **options).fit(X, features=F)
    assert sampled.history_ != everything.history_
    assert sampled.converged_
    assert (np.diff(sampled.history_) >= -1e-9 * abs(sampled.lower_bound_)).all()
    assert sampled.lower_bound_ == pytest.approx(everything.lower_bound_, rel=0.03)


@pytest.mark.parametrize("seed", [0, 2])  # the sample has the feature, and lacks it
@pytest.mark.parametrize("family", ["gaussian", "poisson", "bernoulli", "categorical"])
def test_feature_that_a_sample_lacks_does_no_harm(family, seed, monkeypatch):
    X, truth = noisy_ensemble(sizes=(150, 100, 60), flip=0.2)
    rare = np.full((len(X), 1), np.nan)
    rare[[7, 200]] = [[0.0], [1.0]]
    monkeypatch.setattr(_runs, "SAMPLE_SIZE", 30)
    model = GBCE(3, families=family, n_init=2, random_state=seed).fit(X, features=rare)
    assert np.isfinite(model.history_).all()
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    values = model.feature_parameters_[0]
    assert all(np.isfinite(values[name]).all() for name in values.keys() - {"name", "family", "categories"})


def test_threads_change_no_bit(truth, X, rng, monkeypatch):
    F = noisy_features(truth, rng)
    monkeypatch.setattr(_runs, "_BLOCK", 1)
    one, many = (GBCE(3, n_init=3, random_state=0, n_jobs=n).fit(X, features=F) for n in (1, 3))
    assert one.history_ == many.history_
    assert np.array_equal(one.membership_, many.membership_)


# parameters of the constructor


@pytest.mark.parametrize("name", ["families", "feature_weights", "label_weights"])
def test_what_has_moved_to_the_constructor_is_refused_with_its_new_place(name, truth, X):
    message = rf"{name} is a parameter of the constructor now: GBCE\({name}=...\)"
    with pytest.raises(TypeError, match=message):
        GBCE(3).fit(X, features=truth[:, None], **{name: 1})
    with pytest.raises(TypeError, match=message):
        GBCE(3).fit_predict(X, features=truth[:, None], **{name: 1})


def test_unknown_arguments_of_fit_are_refused(X):
    with pytest.raises(TypeError, match=r"GBCE.fit\(\) got an unexpected keyword argument 'family'"):
        GBCE(3).fit(X, family="poisson")


def test_clone_keeps_families_and_weights(truth, X):
    counts = np.random.default_rng(0).poisson(1.0 + truth)[:, None]
    model = GBCE(3, families="poisson", feature_weights=[2.0], label_weights=1.5, n_init=1, random_state=0)
    one, other = model.fit(X, features=counts), clone(model).fit(X, features=counts)
    assert other.feature_parameters_[0]["family"] == "poisson"
    assert one.history_ == other.history_


def test_weights_of_features_can_be_searched(truth, X):
    F = 3.0 * truth[:, None] + np.random.default_rng(0).normal(size=(62, 1))
    search = GridSearchCV(GBCE(3, n_init=1, random_state=0), {"feature_weights": [0.5, 2.0]}, cv=2)
    search.fit(X, features=F)
    assert search.best_params_["feature_weights"] in (0.5, 2.0)
    assert search.best_estimator_.feature_parameters_[0]["family"] == "gaussian"


# what a fitted model keeps


def test_fitted_model_keeps_the_features_of_the_fitted_objects_once(truth, X, rng):
    F = noisy_features(truth, rng)
    model = GBCE(3, n_init=1, random_state=0).fit(X, features=F)
    assert not hasattr(model, "_values")
    arrays = [value for value in model._features if isinstance(value, np.ndarray)]
    assert all(len(array) <= F.shape[1] for array in arrays)
    assert model._columns.layout.n_rows == 0
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X, features=F), model.predict_proba(X, features=F))


def test_fit_that_fails_keeps_no_features(X):
    model = GBCE(3)
    with pytest.raises(ValueError, match="weights has"):
        model.set_params(weights=[1.0, 2.0]).fit(X, features=np.ones((62, 1)))
    assert not hasattr(model, "_values")


# labels that weigh much more than features, and features far away


@pytest.mark.parametrize("label_weight", [1.0, 1e3, 1e5, 1e8])
@pytest.mark.parametrize("family", ["gaussian", "poisson"])
def test_means_of_features_are_means_of_data_whatever_labels_weigh(label_weight, family):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(5, 40)), int(rng.integers(2, 5))
        X = rng.integers(0, 4, size=(n, 2))
        F = rng.normal(size=(n, 2)) if family == "gaussian" else rng.poisson(20 * rng.random((n, 1)), size=(n, 2))
        model = GBCE(k, families=family, label_weights=label_weight, n_init=2, random_state=0).fit(X, features=F)
        for column, parameters in zip(F.T, model.feature_parameters_, strict=True):
            mean = parameters["mean" if family == "gaussian" else "rate"]
            assert (mean >= column.min() - 1e-9).all()
            assert (mean <= column.max() + 1e-9).all()


def test_no_cluster_with_objects_loses_its_features_to_a_stretched_update():
    for seed in (0, 35, 49, 123, 143):
        rng = np.random.default_rng(seed)
        n, m, k = (int(rng.integers(low, high)) for low, high in ((4, 40), (1, 4), (2, 5)))
        X, F = rng.integers(0, rng.integers(2, 5), size=(n, m)), rng.normal(size=(n, int(rng.integers(1, 3))))
        model = GBCE(k, label_weights=10.0 ** rng.integers(3, 9), n_init=2, random_state=0).fit(X, features=F)
        size = np.bincount(model.labels_, minlength=model.membership_.shape[1])
        for column, parameters in zip(F.T, model.feature_parameters_, strict=True):
            logs = stats.norm.logpdf(column[:, None], parameters["mean"], np.sqrt(parameters["variance"]))
            logs += psi(model.gamma_)
            mass = np.exp(logs - logsumexp(logs, axis=1, keepdims=True)).sum(axis=0)
            assert (mass[size > 0] > 1e-6).all()


def placed_slowly(model, row, features):
    """Membership of a new object by the fixed point in logs, from the fitted parameters (eqs. M28, M41)."""
    columns = [(u, np.log(np.maximum(beta[:, label], 1e-300))) for u, beta, label in zip(
        model._placement.encoder.clustering_weights, model.beta_, row, strict=True)]  # fmt: skip
    for value, parameters in zip(features, model.feature_parameters_, strict=True):
        deviation = (value - parameters["mean"]) / np.sqrt(parameters["variance"])
        columns.append((1.0, -0.5 * deviation**2 - 0.5 * np.log(parameters["variance"])))
    u, logs = np.array([u for u, _ in columns]), np.array([log for _, log in columns])
    gamma = model.alpha_ + u.sum() / len(model.alpha_)
    for _ in range(2000):
        terms = logs + psi(gamma)
        gamma = model.alpha_ + u @ np.exp(terms - logsumexp(terms, axis=1, keepdims=True))
    return gamma / gamma.sum()


@pytest.mark.parametrize("far", [0.0, 50.0, 1e8, 1e40, 1e69])
def test_a_feature_far_away_is_placed_as_in_logs(far, truth, X, rng):
    F = noisy_features(truth, rng, missing=0.0)[:, :2] * [1.0, 1e-30]
    model = GBCE(3, smoothing=0.01, n_init=2, random_state=0).fit(X, features=F)
    row = np.where(X[:1] < 0, 1, X[:1])
    for features in ([far, 0.0], [-far, 1e-30], [0.0, 1e-30 + far]):
        found = model.predict_proba(row, features=[features])[0]
        assert np.allclose(found, placed_slowly(model, row[0], features), atol=1e-4)
        assert np.isfinite(model.score_samples(row, features=[features])).all()
