"""Clusters over resolutions: how the clusters of one clustering split and merge in the next (a clustering tree)."""

from typing import Any, Self

import numpy as np
import pandas as pd

from partita._checks import check_count
from partita._typing import FloatArray
from partita.ensembles._distinct import Clusterings, read_clusterings
from partita.ensembles._diversity import quality
from partita.ensembles._resolutions import ResolutionTree, read_order, resolution_tree
from partita.metrics._agreement_matrix import agreement_matrix
from partita.plotting._colors import SEQUENTIAL
from partita.plotting._display import GREY, SMALL, Display, shorten
from partita.plotting._fitting import caption, settle, size_in_points
from partita.plotting._layered_layout import Layers, place_nodes

_NAME = 18  # letters of the name of a clustering
_LEAST_EDGE = 0.02  # in-proportion and out-proportion below which an edge is not drawn: it would be too thin to be seen
_LARGEST, _SMALLEST = 26.0, 3.0  # diameters of nodes, in points
_AREAS = "areas: numbers of objects"
_EDGES = "lines: the part of the lower cluster that comes from the upper one; dashed if it is not the largest part"
_GAP = 1.5  # points between a node and its label beside it
_FAINT, _DARK = 0.16, 0.85  # opacity of edges of proportion 0 and 1


class ResolutionTreeDisplay(Display):
    """Clusters of clusterings of growing resolution, one row per clustering, joined where they share objects.

    The area of a cluster grows with its objects, its colour tells how far the other clusterings have the same cluster.
    Dark and wide edges bring a large part of the lower cluster; the edge from the cluster with which it shares most
    objects is drawn in full, others are dashed. Make one with ``from_labels``, or from a tree.

    Parameters
    ----------
    tree : ResolutionTree
        From :func:`partita.resolution_tree`.
    x : ndarray of shape (n_nodes,), optional
        Horizontal places of its nodes; by default with few crossings.
    note : str
        What the figure says about clusterings that are left out.

    Attributes
    ----------
    tree, x, note
        As above.
    ax_, figure_
        After ``plot``.

    References
    ----------
    L. Zappia and A. Oshlack, "Clustering trees: a visualization for evaluating clusterings at multiple resolutions",
    GigaScience 7, 2018.

    Examples
    --------
    >>> from partita.plotting import ResolutionTreeDisplay
    >>> X = {"two": [0, 0, 0, 1, 1, 1], "three": [0, 0, 1, 2, 2, 2]}
    >>> display = ResolutionTreeDisplay.from_labels(X)
    >>> display.tree.clusterings, len(display.x)
    (['two', 'three'], 5)
    """

    def __init__(self, tree: ResolutionTree, x: FloatArray | None = None, *, note: str = "") -> None:
        self.tree = tree
        self.x = _places(tree) if x is None else np.asarray(x, dtype=np.float64)
        self.note = note
        if self.x.shape != (len(tree.nodes),):
            raise ValueError(f"x has shape {self.x.shape}; pass one place per node, shape ({len(tree.nodes)},).")

    @classmethod
    def from_labels(cls, X: Any, *, order: Any = None, max_levels: int = 12) -> Self:
        """Compute the tree of a label matrix.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
        order : "given", list of names or list of positions, optional
            Clusterings to show, from top to bottom; by default by number of clusters.
        max_levels : int, default=12
            Of more clusterings, those of each number of clusters that agree best with the others are shown, and of
            these some at equal steps. A list as ``order`` is shown as it is.
        """
        check_count(max_levels, "max_levels")
        read = read_clusterings(X)
        chosen = read_order(order, read)
        note = ""
        if len(chosen) > max_levels and (order is None or isinstance(order, str)):
            few = _representatives(read, chosen, max_levels)
            steps = ", some at equal steps" if len(few) < len(set(read.matrix.n_labels[chosen].tolist())) else ""
            note = (
                f"{len(few)} of {len(chosen)} clusterings: of each number of clusters the one that agrees best{steps}"
            )
            chosen = few
        positions = [int(read.matrix.kept[j]) for j in chosen]
        return cls(resolution_tree(read.matrix, order=positions), note=note)

    def plot(self, ax: Any = None) -> Self:
        """Draw one row of clusters per clustering.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        self
        """
        n_levels = len(self.tree.clusterings)
        widest = int(self.tree.nodes.groupby("level").size().max())
        ax = self._begin(
            ax, (float(np.clip(3.2 + 0.33 * widest, 5.5, 11.0)), float(np.clip(1.6 + 0.62 * n_levels, 3, 9)))
        )
        ax.set_xlim(self.x.min() - 0.75, self.x.max() + 0.75)
        ax.set_ylim(n_levels - 0.45, -0.55)
        self._draw_names(ax)
        caption(ax, "Clusters over resolutions", [_AREAS, _EDGES if n_levels > 1 else "", self.note])
        shades = self._draw_key(ax)
        settle(ax)
        diameter = self._diameters(ax)
        self._draw_edges(ax, diameter)
        nodes = self.tree.nodes
        colors = shades.to_rgba(np.nan_to_num(nodes["stability"], nan=0.0))
        ax.scatter(
            self.x, nodes["level"], s=diameter**2, c=colors, edgecolors=GREY, linewidths=0.7, zorder=3,
        )  # fmt: skip
        self._write_labels(ax, diameter, colors)
        return self

    # ---------------------------------------------------------------------------------------------------- small steps
    def _draw_names(self, ax: Any) -> None:
        """Names of the clusterings and their numbers of clusters at the left."""
        numbers = self.tree.nodes.groupby("level").size()
        words = [f"{shorten(name, _NAME)} ({numbers[level]})" for level, name in enumerate(self.tree.clusterings)]
        ax.set_yticks(range(len(words)), words, fontsize=SMALL)
        ax.set_xticks([])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_ylabel("clustering (number of clusters)", fontsize=SMALL)

    def _draw_key(self, ax: Any) -> Any:
        """The scale of stability at the right."""
        from matplotlib import cm, colormaps
        from matplotlib.colors import Normalize

        # up to the largest value, in tenths: fine clusterings of many objects would be all white on a scale to 1
        top = np.ceil(10 * float(np.nan_to_num(self.tree.nodes["stability"]).max(initial=0))) / 10
        shades = cm.ScalarMappable(Normalize(0, min(max(top, 0.5), 1)), colormaps[SEQUENTIAL])
        bar = self.figure_.colorbar(shades, ax=ax, fraction=0.04, pad=0.02, aspect=22, shrink=0.9)
        bar.set_label("stability", fontsize=SMALL)
        bar.ax.tick_params(labelsize=SMALL, length=2)
        bar.outline.set_visible(False)
        return shades

    def _diameters(self, ax: Any) -> FloatArray:
        """Diameters in points: areas in proportion to objects, as large as neighbours leave room for."""
        width, height = size_in_points(ax)
        apart = width / (self.x.max() - self.x.min() + 1.5)
        room = min(_LARGEST, 0.92 * apart, 0.55 * height / len(self.tree.clusterings))
        share = self.tree.nodes["size"].to_numpy() / max(self.tree.nodes["size"].max(), 1)
        return np.asarray(np.maximum(room * np.sqrt(share), min(_SMALLEST, room)))

    def _draw_edges(self, ax: Any, diameter: FloatArray) -> None:
        """Curves from clusters to those of the next row; thin ones first, so that they do not hide others."""
        from matplotlib.collections import PathCollection

        edges = self.tree.edges
        shown = edges[edges[["in_proportion", "out_proportion"]].max(axis=1) >= _LEAST_EDGE]
        shown = shown.sort_values("in_proportion", kind="stable")
        level = self.tree.nodes["level"].to_numpy()
        thickest = float(np.clip(0.4 * np.median(diameter), 0.8, 5.0))
        for is_main, style in ((False, (0, (2.5, 1.5))), (True, "solid")):
            part = shown[shown["is_main"].astype(bool) == is_main]
            share = part["in_proportion"].to_numpy(np.float64)
            ends = part[["source", "target"]].to_numpy(np.int64)
            paths = [_curve(self.x[a], level[a], self.x[b], level[b]) for a, b in ends]
            colors = [(0.25, 0.29, 0.36, _FAINT + (_DARK - _FAINT) * one) for one in share]
            ax.add_collection(
                PathCollection(
                    paths, facecolors="none", edgecolors=colors, linewidths=0.4 + thickest * share, linestyles=[style],
                    zorder=1 + is_main,
                ),
                autolim=False,
            )  # fmt: skip

    def _write_labels(self, ax: Any, diameter: FloatArray, colors: FloatArray) -> None:
        """Labels of the clusters inside them, or at their right where they are too small and there is room."""
        nodes = self.tree.nodes
        room = self._room_at_the_right(ax, diameter)
        for place, (cluster, level) in enumerate(zip(nodes["cluster"], nodes["level"], strict=True)):
            words, size = shorten(_as_text(cluster), 6), diameter[place]
            inside = _exact_width(words) <= 0.85 * size and size >= SMALL
            if not inside:
                fitting = [one for one in (shorten(_as_text(cluster), 14), words) if _exact_width(one) <= room[place]]
                if not fitting:
                    continue
                words = fitting[0]
            red, green, blue, _ = colors[place]
            dark = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 <= 0.18
            ax.annotate(
                words, (self.x[place], level), (0 if inside else size / 2 + _GAP, 0), textcoords="offset points",
                ha="center" if inside else "left", va="center_baseline", fontsize=SMALL - 1, zorder=4,
                color="white" if dark and inside else "black",
            )  # fmt: skip

    def _room_at_the_right(self, ax: Any, diameter: FloatArray) -> FloatArray:
        """Points between each node and the next one of its row, or the edge."""
        per_unit = size_in_points(ax)[0] / float(np.ptp(ax.get_xlim()))
        level = self.tree.nodes["level"].to_numpy()
        room = (ax.get_xlim()[1] - self.x) * per_unit - diameter / 2 - 2 * _GAP
        for row in np.unique(level):
            order = np.flatnonzero(level == row)
            order = order[np.argsort(self.x[order])]
            free = np.diff(self.x[order]) * per_unit - (diameter[order[:-1]] + diameter[order[1:]]) / 2
            room[order[:-1]] = free - 2 * _GAP
        return np.asarray(room)


