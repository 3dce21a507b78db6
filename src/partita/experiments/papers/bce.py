"""The BCE paper: tables 3 to 6, figures 3 to 8.

H. Wang, H. Shan, A. Banerjee, "Bayesian cluster ensembles", Statistical Analysis and Data Mining 4, 2011.
"""

from functools import partial
from typing import Any

import numpy as np

from partita.experiments._cells import Cell, Experiment
from partita.experiments._claims import (
    FAILS,
    HOLDS,
    Claim,
    Verdict,
    compare,
    means,
    select,
    within,
)
from partita.experiments._items import Item, Table, as_table
from partita.experiments._protocols import on_draws
from partita.experiments._stored import Stored
from partita.experiments.papers import _bce_cells as cells
from partita.experiments.papers import _bce_figures as figures
from partita.experiments.papers import _bce_tables as tables
from partita.experiments.papers._bce_tables import DATA, METHODS, MP_OF_ALL, counting_all, drawing

IN_FIGURES = ("iris", "wine", "ionosphere", "wdbc")  # the paper's figures show some of its sets; open which
_POOL_OF_20 = {"recipe": "bce", "n_clusterings": 20, "n_ensembles": 1, "size": 20}
_MARGIN = 0.02  # of micro-precision, below which a curve counts as flat


# --------------------------------------------------------------------------------------------------------- figures 3, 4
def _missing_cells(quick: bool) -> list[Cell]:
    draws = 3 if quick else 10
    options: dict[str, Any] = {"shares": [0.0, 0.45, 0.72, 0.9], "n_draws": draws} if quick else {}
    count = 4 * draws if quick else 210
    return _curve_cells("bce-missing", options, count, ("MCLA", "CSPA", "HGPA", "MM", "BCE"), quick)


def _column_cells(quick: bool) -> list[Cell]:
    options: dict[str, Any] = {"sizes": [1, 2, 5, 20], "n_draws": 5} if quick else {}
    return _curve_cells("bce-columns", options, 20 if quick else 1000, METHODS, quick)


