"""A chain: what it keeps, its best assignment, and exchanges between tempered replicas (eqs. N16, N18, N51)."""

import numpy as np
import pytest

from partita._runs import progress
from partita._sampling import SamplingPlan
from partita.consensus.nbce import _gibbs_chain as module
from partita.consensus.nbce._gibbs_chain import ChainSettings, best_partition, make_replicas, run_chain
from tests.consensus.nbce import nbce_reference as reference
from tests.consensus.nbce.nbce_reference import (
    PRIORS,
    TINY,
    Posterior,
    make_ensemble,
    make_model,
    within_monte_carlo_error,
)
from tests.ensembles import noisy_ensemble, same_partition


def chain_of(X, z, n_clusters, model, plan, *, n_temperatures=1, estimate=(False, False), seed=0):
    replicas = make_replicas(make_ensemble(X, model), model, np.asarray(z), n_clusters, seed, n_temperatures)
    with progress(plan.n_sweeps, "", show=False) as bar:
        return run_chain(replicas, ChainSettings(plan, estimate, keep_occupancies=True), seed, bar)


@pytest.mark.parametrize("n_temperatures", [1, 3])
@pytest.mark.parametrize("prior", PRIORS)
def test_best_sample_of_a_long_chain_is_the_mode(prior, n_temperatures):
    posterior = Posterior(TINY, 3, make_model([2, 2, 2], prior))
    plan = SamplingPlan(400, 100, 3)
    chain = chain_of(TINY, [0, 1, 2, 0, 1], 3, posterior.model, plan, n_temperatures=n_temperatures)
    sizes = [np.bincount(z, minlength=3) for z in posterior.Z]
    by_size = posterior.log_joint[[(np.diff(size) <= 0).all() for size in sizes]].max()
    assert chain.mode.log_joint == pytest.approx(by_size, rel=1e-10)
    assert chain.samples.shape == (100, 5)
    assert len(chain.models) == len(chain.occupancies) == 100
    assert (chain.log_joint <= posterior.log_joint.max() + 1e-9).all()


@pytest.mark.parametrize("n_temperatures", [1, 3])
@pytest.mark.parametrize("estimate", [(False, False), (True, True)])
def test_traces_samples_and_occupancies_belong_together(n_temperatures, estimate):
    X = noisy_ensemble(sizes=(12, 8), n_clusterings=4, flip=0.3).X
    model, plan = make_model(X.max(axis=0) + 1, "tsb"), SamplingPlan(33, 10, 4)
    chain = chain_of(X, [0] * 20, 8, model, plan, n_temperatures=n_temperatures, estimate=estimate)
    assert len(chain.models) == 5
    for place, t in enumerate(plan.kept):
        z, of = chain.samples[place].astype(int), chain.models[place]
        assert chain.log_joint[t] == pytest.approx(reference.log_joint(X, z, 8, of), rel=1e-10)
        assert chain.n_clusters[t] == len(set(z))
        size, label_size = reference.occupancy_of(X, z, 8, of)
        assert np.array_equal(chain.occupancies[place].size, size)
        assert np.array_equal(chain.occupancies[place].label_size, label_size[:, size > 0])


@pytest.mark.parametrize("prior", PRIORS)
def test_tempered_chain_has_the_posterior(prior):
    X, n_clusters = TINY, 4
    model = make_model([2, 2, 2], prior, alpha0=1.3, weights=[1.0, 2.0, 0.7])
    posterior = Posterior(X, n_clusters, model)
    draws = chain_of(X, [0] * 5, n_clusters, model, SamplingPlan(4000, 0, 1), n_temperatures=3).samples
    upper = np.triu_indices(5, 1)
    together = (draws[:, :, None] == draws[:, None, :])[:, upper[0], upper[1]]
    assert within_monte_carlo_error(together, posterior.coassignment()[upper])


def test_neighbours_exchange_powers_by_their_likelihoods():
    """The replica of the highest likelihood rises to power 1 where the others are far worse, and stays there."""
    model = make_model([2, 2, 2])
    replicas = make_replicas(make_ensemble(TINY, model), model, np.zeros(5, dtype=int), 3, 0, 3)
    assert [replica.heat for replica in replicas] == [1.0, 0.75, 0.5]
    rng = np.random.default_rng(0)
    assert module._exchange(replicas, [-1e6, 0.0, -2e6], rng) == 1
    assert [replica.heat for replica in replicas] == [0.75, 1.0, 0.5]
    assert module._exchange(replicas, [-1e6, 0.0, -2e6], rng) == 1
    accepted = 0
    for _ in range(4000):
        replicas[0].heat, replicas[1].heat = 1.0, 0.75
        accepted += module._exchange(replicas[:2], [-10.0, -12.0], rng) == 1
    assert accepted / 4000 == pytest.approx(np.exp(-0.25 * 2), abs=0.03)


def test_short_chain_finds_the_clusters():
    X, truth = noisy_ensemble(flip=0.15)
    model = make_model(X.max(axis=0) + 1, "fsd")
    found = best_partition(make_ensemble(X, model), model, np.zeros(len(X), dtype=int), 20, 30, 0)
    assert same_partition(found.z, truth)
    assert found.log_joint == pytest.approx(reference.log_joint(X, found.z, 20, model), rel=1e-10)
