"""EM on rows of several sites: the same parameters as pooled, iteration by iteration, and starts from sums."""

import numpy as np
import pytest

from partita import BCE, NBCE, MultinomialMixture
from partita._labels.validation import check_label_matrix
from partita.consensus.models._bce_steps import BCEColumns, BCEState, label_problem, run_bce
from partita.consensus.models._mixture import MixtureModel, run_mixture
from partita.consensus.models._starts import as_state
from partita.consensus.nbce._vb import VBState, climb_vb, run_vb
from partita.federated import simulate
from partita.federated.rows import _bce as _row_bce
from partita.federated.rows import _mixture as _row_mixture
from partita.federated.rows._merge import CountedClusters, merge_clusters, mixture_value, nbce_value
from partita.federated.rows._mixture import stats_at
from tests.ensembles import same_partition
from tests.federated.parts import labels_with_holes, opened, share_out

K = 3


def pooled(estimator, X):
    return estimator._open(check_label_matrix(X), np.ones(len(X)))


def first_bce(ensemble, seed=0):
    labels = np.random.default_rng(seed).integers(K, size=ensemble.n_rows)
    table = as_state(ensemble, labels, K, 0.4).table
    return BCEState(np.array([0.5, 0.2, 0.9]), table, np.empty((0, K)), np.empty((0, K)))


