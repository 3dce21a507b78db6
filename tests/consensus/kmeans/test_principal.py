"""The start of k-means from the leading singular vectors (eq. M60)."""

import numpy as np
import pytest

from partita._labels.ensemble import Ensemble
from partita.consensus.kmeans import _principal as module
from partita.consensus.kmeans._lloyd import as_points, start_clusters
from tests.ensembles import noisy_ensemble


@pytest.fixture
def points(rng):
    X = np.unique(noisy_ensemble(sizes=(60, 50, 40), missing=0.1, flip=0.2).X, axis=0)
    weights = rng.random(X.shape[1]) + 0.5
    return as_points(Ensemble(X.astype(np.int32), X.max(axis=0) + 1, weights, rng.random(len(X)) + 0.1))


def dense_rows(points):
    """X: indicators, the mean where a label is missing, scaled by the roots of the weights."""
    layout, n_cells = points.space.layout, points.space.layout.n_cells
    X = np.zeros((len(points.cells), n_cells))
    for i, row in enumerate(points.cells):
        for j, cell in enumerate(row):
            own = layout.cell_clustering == j
            X[i, own] = points.space.mean[own] if cell >= n_cells else np.arange(n_cells)[own] == cell
    return X * np.sqrt(layout.cell_weights)


def test_rows_are_projected_on_the_leading_eigenvectors(points, monkeypatch):
    monkeypatch.setattr(module, "_TOL", 1e-12)
    X, k = dense_rows(points), 3
    vectors = np.linalg.eigh(X.T @ (points.row_weights[:, None] * X))[1][:, -k:]
    found, expected = module.project(points, module._indicators(points), k, 0), X @ vectors
    assert np.allclose(found @ found.T, expected @ expected.T, atol=1e-8)  # signs are free


def test_clusters_hold_all_rows(points):
    mass = module.principal_clusters(points, 3, 0)
    assert np.allclose(mass.sum(axis=0), points.row_weights @ module._indicators(points).toarray())
    assert (points.space.sizes(mass) > 0).all()


def test_plus_plus_stands_in_where_vectors_are_of_no_use(points, monkeypatch):
    assert np.array_equal(module.principal_clusters(points, 1, 0), start_clusters(points, 1, 0))
    monkeypatch.setattr(module, "_MANY", 3)
    assert np.array_equal(module.principal_clusters(points, 5, 0), start_clusters(points, 5, 0))


def test_plus_plus_stands_in_where_vectors_are_not_found(points, monkeypatch):
    def fail(*args):
        raise module.ArpackError(-9999)

    monkeypatch.setattr(module, "project", fail)
    assert np.array_equal(module.principal_clusters(points, 3, 0), start_clusters(points, 3, 0))
