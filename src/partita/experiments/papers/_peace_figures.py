"""The figures of the PEACE paper, drawn from stored results."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from partita._typing import FloatArray
from partita.experiments._contestants import ONE_CLUSTER
from partita.experiments._panels import (
    Heatmap,
    as_classes,
    as_shares,
    draw_heatmaps,
    draw_sketches,
    new_figure,
    nothing_stored,
    one_legend,
    retitle,
)
from partita.experiments._stored import Stored
from partita.plotting._colors import cluster_color
from partita.plotting._display import SMALL, Display, shorten
from partita.plotting._fitting import caption, clean, legend_beside

METHODS = ("PEACE", "BE", "EAC-SL", "EAC-AL")
ENSEMBLES = ("peace-1", "peace-2")
# in the order in which they are drawn, the first four as co-associations
SETS = (
    "spiral", "image-c", "iris", "wine", "house-votes", "ionosphere", "std-yeast-cell", "breast-cancer", "optdigits",
)  # fmt: skip
_MOST = 4  # data sets of a figure of co-associations
_HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----")
_DARK = "#333333"  # of the lines on bars
_WORDS = {"H": "consistency index CI", "F1": "F1"}


# ------------------------------------------------------------------------------------------------------ figures 1, 2, 4
def sketches(stored: Stored) -> Any:
    """The points of the two synthetic sets."""
    known = [(name, *(stored.array(what, f"{name}/peace-1") for what in ("points", "classes"))) for name in SETS[:2]]
    return draw_sketches([one for one in known if one[1] is not None])


def in_vat_order(stored: Stored) -> Any:
    """Co-associations in VAT order: ensembles by data sets."""
    return _heatmaps(stored, "vat")


def in_class_order(stored: Stored) -> Any:
    """Co-associations in the order of the classes: ensembles by data sets."""
    return _heatmaps(stored, "ordered")


def _heatmaps(stored: Stored, name: str) -> Any:
    known = [one for one in SETS if any(stored.array(name, f"{one}/{recipe}") is not None for recipe in ENSEMBLES)]
    known = known[:_MOST]
    shown = [_heatmap(stored, name, one, recipe, known) for recipe in ENSEMBLES for one in known]
    return draw_heatmaps(shown, columns=max(2, len(known)))


def _heatmap(stored: Stored, name: str, data: str, recipe: str, known: list[str]) -> Heatmap | None:
    """A panel of a row of data sets, or of two side by side if there is but one set; None: not stored."""
    similarity, classes = (stored.array(what, f"{data}/{recipe}") for what in (name, f"{name} classes"))
    if similarity is None or classes is None:
        return None
    words = f"ensemble {recipe[-1]}"
    title, side = (f"{data}, {words}", "") if len(known) == 1 else (data, words if data == known[0] else "")
    return Heatmap(title, as_shares(similarity), as_classes(classes), side)


# ------------------------------------------------------------------------------------------------------------- figure 3
def bars(stored: Stored) -> Any:
    """CI and F1 of the methods on the data sets, ensembles 1 and 2."""
    table = stored.table
    if not {"data", "recipe", "method", "H", "F1"} <= set(table.columns):
        return nothing_stored()
    recipes = [recipe for recipe in ENSEMBLES if (table["recipe"] == recipe).any()]
    figure, axes = new_figure(2 * len(recipes), columns=len(recipes), height=2.5, width=8.5)
    wanted = [(metric, recipe) for metric in _WORDS for recipe in recipes]
    displays = [_bars_of(table, metric, recipe) for metric, recipe in wanted]
    top = 1.02 * max(1.0, *(float(np.nanmax(one.y + np.nan_to_num(one.spread))) for one in displays))
    for place, (ax, display, (metric, recipe)) in enumerate(zip(axes, displays, wanted, strict=True)):
        display.y_label = _WORDS[metric] if place % len(recipes) == 0 else ""
        display.plot(ax)
        retitle(ax, f"{_WORDS[metric].split()[-1]}, ensemble {recipe[-1]}")
        ax.set_ylim(top=top)
        if metric == "H":
            ax.set_xticklabels([])  # they stand below the second row
    ranged = any(np.isfinite(display.spread).any() for display in displays)
    one_legend(figure, axes, "thin lines: one standard deviation over the ensembles" if ranged else "")
    return figure


def _bars_of(table: pd.DataFrame, metric: str, recipe: str) -> "BarDisplay":
    """Means over the ensembles of a recipe, their standard deviations, and what one cluster scores."""
    known = set(table["data"])
    data = [name for name in SETS if name in known]
    names = [name for name in METHODS if (table["method"] == name).any()]
    of = table[table["recipe"] == recipe].groupby(["method", "data"])[metric]
    mean, std = (
        values.unstack("data").reindex(index=[*names, ONE_CLUSTER], columns=data).to_numpy(dtype=np.float64)
        for values in (of.mean(), of.std())
    )
    return BarDisplay(mean[:-1], std[:-1], names=names, groups=data, reference=mean[-1], reference_name=ONE_CLUSTER)


class BarDisplay(Display):
    """Bars side by side, one group per data set and one bar per method.

    Parameters
    ----------
    y : array-like of shape (n_names, n_groups)
        Heights of the bars; NaN = not measured.
    spread : array-like of shape (n_names, n_groups), optional
        Half the length of the line on each bar; NaN = none.
    names, groups : list of str
        What the bars and the groups are.
    reference : array-like of shape (n_groups,), optional
        A height to compare with in each group; NaN = none.
    reference_name : str
        What it is.
    y_label, title, note : str
        Written on the figure.

    Attributes
    ----------
    y, spread, names, groups, reference, reference_name, y_label, title, note
        As passed.
    figure_, ax_ : matplotlib Figure and Axes
        After ``plot``.
    """

    def __init__(
        self,
        y: Any,
        spread: Any = None,
        *,
        names: Sequence[str],
        groups: Sequence[str],
        reference: Any = None,
        reference_name: str = "",
        y_label: str = "",
        title: str = "",
        note: str = "",
    ) -> None:
        self.y: FloatArray = np.asarray(y, dtype=np.float64)
        self.spread = np.full(self.y.shape, np.nan) if spread is None else np.asarray(spread, dtype=np.float64)
        self.names, self.groups = list(names), list(groups)
        self.reference = None if reference is None else np.asarray(reference, dtype=np.float64)
        self.reference_name = reference_name
        wanted = (len(self.names), len(self.groups))
        for values, what in ((self.y, "y"), (self.spread, "spread")):
            if values.shape != wanted:
                raise ValueError(
                    f"{what} has shape {values.shape}; pass one row per name and one column per group, {wanted}."
                )
        self.y_label = y_label
        self.title = title
        self.note = note

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
        places, width = np.arange(len(self.groups), dtype=np.float64), 0.84 / max(len(self.names), 1)
        for row in range(len(self.names)):
            self._draw_bars(ax, row, places + (row - (len(self.names) - 1) / 2) * width, width)
        if self.reference is not None:
            name = self.reference_name
            ax.hlines(self.reference, places - 0.46, places + 0.46, color="black", linewidth=1.2, label=name, zorder=3)
        ax.set_xticks(places, [shorten(group) for group in self.groups], rotation=90, fontsize=SMALL)
        ax.tick_params(axis="x", length=0)
        ax.set_xlim(-0.6, len(self.groups) - 0.4)
        ax.set_ylim(bottom=0.0)
        ax.set_ylabel(shorten(self.y_label, 60), fontsize=SMALL)
        legend_beside(ax, ax.get_legend_handles_labels()[0])
        return self

    def _draw_bars(self, ax: Any, row: int, places: FloatArray, width: float) -> None:
        """The bars of one method, told apart by colour and hatch, with their lines."""
        known = np.isfinite(self.y[row])
        heights, spread = self.y[row][known], self.spread[row][known]
        ax.bar(
            places[known], heights, width, color=cluster_color(row), hatch=_HATCHES[row % len(_HATCHES)],
            edgecolor="white", linewidth=0.4, label=shorten(self.names[row]),
        )  # fmt: skip
        ranged = np.isfinite(spread)
        where, lengths = places[known][ranged], spread[ranged]
        ax.errorbar(where, heights[ranged], lengths, fmt="none", ecolor=_DARK, elinewidth=0.8, capsize=1.5)
