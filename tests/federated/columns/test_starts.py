"""Starts by columns: annealing and merging from sums, against the pooled search and against brute force."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_wine

from partita import KMeansEnsemble, MultinomialMixture
from partita.consensus.models._em import column_sums
from partita.consensus.models._starts import label_mass
from partita.federated import simulate
from partita.federated.columns._starts import annealed_starts, find_starts, merge_path, soften
from tests.ensembles import noisy_ensemble, same_partition
from tests.federated.columns.parts import opened, pooled, split_columns
from tests.federated.parts import labels_with_holes

WEIGHTS = [1, 2, 1, 0.5, 1, 1, 1, 1]


def log_probability(ensemble, labels):
    """Log p(labels, clusters) at the best parameters, cluster by cluster."""
    mass, size = label_mass(ensemble, labels, labels.max() + 1), np.bincount(labels)
    share = mass / np.maximum(column_sums(mass, ensemble)[ensemble.cell_clustering], 1)
    of_labels = ensemble.cell_weights @ (mass * np.log(np.where(mass > 0, share, 1)))
    return of_labels.sum() + (size * np.log(size / size.sum())).sum()


def test_every_merge_is_the_best_one():
    X = labels_with_holes()
    ensemble = pooled(X, WEIGHTS)
    sites, _, common = opened(MultinomialMixture(3, weights=WEIGHTS), split_columns(X, (3, 5)))
    path = merge_path(sites, np.random.default_rng(0).integers(7, size=common.n))
    assert sorted(path) == [1, 2, 3, 4, 5, 6, 7]
    for k in range(7, 1, -1):
        merged = []
        for a, b in combinations(range(k), 2):
            labels = np.where(path[k] == b, a, path[k])
            merged.append(log_probability(ensemble, np.unique(labels, return_inverse=True)[1]))
        assert np.isclose(log_probability(ensemble, path[k - 1]), max(merged), rtol=1e-12)


def test_starts_take_sixty_exchanges_and_find_the_truth():
    X, truth = noisy_ensemble(seed=4)
    sites, _, common = opened(MultinomialMixture(3), split_columns(X, (5,)))
    n_before = len(sites.exchanges)
    alone = annealed_starts(sites, common, [3], 1)[0]
    assert len(sites.exchanges) - n_before == 60
    assert same_partition(alone, truth)
    for labels in find_starts(sites, common, 3, 2, seed=1):
        assert labels.max() <= 2


@pytest.mark.parametrize("seed", [0, 1])
def test_the_optimum_of_the_pooled_search_is_found(seed):
    features = load_wine().data
    X = KMeansEnsemble(12, random_state=seed).fit_transform((features - features.mean(0)) / features.std(0))
    X = np.asarray(X)
    want = MultinomialMixture(3, random_state=0).fit(X)
    parts = split_columns(X, (3, 8))
    got = simulate(MultinomialMixture(3, random_state=0), parts, by="columns", accept_disclosure=True)
    assert got.lower_bound_ > want.lower_bound_ - 1e-4 * abs(want.lower_bound_)


def test_soften_divides_rows_without_overflow():
    shares, logs = soften(np.array([[-2000.0, -2000.0], [800.0, 0.0]]))
    assert np.allclose(shares, [[0.5, 0.5], [1, 0]])
    assert np.allclose(logs, [-2000 + np.log(2), 800])
