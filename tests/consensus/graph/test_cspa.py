"""CSPA: the graph that it partitions against a double loop, and the three ways to hold it."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from partita import CSPA
from partita.consensus.graph import _cspa
from tests import twins
from tests.consensus.graph.label_ensembles import as_ensemble
from tests.ensembles import noisy_ensemble, same_partition


@pytest.mark.parametrize("pairs", ["all", 200])
def test_cspa_partitions_the_coassociation(pairs, rng):
    X = np.unique(noisy_ensemble(missing=0.3).X, axis=0)[:40]
    weights, row_weights = rng.random(X.shape[1]) + 0.1, rng.integers(1, 4, len(X))
    C, N = twins.coassociation(X, weights)
    W = _cspa._similarity(as_ensemble(X, weights, row_weights), pairs, 0).toarray()
    expected = np.divide(C, N, out=np.zeros_like(C), where=N > 0) * np.outer(row_weights, row_weights)
    off = ~np.eye(len(X), dtype=bool) & ((W > 0) | (pairs == "all"))
    assert off.sum() > 300
    assert np.allclose(W[off], expected[off])


def test_cspa_through_the_labels_is_cspa_on_all_pairs(monkeypatch):
    X, truth = noisy_ensemble(sizes=(60, 40, 20), flip=0.25, missing=0)
    on_pairs = CSPA(3, partitioner="spectral", random_state=0).fit(X)
    monkeypatch.setattr(_cspa, "FEW_ROWS", 10)
    monkeypatch.setattr(_cspa, "partition_graph", None)
    through_labels = CSPA(3, random_state=0).fit(X)
    assert same_partition(on_pairs.labels_, through_labels.labels_)
    assert adjusted_rand_score(truth, through_labels.labels_) > 0.9


def test_cspa_with_drawn_pairs_finds_the_clusters(monkeypatch):
    X, truth = noisy_ensemble(sizes=(150, 90, 60), missing=0.3)
    assert adjusted_rand_score(truth, CSPA(3, pairs=30, random_state=0).fit(X).labels_) > 0.9
    monkeypatch.setattr(_cspa, "FEW_ROWS", 10)
    assert adjusted_rand_score(truth, CSPA(3, random_state=0).fit(X).labels_) > 0.9


def test_cspa_with_metis_draws_pairs_where_there_are_many_rows(monkeypatch):
    X, truth = noisy_ensemble(sizes=(100, 90, 80), missing=0.3)
    drawn = []
    original = _cspa._similarity
    monkeypatch.setattr(_cspa, "FEW_ROWS", 10)
    monkeypatch.setattr(
        _cspa, "_similarity", lambda ensemble, pairs, seed: drawn.append(pairs) or original(ensemble, pairs, seed)
    )
    model = CSPA(3, partitioner="metis", random_state=0).fit(X)
    assert drawn == [50]
    assert adjusted_rand_score(truth, model.labels_) > 0.9
