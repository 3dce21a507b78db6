"""Silhouettes against naive loops over points and scikit-learn (eqs. I37, I38, I39)."""

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.datasets import load_iris

from partita import metrics
from partita.exceptions import LeftOutWarning
from tests.metrics.points import datasets, distance, every_metric, small_datasets


def silhouette_slowly(X, labels, variant, metric):
    """Silhouette of each point, by its definition."""
    values = []
    for i, x in enumerate(X):
        if np.sum(labels == labels[i]) == 1:
            values.append(0)
            continue
        to = {}
        for c in np.unique(labels):
            others = X[(labels == c) & (np.arange(len(X)) != i)]
            if variant in ("simplified", "hybrid"):
                to[c] = distance(x, X[labels == c].mean(axis=0), metric)
            else:
                to[c] = np.mean([distance(x, y, metric) for y in others])
        a = to.pop(labels[i])
        b = min(to.values())
        if variant in ("alternative", "hybrid"):
            values.append(b / (a + 1e-6))
        else:
            values.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    return np.array(values)


@small_datasets
@every_metric
@pytest.mark.parametrize("variant", ["original", "simplified", "alternative", "hybrid"])
def test_silhouettes_are_naive_loops(dataset, metric, variant):
    X, labels = datasets()[dataset]
    values = metrics.silhouette_samples(X, labels, variant, metric=metric)
    assert np.allclose(values, silhouette_slowly(X, labels, variant, metric), rtol=1e-8, atol=1e-10)
    assert metrics.silhouette_score(X, labels, variant, metric=metric) == pytest.approx(values.mean(), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_original_silhouettes_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(200, 4)) + 5, rng.integers(2 + seed, size=200)
    assert metrics.silhouette_score(X, labels) == pytest.approx(sk.silhouette_score(X, labels), rel=1e-10)
    ours, theirs = metrics.silhouette_samples(X, labels), sk.silhouette_samples(X, labels)
    assert np.allclose(ours, theirs, rtol=1e-10, atol=1e-10)
    city = sk.silhouette_score(X, labels, metric="cityblock")
    assert metrics.silhouette_score(X, labels, metric="cityblock") == pytest.approx(city, rel=1e-10)


def test_edges_of_the_silhouette():
    X, labels = [[0.0], [0.0], [0.0], [5.0]], [0, 0, 1, 2]
    for variant in ("original", "simplified", "alternative", "hybrid"):
        assert metrics.silhouette_samples(X, labels, variant).tolist() == [0, 0, 0, 0]  # a = b = 0, and singletons
        assert metrics.silhouette_score([[0.0], [1.0]], [0, 1], variant) == 0
        assert np.isnan(metrics.silhouette_samples(X, [1, 1, 1, 1], variant)).all()
    assert metrics.silhouette_score([[0.0], [0.0], [3.0], [3.0]], [0, 0, 1, 1], "alternative") == 3e6


def test_a_point_at_two_centroids_is_at_both(rng):
    """Means that differ by rounding only are one place: a = b = 0, and the silhouette is 0."""
    X, labels = np.array([[0.0], [1.0], [-2.0], [1.0], [2.0], [0.0], [1.0]]), [1, 0, 2, 0, 1, 3, 1]
    for shift in rng.normal(size=50):
        values = metrics.silhouette_samples(X + shift, labels, "simplified")
        assert np.allclose(values, silhouette_slowly(X, np.array(labels), "simplified", "euclidean"))
        assert values[6] == 0


def test_silhouettes_of_objects_left_out_are_nan():
    with pytest.warns(LeftOutWarning, match="1 of 4"):
        values = metrics.silhouette_samples([[0.0], [7.0], [1.0], [9.0]], [0, -1, 0, 1])
    assert np.isnan(values).tolist() == [False, True, False, False]
    assert np.array_equal(values[[0, 2, 3]], metrics.silhouette_samples([[0.0], [1.0], [9.0]], [0, 0, 1]))


@pytest.mark.parametrize("variant", ["original", "simplified", "alternative", "hybrid"])
def test_silhouettes_hold_no_table_of_clusters(variant, monkeypatch, rng):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1MiB")
    assert metrics.silhouette_score(rng.normal(size=(500, 1)), np.arange(500), variant) == 0


def test_silhouette_of_the_species_of_iris_is_the_known_value():
    assert metrics.silhouette_score(*load_iris(return_X_y=True)) == pytest.approx(0.5034, abs=1e-4)


def test_unknown_variants_and_metrics_are_refused(rng):
    X, labels = rng.normal(size=(4, 1)), [0, 0, 1, 1]
    with pytest.raises(ValueError, match="variant='new' is not known; choose 'original'"):
        metrics.silhouette_score(X, labels, "new")
    with pytest.raises(ValueError, match="metric='cosine' is not known; choose 'euclidean'"):
        metrics.silhouette_samples(X, labels, metric="cosine")
