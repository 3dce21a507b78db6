"""Gibbs sampling of BCE: the sampler against the enumerated posterior, renumbering, and what a fit hands out."""

from itertools import product

import numpy as np
import pytest
from scipy.special import gammaln
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

from partita import BCE, _sampling
from partita._labels.ensemble import Ensemble
from partita.consensus.models import _bce_gibbs as module
from partita.consensus.models._bce_gibbs import BCESampler, GibbsMeans, GibbsPrior, matching, slice_step
from partita.metrics import adjusted_rand_score
from tests.ensembles import noisy_ensemble, same_partition

TINY = np.array([[0, 0], [0, 1], [1, -1]], dtype=np.int32)  # 3 objects, 2 clusterings of 2 labels, one label missing


def ensemble_of(X, weights=None, row_weights=None):
    weights = np.ones(X.shape[1]) if weights is None else np.asarray(weights, dtype=float)
    row_weights = np.ones(len(X)) if row_weights is None else np.asarray(row_weights, dtype=float)
    return Ensemble(np.ascontiguousarray(X, dtype=np.int32), X.max(axis=0).astype(np.int64) + 1, weights, row_weights)


def log_joint_by_hand(X, z, alpha, beta, weights):
    """Log p(x, z), one factor after another; z has the shape of X."""
    total, k = 0.0, len(alpha)
    for x, clusters in zip(X, z, strict=True):
        n = np.array([weights[(x >= 0) & (clusters == h)].sum() for h in range(k)])
        total += gammaln(alpha.sum()) - gammaln(alpha.sum() + n.sum()) + (gammaln(alpha + n) - gammaln(alpha)).sum()
    for j, u in enumerate(weights):
        n_labels = X[:, j].max() + 1
        for h in range(k):
            c = np.array([((X[:, j] == a) & (z[:, j] == h)).sum() for a in range(n_labels)])
            total += u * (gammaln(n_labels * beta) - gammaln(n_labels * beta + c.sum()))
            total += u * (gammaln(beta + c) - gammaln(beta)).sum()
    return total


def every_z(X, k):
    seen = X >= 0
    for drawn in product(range(k), repeat=int(seen.sum())):
        z = np.full(X.shape, -1)
        z[seen] = drawn
        yield z


def posterior_by_hand(X, alpha, beta, weights):
    """Every z of the observed labels, as they are listed, with its probability."""
    alpha, weights = np.asarray(alpha), np.asarray(weights)
    logs = {tuple(z[X >= 0]): log_joint_by_hand(X, z, alpha, beta, weights) for z in every_z(X, len(alpha))}
    values = np.exp(np.array(list(logs.values())) - max(logs.values()))
    return dict(zip(logs, values / values.sum(), strict=True))


def sampler_of(ensemble, alpha, beta, seed=0):
    k, objects = len(alpha), np.repeat(np.arange(ensemble.n_rows), ensemble.row_weights.astype(int))
    z = np.zeros(int(np.diff(ensemble.row_starts)[objects].sum()), dtype=np.int64)
    sampler = BCESampler(ensemble, objects, z, k, GibbsPrior(1.0, beta), seed)
    sampler.alpha = np.asarray(alpha, dtype=float)
    return sampler


@pytest.mark.parametrize("weights", [(1.0, 1.0), (2.0, 0.5)])
@pytest.mark.parametrize("alpha", [(0.7, 0.7), (0.1, 0.4)])
def test_draws_have_the_enumerated_posterior(weights, alpha):
    exact = posterior_by_hand(TINY, alpha, 0.5, weights)
    assert len(exact) == 32
    sampler, n = sampler_of(ensemble_of(TINY, weights), alpha, 0.5), 20_000
    found = dict.fromkeys(exact, 0)
    for _ in range(n):
        sampler.sweep()
        found[tuple(sampler.state.z)] += 1
    p = np.array(list(exact.values()))
    share = np.array([found[z] / n for z in exact])
    assert np.abs(share - p).max() < 0.015  # four standard errors of draws that are worth a fifth
    assert 0.5 * np.abs(share - p).sum() < 0.03


def test_log_joint_and_tables_are_those_of_the_draws(rng):
    X = noisy_ensemble(sizes=(5, 4, 3), n_clusterings=4, missing=0.3).X
    weights, alpha = np.array([1.0, 0.5, 2.0, 1.0]), np.array([0.3, 0.2, 1.1])
    sampler = sampler_of(ensemble_of(X, weights), alpha, 0.2)
    for _ in range(3):
        sampler.sweep()
    z = np.full(X.shape, -1)
    z[X >= 0] = sampler.state.z
    assert sampler.log_joint() == pytest.approx(log_joint_by_hand(X, z, alpha, 0.2, weights), rel=1e-12)
    for h in range(3):
        assert np.allclose(sampler.state.counts[:, h], (z == h) @ weights)
        assert np.array_equal(sampler.state.total[:, h], (z == h).sum(axis=0))


