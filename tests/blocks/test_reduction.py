import numpy as np
import pandas as pd
import pytest

from partita import LabelBlocks, check_label_matrix
from partita._labels.ensemble import find_distinct_rows
from partita.blocks import _reduction
from partita.blocks._engine import InThisProcess
from partita.blocks._fit import reduce_all
from partita.blocks._journal import Journal
from partita.exceptions import BlockError, EmptyColumnWarning, LabelMatrixError
from tests.blocks.ensembles import noisy_labels


def reduce(blocks):
    return reduce_all(blocks, InThisProcess(), Journal(), show=False)


def assert_same_as_in_memory(X, blocks):
    """The door on all objects at once is the reference."""
    whole, reduced = check_label_matrix(X), reduce(blocks)
    distinct = find_distinct_rows(whole.codes, whole.n_labels)
    np.testing.assert_array_equal(reduced.matrix.codes, whole.codes[distinct.first])
    np.testing.assert_array_equal(reduced.row_of_object, distinct.inverse)
    np.testing.assert_array_equal(reduced.n_objects, distinct.n_objects)
    for ours, theirs in zip(reduced.matrix.labels, whole.labels, strict=True):
        assert ours.tolist() == theirs.tolist()
    np.testing.assert_array_equal(reduced.matrix.kept, whole.kept)


@pytest.mark.parametrize("rows", [1, 7, 50, 300, 1000])
def test_rows_labels_and_objects_are_those_of_the_door(rows):
    X, _ = noisy_labels(300)
    assert_same_as_in_memory(X, LabelBlocks.from_array(X, rows=rows))


@pytest.mark.parametrize("pending", [1, 10, 100])
def test_it_does_not_matter_when_rows_are_joined(pending, monkeypatch):
    monkeypatch.setattr(_reduction, "_PENDING", pending)
    X, _ = noisy_labels(300)
    assert_same_as_in_memory(X, LabelBlocks.from_array(X, rows=13))


def test_labels_of_any_type_are_sorted_over_all_blocks():
    frame = pd.DataFrame(
        {
            "text": ["b", "a", None, "zz", "a", "c", "b"],
            "whole": [10, 9, 8, 7, 7, 7, 2**60],
            "fraction": [0.5, np.nan, 2.0, -3.5, 0.5, 1.0, 2.0],
            "truth": [True, False, True, True, False, False, True],
            "category": pd.Categorical(["x", "y", "x", None, "y", "y", "w"]),
        }
    )
    for size in (1, 2, 3, 7):
        parts = [frame.iloc[lo : lo + size] for lo in range(0, len(frame), size)]
        assert_same_as_in_memory(frame, LabelBlocks.from_iterable(lambda parts=parts: iter(parts)))


def test_a_column_that_is_empty_in_one_block_or_in_all():
    X = np.array([[1, np.nan, -1], [2, np.nan, -1], [1, 5, -1], [1, np.nan, -1]])
    with pytest.warns(EmptyColumnWarning, match="1 of 3 clusterings"):
        reduced = reduce(LabelBlocks.from_array(X, rows=2))
    assert reduced.matrix.kept.tolist() == [0, 1]
    with pytest.raises(LabelMatrixError, match="all labels of the 4 objects in 2 blocks are missing"):
        reduce(LabelBlocks.from_array(np.full((4, 2), -1), rows=2))


def test_noise_is_missing_or_a_cluster():
    X = np.array([[0, -1], [1, 0], [-1, 0], [0, 1]])
    blocks = LabelBlocks.from_array(X, rows=2, noise="cluster")
    whole = check_label_matrix(X, "cluster")
    assert [labels.tolist() for labels in reduce(blocks).matrix.labels] == [labels.tolist() for labels in whole.labels]
    with pytest.raises(ValueError, match="noise='singleton'"):
        LabelBlocks.from_array(X, noise="singleton")


def test_other_columns_or_types_are_refused_by_the_name_of_the_block():
    good, wide = np.zeros((3, 2), dtype=int), np.zeros((3, 4), dtype=int)
    with pytest.raises(BlockError, match=r"'number 1' has 4 clusterings .* first block has 2"):
        reduce(LabelBlocks.from_iterable(lambda: [good, wide]))
    with pytest.raises(BlockError, match=r"'number 2': the labels of column 'c1' are text, but .* numbers"):
        reduce(LabelBlocks.from_iterable(lambda: [good, good, [[0, 0], ["a", "b"]]]))
    frames = [pd.DataFrame({"a": [1], "b": [2]}), pd.DataFrame({"b": [1], "a": [2]})]
    with pytest.raises(BlockError, match="'number 1' has the columns 'b', 'a'"):
        reduce(LabelBlocks.from_iterable(lambda: frames))


def test_nothing_and_nonsense():
    with pytest.raises(BlockError, match="there are no blocks with objects"):
        reduce(LabelBlocks.from_iterable(lambda: []))
    with pytest.raises(BlockError, match="there are no blocks with objects"):
        reduce(LabelBlocks.from_iterable(lambda: [np.empty((0, 2))]))
    with pytest.raises(TypeError, match="cannot be called"):
        LabelBlocks.from_iterable([np.zeros((2, 2))])


def test_blocks_are_read_once_for_several_fits():
    calls = []

    def parts():
        calls.append(1)
        return [np.array([[0, 1], [1, 0]])] * 3

    blocks = LabelBlocks.from_iterable(parts)
    assert reduce(blocks) is reduce(blocks)
    assert len(calls) == 1


def test_numbers_beyond_63_bits_stay_apart():
    X = np.array([[0], [1], [2**63 + 7], [2**63 + 8], [1]], dtype=np.uint64)
    assert_same_as_in_memory(X, LabelBlocks.from_array(X, rows=2))


def test_blocks_without_objects_change_nothing():
    X, _ = noisy_labels(60)
    parts = [X[:0], X[:20], X[:0], X[20:]]
    blocks = LabelBlocks.from_iterable(lambda: parts)
    assert_same_as_in_memory(X, blocks)
    assert reduce(blocks).lengths == [0, 20, 0, 40]
