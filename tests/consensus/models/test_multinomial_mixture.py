"""The mixture of multinomials against sums written out (eqs. M10 to M14)."""

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.exceptions import ConvergenceWarning

from partita import BCE, MultinomialMixture, _runs
from partita._labels.ensemble import Ensemble, layout_of
from partita.consensus.models import _mixture as module
from partita.consensus.models._em import by_clustering
from partita.exceptions import EmptyColumnWarning, FewerClustersWarning, UnlabelledObjectsWarning
from tests import twins
from tests.ensembles import noisy_ensemble

both_variants = pytest.mark.parametrize("missing", ["ignore", "impute"])


def random_state(n_labels, k, rng):
    table = np.vstack([rng.dirichlet(np.ones(size), size=k).T for size in n_labels])
    return module.MixtureState(rng.dirichlet(np.ones(k)), table)


def split(state, layout):
    return by_clustering(state.table, layout, np.arange(len(state.pi)))


def ensemble_of(X, weights=None, row_weights=None):
    weights = np.ones(X.shape[1]) if weights is None else np.asarray(weights, dtype=float)
    row_weights = np.ones(len(X)) if row_weights is None else np.asarray(row_weights, dtype=float)
    return Ensemble(X.astype(np.int32), X.max(axis=0) + 1, weights, row_weights)


def step(state, X, weights=None, row_weights=None, *, impute=False):
    """One iteration by the functions of the module: new state, and statistics of the old one."""
    ensemble = ensemble_of(X, weights, row_weights)
    logs = module.log_tables(state, ensemble.cell_weights)
    stats = module.expect_block(module.as_rows(ensemble), *logs, (0, len(X)))
    return module.update_mixture(state, stats, ensemble.layout, module.MixtureModel(impute)), stats


def after(n_steps, state, *data, **options):
    for _ in range(n_steps):
        state, stats = step(state, *data, **options)
    return state, stats.log_likelihood


@pytest.mark.parametrize("impute", [False, True])
def test_one_iteration_is_the_twins(impute, rng):
    X = noisy_ensemble(missing=0.3).X
    weights, row_weights = rng.random(X.shape[1]) + 0.2, rng.random(len(X)) + 0.1
    layout = layout_of(X.max(axis=0) + 1)
    state = random_state(X.max(axis=0) + 1, 4, rng)
    new, stats = step(state, X, weights, row_weights, impute=impute)
    theta = split(state, layout)
    r, log_likelihood = twins.mixture_posterior(X, state.pi, theta, weights)
    pi, theta = twins.mixture_update(X, r, theta, row_weights, impute=impute)
    assert stats.log_likelihood == pytest.approx(row_weights @ log_likelihood, rel=1e-12)
    assert np.allclose(stats.mass, row_weights @ r, rtol=1e-10)
    assert np.allclose(new.pi, pi, rtol=1e-10)
    assert np.allclose(np.hstack(split(new, layout)), np.hstack(theta), atol=1e-12)


def test_fitted_likelihood_and_membership_are_the_direct_sum_over_components(rng):
    X = noisy_ensemble(missing=0.3, flip=0.3).X
    weights, row_weights = rng.random(X.shape[1]) + 0.5, rng.random(len(X)) + 0.5
    model = MultinomialMixture(3, weights=weights, random_state=0).fit(X, sample_weight=row_weights)
    r, log_likelihood = twins.mixture_posterior(X, model.weights_, model.theta_, weights)
    assert model.lower_bound_ == pytest.approx(row_weights @ log_likelihood, rel=1e-12)
    assert np.allclose(model.score_samples(X), log_likelihood, rtol=1e-12)
    assert np.allclose(model.membership_, r, atol=1e-10)


@both_variants
@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_likelihood_never_falls(missing, init, rng):
    X = noisy_ensemble(missing=0.4, flip=0.4).X
    weights = rng.random(X.shape[1]) + 0.2
    model = MultinomialMixture(4, missing=missing, init=init, weights=weights, n_init=2, random_state=0).fit(X)
    assert len(model.history_) == model.n_iter_ > 3
    assert (np.diff(model.history_) >= -1e-12 * abs(model.lower_bound_)).all()
    assert model.converged_


@both_variants
def test_both_variants_stop_where_the_other_does(missing, rng):
    X = noisy_ensemble(missing=0.3, flip=0.3).X
    state = random_state(X.max(axis=0) + 1, 3, rng)
    end, _ = after(1500, state, X, impute=missing == "impute")
    other, _ = step(end, X, impute=missing == "ignore")
    assert np.allclose(other.pi, end.pi, atol=1e-8)
    assert np.allclose(other.table, end.table, atol=1e-8)


