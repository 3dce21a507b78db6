"""Starts of the models of labels: hard clusters of the highest likelihood (eq. M56)."""

from itertools import pairwise, product

import numpy as np
import pytest

from partita._labels.ensemble import Ensemble
from partita.consensus.models import _starts as module
from partita.consensus.models._em import column_sums, shares
from tests.ensembles import noisy_ensemble


def make_ensemble(rng, n=None, *, missing=0.2, whole=False):
    X = np.unique(noisy_ensemble(missing=missing, flip=0.4).X, axis=0)
    X = X if n is None else X[rng.permutation(len(X))[:n]]
    weights = rng.integers(1, 4, len(X)).astype(float) if whole else rng.random(len(X)) + 0.1
    clusterings = np.ones(X.shape[1]) if whole else rng.random(X.shape[1]) + 0.5
    return Ensemble(X.astype(np.int32), X.max(axis=0) + 1, clusterings, weights)


@pytest.fixture
def ensemble(rng):
    return make_ensemble(rng)


def log_likelihood(ensemble, labels):
    """Log p(labels, clusters) up to a constant, by its definition: shares of clusters and of labels in them."""
    total = 0.0
    for g in np.unique(labels):
        own = labels == g
        weights = ensemble.row_weights[own]
        total += weights.sum() * np.log(weights.sum())
        for j, u in enumerate(ensemble.clustering_weights):
            codes = ensemble.codes[own, j]
            mass = np.bincount(codes[codes >= 0], weights[codes >= 0])
            mass = mass[mass > 0]
            total += u * (mass * np.log(mass / mass.sum())).sum()
    return total


@pytest.mark.parametrize("init", ["kmeans", "random"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("whole", [False, True])
def test_the_value_of_a_search_is_the_likelihood_of_its_clusters(whole, missing, init, rng):
    ensemble = make_ensemble(rng, missing=missing, whole=whole)
    found = module.search_clusters(ensemble, 4, init, 3)
    assert found.value == pytest.approx(log_likelihood(ensemble, found.labels), rel=1e-9)
    assert found.value >= log_likelihood(ensemble, module.STARTS[init](ensemble, 4, 3))
    assert sorted(set(found.labels)) == [0, 1, 2, 3]


@pytest.mark.parametrize("whole", [False, True])
def test_the_best_search_finds_the_best_of_all_partitions(whole, rng):
    ensemble = make_ensemble(rng, 7, whole=whole)
    highest = max(log_likelihood(ensemble, np.array(labels)) for labels in product(range(3), repeat=7))
    best = module.best_clusters(ensemble, 3, "random", list(range(4)), 1, 1)[0]
    assert best.value == pytest.approx(highest, rel=1e-9)


def test_tabulated_logs_are_the_logs(rng, monkeypatch):
    ensemble = make_ensemble(rng, whole=True)
    tabulated = module.search_clusters(ensemble, 4, "random", 0)
    monkeypatch.setattr(module, "_WHOLE", 0)
    computed = module.search_clusters(ensemble, 4, "random", 0)
    assert np.array_equal(tabulated.labels, computed.labels)
    assert tabulated.value == pytest.approx(computed.value, rel=1e-12)


def test_the_best_clusters_come_first_and_once(ensemble):
    seeds = list(range(12))
    found = module.best_clusters(ensemble, 4, "kmeans", seeds, 12, 1)
    values = [one.value for one in found]
    assert all(a > b for a, b in pairwise(values))
    assert values[0] == max(module.search_clusters(ensemble, 4, "kmeans", seed).value for seed in seeds)
    assert len(module.best_clusters(ensemble, 4, "kmeans", seeds, 2, 3)) <= 2


@pytest.mark.parametrize("k", [1, 2, 40])
def test_any_number_of_clusters(k, rng):
    ensemble = make_ensemble(rng, 20, whole=True)
    labels = module.search_clusters(ensemble, k, "kmeans", 0).labels
    assert len(set(labels)) == min(k, 20)


def test_clusters_as_a_state_of_the_mixture(ensemble):
    labels = module.search_clusters(ensemble, 4, "kmeans", 0).labels
    state = module.as_state(ensemble, labels, 5, 0.5)
    assert state.pi.sum() == pytest.approx(1)
    assert np.allclose(column_sums(state.table, ensemble), 1)
    overall = shares(ensemble)
    assert np.allclose(state.table[:, 4], overall)  # a cluster without rows is like all objects
    own = (ensemble.codes[:, 0] == 1) & (labels == 2)
    seen = (ensemble.codes[:, 0] >= 0) & (labels == 2)
    share = ensemble.row_weights[own].sum() / ensemble.row_weights[seen].sum()
    assert state.table[1, 2] == pytest.approx(0.5 * share + 0.5 * overall[1])
