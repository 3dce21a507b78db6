"""LWGP and USENC: partitions of fixed examples, rows against objects, many rows against all, components."""

import numpy as np
import pytest

from partita import LWGP, USENC
from partita._labels.membership import one_hot
from partita.consensus.label_space import _embedded_rows as module
from partita.metrics import adjusted_rand_score
from tests.consensus.label_space.fixed_ensembles import BOTH, E16, first_seen, partition
from tests.ensembles import noisy_ensemble, same_partition

PARTITIONS = {
    (USENC, "complete"): "0011111100022222",
    (LWGP, "complete"): "0011111100022222",
    (USENC, "holes"): "0100000011122222",
    (LWGP, "holes"): "0100022211122222",
}


@pytest.mark.parametrize(("method", "name"), PARTITIONS)
def test_partitions_of_the_papers_example(method, name):
    model = method(3, random_state=0).fit(BOTH[name])
    assert first_seen(model.labels_) == partition(PARTITIONS[method, name])
    assert model.singular_values_.shape == (4,)


def test_weights_of_the_clusters_are_told():
    model = LWGP(3, random_state=0).fit(E16)
    expected = [[0.118316, 1, 0.547931], [0.445247, 0.465219, 0.196185], [0.214319, 0.300228, 1]]
    assert np.allclose(model.cluster_weights_, expected, atol=1e-6)


def test_an_infinite_theta_is_usenc():
    X = noisy_ensemble(sizes=(60, 30, 20, 10), flip=0.3).X
    weighted, plain = LWGP(4, theta=np.inf, random_state=0).fit(X), USENC(4, random_state=0).fit(X)
    assert np.array_equal(weighted.labels_, plain.labels_)
    assert np.array_equal(weighted.singular_values_, plain.singular_values_)


@pytest.mark.parametrize("weights", [None, [1, 2, 0.5, 1, 1, 3]])
def test_labels_are_the_k_means_of_the_objects(weights):
    """The whole method by dense matrices over the objects, from its definition."""
    X = noisy_ensemble(sizes=(30, 25, 20), n_clusterings=6, flip=0.25, missing=0.2, seed=3).X
    v = np.ones(6) if weights is None else np.array(weights)
    H = np.hstack([one_hot(column, column.max() + 1) for column in X.T])
    clustering = np.concatenate([np.full(column.max() + 1, m) for m, column in enumerate(X.T)])
    e = np.empty(H.shape[1])
    for c, own in enumerate(H.T.astype(bool)):
        entropy = total = 0.0
        for m, column in enumerate(X.T):
            share = np.bincount(column[own & (column >= 0)]) / max((own & (column >= 0)).sum(), 1)
            if share.any():
                entropy -= v[m] * sum(p * np.log2(p) for p in share if p > 0)
                total += v[m]
        e[c] = v[clustering[c]] * np.exp(-entropy / (0.4 * total))
    B = H * e
    U, s, _ = np.linalg.svd(B / np.sqrt(np.outer(B.sum(axis=1), B.sum(axis=0))), full_matrices=False)
    F = s[:3] * U[:, :3] / np.sqrt(B.sum(axis=1))[:, None]
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    model = LWGP(3, weights=weights, random_state=0).fit(X)
    assert np.allclose(model.singular_values_, s[:4], atol=1e-10)
    centers = np.array([F[model.labels_ == q].mean(axis=0) for q in range(3)])
    nearest = ((F[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert np.array_equal(nearest, model.labels_)  # a fixed point of k-means over the objects


@pytest.mark.parametrize("method", [LWGP, USENC])
def test_many_rows_give_what_all_starts_on_all_rows_give(method, monkeypatch):
    X, truth = noisy_ensemble(sizes=(1500, 1200, 600, 300), n_clusterings=12, flip=0.35, missing=0.2)
    sampled = method(4, random_state=0).fit_predict(X)
    monkeypatch.setattr(module, "SAMPLE", 10_000)
    assert adjusted_rand_score(sampled, method(4, random_state=0).fit_predict(X)) > 0.99
    assert adjusted_rand_score(sampled, truth) > 0.9


def test_threads_and_blocks_do_not_change_the_result(monkeypatch):
    X = noisy_ensemble(sizes=(1500, 1000, 500), n_clusterings=10, flip=0.4).X
    one = LWGP(3, random_state=0).fit(X)
    monkeypatch.setattr(module, "_BLOCK", 256)
    threads = LWGP(3, random_state=0, n_jobs=3).fit(X)
    assert np.array_equal(one.labels_, threads.labels_)


def test_components_are_clusters_of_their_own():
    truth = np.repeat([0, 1, 2, 3, 4], [9, 7, 5, 3, 2])
    X = np.column_stack([truth, truth[::-1].max() - truth, truth])
    model = LWGP(5, random_state=0).fit(X)
    assert same_partition(model.labels_, truth)
    assert np.allclose(model.singular_values_, [1, 1, 1, 1, 1, 0], atol=1e-7)


def test_of_too_many_components_the_lightest_are_together():
    truth = np.repeat([0, 1, 2, 3, 4], [9, 7, 5, 3, 2])
    X = np.repeat(truth[:, None], 3, axis=1)
    model = LWGP(3, random_state=0).fit(X)
    assert same_partition(model.labels_, np.minimum(truth, 2))
    assert model.predict(np.array([[0, -1, -1], [4, 4, 0]])).tolist() == [1, 0]


def test_a_tiny_theta_still_embeds_every_object():
    X = noisy_ensemble(flip=0.5).X
    assert np.isfinite(LWGP(3, theta=1e-3, random_state=0).fit(X).singular_values_).all()