def test_imputing_takes_more_iterations_to_the_same_likelihood():
    X = noisy_ensemble(missing=0.5).X
    ignore, impute = (
        MultinomialMixture(3, missing=v, n_init=1, keep_starts=True, tol=1e-10, random_state=0).fit(X)
        for v in ("ignore", "impute")
    )
    assert ignore.lower_bound_ == pytest.approx(impute.lower_bound_, rel=1e-6)
    assert ignore.n_iter_ < impute.n_iter_


@pytest.mark.parametrize("impute", [False, True])
def test_integer_weight_is_the_clustering_repeated(impute, rng):
    X = noisy_ensemble(missing=0.2, n_clusterings=6).X
    weights = np.array([1, 3, 1, 2, 1, 1])
    repeated = np.repeat(X, weights, axis=1)
    state = random_state(X.max(axis=0) + 1, 3, rng)
    cells = np.concatenate([np.tile(np.arange(3 * j, 3 * j + 3), w) for j, w in enumerate(weights)])
    wide = module.MixtureState(state.pi, state.table[cells])
    for _ in range(5):
        state, stats = step(state, X, weights.astype(float), impute=impute)
        wide, wide_stats = step(wide, repeated, impute=impute)
        assert stats.log_likelihood == pytest.approx(wide_stats.log_likelihood, rel=1e-12)
        assert np.allclose(state.pi, wide.pi, rtol=1e-9)
        assert np.allclose(state.table[cells], wide.table, atol=1e-10)


def test_sample_weight_is_the_object_repeated(rng):
    X = noisy_ensemble(missing=0.2).X
    row_weights = rng.integers(1, 5, size=len(X))
    state = random_state(X.max(axis=0) + 1, 3, rng)
    once, log_likelihood = after(10, state, X, None, row_weights)
    again, repeated = after(10, state, np.repeat(X, row_weights, axis=0))
    assert log_likelihood == pytest.approx(repeated, rel=1e-12)
    assert np.allclose(once.table, again.table, atol=1e-10)
    weighted = MultinomialMixture(3, random_state=0).fit(X, sample_weight=row_weights)
    long = MultinomialMixture(3, random_state=0).fit(np.repeat(X, row_weights, axis=0))
    assert np.allclose(weighted.history_, long.history_, rtol=1e-10)
    assert np.allclose(np.hstack(weighted.theta_), np.hstack(long.theta_), atol=1e-10)


def test_component_without_objects_keeps_its_parameters(rng):
    n_labels = np.array([3, 2])
    layout, state = layout_of(n_labels), random_state(n_labels, 3, rng)
    label_mass = rng.random(state.table.shape)
    label_mass[:, 1] = 0
    label_mass[:3, 2] = 0  # has objects, but none with a label in the first clustering
    mass = np.array([4.0, 0.0, 6.0])
    new = module.update_mixture(state, module.MixtureStats(mass, label_mass, 0.0), layout)
    assert new.pi.tolist() == [0.4, 0.0, 0.6]
    assert np.array_equal(new.table[:, 1], state.table[:, 1])
    assert np.array_equal(new.table[:3, 2], state.table[:3, 2])
    assert np.allclose(new.table[3:, 2], label_mass[3:, 2] / label_mass[3:, 2].sum())


def test_component_of_weight_zero_stays_out_and_changes_no_other(rng):
    X = noisy_ensemble(missing=0.2).X
    state = random_state(X.max(axis=0) + 1, 3, rng)
    with_empty = state._replace(pi=np.array([0.4, 0.0, 0.6]))
    without = module.MixtureState(np.array([0.4, 0.6]), state.table[:, [0, 2]])
    end, log_likelihood = after(20, with_empty, X)
    expected, the_same = after(20, without, X)
    assert log_likelihood == pytest.approx(the_same, rel=1e-12)
    assert end.pi[1] < 1e-200
    assert np.allclose(end.table[:, [0, 2]], expected.table, atol=1e-12)
    assert np.isfinite(end.table).all()


@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_as_many_components_as_distinct_rows_fit_the_frequencies_of_the_rows(init):
    X = np.repeat([[0, 0, 0], [1, 1, 0], [2, 0, 1]], [5, 3, 2], axis=0)
    with pytest.warns(FewerClustersWarning, match="n_clusters=7 exceeds the 3 distinct rows"):
        model = MultinomialMixture(7, init=init, tol=1e-9, max_iter=3000, random_state=0).fit(X)
    assert model.lower_bound_ == pytest.approx(-10 * entropy([0.5, 0.3, 0.2]), rel=1e-5)
    assert model.membership_.shape == (10, 3)
    assert np.isfinite(np.hstack(model.theta_)).all()


