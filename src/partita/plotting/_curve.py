"""Display of curves: a quantity over a parameter, with its spread, for several methods."""

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from partita._checks import check_choice
from partita.plotting._colors import cluster_color, cluster_marker
from partita.plotting._curve_fits import QUANTITIES, Over, measure
from partita.plotting._display import MAX_OBJECTS, SMALL, Display, shorten
from partita.plotting._fitting import caption, clean, legend_beside
from partita.results._frames import as_frame

Spread = Literal["std", "quartiles", "standard_error"]
_SPREADS = {
    "std": "bands: one standard deviation",
    "quartiles": "lines: medians, bands: quartiles",
    "standard_error": "bands: one standard error of the mean",
}
_MAX_OF_PAIRS = 500  # objects: PCC of so many fits of chosen pairs would take minutes with more
_STYLES = ("-", "--", "-.", ":")


class CurveDisplay(Display):
    """A quantity over a parameter with its spread, one curve per method.

    Parameters
    ----------
    x : array-like of shape (n_values,)
        Values of the parameter.
    y : array-like of shape (n_curves, n_values) or (n_values,)
        The quantity; NaN = not measured.
    low, high : array-like of the shape of y, optional
        Ends of the band around each curve.
    names : list of str, optional
        Names of the curves.
    x_label, y_label, title, note : str
        Written on the figure.

    Attributes
    ----------
    x, y, low, high, names, x_label, y_label, title, note
        As passed; ``y``, ``low`` and ``high`` have two dimensions.
    figure_, ax_ : matplotlib Figure and Axes
        After ``plot``.

    Examples
    --------
    >>> from partita.plotting import CurveDisplay
    >>> rows = {"k": [2, 2, 3, 3], "score": [0.8, 0.6, 0.9, 0.9]}
    >>> display = CurveDisplay.from_table(rows, x="k", y="score")
    >>> display.x, display.y.round(2), display.low.round(2)
    (array([2., 3.]), array([[0.7, 0.9]]), array([[0.56, 0.9 ]]))
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        low: Any = None,
        high: Any = None,
        *,
        names: Sequence[str] | None = None,
        x_label: str = "",
        y_label: str = "",
        title: str = "",
        note: str = "",
    ) -> None:
        self.x = np.asarray(x, dtype=np.float64)
        self.y = np.atleast_2d(np.asarray(y, dtype=np.float64))
        self.low = self.y if low is None else np.atleast_2d(np.asarray(low, dtype=np.float64))
        self.high = self.y if high is None else np.atleast_2d(np.asarray(high, dtype=np.float64))
        self.names = [""] * len(self.y) if names is None else [str(name) for name in names]
        wanted = (len(self.names), self.x.size)
        for values, what in ((self.y, "y"), (self.low, "low"), (self.high, "high")):
            if self.x.ndim != 1 or values.shape != wanted:
                raise ValueError(
                    f"{what} has shape {values.shape}; pass one row per name and one column per x, {wanted}."
                )
        self.x_label = x_label
        self.y_label = y_label
        self.title = title
        self.note = note

    @classmethod
    def from_table(cls, frame: Any, *, x: str, y: str, by: str | None = None, spread: Spread = "std") -> Self:
        """Compute the curves of a table with one row per measurement.

        Parameters
        ----------
        frame : DataFrame or dict of columns
            Rows that have the same ``x`` and ``by`` are repeats.
        x, y : str
            Columns of the parameter and of the quantity, both numbers; rows without one of them are left out.
        by : str, optional
            Column of the method: one curve per value.
        spread : {"std", "quartiles", "standard_error"}, default="std"
            The band: mean and standard deviation, median and quartiles, or mean and its standard error.
        """
        check_choice("spread", spread, _SPREADS)
        table = _check_table(frame, x, y, by)
        groups = table.groupby("curve", sort=False)
        parts = [_summary(part.groupby("x")["y"], spread) for _, part in groups]
        values = np.unique(table["x"])
        middle, low, high = (np.array([part[column].reindex(values) for part in parts]) for column in range(3))
        repeated = bool((table.groupby(["curve", "x"]).size() > 1).any())
        names = [str(name) for name, _ in groups] if by is not None else None
        note = _SPREADS[spread] if repeated else ""
        return cls(values, middle, low, high, names=names, x_label=x, y_label=y, title=f"{y} by {x}", note=note)

    @classmethod
    def from_labels(
        cls,
        X: Any,
        over: Over = "columns",
        *,
        methods: Any = ("lwgp", "eac"),
        values: Any = None,
        n_repeats: int = 5,
        n_clusters: Any = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
        max_objects: int | Literal["auto"] | None = "auto",
    ) -> Self:
        """Measure how a consensus changes with the ensemble, or with the number of clusters.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
        over : {"columns", "missing", "n_clusters", "pairs"}, default="columns"
            "columns": adjusted Rand index of the consensus of so many clusterings, drawn at random, with that of all.
            "missing": the same after hiding that share of the labels at random. "n_clusters": average NMI of the
            consensus with the clusterings, for every number of clusters. "pairs": adjusted Rand index of PCC with that
            share of the pairs with PCC of all pairs; ``methods`` is then not used.
        methods : sequence of str or estimators, or dict of name and method, default=("lwgp", "eac")
            Names of `partita methods`.
        values : sequence of numbers, optional
            Numbers of clusterings, shares in [0, 1) or (0, 1], or numbers of clusters.
        n_repeats : int, default=5
            Measurements of each value, with other draws or seeds.
        n_clusters : int or "auto", default="auto"
            Number of clusters; "auto" takes the one that :func:`partita.combine` finds. Not used by "n_clusters".
        random_state : int, RandomState, Generator or None
            Seed of all that is random.
        n_jobs : int, optional
            Number of threads; -1 uses all cores. The result does not depend on it.
        max_objects : int, "auto" or None, default="auto"
            Of more objects a sample is drawn at random; "auto" is 2000, and 500 for "pairs".
        """
        if max_objects == "auto":
            max_objects = _MAX_OF_PAIRS if over == "pairs" else MAX_OBJECTS
        measured = measure(
            X, over, methods=methods, values=values, n_repeats=n_repeats, n_clusters=n_clusters,
            random_state=random_state, n_jobs=n_jobs, max_objects=max_objects,
        )  # fmt: skip
        display = cls.from_table(measured.table, x="value", y="score", by="method")
        words = QUANTITIES[over]
        display.title, display.x_label, display.y_label = words.title, words.x, words.y
        display.note = "; ".join(filter(None, [display.note, measured.note]))
        return display

    # ---------------------------------------------------------------------------------------------------------- drawing
    def plot(self, ax: Any = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        """
        ax = self._begin(ax, (7.0, 4.2))
        caption(ax, shorten(self.title, 60), [self.note])
        clean(ax, grid="y")
        handles = [self._draw_curve(ax, place) for place in range(len(self.names))]
        ax.set_xlabel(shorten(self.x_label, 60), fontsize=SMALL)
        ax.set_ylabel(shorten(self.y_label, 60), fontsize=SMALL)
        ax.margins(x=0.03, y=0.06)
        if np.array_equal(self.x, np.round(self.x)):
            from matplotlib.ticker import MaxNLocator

            ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        if any(self.names):
            legend_beside(ax, handles)
        return self

    def _draw_curve(self, ax: Any, place: int) -> Any:
        """One curve with its band, told apart by colour, line and mark."""
        known = np.isfinite(self.y[place])
        color, x = cluster_color(place), self.x[known]
        low, high = self.low[place][known], self.high[place][known]
        if (low < high).any():
            ax.fill_between(x, low, high, color=color, alpha=0.16, linewidth=0)
        (line,) = ax.plot(
            x, self.y[place][known], color=color, linestyle=_STYLES[place % len(_STYLES)], marker=cluster_marker(place),
            markersize=5, linewidth=1.6, label=shorten(self.names[place]),
        )  # fmt: skip
        return line


