"""Display of the clusters as points in two dimensions."""

from typing import Any, Self

import numpy as np
import pandas as pd

from partita._labels.membership import as_numbers
from partita._typing import Codes, FloatArray, IntArray
from partita.plotting._colors import cluster_color, cluster_marker
from partita.plotting._display import MAX_OBJECTS, SMALL, USUAL, ResultDisplay, draw_objects, say, shorten
from partita.plotting._fitting import caption, clean, fit_in, legend_beside, settle
from partita.results import ConsensusResult
from partita.results._frames import in_order_of

_FAINT = 0.25  # opacity of objects in doubt
_RASTER = 500  # points above which they are drawn as pixels: the file stays small
_COLORS_ONLY = 10  # clusters up to which colours are enough
_FEW_MARKS = 3  # places of a cluster up to which its number stands beside them
_NUMBERED = 60  # clusters, the largest ones, that are numbered: a legend of more would fill the figure


class ScatterDisplay(ResultDisplay):
    """Objects as points, coloured by cluster and faint where the consensus is in doubt.

    Without coordinates of your own, the points are the first two principal components of the labels: every label is a
    column that is 1 for its objects and 0 for the others, missing labels are replaced by the mean.

    Parameters
    ----------
    coordinates : ndarray of shape (n_drawn, 2)
        Where the objects are.
    labels : ndarray of shape (n_drawn,)
        Their clusters; -1 = none.
    confidence : ndarray of shape (n_drawn,)
        Log-odds of their clusters.
    objects : ndarray of shape (n_drawn,)
        Their numbers.
    axis_labels : (str, str), default=("", "")
        Names of the two axes.
    note : str, default=""
        Written on the figure.

    Attributes
    ----------
    coordinates, labels, confidence, objects, axis_labels, note
        As passed.
    opacity : ndarray of shape (n_drawn,)
        0.25 where the confidence is 0 or less, 1 where it is at least the median of all that are positive.
    figure_, ax_ : matplotlib Figure and Axes
        After ``plot``.

    Examples
    --------
    >>> from partita.plotting import ScatterDisplay
    >>> X = [[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]  # three clusterings
    >>> display = ScatterDisplay.from_labels(X, [0, 0, 0, 1, 1])
    >>> display.coordinates.shape, display.axis_labels[0]
    ((5, 2), 'component 1 of the labels (86 % of the variance)')
    """

    def __init__(
        self,
        coordinates: FloatArray,
        labels: IntArray,
        confidence: FloatArray,
        objects: IntArray,
        *,
        axis_labels: tuple[str, str] = ("", ""),
        note: str = "",
    ) -> None:
        self.coordinates = coordinates
        self.labels = labels
        self.confidence = confidence
        self.objects = objects
        self.axis_labels = axis_labels
        self.note = note
        self.opacity = _opacity(confidence)

    @classmethod
    def from_result(  # type: ignore[override]
        cls,
        result: ConsensusResult,
        *,
        coordinates: Any = None,
        max_objects: int | None = MAX_OBJECTS,
        seed: int = 0,
    ) -> Self:
        """Compute the display of a result.

        Parameters
        ----------
        result : ConsensusResult
            From :func:`partita.combine`, or of a fitted estimator.
        coordinates : array or DataFrame of shape (n_samples, 2), optional
            Where the objects are; column names become names of the axes. Objects without a number are left out.
        max_objects : int or None, default=2000
            Objects that are drawn; of more a sample, by cluster.
        seed : int, default=0
            Seed of the sample.
        """
        labels, confidence = result.labels, result.confidence
        if coordinates is None:
            drawn, note = draw_objects(labels, max_objects, seed)
            judged = result._judged
            places, shares = _components(judged.codes_of(drawn), judged.ensemble.clustering_weights)
            words = [
                f"component {j + 1} of the labels ({100 * share:.0f} % of the variance)"
                for j, share in enumerate(shares)
            ]
            axes = (words[0], words[1])
        else:
            given, axes = _check_coordinates(coordinates, len(labels), getattr(result.estimator, "index_", None))
            known = np.flatnonzero(np.isfinite(given).all(axis=1))
            chosen, note = draw_objects(labels[known], max_objects, seed)
            drawn = known[chosen]
            places = given[drawn]
            left_out = len(labels) - len(known)
            lost = f"{left_out:,} object{'' if left_out == 1 else 's'} without coordinates left out" if left_out else ""
            note = "; ".join(filter(None, [note, lost]))
        return cls(places, labels[drawn], confidence[drawn], drawn, axis_labels=axes, note=note)

    # ---------------------------------------------------------------------------------------------------------- drawing
    def plot(self, ax: Any = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        """
        ax = self._begin(ax, (6.8, 5.4))
        places, labels, opacity, counts = self._merged()
        faint = "faint: low confidence" if (opacity[labels >= 0] < 1).any() else ""
        larger = "larger: several objects at one place" if counts.max(initial=1) > 1 else ""
        grey = "grey: no cluster" if (labels < 0).any() else ""
        caption(ax, "Clusters of the objects", [faint, larger, grey, self.note])
        if len(labels) == 0:
            say(ax, "No object has coordinates.")
            return self
        clean(ax)
        ax.set_xlabel(shorten(self.axis_labels[0], 60), fontsize=SMALL)
        ax.set_ylabel(shorten(self.axis_labels[1], 60), fontsize=SMALL)
        sizes = _point_size(len(labels)) * np.sqrt(counts) * np.where(labels < 0, 2.5, 1.0)  # "." is a small mark
        clusters = [int(cluster) for cluster in np.unique(labels)]
        for cluster in clusters:
            inside = labels == cluster
            ax.scatter(
                *places[inside].T, s=sizes[inside], alpha=opacity[inside], color=cluster_color(cluster), linewidths=0,
                marker=self._marker(cluster), rasterized=len(labels) > _RASTER, zorder=2 if cluster >= 0 else 1,
            )  # fmt: skip
        self._number([cluster for cluster in clusters if cluster >= 0])
        return self

    def _merged(self) -> tuple[FloatArray, IntArray, FloatArray, IntArray]:
        """Points that differ in place or cluster, with the mean opacity and the number of their objects."""
        both = np.column_stack([self.coordinates, self.labels]) if len(self.labels) else np.empty((0, 3))
        points, inverse, counts = np.unique(both, axis=0, return_inverse=True, return_counts=True)
        opacity = np.bincount(inverse.ravel(), weights=self.opacity, minlength=len(points)) / np.maximum(counts, 1)
        return points[:, :2], points[:, 2].astype(np.int64), opacity, counts

    def _marker(self, cluster: int) -> str:
        return cluster_marker(cluster) if self.labels.max() >= _COLORS_ONLY else "o" if cluster >= 0 else "."

    def _name(self, cluster: int) -> str:
        return str(cluster)

    def _number(self, clusters: list[int]) -> None:
        """Numbers at the middle of the clusters; a legend, too, if some of them would cover others."""
        from matplotlib.lines import Line2D
        from matplotlib.patheffects import withStroke

        clusters = clusters[:_NUMBERED]
        middles = [np.median(self.coordinates[self.labels == cluster], axis=0) for cluster in clusters]
        texts = []
        for cluster, middle in zip(clusters, middles, strict=True):
            marks = np.unique(self.coordinates[self.labels == cluster], axis=0)
            away = (0, 0) if len(marks) > _FEW_MARKS else (8, 8)  # a number would hide the marks of a small cluster
            texts.append(
                self.ax_.annotate(
                    self._name(cluster), middle, xytext=away, textcoords="offset points", ha="center", va="center",
                    fontsize=USUAL, fontweight="bold", zorder=4, annotation_clip=False,
                    path_effects=[withStroke(linewidth=3, foreground="white")],
                )
            )  # fmt: skip
        settle(self.ax_)
        if _drop_overlapping(texts):
            handles = [
                Line2D(
                    [],
                    [],
                    linestyle="",
                    marker=self._marker(c),
                    color=cluster_color(c),
                    label=self._name(c),
                    markersize=6,
                )
                for c in clusters
            ]
            legend_beside(self.ax_, handles, "cluster")
            settle(self.ax_)  # the legend has made the axes narrower
            _drop_overlapping([text for text in texts if text.axes is not None])


def _drop_overlapping(texts: list[Any]) -> bool:
    """Remove texts that cover an earlier one; whether there were any."""
    taken: list[Any] = []
    dropped = False
    for text in texts:
        box = text.get_window_extent()
        if fit_in(box, taken):
            taken.append(box)
        else:
            text.remove()
            dropped = True
    return dropped


def _point_size(n: int) -> float:
    """Area of a point in square points: many are small, and more than a picture usually shows are smaller still."""
    return float(np.clip(6000 / max(n, 1), 9, 60) * np.clip(MAX_OBJECTS / max(n, 1), 0.15, 1))


# ------------------------------------------------------------------------------------------------------- what is drawn
def _opacity(confidence: FloatArray) -> FloatArray:
    """Between faint for objects in doubt and full from the median of the positive values on."""
    positive = confidence[np.isfinite(confidence) & (confidence > 0)]
    if len(positive) == 0:
        return np.where(confidence > 0, 1.0, _FAINT)
    share = np.nan_to_num(confidence / np.median(positive), nan=0.0, posinf=1.0, neginf=0.0).clip(0, 1)
    return np.asarray(_FAINT + (1 - _FAINT) * share)


def _components(codes: Codes, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """First two principal components of the labels of some objects, and their shares of the variance."""
    table = _centred_labels(codes, weights)
    n, t = table.shape
    smaller = table @ table.T if n <= t else table.T @ table
    values, vectors = np.linalg.eigh(smaller)
    values, vectors = values[::-1][:2].clip(0), vectors[:, ::-1][:, :2]
    scores = vectors * np.sqrt(values) if n <= t else table @ vectors
    places, shares = np.zeros((n, 2)), np.zeros(2)
    places[:, : scores.shape[1]] = scores
    shares[: len(values)] = values / max(float((table**2).sum()), 1e-300)
    places[:, shares < 1e-12] = 0.0  # rounding
    largest = np.abs(places).round(9).argmax(axis=0)
    places *= np.where(places[largest, [0, 1]] < 0, -1.0, 1.0)  # the same sign on all machines
    return places.round(9) + 0.0, shares


def _centred_labels(codes: Codes, weights: FloatArray) -> FloatArray:
    """Indicators of all labels minus their means, 0 where a label is missing, times the root of the weights."""
    columns = [np.zeros((len(codes), 1))]
    for column, weight in zip(codes.T, weights, strict=True):
        seen = column >= 0
        found = np.unique(column[seen])
        hot = (column[:, None] == found).astype(np.float64)
        hot -= hot.sum(axis=0) / max(int(seen.sum()), 1)
        columns.append(np.sqrt(weight) * np.where(seen[:, None], hot, 0.0))
    return np.hstack(columns)


def _check_coordinates(coordinates: Any, n: int, index: Any) -> tuple[FloatArray, tuple[str, str]]:
    """Two numbers per object, and the names of the columns; a frame is put in the order of the objects."""
    if isinstance(coordinates, pd.DataFrame) and len(coordinates) == n:
        coordinates = in_order_of(coordinates, index, "coordinates")
    places = as_numbers(coordinates, "coordinates")
    if places.shape != (n, 2):
        raise ValueError(f"coordinates has shape {places.shape}; pass one row of two numbers per object, ({n}, 2).")
    names = [str(name) for name in getattr(coordinates, "columns", ("", ""))]
    return places, (names[0], names[1])
