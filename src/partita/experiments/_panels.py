"""Several displays on one figure: panels with short titles, and one legend or scale for all of them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._optional import require
from partita._typing import Array, FloatArray, IntArray
from partita.experiments._contestants import ONE_CLUSTER
from partita.plotting import CoassociationDisplay, CurveDisplay, ScatterDisplay
from partita.plotting._colors import cluster_color
from partita.plotting._display import GREY, SMALL, USUAL, say
from partita.plotting._fitting import legend_beside, settle, width_of

NO_CLASS = 255  # in stored classes, of one byte each: an object without a class
_BAR = 0.06  # width of the bar of classes beside a heatmap, as a share of the heatmap
_BESIDE = 0.015  # between both
_FLAT = 0.1  # smallest range of an index that curves are shown on
_LEAST = 0.4  # share of the height that curves have at least
WIDTH = 7.5  # inches of a figure: that of a page


def new_figure(n_panels: int, *, columns: int = 2, height: float = 2.9, width: float = WIDTH) -> tuple[Any, list[Any]]:
    """A figure of so many panels, in rows; where there are fewer than columns it is narrower."""
    pyplot = require("matplotlib.pyplot", extra="plot", purpose="drawing")
    columns = max(1, min(columns, n_panels))
    rows = max(1, -(-n_panels // columns))
    size = (width if columns > 1 else min(width, 5.6), rows * height + 0.4)
    figure, axes = pyplot.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    used = axes.ravel().tolist()
    for unused in used[max(n_panels, 1) :]:
        unused.remove()
    return figure, used[: max(n_panels, 1)]


def nothing_stored() -> Any:
    """A figure that says that there is nothing to draw."""
    figure, axes = new_figure(1, height=1.6)
    say(axes[0], "Nothing is stored for this figure.")
    return figure


def retitle(ax: Any, title: str) -> None:
    """A short title in place of the title and the note of a display."""
    for text in list(ax.texts):
        if getattr(text, "xycoords", None) == "axes fraction":  # the note; what marks the data is elsewhere
            text.remove()
    ax.set_title(title, loc="left", fontsize=USUAL, pad=6)


def as_shares(stored: Any) -> FloatArray:
    """Shares from 0 to 1 that are stored in bytes."""
    return np.asarray(stored, dtype=np.float64) / 255


def as_classes(stored: Any) -> IntArray:
    """Classes that are stored in bytes; -1 = none."""
    classes = np.asarray(stored).astype(np.int64)
    return np.where(classes == NO_CLASS, -1, classes)


# --------------------------------------------------------------------------------------------------------------- points
def draw_points(ax: Any, points: Any, classes: IntArray, title: str, confidence: Array | None = None) -> ScatterDisplay:
    """Points by class, on axes of equal scale."""
    sure = np.ones(len(classes)) if confidence is None else np.asarray(confidence, dtype=np.float64)
    coordinates = np.asarray(points, dtype=np.float64)
    ax.set_aspect("equal", adjustable="datalim")
    display = ScatterDisplay(coordinates, classes, sure, np.arange(len(classes))).plot(ax)
    retitle(ax, title)
    return display


def draw_sketches(known: Sequence[tuple[str, Any, Any]]) -> Any:
    """Points of some data sets side by side: (title, points, classes) of each."""
    if not known:
        return nothing_stored()
    figure, axes = new_figure(len(known), height=3.3)
    for ax, (title, points, stored) in zip(axes, known, strict=True):
        classes = as_classes(stored)
        draw_points(ax, points, classes, title)
        _name_classes(ax, np.unique(classes))
    return figure


def _name_classes(ax: Any, classes: IntArray) -> None:
    """A legend in place of numbers in the middle of the classes: the middle of a ring is not where the ring is."""
    from matplotlib.lines import Line2D

    for text in list(ax.texts):
        text.remove()
    named = [(cluster_color(one), "none" if one < 0 else str(one)) for one in classes.tolist()]
    handles = [Line2D([], [], linestyle="", marker="o", markersize=5, color=color, label=name) for color, name in named]
    legend_beside(ax, handles, "class")


# ------------------------------------------------------------------------------------------------------------- heatmaps
class Heatmap(NamedTuple):
    """A co-association to be drawn, in this order."""

    title: str
    similarity: FloatArray
    classes: IntArray
    side: str = ""  # written at the left


def draw_heatmap(ax: Any, shown: Heatmap, word: str, n_objects: int = 0) -> CoassociationDisplay:
    """A co-association with its bar of classes, of all or of some of the objects, and without a key."""
    order = np.arange(len(shown.classes))
    display = CoassociationDisplay(similarity=shown.similarity, order=order, labels=shown.classes).plot(ax)
    _, bar, heat, key = ax.child_axes
    key.remove()
    total = 1 + _BAR + _BESIDE
    _place(bar, ax, (0.0, 0.0, _BAR / total, 1.0))
    _place(heat, ax, (1 - 1 / total, 0.0, 1 / total, 1.0))
    ax.set_box_aspect(1 / total)
    bar.set_xticks([0.5], [word], rotation=90, fontsize=SMALL)
    bar.set_ylabel(shown.side, fontsize=USUAL)
    if n_objects > len(order):
        heat.set_xlabel(f"{len(order):,} of {n_objects:,} objects", fontsize=SMALL)
    retitle(ax, shown.title)
    return display


def _place(child: Any, ax: Any, bounds: tuple[float, float, float, float]) -> None:
    """Put axes that are inside others elsewhere in them."""
    from matplotlib.transforms import Bbox, TransformedBbox

    def locate(*_: Any) -> Any:
        return TransformedBbox(Bbox.from_bounds(*bounds), ax.transAxes + ax.figure.transSubfigure.inverted())

    child.set_axes_locator(locate)


def draw_heatmaps(shown: Sequence[Heatmap | None], *, columns: int) -> Any:
    """Co-associations in rows, with one scale for all; None leaves a panel empty."""
    if not any(one is not None for one in shown):
        return nothing_stored()
    columns = min(columns, len(shown))
    figure, axes = new_figure(len(shown), columns=columns, height=0.95 * (WIDTH - 0.8) / max(columns, 2))
    figure.set_layout_engine("none")  # once all panels are there: to lay them out after each would take seconds
    drawn = []
    for ax, one in zip(axes, shown, strict=True):
        ax.set_axis_off()
        if one is not None:
            drawn.append(draw_heatmap(ax, one, "class"))
            for number in list(ax.child_axes[1].texts):  # few panels have room for the numbers of classes
                number.remove()
    figure.set_layout_engine("constrained")
    add_scale(figure, drawn[0], axes)
    return figure


def add_scale(figure: Any, display: CoassociationDisplay, axes: Any) -> None:
    """What the colours of co-associations mean."""
    image = display.heatmap_ax_.images[0]
    scale = figure.colorbar(image, ax=axes, fraction=0.03, aspect=30, shrink=0.7)
    scale.set_label("share of clusterings with both together", fontsize=SMALL)
    scale.ax.tick_params(labelsize=SMALL)
    scale.outline.set_visible(False)


# --------------------------------------------------------------------------------------------------------------- curves
def curves_of(table: pd.DataFrame, *, x: str, y: str, by: str, names: Sequence[str]) -> CurveDisplay:
    """Curves of all names, in this order, so that a name has one colour in all panels; NaN where it has no row."""
    known = table[table[by].isin(list(names))]
    found = CurveDisplay.from_table(known, x=x, y=y, by=by)
    places = {name: place for place, name in enumerate(found.names)}
    holes = np.full(found.x.size, np.nan)
    full = [
        np.array([values[places[name]] if name in places else holes for name in names])
        for values in (found.y, found.low, found.high)
    ]
    return CurveDisplay(found.x, *full, names=names, x_label=x, y_label=y, note=found.note)


class Words(NamedTuple):
    """What is drawn over what, and how both are called on the figure."""

    x: str
    y: str
    x_label: str
    y_label: str


def draw_curves(
    table: pd.DataFrame,
    words: Words,
    *,
    by: str = "method",
    first: Sequence[str] = (),
    finish: Callable[[Any, FloatArray], None] | None = None,
) -> Any:
    """One panel per data set (``first`` of them before the others), and one legend for all.

    ``finish`` sets an x axis of the figure that is laid out, given the values that were measured.
    """
    x, y = words.x, words.y
    if not {x, y, by, "data", "method"} <= set(table.columns):
        return nothing_stored()
    is_one = table["method"] == ONE_CLUSTER
    one, curves = table[is_one], table[~is_one].dropna(subset=[x])
    known = curves.dropna(subset=[y])
    if known.empty:
        return nothing_stored()
    names = _in_order(curves[by], known[by])  # one that fails on the first set keeps its place
    data = _in_order([*first, *known["data"]], known["data"])
    displays = [curves_of(known[known["data"] == name], x=x, y=y, by=by, names=names) for name in data]
    figure, axes = new_figure(len(data))
    columns = min(2, len(data))
    for place, (ax, display) in enumerate(zip(axes, displays, strict=True)):
        display.x_label = words.x_label if place >= len(data) - columns else ""
        display.y_label = words.y_label if place % columns == 0 else ""
        display.plot(ax)
    finish_panels(figure, axes, displays, data, [float(one[one["data"] == name][y].mean()) for name in data])
    if finish is not None:
        settle(axes[0])
        for ax, display in zip(axes, displays, strict=True):
            finish(ax, display.x)
    return figure


def _in_order(order: Iterable[Any], known: Iterable[Any]) -> list[str]:
    """The names that are known, each once, in this order."""
    found = set(known)
    return [str(name) for name in dict.fromkeys(order) if name in found]


def finish_panels(
    figure: Any, axes: Sequence[Any], displays: Sequence[CurveDisplay], titles: Sequence[str], trivial: Sequence[float]
) -> None:
    """Titles, what one cluster scores (NaN = unknown), and the legend.

    One cluster is a thin line. Where it is so far from the curves that they could not be told apart beside it, the
    titles say its score in its place.
    """
    far = any(_is_far(display, value) for display, value in zip(displays, trivial, strict=True))
    for ax, display, title, value in zip(axes, displays, titles, trivial, strict=True):
        _at_least(ax, display)
        if far and np.isfinite(value):
            title = f"{title} ({ONE_CLUSTER}: {value:.2f})"
        elif np.isfinite(value):
            ax.axhline(value, color=GREY, linewidth=0.9, label=ONE_CLUSTER, zorder=1)
        retitle(ax, title)
    one_legend(figure, axes, max((display.note for display in displays), key=len))


def _is_far(display: CurveDisplay, value: float) -> bool:
    """Whether curves would take too little of the height beside this value."""
    low, high = float(np.nanmin(display.low)), float(np.nanmax(display.high))
    return max(high - low, _FLAT) < _LEAST * (max(high, value) - min(low, value))


def _at_least(ax: Any, display: CurveDisplay) -> None:
    """Show no less than a small range: noise of flat curves should not fill the panel."""
    middle = (float(np.nanmin(display.low)) + float(np.nanmax(display.high))) / 2
    ax.update_datalim([(display.x[0], middle - _FLAT / 2), (display.x[0], middle + _FLAT / 2)])
    ax.autoscale_view(scalex=False)


def one_legend(figure: Any, axes: Iterable[Any], note: str = "") -> None:
    """One legend below all panels, of what any of them shows, in place of those of the panels."""
    handles: dict[str, Any] = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
        if ax.get_legend() is not None:
            ax.get_legend().remove()
    if ONE_CLUSTER in handles:
        handles[ONE_CLUSTER] = handles.pop(ONE_CLUSTER)  # behind the methods
    room = figure.get_figwidth() * 72 - 20
    needed = sum(width_of(name) + 46 for name in handles)  # in points: a line, its name, and what is between
    rows = max(1, -int(-needed // room))
    figure.legend(
        list(handles.values()), list(handles), loc="outside lower center", ncols=-(-len(handles) // rows),
        frameon=False, fontsize=SMALL, title=note or None, title_fontproperties={"size": SMALL},
    )  # fmt: skip


def mark_values(ax: Any, values: FloatArray, words: Sequence[str]) -> None:
    """Ticks of an x axis at these values, which grow, from the last on as many as have room for their words.

    The figure is laid out before, so that the room is known.
    """
    from matplotlib.ticker import NullLocator

    ax.xaxis.set_minor_locator(NullLocator())
    ax.autoscale_view()  # now: a change of scale waits for it
    places = ax.transData.transform([(value, ax.get_ylim()[0]) for value in values])[:, 0] * 72 / ax.figure.dpi
    kept = [len(values) - 1]
    for place in reversed(range(len(values) - 1)):
        both = (width_of(words[place]) + width_of(words[kept[-1]])) / 2
        if places[kept[-1]] - places[place] >= 1.25 * both + 4:  # digits are wider than the mean letter
            kept.append(place)
    ax.set_xticks([values[place] for place in kept], [words[place] for place in kept])


def log_values(ax: Any, values: FloatArray, base: float = 10.0) -> None:
    """A logarithmic x axis with ticks at the values that were measured."""
    ax.set_xscale("log", base=base)
    mark_values(ax, values, [f"{value:g}" for value in values])