def test_mean_membership_is_the_enumerated_one():
    alpha = np.array([0.4, 0.9])  # different, so that clusters keep their numbers
    expected = np.zeros((3, 2))
    for z, p in posterior_by_hand(TINY, alpha, 0.5, np.ones(2)).items():
        full = np.full(TINY.shape, -1)
        full[TINY >= 0] = z
        held = alpha + np.column_stack([(full == h).sum(axis=1) for h in range(2)])
        expected += p * held / held.sum(axis=1, keepdims=True)
    sampler = sampler_of(ensemble_of(TINY), alpha, 0.5)
    total = np.zeros((3, 2))
    for _ in range(10_000):
        sampler.sweep()
        total += sampler.means().membership
    assert np.allclose(total / 10_000, expected, atol=0.012)


def test_a_row_of_weight_two_is_two_objects_with_draws_of_their_own():
    alpha, X = (0.4, 0.9), np.array([[0, 0], [1, 1]])
    sampler = sampler_of(ensemble_of(X, row_weights=[2, 1]), alpha, 0.5)
    twice = sampler_of(ensemble_of(X[[0, 0, 1]]), alpha, 0.5)
    for _ in range(5):
        sampler.sweep()
        twice.sweep()
        assert np.array_equal(sampler.state.z, twice.state.z)
        assert sampler.log_joint() == pytest.approx(twice.log_joint())
        apart = twice.means().membership
        assert np.allclose(sampler.means().membership, [apart[:2].mean(axis=0), apart[2]])


def test_slice_sampling_draws_from_the_density(rng):
    x, drawn = 0.0, []
    for _ in range(6000):
        x = slice_step(lambda x: 2 * x - np.exp(x), x, rng, np.array([-20.0, 20.0]))  # log of a Gamma(2) variable
        drawn.append(np.exp(x))
    assert np.mean(drawn) == pytest.approx(2, abs=0.15)
    assert np.var(drawn) == pytest.approx(2, abs=0.4)
    limited = [slice_step(lambda x: 0.0, 0.5, rng, np.array([0.0, 1.0])) for _ in range(500)]
    assert 0 <= min(limited) < 0.05
    assert 0.95 < max(limited) <= 1


@pytest.mark.parametrize("true_alpha", [0.05, 0.3])
def test_sampled_alpha_is_near_that_of_the_data(true_alpha, rng):
    n, m, k, n_labels = 300, 10, 3, 5
    beta = rng.dirichlet(np.full(n_labels, 0.1), size=(k, m))
    theta = rng.dirichlet(np.full(k, true_alpha), size=n)
    z = np.array([rng.choice(k, size=m, p=row) for row in theta])
    X = np.array([[rng.choice(n_labels, p=beta[z[i, j], j]) for j in range(m)] for i in range(n)])
    model = BCE(k, inference="gibbs", n_sweeps=150, n_chains=1, random_state=0).fit(X)
    assert 0.5 * true_alpha < model.alpha_.mean() < 2 * true_alpha
    assert min(np.abs(model.membership_[:, list(p)] - theta).mean() for p in ([0, 1, 2], [0, 2, 1], [1, 0, 2],
               [1, 2, 0], [2, 0, 1], [2, 1, 0])) < 0.12  # fmt: skip


# ----------------------------------------------------------------------------------------------- numbering and chains
def test_samples_are_renumbered_before_they_are_added(rng):
    membership = rng.dirichlet([0.2, 0.2, 0.2], size=30)
    order, weights = np.array([2, 0, 1]), rng.integers(1, 4, 30).astype(float)
    one = GibbsMeans(membership, rng.random((8, 3)), np.array([1.0, 2.0, 3.0]))
    other = GibbsMeans(*(part[..., order] for part in one))
    assert np.array_equal(matching(membership, other.membership, weights), np.argsort(order))
    for part, both in zip(one, one.add(other, weights).over(2), strict=True):
        assert np.allclose(part, both)


def test_chains_that_disagree_leave_the_best_alone(rng):
    chains = [
        module.GibbsChain(GibbsMeans(rng.dirichlet([1, 1], size=4), rng.random((4, 2)), np.ones(2)), {}) for _ in "ab"
    ]
    agree, disagree = (_sampling.Mixing({"log_joint": r_hat}, {}, r_hat < 1.1) for r_hat in (1.0, 1.3))
    alone = module._join(chains, 1, disagree, np.ones(4))
    assert np.array_equal(alone.membership, chains[1].means.membership)
    together = module._join(chains, 1, agree, np.ones(4)).membership
    assert np.allclose(together.sum(axis=1), 1)
    assert not np.allclose(together, alone.membership)


