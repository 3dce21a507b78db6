"""SoftLWGP: LWGP on one-hot input, a dense twin on probabilities, holes and weights."""

import numpy as np
import pytest
from scipy.stats import entropy

from partita import LWGP, SoftLWGP
from partita.consensus.label_space._chance import LEVEL
from partita.metrics import adjusted_rand_score
from tests.consensus.soft.soft_clusterings import one_hot_blocks, posteriors
from tests.ensembles import noisy_ensemble, same_partition

pytestmark = pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")


def soft_of(X, certainty=0.7):
    """Probabilities that lean to the labels; every object is seen."""
    codes = np.where(X < 0, 0, X)
    rng = np.random.default_rng(0)
    noise = [rng.dirichlet(np.ones(column.max() + 1), len(X)) for column in codes.T]
    return [
        certainty * np.eye(part.shape[1])[column] + (1 - certainty) * part
        for column, part in zip(codes.T, noise, strict=True)
    ]


@pytest.mark.parametrize("n_clusters", [None, 3])
@pytest.mark.parametrize("seed", range(3))
def test_on_one_hot_rows_it_is_lwgp(n_clusters, seed):
    X = noisy_ensemble(n_clusterings=10, flip=0.2, missing=0.2, seed=seed).X
    hard = LWGP(n_clusters, random_state=0).fit(X)
    for data in (one_hot_blocks(X), X):
        soft = SoftLWGP(n_clusters, random_state=0).fit(data)
        assert soft.n_clusters_ == hard.n_clusters_
        assert same_partition(soft.labels_, hard.labels_)
    if n_clusters is None:
        of_hard, of_soft = hard.choice_, SoftLWGP(random_state=0).fit(one_hot_blocks(X)).choice_
        assert np.allclose(of_soft.gap, of_hard.gap, atol=1e-9)  # what is not drawn at random
        assert of_soft.p_value == of_hard.p_value


