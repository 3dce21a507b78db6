"""Agreement of halves: scikit-learn's measures of the same partitions, and a dense decomposition of every half."""

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.metrics import adjusted_rand_score, mutual_info_score

from partita._labels.tables import cluster_entropies, cluster_tables
from partita.consensus.graph._cell_memberships import cell_memberships
from partita.consensus.label_space._halves import (
    HalfPoints,
    agreement,
    compare_halves,
    cut_halves,
    embed_half,
    tables_of_halves,
)
from tests.consensus.label_space.fixed_ensembles import objects, random_ensemble
from tests.ensembles import noisy_ensemble


def half_of(X, chosen, n_vectors=3, weights=None, row_weights=None):
    ensemble = objects(X, weights, row_weights)
    tables = cluster_tables(ensemble)
    return embed_half(
        cell_memberships(ensemble), np.array(chosen), cluster_entropies(tables), tables.seen, 0.4, n_vectors
    )


def dense_half(X, v, w, n_vectors):
    """Embedding by the whole bipartite graph of objects and clusters (eqs. L4 to L7), from the definition."""
    columns = [(m, X[:, m] == label) for m in range(X.shape[1]) for label in range(X[:, m].max() + 1)]
    B = np.zeros((len(X), len(columns)))
    for c, (own, inside) in enumerate(columns):
        bits = total = 0.0
        for m, column in enumerate(X.T):
            both = inside & (column >= 0)
            if both.any():
                bits += v[m] * entropy(np.bincount(column[both], weights=w[both]), base=2)
                total += v[m]
        B[inside, c] = v[own] * np.exp(-bits / (0.4 * total))
    degree = B.sum(axis=1)
    U, s, _ = np.linalg.svd(np.sqrt(w / degree)[:, None] * B / np.sqrt(B.T @ w), full_matrices=False)
    return s[:n_vectors] * U[:, :n_vectors] / np.sqrt(w * degree)[:, None]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("chosen", [[0, 1, 2], [1, 3, 4]])
def test_a_half_is_embedded_by_its_own_bipartite_graph(weighted, chosen):
    X = noisy_ensemble(sizes=(20, 14, 8), n_clusterings=5, flip=0.2, missing=0.15, seed=2).X
    X[5, chosen] = -1  # not labelled by this half
    v = np.array([1, 2, 0.5, 3, 1]) if weighted else np.ones(5)
    w = np.arange(42) % 3 + 1.0 if weighted else np.ones(42)
    vectors, weights = half_of(X, chosen, weights=v, row_weights=w)
    there = (X[:, chosen] >= 0).any(axis=1)
    assert np.array_equal(weights, np.where(there, w, 0))
    assert not there[5]
    assert not vectors[~there].any()
    expected = dense_half(X[there][:, chosen], v[chosen], w[there], 3)
    signs = np.sign((vectors[there] * expected).sum(axis=0))
    assert np.allclose(vectors[there] * signs, expected, atol=1e-9)


def test_fewer_objects_than_clusters_are_embedded_alike():
    X = np.random.default_rng(0).integers(0, 7, (15, 4))
    X[:7] = np.arange(7)[:, None]
    vectors, _ = half_of(X, [0, 1, 3], row_weights=np.arange(1.0, 16))
    expected = dense_half(X[:, [0, 1, 3]], np.ones(3), np.arange(1.0, 16), 3)
    assert np.allclose(np.abs(vectors), np.abs(expected), atol=1e-9)


def test_the_other_half_has_no_say():
    X = random_ensemble(seed=4)
    other = X.copy()
    other[3:, 2:] = np.random.default_rng(9).integers(0, 3, (len(X) - 3, 2))  # the first rows keep every label there
    for one, changed in zip(half_of(X, [0, 1]), half_of(other, [0, 1]), strict=True):
        assert np.array_equal(one, changed)


def test_a_half_that_labels_no_object_is_not_there():
    X = random_ensemble(missing=0)
    X[:, 3] = np.where(np.arange(len(X)) < 3, X[:, 3], -1)
    ensemble = objects(X)
    tables = cluster_tables(ensemble)
    sample = cell_memberships(ensemble.with_rows(X[3:].copy()))
    vectors, weights = embed_half(sample, np.array([3]), cluster_entropies(tables), tables.seen, 0.4, 2)
    assert not vectors.any()
    assert not weights.any()


