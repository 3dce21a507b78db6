"""Display of memberships: how each object is shared among the clusters."""

from itertools import pairwise
from typing import Any, Self

import numpy as np

from partita._checks import check_choice
from partita._labels.membership import check_membership
from partita._typing import FloatArray, IntArray
from partita.plotting._colors import MISSING, SEQUENTIAL, cluster_color, text_on
from partita.plotting._display import MAX_OBJECTS, SMALL, ResultDisplay, draw_objects, shorten, split
from partita.plotting._fitting import caption, size_in_points, step_that_fits, width_of
from partita.results import ConsensusResult

_NAMED = 40  # objects up to which each has its id below its column
_LINES = "#B5B5B5"  # between clusters, and around all
_BAR = 13.0  # height of the bar of clusters, in points
_KINDS = {"probabilities": "probability", "votes": "share of the votes"}


class MembershipDisplay(ResultDisplay):
    """Memberships of the objects as a heatmap: one row per cluster, one column per object.

    Objects are sorted by cluster and, within it, by the membership of their own cluster, the largest first. Objects
    without a cluster come last.

    Parameters
    ----------
    membership : ndarray of shape (n_drawn, k)
        Memberships of the drawn objects, in the order of ``order``.
    order : ndarray of shape (n_drawn,)
        Numbers of the drawn objects.
    labels : ndarray of shape (n_drawn,)
        Their clusters, in the same order; -1 = none.
    kind : {"probabilities", "votes"}, default="probabilities"
        What ``membership`` holds.
    ids : list, optional
        Names of the drawn objects, written where there are few; by default their numbers.
    note : str, default=""
        Written on the figure: whether the objects are a sample.

    Attributes
    ----------
    membership, order, labels, kind, ids, note
        As passed.
    figure_, ax_ : matplotlib Figure and Axes
        After ``plot``.

    Examples
    --------
    >>> from partita.plotting import MembershipDisplay
    >>> display = MembershipDisplay.from_membership([[0.6, 0.4], [0.1, 0.9], [1.0, 0.0]])
    >>> display.order
    array([2, 0, 1])
    """

    def __init__(
        self,
        membership: FloatArray,
        order: IntArray,
        labels: IntArray,
        *,
        kind: str = "probabilities",
        ids: list[Any] | None = None,
        note: str = "",
    ) -> None:
        check_choice("kind", kind, _KINDS)
        self.membership = membership
        self.order = order
        self.labels = labels
        self.kind = kind
        self.ids = np.asarray(order).tolist() if ids is None else ids
        self.note = note

    @classmethod
    def from_result(  # type: ignore[override]
        cls, result: ConsensusResult, *, max_objects: int | None = MAX_OBJECTS, seed: int = 0
    ) -> Self:
        """Compute the display of a result.

        Parameters
        ----------
        result : ConsensusResult
            From :func:`partita.combine`, or of a fitted estimator.
        max_objects : int or None, default=2000
            Objects that are drawn; of more a sample, by cluster.
        seed : int, default=0
            Seed of the sample.
        """
        drawn, note = draw_objects(result.labels, max_objects, seed)
        return cls._ordered(result.membership, result.labels, drawn, result.membership_kind, note, result.ids)

    @classmethod
    def from_membership(
        cls,
        membership: Any,
        labels: Any = None,
        kind: str = "probabilities",
        *,
        max_objects: int | None = MAX_OBJECTS,
        seed: int = 0,
    ) -> Self:
        """Compute the display of memberships that you have.

        Parameters
        ----------
        membership : array-like of shape (n_samples, k)
            Rows sum to 1; a row may be NaN throughout.
        labels : array-like of shape (n_samples,), optional
            Cluster of each object as a column of ``membership``, -1 = none; by default the most probable one.
        kind : {"probabilities", "votes"}, default="probabilities"
            What the numbers are.
        max_objects : int or None, default=2000
            Objects that are drawn; of more a sample, by cluster.
        seed : int, default=0
            Seed of the sample.
        """
        Y = check_membership(membership, "membership", missing=True)
        clusters = most_probable(Y) if labels is None else _check_clusters(labels, Y.shape)
        drawn, note = draw_objects(clusters, max_objects, seed)
        return cls._ordered(Y, clusters, drawn, kind, note, None)

    @classmethod
    def _ordered(cls, Y: FloatArray, labels: IntArray, drawn: IntArray, kind: str, note: str, index: Any) -> Self:
        """The drawn objects by cluster and certainty."""
        of_drawn, own = labels[drawn], Y[drawn, labels[drawn].clip(0)]
        last = np.where(of_drawn < 0, Y.shape[1], of_drawn)
        order = drawn[np.lexsort((-own, last))]
        ids = None if index is None else index[order].tolist()
        return cls(Y[order], order, labels[order], kind=kind, ids=ids, note=note)

    # ---------------------------------------------------------------------------------------------------------- drawing
    def plot(self, ax: Any = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        """
        n_clusters = self.membership.shape[1]
        named = max(map(len, self._names()), default=0)
        ax = self._begin(ax, (7.5, float(np.clip(2.1 + 0.19 * n_clusters, 2.9, 9.0)) + 0.06 * named))
        grey = "grey: no cluster" if (self.labels < 0).any() else ""
        caption(ax, "Membership of the clusters", [f"{self.kind}, objects sorted by cluster", grey, self.note])
        width, height = size_in_points(ax)
        bar, strip, gap = min(_BAR / height, 0.2), min(0.7 * _BAR / width, 0.05), 3.0
        left, top, right = strip + gap / width, 1 - bar - gap / height, 0.93
        side, above, heat, scale = split(
            ax,
            [
                (0, 0, strip, top),
                (left, 1 - bar, right - left, bar),
                (left, 0, right - left, top),
                (0.95, 0, 0.02, top),
            ],
        )
        self._draw_bar(above)
        self._draw_rows(side)
        image = self._draw_heat(heat)
        colours = self.figure_.colorbar(image, cax=scale)
        colours.set_label(_KINDS[self.kind], fontsize=SMALL)
        colours.ax.tick_params(labelsize=SMALL)
        colours.outline.set_visible(False)
        return self

    def _draw_heat(self, ax: Any) -> Any:
        """Memberships, and the names of few objects below them."""
        from matplotlib import colormaps

        shown = np.ma.masked_invalid(self.membership.T)
        colors = colormaps[SEQUENTIAL].with_extremes(bad=MISSING)
        image = ax.imshow(shown, aspect="auto", cmap=colors, vmin=0, vmax=1, interpolation="nearest", rasterized=True)
        for edge in np.flatnonzero(np.diff(self.labels)) + 0.5:
            ax.axvline(edge, color=_LINES, linewidth=0.6)
        ax.spines[:].set(color=_LINES, linewidth=0.6)
        ax.tick_params(left=False, labelleft=False, bottom=False, labelsize=SMALL)
        names = self._names()
        step = step_that_fits(len(names), size_in_points(ax)[0], SMALL * 1.1)
        ax.set_xticks(np.arange(0, len(names), step), names[::step], rotation=90)
        ax.set_xlabel("objects, each cluster from certain to uncertain", fontsize=SMALL)
        return image

    def _names(self) -> list[str]:
        """What is written below the columns: nothing if there are many."""
        return [shorten(name, 16) for name in self.ids] if len(self.ids) <= _NAMED else []

    def _draw_bar(self, ax: Any) -> None:
        """The clusters of the objects, with numbers where there is room for them."""
        starts = np.concatenate([[0], np.flatnonzero(np.diff(self.labels)) + 1, [len(self.labels)]])
        ax.set_xlim(0, len(self.labels))
        ax.set_ylim(0, 1)
        ax.set_axis_off()
        per_object = size_in_points(ax)[0] / max(len(self.labels), 1)
        for start, end in pairwise(starts.tolist()):
            cluster = int(self.labels[start])
            color, word = cluster_color(cluster), str(cluster) if cluster >= 0 else "none"
            ax.axvspan(start, end, color=color, linewidth=0)
            if width_of(word) + 3 <= (end - start) * per_object:
                ax.text((start + end) / 2, 0.47, word, ha="center", va="center", fontsize=SMALL, color=text_on(color))

    def _draw_rows(self, ax: Any) -> None:
        """The colours and numbers of the rows."""
        n_clusters = self.membership.shape[1]
        step = step_that_fits(n_clusters, size_in_points(ax)[1], SMALL * 1.25)
        ax.barh(np.arange(n_clusters), 1, height=0.94, color=[cluster_color(row) for row in range(n_clusters)])
        ax.set_ylim(n_clusters - 0.5, -0.5)
        ax.set_xlim(0, 1)
        ax.spines[:].set_visible(False)
        ax.set_xticks([])
        ax.set_yticks(np.arange(0, n_clusters, step))
        ax.tick_params(left=False, labelsize=SMALL, pad=2)
        ax.set_ylabel("cluster", fontsize=SMALL)


# --------------------------------------------------------------------------------------------------------- memberships
def most_probable(Y: FloatArray) -> IntArray:
    """The most probable cluster of each object, -1 for rows of NaN."""
    missing = np.isnan(Y[:, 0])
    return np.where(missing, -1, np.where(missing[:, None], 0.0, Y).argmax(axis=1))


def _check_clusters(labels: Any, shape: tuple[int, ...]) -> IntArray:
    """Clusters that are columns of the membership."""
    clusters = np.asarray(labels)
    if clusters.shape != shape[:1] or clusters.dtype.kind not in "iu":
        raise ValueError(
            f"labels={labels!r:.60} are not allowed; pass one whole number per object, ({shape[0]},): a column of "
            "membership, or -1 for none."
        )
    if clusters.size and (clusters.max() >= shape[1] or clusters.min() < -1):
        raise ValueError(
            f"labels are from {clusters.min()} to {clusters.max()}, but membership has {shape[1]} columns; pass "
            f"numbers from 0 to {shape[1] - 1}, or -1 for none."
        )
    return clusters.astype(np.int64)
