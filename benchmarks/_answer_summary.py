"""Figures of the leaderboard: means over data sets, ranks, and paired differences with their intervals.

A data set counts once: its ensembles are averaged first. Ranks compare methods that ran on every ensemble; a method
that did not is set beside the default on the ensembles that both ran.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from benchmarks._answer_contestants import DEFAULT, REFERENCE

N_RESAMPLES = 10_000


class Line(NamedTuple):
    """One method in one selection of ensembles."""

    method: str
    rank: float | None  # mean rank by ARI; None if it did not run on all ensembles
    ari: float
    nmi: float
    right: float  # share of ensembles with the true number of clusters
    within_one: float
    above_twice: float  # share with more than twice the true number
    seconds: float  # median
    n_ensembles: int
    beside: float | None  # ARI of the default (or of the plain rule) on the same ensembles


class Difference(NamedTuple):
    """Mean difference of ARI over data sets, with a bootstrap interval of 95 %."""

    mean: float
    low: float
    high: float
    n_datasets: int


def finished(cells):
    """Cells with a result."""
    return [cell for cell in cells if cell.get("ari") is not None]


def newest(cells):
    """One cell per ensemble, method and mode: the one that was stored last."""
    return list({(cell["hash"], cell["method"], cell["mode"]): cell for cell in cells}.values())


def select(cells, *, mode=None, half=None, recipe=None):
    """Cells of a mode, a half, a recipe; None is all."""
    wanted = {"mode": mode, "half": half, "recipe": recipe}
    return [cell for cell in cells if all(value is None or cell[name] == value for name, value in wanted.items())]


def lines(cells):
    """One line per method of cells of one mode, best ARI first; those that ran on all ensembles come first."""
    done = by_method(finished(cells))
    n_ensembles = len({cell["hash"] for cell in cells})
    complete = {method: of for method, of in done.items() if len(of) == n_ensembles}
    ranks = mean_ranks(complete)
    baseline = done.get(DEFAULT) or done.get(REFERENCE) or {}
    made = [_line(method, of, ranks.get(method), baseline) for method, of in done.items()]
    return sorted(made, key=lambda line: (line.rank is None, -line.ari))


def by_method(cells):
    """For each method its cells by hash."""
    found = defaultdict(dict)
    for cell in cells:
        found[cell["method"]][cell["hash"]] = cell
    return dict(found)


def _line(method, of, rank, baseline):
    cells = list(of.values())
    common = [baseline[code] for code in of if code in baseline]
    return Line(
        method=method,
        rank=rank,
        ari=mean_over_datasets(cells, lambda cell: cell["ari"]),
        nmi=mean_over_datasets(cells, lambda cell: cell["nmi"]),
        right=mean_over_datasets(cells, lambda cell: cell["k"] == cell["classes"]),
        within_one=mean_over_datasets(cells, lambda cell: abs(cell["k"] - cell["classes"]) <= 1),
        above_twice=mean_over_datasets(cells, lambda cell: cell["k"] > 2 * cell["classes"]),
        seconds=float(np.median([cell["seconds"] for cell in cells])),
        n_ensembles=len(cells),
        beside=mean_over_datasets(common, lambda cell: cell["ari"]) if len(common) == len(cells) else None,
    )


def mean_over_datasets(cells, value):
    """The mean over data sets of the means over their ensembles."""
    return float(np.mean(list(dataset_means(cells, value).values())))


def dataset_means(cells, value):
    grouped = defaultdict(list)
    for cell in cells:
        grouped[cell["data"]].append(float(value(cell)))
    return {data: float(np.mean(values)) for data, values in sorted(grouped.items())}


def mean_ranks(complete):
    """Mean rank of every method, 1 is best, ties share their ranks; means over data sets."""
    if not complete:
        return {}
    methods = sorted(complete)
    ranked = defaultdict(list)
    for code, cell in complete[methods[0]].items():
        ranked[cell["data"]].append(rankdata([-complete[method][code]["ari"] for method in methods]))
    means = np.mean([np.mean(of, axis=0) for of in ranked.values()], axis=0)
    return dict(zip(methods, means.tolist(), strict=True))


def paired(first, second, seed=0):
    """First minus second, on the ensembles that both have; None if there are none.

    Data sets are drawn with replacement: they, and not the ensembles of one, are the sample.
    """
    theirs = {cell["hash"]: cell for cell in finished(second)}
    ours = [cell for cell in finished(first) if cell["hash"] in theirs]
    if not ours:
        return None
    values = np.array(list(dataset_means(ours, lambda cell: cell["ari"] - theirs[cell["hash"]]["ari"]).values()))
    rng = np.random.default_rng(seed)
    resampled = values[rng.integers(len(values), size=(N_RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Difference(float(values.mean()), float(low), float(high), len(values))
