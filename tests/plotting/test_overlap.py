"""The check of legibility finds what it is for."""

import pytest
from matplotlib import pyplot

from tests.plotting.overlap import assert_legible


def test_words_apart_are_legible():
    figure = pyplot.figure()
    figure.text(0.1, 0.5, "left")
    figure.text(0.6, 0.5, "right")
    assert [words for words, _ in assert_legible(figure)] == ["left", "right"]


def test_words_on_top_of_each_other_are_found():
    figure = pyplot.figure()
    figure.text(0.5, 0.5, "one")
    figure.text(0.5, 0.505, "two")
    with pytest.raises(AssertionError, match="overlapping"):
        assert_legible(figure)


def test_words_outside_the_figure_are_found():
    figure = pyplot.figure()
    figure.text(0.97, 0.5, "too far to the right")
    with pytest.raises(AssertionError, match="cut off"):
        assert_legible(figure)


def test_hidden_words_and_ticks_outside_the_view_do_not_count():
    figure, ax = pyplot.subplots()
    ax.set_xticks([0.0, 0.5, 100.0])
    ax.set_xlim(0, 1)
    ax.text(0.5, 0.5, "hidden", visible=False)
    shown = [words for words, _ in assert_legible(figure)]
    assert "hidden" not in shown
    assert "100.0" not in shown
