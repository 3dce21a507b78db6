"""The tree of a consensus with its cut, and how long each number of clusters lives in it."""

import math
import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from partita._labels.ensemble import find_distinct_rows
from partita._labels.validation import check_label_matrix
from partita._typing import FloatArray, IntArray
from partita.exceptions import WeakStructureWarning
from partita.plotting._colors import PALETTE, cluster_color, text_on
from partita.plotting._display import MAX_OBJECTS, SMALL, ResultDisplay, draw_objects, say, set_title, shorten, split
from partita.plotting._fitting import caption
from partita.plotting._layout import inches, letters
from partita.plotting._order import object_names
from partita.plotting._tree import leaf_order, node_clusters, top_of_tree, tree_lines
from partita.results import ConsensusResult, combine

MAX_LEAVES = 60  # of a tree that is drawn whole, with the names of its objects
_MOST_ROWS = 5000  # distinct rows of labels whose tree is made: some seconds, and 200 MB for their matrix
_FEWEST_BRANCHES = 30  # of a larger tree; there are two per cluster if there are more clusters, up to MAX_LEAVES
_MIXED = -2  # branches with objects of several clusters
_BARS = 30  # lifetimes that have room beside the tree
_TREE = 0.72  # share of the width, where lifetimes stand beside it
_LEAF, _NUMBER = 0.105, 0.2  # inches that the name of a leaf and the number of a cluster need


