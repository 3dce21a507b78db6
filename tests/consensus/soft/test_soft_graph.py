"""SoftCSPA, SoftMCLA and SoftHBGF: what they partition, and that one-hot rows are labels."""

import numpy as np
import pytest

from partita import CSPA, HBGF, MCLA, SoftCSPA, SoftHBGF, SoftMCLA
from partita.consensus.graph import _mcla
from partita.consensus.soft import _soft_graph
from partita.consensus.soft._soft_input import stack_clusterings
from tests import twins
from tests.consensus.soft.soft_clusterings import one_hot_blocks, posteriors
from tests.ensembles import noisy_ensemble, same_partition

PAIRS = [(SoftCSPA, CSPA), (SoftMCLA, MCLA), (SoftHBGF, HBGF)]


def test_similarity_of_one_hot_rows_is_the_coassociation(rng):
    X = noisy_ensemble(missing=0.4).X
    weights = rng.random(X.shape[1]) + 0.1
    C, N = twins.coassociation(X, weights)
    found = _soft_graph.soft_similarity(stack_clusterings(one_hot_blocks(X), weights, np.ones(len(X))))
    assert np.allclose(found, np.divide(C, N, out=np.zeros_like(C), where=N > 0))


def test_similarity_of_probabilities_is_a_mean_product(rng):
    blocks = posteriors(missing=0.3)[0]
    weights = rng.random(6) + 0.1
    found = _soft_graph.soft_similarity(stack_clusterings(blocks, weights, np.ones(62)))
    for i, j in rng.integers(62, size=(40, 2)):
        both = [m for m in range(6) if not np.isnan(blocks[m][[i, j]]).any()]
        total = sum(weights[m] * blocks[m][i] @ blocks[m][j] for m in both)
        assert found[i, j] == pytest.approx(total / weights[both].sum() if both else 0)


@pytest.mark.parametrize(("soft", "hard"), PAIRS)
@pytest.mark.parametrize("missing", [0, 0.3])
def test_one_hot_rows_give_the_labels_of_the_hard_method(soft, hard, missing):
    X = noisy_ensemble(missing=missing).X
    expected = hard(3, random_state=0).fit(X)
    on_labels = soft(3, random_state=0).fit(X)
    assert np.array_equal(on_labels.labels_, expected.labels_)
    assert on_labels.partitioner_ == expected.partitioner_
    on_rows = soft(3, random_state=0).fit(one_hot_blocks(X))
    assert same_partition(on_rows.labels_, expected.labels_)
    assert on_rows.n_features_in_ == X.shape[1]


def test_edges_of_one_hot_rows_are_those_of_hbgf(monkeypatch):
    X = np.unique(noisy_ensemble(missing=0.3).X, axis=0)
    seen = []
    original = _soft_graph.partition_bipartite
    monkeypatch.setattr(_soft_graph, "partition_bipartite", lambda A, *rest: seen.append(A) or original(A, *rest))
    SoftHBGF(3, random_state=0).fit(one_hot_blocks(X))
    expected = np.hstack([np.nan_to_num(block) for block in one_hot_blocks(X)])
    assert np.array_equal(seen[0].toarray(), expected[:, expected.any(axis=0)])


def test_soft_mcla_compares_clusters_by_the_extended_jaccard(monkeypatch):
    blocks = posteriors(n_clusterings=3)[0]
    seen = []
    original = _mcla.partition_graph
    spy = lambda W, *rest: seen.append(W) or original(W, *rest)  # noqa: E731
    monkeypatch.setattr(_mcla, "partition_graph", spy)
    SoftMCLA(3, random_state=0).fit(blocks)
    S = np.hstack(blocks)
    for a in range(9):
        for b in range(9):
            ab = S[:, a] @ S[:, b]
            jaccard = ab / (S[:, a] @ S[:, a] + S[:, b] @ S[:, b] - ab)
            assert seen[0][a, b] == pytest.approx(0 if a // 3 == b // 3 else jaccard)


def test_soft_cspa_through_the_factor(monkeypatch):
    blocks, truth = posteriors()
    monkeypatch.setattr(_soft_graph, "FEW_ROWS", 10)
    monkeypatch.setattr(_soft_graph, "soft_similarity", None)
    assert same_partition(SoftCSPA(3, random_state=0).fit(blocks).labels_, truth)


def test_soft_cspa_through_the_factor_finds_small_clusters_among_positive_probabilities(monkeypatch, rng):
    truth = rng.permutation(np.repeat([0, 1, 2], [400, 8, 6]))
    noise = rng.uniform(0.05, 0.1, size=(5, len(truth), 3))
    blocks = [block / block.sum(axis=1, keepdims=True) for block in np.eye(3)[truth] + noise]
    monkeypatch.setattr(_soft_graph, "FEW_ROWS", 10)
    assert same_partition(SoftCSPA(3, random_state=0).fit(blocks).labels_, truth)
