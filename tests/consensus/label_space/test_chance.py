"""The test of agreement by chance: SciPy's chi-squared of every pair, and a p-value that is exact."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from scipy.stats.contingency import crosstab

from partita._labels.tables import cluster_tables
from partita.consensus.label_space._chance import LEVEL, N_SHUFFLES, agreement_p_value, pair_agreement, shuffle_columns
from tests.consensus.label_space.fixed_ensembles import objects, random_ensemble
from tests.ensembles import noisy_ensemble


def plain_sum(X, weights):
    """Chi-squared statistics of SciPy, pair by pair, over the objects that both clusterings label."""
    total = 0.0
    for a, b in combinations(range(X.shape[1]), 2):
        both = (X[:, a] >= 0) & (X[:, b] >= 0)
        if both.any():
            table = crosstab(X[both, a], X[both, b]).count
            total += weights[a] * weights[b] * chi2_contingency(table, correction=False).statistic
    return total


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("missing", [0, 0.3, 0.9])
def test_the_statistic_is_that_of_scipy(seed, missing):
    X = random_ensemble(n=50, missing=missing, seed=seed)
    for weights in ([1, 1, 1, 1], [2, 0.5, 1, 3]):
        found = pair_agreement(cluster_tables(objects(X, weights)))
        assert found == pytest.approx(plain_sum(X, weights), rel=1e-10)


def test_clusterings_without_a_common_object_add_nothing():
    X = np.array([[0, -1], [1, -1], [-1, 0], [-1, 1]])
    assert pair_agreement(cluster_tables(objects(X))) == 0


def test_equal_clusterings_have_the_largest_value():
    labels = np.repeat([0, 1, 2], [6, 3, 3])
    assert pair_agreement(cluster_tables(objects(np.column_stack([labels, 2 - labels])))) == pytest.approx(12 * 2)


def test_shuffling_keeps_holes_and_sizes():
    X = random_ensemble(n=200, missing=0.3)
    shuffled = shuffle_columns(X, np.random.default_rng(0))
    assert np.array_equal(shuffled < 0, X < 0)
    for before, after in zip(X.T, shuffled.T, strict=True):
        assert np.array_equal(np.bincount(before + 1), np.bincount(after + 1))
        assert (before != after).any()


def test_every_order_is_as_likely():
    rng, X = np.random.default_rng(0), np.array([[0], [1], [2], [-1]], dtype=np.int32)
    seen = [tuple(shuffle_columns(X, rng)[:3, 0]) for _ in range(1200)]
    counts = np.array([seen.count(order) for order in set(seen)])
    assert len(counts) == 6
    assert (abs(counts - 200) < 5 * np.sqrt(200)).all()


def test_the_mean_of_shuffled_labels_is_known():
    X, rng = random_ensemble(n=40, m=3, missing=0), np.random.default_rng(1)
    values = [pair_agreement(cluster_tables(objects(shuffle_columns(X, rng)))) for _ in range(400)]
    expected = 3 * 40 / 39 * (3 - 1) * (3 - 1)
    assert abs(np.mean(values) - expected) < 4 * np.std(values) / 20


def test_independent_labels_are_rarely_taken_for_agreement():
    """Exact: the given labels have the largest statistic of all with probability LEVEL (or less, with ties)."""
    p = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.integers(0, k, 24) for k in (2, 3, 4)])
        p.append(agreement_p_value(objects(X), rng))
    p = np.array(p)
    assert (p <= LEVEL).sum() <= 11  # 4 are expected at a level of 0.02; 12 or more then have probability 0.001
    assert 0.4 < p.mean() < 0.6
    assert p.min() >= 1 / (1 + N_SHUFFLES)


def test_holes_and_weights_do_not_make_agreement():
    p = []
    for seed in range(60):
        X = random_ensemble(n=43, m=4, missing=0.4, seed=seed)[3:]
        p.append(agreement_p_value(objects(X, [1, 5, 0.2, 2]), np.random.default_rng(seed)))
    assert (np.array(p) <= LEVEL).sum() <= 6  # 1.2 are expected at a level of 0.02
    assert 0.35 < np.mean(p) < 0.65


def test_agreement_has_the_smallest_value():
    X = noisy_ensemble(flip=0.3).X
    assert agreement_p_value(objects(X), np.random.default_rng(0)) == LEVEL == 1 / (1 + N_SHUFFLES)


def test_one_clustering_agrees_with_none():
    assert agreement_p_value(objects(np.array([[0], [1], [1]])), np.random.default_rng(0)) == 1


def test_clusterings_without_choice_tie_and_count_against_agreement():
    X = np.zeros((20, 3), dtype=np.int32)
    assert agreement_p_value(objects(X), np.random.default_rng(0)) == 1
