"""Display of the relations of clusters: how much of each lies in each other one."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from partita._labels.membership import as_numbers, check_membership
from partita._typing import Array, FloatArray, IntArray
from partita.metrics import relation_matrix
from partita.plotting._colors import cluster_color, text_on
from partita.plotting._display import GREY, SMALL, ResultDisplay, shorten
from partita.plotting._fitting import caption, fit_in, settle, size_in_points, width_of
from partita.plotting._membership import most_probable
from partita.results import ConsensusResult

_LARGEST = 0.26  # radius of a node, of a circle of radius 1
_SMALLEST = 0.35  # radius of the smallest node, as a share of the largest possible: a number fits into it
_BEND = 0.14  # of an arrow, as a share of its length: those of both directions stay apart
_FEW = 8  # clusters up to which words beside the nodes have room at the sides
_MANY_EDGES = 40  # above it no edge has a label
_STEPS = np.linspace(0.02, 0.98, 40)  # points of an arrow that no number may cover
_EDGE = "#4A4A4A"


class Edge(NamedTuple):
    """A relation that is drawn."""

    source: int
    target: int
    weight: float


class RelationDisplay(ResultDisplay):
    """Graph of the clusters: the arrow from k to l is the share of cluster k that lies in cluster l.

    That share is m_kl of :func:`partita.metrics.relation_matrix`; it is not symmetric. Clusters that are related are
    neighbours on the circle, as far as possible.

    Parameters
    ----------
    relations : ndarray of shape (k, k)
        m_kl; NaN for clusters without mass.
    sizes : ndarray of shape (k,)
        Number of objects of each cluster: the area of its node.
    threshold : float in [0, 1), default=0.05
        Relations below it are not drawn.
    images : list of array, optional
        One picture per cluster, (height, width) or (height, width, 3 or 4), drawn inside its node.
    names : list of str, optional
        One name per cluster, written beside its node.
    note : str, default=""
        Written on the figure.

    Attributes
    ----------
    relations, sizes, threshold, images, names, note
        As passed.
    positions : ndarray of shape (k, 2)
        Where the nodes are.
    edges : list of (source, target, weight)
        Relations that are drawn, the largest first.
    figure_, ax_ : matplotlib Figure and Axes
        After ``plot``.

    References
    ----------
    A. Lourenço, S. Rota Bulò, N. Rebagliati, A. Fred, M. Figueiredo and M. Pelillo, "Probabilistic consensus clustering
    using evidence accumulation", Machine Learning 98, 2015, figure 8.

    Examples
    --------
    >>> from partita.plotting import RelationDisplay
    >>> display = RelationDisplay.from_membership([[1, 0, 0], [1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]])
    >>> [(edge.source, edge.target, round(edge.weight, 2)) for edge in display.edges]
    [(1, 0, 0.5), (0, 1, 0.1)]
    """

    def __init__(
        self,
        relations: FloatArray,
        sizes: Array,
        *,
        threshold: float = 0.05,
        images: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        note: str = "",
    ) -> None:
        k = len(relations)
        for given, what in ((images, "images"), (names, "names"), (sizes, "sizes")):
            if given is not None and len(given) != k:
                raise ValueError(f"{what} has {len(given)} entries; pass one per cluster, {k}.")
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold < 1:
            raise ValueError(f"threshold={threshold!r:.60} must be in [0, 1); it is a share too small to draw.")
        self.relations = relations
        self.sizes = sizes
        self.threshold = threshold
        self.images = images
        self.names = names
        self.note = note
        self.edges = _edges(relations, threshold)
        self.positions = _circle(_neighbours(relations))

    @classmethod
    def from_result(cls, result: ConsensusResult, **options: Any) -> Self:
        """Compute the display of a result; its votes stand for probabilities where the method gives none.

        Parameters
        ----------
        result : ConsensusResult
            From :func:`partita.combine`, or of a fitted estimator.
        **options
            ``threshold``, ``images`` and ``names``, as in the class.
        """
        inside = result.labels >= 0
        Y = result.membership[inside]
        sizes = np.bincount(result.labels[inside], minlength=Y.shape[1])
        words = "probabilities" if result.membership_kind == "probabilities" else "votes for the clusters"
        return cls(relation_matrix(Y), sizes, note=f"from the {words}", **options)

    @classmethod
    def from_membership(cls, membership: Any, sizes: Any = None, **options: Any) -> Self:
        """Compute the display of memberships that you have.

        Parameters
        ----------
        membership : array-like of shape (n_samples, k)
            Probabilities; a row may be NaN throughout.
        sizes : array-like of shape (k,), optional
            Size of each cluster; by default the objects of which it is the most probable one.
        **options
            ``threshold``, ``images`` and ``names``, as in the class.
        """
        Y = check_membership(membership, "membership", missing=True)
        clusters = most_probable(Y)
        counted = np.bincount(clusters[clusters >= 0], minlength=Y.shape[1])
        given = counted if sizes is None else as_numbers(sizes, "sizes")
        if given.ndim != 1 or not (given >= 0).all():
            raise ValueError(f"sizes={sizes!r:.60} are not allowed; pass one number per cluster, 0 or more.")
        return cls(relation_matrix(Y), given, **options)

    # ---------------------------------------------------------------------------------------------------------- drawing
    def plot(self, ax: Any = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        """
        k = len(self.sizes)
        size = (5.6, 3.2) if k < 3 else (6.4, 5.4) if k <= _FEW else (6.8, 7.3)
        ax = self._begin(ax, size)
        drawn = f"arrow from k to l: share of cluster k that lies in l, from {self.threshold:g} on"
        caption(ax, "Relations of the clusters", [drawn, "area: number of objects", self.note])
        ax.set_axis_off()
        radii = self._radii(min(size_in_points(ax)))
        wide, high = self._limits(ax, float(radii.max()))
        nodes, words = self._draw_nodes(ax, radii)
        for edge in self.edges:
            self._draw_edge(ax, edge, nodes)
        ax.update_datalim([(-wide, -high), (wide, high)])  # limits that are set would not make room at the sides
        ax.margins(0)
        ax.autoscale_view()
        ax.set_aspect("equal", adjustable="datalim")  # after the pictures, which set it too
        if len(self.edges) <= _MANY_EDGES:
            self._label_edges(ax, [*nodes, *words])
        return self

    def _radii(self, room: float) -> FloatArray:
        """Radius of each node: its area follows the size, its number fits into it, and neighbours do not touch."""
        k = len(self.sizes)
        largest = _LARGEST if k < 3 else min(_LARGEST, 0.38 * 2 * np.sin(np.pi / k))
        share = np.sqrt(np.asarray(self.sizes, dtype=np.float64) / max(float(np.max(self.sizes)), 1e-300))
        for_number = 0.9 * SMALL / (room / 2 / 1.4) / largest  # the axes are about 1.4 from the middle to an edge
        smallest = 0.7 if self.images is not None else min(max(_SMALLEST, for_number), 1.0)
        return np.asarray(largest * np.maximum(share, smallest))

    def _limits(self, ax: Any, radius: float) -> tuple[float, float]:
        """Half the width and height of the axes: the circle, its nodes, and what is written outside."""
        width, height = size_in_points(ax)
        longest, k = max(width_of(word) for word in self._outside()), len(self.sizes)
        above = longest if self._radial() else 1.5 * SMALL
        circle = (0.06 if k == 1 else 1.06) + radius
        tall = radius + 0.2 if k < 3 else circle
        return circle / (1 - 2 * min(longest / width, 0.3)), tall / (1 - 2 * min(above / height, 0.3))

    def _radial(self) -> bool:
        """Whether words beside the nodes are written along the ray from the middle: many that are long."""
        return len(self.sizes) > _FEW and max(map(len, self._outside())) > len("100,000")

    def _outside(self) -> list[str]:
        """What is written beside each node."""
        if self.names is not None:
            return [shorten(name, 18) for name in self.names]
        if self.images is not None:
            return [str(cluster) for cluster in range(len(self.sizes))]
        return [f"{size:,.4g}" if size % 1 else f"{int(size):,}" for size in self.sizes]

    def _draw_nodes(self, ax: Any, radii: FloatArray) -> tuple[list[Any], list[Any]]:
        """Circles with the number or the picture of their cluster, and the words beside them."""
        from matplotlib.patches import Circle

        nodes, written, words = [], [], self._outside()
        for cluster, (place, radius) in enumerate(zip(self.positions, radii, strict=True)):
            color = cluster_color(cluster)
            framed = self.images is not None
            node = Circle(tuple(place), radius, facecolor="white" if framed else color, edgecolor=color, zorder=3)
            node.set_linewidth(2.0 if framed else 0.0)
            nodes.append(ax.add_patch(node))
            if self.images is not None:
                self._draw_image(ax, np.asarray(self.images[cluster]), place, 0.66 * radius)
            else:
                ax.text(*place, str(cluster), ha="center", va="center", size=SMALL, color=text_on(color), zorder=5)
            written.append(self._write_outside(ax, words[cluster], place, float(radius)))
        return nodes, written

    def _draw_image(self, ax: Any, image: Any, place: FloatArray, half: float) -> None:
        """The picture of a cluster inside its node."""
        tall = image.shape[0] / max(image.shape[:2])
        wide = image.shape[1] / max(image.shape[:2])
        extent = (place[0] - wide * half, place[0] + wide * half, place[1] - tall * half, place[1] + tall * half)
        ax.imshow(image, extent=extent, cmap="Greys", zorder=4, aspect="equal", interpolation="nearest")

    def _write_outside(self, ax: Any, word: str, place: FloatArray, radius: float) -> Any:
        """Words beside a node."""
        along = place / np.hypot(*place) if place.any() else np.array([0.0, 1.0])
        x, y = place + along * (radius + 0.045)
        if self._radial():
            angle = float(np.degrees(np.arctan2(along[1], along[0])))
            flipped = along[0] < -1e-9
            how = {"rotation": angle - 180 if flipped else angle, "ha": "right" if flipped else "left", "va": "center"}
        else:
            sideways = "center" if abs(along[0]) < 0.2 else "left" if along[0] > 0 else "right"
            upwards = "center" if abs(along[1]) < 0.5 else "bottom" if along[1] > 0 else "top"
            how = {"ha": sideways, "va": upwards}
        color = "black" if self.names is not None else GREY
        return ax.text(x, y, word, size=SMALL, color=color, rotation_mode="anchor", **how)

    def _draw_edge(self, ax: Any, edge: Edge, nodes: list[Any]) -> Any:
        """An arrow between two nodes, as wide and dark as its relation is large."""
        from matplotlib.patches import FancyArrowPatch

        crowd = min(1.0, np.sqrt(_MANY_EDGES / len(self.edges)))  # many arrows are lighter, that they do not merge
        dark = (0.4 + 0.6 * min(2 * edge.weight, 1.0)) * crowd
        arrow = FancyArrowPatch(
            tuple(self.positions[edge.source]), tuple(self.positions[edge.target]), patchA=nodes[edge.source],
            patchB=nodes[edge.target], connectionstyle=f"arc3,rad={_BEND}", arrowstyle="-|>", shrinkA=1.5, shrinkB=1.5,
            mutation_scale=8 + 12 * edge.weight, linewidth=0.6 + 7 * edge.weight, color=_EDGE, zorder=2, alpha=dark,
        )  # fmt: skip
        return ax.add_patch(arrow)

    def _label_edges(self, ax: Any, drawn: list[Any]) -> None:
        """Numbers beside the arrows, the largest first, where they cover no node and no other words."""
        settle(ax)
        taken = [artist.get_window_extent() for artist in drawn]
        points = 2 * ax.get_xlim()[1] / size_in_points(ax)[0]
        curves = [ax.transData.transform([self._beside(edge, at, 0.0) for at in _STEPS]) for edge in self.edges]
        for edge in self.edges:
            for share in (0.5, 0.4, 0.6, 0.3, 0.7):
                place = self._beside(edge, share, (0.75 * SMALL + 7 * edge.weight) * points)  # beside thick arrows, too
                text = ax.text(*place, f"{edge.weight:.2f}", size=SMALL - 1, ha="center", va="center", zorder=6)
                box = text.get_window_extent()
                if fit_in(box, taken) and not any(box.count_contains(curve) for curve in curves):
                    taken.append(box)
                    break
                text.remove()

    def _beside(self, edge: Edge, share: float, away: float) -> FloatArray:
        """A point beside a bent arrow, on its outer side: a quadratic curve, as matplotlib's arc3 makes it."""
        begin, end = self.positions[edge.source], self.positions[edge.target]
        dx, dy = end - begin
        outer = np.array([dy, -dx])
        middle = (begin + end) / 2 + _BEND * outer
        on_curve = (1 - share) ** 2 * begin + 2 * share * (1 - share) * middle + share**2 * end
        slanted = abs(outer[0]) / np.hypot(*outer)  # a number is wider than high
        return np.asarray(on_curve + outer / np.hypot(*outer) * away * (1 + 0.8 * slanted))


