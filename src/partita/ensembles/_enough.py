"""Whether there are enough clusterings: how far two disjoint parts of them lead to the same answer.

A(s) = mean adjusted Rand index between the consensus of s clusterings and that of s others               (eq. I90)
log A(s) / (1 - A(s)) = a + b log s, by least squares: A at all clusterings, the number for a level       (eq. I91)
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._checks import check_count, check_share
from partita._labels.validation import check_label_matrix
from partita._runs import check_run, draw_seeds, in_order, progress
from partita._typing import FloatArray, IntArray
from partita.metrics._agreement_matrix import agreement_matrix
from partita.results import ConsensusResult, combine
from partita.results._rows import SampledLabels, sample_of
from partita.results._stability import Refits, plan_refits, refit

SAMPLE = 1000  # objects that are combined again and again, as in ConsensusResult.stability
_FEWEST = 4  # clusterings: two parts of two
_N_SIZES = 5  # of the default
_FLAT = 0.1  # slope below which the curve does not rise: ten times as many clusterings raise the odds by a quarter
_INSIDE = (0.02, 0.999)  # agreements that have log-odds; below is no agreement at all
_FAR = 20  # times the clusterings that there are: what a curve says beyond that is no more than a guess
_BETWEEN, _WITH_ALL = "other clusterings", "all clusterings"


@dataclass(frozen=True, eq=False)
class Enough:
    """How the consensus depends on the number of clusterings.

    Attributes
    ----------
    verdict : {"enough", "probably", "more", "unclear"}
        "enough": halves of the clusterings agree. "probably": by the curve, two ensembles as large as this one would.
        "more": by the curve, ``needed`` clusterings would be enough. "unclear": the agreement does not rise with the
        number of clusterings, or there are too few to tell.
    needed : int or None
        How many clusterings reach the level by the curve; None if it does not tell.
    table : DataFrame
        One row per size: ``n_clusterings``, ``agreement`` (mean adjusted Rand index between the consensus of so many
        and that of as many others), ``low`` and ``high`` (its quartiles), ``with_all`` (with the consensus of all, of
        which they are a part), ``same_number`` (share that finds the number of clusters of all) and ``n_clusters`` (the
        number that is found most often).
    measurements : DataFrame
        One row per measurement: ``n_clusterings``, ``compared_with``, ``agreement`` and ``n_clusters``, for a picture.
    n_clusterings, n_clusters : int
        Of the whole ensemble; clusters at which all are compared.
    level : float
        Agreement that counts as the same answer.
    summary : str
        The verdict in words.
    """

    verdict: str
    needed: int | None
    table: pd.DataFrame = field(repr=False)
    measurements: pd.DataFrame = field(repr=False)
    n_clusterings: int
    n_clusters: int
    level: float
    summary: str

    def __str__(self) -> str:
        return self.summary


def enough_clusterings(
    X: Any,
    *,
    method: Any = "auto",
    n_clusters: Any = "auto",
    sizes: Any = None,
    n_repeats: int = 10,
    level: float = 0.9,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Enough:
    """Whether an ensemble has enough clusterings for its consensus to be stable.

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
    method : str or estimator, default="auto"
        What combines the labels, as in :func:`partita.combine`.
    n_clusters : int, "auto" or None, default="auto"
        Number of clusters at which consensus partitions are compared, as in :func:`partita.combine`; 2 if one is found.
    sizes : sequence of int, optional
        Numbers of clusterings that are drawn; by default five from 2 to half of them. Of more than half there is no
        other part, and they are compared with all only.
    n_repeats : int, default=10
        Draws for each size.
    level : float in (0, 1), default=0.9
        Adjusted Rand index from which two answers count as the same.
    random_state : int, RandomState, Generator or None, default=0
        Seed of all that is random.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Returns
    -------
    Enough
        ``verdict``, ``needed``, ``summary``, ``table`` and ``measurements``.

    Notes
    -----
    On a stratified sample of at most 1,000 objects. Two parts share no clustering, so that their agreement is that of
    two ensembles of this size; clusterings of one algorithm can agree on an answer that another algorithm would not
    give. The curve is an extrapolation: make more clusterings, and measure again. The picture is
    ``CurveDisplay.from_table(found.measurements, x="n_clusterings", y="agreement", by="compared_with").plot()``.

    Examples
    --------
    >>> from partita import enough_clusterings
    >>> from partita.datasets import load_wine_ensemble
    >>> found = enough_clusterings(load_wine_ensemble().labels, n_repeats=4)
    >>> found.verdict, found.n_clusters
    ('enough', 3)
    """
    check_run(n_jobs, verbose)
    check_count(n_repeats, "n_repeats")
    check_share(level, "level")
    matrix = check_label_matrix(X)
    if len(matrix.names) < _FEWEST:
        number = "1 clustering" if len(matrix.names) == 1 else f"{len(matrix.names)} clusterings"
        raise ValueError(f"X has {number}; at least {_FEWEST} are needed for two parts of two.")
    if (np.asarray(matrix.n_labels) < 2).all():
        raise ValueError("every clustering of X has one cluster only: there is nothing to compare.")
    grid = _check_sizes(sizes, len(matrix.names))
    seeds = draw_seeds(random_state, 1 + n_repeats * len(grid)).tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # parts of the clusterings need not label all objects
        result = combine(matrix, method=method, n_clusters=n_clusters, random_state=seeds[0], n_jobs=n_jobs)
        problem = _Problem.of(result, seeds[0])
        tasks = [(size, seed) for size, seed in zip(np.repeat(grid, n_repeats).tolist(), seeds[1:], strict=True)]
        rows = [row for found in _run_all(problem, tasks, n_jobs, verbose) for row in found]
    measured = pd.DataFrame(rows, columns=["n_clusterings", "compared_with", "agreement", "n_clusters"])
    table = _table(measured, problem.number)
    verdict, needed, summary = _judge(table, problem, len(matrix.names), level)
    return Enough(verdict, needed, table, measured, len(matrix.names), problem.n_clusters, float(level), summary)


def _check_sizes(sizes: Any, m: int) -> IntArray:
    """Numbers of clusterings, sorted."""
    if sizes is None:
        return np.unique(np.geomspace(2, m // 2, _N_SIZES).round()).astype(np.int64)
    try:
        grid = np.unique(np.asarray(sizes, dtype=np.float64).ravel())
    except (TypeError, ValueError):
        raise ValueError(f"sizes={sizes!r:.60} must be whole numbers from 2 to {m}.") from None
    if not len(grid) or (grid != np.round(grid)).any() or grid[0] < 2 or grid[-1] > m:
        raise ValueError(f"sizes={sizes!r:.60} must be whole numbers from 2 to {m}.")
    return grid.astype(np.int64)


# --------------------------------------------------------------------------------------------------------- measurements
class _Problem(NamedTuple):
    """What is combined again and again."""

    sample: SampledLabels
    weights: FloatArray  # of the clusterings
    refits: Refits
    whole: IntArray  # clusters of the sample by all clusterings
    n_clusters: int
    number: int  # of clusters that all clusterings lead to

    @classmethod
    def of(cls, result: ConsensusResult, seed: int) -> "_Problem":
        sample = sample_of(result._judged, result.labels, SAMPLE)
        weights = result._judged.ensemble.clustering_weights
        k = max(2, result.n_clusters)  # one cluster leaves nothing to compare
        refits = plan_refits(result.estimator, k, len(sample.labels))
        labels, number = refit(refits, sample.codes, weights, seed)
        whole = sample.labels if result.n_clusters == k else labels
        return cls(sample, weights, refits, whole, k, number)


def _run_all(
    problem: _Problem, tasks: list[tuple[int, int]], n_jobs: int | None, verbose: bool
) -> Iterator[list[tuple[int, str, float, float]]]:
    with progress(len(tasks), "parts of the clusterings", show=verbose) as bar:
        for rows in in_order(lambda task: _measure(problem, *task), tasks, n_jobs):
            bar.update(1)
            yield rows


def _measure(problem: _Problem, size: int, seed: int) -> list[tuple[int, str, float, float]]:
    """The consensus of a part against that of another part, and against that of all (eq. I90)."""
    order = np.random.default_rng(seed).permutation(problem.sample.codes.shape[1])
    labels, number = _part(problem, order[:size], seed)
    rows = [(size, _WITH_ALL, _agreement(labels, problem.whole), number)]
    if 2 * size <= len(order):
        others, _ = _part(problem._replace(refits=problem.refits._replace(number=None)), order[size : 2 * size], seed)
        rows.insert(0, (size, _BETWEEN, _agreement(labels, others), number))
    return rows


def _part(problem: _Problem, columns: IntArray, seed: int) -> tuple[IntArray, float]:
    """Clusters by some of the clusterings, and the number of clusters that they lead to."""
    columns = np.sort(columns)
    codes = np.ascontiguousarray(problem.sample.codes[:, columns])
    try:
        return refit(problem.refits, codes, problem.weights[columns], seed)
    except (ValueError, MemoryError, FloatingPointError):  # such as a part that labels no object of the sample
        return np.full(len(codes), -1), np.nan


def _agreement(first: IntArray, second: IntArray) -> float:
    """Adjusted Rand index over the objects that both parts label; NaN if there is none."""
    return float(agreement_matrix(np.column_stack([first, second]), np.ones(len(first)))[0, 1])


def _table(measured: pd.DataFrame, number: int) -> pd.DataFrame:
    """Means and quartiles of each size."""
    rows = []
    for size, of_size in measured.groupby("n_clusterings"):
        between = of_size.loc[of_size["compared_with"] == _BETWEEN, "agreement"].dropna()
        with_all = of_size.loc[of_size["compared_with"] == _WITH_ALL]
        found = with_all["n_clusters"].dropna()
        rows.append(
            {
                "n_clusterings": size,
                "agreement": between.mean(),
                "low": between.quantile(0.25),
                "high": between.quantile(0.75),
                "with_all": with_all["agreement"].mean(),
                "same_number": (found == number).mean(),
                "n_clusters": int(found.mode().iloc[0]) if len(found) else -1,
            }
        )
    return pd.DataFrame(rows)


# -------------------------------------------------------------------------------------------------------------- verdict
class Curve(NamedTuple):
    """Agreement A of two parts of s clusterings: its log-odds are a + b log s."""

    a: float
    b: float

    def agreement(self, size: float) -> float:
        """Agreement at a number of clusterings."""
        return float(1 / (1 + np.exp(-self.a - self.b * np.log(size))))

    def needed(self, level: float) -> float:
        """Number of clusterings that reaches a level; infinite if the curve does not rise."""
        if self.b < _FLAT:
            return np.inf
        return float(np.exp(min((np.log(level / (1 - level)) - self.a) / self.b, 700.0)))  # e^700 is still a number


def fit_curve(sizes: FloatArray, agreement: FloatArray) -> Curve | None:
    """A line through the log-odds over log s, by least squares (eq. I91); None with fewer than three sizes."""
    known = np.isfinite(agreement)
    if known.sum() < 3:
        return None
    inside = np.clip(agreement[known], *_INSIDE)
    slope, start = np.polyfit(np.log(sizes[known]), np.log(inside / (1 - inside)), 1)
    return Curve(float(start), float(slope))


def _judge(table: pd.DataFrame, problem: _Problem, m: int, level: float) -> tuple[str, int | None, str]:
    """Verdict, number that is needed, and the sentence."""
    known = table.dropna(subset="agreement")
    more = _about_the_number(table, problem)
    if known.empty:
        return "unclear", None, f"Two parts of these {m} clusterings could not be compared.{more}"
    last = known.iloc[-1]
    size, reached = int(last["n_clusterings"]), float(last["agreement"])
    said = (
        f"two parts of {size} of the {m} clusterings each, with none in common, lead to {problem.n_clusters} clusters "
        f"with an adjusted Rand index of {reached:.2f}"
    )
    if reached >= level:
        return "enough", None, f"Enough: {said}, at least {level:g}.{more}"
    curve = fit_curve(known["n_clusterings"].to_numpy(np.float64), known["agreement"].to_numpy())
    if curve is None:
        return "unclear", None, f"Unclear: {said}, and there are too few sizes to tell what more would bring.{more}"
    ahead, needed = curve.agreement(m), curve.needed(level)
    if ahead >= level:
        guess = f"by the curve, which is a guess, two ensembles of {m} would reach {level:g}"
        return "probably", None, f"Probably enough: {said}; {guess}.{more}"
    if needed <= _FAR * m:
        whole = int(np.ceil(needed))
        text = (
            f"Not enough: {said}; by the curve, which is a guess, about {whole} clusterings of this kind would reach "
            f"{level:g}.{more}"
        )
        return "more", whole, text
    text = (
        f"Unclear: {said}, and the agreement rises little with their number: more clusterings of this kind are "
        f"unlikely to help; look at the number of clusters, or at how the clusterings are made.{more}"
    )
    return "unclear", None, text


def _about_the_number(table: pd.DataFrame, problem: _Problem) -> str:
    last = table.iloc[-1]
    share, size = float(last["same_number"]), int(last["n_clusterings"])
    one = " All of them lead to one cluster; two were compared." if problem.number == 1 else ""
    by = f" (found by {problem.refits.whose})" if problem.refits.number is not None else ""
    if not np.isfinite(share):
        return one
    number = f"{problem.number} cluster{'s' if problem.number != 1 else ''}"
    return f"{one} All clusterings lead to {number}{by}, and so do {share:.0%} of the parts of {size}."
