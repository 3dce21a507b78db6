"""Diversity: similarities by scikit-learn, measures by their definitions, partitions that are the same."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from partita import diversity
from partita.ensembles._diversity import first_equal, from_consensus, quality
from tests.ensembles import label_matrices, noisy_ensemble, same_partition

DATA = noisy_ensemble(n_clusterings=7, missing=0.2)


def test_similarities_are_those_of_scikit_learn_on_common_objects():
    found = diversity(DATA.X, DATA.truth)
    for i in range(7):
        for j in range(7):
            both = (DATA.X[:, i] >= 0) & (DATA.X[:, j] >= 0)
            pair = DATA.X[both, i], DATA.X[both, j]
            assert found.nmi.iloc[i, j] == pytest.approx(
                normalized_mutual_info_score(*pair, average_method="geometric")
            )
            assert found.adjusted_rand.iloc[i, j] == pytest.approx(adjusted_rand_score(*pair))


def test_measures_by_their_definitions():
    found = diversity(DATA.X, DATA.truth)
    nmi, rand = found.nmi.to_numpy(), found.adjusted_rand.to_numpy()
    pairs = [(i, j) for i in range(7) for j in range(i)]
    assert found.mean_nmi == pytest.approx(np.mean([nmi[pair] for pair in pairs]))
    assert found.mean_adjusted_rand == pytest.approx(np.mean([rand[pair] for pair in pairs]))
    table = found.clusterings
    np.testing.assert_allclose(table["snmi"], nmi.sum(axis=1) - 1)
    np.testing.assert_allclose(table["quality"], (nmi.sum(axis=1) - 1) / 6)
    apart = []
    for j in range(7):
        seen = DATA.X[:, j] >= 0
        apart.append(1 - adjusted_rand_score(DATA.truth[seen], DATA.X[seen, j]))
    D1, D2 = np.mean(apart), np.std(apart, ddof=1)
    expected = {"mean": D1, "spread": D2, "mixed": (1 - D1 + D2) / 2, "ratio": D2 / D1}
    assert found.against_consensus == pytest.approx(expected)
    assert table["n_objects"].tolist() == (DATA.X >= 0).sum(axis=0).tolist()


def test_distinct_rows_change_nothing():
    twice = np.vstack([DATA.X, DATA.X, DATA.X])
    found, again = diversity(DATA.X, DATA.truth), diversity(twice, np.tile(DATA.truth, 3))
    np.testing.assert_allclose(found.nmi, again.nmi)


@given(label_matrices(max_rows=6, max_columns=5, max_label=2))
def test_equal_partitions_by_a_plain_loop(X):
    same = first_equal(X)
    for j in range(X.shape[1]):
        expected = next(i for i in range(X.shape[1]) if same_partition(X[:, i], X[:, j]))
        assert same[j] == expected


@given(label_matrices(max_rows=8, max_columns=4))
def test_any_labels_have_an_answer(X):
    used = X[:, (X >= 0).any(axis=0)]
    found = diversity(used)
    assert len(found.clusterings) == used.shape[1]
    assert found.summary


def test_a_shuffled_clustering_stands_apart_and_a_copy_is_found(rng):
    X = pd.DataFrame(noisy_ensemble(n_clusterings=8, missing=0).X, columns=list("abcdefgh"))
    X["copy"] = X["c"].map({0: "x", 1: "y", 2: "z"})
    X["noise"] = rng.permutation(X["a"].to_numpy())
    found = diversity(X)
    assert found.redundant == [["c", "copy"]]
    assert found.outliers == ["noise"]
    assert "The same partition: c = copy. One clustering stands apart from the consensus: noise." in str(found)
    assert found.clusterings["same_as"].tolist() == [*[""] * 8, "c", ""]


def test_clusterings_without_common_objects():
    found = diversity([[0, 0, 1, None, None], [None, None, None, 0, 1]])
    assert np.isnan(found.mean_nmi)
    assert np.isnan(found.clusterings["quality"]).all()
    assert "no two of them label the same objects" in found.summary
    assert diversity([[0, 0, 1]]).summary.startswith("There is one clustering only")


def test_quality_leaves_out_what_is_unknown():
    nmi = np.array([[1, 0.5, np.nan], [0.5, 1, 0.2], [np.nan, 0.2, 1]])
    np.testing.assert_allclose(quality(nmi), [0.5, 0.35, 0.2])
    assert np.isnan(from_consensus(np.array([np.nan]))["mean"])


def test_a_wrong_consensus_is_refused():
    with pytest.raises(ValueError, match="62 objects, but labels has 3"):
        diversity(DATA.X, [0, 1, 1])
    with pytest.raises(ValueError, match="none of the 62 objects has a label"):
        diversity(DATA.X, np.full(62, -1))
