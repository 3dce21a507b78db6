"""Aligned labels: the matching by all permutations, containers, new names."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from partita import align_labels, check_label_matrix, combine
from tests.ensembles import label_matrices, noisy_ensemble, same_partition

DATA = noisy_ensemble(n_clusterings=6, missing=0.2)


def most_in_common(labels, reference):
    """Objects with the same name in the best one-to-one matching, by all permutations."""
    names = [name for name in np.unique(labels) if name >= 0]
    targets = [name for name in np.unique(reference) if name >= 0] + [-9] * len(names)
    best = 0
    for chosen in set(permutations(targets, len(names))):
        shared = sum(((labels == a) & (reference == b)).sum() for a, b in zip(names, chosen, strict=True))
        best = max(best, shared)
    return best


@given(label_matrices(max_rows=10, max_columns=3, max_label=2))
def test_the_matching_is_the_best_of_all_permutations(X):
    X = X[:, (X >= 0).any(axis=0)]
    reference = np.arange(len(X)) % 3
    aligned = align_labels(X, reference)
    for before, after in zip(X.T, aligned.T, strict=True):
        assert same_partition(before, after)
        assert ((after == reference) & (after >= 0)).sum() == most_in_common(before, reference)


@given(label_matrices(max_rows=10, max_columns=3, max_label=4))
def test_many_to_one_is_the_largest_share(X):
    X = X[:, (X >= 0).any(axis=0)]
    reference = np.arange(len(X)) % 2
    aligned = align_labels(X, reference, many_to_one=True)
    for before, after in zip(X.T, aligned.T, strict=True):
        for name in np.unique(before[before >= 0]):
            shared = np.bincount(reference[before == name], minlength=2)
            assert set(after[before == name]) == {int(shared.argmax())}
        assert np.array_equal(before < 0, after < 0)


@pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")
def test_the_default_is_the_consensus():
    aligned = align_labels(DATA.X)
    consensus = combine(DATA.X, random_state=0).labels
    np.testing.assert_array_equal(aligned, align_labels(DATA.X, consensus))
    seen = aligned >= 0
    assert (aligned == consensus[:, None])[seen].mean() > 0.85


def test_containers_come_back_as_they_were():
    frame = pd.DataFrame(DATA.X, index=[f"o{i}" for i in range(62)], columns=["a", "a", "b", "c", "d", "e"])
    expected = align_labels(DATA.X, DATA.truth)
    aligned = align_labels(frame, DATA.truth)
    assert aligned.index.equals(frame.index)
    assert aligned.columns.equals(frame.columns)
    np.testing.assert_array_equal(aligned.fillna(-1).to_numpy(dtype=int), expected)
    assert aligned.isna().to_numpy().tolist() == (DATA.X < 0).tolist()
    columns = {f"c{j}": column for j, column in enumerate(DATA.X.T)}
    of_dict = align_labels(columns, DATA.truth)
    assert list(of_dict) == list(columns)
    np.testing.assert_array_equal(np.column_stack(list(of_dict.values())), expected)
    of_list = align_labels(list(columns.values()), DATA.truth)
    assert isinstance(of_list, list)
    np.testing.assert_array_equal(np.column_stack(of_list), expected)
    of_polars = align_labels(pl.DataFrame(columns), DATA.truth)
    assert isinstance(of_polars, pl.DataFrame)
    np.testing.assert_array_equal(of_polars.fill_null(-1).to_numpy(), expected)
    np.testing.assert_array_equal(align_labels(check_label_matrix(DATA.X), DATA.truth), expected)


def test_frames_without_holes_are_plain_integers():
    aligned = align_labels(pd.DataFrame({"a": ["x", "y", "y"]}), [0, 1, 1])
    assert aligned["a"].dtype == np.int64


def test_names_of_the_reference_are_kept_and_new_ones_follow():
    X = np.array([[0, 0, 1, 1, 1, 2]]).T
    assert align_labels(X, [7, 7, 3, 3, 3, -1])[:, 0].tolist() == [7, 7, 3, 3, 3, 8]
    assert align_labels(X, ["b", "b", "a", "a", "a", "a"])[:, 0].tolist() == [1, 1, 0, 0, 0, 2]
    assert align_labels(X, [1.5, 1.5, 0, 0, 0, None])[:, 0].tolist() == [1, 1, 0, 0, 0, 2]


def test_unmatched_clusters_are_numbered_by_size():
    X = np.array([[0, 1, 1, 2, 2, 2, 3, 3, 3, 3]]).T
    assert align_labels(X, [0] * 10)[:, 0].tolist() == [3, 2, 2, 1, 1, 1, 0, 0, 0, 0]


def test_a_column_without_labels_stays():
    with pytest.warns(UserWarning, match="no label at all"):
        aligned = align_labels(pd.DataFrame({"a": [0, 1], "b": [np.nan, np.nan]}), [0, 1])
    assert aligned["b"].isna().all()


def test_wrong_values_are_refused():
    with pytest.raises(ValueError, match="many_to_one='yes'"):
        align_labels(DATA.X, many_to_one="yes")
    with pytest.raises(ValueError, match="62 objects, but"):
        align_labels(DATA.X, [0, 1])


def test_a_reference_of_other_objects_is_named():
    with pytest.raises(ValueError, match="X has 3 objects, but reference has 1"):
        align_labels({"a": [0, 0, 1]}, [0])
