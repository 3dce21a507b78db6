"""Display of a value of each cell on an embedding."""

from typing import Any, Self

import numpy as np

from partita._typing import FloatArray, IntArray
from partita.plotting._display import GREY, SMALL, Display, say
from partita.plotting._fitting import caption, clean

_COLORS = "cividis"  # from dark blue to yellow: all readers see it alike, and both ends stand out from white
_RASTER = 500  # points above which they are drawn as pixels


class ValueDisplay(Display):
    """Cells as points, coloured by a value; low confidence, or high membership, is drawn on top.

    Parameters
    ----------
    coordinates : ndarray of shape (n_drawn, 2)
        Where the cells are.
    values : ndarray of shape (n_drawn,)
        What their colours say; grey where it is missing.
    objects : ndarray of shape (n_drawn,)
        Their numbers.
    title : str
        What the value is.
    limits : (float, float), optional
        Ends of the scale; by default 0, or the lowest value, and the 95th percentile.
    axis_labels : (str, str), default=("", "")
        Names of the two axes.
    note : str, default=""
        Written on the figure.

    Attributes
    ----------
    coordinates, values, objects, title, limits, axis_labels, note
        As passed.
    figure_, ax_ : matplotlib Figure and Axes
        After ``plot``.
    """

    def __init__(
        self,
        coordinates: FloatArray,
        values: FloatArray,
        objects: IntArray,
        *,
        title: str,
        limits: tuple[float, float] | None = None,
        axis_labels: tuple[str, str] = ("", ""),
        note: str = "",
    ) -> None:
        self.coordinates = coordinates
        self.values = values
        self.objects = objects
        self.title = title
        self.limits = limits
        self.axis_labels = axis_labels
        self.note = note

    def plot(self, ax: Any = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        """
        ax = self._begin(ax, (6.8, 5.4))
        unknown = np.isnan(self.values)
        caption(ax, self.title, ["grey: no cluster" if unknown.any() else "", self.note])
        if unknown.all():
            say(ax, "No cell has a value.")
            return self
        clean(ax)
        ax.set_xlabel(self.axis_labels[0], fontsize=SMALL)
        ax.set_ylabel(self.axis_labels[1], fontsize=SMALL)
        low, high = self._ends()
        size, pixels = _point_size(len(self.values)), len(self.values) > _RASTER
        ax.scatter(*self.coordinates[unknown].T, s=size, color=GREY, linewidths=0, rasterized=pixels, zorder=1)
        known = np.flatnonzero(~unknown)
        order = known[np.argsort(self.values[known] * (1 if self.limits else -1), kind="stable")]
        points = ax.scatter(
            *self.coordinates[order].T, c=self.values[order].clip(low, high), s=size, cmap=_COLORS, vmin=low, vmax=high,
            linewidths=0, rasterized=pixels, zorder=2,
        )  # fmt: skip
        bar = self.figure_.colorbar(points, ax=ax, fraction=0.04, pad=0.02)
        bar.ax.tick_params(labelsize=SMALL)
        bar.outline.set_visible(False)
        return self

    def _ends(self) -> tuple[float, float]:
        """Ends of the scale; infinite values do not stretch it."""
        if self.limits is not None:
            return self.limits
        finite = self.values[np.isfinite(self.values)]
        if len(finite) == 0:
            return 0.0, 1.0
        low, high = min(0.0, float(finite.min())), float(np.quantile(finite, 0.95))
        return low, high if high > low else low + 1.0


def _point_size(n: int) -> float:
    """Area of a point in square points."""
    return float(np.clip(30_000 / max(n, 1), 1.5, 40))