def test_object_without_labels_changes_nothing(X):
    with pytest.warns(UnlabelledObjectsWarning):
        model = MultinomialMixture(3, random_state=0).fit(np.insert(X, 7, -1, axis=0))
    plain = MultinomialMixture(3, random_state=0).fit(X)
    assert model.history_ == plain.history_
    assert np.array_equal(np.hstack(model.theta_), np.hstack(plain.theta_))
    assert np.array_equal(model.weights_, plain.weights_)
    assert model.labels_[7] == -1
    assert np.array_equal(model.membership_[7], plain.weights_)


def test_equal_rows_have_equal_membership(X):
    model = MultinomialMixture(3, random_state=0).fit(np.vstack([X, X[:9]]))
    assert np.array_equal(model.membership_[: len(X)][:9], model.membership_[len(X) :])


def test_statistics_add_over_blocks(rng):
    X = noisy_ensemble(missing=0.2).X
    ensemble = ensemble_of(X, row_weights=rng.random(len(X)))
    rows = module.as_rows(ensemble)
    logs = module.log_tables(random_state(ensemble.n_labels, 3, rng), ensemble.cell_weights)
    whole = module.expect_block(rows, *logs, (0, len(X)))
    parts = module.add_stats(module.expect_block(rows, *logs, block) for block in ((20, 45), (0, 20), (45, len(X))))
    assert np.allclose(whole.mass, parts.mass, rtol=1e-12)
    assert np.allclose(whole.label_mass, parts.label_mass, rtol=1e-12)
    assert whole.log_likelihood == pytest.approx(parts.log_likelihood, rel=1e-12)


def test_theta_has_one_distribution_per_component_and_clustering(X):
    weights = np.ones(X.shape[1] + 1)
    weights[2] = 0
    with_empty = np.insert(X, 5, -1, axis=1)
    with pytest.warns(EmptyColumnWarning):
        model = MultinomialMixture(3, weights=weights, random_state=0).fit(with_empty)
    for j, theta in enumerate(model.theta_):
        if j == 5:
            assert theta.shape == (3, 0)
        elif j == 2:
            assert theta.shape == (3, 3)
            assert np.isnan(theta).all()
        else:
            assert np.allclose(theta.sum(axis=1), 1, atol=1e-12)
    assert model.weights_.sum() == pytest.approx(1)


@pytest.mark.parametrize("n_clusters", [1, 2, 5])
def test_perplexity_is_at_most_that_of_independent_clusterings(n_clusters, rng):
    X = np.column_stack([rng.integers(0, size, size=150) for size in (2, 3, 5, 4)])
    independent = np.exp(np.mean([entropy(np.bincount(column)) for column in X.T]))
    value = MultinomialMixture(n_clusters, random_state=0).fit(X).perplexity(X)
    assert 1 <= value <= independent + 1e-9
    if n_clusters == 1:
        assert value == pytest.approx(independent)


def test_parameters_behind_the_labels_are_found(rng):
    pi, n = np.array([0.5, 0.3, 0.2]), 4000
    theta = [rng.dirichlet(np.full(4, 0.4), size=3) for _ in range(10)]
    z = rng.choice(3, size=n, p=pi)
    X = np.column_stack([(rng.random((n, 1)) > t.cumsum(axis=1)[z]).sum(axis=1).clip(max=3) for t in theta])
    X[rng.random(X.shape) < 0.1] = -1
    model = MultinomialMixture(3, n_init=3, random_state=0).fit(X)
    at_truth = twins.mixture_posterior(X, pi, theta, np.ones(10))[1].sum()
    assert at_truth < model.lower_bound_ < at_truth + 90  # twice the gain is about chi-squared; 92 free parameters
    assert np.allclose(model.weights_, pi, atol=0.03)
    assert np.abs(np.hstack(model.theta_) - np.hstack(theta)).max() < 0.08


def test_new_rows_are_placed_by_bayes_rule_and_new_labels_left_out(X):
    model = MultinomialMixture(3, random_state=0).fit(X)
    new = np.where(np.arange(X.shape[1]) < 4, X[:5], -1)
    new[:, 0] = 7
    known = np.where(new == 7, -1, new)
    theta = [t.clip(1e-12) for t in model.theta_]
    r, log_likelihood = twins.mixture_posterior(known, model.weights_, theta, np.ones(X.shape[1]))
    assert np.allclose(model.predict_proba(new), r, atol=1e-12)
    assert np.array_equal(model.predict(new), r.argmax(axis=1))
    assert np.allclose(model.score_samples(new), np.log(1e-12) + log_likelihood)
    assert np.array_equal(model.predict(X), model.labels_)