# ---------------------------------------------------------------------------------------------------------- the circle
def _edges(relations: FloatArray, threshold: float) -> list[Edge]:
    """Relations between different clusters that are large enough, the largest first."""
    weights = np.nan_to_num(relations, nan=0.0)
    np.fill_diagonal(weights, 0.0)
    sources, targets = np.nonzero((weights >= threshold) & (weights > 0))
    found = [Edge(int(k), int(m), float(weights[k, m])) for k, m in zip(sources, targets, strict=True)]
    return sorted(found, key=lambda edge: -edge.weight)


def _neighbours(relations: FloatArray) -> IntArray:
    """An order of the clusters in which related ones are near: the leaves of a tree, in their best order."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    k = len(relations)
    if k < 3:
        return np.arange(k)
    weights = np.nan_to_num(relations, nan=0.0)
    apart = 1 - (weights + weights.T) / 2
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart.clip(0), checks=False), "average", optimal_ordering=True)
    return np.asarray(leaves_list(tree))


def _circle(order: IntArray) -> FloatArray:
    """Places of the clusters on a circle in this order: clockwise from the top, two of them side by side."""
    k = len(order)
    if k == 1:
        return np.zeros((1, 2))
    angles = (np.pi if k == 2 else np.pi / 2) - 2 * np.pi * np.arange(k) / k
    positions = np.empty((k, 2))
    positions[order] = np.column_stack([np.cos(angles), np.sin(angles)])
    return positions.round(12) + 0.0  # no -0, and places of equal clusters are equal on all machines
