"""HGPA: the clique expansion against a loop over the clusters, and the unit of weights."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from partita import HGPA
from partita.consensus.graph import _hgpa
from partita.consensus.graph._graph_partition import PartitionerSettings
from partita.consensus.graph._hgpa import hypergraph_of
from tests.consensus.graph.label_ensembles import as_ensemble
from tests.ensembles import noisy_ensemble


def test_the_clique_expansion_spreads_each_cluster_over_its_pairs():
    X = np.unique(noisy_ensemble(missing=0.3, flip=0.3).X, axis=0)[:30]
    X[:-1, 0], X[-1, 0] = 0, 1  # a cluster of one object is never cut
    graph = hypergraph_of(as_ensemble(X), 1.0)
    expected = np.zeros((30, 30))
    n_edges = 0
    for column in X.T:
        for label in range(column.max() + 1):
            inside = np.flatnonzero(column == label)
            if len(inside) > 1:
                expected[np.ix_(inside, inside)] += 1 / (len(inside) - 1)
                n_edges += 1
    assert np.allclose((graph.factor @ graph.factor.T).toarray(), expected)
    assert graph.H.shape == (30, n_edges)


def test_weights_of_clusterings_multiply_their_edges(rng):
    X, weights = noisy_ensemble(missing=0, n_clusterings=4).X[:20], rng.random(4) + 0.5
    one_by_one = [hypergraph_of(as_ensemble(X[:, [j]]), 1.0).factor for j in range(4)]
    expected = sum(weight * (A @ A.T).toarray() for weight, A in zip(weights, one_by_one, strict=True))
    A = hypergraph_of(as_ensemble(X, weights), 1.0).factor
    assert np.allclose((A @ A.T).toarray(), expected)


def test_hyperedges_of_one_object_each_are_kept_where_there_are_no_others():
    X = np.arange(4)[:, None]
    assert hypergraph_of(as_ensemble(X), 1.0).H.shape == (4, 4)
    assert HGPA(2, random_state=0).fit(X).n_clusters_ == 2


@pytest.mark.parametrize("scale", [0.05, 3.0, 1e10])
def test_hgpa_does_not_depend_on_the_unit_of_weights(scale):
    X, truth = noisy_ensemble(flip=0.05)
    labels = HGPA(3, random_state=0).fit(X, sample_weight=np.full(len(X), scale)).labels_
    assert adjusted_rand_score(truth, labels) == 1


def test_the_clique_expansion_is_the_default():
    X, truth = noisy_ensemble(flip=0.3, missing=0.2)
    one, other = (HGPA(3, partitioner=name, random_state=0).fit(X) for name in ("auto", "clique"))
    assert one.partitioner_ == "clique"
    assert np.array_equal(one.labels_, other.labels_)
    assert adjusted_rand_score(truth, one.labels_) > 0.8


@pytest.mark.parametrize(("imbalance", "tried"), [(0.05, [0.05]), (0.2, [0.1, 0.2]), (2.0, [0.1, 0.3, 1.0])])
def test_few_imbalances_are_tried(imbalance, tried, monkeypatch):
    seen = []

    def spy(edges, n_parts, vertices, weights, step, seed):
        seen.append(step)
        return np.arange(len(vertices)) % n_parts

    monkeypatch.setattr(_hgpa, "_kahypar", spy)
    settings = PartitionerSettings("kahypar", imbalance)
    graph = hypergraph_of(as_ensemble(noisy_ensemble(flip=0.3).X), 1.0)
    _hgpa.kahypar_partitions(graph, 3, np.ones(graph.H.shape[0]), settings)
    assert seen == tried
