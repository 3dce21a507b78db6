"""Annotations from frames, dicts and single columns."""

import numpy as np
import pandas as pd
import pytest

from partita.plotting._annotations import read_annotations

ALL = np.arange(4)


def test_nothing_gives_no_bars():
    assert read_annotations(None, ALL, 4) == []


def test_text_becomes_sorted_categories_with_missing_values():
    (bar,) = read_annotations(pd.Series(["b", None, "a", "b"], name="batch"), ALL, 4)
    assert bar.name == "batch"
    assert bar.categories == ["a", "b"]
    assert bar.values.tolist() == [1, -1, 0, 1]


def test_fractions_are_numbers_and_few_whole_numbers_are_categories():
    fractions, whole = read_annotations({"f": [0.5, np.nan, 1.0, 2.0], "w": [3.0, 1.0, np.nan, 3.0]}, ALL, 4)
    assert fractions.categories is None
    np.testing.assert_array_equal(fractions.values, [0.5, np.nan, 1.0, 2.0])
    assert whole.categories == ["1", "3"]
    assert whole.values.tolist() == [1, 0, -1, 1]


def test_many_whole_numbers_are_numbers():
    (bar,) = read_annotations(np.arange(11), np.array([10, 0]), 11)
    assert bar.categories is None
    assert bar.values.tolist() == [10, 0]


def test_categories_keep_their_order_and_unused_ones_are_left_out():
    column = pd.Categorical(["low", "high", "low", "high"], categories=["none", "low", "high"], ordered=True)
    (bar,) = read_annotations(pd.DataFrame({"level": column}), ALL, 4)
    assert bar.categories == ["low", "high"]
    assert bar.values.tolist() == [0, 1, 0, 1]


def test_strings_and_numbers_together_are_categories():
    (bar,) = read_annotations(np.array(["b", 2, 1.5, "b"], dtype=object), ALL, 4)
    assert sorted(bar.categories) == ["1.5", "2", "b"]


def test_rare_categories_share_the_last_entry():
    values = [f"c{place:02d}" for place in range(30)] + ["c29"] * 5
    (bar,) = read_annotations({"many": values}, np.arange(35), 35)
    assert len(bar.categories) == 13
    assert bar.categories[-1] == "other (18 values)"
    assert bar.n_others == 18
    assert "c29" in bar.categories
    assert (bar.values == 12).sum() == 18


def test_only_the_objects_drawn_are_kept():
    (bar,) = read_annotations(["a", "b", "c", "d"], np.array([3, 1]), 4)
    assert [bar.categories[int(code)] for code in bar.values] == ["d", "b"]


def test_columns_of_an_array_are_bars():
    assert [bar.name for bar in read_annotations(np.zeros((4, 2)), ALL, 4)] == ["annotation 0", "annotation 1"]


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        (np.zeros(3), "one value per object, shape \\(4,\\)"),
        ({"a": [1, 2]}, "one value per object, shape \\(4,\\)"),
        (np.zeros((4, 6)), "at most 5"),
    ],
)
def test_wrong_annotations_are_refused(annotations, message):
    with pytest.raises(ValueError, match=message):
        read_annotations(annotations, ALL, 4)
