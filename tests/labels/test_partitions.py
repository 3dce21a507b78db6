"""Clusters numbered by size, one-hot rows, and the check of memberships."""

import numpy as np
import pytest
from hypothesis import given

from partita._labels.partitions import check_membership, number_by_size, one_hot, order_by_size, rank_of
from tests.ensembles import partitions, same_partition


@given(partitions(min_label=-1))
def test_numbering_by_size_keeps_the_partition_and_sorts_the_sizes(labels):
    numbered = number_by_size(labels)
    assert same_partition(labels, numbered)
    size = np.bincount(numbered[numbered >= 0], minlength=1)
    assert (np.diff(size) <= 0).all()
    firsts = [np.flatnonzero(numbered == c)[0] for c in range(len(size)) if size[c]]
    for c in range(len(firsts) - 1):  # equally large clusters by first appearance
        assert size[c] > size[c + 1] or firsts[c] < firsts[c + 1]


def test_ties_by_number_and_weights():
    labels = np.array([1, 1, 0, 0, 2])
    assert number_by_size(labels).tolist() == [0, 0, 1, 1, 2]
    assert number_by_size(labels, ties="number").tolist() == [1, 1, 0, 0, 2]
    assert number_by_size(labels, np.array([1.0, 1, 1, 1, 5])).tolist() == [1, 1, 2, 2, 0]


def test_clusters_without_objects_are_left_out_or_come_last_by_mass():
    labels, size = np.array([2, 2, 0]), np.array([1.0, 0.0, 2.0, 0.0])
    assert order_by_size(labels, 4, size).tolist() == [2, 0]
    assert order_by_size(labels, 4, size, mass=np.array([1.0, 0.2, 2.0, 0.7])).tolist() == [2, 0, 3, 1]
    assert rank_of(np.array([2, 0]), 4).tolist() == [1, -1, 0, -1]


def test_one_hot_rows():
    assert one_hot(np.array([1, -1, 0]), 2).tolist() == [[0, 1], [0, 0], [1, 0]]


REFUSED = {
    "text": ("abc", "M must be numbers, received 'abc'"),
    "one row": ([0.5, 0.5], r"M has shape \(2,\); pass one row per object and one column per cluster"),
    "no column": (np.empty((3, 0)), r"M has shape \(3, 0\)"),
    "sum": ([[1, 0], [0.5, 0.4]], r"row 1 of M is \[0.5, 0.4\], which are not probabilities"),
    "negative": ([[1.5, -0.5]], r"row 0 of M is \[1.5, -0.5\]"),
    "NaN": ([[np.nan, np.nan]], "row 0 of M"),
    "infinite": ([[np.inf, -np.inf]], "row 0 of M"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_a_membership_is_refused(case):
    Y, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        check_membership(Y, "M")


def test_a_missing_row_is_nan_throughout():
    Y = [[0.25, 0.75], [np.nan, np.nan]]
    assert np.array_equal(check_membership(Y, "M", missing=True), Y, equal_nan=True)
    with pytest.raises(ValueError, match="a row may be NaN throughout"):
        check_membership([[np.nan, 1.0]], "M", missing=True)
