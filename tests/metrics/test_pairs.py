"""Metrics by pairs of objects: double loops, identities, trivial partitions (eqs. I10, I11, I12, I13, I14)."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita import metrics
from tests.ensembles import partitions

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
def test_trivial_partitions_equal_themselves_and_not_each_other(name):
    function = getattr(metrics, name)
    apart, together = np.arange(4), np.zeros(4, int)
    assert function(apart, apart) == 1
    assert function(together, together) == 1
    assert function(apart, together) == 0
    assert function([0], [5]) == 1
