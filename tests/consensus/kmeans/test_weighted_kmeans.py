"""Weighted k-means against all partitions of few points, and against scikit-learn's."""

from itertools import product

import numpy as np
import pytest
from sklearn.cluster import KMeans

from partita.consensus.kmeans import _weighted_kmeans as module
from partita.consensus.kmeans._weighted_kmeans import nearest_center, polish, weighted_kmeans


def inertia_of(points, weights, labels):
    total = 0.0
    for cluster in set(labels):
        inside = np.asarray(labels) == cluster
        center = np.average(points[inside], axis=0, weights=weights[inside])
        total += weights[inside] @ ((points[inside] - center) ** 2).sum(axis=1)
    return total


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_the_best_partition_of_few_points(seed):
    rng = np.random.default_rng(seed)
    points, weights = rng.normal(size=(8, 2)), rng.integers(1, 4, 8).astype(float)
    found = weighted_kmeans(points, weights, 3, n_init=20, seed=seed)
    best = min(inertia_of(points, weights, labels) for labels in product(range(3), repeat=8))
    assert found.inertia == pytest.approx(best, rel=1e-9)
    assert found.inertia == pytest.approx(inertia_of(points, weights, found.labels.tolist()), rel=1e-9)


@pytest.mark.parametrize("n", [5, 7, 9])
def test_very_few_points_have_the_best_partition_of_all(n):
    rng = np.random.default_rng(n)
    for seed in range(12):
        points, weights = rng.normal(size=(n, 3)), rng.choice([1.0, 2, 5, 30], n)
        found = weighted_kmeans(points, weights, 2, seed=seed)
        best = min(
            inertia_of(points, weights, (0, *labels)) for labels in product(range(2), repeat=n - 1) if any(labels)
        )
        assert found.inertia == pytest.approx(best, rel=1e-9)
        assert np.array_equal(found.labels, nearest_center(points, found.centers))


@pytest.mark.parametrize(("n", "k", "number"), [(4, 2, 7), (6, 3, 90), (7, 7, 1), (9, 4, 7770), (5, 1, 1)])
def test_partitions_are_as_many_as_stirling_says(n, k, number):
    ways = module._partitions(n, k)
    assert len(np.unique(ways, axis=0)) == len(ways) == number
    assert all(len(set(way)) == k for way in ways.tolist())


def test_it_is_as_good_as_scikit_learns(rng):
    centers = rng.normal(size=(12, 6)) * 3
    points = (centers[:, None] + rng.normal(size=(12, 40, 6))).reshape(-1, 6)
    weights = rng.random(len(points)) + 0.1
    found = weighted_kmeans(points, weights, 12)
    peer = KMeans(12, n_init=10, random_state=0).fit(points, sample_weight=weights)
    assert found.inertia <= peer.inertia_ * (1 + 1e-6)


def test_a_point_twice_is_weight_two(rng):
    points = rng.normal(size=(40, 3))
    weights = rng.integers(1, 4, 40)
    single = weighted_kmeans(points, weights.astype(float), 4, n_init=30)
    repeated = weighted_kmeans(np.repeat(points, weights, axis=0), np.ones(weights.sum()), 4, n_init=30)
    assert single.inertia == pytest.approx(repeated.inertia, rel=1e-9)
    assert np.array_equal(np.unique(np.repeat(single.labels, weights), return_inverse=True)[0], np.arange(4))


def test_the_seed_decides_and_nothing_else(rng):
    points = rng.normal(size=(200, 5))
    first, again = (weighted_kmeans(points, np.ones(200), 6, n_init=3, seed=4) for _ in range(2))
    assert np.array_equal(first.labels, again.labels)
    assert np.array_equal(first.centers, again.centers)
    turned = weighted_kmeans(points * [1, -1, 1, -1, 1], np.ones(200), 6, n_init=3, seed=4)
    assert np.array_equal(first.labels, turned.labels)  # signs of vectors do not matter


def test_fewer_different_points_than_clusters_give_fewer_clusters(rng):
    points = np.repeat(np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]), 5, axis=0) + rng.normal(size=(15, 2)) * 1e-16
    found = weighted_kmeans(points, np.ones(15), 6)
    assert len(found.centers) == 3
    assert found.labels.tolist() == np.repeat(found.labels[::5], 5).tolist()
    assert weighted_kmeans(points[:1], np.ones(1), 3).labels.tolist() == [0]


def test_an_empty_cluster_takes_the_point_that_is_worst_off():
    points = np.array([[0.0], [0.1], [0.2], [10.0], [10.1], [50.0]])
    for seed in range(10):
        assert len(weighted_kmeans(points, np.ones(6), 4, n_init=1, seed=seed).centers) == 4


def test_polishing_ends_where_each_point_is_at_its_nearest_mean(rng):
    points, weights = rng.normal(size=(40_000, 2)), rng.random(40_000)  # more than one block
    labels, centers = polish(points, weights, points[:3], max_iter=500)
    means = [np.average(points[labels == q], axis=0, weights=weights[labels == q]) for q in range(3)]
    assert np.allclose(centers, means, atol=1e-12)
    distance = ((points[:, None] - centers) ** 2).sum(axis=2)
    assert np.array_equal(labels, distance.argmin(axis=1))
    once, moved = polish(points, weights, points[:3], max_iter=1)
    assert np.array_equal(once, nearest_center(points, moved))
