import numpy as np
import pytest
from scipy import stats

from partita.experiments._cells import Cell, Outcome
from partita.experiments._claims import (
    FAILS,
    HOLDS,
    OPEN,
    Claim,
    above_all,
    best_on,
    compare,
    equal,
    higher,
    means,
    not_below,
    on_stand_in,
    p_words,
    select,
    within,
)
from partita.experiments._items import Printed, as_table, beside_the_paper, methods_by_data
from partita.experiments._stored import Stored


def stored_scores(scores, metric="H"):
    """Scores by method, one per data set (or a list of repeats)."""
    rows = [
        {"data": f"set {place}", "method": method, "repeat": number, metric: float(value)}
        for method, values in scores.items()
        for place, repeats in enumerate(values)
        for number, value in enumerate(np.atleast_1d(repeats))
    ]
    made = Stored(None, "made-up", quick=False)
    made.add(Cell("all", stored_scores, {}), Outcome(rows, {}, 0.0))
    return made


HIGH, LOW = [0.9, 0.8, 0.85, 0.95], [0.5, 0.45, 0.4, 0.6]
RISING = [0.1, 0.95, 0.3, 0.7]


def test_a_clear_difference_holds_and_the_reverse_does_not():
    stored = stored_scores({"a": HIGH, "b": LOW})
    verdict = higher("a", "b", "H")(stored)
    assert verdict.word == HOLDS
    assert verdict.p_value == pytest.approx(stats.ttest_rel(HIGH, LOW, alternative="greater").pvalue, rel=1e-5)
    assert higher("b", "a", "H")(stored).word == FAILS
    assert higher("b", "a", "H", sign=-1)(stored).word == HOLDS


def test_a_small_difference_cannot_be_decided():
    assert higher("a", "b", "H")(stored_scores({"a": RISING, "b": [0.2, 0.9, 0.2, 0.75]})).word == OPEN


def test_equal_series_cannot_be_decided():
    assert higher("a", "b", "H")(stored_scores({"a": HIGH, "b": HIGH})).word == OPEN


def test_the_worst_of_several_comparisons_counts():
    stored = stored_scores({"a": HIGH, "b": LOW, "c": HIGH})
    assert above_all("a", ["b"], "H")(stored).word == HOLDS
    assert above_all("a", ["b", "c"], "H")(stored).word == OPEN
    assert above_all("b", ["a", "c"], "H")(stored).word == FAILS


def test_repeats_are_averaged_before_data_sets_are_compared():
    stored = stored_scores({"a": [[0.4, 0.6], [0.2, 0.4]]})
    assert means(stored.table, "H")["a"].tolist() == pytest.approx([0.5, 0.3])
    assert len(select(stored, repeat=[1])) == 2


@pytest.mark.parametrize(
    ("differences", "word"),
    [([0.001, -0.001, 0.0, 0.001], HOLDS), ([0.1, 0.11, 0.09], FAILS), ([0.1, -0.1, 0.05], OPEN), ([0.0, 0.0], HOLDS)],
)
def test_equality_up_to_a_margin(differences, word):
    assert within(differences, 0.02, "x").word == word


def test_one_measurement_is_not_enough_for_equality():
    assert within([0.0], 0.02, "x").word == OPEN


def test_equality_test_is_two_one_sided_tests():
    values = np.array([0.01, -0.004, 0.012, 0.003])
    verdict = within(values, 0.02, "x")
    lower = stats.ttest_1samp(values, -0.02, alternative="greater").pvalue
    upper = stats.ttest_1samp(values, 0.02, alternative="less").pvalue
    assert verdict.p_value == pytest.approx(max(lower, upper))
    assert (verdict.word == HOLDS) == (max(lower, upper) <= 0.05)


def test_equal_methods():
    assert equal("a", "b", "H", 0.02)(stored_scores({"a": HIGH, "b": HIGH})).word == HOLDS


def test_first_places_are_counted_with_ties():
    stored = stored_scores({"a": [0.9, 0.8, 0.7], "b": [0.9, 0.5, 0.9], "one cluster": [1.0, 1.0, 1.0]})
    found = best_on("a", "H", 2, 3)(stored)
    assert found.word == HOLDS
    assert "best or tied on 2 of 3" in found.figure
    assert best_on("a", "H", 3, 3)(stored).word == FAILS
    assert best_on("a", "H", 2, 9)(stored).word == OPEN  # six data sets are not there


def test_what_was_not_measured_cannot_be_decided():
    verdict = Claim("?", higher("a", "z", "H")).verdict(stored_scores({"a": HIGH}))
    assert verdict.word == OPEN
    assert "not measured" in verdict.figure


def test_two_pairs_are_too_few_for_a_verdict():
    assert compare([1.0, 0.9], [0.5, 0.4], "a", "b", "H").word == OPEN
    with pytest.raises(ValueError, match="at least 2"):
        compare([1.0], [0.5], "a", "b", "H")


def test_at_least_as_good_up_to_a_margin():
    same = stored_scores({"a": HIGH, "b": HIGH, "c": LOW})
    assert not_below("a", "b", "H")(same).word == HOLDS
    assert not_below("c", "a", "H")(same).word == FAILS
    nearly = stored_scores({"a": [0.7, 0.8, 0.6, 0.9], "b": [0.705, 0.803, 0.607, 0.902]})
    assert not_below("a", "b", "H", margin=0.02)(nearly).word == HOLDS
    assert not_below("a", "b", "H", margin=0.001)(nearly).word == FAILS
    unclear = stored_scores({"a": RISING, "b": [0.2, 0.9, 0.2, 0.75]})
    assert not_below("a", "b", "H")(unclear).word == OPEN


def test_what_is_not_the_papers_cannot_decide():
    verdict = on_stand_in(higher("a", "b", "H"), "the points are others")(stored_scores({"a": HIGH, "b": LOW}))
    assert verdict.word == OPEN
    assert verdict.figure.endswith("here it holds, but the points are others")


@pytest.mark.parametrize(("value", "words"), [(None, ""), (0.0, "< 0.0001"), (0.034, "0.034"), (1.0, "> 0.9999")])
def test_p_values_in_words(value, words):
    assert p_words(value) == words


# --------------------------------------------------------------------------------------------------------------- tables
def test_table_has_means_spread_and_the_paper():
    stored = stored_scores({"a": [[0.4, 0.6], [0.2, 0.2]], "one cluster": [0.1, 0.1]})
    table = methods_by_data(stored, "H", ["a", "not run"], paper_means={"a": 0.5})
    assert table.header == ["method", "set 0", "set 1", "mean", "mean, paper"]
    assert table.rows == [["a", "0.50 ± 0.14", "0.20", "0.350", "0.500"], ["one cluster", "0.10", "0.10", "0.100", ""]]


def test_single_values_stand_beside_ours():
    stored = stored_scores({"a": [[0.4, 0.6], 0.2]})
    table = beside_the_paper([Printed(0.7, "set 0", "a", "H"), Printed(0.1, "set 9", "a", "H")], stored)
    assert table is not None
    assert table.rows == [["set 0", "a", "H", "0.7", "0.500 ± 0.141"]]
    assert beside_the_paper([Printed(0.1, "set 9", "a", "H")], stored) is None


def test_frames_become_text():
    stored = stored_scores({"a": HIGH, "b": LOW})
    text = as_table(means(stored.table, "H"), digits=1, title="H").text()
    assert text.startswith("H\n\n| data")
    assert "| set 0 | 0.9 | 0.5 |" in text
