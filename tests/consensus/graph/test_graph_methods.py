"""CSPA, HGPA, MCLA and HBGF: what they partition, against double loops, and what they find."""

import time

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from partita import CSPA, HBGF, HGPA, MCLA
from partita._labels.ensemble import Ensemble
from partita.consensus.graph import _cspa, _hgpa, _mcla
from partita.consensus.graph._graph_partition import Parts
from partita.consensus.graph._indicator import indicator
from tests import twins
from tests.ensembles import noisy_ensemble, same_partition

METHODS = [CSPA, HGPA, MCLA, HBGF]
BY_NAME = [
    (CSPA, "metis"), (CSPA, "spectral"), (MCLA, "metis"), (MCLA, "spectral"), (HBGF, "metis"), (HBGF, "spectral"),
    (HGPA, "kahypar"), (HGPA, "clique"),
]  # fmt: skip


def as_ensemble(X, weights=None, counts=None):
    m = X.shape[1]
    weights = np.ones(m) if weights is None else np.asarray(weights, dtype=float)
    counts = np.ones(len(X)) if counts is None else np.asarray(counts, dtype=float)
    return Ensemble(X.astype(np.int32), X.max(axis=0).astype(np.int64) + 1, weights, counts)


@pytest.mark.parametrize("method", METHODS)
def test_unanimous_clusterings_are_recovered(method):
    X, truth = noisy_ensemble(sizes=(40, 20, 12, 6), flip=0, missing=0.3)
    model = method(4, random_state=0).fit(np.column_stack([X, truth]))
    assert same_partition(model.labels_, truth)
    assert np.bincount(model.labels_).tolist() == [40, 20, 12, 6]


@pytest.mark.parametrize(("method", "partitioner"), BY_NAME)
def test_every_partitioner_recovers_unanimous_clusters_of_like_sizes(method, partitioner):
    X, truth = noisy_ensemble(sizes=(24, 20, 18), flip=0, missing=0.3)
    model = method(3, partitioner=partitioner, random_state=0).fit(X)
    assert same_partition(model.labels_, truth)
    assert model.partitioner_ == partitioner
    assert model.n_clusters_ == 3