def splits_of(seed, n=80, n_splits=3, missing=0.1):
    """Embedded halves, as compare_halves makes them."""
    X = noisy_ensemble(sizes=(n // 2, n // 4, n // 4), n_clusterings=6, flip=0.3, missing=missing, seed=seed).X
    rng = np.random.default_rng(seed)
    splits = [np.array_split(rng.permutation(6), [3]) for _ in range(n_splits)]
    halves = [half_of(X, np.sort(half), 4) for split in splits for half in split]
    return X, HalfPoints(np.stack([F for F, _ in halves]), np.stack([w for _, w in halves])), rng


@pytest.mark.parametrize("seed", range(3))
def test_agreement_is_what_scikit_learn_says_of_the_partitions(seed):
    X, points, rng = splits_of(seed, missing=0.4)
    state = rng.bit_generator.state
    again = np.random.default_rng()
    again.bit_generator.state = state
    ensemble = objects(X)
    tables = cluster_tables(ensemble)
    found = compare_halves(
        cell_memberships(ensemble),
        cluster_entropies(tables),
        tables.seen,
        theta=0.4,
        max_clusters=4,
        n_splits=3,
        rng=np.random.default_rng(seed),
    )
    assert found.numbers.tolist() == [2, 3, 4]
    for at, labels in enumerate(cut_halves(points, 4, again)):
        shared, apart, rand = [], [], []
        for s in range(3):
            both = (points.weights[2 * s] > 0) & (points.weights[2 * s + 1] > 0)
            a, b = labels[2 * s][both], labels[2 * s + 1][both]
            chance = (len(set(a)) - 1) * (len(set(b)) - 1) / (2 * both.sum())
            shared.append(mutual_info_score(a, b) - chance)
            apart.append((entropy(np.bincount(a)) + entropy(np.bincount(b))) / 2 - shared[-1])
            rand.append(adjusted_rand_score(a, b))
        assert found.shared[at] == pytest.approx(np.mean(shared), abs=1e-12)
        assert found.apart[at] == pytest.approx(np.mean(apart), abs=1e-12)
        assert found.rand[at] == pytest.approx(np.mean(rand), abs=1e-12)


def agreement_of(first, second, weights, k):
    """Of the partitions of two halves, one line per split."""
    pairs = np.stack([first, second], axis=1).reshape(-1, first.shape[1])
    return agreement(tables_of_halves(pairs, weights, k))


def test_weights_of_rows_are_copies():
    rng = np.random.default_rng(1)
    first, second, weights = rng.integers(3, size=(2, 30)), rng.integers(3, size=(2, 30)), rng.integers(0, 4, (2, 30))
    copies = [np.repeat(part, weights[0]) for part in (first[0], second[0])]
    once = agreement_of(copies[0][None], copies[1][None], np.ones((1, len(copies[0]))), 3)
    assert np.allclose(agreement_of(first[:1], second[:1], weights[:1].astype(float), 3), once, atol=1e-12)


def test_halves_without_common_objects_say_nothing():
    labels, weights = np.array([[0, 1, 1, 0]]), np.zeros((1, 4))
    assert agreement_of(labels, labels, weights, 2) == (0, 0, 0)
    both = agreement_of(np.tile(labels, (2, 1)), np.tile(labels, (2, 1)), np.array([[0, 0, 0, 0], [1, 1, 1, 1.0]]), 2)
    assert both == agreement_of(labels, labels, np.ones((1, 4)), 2)


def test_clusters_of_the_halves_are_nearest_centres():
    _, points, rng = splits_of(5, missing=0)
    for k, labels in enumerate(cut_halves(points, 4, rng), start=2):
        for F, w, own in zip(points.vectors[:, :, :k], points.weights, labels, strict=True):
            P = F / np.linalg.norm(F, axis=1, keepdims=True)
            centres = np.array([np.average(P[own == q], axis=0, weights=w[own == q]) for q in np.unique(own)])
            nearest = ((P[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
            assert np.mean(np.unique(own)[nearest] == own) > 0.9  # twelve steps, which need not be the last


def test_clear_clusters_are_found_by_both_halves():
    X = noisy_ensemble(sizes=(40, 30, 20), n_clusterings=12, flip=0.02, missing=0.1).X
    ensemble = objects(X)
    tables = cluster_tables(ensemble)
    found = compare_halves(
        cell_memberships(ensemble),
        cluster_entropies(tables),
        tables.seen,
        theta=0.4,
        max_clusters=5,
        n_splits=4,
        rng=np.random.default_rng(0),
    )
    assert found.rand.argmax() == 1
    assert found.rand[1] > 0.99
    assert found.apart[1] < 0.05 < found.apart[2]
