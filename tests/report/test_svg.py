"""Pictures inside the page: ids of their own, text as text, no larger than allowed, and no traces in matplotlib."""

import html
import io
import re

import matplotlib
import numpy as np
import pytest
from matplotlib import _pylab_helpers
from PIL import Image

from partita.plotting._display import Display
from partita.report import _svg
from partita.report._svg import draw, fit_for_page, with_palette

SVG = """<?xml version="1.0" encoding="utf-8"?>
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="72pt" height="36pt" viewBox="0 0 72 36"
 xmlns="http://www.w3.org/2000/svg" version="1.1">
 <metadata>who</metadata>
 <defs><style type="text/css">*{stroke-linejoin: round}</style><path id="m1" d="M 0.123456 1"/></defs>
 <g id="figure_1"><use xlink:href="#m1" x="1.987654" y="2" style="fill: url(#h2)"/>
 <clipPath id="h2"/><text style="font: 10px 'DejaVu Sans', 'Arial', sans-serif; text-anchor: middle">FIRST</text>
 <text style="font-size: 8px; font-family: 'DejaVu Sans', sans-serif">id="m1" url(#h2) &lt;b&gt;</text></g>
</svg>"""


class Points(Display):
    """Many points, which take many bytes as paths."""

    def __init__(self, n_points):
        self.places = np.random.default_rng(0).random((2, n_points))

    def plot(self, ax=None):
        ax = self._begin(ax, (4, 3))
        ax.scatter(*self.places, c=self.places[0])
        ax.set_title("many points")
        return self


def test_ids_are_renamed_and_text_is_not():
    markup = fit_for_page(SVG.encode(), "pic", 'A "title"')
    assert re.findall(r' id="(.*?)"', markup) == ["pic-m1", "pic-h2"]
    assert 'href="#pic-m1"' in markup
    assert 'style="fill: url(#pic-h2)"' in markup
    assert '>id="m1" url(#h2) &lt;b&gt;</text>' in markup


def test_what_reaches_beyond_the_picture_is_removed():
    markup = fit_for_page(SVG.encode(), "pic", 'A "title"')
    assert not re.search("style type|metadata|xmlns|<\\?xml|DejaVu", markup)
    assert markup.startswith('<svg viewBox="0 0 72 36" style="width:96px" role="img" aria-label="A &quot;title&quot;">')
    assert 'style="font: 10px sans-serif; text-anchor: middle">FIRST' in markup
    assert 'style="font-size: 8px; font-family: sans-serif">' in markup
    assert 'd="M 0.12 1"' in markup
    assert 'x="1.98"' in markup


def test_control_characters_are_replaced():
    assert ">a\ufffdb<" in fit_for_page(SVG.replace("FIRST", "a\x1bb").encode(), "pic", "title")


def test_a_small_picture_is_drawn_with_paths():
    markup = draw(Points(30), "pic", "Points")
    assert "many points</text>" in markup
    assert "<image" not in markup


def test_a_large_picture_becomes_an_image_with_text():
    markup = draw(Points(5_000), "pic", "Points")
    assert len(markup) <= _svg.MAX_BYTES
    assert "many points</text>" in markup
    assert "<image" in markup


def test_what_is_still_too_large_becomes_an_image_as_a_whole(monkeypatch):
    monkeypatch.setattr(_svg, "MAX_BYTES", 30_000)
    markup = draw(Points(5_000), "pic", "Points")
    assert re.fullmatch(r'<img alt="Points" width="384" src="data:image/png;base64,[A-Za-z0-9+/=]*">', markup)
    assert len(markup) < 30_100


def test_what_no_page_can_hold_is_refused(monkeypatch):
    monkeypatch.setattr(_svg, "MAX_BYTES", 1_000)
    with pytest.raises(ValueError, match="too large for the page"):
        draw(Points(100), "pic", "Points")


@pytest.mark.parametrize("n_colors", [1, 2, 17, 256, 257])
@pytest.mark.parametrize("opaque", [True, False])
def test_a_palette_changes_no_pixel(n_colors, opaque):
    rng = np.random.default_rng(n_colors)
    colors = rng.integers(0, 256, (n_colors, 4), dtype=np.uint8)
    colors[:, 0], colors[:, 1] = np.arange(n_colors) % 256, np.arange(n_colors) // 256  # all different
    if opaque:
        colors[:, 3] = 255
    pixels = colors[np.append(np.arange(n_colors), rng.integers(0, n_colors, 3000 - n_colors))].reshape(50, 60, 4)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    smaller = with_palette(buffer.getvalue())
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(smaller)).convert("RGBA")), pixels)
    assert (len(smaller) < len(buffer.getvalue())) == (n_colors <= 256)


def test_drawing_leaves_no_figure_and_no_setting_behind():
    with matplotlib.rc_context({"axes.facecolor": "#123456", "svg.fonttype": "path"}):
        markup = draw(Points(5), "pic", "Points")
        assert matplotlib.rcParams["svg.fonttype"] == "path"
    assert "#123456" not in markup
    assert not _pylab_helpers.Gcf.get_all_fig_managers()


def test_the_same_picture_has_the_same_bytes():
    assert draw(Points(5), "pic", "Points") == draw(Points(5), "pic", "Points")


@pytest.mark.parametrize("title", ["<b>&'\"", "中文"])
def test_titles_are_escaped(title):
    found = re.search('aria-label="(.*?)"', fit_for_page(SVG.encode(), "pic", title))
    assert html.unescape(found[1]) == title