def _curve_cells(recipe: str, options: dict[str, Any], count: int, methods: Any, quick: bool) -> list[Cell]:
    step = count if quick else -(-count // 10)
    others = {"recipe": recipe, "options": options, "base": False}
    return [
        Cell(f"{shown}/{first}", on_draws, drawing(shown, _POOL_OF_20, [first, first + step], methods) | others)
        for shown in (("iris", "wine") if quick else IN_FIGURES)
        for first in range(0, count, step)
    ]


MISSING = Experiment("bce-missing", "0 to 90 % of the labels of 20 k-means lost, ten times each", _missing_cells)
COLUMNS = Experiment("bce-columns", "1 to 20 of 20 k-means, fifty draws each", _column_cells)


def curves(over: str, metric: str, stored: Stored) -> list[Table]:
    """One table per data set: mean over the draws."""
    table = counting_all(stored.table)
    made = []
    for data, of in table[table[over].notna()].groupby("data", sort=False):
        frame = means(of, metric, over).sort_index()
        made.append(as_table(frame, title=f"{data}: mean {metric}"))
    one = table[table["method"] == "one cluster"].drop_duplicates("data")
    return [*made, as_table(one.set_index("data")[[metric]], title="One cluster")] if len(one) else made


def _flat_in_missing(method: str, stored: Stored) -> Verdict:
    """With 72 % of the labels missing, minus none missing; an object without any label counts as wrong."""
    table = counting_all(select(stored, method=method)).pivot_table(index="data", columns="missing", values=MP_OF_ALL)
    shares = table.columns.to_numpy(dtype=np.float64)
    most = table.columns[np.flatnonzero(np.isclose(shares, 0.72))[0]]
    return within(table[most] - table[0.0], _MARGIN, f"MP of {method} with 72 % missing, minus none missing")


def _gains_to_five(stored: Stored) -> Verdict:
    table = select(stored, method="BCE").pivot_table(index="data", columns="n_clusterings", values="MP")
    return compare(table[5], table[1], "5 clusterings", "1 clustering", "MP of BCE")


def _flat_from_five(stored: Stored) -> Verdict:
    table = select(stored, method="BCE").pivot_table(index="data", columns="n_clusterings", values="MP")
    return within(table[20] - table[5], _MARGIN, "MP of BCE with 20 clusterings, minus 5")


# --------------------------------------------------------------------------------------------------------- figures 5, 6
def _row_cells(quick: bool) -> list[Cell]:
    parties = [1, 2, 5] if quick else list(range(1, 11))
    return [
        Cell(
            f"{shown}/{seed}",
            cells.rows_of_parties,
            {"data": DATA[shown], "shown": shown, "seed": seed, "parties": parties},
        )
        for shown in (("iris",) if quick else IN_FIGURES)
        for seed in range(2 if quick else 10)
    ]


def _timing_cells(quick: bool) -> list[Cell]:
    sizes = (20, 60) if quick else (20, 60, 120, 240, 480, 960, 1440, 1920)
    return [Cell(f"{n}", cells.time_of_columns, {"data": "wdbc", "n_clusterings": n, "seed": 0}, n) for n in sizes]


ROWS = Experiment(
    "bce-rows", "rows of 1 to 10 parties: BCE exact and heuristic, k-means (simulated federation)", _row_cells
)
TIMING = Experiment("bce-timing", "time of column-distributed BCE, one clustering per party", _timing_cells)


def _timing_table(stored: Stored) -> list[Table]:
    frame = stored.table.drop(columns=["cell", "error"]).sort_values("n_clusterings").set_index("n_clusterings")
    frame.index = frame.index.astype(int)
    return [as_table(frame, digits=3)]


def _insensitive(method: str, stored: Stored) -> Verdict:
    """With the most parties, minus one; means over the seeds of each set."""
    table = select(stored, method=method).pivot_table(index="data", columns="n_parties", values="MP")
    most = table.columns.max()
    return within(table[most] - table[1], _MARGIN, f"MP of {method} with {most:g} parties, minus 1")


def _distributed_above(stored: Stored) -> Verdict:
    table = means(stored.table, "MP")
    return compare(table["BCE, exact"], table["k-means"], "BCE, exact", "k-means", "MP")


def _same_labels(stored: Stored) -> Verdict:
    table = stored.table
    worst = float(table["difference of bounds"].abs().max())
    figure = f"largest relative difference of the bound, distributed and in one place, from the same start: {worst:.1e}"
    return Verdict(HOLDS if worst < 1e-6 else FAILS, figure)


def _ratio_grows(stored: Stored) -> Verdict:
    """Time in one place over time of the paper's messages, for the fewest and the most clusterings."""
    table = stored.table.sort_values("n_clusterings").set_index("n_clusterings")
    told, grows = [], []
    for column in ("one place / paper's messages", "one place / distributed"):
        first, last = table[column].iloc[0], table[column].iloc[-1]
        told.append(f"{column}: {first:.2f} at {table.index[0]:g}, {last:.2f} at {table.index[-1]:g} clusterings")
        grows.append(last > 1.5 * first)
    return Verdict(HOLDS if grows[0] else FAILS, "; ".join(told))


# --------------------------------------------------------------------------------------------------------- figures 7, 8
_WEIGHTS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # of a label, in units of the number of features


def _feature_cells(quick: bool) -> list[Cell]:
    pool: dict[str, Any] = {"recipe": "gbce"} | ({"sizes": (1, 2, 5, 10), "n_draws": 4} if quick else {})
    count = 16 if quick else 500
    step = count if quick else 100
    return [
        Cell(
            f"{shown}/{first}",
            on_draws,
            drawing(shown, pool, [first, first + step], ("BCE", "GBCE"), standardise=True, base=False),
        )
        for shown in (("iris", "wine") if quick else IN_FIGURES)
        for first in range(0, count, step)
    ]


def _weight_cells(quick: bool) -> list[Cell]:
    settings = {"sizes": [2] if quick else [1, 3, 5], "draws": 4 if quick else 20, "weights": list(_WEIGHTS)}
    return [
        Cell(f"{shown}", cells.weights_of_labels, {"data": DATA[shown], "shown": shown, **settings})
        for shown in (("iris", "wine") if quick else IN_FIGURES)
    ]


FEATURES = Experiment("gbce-columns", "GBCE and BCE on 1 to 10 of 50 k-means, fifty draws each", _feature_cells)
WEIGHTS = Experiment("gbce-weights", "GBCE with weights of a label from D/8 to 8 D", _weight_cells)


def _few_columns(sizes: tuple[int, ...], stored: Stored) -> Verdict:
    table = means(select(stored, n_clusterings=list(sizes)), "MP")
    return compare(table["GBCE"], table["BCE"], "GBCE", "BCE", f"MP with {sizes[0]} to {sizes[-1]} clusterings")


def _converges(stored: Stored) -> Verdict:
    gap = {}
    for sizes in ((1, 2), (9, 10)):
        known = [size for size in sizes if size in set(stored.table["n_clusterings"])]
        table = means(select(stored, n_clusterings=known), "MP")
        gap[sizes] = (table["GBCE"] - table["BCE"]).abs()
    return compare(gap[9, 10], gap[1, 2], "9 or 10 clusterings", "1 or 2", "distance of GBCE and BCE in MP", sign=-1)


def _flat_above(stored: Stored) -> Verdict:
    table = stored.table.dropna(subset=["weight"]).pivot_table(index="data", columns="weight", values="MP")
    return within(table[8.0] - table[1.0], _MARGIN, "MP of GBCE with weight 8 D, minus D")


_FIGURE_NOTE = (
    "The paper shows some of its sets and does not give numbers. Here iris, wine, ionosphere and wdbc, one pool of"
    " 20 k-means.",
)
_LOST_NOTE = ("An object that lost all its labels has no cluster and counts as wrong.",)
_FEATURE_NOTE = (
    "Here iris, wine, ionosphere and wdbc, a pool of 50 k-means; features are standardised for k-means and for GBCE,"
    " where they are Gaussian. Unless it is varied, a label counts D, the number of features, and a feature 1 (eq."
    " R48).",
)


# ---------------------------------------------------------------------------------------------------- claims, items
_MISSING = tuple(
    Claim(f"{method} hardly changes up to about 70 % missing labels", partial(_flat_in_missing, method))
    for method in ("BCE", "MM", "CSPA", "MCLA", "HGPA")
)
_COLUMNS = (
    Claim("five clusterings are better than one", _gains_to_five),
    Claim("beyond five clusterings little changes", _flat_from_five),
)
_PARTIES = (
    Claim("exact distributed BCE does not depend on the number of parties", partial(_insensitive, "BCE, exact")),
    Claim(
        "heuristic distributed BCE does not depend on the number of parties",
        partial(_insensitive, "BCE, heuristic"),
    ),
    Claim("distributed BCE is above distributed k-means", _distributed_above),
)
_TIMING = (
    Claim("distribution by columns gives the result of one place", _same_labels),
    Claim("the gain in time grows with the number of clusterings", _ratio_grows),
)
_FEW = (
    Claim("GBCE is above BCE with one to three clusterings", partial(_few_columns, (1, 2, 3))),
    Claim("GBCE and BCE come near each other as clusterings are added", _converges),
)
_TIMING_NOTE = (
    "Parties work at the same time: a party's time counts once per exchange (the slowest). In one process.",
)
_WEIGHT = (Claim("weights above D change little", _flat_above),)


def _of_ensembles() -> list[Item]:
    """Figures 3 and 4: labels that are lost, and more clusterings."""
    return [
        Item(
            "bce-figure-3",
            "micro-precision over the share of missing labels",
            MISSING,
            partial(curves, "missing", MP_OF_ALL),
            _MISSING,
            _FIGURE_NOTE + _LOST_NOTE,
            figures.over_missing,
        ),
        Item(
            "bce-figure-4",
            "micro-precision over the number of clusterings",
            COLUMNS,
            partial(curves, "n_clusterings", "MP"),
            _COLUMNS,
            _FIGURE_NOTE,
            figures.over_columns,
        ),
    ]


def _of_parties() -> list[Item]:
    """Figures 5 and 6: rows or columns of several parties."""
    return [
        Item(
            "bce-figure-5",
            "micro-precision over the number of parties with rows",
            ROWS,
            partial(curves, "n_parties", "MP"),
            _PARTIES,
            _FIGURE_NOTE,
            figures.over_parties,
        ),
        Item(
            "bce-figure-6",
            "time of column-distributed BCE",
            TIMING,
            _timing_table,
            _TIMING,
            _TIMING_NOTE,
            figures.timing,
        ),
    ]


def _of_features() -> list[Item]:
    """Figures 7 and 8: features beside the labels."""
    return [
        Item(
            "bce-figure-7",
            "GBCE and BCE over the number of clusterings",
            FEATURES,
            partial(curves, "n_clusterings", "MP"),
            _FEW,
            _FEATURE_NOTE,
            figures.with_features,
        ),
        Item(
            "bce-figure-8",
            "GBCE over the weight of a label",
            WEIGHTS,
            partial(curves, "weight", "MP"),
            _WEIGHT,
            _FEATURE_NOTE,
            figures.over_weights,
        ),
    ]


def items() -> list[Item]:
    """The items of this paper, in the order of their numbers."""
    return [*tables.items(), *_of_ensembles(), *_of_parties(), *_of_features()]
