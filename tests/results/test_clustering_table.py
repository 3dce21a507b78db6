"""Agreement of base clusterings with the consensus against scikit-learn; outliers and weights on known cases."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score, normalized_mutual_info_score

from partita import ConsensusResult, KMeansEnsemble, combine
from partita.results._clustering_table import deserved_weights, find_outliers


@pytest.mark.parametrize("missing", [0, 0.3])
def test_measures_by_scikit_learn(missing, rng):
    truth = rng.integers(4, size=200)
    X = np.column_stack([np.where(rng.random(200) < 0.3, rng.integers(k, size=200), truth % k) for k in (2, 3, 4, 9)])
    X[rng.random(X.shape) < missing] = -1
    table = ConsensusResult.from_labels(X, truth).clusterings
    for column, row in zip(X.T, table.itertuples(), strict=True):
        kept = column >= 0
        pair = truth[kept], column[kept]
        assert row.n_objects == kept.sum()
        assert row.nmi == pytest.approx(normalized_mutual_info_score(*pair, average_method="geometric"))
        assert row.adjusted_rand == pytest.approx(adjusted_rand_score(*pair))
        assert row.agreement == pytest.approx(adjusted_mutual_info_score(*pair, average_method="min"))


def test_a_refinement_agrees_completely_and_one_cluster_says_nothing():
    truth = np.repeat([0, 1, 2], 20)
    table = ConsensusResult.from_labels({"fine": np.arange(60) // 4, "one": np.zeros(60)}, truth).clusterings
    assert table["agreement"][0] == pytest.approx(1)
    assert table["adjusted_rand"][0] < 0.4
    assert np.isnan(table["agreement"][1])
    assert table["deserved_weight"].tolist() == [1, 0]
    assert not table["outlier"].any()


def test_shuffled_clusterings_are_outliers_and_deserve_no_weight(rng):
    F = np.repeat(rng.standard_normal((4, 3)) * 6, 50, axis=0) + rng.standard_normal((200, 3))
    X = KMeansEnsemble(12, (3, 9), random_state=0).fit_transform(F)
    for j in (2, 7):
        X[:, j] = rng.permutation(X[:, j])
    table = combine(X, n_clusters=4, random_state=0).clusterings
    assert np.flatnonzero(table["outlier"]).tolist() == [2, 7]
    assert (table["deserved_weight"][[2, 7]] == 0).all()
    assert table["deserved_weight"].mean() == pytest.approx(1)


def test_of_two_clusterings_none_is_the_odd_one():
    assert not find_outliers(np.array([0.9, 0.0])).any()
    assert find_outliers(np.array([0.9, 0.0, 0.9])).tolist() == [False, True, False]
    assert not find_outliers(np.array([0.9, 0.7, 0.9])).any()
    assert not find_outliers(np.array([np.nan, np.nan, np.nan, 0.4])).any()


def test_weights_where_nothing_agrees():
    assert deserved_weights(np.array([0.0, 0.01])).tolist() == [1, 1]
    assert deserved_weights(np.array([np.nan, 0.5, 0.25])).tolist() == [0, 4 / 3, 2 / 3]


def test_the_deserved_weights_can_be_used(rng):
    X = {"one": np.zeros(60), "a": np.arange(60) // 20, "b": np.arange(60) // 15, "noise": rng.integers(3, size=60)}
    weights = combine(X, n_clusters=3, random_state=0).clusterings["deserved_weight"].to_numpy()
    assert combine(X, n_clusters=3, weights=weights, random_state=0).n_clusters == 3
