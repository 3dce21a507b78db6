"""Annotations from frames, dicts and single columns."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from partita import combine
from partita.plotting import CoassociationDisplay
from partita.plotting._annotations import read_bars
from tests.ensembles import noisy_ensemble

ALL = np.arange(4)


def read_annotations(annotations, objects, n):
    """Bars of a result of n objects that have no names."""
    return read_bars(annotations, objects, SimpleNamespace(labels=np.zeros(n), estimator=SimpleNamespace()))


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
    assert [bar.name for bar in read_annotations(np.zeros((4, 2)), ALL, 4)] == ["0", "1"]


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        (np.zeros(3), "has 3 rows; pass one row per object, 4 in all"),
        ({"a": [1, 2]}, "has 2 rows; pass one row per object"),
        (np.zeros((4, 6)), "at most 5"),
    ],
)
def test_wrong_annotations_are_refused(annotations, message):
    with pytest.raises(ValueError, match=message):
        read_annotations(annotations, ALL, 4)


def test_bars_and_tests_see_the_same_rows():
    frame = pd.DataFrame(noisy_ensemble().X, index=[f"o{i}" for i in range(62)])
    result = combine(frame, n_clusters=3, random_state=0)
    known = pd.DataFrame({"cluster": result.labels.astype(str), "x": np.arange(62) / 7}, index=frame.index)
    shuffled = known.sample(frac=1, random_state=0)
    first, second = (CoassociationDisplay.from_result(result, annotations=one).annotations for one in (known, shuffled))
    assert all(np.array_equal(a.values, b.values) for a, b in zip(first, second, strict=True))
    assert result.test_annotations(shuffled).equals(result.test_annotations(known))


def test_columns_of_one_name_are_all_shown():
    frame = pd.DataFrame([[0, "x"], [1, "y"], [0, "x"], [1, "y"]], columns=["a", "a"])
    assert [bar.name for bar in read_annotations(frame, ALL, 4)] == ["a", "a"]