# --------------------------------------------------------------------------------------------------------------- tables
def _check_table(frame: Any, x: str, y: str, by: str | None) -> pd.DataFrame:
    """Measurements with the columns x, y and curve, without incomplete rows."""
    given = as_frame(frame)
    for name in (x, y) if by is None else (x, y, by):
        if name not in given.columns:
            known = ", ".join(repr(column) for column in given.columns)
            raise ValueError(f"there is no column {name!r:.60}; pass one of {known:.200}.")
    try:
        table = pd.DataFrame({"x": given[x].astype(np.float64), "y": given[y].astype(np.float64)})
    except (TypeError, ValueError):
        raise ValueError(f"columns {x!r:.60} and {y!r:.60} must be numbers; encode other values first.") from None
    table["curve"] = "" if by is None else given[by].astype(str)
    kept: pd.DataFrame = table.loc[np.isfinite(table["x"]) & np.isfinite(table["y"])]
    if kept.empty:
        raise ValueError(f"no row of the {len(table)} has both {x!r:.60} and {y!r:.60}; pass at least one.")
    return kept


def _summary(repeats: Any, spread: str) -> list["pd.Series[float]"]:
    """Middle, lower and upper end of the band for every x; a single measurement has no spread."""
    if spread == "quartiles":
        return [repeats.median(), repeats.quantile(0.25), repeats.quantile(0.75)]
    mean, width = repeats.mean(), (repeats.std() if spread == "std" else repeats.sem()).fillna(0.0)
    return [mean, mean - width, mean + width]
