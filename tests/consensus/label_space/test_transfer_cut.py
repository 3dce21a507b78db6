"""The transfer cut against the singular vectors of the whole graph, and the eigenvalues of a fixed example."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from partita._labels.tables import cluster_entropies, cluster_tables, entropy_weights
from partita.consensus.graph._spectral import embed_factor
from partita.consensus.label_space import _transfer_cut as module
from partita.consensus.label_space._transfer_cut import (
    cell_graph,
    components,
    cut_cells,
    membership_graph,
    transfer_cut,
    unit_rows,
)
from tests.consensus.label_space.fixed_ensembles import BOTH, distinct, objects, random_ensemble

EIGENVALUES = {
    ("complete", np.inf): [1, 0.884771, 0.599226, 0.309443, 0.138067],
    ("complete", 0.4): [1, 0.955673, 0.738408, 0.463153],
    ("complete", 1): [1, 0.918553, 0.656207, 0.376414],
    ("holes", np.inf): [1, 0.894698, 0.618330, 0.426347, 0.159912],
    ("holes", 0.4): [1, 0.963912, 0.825305, 0.668355],
    ("holes", 1): [1, 0.927674, 0.696232, 0.538870],
}


def index(ensemble, theta=0.4):
    tables = cluster_tables(ensemble)
    return entropy_weights(cluster_entropies(tables), tables.seen, tables.clustering_weights, theta)


@pytest.mark.parametrize(("name", "theta"), EIGENVALUES)
def test_eigenvalues_of_the_papers_example(name, theta):
    ensemble, expected = objects(BOTH[name]), EIGENVALUES[name, theta]
    found = transfer_cut(ensemble, index(ensemble, theta), len(expected) - 1)
    assert np.allclose(found.singular_values**2, expected, atol=1e-6)


@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_it_is_the_singular_value_decomposition_of_the_whole_graph(missing):
    X = random_ensemble(n=70, missing=missing, seed=1)
    ensemble = objects(X, row_weights=np.arange(1.0, 71))
    e = index(ensemble)
    B = ensemble.indicator.toarray() * e
    dx, w = B.sum(axis=1), ensemble.row_weights
    U, s, _ = np.linalg.svd(np.sqrt(w / dx)[:, None] * B / np.sqrt(w @ B), full_matrices=False)
    cut = transfer_cut(ensemble, e, 4)
    assert np.allclose(cut.singular_values, s[:5], atol=1e-12)
    expected = s[:4] * U[:, :4] / np.sqrt(w * dx)[:, None]
    found = cut.embed(ensemble)
    assert np.allclose(np.abs(found), np.abs(expected), atol=1e-12)
    signs = np.sign((found * expected).sum(axis=0))
    assert np.allclose(found * signs, expected, atol=1e-12)


def test_unweighted_vectors_span_those_of_hbgf():
    ensemble = objects(random_ensemble(n=50, missing=0.1))
    cut = transfer_cut(ensemble, np.ones(ensemble.n_cells), 3)
    degree = np.sqrt(ensemble.indicator.sum(axis=1))[:, None]
    U = embed_factor(ensemble.indicator, ensemble.row_weights, 3, 0, bipartite=True)[0]
    ours, theirs = np.linalg.qr(cut.embed(ensemble) * degree)[0], np.linalg.qr(U)[0]
    assert np.allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-10)


@pytest.mark.parametrize("name", BOTH)
def test_rows_and_objects_have_the_same_embedding(name):
    X = BOTH[name]
    rows, row_of = distinct(X)
    of_rows = transfer_cut(rows, index(rows), 4)
    of_objects = transfer_cut(objects(X), index(objects(X)), 4)
    assert np.allclose(of_rows.embed(rows)[row_of], of_objects.embed(objects(X)), atol=1e-12)


def test_graphs_of_blocks_add_up_and_memberships_give_the_same():
    ensemble = objects(random_ensemble(n=60))
    e = index(ensemble)
    W = cell_graph(ensemble, e)
    parts = [ensemble.with_rows(ensemble.codes[lo : lo + 20].copy()) for lo in (0, 20, 40)]
    assert np.allclose(sum(cell_graph(part, e) for part in parts), W, rtol=1e-12)
    assert np.allclose(W.sum(axis=1), e * ensemble.cell_mass, rtol=1e-12)  # d = B' w
    for H in (ensemble.indicator, ensemble.indicator.toarray()):
        assert np.allclose(membership_graph(H, ensemble.row_weights, e), W, rtol=1e-12)
        assert np.allclose(cut_cells(W, e, 3).embed_memberships(H), cut_cells(W, e, 3).embed(ensemble), atol=1e-14)


def test_lanczos_finds_the_same_vectors(monkeypatch):
    ensemble = objects(random_ensemble(n=400, m=6, n_labels=8))
    e = index(ensemble)
    dense = transfer_cut(ensemble, e, 5)
    monkeypatch.setattr(module, "_DENSE", 10)
    sparse = transfer_cut(ensemble, e, 5)
    assert np.allclose(sparse.singular_values, dense.singular_values, atol=1e-10)
    assert np.allclose(sparse.cell_map, dense.cell_map, atol=1e-8)


def test_leading_vectors_are_those_of_a_larger_cut():
    ensemble = objects(random_ensemble())
    large, small = transfer_cut(ensemble, index(ensemble), 6), transfer_cut(ensemble, index(ensemble), 3)
    assert np.allclose(large.take(3).cell_map, small.cell_map, atol=1e-10)
    assert np.allclose(large.take(3).singular_values, small.singular_values, atol=1e-12)


def test_components_are_parts_without_common_objects():
    X = np.array([[0, 0], [0, 1], [1, 2], [2, 3], [2, 3]], dtype=np.int32)
    ensemble = objects(X)
    found = components(cell_graph(ensemble, np.ones(ensemble.n_cells)))
    assert found[ensemble.first_cell[0] + X[:, 0]].tolist() == found[ensemble.first_cell[1] + X[:, 1]].tolist()
    assert len(set(found.tolist())) == 3


@pytest.mark.parametrize("density", [0.0, 0.005, 0.02, 0.5])
@pytest.mark.parametrize("block", [1, 64])
def test_components_and_their_numbers_are_those_of_the_graph(density, block, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", block)
    W = (np.random.default_rng(3).random((120, 120)) < density).astype(float)
    W += W.T
    assert np.array_equal(components(W), connected_components(csr_array(W), directed=False)[1])


def test_more_vectors_than_cells_are_as_many_as_there_are():
    ensemble = objects(BOTH["complete"])
    assert transfer_cut(ensemble, np.ones(9), 20).cell_map.shape == (9, 9)


def test_unit_rows_keep_rows_of_zeros():
    assert np.allclose(unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])), [[0.6, 0.8], [0, 0]])


def test_eigenvalues_that_lie_too_close_for_lanczos_are_found_by_the_dense_way(monkeypatch):
    """Many equal ones, as where clusterings agree nearly everywhere."""
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.standard_normal((200, 200)))[0]
    values = np.r_[np.ones(4), np.full(12, 1 - 1.5e-6), np.linspace(0.9, 0.0, 184)]
    normal = (basis * values) @ basis.T
    monkeypatch.setattr(module, "_DENSE", 100)
    assert module._by_lanczos((normal + normal.T) / 2, 6) is None
    found, V = module.leading_vectors((normal + normal.T) / 2, 6)
    np.testing.assert_allclose(found, [1, 1, 1, 1, 1 - 1.5e-6, 1 - 1.5e-6], rtol=0, atol=1e-12)
    np.testing.assert_allclose(normal @ V, V * found, atol=1e-10)


def test_lanczos_and_the_dense_way_agree(monkeypatch):
    rng = np.random.default_rng(1)
    basis = np.linalg.qr(rng.standard_normal((200, 200)))[0]
    normal = (basis * np.linspace(1.0, 0.0, 200) ** 3) @ basis.T
    dense = module.leading_vectors((normal + normal.T) / 2, 4)
    monkeypatch.setattr(module, "_DENSE", 100)
    assert module._by_lanczos((normal + normal.T) / 2, 4) is not None
    for ours, theirs in zip(module.leading_vectors((normal + normal.T) / 2, 4), dense, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
