"""Drawing of the co-association: tree, bars, heatmap and keys side by side."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from partita._typing import FloatArray, IntArray
from partita.plotting._annotations import Annotation
from partita.plotting._colors import MISSING, SEQUENTIAL, cluster_color, cluster_colors, text_on
from partita.plotting._display import GREY, SMALL, set_title, shorten, split
from partita.plotting._layout import LINE, Key, inches
from partita.plotting._order import longest_runs
from partita.plotting._tree import tree_lines

if TYPE_CHECKING:
    from partita.plotting._coassociation import CoassociationDisplay

_TREE, _BAR, _GAP, _KEY, _SPACE = 0.8, 0.19, 0.05, 1.75, 0.15  # widths in inches; the last before the keys
_MAX_NAMES = 30  # objects whose names are written
_WIDE = 1.4  # inches of keys that need no short words
_NAME = 16  # letters of a name
_NUMBERS = ("Purples", "Greens", "Oranges", "Reds", "Greys")  # colours of bars of numbers
_OTHER = "#9C9C9C"  # of categories that share a colour


def size_of(display: "CoassociationDisplay") -> tuple[float, float]:
    """Size of a new figure in inches: higher where the keys are long."""
    lines = 6 + sum(3 + (1 if bar.categories is None else len(bar.categories)) for bar in display.annotations)
    return 8.2, min(max(6.0, lines * LINE + 1.2), 9.0)


def draw(display: "CoassociationDisplay", ax: Any, *, fit: bool) -> None:
    """Draw all parts inside the axes; ``fit`` makes the figure as wide as they are."""
    set_title(ax, "Co-association of the objects", display.note)
    names = display.names if display.names is not None and len(display.names) <= _MAX_NAMES else None
    parts = _make_parts(display, names, ax, fit=fit)
    display.heatmap_ax_ = parts.heatmap
    heat = _draw_heatmap(parts.heatmap, display, names)
    if display.tree is not None and display.leaves is not None:
        _draw_tree(parts.tree, display.tree, display.leaves, display.order)
    n_clusters = int(display.labels.max(initial=-1)) + 1
    _draw_bar(parts.bars[0], "cluster", [cluster_color(label) for label in display.labels.tolist()])
    colors = _bar_colors(display.annotations, n_clusters)
    for bar_ax, bar, shown in zip(parts.bars[1:], display.annotations, colors, strict=True):
        _draw_bar(bar_ax, bar.name, _colors_of(bar, shown))
    width, side = _settle(ax, parts.shape, fit=fit)
    numbered = _number_clusters(parts.bars[0], display.labels, side)
    key = Key(parts.key, width * parts.key_share, side)
    _draw_keys(key, heat, display, 0 if numbered else n_clusters, colors)


class _Parts(NamedTuple):
    """Axes side by side."""

    tree: Any
    bars: list[Any]
    heatmap: Any
    key: Any
    shape: float  # height of all by their width
    key_share: float  # width of the keys as a share of all


def _make_parts(display: "CoassociationDisplay", names: Any, ax: Any, *, fit: bool) -> _Parts:
    """Split the axes; the heatmap is square and as large as it can be."""
    width, height = inches(ax)
    tree, bars, named, key = _widths(display, names, np.inf if fit else width)
    beside = tree + bars + named + key
    side = height if fit else max(min(height, width - beside), 0.35 * width)
    total, n_bars = side + beside, 1 + len(display.annotations)
    step = bars / n_bars
    boxes = [(0.0, max(tree, 1e-3))]
    boxes += [(tree + place * step, step * _BAR / (_BAR + _GAP)) for place in range(n_bars)]
    boxes += [(tree + bars, side), (total - key * _KEY / (_KEY + _SPACE), key * _KEY / (_KEY + _SPACE))]
    tree_ax, *bar_axes, heat_ax, key_ax = split(ax, [(left / total, 0, wide / total, 1) for left, wide in boxes])
    ax.set_box_aspect(side / total)
    if fit:  # room enough, so that nothing but the height decides how large the parts are
        ax.figure.set_figwidth(ax.figure.get_figwidth() + total - width + 1)
    tree_ax.set_axis_off()
    return _Parts(tree_ax, bar_axes, heat_ax, key_ax, side / total, boxes[-1][1] / total)


def _widths(display: "CoassociationDisplay", names: Any, width: float) -> list[float]:
    """Inches of tree, bars, names and keys; less of each in narrow axes."""
    tree = _TREE if display.tree is not None else 0.0
    bars = (1 + len(display.annotations)) * (_BAR + _GAP)
    named = 0.0 if names is None else 0.1 + 0.072 * min(max(map(len, names)), _NAME)
    wanted = [tree, bars, named, _KEY + _SPACE]
    return [min(1.0, 0.6 * width / sum(wanted)) * part for part in wanted]


def _settle(ax: Any, shape: float, *, fit: bool) -> tuple[float, float]:
    """Width and height of all parts in inches, now that the words around them have their room."""
    width, height = inches(ax)
    if fit:
        ax.figure.set_figwidth(ax.figure.get_figwidth() + height / shape - width)
        return height / shape, height
    width = min(width, height / shape)
    return width, width * shape


# --------------------------------------------------------------------------------------------------------------- parts
def _draw_heatmap(ax: Any, display: "CoassociationDisplay", names: Any) -> Any:
    from matplotlib import colormaps

    n = len(display.order)
    cmap = colormaps[SEQUENTIAL].with_extremes(bad=MISSING)
    image = ax.imshow(
        np.ma.masked_invalid(display.similarity), cmap=cmap, vmin=0, vmax=1, aspect="auto", extent=(0, n, n, 0),
        rasterized=True,
    )  # fmt: skip
    ax.set_xticks([])
    ax.set_yticks([])
    if names is not None:
        ax.yaxis.tick_right()
        ax.set_yticks(np.arange(n) + 0.5, [shorten(name, _NAME) for name in names], fontsize=SMALL)
        ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set(color=GREY, linewidth=0.6)
    ax.set_xlabel("1 object" if n == 1 else f"{n:,} objects", fontsize=SMALL)
    return image


def _draw_tree(ax: Any, tree: FloatArray, leaves: IntArray, order: IntArray) -> None:
    """The tree at the left, its leaves at the right."""
    from matplotlib.collections import LineCollection

    place = np.empty(int(order.max()) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    lines = tree_lines(tree, np.argsort(place[leaves]))[:, :, ::-1]
    ax.add_collection(LineCollection(list(lines), colors=GREY, linewidths=0.7 if len(order) <= 300 else 0.4))
    ax.set_xlim(float(tree[-1, 2]) * 1.02 or 1.0, 0)
    ax.set_ylim(len(order), 0)


def _draw_bar(ax: Any, name: str, colors: list[str]) -> None:
    """A bar with one colour per object."""
    from matplotlib.colors import to_rgba_array

    n = len(colors)
    ax.imshow(
        to_rgba_array(colors)[:, None], aspect="auto", extent=(0, 1, n, 0), interpolation="nearest", rasterized=True
    )
    ax.set_yticks([])
    ax.set_xticks([0.5], [shorten(name, 14)], rotation=90, fontsize=SMALL)
    ax.tick_params(length=0, pad=2)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _number_clusters(ax: Any, labels: IntArray, height: float) -> bool:
    """Write the number of each cluster into its bar; whether all of them had room."""
    runs = {cluster: run for cluster, run in longest_runs(labels).items() if cluster >= 0}
    room = {cluster: (stop - start) / len(labels) * height for cluster, (start, stop) in runs.items()}
    if min(room.values(), default=0.0) < 0.8 * LINE:
        return False
    for cluster, (start, stop) in runs.items():
        color = text_on(cluster_color(cluster))
        ax.text(0.5, (start + stop) / 2, str(cluster), ha="center", va="center", fontsize=SMALL - 1, color=color)
    return True


# -------------------------------------------------------------------------------------------------------------- colours
def _bar_colors(annotations: Any, n_clusters: int) -> list[Any]:
    """Colours of each bar: a list for its categories, other ones than those of the clusters, or a colour map."""
    from matplotlib import colormaps

    colors: list[Any] = []
    used, maps = n_clusters, iter(_NUMBERS)
    for bar in annotations:
        if bar.categories is None:
            colors.append(colormaps[next(maps)])
            continue
        n_own = len(bar.categories) - (bar.n_others > 0)
        colors.append([cluster_color(used + place) for place in range(n_own)] + [_OTHER] * (bar.n_others > 0))
        used += n_own
    return colors


def _colors_of(bar: Annotation, shown: Any) -> list[Any]:
    """Colour of each object in a bar."""
    if bar.categories is not None:
        return [MISSING if code < 0 else shown[code] for code in bar.values.astype(np.int64).tolist()]
    low, high = _limits(bar)
    share = (bar.values - low) / ((high - low) or 1.0)
    return [shown(0.15 + 0.85 * value) if np.isfinite(value) else MISSING for value in share.tolist()]


def _limits(bar: Annotation) -> tuple[float, float]:
    known = bar.values[np.isfinite(bar.values)]
    return (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)


# ---------------------------------------------------------------------------------------------------------------- keys
def _draw_keys(key: Key, heat: Any, display: "CoassociationDisplay", n_named: int, colors: list[Any]) -> None:
    """What the colours mean, from top to bottom."""
    from matplotlib.colors import LinearSegmentedColormap

    for words in ("share of clusterings", "with both together") if key.width > _WIDE else ("co-association",):
        key.heading(words)
    key.gradient(heat.get_cmap(), "0", "1")
    if np.isnan(display.similarity).any():
        key.entries([MISSING], ["no common clustering"])
    if n_named:
        key.gap()
        if key.heading("cluster"):
            key.entries(cluster_colors(n_named), [str(cluster) for cluster in range(n_named)], columns=4)
    if (display.labels < 0).any():
        key.entries([GREY], ["no cluster"])
    for bar, shown in zip(display.annotations, colors, strict=True):
        key.gap()
        if not key.heading(bar.name, needs=2):
            return
        if bar.categories is None:
            low, high = _limits(bar)
            light = LinearSegmentedColormap.from_list("", shown(np.linspace(0.15, 1, 64)))
            key.gradient(light, f"{low:.3g}", f"{high:.3g}")
        else:
            key.entries(shown, bar.categories)
        if _has_gaps(bar):
            key.entries([MISSING], ["missing"])


def _has_gaps(bar: Annotation) -> bool:
    return bool((~np.isfinite(bar.values) | ((bar.values < 0) if bar.categories is not None else False)).any())