def test_a_warning_tells_that_chains_disagree(monkeypatch):
    monkeypatch.setattr(_sampling, "_DISAGREE", -1.0)
    with pytest.warns(ConvergenceWarning, match=r"disagree .* those of the chain of the highest mean log joint"):
        BCE(2, inference="gibbs", n_sweeps=20, random_state=0).fit(noisy_ensemble().X)


# --------------------------------------------------------------------------------------------------- what a fit gives
@pytest.fixture(scope="module")
def fitted():
    return BCE(3, inference="gibbs", n_sweeps=60, random_state=0).fit(noisy_ensemble().X)


def test_what_a_fit_tells_of_its_chains(fitted):
    assert fitted.log_joint_trace_.shape == (4, 60)
    assert fitted.log_joint_ == fitted.log_joint_trace_.max()
    assert set(fitted.r_hat_) == set(fitted.ess_) == {"log_joint", "concentration", "alpha", "beta"}
    assert fitted.n_iter_ == len(fitted.history_) == 60
    assert any(np.array_equal(fitted.history_, chain) for chain in fitted.log_joint_trace_)
    for name in ("gamma_", "lower_bound_"):
        assert not hasattr(fitted, name)
    variational = BCE(3, random_state=0).fit(noisy_ensemble().X)
    for name in ("log_joint_", "log_joint_trace_", "r_hat_", "ess_"):
        with pytest.raises(AttributeError, match="does not exist after inference='vb'"):
            getattr(variational, name)


def test_a_fit_replaces_what_the_other_inference_left(fitted):
    X = noisy_ensemble().X
    model = BCE(3, random_state=0).fit(X)
    expected = model.membership_
    model.set_params(inference="gibbs", n_sweeps=40).fit(X)
    assert not hasattr(model, "lower_bound_")
    model.set_params(inference="vb").fit(X)
    assert np.array_equal(model.membership_, expected)
    assert model.gamma_.shape == expected.shape
    assert not hasattr(model, "r_hat_")


def test_new_rows_are_placed_near_their_equals(fitted):
    data = noisy_ensemble()
    new = data.X.copy()
    new[:, 0] = -1
    placed = fitted.predict_proba(new)
    assert np.allclose(placed.sum(axis=1), 1)
    assert np.mean(placed.argmax(axis=1) == fitted.labels_) > 0.95
    assert np.allclose(fitted.predict_proba(data.X), fitted.membership_, rtol=1e-12)


def test_partition_of_a_k_means_ensemble_is_that_of_variational_em():
    F = load_wine().data
    F = (F - F.mean(axis=0)) / F.std(axis=0)
    runs = [KMeans(2 + s % 4, n_init=1, init="random", random_state=s).fit_predict(F) for s in range(8)]
    X = np.column_stack(runs)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = -1
    sampled = BCE(3, inference="gibbs", n_sweeps=100, n_chains=2, random_state=0).fit(X)
    assert adjusted_rand_score(sampled.labels_, BCE(3, random_state=0).fit(X).labels_) > 0.9


def test_threads_change_no_bit():
    X = noisy_ensemble().X
    models = [BCE(3, inference="gibbs", n_sweeps=30, random_state=1, n_jobs=n_jobs).fit(X) for n_jobs in (1, 3)]
    assert np.array_equal(models[0].membership_, models[1].membership_)
    assert np.array_equal(models[0].log_joint_trace_, models[1].log_joint_trace_)


def test_many_rows_start_from_k_means(monkeypatch):
    data = noisy_ensemble()
    monkeypatch.setattr(module, "SEARCH_SIZE", 10)
    monkeypatch.setattr(module, "search_clusters", None)
    model = BCE(3, inference="gibbs", alpha=0.1, beta=0.1, n_sweeps=60, random_state=0).fit(data.X)
    assert same_partition(model.labels_, data.truth)


# ------------------------------------------------------------------------------------------------------------ refusals
def test_what_sampling_cannot_do_is_refused(fitted):
    X = noisy_ensemble().X
    model = BCE(3, inference="gibbs", n_sweeps=20, random_state=0)
    with pytest.raises(ValueError, match="must be whole numbers; use inference='vb'"):
        model.fit(X, sample_weight=np.full(len(X), 0.5))
    with pytest.raises(ValueError, match=r"adds up to .* objects"):
        model.fit(X, sample_weight=np.full(len(X), 1e6))
    with pytest.raises(ValueError, match="leave no sample of n_sweeps=20"):
        model.set_params(burn_in=18).fit(X)
    with pytest.raises(ValueError, match="extend is not possible with BCE"):
        fitted.extend(X[:, :1])


def test_other_ways_of_fitting_refuse_sampling():
    from partita.federated import simulate

    X = noisy_ensemble().X
    for by, parts in (("rows", [X[:30], X[30:]]), ("columns", [X[:, :7], X[:, 7:]])):
        with pytest.raises(ValueError, match=f"a fit by {by} of several sites is not possible"):
            simulate(BCE(3, inference="gibbs"), parts, by=by, accept_disclosure=by == "columns")
