"""Agreement of all pairs of clusterings, against scikit-learn pair by pair."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from partita.metrics._agreement_matrix import agreement_matrix
from tests.ensembles import label_matrices, noisy_ensemble

SCORES = {
    "adjusted_rand": adjusted_rand_score,
    "nmi": lambda a, b: normalized_mutual_info_score(a, b, average_method="geometric"),
}


def by_scikit_learn(X, measure):
    m = X.shape[1]
    expected = np.full((m, m), np.nan)
    for i in range(m):
        for j in range(m):
            both = (X[:, i] >= 0) & (X[:, j] >= 0)
            if both.any():
                expected[i, j] = SCORES[measure](X[both, i], X[both, j])
    return expected


@pytest.mark.parametrize("measure", SCORES)
@given(label_matrices())
def test_small_matrices_agree_with_scikit_learn(measure, X):
    found = agreement_matrix(X, np.ones(len(X)), measure)
    np.testing.assert_allclose(found, by_scikit_learn(X, measure), atol=1e-12)


@pytest.mark.parametrize("measure", SCORES)
def test_rows_that_stand_for_several_objects_count_as_often(measure):
    X = noisy_ensemble(n_clusterings=6).X
    n_objects = np.random.default_rng(0).integers(0, 4, len(X))
    found = agreement_matrix(X, n_objects, measure)
    np.testing.assert_allclose(found, by_scikit_learn(np.repeat(X, n_objects, axis=0), measure), atol=1e-12)


@pytest.mark.parametrize("measure", SCORES)
def test_many_labels_take_no_wide_tables_and_give_the_same(measure):
    X = np.random.default_rng(1).integers(-1, 3000, (400, 3))
    found = agreement_matrix(X, np.ones(len(X)), measure)
    np.testing.assert_allclose(found, by_scikit_learn(X, measure), atol=1e-12)


def test_the_scores_of_many_objects_are_exact():
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    n_objects = np.array([3_000_000, 1_000_000, 1_000_000, 3_000_000])
    one_by_one = adjusted_rand_score(*np.repeat(rows, n_objects // 10_000, axis=0).T)
    np.testing.assert_allclose(agreement_matrix(rows, n_objects)[0, 1], one_by_one, atol=1e-3)


def test_clusterings_without_a_common_object_have_no_agreement():
    X = np.array([[0, -1], [1, -1], [-1, 0], [-1, 1]])
    assert np.isnan(agreement_matrix(X, np.ones(4))[0, 1])


def test_another_measure_is_refused():
    with pytest.raises(ValueError, match="measure='rand' is not known"):
        agreement_matrix(np.zeros((3, 2), dtype=int), np.ones(3), "rand")
