"""SoftCSPA, SoftMCLA, SoftHBGF and SoftHGPA: what they partition, and that one-hot rows are labels."""

from functools import partial

import numpy as np
import pytest

from partita import CSPA, HBGF, HGPA, MCLA, SoftCSPA, SoftHBGF, SoftHGPA, SoftMCLA
from partita._labels.ensemble import Ensemble
from partita.consensus.graph import _mcla
from partita.consensus.graph._hgpa import hypergraph_of
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


# ---------------------------------------------------------------------------------------------------------- SoftHGPA
@pytest.mark.parametrize("missing", [0, 0.3])
@pytest.mark.parametrize("flip", [0.08, 0.5])
def test_soft_hgpa_on_labels_is_the_clique_expansion_of_hgpa(missing, flip, rng):
    X = noisy_ensemble(missing=missing, flip=flip).X
    weights, sample_weight = rng.random(15) + 0.2, rng.integers(1, 4, len(X))
    hard = HGPA(3, partitioner="clique", weights=weights, random_state=0).fit(X, sample_weight=sample_weight)
    soft = SoftHGPA(3, weights=weights, random_state=0).fit(X, sample_weight=sample_weight)
    assert np.array_equal(soft.labels_, hard.labels_)
    assert soft.partitioner_ == hard.partitioner_ == "clique"


@pytest.mark.parametrize("missing", [0, 0.3])
def test_soft_hgpa_on_one_hot_rows_has_the_factor_of_hgpa(missing, rng):
    X = np.unique(noisy_ensemble(missing=missing).X, axis=0)
    weights, sample_weight = rng.random(15) + 0.2, rng.integers(1, 4, len(X)).astype(float)
    cells = stack_clusterings(one_hot_blocks(X), weights, sample_weight)
    A, H = _soft_graph.clique_factor(cells, 1.0)
    ensemble = Ensemble(X.astype(np.int32), np.full(15, 3), weights, sample_weight)
    expected = hypergraph_of(ensemble, 1.0)
    assert np.array_equal(A.toarray(), expected.factor.toarray())
    assert np.array_equal(H.toarray(), expected.H.toarray())


def test_pairs_of_a_fractional_hyperedge_sum_to_its_size(rng):
    blocks = posteriors(missing=0.2)[0]
    weights = rng.random(6) + 0.1
    A = _soft_graph.clique_factor(stack_clusterings(blocks, weights, np.ones(62)), 1.0)[0].toarray()
    S = np.hstack([np.nan_to_num(block) for block in blocks])
    for a in range(18):
        pairs = np.outer(A[:, a], A[:, a])
        assert pairs.sum() - np.trace(pairs) == pytest.approx(weights[a // 3] * S[:, a].sum())
        by_hand = np.outer(S[:, a], S[:, a])
        assert np.allclose(pairs / pairs.sum(), by_hand / by_hand.sum())


def test_a_hyperedge_with_one_object_is_dropped():
    block = np.array([[0.7, 0.3], [1.0, 0.0], [1.0, 0.0]])
    A = _soft_graph.clique_factor(stack_clusterings([block], np.ones(1), np.ones(3)), 1.0)[0]
    assert A.shape == (3, 1)
    alone = _soft_graph.clique_factor(stack_clusterings([np.eye(3)], np.ones(1), np.ones(3)), 1.0)[0]
    assert alone.shape == (3, 3)
    assert np.isfinite(alone.toarray()).all()


def test_soft_hgpa_finds_the_truth_behind_probabilities():
    blocks, truth = posteriors(missing=0.2)
    model = SoftHGPA(3, random_state=0).fit(blocks)
    assert same_partition(model.labels_, truth)
    assert np.array_equal(model.predict(blocks), model.labels_)


# ------------------------------------------------------------------------------------------------- weights of objects
def labels_of(method, X, **of_fit):
    return method(2, random_state=0).fit(X, **of_fit).labels_


CLIQUES = [partial(HGPA, partitioner="clique"), SoftHGPA]


@pytest.mark.parametrize("method", CLIQUES)
def test_copies_of_weight_zero_do_not_count(method):
    X = np.array([[1, 1], [1, 0], [0, 0], [0, 0], [0, 1], [1, 1]])
    with_copies = labels_of(method, np.vstack([X, X[[0] * 8]]), sample_weight=[1] * 6 + [0] * 8)
    assert np.array_equal(with_copies[:6], labels_of(method, X))


@pytest.mark.parametrize("method", CLIQUES)
@pytest.mark.parametrize("seed", range(8))
def test_whole_weights_are_copies(method, seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.integers(-1, 3, (9, 4)), rng.integers(1, 7, 9)
    X[(X < 0).all(axis=1), 0], weight[0] = 0, 1
    for scale in (1.0, 0.1):
        once = labels_of(method, X, sample_weight=scale * weight)
        assert np.array_equal(np.repeat(once, weight), labels_of(method, np.repeat(X, weight, axis=0)))


def test_whole_weights_of_soft_clusterings_are_copies(rng):
    blocks, weight = [rng.dirichlet(np.ones(3), 12) for _ in range(4)], np.append(1, rng.integers(1, 7, 11))
    once = labels_of(SoftHGPA, blocks, sample_weight=weight)
    copied = labels_of(SoftHGPA, [np.repeat(block, weight, axis=0) for block in blocks])
    assert same_partition(np.repeat(once, weight), copied)
