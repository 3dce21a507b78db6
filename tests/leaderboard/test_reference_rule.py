"""The plain rule of the leaderboard, against formulas written out."""

import numpy as np
import pytest
from benchmarks import _reference_rule as rule
from sklearn.metrics import adjusted_rand_score, mutual_info_score


def noisy(n, k, n_clusterings, flip, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    labels = [np.where(rng.random(n) < flip, rng.integers(k, size=n), truth) for _ in range(n_clusterings)]
    return truth, np.column_stack(labels)


@pytest.mark.parametrize("k", [3, 6])
def test_it_finds_clusters_that_the_clusterings_agree_on(k):
    truth, labels = noisy(240, k, 12, 0.15)
    found = rule.reference_rule(labels)
    assert found.n_clusters == k
    assert adjusted_rand_score(truth, found.labels) > 0.99
    assert adjusted_rand_score(truth, rule.weighted_cut(labels, k).labels) > 0.99
    np.testing.assert_array_equal(found.labels, rule.reference_rule(labels).labels)


def test_two_rows_are_two_clusters():
    assert rule.reference_rule(np.array([[0, 0], [1, 1], [0, 0]])).n_clusters == 2


def test_entropies_are_those_of_the_paper():
    """A cluster of four objects that another clustering splits into 1 and 3, and one that it keeps."""
    labels = np.array([[0, 0], [0, 1], [0, 1], [0, 1], [1, 2], [1, 2]])
    entropies, seen = rule.split_entropies(rule.distinct(labels))
    split = -(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75))
    np.testing.assert_allclose(entropies[:2], [[0, split], [0, 0]], atol=1e-12)
    assert seen.all()
    weights = rule.weights_of_clusters(entropies, seen)
    np.testing.assert_allclose(weights[:2], [np.exp(-split / (0.4 * 2)), 1])


@pytest.mark.parametrize("n", [12, 200])  # fewer rows than clusters, and more
def test_the_embedding_is_that_of_the_normalised_graph(n):
    _, labels = noisy(n, 4, 5, 0.4)
    rows = rule.distinct(labels)
    cluster_weights = np.linspace(0.5, 1, rows.indicator.shape[1])
    values, vectors = rule.embedding(rows.indicator, rows.weights, cluster_weights, 4)
    graph = (rows.indicator.toarray() * cluster_weights)[rows.row_of]  # one row per object
    degrees, sizes = graph.sum(axis=1), graph.sum(axis=0)
    u, s, _ = np.linalg.svd(graph / np.sqrt(np.outer(degrees, sizes)), full_matrices=False)
    np.testing.assert_allclose(values, s[:4], atol=1e-7)
    expected = s[:4] * u[:, :4] / np.sqrt(degrees)[:, None]
    np.testing.assert_allclose(np.abs(vectors[rows.row_of]), np.abs(expected), atol=1e-7)


def test_agreement_of_two_partitions():
    first, second = np.array([0, 0, 1, 1, 2, 2, 2]), np.array([0, 0, 0, 1, 1, 2, 2])
    weights = np.array([1, 2, 1, 3, 1, 1, 2])
    long = [np.repeat(side, weights) for side in (first, second)]
    m = weights.sum()
    information = mutual_info_score(*long)
    entropy = np.mean([mutual_info_score(side, side) for side in long])
    chance = 2 * 2 / (2 * m)
    expected = [3 * (information - chance) - 2 * entropy, (information - chance) / (entropy - chance)]
    np.testing.assert_allclose(rule.agreement_of(first, second, weights), expected)
    np.testing.assert_allclose(rule.agreement_of(0 * first, 0 * second, weights), [0, 0])


def test_weights_of_kmeans_stand_for_copies():
    rng = np.random.default_rng(3)
    points, weights = rng.normal(size=(9, 2)), rng.integers(1, 4, size=9)
    copies, centres = np.repeat(points, weights, axis=0), points[:3]
    labels, found, error = rule.lloyd(points, weights.astype(float), centres)
    of_copies = rule.lloyd(copies, np.ones(len(copies)), centres)
    np.testing.assert_array_equal(np.repeat(labels, weights), of_copies[0])
    np.testing.assert_allclose(found, of_copies[1])
    assert error == pytest.approx(((copies - found[np.repeat(labels, weights)]) ** 2).sum())