@both_variants
def test_starts_that_compete_on_a_sample_end_as_high(missing, monkeypatch):
    X = noisy_ensemble(sizes=(150, 100, 60), flip=0.2).X
    everything = MultinomialMixture(3, missing=missing, random_state=0).fit(X)
    monkeypatch.setattr(_runs, "SAMPLE_SIZE", 40)
    sampled = MultinomialMixture(3, missing=missing, random_state=0).fit(X)
    assert sampled.history_ != everything.history_
    assert sampled.converged_
    assert (np.diff(sampled.history_) >= -1e-12 * abs(sampled.lower_bound_)).all()
    assert sampled.lower_bound_ == pytest.approx(everything.lower_bound_, rel=1e-4)


@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_labels_that_a_sample_lacks_are_not_lost(init, monkeypatch):
    X = noisy_ensemble(sizes=(150, 100, 60), flip=0.2, missing=0).X
    X[:4, 3] = [3, 4, 5, 6]
    nearly_empty = np.where(np.arange(len(X)) == 200, 0, -1)
    monkeypatch.setattr(_runs, "SAMPLE_SIZE", 30)
    model = MultinomialMixture(3, init=init, random_state=0).fit(np.column_stack([X, nearly_empty]))
    assert np.isfinite(model.history_).all()
    assert np.allclose([theta.sum(axis=1) for theta in model.theta_], 1)
    assert np.allclose(model.weights_ @ model.theta_[3], np.bincount(X[:, 3]) / len(X), atol=1e-12)


@pytest.mark.parametrize("few", [10_000, 30])
def test_threads_change_no_bit(few, monkeypatch):
    X = noisy_ensemble(sizes=(150, 100, 60), flip=0.3).X
    monkeypatch.setattr(_runs, "SAMPLE_SIZE", few)
    monkeypatch.setattr(_runs, "_BLOCK", 1)
    one, many = (MultinomialMixture(3, n_init=3, random_state=0, n_jobs=n).fit(X) for n in (1, 3))
    assert len(_runs.block_edges(len(X), 45)) > 2
    assert one.history_ == many.history_
    assert np.array_equal(one.membership_, many.membership_)
    assert np.array_equal(np.hstack(one.theta_), np.hstack(many.theta_))


def test_stopping_early_is_said(X):
    with pytest.warns(ConvergenceWarning, match="MultinomialMixture did not converge in max_iter=1 iterations"):
        model = MultinomialMixture(3, max_iter=1, tol=0.0, random_state=0).fit(X)
    assert model.n_iter_ == len(model.history_) == 1
    assert not model.converged_


# smoothing


@both_variants
def test_penalised_likelihood_never_falls_and_is_stationary(missing, rng):
    """The bound written out, and a step of EM at the end that changes nothing (eq. M57)."""
    X, weights = noisy_ensemble(missing=0.2, flip=0.3).X, np.linspace(0.5, 2.0, 15)
    model = MultinomialMixture(3, missing=missing, smoothing=0.3, weights=weights, tol=1e-13, random_state=0).fit(X)
    assert (np.diff(model.history_) >= -1e-9).all()
    logs = sum(u * np.log(theta).sum() for u, theta in zip(weights, model.theta_, strict=True))
    assert model.lower_bound_ == pytest.approx(model.score_samples(X).sum() + 0.3 * logs, rel=1e-9)
    r = model.membership_
    for column, theta in zip(X.T, model.theta_, strict=True):
        mass = np.array([r[column == a].sum(axis=0) + 0.3 for a in range(theta.shape[1])]).T
        assert np.allclose(theta, mass / mass.sum(axis=1, keepdims=True), atol=1e-5)


def test_smoothing_makes_held_out_perplexity_comparable_with_bce():
    """Without it one label that a component never had costs 1e-12; with it both models are of the same order."""
    X = noisy_ensemble(sizes=(150, 150, 100), flip=0.4).X
    fit, held_out = X[::2], X[1::2]
    plain, smooth = (MultinomialMixture(12, smoothing=eps, random_state=0).fit(fit) for eps in (0.0, 0.1))
    bce = BCE(12, smoothing=0.1, random_state=0).fit(fit)
    assert smooth.perplexity(held_out) < 0.9 * plain.perplexity(held_out)
    assert 0.5 < smooth.perplexity(held_out) / bce.perplexity(held_out) < 2