def _exact_width(words: str) -> float:
    """Width of a label, in points, as it is drawn."""
    from matplotlib.textpath import TextPath

    return float(TextPath((0, 0), words, size=SMALL - 1).get_extents().width)


def _as_text(label: Any) -> str:
    """A label as users write it: whole numbers without a point."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _curve(x: float, y: float, x_after: float, y_after: float) -> Any:
    """A path that leaves and arrives upright."""
    from matplotlib.path import Path

    middle = (y + y_after) / 2
    steps = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return Path([(x, y), (x, middle), (x_after, middle), (x_after, y_after)], steps)


# ----------------------------------------------------------------------------------------------------------------- data
def _places(tree: ResolutionTree) -> FloatArray:
    """Places of the nodes: edges weigh by their objects."""
    nodes, edges = tree.nodes, tree.edges
    layers = Layers(
        nodes["level"].to_numpy(np.int64),
        edges["source"].to_numpy(np.int64),
        edges["target"].to_numpy(np.int64),
        edges["count"].to_numpy(np.float64),
    )
    return place_nodes(layers)


def _representatives(read: Clusterings, order: list[int], n_levels: int) -> list[int]:
    """Of each number of clusters the clustering that agrees best with all others, then some at equal steps."""
    agrees = quality(agreement_matrix(read.codes, read.n_objects, "nmi"))
    known = pd.DataFrame({"k": read.matrix.n_labels, "agrees": np.nan_to_num(agrees)}).loc[order]
    best = set(known.groupby("k")["agrees"].idxmax())
    kept = [j for j in order if j in best]
    if len(kept) <= n_levels:
        return kept
    return [kept[place] for place in np.unique(np.linspace(0, len(kept) - 1, n_levels).round().astype(int))]
