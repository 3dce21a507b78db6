"""Display of uncertainty: the confidence of every object, cluster by cluster."""

from typing import Any, Self

import numpy as np

from partita._typing import FloatArray, IntArray
from partita.plotting._colors import cluster_color
from partita.plotting._display import GREY, SMALL, ResultDisplay, say
from partita.plotting._fitting import caption, clean, size_in_points, step_that_fits
from partita.results import ConsensusResult

_POINTS = 200  # of a profile: more cannot be seen
_ROW = 12.5  # smallest height of a cluster, in points: a line of small letters
_FILLED = 0.86  # share of its height that a profile fills


class UncertaintyDisplay(ResultDisplay):
    """Confidence of the objects of each cluster, in the manner of a silhouette plot.

    The confidence is the log-odds of an object's own cluster against the best other one. An object whose confidence is
    0 or less is in doubt: its labels speak at least as much for another cluster.

    Parameters
    ----------
    profiles : list of ndarray
        Confidence of the objects of each cluster, falling; quantiles where there are more than 200.
    sizes : ndarray of shape (n_clusters,)
        Number of objects of each cluster.
    in_doubt : ndarray of shape (n_clusters,)
        How many of them have a confidence of 0 or less.
    note : str, default=""
        Written on the figure: objects that are left out.

    Attributes
    ----------
    profiles, sizes, in_doubt, note
        As passed.
    figure_, ax_ : matplotlib Figure and Axes
        After ``plot``.

    Examples
    --------
    >>> from partita.plotting import UncertaintyDisplay
    >>> X = [[0, 0, 0, 0, 1, 1, 1]] * 3  # three equal clusterings
    >>> display = UncertaintyDisplay.from_labels(X, [0, 0, 0, 1, 1, 1, 1])  # the fourth object is not where they put it
    >>> display.sizes, display.in_doubt
    (array([4, 3]), array([1, 0]))
    """

    def __init__(self, profiles: list[FloatArray], sizes: IntArray, in_doubt: IntArray, *, note: str = "") -> None:
        self.profiles = profiles
        self.sizes = sizes
        self.in_doubt = in_doubt
        self.note = note

    @classmethod
    def from_result(cls, result: ConsensusResult) -> Self:  # type: ignore[override]
        """Compute the display of a result.

        Parameters
        ----------
        result : ConsensusResult
            From :func:`partita.combine`, or of a fitted estimator.
        """
        labels, confidence = result.labels, result.confidence
        counted = (labels >= 0) & ~np.isnan(confidence)
        order = np.lexsort((-confidence[counted], labels[counted]))
        values, of_cluster = confidence[counted][order], labels[counted][order]
        edges = np.searchsorted(of_cluster, np.arange(1, result.n_clusters))
        split = np.split(values, edges)
        left_out = int(len(labels) - counted.sum())
        objects = "object" if left_out == 1 else "objects"
        note = f"{left_out:,} {objects} without a cluster left out" if left_out else ""
        return cls(
            [_profile(part) for part in split],
            np.array([len(part) for part in split]),
            np.array([int((part <= 0).sum()) for part in split]),
            note=note,
        )

    # ---------------------------------------------------------------------------------------------------------- drawing
    def plot(self, ax: Any = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        """
        k = len(self.sizes)
        ax = self._begin(ax, (7.0, float(np.clip(2.6 + 0.24 * k, 3.4, 11.0))))
        doubtful, total = int(self.in_doubt.sum()), int(self.sizes.sum())
        counted = f"{doubtful:,} of {total:,} objects in doubt (confidence 0 or less)" if k > 1 else ""
        caption(ax, "Confidence of the objects", [counted, self.note])
        if k < 2:
            say(ax, "There is one cluster only:\nthe confidence of every object is infinite.")
            return self
        edges = self._edges(size_in_points(ax)[1])
        for cluster, profile in enumerate(self.profiles):
            top, bottom = edges[cluster], edges[cluster] + _FILLED * (edges[cluster + 1] - edges[cluster])
            rows = np.linspace(top, bottom, len(profile) + 1).repeat(2)[1:-1]  # every value is a bar of its own
            ax.fill_betweenx(rows, 0, profile.repeat(2), color=cluster_color(cluster), linewidth=0)
        self._label(ax, (edges[:-1] + edges[1:]) / 2 - (1 - _FILLED) / 2 * np.diff(edges))
        return self

    def _edges(self, room: float) -> FloatArray:
        """Where clusters begin and end, of a height of 1: as their sizes, and at least a line of text if it can be."""
        least = min(_ROW / room, 1 / len(self.sizes))
        heights = least + (1 - least * len(self.sizes)) * self.sizes / self.sizes.sum()
        return np.concatenate([[0.0], np.cumsum(heights)])

    def _label(self, ax: Any, middles: FloatArray) -> None:
        """Axes, the line at 0, and beside each cluster its number, its size and its objects in doubt."""
        clean(ax, grid="x")
        ax.set_ylim(1, -0.01)
        ax.margins(x=0.03)
        ax.axvline(0, color="black", linewidth=0.9)
        step = step_that_fits(len(middles), size_in_points(ax)[1], SMALL * 1.2)
        shown = range(0, len(middles), step)
        ax.set_yticks(middles[::step], [f"{cluster}  ({self.sizes[cluster]:,})" for cluster in shown])
        ax.tick_params(axis="y", length=0)
        ax.set_ylabel("cluster  (objects)", fontsize=SMALL)
        ax.set_xlabel("confidence: log-odds of the own cluster against the best other", fontsize=SMALL)
        right = ax.secondary_yaxis("right")
        right.set_yticks(middles[::step], [f"{self.in_doubt[cluster]:,}" for cluster in shown])
        right.tick_params(length=0, labelsize=SMALL, labelcolor=GREY)
        right.spines[:].set_visible(False)
        right.set_ylabel("objects in doubt", fontsize=SMALL, color=GREY)


def _profile(falling: FloatArray) -> FloatArray:
    """The values themselves, or their quantiles if there are many."""
    return falling if len(falling) <= _POINTS else np.quantile(falling, np.linspace(1, 0, _POINTS))
