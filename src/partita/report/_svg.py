"""A matplotlib figure as markup inside a page: text stays text, and nothing in it can clash with the page."""

import base64
import io
import re
import xml.etree.ElementTree as ElementTree
from html import escape
from typing import Any

import numpy as np

from partita._optional import require
from partita.report._parts import NOT_SHOWN

MAX_BYTES = 320_000  # of one picture: seven of them, and all tables, stay below the limit of the page
_DOTS = (180, 120, 80)  # per inch, of what is an image inside a picture; 96 is one per pixel of a plain screen
_PNG_DOTS = (160, 110, 72, 40)  # of a picture that is an image as a whole
_PNG = "data:image/png;base64,"
_SVG, _LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_FAMILIES = re.compile(r"(font(?:-family)?: [^;']*)'[^;]*")  # matplotlib's fonts, of which readers have others
_DIGITS = re.compile(r"(\d\.\d\d)\d+")
_REFERENCE = re.compile(r"url\(#([^)]*)\)|^#(.+)$")
_LAYOUT = {"svg.fonttype": "none", "svg.image_inline": True, "axes.unicode_minus": True}


def draw(display: Any, name: str, title: str) -> str:
    """Draw a display as markup; ``name`` is that of the picture in the page, ``title`` what a screen reader says.

    What is too large for the page becomes an image inside the drawing, and, if that is not enough, as a whole.
    """
    matplotlib = require("matplotlib", extra="report", purpose="writing a report")
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a page looks the same whatever style the user has set
        matplotlib.rcParams.update(_LAYOUT | {"svg.hashsalt": name})
        figure = _figure_of(display)
        markup = _to_svg(figure, name, title, _DOTS[0])
        if len(markup) > MAX_BYTES:
            _rasterize(figure)
        for dots in _DOTS:
            if len(markup) <= MAX_BYTES:
                return markup
            markup = _to_svg(figure, name, title, dots)
        return markup if len(markup) <= MAX_BYTES else _to_png(figure, title)


def _figure_of(display: Any) -> Any:
    """The figure of a display, drawn without pyplot, so that no window opens and no figure stays."""
    figure_module = require("matplotlib.figure", extra="report", purpose="writing a report")

    def begin(ax: Any, size: tuple[float, float]) -> Any:
        figure = figure_module.Figure(figsize=size, layout="constrained")
        display.figure_, display.ax_ = figure, figure.add_subplot() if ax is None else ax
        return display.ax_

    display._begin = begin
    return display.plot().figure_


def _rasterize(figure: Any) -> None:
    axes_class = require("matplotlib.axes", extra="report", purpose="writing a report").Axes
    for axes in figure.findobj(axes_class):
        for artist in (*axes.collections, *axes.lines, *axes.patches):
            artist.set_rasterized(True)


def _to_svg(figure: Any, name: str, title: str, dots: int) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", dpi=dots, metadata=_NO_METADATA)
    return fit_for_page(buffer.getvalue(), name, title)


def _to_png(figure: Any, title: str) -> str:
    """The whole picture as an image, with as many dots as fit; its text can no longer be selected."""
    width = round(96 * figure.get_figwidth())
    for dots in _PNG_DOTS:
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=dots)
        encoded = base64.b64encode(with_palette(buffer.getvalue())).decode("ascii")
        if len(encoded) <= MAX_BYTES:
            return f'<img alt="{escape(title)}" width="{width}" src="{_PNG}{encoded}">'
    raise ValueError(f"it is too large for the page: {len(encoded):,} bytes as an image, and {MAX_BYTES:,} are allowed")


def with_palette(png: bytes) -> bytes:
    """The same image with a table of its colours, if it has at most 256: heatmaps take a third of the bytes."""
    image_module = require("PIL.Image", extra="report", purpose="writing a report")
    pixels = np.asarray(image_module.open(io.BytesIO(png)).convert("RGBA"))
    colors, place = np.unique(np.ascontiguousarray(pixels).view(np.uint32), return_inverse=True)
    if len(colors) > 256:
        return png
    channels = colors.view(np.uint8).reshape(-1, 4)
    image = image_module.fromarray(place.reshape(pixels.shape[:2]).astype(np.uint8))
    image.putpalette(channels[:, :3].tobytes())
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", optimize=True, transparency=channels[:, 3].tobytes())
    return min(png, buffer.getvalue(), key=len)


# -------------------------------------------------------------------------------------------------------------- the SVG
def fit_for_page(svg: bytes, name: str, title: str) -> str:
    """An SVG file as an element of a page: ids of its own, no styles that reach beyond it, fonts of the page."""
    root = ElementTree.fromstring(NOT_SHOWN.sub("\ufffd", svg.decode("utf-8")))
    for parent in root.iter():
        for child in [child for child in parent if child.tag in (f"{_SVG}metadata", f"{_SVG}style")]:
            parent.remove(child)
    elements = list(root.iter())
    named = {found for element in elements for found in _references(element)}
    for element in elements:
        _fit_element(element, name, named)
    _fit_root(root, title)
    return ElementTree.tostring(root, encoding="unicode")


def _references(element: Any) -> list[str]:
    return [one or other for value in element.attrib.values() for one, other in _REFERENCE.findall(value)]


def _fit_element(element: Any, name: str, named: set[str]) -> None:
    element.tag = element.tag.removeprefix(_SVG)
    if element.tag not in ("text", "tspan"):
        element.text = element.tail = None  # blanks between elements
    for key in list(element.attrib):
        value = element.attrib.pop(key)
        key = key.removeprefix(_LINK)
        if key == "id":
            if value in named:
                element.set("id", f"{name}-{value}")
            continue
        if key in ("d", "x", "y"):
            value = _DIGITS.sub(r"\1", value)
        elif value.startswith(_PNG):
            value = _PNG + base64.b64encode(with_palette(base64.b64decode(value[len(_PNG) :]))).decode("ascii")
        elif key == "style":
            value = _FAMILIES.sub(r"\1sans-serif", value)
        element.set(key, _REFERENCE.sub(lambda found: _renamed(found, name), value))


def _renamed(found: re.Match[str], name: str) -> str:
    return f"url(#{name}-{found[1]})" if found[1] else f"#{name}-{found[2]}"


def _fit_root(root: Any, title: str) -> None:
    """Size by the page: as wide as the figure was made, or as the page if that is less."""
    width = float(root.get("viewBox").split()[2]) * 96 / 72
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.set("style", f"width:{width:.0f}px")
    root.set("role", "img")
    root.set("aria-label", title)
