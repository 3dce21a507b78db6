"""The variance ratio and the Davies-Bouldin index against scikit-learn and by hand (eqs. I31, I32)."""

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.datasets import load_iris

from partita import metrics
from partita.exceptions import NotEnoughMemoryError
from tests.metrics.points import datasets


@pytest.mark.parametrize("seed", range(5))
def test_as_in_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(200, 4)) + 5, rng.integers(2 + seed, size=200)
    assert metrics.calinski_harabasz_score(X, labels) == pytest.approx(sk.calinski_harabasz_score(X, labels), rel=1e-10)
    assert metrics.davies_bouldin_score(X, labels) == pytest.approx(sk.davies_bouldin_score(X, labels), rel=1e-10)


@pytest.mark.parametrize("dataset", ["plain", "singletons", "duplicates", "large"])
def test_spread_is_spread_within_plus_spread_between(dataset):
    """T = W + B, and the index is tr B / tr W (n - k) / (k - 1)."""
    X, labels = datasets()[dataset]
    n, names = len(X), np.unique(labels)
    T = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    W, B = np.zeros_like(T), np.zeros_like(T)
    for c in names:
        points = X[labels == c]
        center = points.mean(axis=0)
        W += (points - center).T @ (points - center)
        B += len(points) * np.outer(center - X.mean(axis=0), center - X.mean(axis=0))
    assert np.allclose(T, W + B, rtol=1e-10)
    expected = np.trace(B) / np.trace(W) * (n - len(names)) / (len(names) - 1)
    assert metrics.calinski_harabasz_score(X, labels) == pytest.approx(expected, rel=1e-10)


def test_edges_of_the_variance_ratio(rng):
    X = rng.normal(size=(6, 2))
    assert np.isnan(metrics.calinski_harabasz_score(X, np.arange(6)))
    three_points, labels = np.repeat(X[:3] / 3, 7, axis=0), np.repeat([0, 1, 2], 7)
    assert metrics.calinski_harabasz_score(three_points, labels) == np.inf
    assert np.isnan(metrics.calinski_harabasz_score(np.ones((21, 2)), labels))  # 0 / 0


def test_edges_of_davies_bouldin(rng):
    X = rng.normal(size=(6, 2))
    assert metrics.davies_bouldin_score(X, np.arange(6)) == 0
    assert metrics.davies_bouldin_score(np.repeat(X, 3, axis=0), np.repeat(np.arange(6), 3)) == 0
    assert metrics.davies_bouldin_score([[0.0], [2.0], [1.0], [1.0]], [0, 0, 1, 1]) == np.inf
    assert metrics.davies_bouldin_score([[1.0], [1.0], [3.0]], [0, 1, 2]) == np.inf  # all alone, two at one place
    far = np.array([[0.0], [2.0], [1.0], [1.0], [1e9], [1e9]])
    assert metrics.davies_bouldin_score(far, [0, 0, 1, 1, 2, 2]) == np.inf


def test_small_units_are_not_taken_for_zero(rng):
    X, labels = rng.normal(size=(30, 2)), np.arange(30) % 3
    assert metrics.davies_bouldin_score(1e-9 * X, labels) == pytest.approx(sk.davies_bouldin_score(X, labels))


@pytest.mark.parametrize("far", [1e3, 1e6, 1e8, 1e12])
def test_davies_bouldin_beside_a_far_cluster_is_that_of_scikit_learn(far):
    X = np.array([0, 1, 2, 3, 4, 5, far])[:, None]
    labels = [0, 0, 0, 1, 1, 1, 2]
    # (2/3 + 2/3) / 3 for the near ones, and nothing for the far one
    assert metrics.davies_bouldin_score(X, labels) == pytest.approx(2 * (4 / 9) / 3, rel=1e-2 if far < 1e4 else 1e-5)
    assert metrics.davies_bouldin_score(X, labels) == pytest.approx(sk.davies_bouldin_score(X, labels), rel=1e-6)


def test_indices_of_the_species_of_iris_are_the_known_values():
    """The three species: stored values of both indices."""
    X, y = load_iris(return_X_y=True)
    assert metrics.calinski_harabasz_score(X, y) == pytest.approx(487.33, abs=0.01)
    assert metrics.davies_bouldin_score(X, y) == pytest.approx(0.7514, abs=1e-4)


def test_more_clusters_than_memory_are_refused(monkeypatch, rng):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1MiB")
    with pytest.raises(NotEnoughMemoryError, match=r"500 x 500 .*; merge clusters"):
        metrics.davies_bouldin_score(rng.normal(size=(500, 1)), np.arange(500))