def close(a, b):
    return np.allclose(a, b, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("n_sites", [1, 2, 3, 5])
@pytest.mark.parametrize("smoothing", [0.0, 0.01])
def test_bce_has_the_pooled_parameters_after_every_iteration(n_sites, smoothing):
    X, estimator = labels_with_holes(), BCE(K, smoothing=smoothing)
    problem = label_problem(pooled(estimator, X).ensemble, BCEColumns(pooled(estimator, X).ensemble.layout, smoothing))
    first = first_bce(problem.ensemble)
    sites, _, _ = opened(estimator, share_out(X, n_sites))
    for n_iter in (1, 2, 3, 5, 8, 12, 20):
        limits = {"tol": 1e-12, "max_iter": n_iter}
        want = run_bce(problem, first, **limits)
        got = _row_bce.run_rows(sites, first, columns=problem.columns, n=problem.n, **limits).run
        assert close(got.state.alpha, want.state.alpha)
        assert close(got.state.table, want.state.table)
        assert close(got.history, want.history)


def test_bce_sites_end_with_the_pooled_gamma():
    X, estimator = labels_with_holes(), BCE(K)
    rows = pooled(estimator, X)
    problem = label_problem(rows.ensemble, BCEColumns(rows.ensemble.layout, 0.0))
    first, parts = first_bce(problem.ensemble), [X[:50], X[50:]]
    want = run_bce(problem, first, tol=1e-6, max_iter=30).gamma[rows.row_of_object]
    sites, owners, _ = opened(estimator, parts)
    _row_bce.run_rows(sites, first, columns=problem.columns, n=problem.n, tol=1e-6, max_iter=30)
    got = np.vstack([owner.memory["gamma-0"][owner.rows.row_of_object] for owner in owners])
    assert close(got, want)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_the_order_of_the_sites_does_not_matter(order):
    X, estimator = labels_with_holes(), MultinomialMixture(K)
    rows = pooled(estimator, X)
    first = as_state(rows.ensemble, np.arange(rows.ensemble.n_rows) % K, K, 0.3)
    parts = share_out(X, 3)
    sites, _, layout = opened(estimator, [parts[i] for i in order])
    n = float(len(X))
    for model in (MixtureModel(), MixtureModel(impute=True, smoothing=0.01)):
        for n_iter in (1, 2, 5, 15):
            want = run_mixture(rows.ensemble, first, model, tol=1e-12, max_iter=n_iter)
            got = _row_mixture.run_rows(sites, first, model, layout=layout, n=n, tol=1e-12, max_iter=n_iter)
            assert close(got.state.pi, want.state.pi)
            assert close(got.state.table, want.state.table)
            assert close(got.history, want.history)


def test_variational_bayes_has_the_pooled_parameters_after_every_iteration():
    X, estimator = labels_with_holes(), NBCE(inference="vb", max_iter=9)
    rows = pooled(estimator, X)
    prior, estimate = estimator._prior_model(rows.ensemble.layout)
    rng = np.random.default_rng(0)
    first = VBState(rng.uniform(1, 20, 6), rng.uniform(0.2, 5, (rows.ensemble.n_cells, 6)), prior)
    sites, _, _ = opened(estimator, share_out(X, 3))
    for n_iter in (1, 2, 4, 9):
        settings = estimator._variational(estimate)._replace(max_iter=n_iter, tol=0.0)
        want, got = run_vb(rows.ensemble, first, settings, None), climb_vb(stats_at(sites), first, settings, len(X))
        assert close(got.state.xi, want.state.xi)
        assert close(got.state.rho, want.state.rho)
        assert close([got.state.model.alpha0, got.state.model.beta], [want.state.model.alpha0, want.state.model.beta])


@pytest.mark.parametrize("estimator", [BCE(K, random_state=0), MultinomialMixture(K, random_state=0)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_fit_from_sums_alone_is_as_high_as_the_pooled_one(estimator, seed):
    X = labels_with_holes(seed)
    parts = [X[:30], X[30:75], X[75:]]
    got, want = simulate(estimator, parts), type(estimator)(**estimator.get_params()).fit(X)
    assert got.lower_bound_ >= want.lower_bound_ - 0.005 * abs(want.lower_bound_)
    assert got.membership_.shape == (len(X), K)
    assert np.allclose(got.membership_.sum(axis=1), 1)
    if got.lower_bound_ == pytest.approx(want.lower_bound_, rel=1e-6):
        assert same_partition(got.labels_, want.labels_)
        assert np.allclose(got.confidence_, want.confidence_)


def test_nbce_finds_the_clusters_of_the_pooled_fit():
    X = labels_with_holes()
    estimator = NBCE(inference="vb", random_state=0)
    got, want = simulate(estimator, share_out(X, 3)), NBCE(inference="vb", random_state=0).fit(X)
    assert got.lower_bound_ >= want.lower_bound_ - 0.03 * abs(want.lower_bound_)
    assert got.n_clusters_ == len(np.unique(got.labels_))


@pytest.mark.parametrize("inference", ["gibbs", "cvb"])
def test_inference_that_needs_all_other_objects_is_refused_with_the_reason(inference):
    with pytest.raises(ValueError, match="one object after another"):
        simulate(NBCE(inference=inference), share_out(labels_with_holes(), 2))


def test_labels_at_one_site_only():
    """The dictionary is common: a label of one site has its own cell at all."""
    X = labels_with_holes().astype(object)
    X[X == -1] = None
    X[:5, 3] = 77  # only there
    parts = [X[:40], X[40:]]
    model = simulate(MultinomialMixture(K, random_state=0), parts)
    assert [len(theta[0]) for theta in model.theta_] == [3, 3, 3, 4, 3, 3, 3, 3]
    assert np.allclose([theta.sum() for theta in model.theta_], K)
    want = MultinomialMixture(K, random_state=0).fit(X)
    assert model.lower_bound_ == pytest.approx(want.lower_bound_, rel=1e-6)


def test_new_objects_are_placed_as_by_the_pooled_model():
    X = labels_with_holes()
    got, want = (
        simulate(MultinomialMixture(K, random_state=0), [X[:50], X[50:]]),
        MultinomialMixture(K, random_state=0).fit(X),
    )
    assert same_partition(got.labels_, want.labels_)
    new = labels_with_holes(7)
    assert same_partition(got.predict(new), want.predict(new))
    assert np.allclose(got.score_samples(new), want.score_samples(new), rtol=1e-4)


# ------------------------------------------------------------------------------------------------------------- merges
def test_a_merge_costs_what_the_likelihood_loses():
    X = labels_with_holes()
    ensemble = pooled(MultinomialMixture(K), X).ensemble
    value = mixture_value(ensemble)
    labels = np.random.default_rng(0).integers(5, size=ensemble.n_rows)

    def likelihood(labels):
        """Log p of rows and clusters with the shares of the clusters for parameters, row by row."""
        total = 0.0
        for i in range(ensemble.n_rows):
            own = labels == labels[i]
            w = ensemble.row_weights
            total += w[i] * np.log(w[own].sum())
            for j in np.flatnonzero(ensemble.codes[i] >= 0):
                seen = own & (ensemble.codes[:, j] >= 0)
                same = own & (ensemble.codes[:, j] == ensemble.codes[i, j])
                total += w[i] * np.log(w[same].sum() / w[seen].sum())
        return total

    def counted(labels):
        k = labels.max() + 1
        size = np.bincount(labels, ensemble.row_weights, minlength=k)
        return CountedClusters(
            size, np.asarray(ensemble.indicator.T @ (np.eye(k)[labels] * ensemble.row_weights[:, None]))
        )

    assert value(counted(labels)).sum() == pytest.approx(likelihood(labels))
    merged = merge_clusters(counted(labels), value, 4)
    options = {(a, b): np.where(labels == b, a, labels) for a in range(5) for b in range(5) if a < b}
    best = max(likelihood(one) for one in options.values())
    assert value(merged).sum() == pytest.approx(best)
    assert merged.size.sum() == pytest.approx(ensemble.row_weights.sum())


def test_merges_without_a_number_never_lower_the_joint():
    ensemble = pooled(NBCE(inference="vb"), labels_with_holes()).ensemble
    prior, _ = NBCE(inference="vb")._prior_model(ensemble.layout)
    labels = np.arange(ensemble.n_rows) % 12
    size = np.bincount(labels, ensemble.row_weights)
    mass = np.asarray(ensemble.indicator.T @ (np.eye(12)[labels] * ensemble.row_weights[:, None]))
    value = nbce_value(prior, 50)
    merged = merge_clusters(CountedClusters(size, mass), value)
    assert value(merged).sum() >= value(CountedClusters(size, mass)).sum()
    assert len(merged.size) < 12


# ---------------------------------------------------------------------------------------------------------- heuristic
def test_the_heuristic_with_one_site_is_ordinary_em():
    from partita.consensus.models._bce_steps import SETTLED, e_step, flat_gamma, m_step
    from partita.federated.rows import _heuristic as _row_heuristic

    X, estimator = labels_with_holes(), BCE(K, smoothing=0.01, tol=0.0, random_state=0)
    sites, _, layout = opened(estimator, [X])
    model = _row_heuristic.fit(sites, estimator, layout)
    rows = pooled(estimator, X)
    problem = label_problem(rows.ensemble, BCEColumns(rows.ensemble.layout, 0.01))
    again, _, _ = opened(estimator, [X])
    found = _row_bce.starts_for(again, estimator, layout)
    state = _row_heuristic._best_first(again, _row_bce.first_states(found, layout), problem.columns, float(len(X)))
    gamma = flat_gamma(problem, state.alpha)
    for _ in range(_row_heuristic.ROUNDS):
        sums = e_step(problem, state, gamma, np.empty(len(gamma)), n_steps=50, tol=SETTLED)
        state = m_step(state, sums, columns=problem.columns, n=problem.n)
    assert close(model["alpha"], state.alpha)
    assert close(model["table"], state.table)


def test_the_heuristic_survives_labels_that_a_site_does_not_have():
    X = labels_with_holes()
    own = X[:, 0] == 0
    model = simulate(BCE(K, random_state=0), [X[own], X[~own]], heuristic=True)
    assert np.isfinite(model.history_).all()
    assert model.membership_.shape == (len(X), K)


def test_the_heuristic_is_for_bce_only():
    with pytest.raises(ValueError, match="heuristic"):
        simulate(MultinomialMixture(K), share_out(labels_with_holes(), 2), heuristic=True)
