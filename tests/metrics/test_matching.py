"""Metrics that match clusters with classes: brute force, definitions, bounds (eqs. I2, I3, I4, I5, I6, I7, I8, I9)."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita import metrics
from tests.ensembles import partitions

two_partitions = st.integers(2, 10).flatmap(lambda n: st.tuples(partitions(n), partitions(n)))


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
def test_micro_precision_is_the_share_of_the_largest_classes(pair):
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
    """Class sizes of the mini-newsgroups: the four variants differ widely, 0.26 / 0.94 / 0.31 / 0.32 (eq. I9)."""
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
