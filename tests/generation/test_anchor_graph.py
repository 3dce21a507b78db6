"""The graph of objects and representatives, its cut and the clusters of the embedding: against dense twins."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from partita.generation import _anchor_graph
from partita.generation._anchor_ensemble import left_vectors
from partita.generation._anchor_graph import cluster_embedded, cut_graph, make_graph, pair_weights


@pytest.fixture
def made(rng):
    X = rng.standard_normal((120, 3))
    return X, *make_graph(X, 30, 4, 0)


def dense_weights(X, graph, links):
    """B by hand, from the features (eq. R59)."""
    points = graph.representatives.points
    B = np.zeros((len(X), len(points)))
    apart = np.sqrt(((X[:, None] - points) ** 2).sum(axis=2))
    kept = np.take_along_axis(apart, links.nearest.astype(int), axis=1)
    for i, row in enumerate(links.nearest):
        B[i, row] = np.exp(-(apart[i, row] ** 2) / (2 * kept.mean() ** 2)) + 1e-6
    return B


def test_weights_are_gaussian_with_the_mean_distance_as_scale(made):
    X, graph, links = made
    np.testing.assert_allclose(graph.weights(links).toarray(), dense_weights(X, graph, links), rtol=1e-10)


def test_sums_over_pairs_of_links_are_the_product_of_matrices(made):
    X, graph, links = made
    B = dense_weights(X, graph, links)
    np.testing.assert_allclose(pair_weights(graph, links), B.T @ np.diag(1 / B.sum(axis=1)) @ B, rtol=1e-10)


def test_the_cut_is_dense_spectral_clustering_of_the_bipartite_graph(made):
    """Random walk on the graph of objects and representatives, all n + p of them, decomposed as one matrix."""
    X, graph, links = made
    B = dense_weights(X, graph, links)
    n, p = B.shape
    A = np.block([[np.zeros((n, n)), B], [B.T, np.zeros((p, p))]])
    root = 1 / np.sqrt(A.sum(axis=1))
    values, vectors = np.linalg.eigh(root[:, None] * A * root)
    cut = cut_graph(graph, links, 6)
    np.testing.assert_allclose(cut.singular_values[:6], values[::-1][:6], rtol=1e-9)
    ours = cut.embed_memberships(B)
    expected = (root[:, None] * vectors)[:n, ::-1][:, :6] * values[::-1][:6]
    for mine, theirs in zip(ours.T, expected.T, strict=True):
        cosine = mine @ theirs / np.linalg.norm(mine) / np.linalg.norm(theirs)
        assert abs(cosine) == pytest.approx(1, abs=1e-9)


def test_left_vectors_are_those_of_the_singular_value_decomposition(made):
    X, graph, links = made
    B = dense_weights(X, graph, links)
    root = 1 / np.sqrt(B.sum(axis=1))
    U = np.linalg.svd(root[:, None] * B / np.sqrt(B.sum(axis=0)))[0][:, :5]
    ours = _anchor_graph.unit_rows(B @ left_vectors(graph, links, 5))
    theirs = _anchor_graph.unit_rows(U)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-9)


def test_clusters_are_k_means_of_the_unit_rows(made):
    X, graph, links = made
    cut = cut_graph(graph, links, 4)
    found = cluster_embedded(graph, links, cut.cell_map, 4, 7)
    points = _anchor_graph.unit_rows(cut.embed_memberships(dense_weights(X, graph, links)))
    by_hand = KMeans(4, n_init=1, max_iter=100, random_state=7).fit(points)
    assert adjusted_rand_score(by_hand.labels_, found.labels) == 1
    assert (found.clusters.place(X) == found.labels).all()


def test_many_objects_are_placed_by_the_centres_of_a_sample(monkeypatch):
    X, truth = make_moons(3000, noise=0.05, random_state=0)
    graph, links = make_graph(X, 300, 5, 0)
    cell_map = cut_graph(graph, links, 2).cell_map
    monkeypatch.setattr(_anchor_graph, "_FITTED", 400)
    found = cluster_embedded(graph, links, cell_map, 2, 0)
    assert adjusted_rand_score(truth, found.labels) > 0.99


@pytest.mark.parametrize("data", [make_moons, make_circles])
def test_one_cut_finds_what_k_means_cannot(data):
    options = {"noise": 0.05, "random_state": 0} | ({"factor": 0.5} if data is make_circles else {})
    X, truth = data(2000, **options)
    graph, links = make_graph(X, 400, 5, 0)
    found = cluster_embedded(graph, links, cut_graph(graph, links, 2).cell_map, 2, 0)
    assert adjusted_rand_score(truth, found.labels) > 0.99
    assert adjusted_rand_score(truth, KMeans(2, n_init=10, random_state=0).fit_predict(X)) < 0.6


def test_an_object_far_from_all_others_has_a_place(rng):
    X = np.vstack([rng.standard_normal((200, 2)), [[1e6, 1e6]]])
    graph, links = make_graph(X, 20, 5, 0)
    found = cluster_embedded(graph, links, cut_graph(graph, links, 3).cell_map, 3, 0)
    assert np.isfinite(found.clusters.table).all()
    assert (found.clusters.place(np.array([[1e9, 0.0], [0.0, -1e9]])) >= 0).all()


def test_a_representative_without_links_is_left_out_of_the_cut(made):
    _, graph, links = made
    few = links.take(slice(0, 5))
    cut = cut_graph(graph, few, 3)
    unused = np.setdiff1d(np.arange(30), few.nearest)
    assert len(unused)
    assert (cut.cell_map[unused] == 0).all()
    assert np.abs(cut.cell_map).max() < 1e6


def test_objects_that_all_coincide_are_one_cluster():
    X = np.ones((20, 2))
    graph, links = make_graph(X, 5, 5, 0)
    assert graph.scale == 1
    found = cluster_embedded(graph, links, cut_graph(graph, links, 1).cell_map, 1, 0)
    assert (found.labels == 0).all()
