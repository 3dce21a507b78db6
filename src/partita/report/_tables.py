"""A DataFrame as a table of the page: headings in words, numbers in the form that suits them, colours of clusters."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita.report._parts import MAX_TEXT, Cell, Heading, Table, clean

MAX_ROWS = 500  # rows of a table on the page; the rest is in the files beside it
MAX_COLUMNS = 40
_NONE = "\N{EN DASH}"  # where there is no value; page.js knows it
_MINUS = "\N{MINUS SIGN}"


# ---------------------------------------------------------------------------------------------------- forms of a cell
def _text(value: Any) -> Cell:
    return Cell(_NONE if _is_missing(value) else clean(value))


def _long_text(value: Any) -> Cell:
    return Cell(_NONE if _is_missing(value) else clean(value, 3 * MAX_TEXT))


def _whole(value: Any) -> Cell:
    return _number(value, lambda number: f"{number:,.0f}")


def as_decimal(value: Any) -> Cell:
    return _number(value, lambda number: f"{number:.2f}" if abs(number) < 1e5 else f"{number:.3g}")


def _precise(value: Any) -> Cell:
    return _number(value, lambda number: f"{number:.3g}")


def as_percent(value: Any) -> Cell:
    return _number(value, percent)


def _p_value(value: Any) -> Cell:
    return _number(value, p_value)


def _flag(value: Any) -> Cell:
    if _is_missing(value):
        return Cell(_NONE)
    return Cell("yes" if bool(value) else "no")


def _cluster(value: Any) -> Cell:
    """A cluster with its colour in the pictures; -1 is none."""
    from partita.plotting._colors import cluster_color

    if _is_missing(value) or int(value) < 0:
        return Cell("none" if not _is_missing(value) else _NONE, "")
    return Cell(str(int(value)), str(int(value)), cluster_color(int(value)))


def _number(value: Any, form: Callable[[float], str]) -> Cell:
    number = math.nan if _is_missing(value) else float(value)
    if math.isnan(number):
        return Cell(_NONE, "")
    if math.isinf(number):
        return Cell("∞" if number > 0 else _MINUS + "∞", "1e308" if number > 0 else "-1e308")
    return Cell(form(number).replace("-", _MINUS), f"{number:.9g}")


def _is_missing(value: Any) -> bool:
    return value is None or bool(pd.api.types.is_scalar(value) and pd.isna(value))


def percent(share: float) -> str:
    """A share in per cent; what is not 0 or 1 is not shown as such."""
    if 0 < share < 0.001:
        return "< 0.1%"
    if 0.9995 < share < 1:
        return "> 99.9%"
    return f"{100 * share:.1f}%"


def p_value(p: float) -> str:
    """A p-value with two digits."""
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


# ------------------------------------------------------------------------------------------------------------ columns
class Column(NamedTuple):
    """How a column is shown."""

    title: str
    form: Callable[[Any], Cell]
    about: str = ""


COLUMNS = {
    "id": Column("Object", _text),
    "cluster": Column("Cluster", _cluster),
    "confidence": Column(
        "Confidence", as_decimal, "log-odds of its cluster against the best other one; 0 or less: doubt"
    ),
    "vote": Column("Vote", as_percent, "share of its labels' votes that goes to its own cluster"),
    "second": Column("Second", _cluster, "the best other cluster, against which the confidence is measured"),
    "size": Column("Size", _whole, "objects in the cluster"),
    "share": Column("Share", as_percent, "part of all objects that have a cluster"),
    "consensus": Column("Consensus", as_decimal, "mean share of the clusterings that put two of its objects together"),
    "closest": Column("Closest", _cluster, "the other cluster whose objects are most often put together with its own"),
    "closest_consensus": Column(
        "With closest", as_decimal, "mean share of the clusterings that put two objects together"
    ),
    "median_confidence": Column("Median confidence", as_decimal, "of its objects"),
    "in_doubt": Column("In doubt", _whole, "objects whose labels speak for another cluster at least as much"),
    "distinguished_by": Column("Labels that most of its objects have, and few others", _long_text),
    "stability": Column("Stability", as_decimal, "mean Jaccard similarity with the most similar cluster of a resample"),
    "low": Column("Low", as_decimal, "lower end of the middle 90 % of these similarities"),
    "high": Column("High", as_decimal, "upper end of the middle 90 % of these similarities"),
    "recovered": Column("Recovered", as_percent, "part of the resamples with a similarity of at least 0.75"),
    "dissolved": Column("Dissolved", as_percent, "part of the resamples with a similarity of at most 0.5"),
    "clustering": Column("Clustering", _text),
    "n_labels": Column("Labels", _whole, "clusters of this clustering"),
    "n_objects": Column("Objects", _whole, "objects that it labels"),
    "weight": Column("Weight", _precise, "how much it counted"),
    "nmi": Column("NMI", as_decimal, "normalised mutual information with the consensus; 1 = the same, 0 = independent"),
    "adjusted_rand": Column("Adjusted Rand", as_decimal, "agreement with the consensus, corrected for chance"),
    "agreement": Column(
        "Agreement", as_decimal, "information shared with the consensus; 1 if one refines the other, 0 = chance"
    ),
    "outlier": Column("Outlier", _flag, "agrees with the consensus far less than most clusterings, or by chance only"),
    "deserved_weight": Column("Deserved weight", as_decimal, "weight in proportion to its agreement; 1 on average"),
    "n_clusters": Column("Clusters", _whole),
    "score": Column("Score", as_decimal, "the highest is chosen"),
    "shared": Column("Shared", as_decimal, "nats that two halves of the clusterings share"),
    "apart": Column("Apart", as_decimal, "nats in which the halves differ"),
    "gap": Column("Gap", as_decimal, "of the singular values behind this number"),
    "method": Column("Method", _text),
    "average_nmi": Column("Average NMI", as_decimal, "with the base clusterings"),
    "seconds": Column("Seconds", as_decimal),
    "error": Column("Error", _long_text),
    "warning": Column("Warning", _long_text),
    "annotation": Column("Annotation", _text),
    "kind": Column("Kind", _text),
    "test": Column("Test", _text),
    "statistic": Column("Statistic", _precise),
    "effect": Column("Effect", as_decimal),
    "p_value": Column("p", _p_value),
    "p_corrected": Column("p corrected", _p_value, "for the number of annotations"),
    "words": Column("In words", _long_text),
}
_LEFT = (_text, _long_text, _flag, _cluster)  # forms that begin at the left


def _column(name: str, values: "pd.Series[Any]", special: dict[str, Column]) -> Column:
    known = special.get(name) or COLUMNS.get(name)
    if known is not None:
        return known
    title = clean(name.replace("_", " "), 60)
    title = title[:1].upper() + title[1:]
    if values.dtype.kind == "b":
        return Column(title, _flag)
    if values.dtype.kind in "iu":
        return Column(title, _whole)
    return Column(title, as_decimal if values.dtype.kind == "f" else _text)


def to_table(
    frame: pd.DataFrame,
    name: str,
    title: str,
    *,
    noun: str = "rows",
    total: int | None = None,
    searchable: bool = False,
    special: dict[str, Column] | None = None,
) -> Table:
    """The first rows of a frame, with headings in words; columns without any value are left out."""
    first = frame.iloc[:MAX_ROWS, :MAX_COLUMNS]
    columns = [(_column(str(key), first[key], special or {}), first[key]) for key in first if not _is_empty(first[key])]
    cells = [[column.form(value) for value in values.tolist()] for column, values in columns]
    return Table(
        name,
        title,
        [Heading(column.title, column.form not in _LEFT, column.about) for column, _ in columns],
        [list(row) for row in zip(*cells, strict=True)],
        len(frame) if total is None else total,
        noun,
        searchable,
    )


def matrix_table(frame: pd.DataFrame, name: str, title: str) -> Table:
    """A square table of numbers with names at its side and its top."""
    first = frame.iloc[:MAX_COLUMNS, :MAX_COLUMNS]
    headings = [Heading("", False), *(Heading(clean(key, 40), True) for key in first.columns)]
    rows = [
        [Cell(clean(key, 40)), *map(as_decimal, row)] for key, row in zip(first.index, first.to_numpy(), strict=True)
    ]
    return Table(name, title, headings, rows, len(frame), row_heads=True)


def _is_empty(values: "pd.Series[Any]") -> bool:
    """Whether a column says nothing: all missing, or text without a letter."""
    if values.dtype.kind in "biuf":
        return bool(len(values)) and values.dtype.kind == "f" and bool(np.isnan(values.to_numpy()).all())
    return all(_is_missing(value) or not str(value).strip() for value in values.tolist())
