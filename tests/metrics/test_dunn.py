"""All forms of Dunn's index against naive loops over points (eqs. I33, I34, I35, I36)."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from partita import metrics
from partita.exceptions import NotEnoughMemoryError
from tests.metrics.points import datasets, distance, every_metric, small_datasets

SEPARATIONS = ("single", "complete", "average", "centroid", "hybrid", "hausdorff")


def separate_slowly(p, q, separation, metric):
    """Distance between two clusters, by its definition."""
    across = [[distance(x, y, metric) for y in q] for x in p]
    if separation == "single":
        return min(min(row) for row in across)
    if separation == "complete":
        return max(max(row) for row in across)
    if separation == "average":
        return sum(sum(row) for row in across) / (len(p) * len(q))
    if separation == "centroid":
        return distance(p.mean(axis=0), q.mean(axis=0), metric)
    if separation == "hybrid":
        to_q = sum(distance(x, q.mean(axis=0), metric) for x in p)
        to_p = sum(distance(y, p.mean(axis=0), metric) for y in q)
        return (to_q + to_p) / (len(p) + len(q))
    return max(max(min(row) for row in across), max(min(row) for row in np.transpose(across)))


def diameter_slowly(p, diameter, metric):
    within = [distance(x, y, metric) for x, y in combinations(p, 2)]
    if diameter == "max":
        return max(within, default=0.0)
    if diameter == "mean":
        return sum(within) / len(within) if within else 0.0
    return 2 * np.mean([distance(x, p.mean(axis=0), metric) for x in p]) if within else 0.0


def dunn_slowly(X, labels, separation, diameter, metric):
    clusters = [X[labels == c] for c in np.unique(labels)]
    apart = min(separate_slowly(p, q, separation, metric) for p, q in combinations(clusters, 2))
    wide = max(diameter_slowly(p, diameter, metric) for p in clusters)
    if wide < 1e-12:
        return np.inf if apart > 1e-12 else np.nan
    return apart / wide


@small_datasets
@every_metric
def test_all_forms_of_dunn_are_naive_loops(dataset, metric):
    X, labels = datasets()[dataset]
    table = metrics.dunn_scores(X, labels, metric=metric)
    assert table.shape == (6, 3)
    for separation in SEPARATIONS:
        for diameter in ("max", "mean", "centroid"):
            expected = dunn_slowly(X, labels, separation, diameter, metric)
            assert table.loc[separation, diameter] == pytest.approx(expected, rel=1e-10, abs=1e-12, nan_ok=True)
            alone = metrics.dunn_score(X, labels, separation, diameter, metric=metric)
            assert alone == pytest.approx(table.loc[separation, diameter], rel=1e-15, nan_ok=True)


def test_dunn_by_hand():
    X, labels = np.array([[0.0], [1.0], [9.0], [11.0]]), [0, 0, 1, 1]
    table = metrics.dunn_scores(X, labels)
    assert table["max"].tolist() == [4, 5.5, 4.75, 4.75, 4.75, 5]
    assert (table["max"] == table["mean"]).all()  # clusters of two points
    assert (table["max"] == table["centroid"]).all()
    assert metrics.dunn_score(X, labels) == table.loc["single", "max"]


def test_dunn_is_infinite_without_width_and_nan_without_meaning(rng):
    X = rng.normal(size=(5, 2))
    assert (metrics.dunn_scores(X, np.arange(5)) == np.inf).all(axis=None)
    assert (metrics.dunn_scores(np.repeat(X, 3, axis=0), np.repeat(np.arange(5), 3)) == np.inf).all(axis=None)
    assert metrics.dunn_scores(np.ones((4, 1)), [0, 0, 1, 1]).isna().all(axis=None)  # 0 / 0
    assert metrics.dunn_scores(X, np.zeros(5)).isna().all(axis=None)


def test_dunn_of_the_species_of_iris_is_that_of_the_loops():
    X, y = load_iris(return_X_y=True)
    assert metrics.dunn_score(X, y) == pytest.approx(dunn_slowly(X, y, "single", "max", "euclidean"), rel=1e-12)


def test_unknown_separations_diameters_and_metrics_are_refused(rng):
    X, labels = rng.normal(size=(4, 1)), [0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"separation='far' is not known; choose 'single', .* or 'hausdorff'"):
        metrics.dunn_score(X, labels, "far")
    with pytest.raises(ValueError, match="diameter=None is not known; choose 'max', 'mean' or 'centroid'"):
        metrics.dunn_score(X, labels, diameter=None)
    for function in (metrics.dunn_score, metrics.dunn_scores):
        with pytest.raises(ValueError, match="metric='cosine' is not known; choose 'euclidean'"):
            function(X, labels, metric="cosine")


def test_more_clusters_than_memory_are_refused(monkeypatch, rng):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1MiB")
    with pytest.raises(NotEnoughMemoryError, match=r"500 x 500 .*; merge clusters"):
        metrics.dunn_score(rng.normal(size=(500, 1)), np.arange(500))
