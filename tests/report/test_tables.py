"""Cells of the tables: numbers in words and in the order of their values, text that is clean and cut."""

import numpy as np
import pandas as pd
import pytest

from partita.plotting._colors import cluster_color
from partita.report._parts import MAX_TEXT, clean, clean_lines, sentence
from partita.report._tables import MAX_ROWS, matrix_table, p_value, percent, to_table


def cells(frame, **options):
    return to_table(pd.DataFrame(frame), "name", "title", **options).rows


def test_numbers_are_rounded_and_keep_their_value_for_sorting():
    rows = cells({"size": [1234567], "confidence": [-1.23456], "share": [0.12345], "p_value": [1e-9]})
    assert [cell.text for cell in rows[0]] == ["1,234,567", "\N{MINUS SIGN}1.23", "12.3%", "< 0.0001"]
    assert [float(cell.value) for cell in rows[0]] == [1234567, -1.23456, 0.12345, 1e-9]


def test_values_that_are_missing_or_infinite_are_told():
    texts = [(row[0].text, row[0].value) for row in cells({"confidence": [np.inf, -np.inf, np.nan]})]
    assert texts == [("∞", "1e308"), ("\N{MINUS SIGN}∞", "-1e308"), ("\N{EN DASH}", "")]


def test_clusters_have_their_colour_and_none_has_none():
    row, none = cells({"cluster": [31, -1]})
    assert (row[0].text, row[0].color) == ("31", cluster_color(31))
    assert (none[0].text, none[0].color) == ("none", "")


def test_columns_without_any_value_are_left_out():
    table = to_table(pd.DataFrame({"method": ["eac"], "error": [""], "nmi": [np.nan]}), "name", "title")
    assert [head.title for head in table.headings] == ["Method"]


def test_unknown_columns_are_shown_by_their_type():
    table = to_table(pd.DataFrame({"a_b": [1.0], "flag": [True], "text": ["x"], "count": [3]}), "name", "title")
    assert [head.title for head in table.headings] == ["A b", "Flag", "Text", "Count"]
    assert [cell.text for cell in table.rows[0]] == ["1.00", "yes", "x", "3"]
    assert [head.numeric for head in table.headings] == [True, False, False, True]


def test_rows_beyond_the_limit_are_counted():
    table = to_table(pd.DataFrame({"size": np.arange(MAX_ROWS + 7)}), "name", "title")
    assert (len(table.rows), table.total) == (MAX_ROWS, MAX_ROWS + 7)


def test_a_matrix_has_names_at_its_side_and_top():
    table = matrix_table(pd.DataFrame([[1, 0.5], [0.5, 1]], index=["a", "b"], columns=["a", "b"]), "name", "title")
    assert [head.title for head in table.headings] == ["", "a", "b"]
    assert [[cell.text for cell in row] for row in table.rows] == [["a", "1.00", "0.50"], ["b", "0.50", "1.00"]]


@pytest.mark.parametrize(
    ("share", "words"), [(0, "0.0%"), (1e-6, "< 0.1%"), (0.5, "50.0%"), (0.999999, "> 99.9%"), (1, "100.0%")]
)
def test_shares_are_zero_or_one_only_if_they_are(share, words):
    assert percent(share) == words


@pytest.mark.parametrize(("p", "words"), [(0.5, "0.50"), (0.0123, "0.012"), (0.0, "< 0.0001"), (1.0, "1.00")])
def test_p_values_have_two_digits(p, words):
    assert p_value(p) == words


def test_text_is_one_clean_line_and_cut():
    assert clean("a\n b\x00\ud800\u202e") == "a b\ufffd\ufffd\ufffd"
    assert clean("x" * 1000) == "x" * (MAX_TEXT - 1) + "…"
    assert clean_lines("a\r\nb\rc") == "a\nb\nc"
    assert sentence("as it is") == "As it is."
