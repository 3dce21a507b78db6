"""Spectral embeddings against dense eigenvectors and singular vectors."""

import numpy as np
import pytest
from scipy import sparse

from partita.consensus.graph import _spectral


@pytest.mark.parametrize("dense", [600, 5])
def test_factor_and_graph_have_the_same_eigenvectors(dense, rng, monkeypatch):
    monkeypatch.setattr(_spectral, "_DENSE", dense)
    A = rng.random((30, 8)) * (rng.random((30, 8)) < 0.5)
    A[:, 0] += 0.1
    row_weights = rng.integers(1, 4, 30).astype(float)
    U, V = _spectral.embed_factor(sparse.csr_array(A), row_weights, 3, 0)
    of_graph = _spectral.embed_graph(sparse.csr_array(A @ A.T), row_weights, 3, 0)
    assert np.allclose(U @ U.T, of_graph @ of_graph.T, atol=1e-8)
    scale = np.sqrt(row_weights / (A @ (A.T @ row_weights)))
    left, _, right = np.linalg.svd(scale[:, None] * A, full_matrices=False)
    assert np.allclose(U @ U.T, left[:, :3] @ left[:, :3].T, atol=1e-8)
    assert np.allclose(V @ V.T, right[:3].T @ right[:3], atol=1e-8)


def test_bipartite_embedding_is_the_svd_of_the_scaled_matrix(rng):
    A = rng.random((20, 6)) + 0.01
    U, V = _spectral.embed_factor(sparse.csr_array(A), np.ones(20), 3, 0, bipartite=True)
    left, _, right = np.linalg.svd(A / np.sqrt(np.outer(A.sum(axis=1), A.sum(axis=0))), full_matrices=False)
    assert np.allclose(U @ U.T, left[:, :3] @ left[:, :3].T, atol=1e-8)
    assert np.allclose(V @ V.T, right[:3].T @ right[:3], atol=1e-8)
    assert np.allclose(U @ V.T, left[:, :3] @ right[:3], atol=1e-8)


@pytest.mark.parametrize("bipartite", [False, True])
def test_a_row_of_weight_w_stands_for_w_rows(bipartite, rng):
    A = rng.random((12, 5)) + 0.01
    row_weights = rng.integers(1, 5, 12)
    U, V = _spectral.embed_factor(sparse.csr_array(A), row_weights.astype(float), 3, 0, bipartite=bipartite)
    copies = sparse.csr_array(np.repeat(A, row_weights, axis=0))
    all_U, all_V = _spectral.embed_factor(copies, np.ones(row_weights.sum()), 3, 0, bipartite=bipartite)
    spread = np.repeat(U / np.sqrt(row_weights)[:, None], row_weights, axis=0)
    assert np.allclose(spread @ spread.T, all_U @ all_U.T, atol=1e-8)
    assert np.allclose(V @ V.T, all_V @ all_V.T, atol=1e-8)


def test_fewer_points_than_clusters_give_no_warning_of_scikit_learn(rng):
    points = np.repeat(np.eye(2), 25, axis=0)  # k-means says that it found 2 clusters; warnings are errors here
    labels = _spectral.cluster_rows(points, np.ones(50), 4, 0)
    assert len(np.unique(labels)) == 2
    assert len(np.unique(labels[:25])) == len(np.unique(labels[25:])) == 1
