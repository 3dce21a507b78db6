"""Metrics against brute force, identities and values worked out by hand: T-16, T-36, T-37 of the catalogue."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from partita import metrics
from tests.ensembles import noisy_ensemble, partitions

two_partitions = st.integers(2, 10).flatmap(lambda n: st.tuples(partitions(n), partitions(n)))


def count_pairs_slowly(a, b):
    both = first = second = neither = 0
    for i, j in combinations(range(len(a)), 2):
        if a[i] == a[j]:
            both, first = (both + 1, first) if b[i] == b[j] else (both, first + 1)
        else:
            second, neither = (second + 1, neither) if b[i] == b[j] else (second, neither + 1)
    return both, first, second, neither


@given(two_partitions)
def test_pairs_are_those_of_a_double_loop(pair):
    a, b = pair
    counted = count_pairs_slowly(a, b)
    assert tuple(metrics.pair_counts(a, b)) == counted
    both, first, second, neither = counted
    everything = sum(counted)
    assert metrics.rand_score(a, b) == pytest.approx((both + neither) / everything)
    if both:
        assert metrics.jaccard_score(a, b) == pytest.approx(both / (both + first + second))
        assert metrics.pair_f1_score(a, b) == pytest.approx(2 * both / (2 * both + first + second))
        assert metrics.fowlkes_mallows_score(a, b) == pytest.approx(both / np.sqrt((both + first) * (both + second)))
    expected = (both + first) * (both + second) / everything
    half = ((both + first) + (both + second)) / 2
    if half != expected:
        assert metrics.adjusted_rand_score(a, b) == pytest.approx((both - expected) / (half - expected))
        other_form = (both + first) * (first + neither) + (both + second) * (second + neither)
        assert metrics.adjusted_rand_score(a, b) == pytest.approx(2 * (both * neither - first * second) / other_form)


def test_millions_of_pairs_do_not_overflow():
    labels = np.repeat([0, 1], 2_000_000)
    assert metrics.pair_counts(labels, labels[::-1]).both == 2 * (2_000_000 * 1_999_999 // 2)


@given(two_partitions)
def test_matching_is_the_best_of_all(pair):
    a, b = pair
    table = metrics.contingency(a, b).dense()
    if table.shape[0] > table.shape[1]:
        table = table.T
    best = max(
        sum(table[i, j] for i, j in enumerate(columns)) for columns in permutations(range(table.shape[1]), len(table))
    )
    h = metrics.consistency_index(a, b)
    assert h == pytest.approx(best / len(a))
    assert h >= max(1 / max(table.shape), table.max() / len(a)) - 1e-12
    assert metrics.micro_precision(a, b) >= h - 1e-12


def test_matching_of_many_small_clusters_needs_no_large_table():
    labels = np.arange(300_000)
    assert metrics.consistency_index(labels, labels[::-1]) == 1
    assert metrics.consistency_index(labels // 100_000, labels) == pytest.approx(3 / 300_000)
    assert metrics.average_nmi_score(np.column_stack([labels, labels]), labels) == pytest.approx(1)


@given(two_partitions)
def test_purity(pair):
    classes, clusters = pair
    by_hand = sum(np.bincount(classes[clusters == c]).max() for c in np.unique(clusters)) / len(classes)
    value = metrics.micro_precision(classes, clusters)
    assert value == pytest.approx(by_hand)
    assert value >= np.bincount(classes).max() / len(classes) - 1e-12
    assert metrics.micro_precision(classes, np.arange(len(classes))) == 1


@given(two_partitions)
def test_f1_variants_by_their_definitions(pair):
    classes, clusters = pair
    A = [set(np.flatnonzero(clusters == c)) for c in np.unique(clusters)]
    B = [set(np.flatnonzero(classes == c)) for c in np.unique(classes)]
    precision = np.mean([max(len(a & b) / len(a) for b in B) for a in A])
    by_cluster = np.mean([max(len(a & b) / len(b) for b in B) for a in A])
    by_class = np.mean([max(len(a & b) / len(b) for a in A) for b in B])
    harmonic = lambda p, r: 2 * p * r / (p + r)  # noqa: E731
    assert metrics.f1_score(classes, clusters) == pytest.approx(harmonic(precision, by_cluster))
    assert metrics.f1_score(classes, clusters, recall="class") == pytest.approx(harmonic(precision, by_class))
    weighted = sum(len(b) * max(2 * len(a & b) / (len(a) + len(b)) for a in A) for b in B) / len(classes)
    assert metrics.class_weighted_f1_score(classes, clusters) == pytest.approx(weighted)


def test_f1_variants_on_one_giant_cluster_and_six_tiny_pure_ones():
    """Class sizes of the mini-newsgroups: the four variants tell very different stories, 0.26 / 0.94 / 0.31 / 0.32."""
    sizes = [100, 400, 100, 400, 400, 100, 200]
    classes = np.repeat(np.arange(7), sizes)
    clusters = np.zeros(len(classes), int)
    starts = np.cumsum([0, *sizes])[:-1]
    for k, start in enumerate(starts[[0, 2, 3, 4, 5, 6]], start=1):
        clusters[start : start + 2] = k
    assert metrics.f1_score(classes, clusters) == pytest.approx(0.26, abs=0.02)
    assert metrics.f1_score(classes, clusters, recall="class") == pytest.approx(0.94, abs=0.02)
    assert metrics.class_weighted_f1_score(classes, clusters) == pytest.approx(0.31, abs=0.02)
    assert metrics.pair_f1_score(classes, clusters) == pytest.approx(0.32, abs=0.02)
    with pytest.raises(ValueError, match="recall='object' is not known; choose 'cluster' or 'class'"):
        metrics.f1_score(classes, clusters, recall="object")


@given(st.integers(2, 30).flatmap(lambda n: st.tuples(partitions(n, max_label=1), partitions(n, max_label=1))))
def test_two_classes_tie_rand_to_the_matching(pair):
    a, b = pair
    n, h = len(a), metrics.consistency_index(a, b)
    assert metrics.rand_score(a, b) == pytest.approx(1 - 2 * h * (1 - h) * n / (n - 1))


def test_adjusted_rand_is_zero_on_average_for_shuffled_labels(rng):
    a = np.repeat([0, 1, 2], [10, 15, 5])
    scores = [metrics.adjusted_rand_score(a, rng.permutation(a)) for _ in range(2000)]
    assert abs(np.mean(scores)) < 4 * np.std(scores) / np.sqrt(2000)


@pytest.mark.parametrize("name", ["fowlkes_mallows_score", "jaccard_score", "pair_f1_score", "adjusted_rand_score"])
def test_trivial_partitions(name):
    function = getattr(metrics, name)
    apart, together = np.arange(4), np.zeros(4, int)
    assert function(apart, apart) == 1
    assert function(together, together) == 1
    assert function(apart, together) == 0
    assert function([0], [5]) == 1


def test_nmi_by_hand():
    a, b = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
    p = np.array([[2, 1], [0, 3]]) / 6
    outer = p.sum(1, keepdims=True) * p.sum(0)
    information = (p[p > 0] * np.log(p[p > 0] / outer[p > 0])).sum()
    entropy = lambda q: -(q * np.log(q)).sum()  # noqa: E731
    expected = information / np.sqrt(entropy(p.sum(0)) * entropy(p.sum(1)))
    assert metrics.normalized_mutual_info_score(a, b) == pytest.approx(expected)
    assert metrics.normalized_mutual_info_score([0, 0], [0, 0]) == 1
    assert metrics.normalized_mutual_info_score([0, 0], [0, 1]) == 0


def test_average_nmi_is_the_mean_over_clusterings_on_their_own_objects(X, truth, rng):
    weights = rng.random(X.shape[1])
    scores = []
    for column in X.T:
        seen = column >= 0
        scores.append(metrics.normalized_mutual_info_score(column[seen], truth[seen]))
    assert metrics.average_nmi_score(X, truth) == pytest.approx(np.mean(scores))
    assert metrics.average_nmi_score(X, truth, weights=weights) == pytest.approx(np.average(scores, weights=weights))


def test_average_nmi_leaves_out_what_cannot_be_compared():
    X = {"a": [0, 0, 1, None], "b": [None, None, None, 1], "one": [5, 5, 5, 5]}
    with pytest.warns(UserWarning, match="1 of 4 objects have no consensus label"):
        assert metrics.average_nmi_score(X, [0, 0, 1, -1]) == pytest.approx(np.mean([1, 0]))
    assert metrics.average_nmi_score({"one": [5, 5]}, [1, 1]) == 1
    with pytest.raises(ValueError, match="X has 4 objects and labels 2"):
        metrics.average_nmi_score(X, [0, 1])
    with pytest.warns(UserWarning, match="1 of 2"), pytest.raises(ValueError, match="cannot be compared"):
        metrics.average_nmi_score({"b": [None, 1]}, [1, -1])


@pytest.mark.parametrize(("k", "q"), [(1, 1), (3, 3), (2, 4), (4, 2)])
def test_jensen_shannon_is_the_best_of_all_matchings(k, q, rng):
    Z, Y = rng.dirichlet(np.ones(k), size=15), rng.dirichlet(np.ones(q), size=15)
    size = max(k, q)
    Zp, Yp = np.pad(Z, ((0, 0), (0, size - k))), np.pad(Y, ((0, 0), (0, size - q)))
    by_force = min(
        np.mean([jensenshannon(z, y, base=2) ** 2 for z, y in zip(Zp, Yp[:, list(order)], strict=True)])
        for order in permutations(range(size))
    )
    assert metrics.jensen_shannon_distance(Z, Y) == pytest.approx(by_force, abs=1e-12)


def test_jensen_shannon_ends_of_its_range(rng):
    Y = rng.dirichlet(np.ones(4), size=20)
    assert metrics.jensen_shannon_distance(Y, Y[:, [2, 0, 3, 1]]) == pytest.approx(0, abs=1e-15)
    assert metrics.jensen_shannon_distance(Y, np.roll(Y, 1, axis=0)) > 0
    apart = metrics.jensen_shannon_distance([[1.0, 0, 0]] * 2, np.eye(3)[[1, 2]])
    assert apart == pytest.approx(0.5)  # one of the two can be matched
    hard = noisy_ensemble().truth
    assert metrics.jensen_shannon_distance(hard, np.eye(3)[hard]) == 0


def test_jensen_shannon_leaves_out_rows_without_membership():
    Y = np.array([[0.5, 0.5], [np.nan, np.nan], [1, 0]])
    with pytest.warns(UserWarning, match="1 of 3 objects have no membership"):
        assert metrics.jensen_shannon_distance(Y, np.array([[0.5, 0.5], [1, 0], [1, 0]])) == 0


@pytest.mark.parametrize(
    ("membership", "message"),
    [
        ([[0.5, 0.6]], "not probabilities"),
        ([[1.5, -0.5]], "not probabilities"),
        ([[["a"]]], "pass .n_samples, n_clusters. probabilities"),
        ([["a", "b"]], "dtype"),
    ],
)
def test_refused_memberships(membership, message):
    with pytest.raises(ValueError, match=message):
        metrics.jensen_shannon_distance(membership, [[0.5, 0.5]])


def test_contingency_counts_what_is_left_out():
    with pytest.warns(UserWarning, match="2 of 5"):
        table = metrics.contingency(["a", "b", None, "a", "a"], [1, 1, 1, -1, 2])
    assert table.n_left_out == 2
    assert table.dense().tolist() == [[1, 1], [1, 0]]
    assert not table.is_bijection