class DendrogramDisplay(ResultDisplay):
    """Tree of a consensus, with the cut that gave its clusters, and the lifetime of each number of clusters.

    Make one with ``from_labels``, ``from_estimator`` or ``from_result``; ``plot`` draws it. Of more than 60 objects the
    top of the tree is drawn, and each branch below it shows its number of objects.

    Parameters
    ----------
    tree : ndarray of shape (n_leaves - 1, 4)
        The tree drawn, in SciPy's form: its leaves are objects, or branches.
    sizes : ndarray of shape (n_leaves,)
        Objects of each leaf.
    clusters : ndarray of shape (n_leaves,)
        Cluster of each leaf; -1 = none, -2 = objects of several clusters.
    names : sequence of str, optional
        Names of the leaves; None where they are branches.
    n_clusters : int
        Clusters of the cut.
    cut : float
        Height of the cut.
    lifetimes : ndarray, optional
        Lifetime of the cut into 2, 3, ... clusters.
    height : str
        What the heights are.
    note : str
        What the figure says about branches.

    Attributes
    ----------
    tree, sizes, clusters, names, n_clusters, cut, lifetimes, height, note
        As above.
    order : ndarray of shape (n_leaves,)
        Leaves from left to right.
    ax_, figure_
        After ``plot``: the axes that hold both parts, and their figure.

    Examples
    --------
    >>> from partita.plotting import DendrogramDisplay
    >>> display = DendrogramDisplay.from_labels([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])
    >>> display.n_clusters, display.lifetimes.round(2)
    (2, array([0.5 , 0.33]))
    """

    def __init__(
        self,
        *,
        tree: FloatArray,
        sizes: IntArray,
        clusters: IntArray,
        names: Sequence[str] | None,
        n_clusters: int,
        cut: float,
        lifetimes: FloatArray | None = None,
        height: str = "height",
        note: str = "",
    ) -> None:
        self.tree = tree
        self.sizes = sizes
        self.clusters = clusters
        self.names = names
        self.n_clusters = n_clusters
        self.cut = cut
        self.lifetimes = lifetimes
        self.height = height
        self.note = note
        self.order = leaf_order(tree, np.where(clusters >= 0, clusters, n_clusters).astype(np.float64))

    @classmethod
    def from_labels(
        cls, X: Any, labels: Any = None, *, method: Any = "eac", n_clusters: Any = None, **options: Any
    ) -> Self:
        """Compute the display from a label matrix.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
        labels : None
            A partition by itself has no tree: leave it out.
        method : str or estimator, default="eac"
            A method with a tree, as in :func:`partita.combine`: "eac", "lwea" or "multi-eac".
        n_clusters : int, "auto" or None, default=None
            As in :func:`partita.combine`; None takes the number with the longest lifetime where the method has it.
        **options
            ``weights``, ``random_state`` and ``n_jobs`` of :func:`partita.combine`.

        Notes
        -----
        Most trees need a matrix over the distinct rows of X. Of more than 5,000 of them the tree is that of a sample of
        2,000 objects, stratified by the clusters of the default method, and the figure says so.
        """
        if labels is not None:
            raise ValueError("labels is given, but a partition by itself has no tree; leave it out.")
        matrix = check_label_matrix(X)
        if len(find_distinct_rows(matrix.codes, matrix.n_labels).first) <= _MOST_ROWS:
            return super().from_labels(X, method=method, n_clusters=n_clusters, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", WeakStructureWarning)  # these clusters only serve to draw the sample
            clusters = combine(matrix, random_state=options.get("random_state", 0)).labels
        chosen, note = draw_objects(clusters, MAX_OBJECTS)
        display = super().from_labels(matrix.codes[chosen], method=method, n_clusters=n_clusters, **options)
        display.note = "; ".join(filter(None, [note, display.note]))
        return display

    @classmethod
    def from_result(cls, result: ConsensusResult) -> Self:  # type: ignore[override]
        """Compute the display of a result whose estimator has ``dendrogram_``.

        Parameters
        ----------
        result : ConsensusResult
            Of :class:`partita.EAC`, :class:`partita.LWEA` or another method with a tree.
        """
        tree = getattr(result.estimator, "dendrogram_", None)
        if tree is None:
            raise ValueError(
                f"method {result.method!r} has no tree; use one that has, such as combine(X, method='eac'), or "
                "DendrogramDisplay.from_labels(X)."
            )
        leaves = result.estimator.leaves_
        clusters = result.labels[leaves]
        number = len(np.unique(clusters))
        shared: dict[str, Any] = {
            "n_clusters": number,
            "cut": _height_of_cut(tree, number),
            "lifetimes": getattr(result.estimator, "lifetimes_", None),
            "height": "Ward distance" if getattr(result.estimator, "linkage", "") == "ward" else "1 - similarity",
        }
        limit = _limit_of(result.estimator, len(leaves), shared["lifetimes"])
        if len(leaves) <= MAX_LEAVES:
            names = object_names(result, leaves)
            return cls(
                tree=tree, sizes=np.ones(len(leaves), np.int64), clusters=clusters, names=names, note=limit, **shared
            )
        n_branches = _number_of_branches(tree, number)
        top = top_of_tree(tree, n_branches)
        top_words = (
            f"the top of the tree of {len(leaves):,} objects: {n_branches} branches with their numbers of objects"
        )
        note = "; ".join(filter(None, [top_words, limit]))
        of_branch = _common(clusters, top.branch, n_branches)
        return cls(tree=top.tree, sizes=top.size, clusters=of_branch, names=None, note=note, **shared)

    def plot(self, ax: Any = None) -> Self:
        """Draw the tree and, at its right, the lifetimes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        self
        """
        room = max(6.2, 0.135 * len(self.order)) if self.names is not None else 6.6
        ax = self._begin(ax, (room / _TREE if self._has_lives else room + 0.7, 4.8))
        if len(self.tree) == 0:
            set_title(ax, "Tree of the objects")
            say(ax, "One object has no tree.")
            return self
        words = "1 cluster" if self.n_clusters == 1 else f"{self.n_clusters} clusters"
        caption(ax, f"Tree of the objects, cut into {words}", [self.note])
        tree_ax = ax
        if self._has_lives:
            tree_ax, life_ax = split(ax, [(0.0, 0.0, _TREE, 1.0), (_TREE + 0.09, 0.0, 0.91 - _TREE, 1.0)])
            self._draw_lives(life_ax)
        width = inches(ax)[0] * (_TREE if self._has_lives else 1.0)
        self._name_leaves(tree_ax, width)
        self._draw_tree(tree_ax, width)
        return self

    # ---------------------------------------------------------------------------------------------------- small steps
    @property
    def _has_lives(self) -> bool:
        return self.lifetimes is not None and len(self.lifetimes) > 0

    @property
    def _floor(self) -> float:
        """Where the axis begins: at 0, or shortly below the merges of the top of a tree."""
        low, high = float(self.tree[0, 2]), float(self.tree[-1, 2])
        return 0.0 if self.names is not None else max(0.0, low - 0.25 * max(high - low, 0.1 * high))

    def _draw_tree(self, ax: Any, width: float) -> None:
        """Lines, in the colours of the clusters below the cut, and the cut."""
        from matplotlib.collections import LineCollection

        floor, top = self._floor, max(float(self.tree[-1, 2]), self.cut) or 1.0
        lines, clusters = _split_at_cut(self, floor)
        colors, widths = [cluster_color(cluster) for cluster in clusters], [1.6 if c >= 0 else 1.0 for c in clusters]
        ax.add_collection(LineCollection(lines, colors=colors, linewidths=widths, capstyle="projecting"))
        ax.set_xlim(0, len(self.order))
        ax.set_ylim(floor - 0.02 * (top - floor), top + 0.06 * (top - floor))
        ax.axhline(self.cut, color="black", linewidth=0.9, linestyle=(0, (4, 3)), zorder=3)
        legs = [(cluster, line[0, 0]) for cluster, line in zip(clusters, lines, strict=True) if len(line) == 2]
        self._number_clusters(ax, legs, width / len(self.order))
        ax.set_ylabel(self.height, fontsize=SMALL)
        ax.tick_params(axis="y", labelsize=SMALL)
        ax.spines[["top", "right", "bottom"]].set_visible(False)

    def _number_clusters(self, ax: Any, legs: list[tuple[int, float]], each: float) -> None:
        """Numbers of the clusters where their legs cross the cut, as far as there is room."""
        last = -np.inf
        for cluster, place in sorted(legs, key=lambda leg: leg[1]):
            if (place - last) * each < _NUMBER:
                continue
            last, color = place, cluster_color(cluster)
            ax.text(
                place, self.cut, str(cluster), ha="center", va="center", fontsize=SMALL - 1, color=text_on(color),
                bbox={"boxstyle": "round,pad=0.2", "facecolor": color, "edgecolor": "none"}, zorder=4,
            )  # fmt: skip

    def _name_leaves(self, ax: Any, width: float) -> None:
        """Names of the objects, or sizes of the branches, below the tree."""
        words = self.names if self.names is not None else [f"{size:,}" for size in self.sizes.tolist()]
        shown = [shorten(words[leaf]) for leaf in self.order.tolist()]
        each = width / len(shown)
        ax.tick_params(axis="x", length=0)
        if each < _LEAF:
            ax.set_xticks([])
            ax.set_xlabel(
                f"{len(shown)} objects" if self.names is not None else f"{len(shown)} branches", fontsize=SMALL
            )
            return
        upright = max(map(len, shown)) > letters(each) - 1 or each < 0.25
        size = SMALL if each > 0.13 else SMALL - 1.5
        ax.set_xticks(np.arange(len(shown)) + 0.5, shown, rotation=90 if upright else 0, fontsize=size)
        ax.set_xlabel("objects" if self.names is not None else "objects of each branch", fontsize=SMALL)

    def _draw_lives(self, ax: Any) -> None:
        """One bar per number of clusters; that of the cut has a colour."""
        lives, k = np.asarray(self.lifetimes), self.n_clusters
        longest = int(lives.argmax()) + 2 if len(lives) else k
        shown = max(10, k + 3, longest + 1 if longest <= k + _BARS // 2 else 0)
        first = max(2, min(k - 1, shown + 1 - _BARS))
        lives = lives[first - 2 : min(shown, first + _BARS - 1) - 1]
        numbers = np.arange(first, first + len(lives)).tolist()
        ax.barh(numbers, lives, color=[PALETTE[0] if number == k else "#BDBDBD" for number in numbers])
        ax.set_ylim(max(numbers[-1], first + 7) + 0.6, first - 0.6)
        ax.set_yticks(numbers, [str(number) for number in numbers], fontsize=SMALL if len(lives) <= 20 else SMALL - 2)
        for label, number in zip(ax.get_yticklabels(), numbers, strict=True):
            label.set(fontweight="bold" if number == k else "normal")
        ax.set_ylabel("number of clusters", fontsize=SMALL)
        ax.set_xlabel("lifetime", fontsize=SMALL)
        ax.tick_params(axis="x", labelsize=SMALL)
        ax.locator_params(axis="x", nbins=2)
        ax.tick_params(axis="y", length=0)
        ax.spines[["top", "right"]].set_visible(False)


def _split_at_cut(display: DendrogramDisplay, floor: float) -> tuple[list[FloatArray], list[int]]:
    """Lines of the tree and the cluster of each; a leg from a cluster to a merge above the cut is two lines."""
    n, whole = len(display.order), tree_lines(display.tree, display.order, floor)
    of_node = node_clusters(display.tree, display.clusters)
    lines, clusters = [], []
    for node, line in enumerate(whole):
        own = int(of_node[n + node])
        lines.append(line)
        clusters.append(own)
        for child, (low, high) in zip(display.tree[node, :2].astype(np.int64), (line[:2], line[:1:-1]), strict=True):
            if own < 0 <= of_node[child] and low[1] < display.cut:
                lines.append(np.array([low, [high[0], min(display.cut, high[1])]]))
                clusters.append(int(of_node[child]))
    return lines, clusters


def _height_of_cut(tree: FloatArray, n_clusters: int) -> float:
    """In the middle between the last merge below the cut and the first above it."""
    heights = np.concatenate([[0.0], tree[:, 2]])
    done = len(tree) + 1 - n_clusters  # merges below the cut
    return float(heights[-1] * 1.05 if n_clusters == 1 else (heights[done] + heights[done + 1]) / 2)


def _limit_of(estimator: Any, n_objects: int, lifetimes: FloatArray | None) -> str:
    """What to say if a longer life was not taken, because that number was too large to be looked at."""
    if lifetimes is None or not len(lifetimes) or getattr(estimator, "n_clusters", 0) is not None:
        return ""
    limit = getattr(estimator, "max_clusters", None)
    most = max(math.isqrt(n_objects), 2) if limit == "sqrt" else limit
    longest = int(lifetimes.argmax()) + 2
    if not isinstance(most, int) or longest <= most:
        return ""
    return f"numbers up to {most} were considered; {longest:,} clusters have a longer life"


def _number_of_branches(tree: FloatArray, n_clusters: int) -> int:
    """As many as can be read; equal objects, which merge at height 0, are not taken apart."""
    wanted = min(max(2 * n_clusters, _FEWEST_BRANCHES), MAX_LEAVES)
    return min(wanted, 1 + max(int((tree[:, 2] > 0).sum()), 1))


def _common(clusters: IntArray, branch: IntArray, n_branches: int) -> IntArray:
    """Cluster of each branch, or that it has several."""
    low, high = np.full(n_branches, np.iinfo(np.int64).max), np.full(n_branches, -1)
    np.minimum.at(low, branch, clusters)
    np.maximum.at(high, branch, clusters)
    return np.where(low == high, low, _MIXED)