@pytest.mark.parametrize("method", METHODS)
def test_unbalanced_clusters_are_recovered_with_the_defaults(method):
    X, truth = noisy_ensemble(sizes=(2000, 300, 60), n_clusterings=20, flip=0.1, missing=0.3)
    model = method(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.95


@pytest.mark.parametrize(("method", "partitioner"), [(CSPA, "metis"), (HBGF, "metis"), (HGPA, "kahypar")])
def test_a_strict_imbalance_gives_balanced_clusters(method, partitioner):
    X, _ = noisy_ensemble(sizes=(150, 30, 20), n_clusterings=20)
    model = method(4, partitioner=partitioner, imbalance=0.05, random_state=0).fit(X)
    sizes = np.bincount(model.labels_)
    assert len(sizes) == 4
    assert sizes.max() <= np.ceil(1.05 * 50)


def test_a_strict_imbalance_balances_meta_clusters(monkeypatch):
    X, _ = noisy_ensemble(sizes=(150, 30, 20), n_clusterings=20)
    seen = {}

    def spy(W, n_parts, weight, **rest):
        seen["weight"], seen["parts"] = weight, partition_graph(W, n_parts, weight, **rest)
        return seen["parts"]

    partition_graph = _mcla.partition_graph
    monkeypatch.setattr(_mcla, "partition_graph", spy)
    MCLA(3, partitioner="metis", imbalance=0.05, random_state=0).fit(X)
    mass = np.bincount(seen["parts"].labels, weights=seen["weight"])
    assert mass.max() <= 1.05 * mass.mean() + seen["weight"].max()


@pytest.mark.parametrize("pairs", ["all", 200])
def test_cspa_partitions_the_coassociation(pairs, rng):
    X = np.unique(noisy_ensemble(missing=0.3).X, axis=0)[:40]
    weights, counts = rng.random(X.shape[1]) + 0.1, rng.integers(1, 4, len(X))
    C, N = twins.coassociation(X, weights)
    W = _cspa._similarity(as_ensemble(X, weights, counts), pairs, 0).toarray()
    expected = np.divide(C, N, out=np.zeros_like(C), where=N > 0) * np.outer(counts, counts)
    off = ~np.eye(len(X), dtype=bool) & ((W > 0) | (pairs == "all"))
    assert off.sum() > 300
    assert np.allclose(W[off], expected[off])


def test_cspa_through_the_labels_is_cspa_on_all_pairs(monkeypatch):
    X, truth = noisy_ensemble(sizes=(60, 40, 20), flip=0.25, missing=0)
    on_pairs = CSPA(3, partitioner="spectral", random_state=0).fit(X)
    monkeypatch.setattr(_cspa, "_FEW_ROWS", 10)
    monkeypatch.setattr(_cspa, "partition_graph", None)
    through_labels = CSPA(3, random_state=0).fit(X)
    assert same_partition(on_pairs.labels_, through_labels.labels_)
    assert adjusted_rand_score(truth, through_labels.labels_) > 0.9


def test_cspa_with_drawn_pairs_finds_the_clusters(monkeypatch):
    X, truth = noisy_ensemble(sizes=(150, 90, 60), missing=0.3)
    assert adjusted_rand_score(truth, CSPA(3, pairs=30, random_state=0).fit(X).labels_) > 0.9
    monkeypatch.setattr(_cspa, "_FEW_ROWS", 10)
    assert adjusted_rand_score(truth, CSPA(3, random_state=0).fit(X).labels_) > 0.9


def test_hgpa_partitions_the_clique_expansion(monkeypatch):
    X = np.unique(noisy_ensemble(missing=0.3, flip=0.3).X, axis=0)[:30]
    X[:-1, 0], X[-1, 0] = 0, 1  # a cluster of one object is never cut
    seen = {}

    def spy(A, n_parts, weight, seed):
        seen["W"] = (A @ A.T).toarray()
        return Parts(np.arange(len(weight)) % n_parts, "spectral")

    monkeypatch.setattr(_hgpa, "partition_factor", spy)
    model = HGPA(3, partitioner="clique")
    ensemble = as_ensemble(X)
    model._partition(ensemble, indicator(ensemble), 3, 0)
    expected = np.zeros((30, 30))
    for column in X.T:
        for label in range(column.max() + 1):
            inside = np.flatnonzero(column == label)
            if len(inside) > 1:
                expected[np.ix_(inside, inside)] += 1 / (len(inside) - 1)
    assert np.allclose(seen["W"], expected)


def test_mcla_partitions_the_jaccard_of_the_clusters(monkeypatch, rng):
    X = noisy_ensemble(missing=0.3, flip=0.3, n_clusterings=5).X[:25]
    weights, counts = rng.random(5) + 0.5, rng.integers(1, 4, 25)
    ensemble = as_ensemble(X, weights, counts)
    seen = {}

    def spy(W, n_parts, weight, **rest):
        seen.update(W=W, weight=weight)
        return Parts(np.arange(len(weight)) % n_parts, "spectral")

    monkeypatch.setattr(_mcla, "partition_graph", spy)
    MCLA(3)._partition(ensemble, indicator(ensemble), 3, 0)
    clusters = [
        (j, {(i, c) for i in np.flatnonzero(X[:, j] == label) for c in range(counts[i])})
        for j in range(5)
        for label in range(X[:, j].max() + 1)
    ]
    expected = [
        [0 if i == j else len(a & b) / len(a | b) * np.sqrt(weights[i] * weights[j]) for j, b in clusters]
        for i, a in clusters
    ]
    assert np.allclose(seen["W"], expected)
    assert seen["weight"].tolist() == [len(members) for _, members in clusters]


def test_mcla_association_is_the_mean_over_clusters_that_could_hold_the_object(rng):
    X = noisy_ensemble(missing=0.4, n_clusterings=6).X[:20]
    weights = rng.random(6) + 0.5
    of = indicator(as_ensemble(X, weights))
    cells = [(j, label) for j in range(6) for label in range(X[:, j].max() + 1)]
    meta = rng.integers(3, size=len(cells))
    found = _mcla.associate(of.H, X >= 0, meta, of.column, of.cell_weight)
    for i in range(20):
        for k in range(3):
            mine = [cell for cell, part in zip(cells, meta, strict=True) if part == k and X[i, cell[0]] >= 0]
            total = sum(weights[j] for j, _ in mine)
            hit = sum(weights[j] for j, label in mine if X[i, j] == label)
            assert found[i, k] == pytest.approx(hit / total if total else 0)


@pytest.mark.parametrize("method", [HBGF, MCLA])
def test_many_objects_with_few_distinct_rows_are_quick(method):
    X, truth = noisy_ensemble(sizes=(100, 60, 40), n_clusterings=20, missing=0.3)
    start = time.perf_counter()
    labels = method(3, random_state=0).fit(np.tile(X, (500, 1))).labels_
    assert time.perf_counter() - start < 5
    assert adjusted_rand_score(np.tile(truth, 500), labels) > 0.95


@pytest.mark.parametrize("method", METHODS)
def test_same_seed_same_labels(method):
    X = noisy_ensemble(flip=0.5, missing=0.3).X
    assert np.array_equal(*(method(4, random_state=7).fit(X).labels_ for _ in range(2)))


@pytest.mark.parametrize("method", METHODS)
def test_copies_and_sample_weights_are_the_same(method, rng):
    X = np.unique(noisy_ensemble(missing=0.2).X, axis=0)
    counts = rng.integers(1, 4, len(X))
    weighted = method(3, random_state=0).fit(X, sample_weight=counts).labels_
    copied = method(3, random_state=0).fit(np.repeat(X, counts, axis=0)).labels_
    assert same_partition(np.repeat(weighted, counts), copied)


@pytest.mark.parametrize("method", METHODS)
def test_objects_without_weight_join_their_cluster(method):
    X, truth = noisy_ensemble(missing=0.2)
    weight = np.ones(len(X))
    weight[::5] = 0
    assert same_partition(method(3, random_state=0).fit(X, sample_weight=weight).labels_, truth)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_partition_is_recorded(method):
    X = noisy_ensemble().X
    model = method(1).fit(X)
    assert (model.partitioner_, model.n_clusters_) == ("none", 1)
    assert not model.labels_.any()


@pytest.mark.parametrize(
    ("method", "bad"),
    [
        (CSPA, {"partitioner": "kahypar"}),
        (HGPA, {"partitioner": "metis"}),
        (MCLA, {"imbalance": -0.1}),
        (HBGF, {"n_clusters": 0}),
        (CSPA, {"pairs": "some"}),
    ],
)
def test_a_wrong_parameter_is_named(method, bad, X):
    with pytest.raises(ValueError, match=next(iter(bad))):
        method(**bad).fit(X)


@pytest.mark.parametrize("scale", [0.05, 3.0, 1e10])
def test_hgpa_does_not_depend_on_the_unit_of_weights(scale):
    X, truth = noisy_ensemble(flip=0.05)
    labels = HGPA(3, random_state=0).fit(X, sample_weight=np.full(len(X), scale)).labels_
    assert adjusted_rand_score(truth, labels) == 1
