"""Tables and figures of the papers as items: an experiment, how its results are shown, and what the paper claims."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita.consensus._method_tables import markdown_table
from partita.experiments._cells import Experiment
from partita.experiments._claims import Claim, means, select
from partita.experiments._contestants import ONE_CLUSTER
from partita.experiments._stored import Stored

MEAN, PAPER = "mean", "paper"


class Table(NamedTuple):
    """A table to read: all cells are text."""

    header: list[str]
    rows: list[list[str]]
    title: str = ""

    def text(self) -> str:
        """As Markdown, aligned, so that it also reads well on a terminal."""
        return (f"{self.title}\n\n" if self.title else "") + markdown_table(self.header, self.rows)


class Printed(NamedTuple):
    """A value that the paper prints and that is known to us, with what it is the value of."""

    value: float
    data: str
    method: str
    metric: str
    where: dict[str, Any] = {}  # noqa: RUF012 (never changed): other columns of the measurements


class Item(NamedTuple):
    """A numbered table or figure of a paper."""

    name: str  # such as "pcc-table-4"
    title: str  # what the paper shows there
    experiment: Experiment
    tables: Callable[[Stored], list[Table]]
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()  # what is inconsistent in the paper, left open, or not to be had
    draw: Callable[[Stored], Any] | None = None  # the twin of a figure, as a matplotlib figure
    printed: tuple[Printed, ...] = ()  # single values of the paper

    @property
    def paper(self) -> str:
        """The paper, as the first part of the name."""
        return self.name.split("-")[0]


def beside_the_paper(printed: Sequence[Printed], stored: Stored) -> Table | None:
    """The paper's single values beside ours, where these were measured."""
    rows = []
    for one in printed:
        table = select(stored, data=one.data, method=one.method, **one.where)[one.metric].dropna()
        if len(table):
            ours, spread = float(table.mean()), float(table.std()) if len(table) > 1 else 0.0
            rows.append([one.data, one.method, one.metric, f"{one.value:g}", f"{ours:.3f} ± {spread:.3f}"])
    return (
        Table(["data", "method", "index", PAPER, "here"], rows, "Single values that the paper prints") if rows else None
    )


def methods_by_data(
    stored: Stored,
    metric: str,
    methods: Sequence[str],
    *,
    paper_means: dict[str, float] | None = None,
    title: str = "",
    digits: int = 2,
    **where: Any,
) -> Table:
    """One row per method, one column per data set: mean and standard deviation over the repeats.

    The last columns are the mean over the data sets, and the paper's where it is known.
    """
    table = select(stored, **where)
    present = [*methods, ONE_CLUSTER]
    mean = means(table, metric)
    spread = table.pivot_table(index="data", columns="method", values=metric, aggfunc="std", sort=False)
    data = list(mean.index)
    rows = []
    for method in (method for method in present if method in mean):
        cells = [_with_spread(mean[method], spread, method, name, digits) for name in data]
        whole = mean[method].mean() if mean[method].notna().all() else np.nan
        known = (paper_means or {}).get(method)
        rows.append([method, *cells, _rounded(whole, max(digits, 3)), *([_rounded(known, 3)] if paper_means else [])])
    header = ["method", *data, MEAN, *([f"{MEAN}, {PAPER}"] if paper_means else [])]
    return Table(header, rows, title)


def _with_spread(mean: "pd.Series[float]", spread: pd.DataFrame, method: str, name: str, digits: int) -> str:
    known = method in spread and name in spread.index
    deviation = float(spread.at[name, method]) if known else np.nan  # type: ignore[arg-type]
    shown = _rounded(float(mean[name]), digits)
    return f"{shown} ± {deviation:.{digits}f}" if shown and deviation >= 0.5 * 10**-digits else shown


def _rounded(value: float | None, digits: int) -> str:
    return "" if value is None or not np.isfinite(value) else f"{value:.{digits}f}"


def as_table(frame: pd.DataFrame, *, digits: int = 3, title: str = "") -> Table:
    """A frame as it is, with its index as the first columns."""
    flat = frame.reset_index()
    for name in frame.index.names:  # 5, not 5.000, for what is counted
        column = flat[name]
        if column.dtype.kind == "f" and (column == column.round()).all():
            flat[name] = column.astype(int)
    rows = [[_cell(value, digits) for value in row] for row in flat.itertuples(index=False, name=None)]
    return Table([str(name) for name in flat.columns], rows, title)


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, float | np.floating):
        return "" if not np.isfinite(value) else f"{value:.{digits}f}"
    return "" if value is None or value is pd.NA else str(value)