@pytest.mark.parametrize("weighted", [False, True])
def test_labels_are_the_k_means_of_a_dense_decomposition(weighted):
    blocks = soft_of(noisy_ensemble(sizes=(25, 20, 15), n_clusterings=6, flip=0.15, seed=1).X)
    for m, block in enumerate(blocks):
        block[m : 10 * m : 7] = np.nan
    v = np.array([1, 2, 0.5, 1, 3, 1]) if weighted else np.ones(6)
    w = np.arange(60) % 3 + 0.5 if weighted else np.ones(60)
    S = np.hstack([np.nan_to_num(block) for block in blocks])
    seen = np.column_stack([~np.isnan(block[:, 0]) for block in blocks])
    own = np.repeat(np.arange(6), [block.shape[1] for block in blocks])
    e = np.empty(len(own))
    for c in range(len(own)):
        bits = [entropy((S[:, c] * w) @ S[:, own == m], base=2) for m in range(6)]  # each clustering saw some of c
        e[c] = v[own[c]] * np.exp(-np.average(bits, weights=v) / 0.4)
    assert seen.any(axis=1).all()
    B = S * e
    degree = B.sum(axis=1)
    U, s, _ = np.linalg.svd(np.sqrt(w / degree)[:, None] * B / np.sqrt(B.T @ w), full_matrices=False)
    F = s[:3] * U[:, :3] / np.sqrt(w * degree)[:, None]
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    labels = SoftLWGP(3, weights=v, random_state=0).fit(blocks, sample_weight=w).labels_
    centers = np.array([np.average(F[labels == q], axis=0, weights=w[labels == q]) for q in range(3)])
    assert np.array_equal(((F[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1), labels)


def test_probabilities_lead_to_the_truth_and_its_number():
    X, truth = noisy_ensemble(sizes=(40, 30, 20), n_clusterings=12, flip=0.1, missing=0)
    model = SoftLWGP(random_state=0).fit(soft_of(X))
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(model.labels_, truth) > 0.95
    assert model.choice_.p_value == LEVEL


def test_objects_that_no_clustering_saw():
    blocks = soft_of(noisy_ensemble().X)
    for block in blocks:
        block[[4, 9]] = np.nan
    with pytest.warns(UserWarning, match="2 of 62 objects"):
        model = SoftLWGP(random_state=0).fit(blocks)
    assert np.flatnonzero(model.labels_ < 0).tolist() == [4, 9]


def test_weight_two_is_the_object_twice_and_weight_zero_none():
    blocks = soft_of(noisy_ensemble(n_clusterings=12, missing=0.05).X, certainty=0.85)
    weights = np.arange(62) % 3 * 1.0
    model = SoftLWGP(random_state=0).fit(blocks, sample_weight=weights)
    twice = SoftLWGP(random_state=0).fit([np.repeat(block, weights.astype(int), axis=0) for block in blocks])
    assert model.choice_.p_value == twice.choice_.p_value
    assert model.n_clusters_ == twice.n_clusters_ == 3
    assert same_partition(np.repeat(model.labels_, weights.astype(int)), twice.labels_)


@pytest.mark.parametrize("size", [1e-300, 0.3, 1e300])
def test_the_size_of_all_weights_does_not_matter(size):
    blocks = soft_of(noisy_ensemble(n_clusterings=15).X, certainty=0.9)
    plain = SoftLWGP(random_state=0).fit(blocks)
    sized = SoftLWGP(random_state=0).fit(blocks, sample_weight=np.full(62, size))
    assert np.array_equal(sized.labels_, plain.labels_)


def test_independent_probabilities_are_one_cluster():
    chance = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        blocks = [rng.dirichlet([0.5] * 3, 60) for _ in range(6)]
        weights = rng.random(60) if seed % 2 else None
        chance += SoftLWGP(max_clusters=2, random_state=seed).fit(blocks, sample_weight=weights).n_clusters_ == 1
    assert chance >= 18


@pytest.mark.parametrize("k", [1, 3, 12])
def test_equal_clusterings_are_agreed_upon(k):
    truth = np.arange(60) % k
    for data in ([np.eye(k)[truth]] * 3, np.repeat(truth[:, None], 3, axis=1)):
        model = SoftLWGP(random_state=0).fit(data)
        assert same_partition(model.labels_, truth)
        assert model.choice_.verdict == "agreed"


def test_many_objects_are_clustered_by_starts_on_a_sample():
    X, truth = noisy_ensemble(sizes=(1500, 1000, 500), n_clusterings=8, flip=0.2, missing=0)
    model = SoftLWGP(3, random_state=0).fit(soft_of(X))
    assert adjusted_rand_score(model.labels_, truth) > 0.9


def test_rounding_does_not_make_clusterings_differ():
    truth = np.arange(9) % 2
    model = SoftLWGP(random_state=0).fit([np.full((9, 2), 0.5) + [[1e-13, -1e-13]] * (truth[:, None] == 1)] * 3)
    assert (model.n_clusters_, model.choice_.verdict) == (1, "agreed")


def test_a_single_soft_clustering_is_its_own_consensus():
    blocks, _ = posteriors(n_clusterings=1)
    model = SoftLWGP(random_state=0).fit(blocks)
    assert (model.n_clusters_, model.choice_.verdict) == (3, "agreed")
    assert adjusted_rand_score(model.labels_, blocks[0].argmax(axis=1)) > 0.9


@pytest.mark.parametrize("n_clusters", [None, 3])
def test_a_clustering_that_saw_no_object_is_not_there(n_clusters):
    blocks, _ = posteriors()
    unseen = np.full((len(blocks[0]), 4), np.nan)
    with_it = SoftLWGP(n_clusters, random_state=0).fit([*blocks[:2], unseen, *blocks[2:]])
    assert np.array_equal(with_it.labels_, SoftLWGP(n_clusters, random_state=0).fit(blocks).labels_)
