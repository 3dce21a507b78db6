"""The number of clusters: gaps and limits by hand, samples without repetition, noise, unanimity, weights."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from partita import LWGP, SoftLWGP
from partita.consensus.label_space._cluster_number import (
    ClusterNumber,
    count_objects,
    draw_rows,
    number_limit,
    relative_gaps,
)
from partita.exceptions import WeakStructureWarning
from tests.ensembles import noisy_ensemble, same_partition

weak_or_not = pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")


def found(X, seed=0, sample_weight=None, **parameters):
    return LWGP(random_state=seed, **parameters).fit(X, sample_weight=sample_weight).choice_


# ------------------------------------------------------------------------------------------------------ small steps
def test_relative_gaps():
    gaps = relative_gaps(np.array([1.0, 0.9, 0.6, 0.5]), 3)
    assert np.allclose(gaps, [(0.9 - 0.6) / 0.4, (0.6 - 0.5) / 0.5])
    assert np.allclose(relative_gaps(np.array([1.0, 1.0, 1.0, 0.2]), 3), [0, 1])  # components: no gap before the last
    assert np.allclose(relative_gaps(np.array([1.0, 0.7]), 4), [0.7, 0, 0])  # 0 beyond the last one


@pytest.mark.parametrize(
    ("n_objects", "n_rows", "asked", "limit"),
    [
        (100, 90, None, 10),
        (99, 90, None, 9),
        (1e6, 1e6, None, 40),
        (1e300, 50, None, 40),
        (100, 7, None, 7),
        (3, 3, None, 2),
        (2, 2, None, 2),
        (100, 90, 25, 25),
        (100, 12, 25, 12),
    ],
)
def test_limit_of_the_numbers_compared(n_objects, n_rows, asked, limit):
    assert number_limit(n_objects, int(n_rows), asked) == limit


def test_rows_stand_for_their_objects_or_their_weight():
    weights, n_objects = np.array([1.0, 2.0, 0.6, 2.7]), np.array([1, 1, 2, 1])
    assert count_objects(weights, n_objects).tolist() == [1, 2, 2, 2]
    assert count_objects(weights, n_objects, 2.0**-60).tolist() == [1, 1, 2, 1]
    assert count_objects(np.array([1.0, 3.0]), np.array([1, 1]), 2.0**500).sum() == pytest.approx(1e12)


def test_few_objects_of_equal_weight_are_all_taken():
    counts = np.array([3.0, 1.0, 40.0])
    assert draw_rows(0.1 * counts, counts, np.random.default_rng(0)).tolist() == [3, 1, 40]


def test_no_object_is_drawn_twice():
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert draw_rows(np.ones(700), np.ones(700), rng).max() == 1
        assert draw_rows(rng.random(80), np.ones(80), rng).max() == 1
        assert (draw_rows(rng.random(80), np.full(80, 3.0), rng) <= 3).all()
    assert draw_rows(np.ones(700), np.ones(700), rng).sum() == 500


def test_rows_are_drawn_by_their_weight():
    rng, weights = np.random.default_rng(0), np.array([4.0, 2.0, 1.0, 3.0])
    for counts in (np.ones(4), np.array([2.0, 1.0, 1.0, 2.0]), 1000 * weights):
        drawn = np.array([draw_rows(weights, counts, rng) for _ in range(2000)])
        assert np.allclose(drawn.sum(axis=0) / drawn.sum(), weights / 10, atol=0.02)


def test_one_object_can_outweigh_all():
    drawn = draw_rows(np.array([1e-200, 1.0, 1e-200]), np.ones(3), np.random.default_rng(0))
    assert drawn.tolist() == [0, 1, 0]


def test_the_runner_up_has_the_second_highest_score():
    numbers = np.arange(2, 6)
    assert ClusterNumber(3, "clusters", numbers=numbers, score=np.array([0.2, 0.9, 0.5, 0.1])).runner_up == 4
    assert ClusterNumber(2, "clusters", numbers=numbers[:1], score=np.ones(1)).runner_up is None
    assert ClusterNumber(1, "chance").runner_up is None


# ---------------------------------------------------------------------------------------------------- whole ensembles
@pytest.mark.parametrize("k", [1, 2, 5, 12])
@pytest.mark.parametrize("n_clusterings", [1, 2, 6])
def test_unanimous_clusterings_give_their_own_clusters(k, n_clusterings):
    truth = np.arange(60) % k
    X = np.column_stack([(truth + shift) % k for shift in range(n_clusterings)])
    model = LWGP(random_state=0).fit(X)
    assert same_partition(model.labels_, truth)
    assert (model.choice_.n_clusters, model.choice_.verdict, model.choice_.p_value) == (k, "agreed", None)


def test_a_single_clustering_with_holes_is_its_own_consensus():
    with pytest.warns(UserWarning, match="2 of 8 objects have no label"):
        model = LWGP(random_state=0).fit(np.array([[0], [1], [-1], [2], [2], [-1], [0], [0]]))
    assert model.choice_.verdict == "agreed"
    assert model.labels_.tolist() == [0, 2, -1, 1, 1, -1, 0, 0]


@weak_or_not
def test_two_clusterings_are_compared():
    X = noisy_ensemble(sizes=(40, 30, 20), n_clusterings=2, flip=0.05, missing=0).X
    assert found(X).n_clusters == 3


@weak_or_not
def test_independent_random_labels_are_one_cluster():
    chance = 0
    for seed in range(100):
        X = np.random.default_rng(1000 + seed).integers(0, 3, (60, 6))
        chance += found(X, seed, max_clusters=2).n_clusters == 1
    assert chance >= 95


@weak_or_not
@pytest.mark.parametrize("n", [60, 1500])
@pytest.mark.parametrize("weighted", [False, True])
def test_samples_and_weights_do_not_make_chance_an_agreement(n, weighted):
    """An object that is drawn twice agrees with itself: with replacement, three of four of these were 'agreement'."""
    verdicts = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, weights = rng.integers(0, 4, (n, 8)), rng.random(n)
        verdicts.append(found(X, seed, weights if weighted else None, max_clusters=2).verdict)
    assert verdicts.count("chance") >= 7


@weak_or_not
@pytest.mark.parametrize("k", [2, 3, 5])
def test_clusters_of_points_are_counted(k):
    angle = 2 * np.pi * np.arange(k) / k
    centers = 2 * k * np.column_stack([np.cos(angle), np.sin(angle)])
    F = make_blobs(40 * k, centers=centers, cluster_std=1.0, random_state=k)[0]
    rng = np.random.default_rng(k)
    X = np.column_stack([KMeans(rng.integers(2, 13), n_init=1, random_state=m).fit_predict(F) for m in range(20)])
    assert [found(X, seed).n_clusters for seed in range(2)] == [k] * 2


@weak_or_not
def test_weight_two_is_the_object_twice():
    X = noisy_ensemble(sizes=(30, 25, 20), n_clusterings=8, flip=0.25).X
    weights = np.arange(75) % 2 + 1.0
    once, twice = found(X, sample_weight=weights), found(np.repeat(X, weights.astype(int), axis=0))
    assert once.n_clusters == twice.n_clusters
    assert once.p_value == twice.p_value
    assert np.allclose(once.score, twice.score, atol=1e-9)
    assert np.allclose(once.halves.shared, twice.halves.shared, atol=1e-9)


@weak_or_not
@pytest.mark.parametrize("factor", [2.0**-40, 0.5, 2.0**-900])
def test_weights_times_a_constant_do_not_matter(factor):
    X = noisy_ensemble(sizes=(30, 25, 20), n_clusterings=8, flip=0.15).X
    weights = 1 - np.arange(75) % 3 / 4
    one, other = found(X, sample_weight=weights), found(X, sample_weight=factor * weights)
    assert one.n_clusters == other.n_clusters == 3
    assert np.allclose(one.score, other.score, atol=1e-9)


@weak_or_not
def test_a_weight_of_all_clusterings_does_not_matter():
    X = noisy_ensemble(n_clusterings=8, flip=0.2).X
    one, other = found(X, weights=np.ones(8)), found(X, weights=np.full(8, 4.0))
    assert np.allclose(one.score, other.score, atol=1e-9)


@weak_or_not
def test_an_object_without_weight_has_no_say():
    X = noisy_ensemble(sizes=(30, 25, 20), n_clusterings=8, flip=0.25).X
    more = np.vstack([X, np.random.default_rng(0).integers(0, 9, (20, 8))])
    there = found(more, sample_weight=np.repeat([1.0, 0.0], [75, 20]))
    assert np.array_equal(there.score, found(X).score)


@weak_or_not
def test_max_clusters_is_the_largest_number_compared():
    X = noisy_ensemble(sizes=(30, 25, 20), n_clusterings=8, flip=0.2).X
    assert found(X).numbers.tolist() == list(range(2, 9))  # root of 75
    few = found(X, max_clusters=2)
    assert few.numbers.tolist() == [2]
    assert (few.n_clusters, few.runner_up) == (2, None)
    assert found(X[:20], max_clusters=500).numbers[-1] <= 20


@weak_or_not
def test_the_highest_score_is_chosen_and_the_second_told():
    number = found(noisy_ensemble(sizes=(30, 25, 20), n_clusterings=8, flip=0.2).X)
    by_score = number.numbers[np.argsort(-number.score)]
    assert [number.n_clusters, number.runner_up] == by_score[:2].tolist()


@pytest.mark.parametrize("method", [LWGP, SoftLWGP])
def test_a_number_and_a_limit_of_numbers_contradict_each_other(method):
    with pytest.raises(ValueError, match="n_clusters=3 and max_clusters=5 are both given"):
        method(3, max_clusters=5).fit([[0, 1, 1], [0, 0, 1]])


@weak_or_not
def test_below_ten_objects_chance_is_not_tested():
    X = noisy_ensemble(sizes=(5, 4), n_clusterings=6, flip=0.1, missing=0, seed=1).X
    assert found(X).p_value is None
    assert found(np.vstack([X, X[:1]])).p_value is not None


@weak_or_not
@pytest.mark.parametrize("method", [LWGP, SoftLWGP])
def test_the_choice_is_that_of_the_last_fit(method):
    X = noisy_ensemble().X
    model = method(random_state=0).fit(X)
    assert model.choice_.n_clusters == model.n_clusters_ == 3
    assert not hasattr(model.set_params(n_clusters=2).fit(X), "choice_")


@weak_or_not
def test_one_cloud_is_weak_structure_and_said_so():
    F = np.random.default_rng(0).standard_normal((120, 2))
    X = np.column_stack([KMeans(2 + m % 6, n_init=1, random_state=m).fit_predict(F) for m in range(15)])
    with pytest.warns(WeakStructureWarning, match="as they would on one cloud"):
        number = found(X)
    assert number.verdict == "weak"
    assert number.n_clusters > 1


def test_clear_clusters_are_not_called_weak():
    X = noisy_ensemble(sizes=(200, 150, 100), n_clusterings=20, flip=0.002, missing=0.1).X
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found(X).verdict == "clusters"


@weak_or_not
def test_a_clustering_of_a_few_objects_can_be_a_half():
    rng = np.random.default_rng(0)
    X = np.full((2000, 3), -1)
    X[:, 0] = X[:, 1] = rng.integers(0, 3, 2000)
    X[7, 1] = (X[7, 1] + 1) % 3
    X[:2, 2] = [0, 1]
    assert found(X).n_clusters == 3
