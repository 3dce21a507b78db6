"""MCLA: the graph of the clusters and the association of objects against double loops."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from partita import MCLA
from partita.consensus.graph import _mcla
from partita.consensus.graph._cell_memberships import cell_memberships
from partita.consensus.graph._graph_partition import GraphPartition, PartitionerSettings, normalised_cut
from tests.consensus.graph.label_ensembles import as_ensemble
from tests.ensembles import noisy_ensemble


def test_a_strict_imbalance_balances_meta_clusters(monkeypatch):
    X, _ = noisy_ensemble(sizes=(150, 30, 20), n_clusterings=20)
    seen = {}

    def spy(W, n_parts, vertex_weights, settings, also):
        seen["weights"], seen["found"] = vertex_weights, partition_graph(W, n_parts, vertex_weights, settings, also)
        return seen["found"]

    partition_graph = _mcla.partition_graph
    monkeypatch.setattr(_mcla, "partition_graph", spy)
    MCLA(3, partitioner="metis", imbalance=0.05, random_state=0).fit(X)
    mass = np.bincount(seen["found"].labels, weights=seen["weights"])
    assert mass.max() <= 1.05 * mass.mean() + seen["weights"].max()


def test_mcla_partitions_the_jaccard_of_the_clusters(monkeypatch, rng):
    X = noisy_ensemble(missing=0.3, flip=0.3, n_clusterings=5).X[:25]
    weights, row_weights = rng.random(5) + 0.5, rng.integers(1, 4, 25)
    seen = {}

    def spy(W, n_parts, vertex_weights, settings, also):
        seen.update(W=W, weights=vertex_weights)
        return GraphPartition(np.arange(len(vertex_weights)) % n_parts, "spectral")

    monkeypatch.setattr(_mcla, "partition_graph", spy)
    _mcla.meta_cluster(cell_memberships(as_ensemble(X, weights, row_weights)), 3, PartitionerSettings())
    clusters = [
        (j, {(i, c) for i in np.flatnonzero(X[:, j] == label) for c in range(row_weights[i])})
        for j in range(5)
        for label in range(X[:, j].max() + 1)
    ]
    expected = [
        [0 if i == j else len(a & b) / len(a | b) * np.sqrt(weights[i] * weights[j]) for j, b in clusters]
        for i, a in clusters
    ]
    assert np.allclose(seen["W"], expected)
    assert seen["weights"].tolist() == [len(members) for _, members in clusters]


def test_mcla_association_is_the_mean_over_clusters_that_could_hold_the_object(rng):
    X = noisy_ensemble(missing=0.4, n_clusterings=6).X[:20]
    weights = rng.random(6) + 0.5
    ensemble = as_ensemble(X, weights)
    cells = [(j, label) for j in range(6) for label in range(X[:, j].max() + 1)]
    meta = rng.integers(3, size=len(cells))
    found = _mcla.associate(ensemble.indicator, X >= 0, meta, ensemble.cell_clustering, ensemble.cell_weights)
    for i in range(20):
        for k in range(3):
            mine = [cell for cell, part in zip(cells, meta, strict=True) if part == k and X[i, cell[0]] >= 0]
            total = sum(weights[j] for j, _ in mine)
            hit = sum(weights[j] for j, label in mine if X[i, j] == label)
            assert found[i, k] == pytest.approx(hit / total if total else 0)


def test_a_tie_goes_to_the_heavier_meta_cluster(monkeypatch):
    X = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 1]])  # object 2 is in one cluster of each meta-cluster
    for parts in ([0, 1, 0, 1], [1, 0, 1, 0]):
        found = GraphPartition(np.array(parts), "spectral")
        monkeypatch.setattr(_mcla, "partition_graph", lambda *args, found=found: found)
        labels = _mcla.meta_cluster(cell_memberships(as_ensemble(X)), 2, PartitionerSettings()).labels
        assert labels.tolist() == [1, 1, 0, 0, 0, 0]


def test_the_better_of_a_weighted_and_an_unweighted_cut_is_kept(monkeypatch):
    X, truth = noisy_ensemble(sizes=(3000, 60, 40, 20), n_clusterings=15, flip=0.1)
    parts = []

    def spy(W, n_parts, vertex_weights, settings, also):
        alone = partition_graph(W, n_parts, vertex_weights, settings)
        best = partition_graph(W, n_parts, vertex_weights, settings, also)
        cut = [normalised_cut(sparse.csr_array(W), labels, n_parts) for labels in (alone.labels, *also, best.labels)]
        parts.append(len(also))
        assert cut[-1] == min(cut)
        return best

    partition_graph = _mcla.partition_graph
    monkeypatch.setattr(_mcla, "partition_graph", spy)
    for partitioner in ("auto", "spectral"):
        assert adjusted_rand_score(truth, MCLA(4, partitioner=partitioner, random_state=0).fit(X).labels_) > 0.9
    assert parts == [1, 1]
    MCLA(4, partitioner="metis", random_state=0).fit(X)
    assert parts == [1, 1, 0]
