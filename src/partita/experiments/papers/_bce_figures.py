"""The figures of the BCE paper, drawn from stored results."""

from typing import Any

import numpy as np
import pandas as pd

from partita._typing import FloatArray
from partita.experiments._panels import (
    Words,
    curves_of,
    draw_curves,
    log_values,
    mark_values,
    new_figure,
    nothing_stored,
    one_legend,
    retitle,
)
from partita.experiments._stored import Stored
from partita.experiments.papers._bce_tables import MP_OF_ALL, counting_all
from partita.plotting._fitting import settle

SETS = ("iris", "wine", "ionosphere", "wdbc")  # in the order in which they are drawn
_MP = "micro-precision"
_TIMES = ("one place", "distributed", "distributed, paper's messages")


def over_missing(stored: Stored) -> Any:
    """Micro-precision over the share of missing labels, one panel per data set; objects without labels are wrong."""
    words = Words("missing", MP_OF_ALL, "share of labels missing", _MP)
    return draw_curves(counting_all(stored.table), words, first=SETS)


def over_columns(stored: Stored) -> Any:
    """Micro-precision over the number of clusterings, one panel per data set."""
    return draw_curves(stored.table, Words("n_clusterings", "MP", "number of clusterings", _MP), first=SETS)


def over_parties(stored: Stored) -> Any:
    """Micro-precision over the number of parties that have rows, one panel per data set."""
    return draw_curves(stored.table, Words("n_parties", "MP", "number of parties", _MP), first=SETS)


def with_features(stored: Stored) -> Any:
    """Micro-precision of BCE and GBCE over the number of clusterings, one panel per data set."""
    return over_columns(stored)


def timing(stored: Stored) -> Any:
    """Seconds over the number of clusterings."""
    table = stored.table
    known = [name for name in _TIMES if f"{name}, seconds" in table]
    if not known:
        return nothing_stored()
    parts = [
        pd.DataFrame({"clusterings": table["n_clusterings"], "seconds": table[f"{name}, seconds"], "where": name})
        for name in known
    ]
    figure, axes = new_figure(1, height=3.4)
    display = curves_of(pd.concat(parts), x="clusterings", y="seconds", by="where", names=known)
    display.x_label, display.y_label = "number of clusterings (logarithmic)", "seconds (logarithmic)"
    display.plot(axes[0])
    retitle(axes[0], "time of a fit")
    for line, name in zip(axes[0].lines, known, strict=True):
        line.set_label(name)  # in full: the legend below has room
    _log_seconds(axes[0])
    one_legend(figure, axes)
    settle(axes[0])
    log_values(axes[0], display.x)
    return figure


def _log_seconds(ax: Any) -> None:
    """A logarithmic y axis with plain numbers."""
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullLocator

    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(FormatStrFormatter("%g"))
    ax.yaxis.set_minor_locator(NullLocator())


def over_weights(stored: Stored) -> Any:
    """Micro-precision of GBCE over the weight of a label, one panel per data set."""
    table = stored.table
    if "weight" not in table:
        return nothing_stored()
    sizes = table["n_clusterings"].fillna(0).astype(int)
    named = table.assign(clusterings=[f"{size} clustering{'' if size == 1 else 's'}" for size in sizes])
    named = named.iloc[np.argsort(sizes.to_numpy(), kind="stable")]
    words = Words("weight", "MP", "weight of a label (D: number of features)", _MP)
    return draw_curves(named, words, by="clusterings", first=SETS, finish=_in_units_of_d)


def _in_units_of_d(ax: Any, values: FloatArray) -> None:
    """Weights as D/8, D/4, ..., 8D on a logarithmic axis."""
    ax.set_xscale("log", base=2)
    mark_values(ax, values, [_times_d(float(value)) for value in values])


def _times_d(weight: float) -> str:
    if weight < 1 and (1 / weight).is_integer():
        return f"D/{1 / weight:.0f}"
    return "D" if weight == 1 else f"{weight:g}D"
