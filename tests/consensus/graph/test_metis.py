"""METIS finds all parts, keeps the balance, and prints nothing."""

import ctypes

import numpy as np
import pytest
from scipy import sparse

from partita._optional import available
from partita.consensus.graph import _metis as module
from tests.ensembles import same_partition

pytestmark = pytest.mark.skipif(not available("pymetis"), reason="pymetis is not installed")


def dense_graph(n, rng):
    W = rng.random((n, n))
    return sparse.csr_array(W + W.T)


def similar_rows(weights, n_clusters, rng):
    """Rows in clusters, with the edges of their objects, as in CSPA."""
    truth = np.arange(len(weights)) % n_clusters
    similarity = np.where(truth[:, None] == truth, 0.9, 0.1) + 0.05 * rng.random((len(weights), len(weights)))
    np.fill_diagonal(similarity, 1)
    return sparse.csr_array((similarity + similarity.T) * np.outer(weights, weights)), truth


def test_heavy_vertices_are_divided_into_pieces_of_the_same_graph(rng):
    W, weights = dense_graph(4, rng), np.array([1.0, 2.0, 40.0, 0.0])
    pieces = module.divide_vertices(W, weights, 2)  # at most 43 / 40 each, less than the lightest times two
    assert np.bincount(pieces.vertex).tolist() == [1, 2, 38, 1]
    assert np.allclose(np.bincount(pieces.vertex, weights=pieces.weights), weights)
    member = (pieces.vertex[:, None] == np.arange(4)).astype(float)
    assert np.allclose(member.T @ pieces.graph.toarray() @ member, W.toarray())


def test_equal_vertices_stay_whole(rng):
    W = dense_graph(6, rng)
    assert len(module.divide_vertices(W, np.full(6, 0.3), 5).vertex) == 6


def test_a_vertex_goes_where_most_of_its_pieces_are():
    pieces = module.VertexPieces(None, np.ones(6), np.array([0, 0, 0, 1, 2, 2]))
    assert pieces.join(np.array([1, 2, 2, 0, 1, 0]), 3).tolist() == [2, 0, 0]


@pytest.mark.parametrize("imbalance", [0.0, 0.05, 2.0, 5.0, 1e300])
@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_clusters_of_rows_of_very_unequal_weights_are_found(imbalance, scale, rng):
    weights = np.array([57.0, 38, 28, 1, 17, 3, 1, 4, 1])
    W, _ = similar_rows(weights, 3, rng)
    labels = module.metis_parts(W, 3, scale * weights, imbalance, 0)
    assert np.unique(labels).tolist() == [0, 1, 2]


def test_bisections_one_by_one_find_the_clusters_and_keep_the_balance(rng):
    weights = np.ones(60)
    W, truth = similar_rows(weights, 5, rng)
    labels = module._one_by_one(module.whole_graph(W), 5, np.full(60, 1000), 0.1, 0)
    assert same_partition(labels, truth)


def test_parts_without_a_vertex_of_weight_are_no_partition(monkeypatch, rng):
    monkeypatch.setattr(module, "_call", lambda graph, k, weights, *args, **more: np.zeros(len(weights), dtype=int))
    assert module.metis_parts(dense_graph(9, rng), 3, np.ones(9), 0.05, 0) is None


@pytest.mark.parametrize("n_parts", [1, 4, 9])
def test_what_metis_cannot_do_is_refused_before_the_call(n_parts, rng):
    with pytest.raises(ValueError, match=f"METIS cannot make {n_parts} parts"):
        module.metis_parts(dense_graph(6, rng), n_parts, np.array([1.0, 1, 1, 1, 0, 0]), 0.05, 0)


def test_metis_prints_nothing(capfd, rng):
    """Whole vertices of unequal weight made METIS print in every fifth fit, into the output of a command."""
    for _ in range(20):
        n = int(rng.integers(5, 40))
        k = int(rng.integers(3, n))
        weights = np.exp(rng.normal(0, 2, n))
        W, _ = similar_rows(weights, k, rng)
        for imbalance in (0.05, 1.0, 4.0):
            module.metis_parts(W, k, weights, imbalance, 0)
    ctypes.CDLL(None).fflush(None)  # of C, which METIS prints with
    assert capfd.readouterr().out == ""
