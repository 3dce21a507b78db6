"""The palette, judged by the distances of the tool that finds it."""

import numpy as np
import pytest
from tools import make_palette as tool

from partita.plotting import _colors


def _nearest(colors, vision):
    lab = tool.to_lab(tool.to_rgb(colors), vision)
    between = np.linalg.norm(lab[:, None] - lab[None], axis=2)
    np.fill_diagonal(between, np.inf)
    return between.min()


@pytest.mark.parametrize("vision", tool.VISIONS)
def test_colours_are_far_apart_for_every_reader(vision):
    assert _nearest(_colors.PALETTE, vision) >= 13
    assert _nearest(_colors.PALETTE[:20], vision) >= 16


def test_palette_is_what_the_tool_finds():
    assert list(_colors.PALETTE) == tool.make_palette(30)


def test_thirty_clusters_have_colours_of_their_own():
    assert len(set(_colors.cluster_colors(30))) == 30
    assert _colors.cluster_color(30) == _colors.cluster_color(0)
    assert _colors.cluster_color(-1) == _colors.GREY
    assert _colors.GREY not in _colors.PALETTE


def test_colour_and_mark_together_are_distinct_for_thirty_clusters():
    assert len({(_colors.cluster_color(k), _colors.cluster_marker(k)) for k in range(30)}) == 30
    assert _colors.cluster_marker(-1) not in _colors.MARKERS


@pytest.mark.parametrize("color", [*_colors.PALETTE, _colors.GREY, "#FFFFFF", "#000000"])
def test_text_on_a_colour_has_enough_contrast(color):
    """By the ratio of WCAG 2, computed here; 3 is its limit for large text, and black or white always reaches 4.5."""

    def luminance(name):
        rgb = tool.to_rgb([name])[0]
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    own, text = luminance(color), luminance({"black": "#000000", "white": "#FFFFFF"}[_colors.text_on(color)])
    assert (max(own, text) + 0.05) / (min(own, text) + 0.05) >= 4.4


def test_shares_become_darker_as_they_grow():
    from matplotlib import colormaps

    lightness = tool.to_lab(colormaps[_colors.SEQUENTIAL](np.linspace(0, 1, 50))[:, :3])[:, 0]
    assert (np.diff(lightness) < 0).all()
