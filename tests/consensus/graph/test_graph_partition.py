"""Partitions of small graphs against enumeration, embeddings against dense eigenvectors, and life without METIS."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

from partita import CSPA, HBGF, HGPA, MCLA
from partita.consensus.graph import _graph_partition as module
from partita.consensus.graph import _spectral
from partita.exceptions import PartitionerWarning
from tests.ensembles import noisy_ensemble, same_partition


def cut_by_hand(W, labels, n_parts):
    total = 0.0
    for part in range(n_parts):
        inside = [i for i in range(len(W)) if labels[i] == part]
        volume = sum(W[i, j] for i in inside for j in range(len(W)))
        total += sum(W[i, j] for i in inside for j in range(len(W)) if labels[j] != part) / volume
    return total


def planted_graph(sizes, rng, noise=0.05):
    truth = np.repeat(np.arange(len(sizes)), sizes)
    W = np.where(truth[:, None] == truth, 1.0, noise) * rng.uniform(0.5, 1, (len(truth), len(truth)))
    W = (W + W.T) / 2
    np.fill_diagonal(W, 0)
    return W, truth


@pytest.fixture
def no_extras(monkeypatch):
    monkeypatch.setattr(module, "available", lambda name: False)


def test_normalised_cut_is_the_formula(rng):
    W, _ = planted_graph((5, 4, 3), rng, noise=0.4)
    W += np.diag(rng.random(len(W)))
    labels = rng.permutation(np.arange(len(W)) % 3)
    assert module.normalised_cut(sparse.csr_array(W), labels, 3) == pytest.approx(cut_by_hand(W, labels, 3))
    assert module.normalised_cut(sparse.csr_array(W), labels % 2, 3) == np.inf


def test_cut_of_a_factor_is_the_cut_of_its_graph(rng):
    A = rng.random((9, 4)) * (rng.random((9, 4)) < 0.6)
    weight = rng.integers(1, 5, 9).astype(float)
    labels = np.arange(9) % 3
    W = A @ A.T * np.outer(weight, weight)
    found = module.cut_of_factor(sparse.csr_array(A), weight, labels, 3)
    assert found == pytest.approx(cut_by_hand(W, labels, 3))
    assert module.cut_of_factor(sparse.csr_array(A), weight, np.zeros(9, dtype=int), 3) == np.inf


@pytest.mark.parametrize("partitioner", ["auto", "metis", "spectral"])
def test_the_lowest_normalised_cut_of_a_small_graph_is_found(partitioner, rng):
    W, truth = planted_graph((5, 4), rng)
    lowest = min(cut_by_hand(W, (0, *rest), 2) for rest in product((0, 1), repeat=8) if any(rest))
    parts = module.partition_graph(W, 2, np.ones(9), partitioner=partitioner)
    assert cut_by_hand(W, parts.labels, 2) == pytest.approx(lowest)
    assert same_partition(parts.labels, truth)


@pytest.mark.parametrize("dense", [600, 5])
def test_factor_and_graph_have_the_same_eigenvectors(dense, rng, monkeypatch):
    monkeypatch.setattr(_spectral, "_DENSE", dense)
    A = rng.random((30, 8)) * (rng.random((30, 8)) < 0.5)
    A[:, 0] += 0.1
    weight = rng.integers(1, 4, 30).astype(float)
    U, V = _spectral.embed_factor(sparse.csr_array(A), weight, 3, 0)
    of_graph = _spectral.embed_graph(sparse.csr_array(A @ A.T), weight, 3, 0)
    assert np.allclose(U @ U.T, of_graph @ of_graph.T, atol=1e-8)
    scale = np.sqrt(weight / (A @ (A.T @ weight)))
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
    weight = rng.integers(1, 5, 12)
    U, V = _spectral.embed_factor(sparse.csr_array(A), weight.astype(float), 3, 0, bipartite=bipartite)
    copies = sparse.csr_array(np.repeat(A, weight, axis=0))
    all_U, all_V = _spectral.embed_factor(copies, np.ones(weight.sum()), 3, 0, bipartite=bipartite)
    spread = np.repeat(U / np.sqrt(weight)[:, None], weight, axis=0)
    assert np.allclose(spread @ spread.T, all_U @ all_U.T, atol=1e-8)
    assert np.allclose(V @ V.T, all_V @ all_V.T, atol=1e-8)


def test_embedding_separates_components():
    W = sparse.csr_array(np.kron(np.eye(3), np.ones((4, 4))))
    parts = module.partition_graph(W, 3, np.ones(12), partitioner="spectral")
    assert same_partition(parts.labels, np.repeat([0, 1, 2], 4))
    assert parts.partitioner == "spectral"


@pytest.mark.parametrize("imbalance", [0.05, 0.2])
def test_metis_keeps_the_imbalance(imbalance, rng):
    W, _ = planted_graph((150, 50), rng)
    parts = module.partition_graph(W, 2, np.ones(200), partitioner="metis", imbalance=imbalance)
    assert parts.partitioner == "metis"
    assert np.bincount(parts.labels).max() <= (1 + imbalance) * 100 + 1


def test_a_generous_imbalance_recovers_unequal_parts(rng):
    W, truth = planted_graph((150, 50), rng)
    assert same_partition(module.partition_graph(W, 2, np.ones(200)).labels, truth)
    strict = module.partition_graph(W, 2, np.ones(200), partitioner="metis", imbalance=0.05)
    assert not same_partition(strict.labels, truth)


def test_metis_balances_the_weights_of_the_vertices():
    path = np.diag(np.ones(99), 1)
    weight = np.repeat([5.0, 1.0], [20, 80])
    parts = module.partition_graph(path + path.T, 2, weight, partitioner="metis", imbalance=0.05)
    assert np.bincount(parts.labels, weights=weight).max() <= 1.05 * 90 + 5


def test_weights_become_whole_numbers():
    assert module.whole_weights(np.array([1.0, 3.0, 0.0])).tolist() == [1, 3, 0]
    assert module.whole_weights(np.array([0.25, 1.0, 0.5])).tolist() == [1, 4, 2]


def test_imbalances_end_with_the_allowed_one():
    assert module.imbalances_to_try(0.05) == [0.03, 0.05]
    assert module.imbalances_to_try(2.0)[-1] == 2.0
    assert module.imbalances_to_try(0.0) == [0.0]


@pytest.mark.parametrize("partitioner", ["auto", "metis", "spectral"])
def test_same_seed_same_labels(partitioner, rng):
    W, _ = planted_graph((20, 15, 10), rng, noise=0.7)
    runs = [module.partition_graph(W, 3, np.ones(45), partitioner=partitioner, seed=3).labels for _ in range(2)]
    assert np.array_equal(*runs)


def test_auto_is_never_worse_than_spectral_or_metis(rng):
    W, _ = planted_graph((20, 15, 10), rng, noise=0.8)
    found = [
        module.normalised_cut(
            sparse.csr_array(W), module.partition_graph(W, 3, np.ones(45), partitioner=name).labels, 3
        )
        for name in ("auto", "metis", "spectral")
    ]
    assert found[0] == min(found)


def test_nothing_to_partition():
    W = np.ones((3, 3))
    assert module.partition_graph(W, 1, np.ones(3)) == module.Parts(pytest.approx([0, 0, 0]), "none")
    assert module.partition_graph(W, 3, np.ones(3)) == module.Parts(pytest.approx([0, 1, 2]), "none")
    assert module.partition_factor(sparse.csr_array(W), 1, np.ones(3), 0).partitioner == "none"
    assert module.partition_factor(sparse.csr_array(W), 4, np.ones(3), 0).labels.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("method", "fallback"), [(CSPA, "spectral"), (MCLA, "spectral"), (HBGF, "spectral"), (HGPA, "clique")]
)
def test_without_the_extra_the_default_falls_back_and_says_so(method, fallback, no_extras):
    X, truth = noisy_ensemble(missing=0.3)
    model = method(3, random_state=0).fit(X)
    assert model.partitioner_ == fallback
    assert same_partition(model.labels_, truth)


@pytest.mark.parametrize(
    ("method", "asked", "fallback"),
    [
        (CSPA, "metis", "spectral"),
        (MCLA, "metis", "spectral"),
        (HBGF, "metis", "spectral"),
        (HGPA, "kahypar", "clique"),
    ],
)
def test_without_the_extra_a_partitioner_asked_for_by_name_warns(method, asked, fallback, no_extras):
    X = noisy_ensemble().X
    with pytest.warns(PartitionerWarning, match=rf"{asked}.*{fallback}.*partita\[graph\]"):
        model = method(3, partitioner=asked, random_state=0).fit(X)
    assert model.partitioner_ == fallback


def test_spectral_asks_for_no_extra(no_extras):
    X = noisy_ensemble().X
    assert HGPA(3, partitioner="clique", random_state=0).fit(X).partitioner_ == "clique"
    assert CSPA(3, partitioner="spectral", random_state=0).fit(X).partitioner_ == "spectral"


def test_graph_is_left_as_it_was(rng):
    W = sparse.csr_array(rng.random((12, 12)) + 5 * np.eye(12))
    W = sparse.csr_array(W + W.T)
    before = W.toarray().copy()
    module.partition_graph(W, 3, np.ones(12), partitioner="metis")
    assert np.array_equal(W.toarray(), before)


def test_whole_weights_are_bounded():
    assert module.whole_weights(np.array([0.5, 1.0, 0.0])).tolist() == [1, 2, 0]
    assert module.whole_weights(np.full(5, 1e15)).sum() <= 1.01e9
    assert (module.whole_weights(np.array([1e-12, 1.0])) >= 1).all()
