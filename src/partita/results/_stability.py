"""How stable a result is when the clusterings are drawn again, with replacement, as many as there are: the bootstrap.

A clustering that is drawn twice has weight 2, one that is not drawn weight 0. The clusters are found again each time.

    stability_q = mean over the resamples of max_r |q and r| / |q or r|        (Hennig 2007)                  (eq. I81)

with r the clusters of a resample. The numbers of clusters that are found tell how far the number itself can be trusted.
An object stays in a resample if its cluster there is the one that is most similar to its cluster here (eq. I89).
"""

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone

from partita._checks import check_count
from partita._runs import check_run, draw_seeds, in_order, progress
from partita._typing import Codes, FloatArray, IntArray
from partita.consensus.label_space._cluster_number import number_limit
from partita.consensus.label_space._lwgp import LWGP
from partita.results._rows import SampledLabels

LEVEL = 0.9  # share of the resamples that the interval holds
SAMPLE = 1000  # objects of which the clusters are found again: 50 times in some seconds for most methods
_RECOVERED, _DISSOLVED = 0.75, 0.5  # similarities from which a cluster is found again, or is not (Hennig 2007)
_OFTEN = 0.9  # share of the resamples in which a stable cluster is found again
_COMPARED = 10  # numbers of clusters that LWGP compares at least, and twice that of the result: more would take long
_FEW = 5  # clusterings, of which resamples say little
_FEWER_DIFFERENT = "A resample has fewer different clusterings than there are, and can lead to fewer clusters."
_HOW_TO_FIND = ("threshold", "cut", "allow_one", "max_clusters")  # parameters that a given number contradicts


@dataclass(frozen=True, eq=False)
class Stability:
    """What resampled clusterings say of a result.

    Attributes
    ----------
    numbers : DataFrame
        ``n_clusters``, and the ``share`` of the resamples that found this number.
    interval : tuple of int
        Smallest and largest number of clusters in the middle 90 % of the resamples. It need not contain the number of
        the result: a resample has fewer different clusterings, about two thirds, which can lead to fewer clusters.
    level : float
        0.9.
    clusters : DataFrame
        One row per cluster: ``cluster``, ``stability`` (mean Jaccard similarity with the most similar cluster of a
        resample; 1 if it is always found again), ``low`` and ``high`` (ends of the middle 90 % of these similarities),
        ``recovered`` (share of the resamples with a similarity of at least 0.75) and ``dissolved`` (at most 0.5).
    objects : DataFrame
        One row per object that was used: ``object`` (its place among all), ``cluster`` and ``stays`` (share of the
        resamples in which it is in the cluster that is most similar to its own; NaN if it had no label in any).
    n_resamples, n_objects : int
        Resamples that gave a result; objects that were used.
    words : list of str
        The same in words.
    """

    numbers: pd.DataFrame
    interval: tuple[int, int]
    clusters: pd.DataFrame
    objects: pd.DataFrame = field(repr=False)
    n_resamples: int
    n_objects: int
    words: list[str] = field(repr=False)
    level: float = LEVEL


class Refits(NamedTuple):
    """How clusters and their number are found again."""

    clusters: Any  # estimator that finds the clusters
    number: Any  # estimator that finds their number; None if the first one does
    whose: str  # whose number it is, in words
    stand_in: str = ""  # method that finds the clusters in the place of the one of the result


class _Resample(NamedTuple):
    labels: IntArray
    n_clusters: int


def measure_stability(
    estimator: Any,
    sample: SampledLabels,
    n_clusters: int,
    weights: FloatArray,
    *,
    n_resamples: int,
    random_state: Any,
    n_jobs: int | None,
    verbose: bool,
) -> Stability:
    """Resample the clusterings of a sample of objects; ``weights`` are those of the fit."""
    check_count(n_resamples, "n_resamples")
    check_run(n_jobs, verbose)
    refits = plan_refits(estimator, n_clusters, len(sample.labels))
    seeds = draw_seeds(random_state, n_resamples).tolist()
    done = list(_run_all(refits, sample.codes, weights, seeds, n_jobs, verbose))
    found = [one for one in done if isinstance(one, _Resample)]
    if not found:
        raise ValueError(f"no resample gave a result: {done[0]}")
    matched = [most_similar(sample.labels, one.labels, n_clusters) for one in found]
    similarity = np.array([best for best, _ in matched])
    low, high = np.quantile(similarity, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    numbers = np.array([one.n_clusters for one in found])
    clusters = pd.DataFrame(
        {
            "cluster": np.arange(n_clusters),
            "stability": similarity.mean(axis=0),
            "low": low,
            "high": high,
            "recovered": (similarity >= _RECOVERED).mean(axis=0),
            "dissolved": (similarity <= _DISSOLVED).mean(axis=0),
        }
    )
    values, counts = np.unique(numbers, return_counts=True)
    table = pd.DataFrame({"n_clusters": values, "share": counts / len(numbers)})
    interval = _middle(numbers)
    words = _words(clusters, table, interval, refits, len(weights), len(found), n_resamples, n_clusters)
    stays = share_that_stays(sample.labels, [one.labels for one in found], [which for _, which in matched])
    objects = pd.DataFrame({"object": sample.objects, "cluster": sample.labels, "stays": stays})
    return Stability(table, interval, clusters, objects, len(found), len(sample.labels), words)


def plan_refits(estimator: Any, n_clusters: int, n_objects: int) -> Refits:
    """The method itself, at the number of the result; where it does not find a number, LWGP finds it."""
    known = estimator.get_params(deep=False)
    name = type(estimator).__name__
    rule = LWGP(max_clusters=max(2, min(max(_COMPARED, 2 * n_clusters), number_limit(n_objects, n_objects))))
    if name in ("GBCE", "GivenPartition"):  # it needs features, or there is no method at all
        return Refits(LWGP(n_clusters), rule, "LWGP", stand_in="LWGP")
    quiet = {"verbose": False, "n_jobs": None, "keep_starts": False}
    again = clone(estimator).set_params(**{key: value for key, value in quiet.items() if key in known})
    if "n_clusters" not in known:
        return Refits(again, None, name)
    defaults = type(estimator)().get_params(deep=False)
    freed = {key: defaults[key] for key in _HOW_TO_FIND if key in known}
    clusters = clone(again).set_params(n_clusters=n_clusters, **freed)
    if known["n_clusters"] is not None:
        return Refits(clusters, rule, "LWGP")
    if known.get("max_clusters", 0) is None and isinstance(estimator, LWGP):
        again.set_params(max_clusters=rule.max_clusters)
    return Refits(clusters, again, name)


def _run_all(
    refits: Refits, codes: Codes, weights: FloatArray, seeds: list[int], n_jobs: int | None, verbose: bool
) -> Iterator[_Resample | Exception]:
    """Every resample, or the error that it ended in."""

    def run(seed: int) -> _Resample | Exception:
        drawn = np.random.default_rng(seed).multinomial(len(weights), np.full(len(weights), 1 / len(weights)))
        try:
            labels, number = refit(refits, codes, drawn * weights, seed)
        except (ValueError, MemoryError, FloatingPointError) as error:
            return error
        return _Resample(labels, number)

    with warnings.catch_warnings(), progress(len(seeds), "resamples", show=verbose) as bar:
        warnings.simplefilter("ignore")  # the fit of all clusterings has warned of what is to be known
        for one in in_order(run, seeds, n_jobs):
            bar.update(1)
            yield one


def refit(refits: Refits, codes: Codes, weights: FloatArray, seed: int) -> tuple[IntArray, int]:
    """Clusters from the clusterings that were drawn, and the number that they lead to."""
    model = _fit(refits.clusters, codes, weights, seed)
    number = model if refits.number is None else _fit(refits.number, codes, weights, seed)
    return model.labels_, int(number.n_clusters_)


def _fit(estimator: Any, codes: Codes, weights: FloatArray, seed: int) -> Any:
    """A new fit; for a method without weights, clusterings that are drawn twice are there twice."""
    model = clone(estimator)
    known = model.get_params(deep=False)
    if "random_state" in known:
        model.set_params(random_state=seed)
    if "weights" in known:
        return model.set_params(weights=weights).fit(codes)
    return model.fit(np.repeat(codes, np.rint(weights).astype(np.int64), axis=1))


def best_jaccard(labels: IntArray, again: IntArray, n_clusters: int) -> FloatArray:
    """For each cluster, its largest Jaccard similarity with a cluster found again, over objects in both (eq. I81)."""
    return most_similar(labels, again, n_clusters)[0]


def most_similar(labels: IntArray, again: IntArray, n_clusters: int) -> tuple[FloatArray, IntArray]:
    """The largest Jaccard similarity of each cluster, and the cluster found again that has it."""
    both = (labels >= 0) & (again >= 0)
    n_again = max(int(again.max(initial=-1)) + 1, 1)
    cell = labels[both] * n_again + again[both]
    table = np.bincount(cell, minlength=n_clusters * n_again).reshape(n_clusters, n_again).astype(np.float64)
    union = table.sum(axis=1, keepdims=True) + table.sum(axis=0, keepdims=True) - table
    jaccard = np.divide(table, union, out=np.zeros_like(table), where=union > 0)
    return np.asarray(jaccard.max(axis=1)), np.asarray(jaccard.argmax(axis=1))


def share_that_stays(labels: IntArray, resamples: list[IntArray], most_similar_ones: list[IntArray]) -> FloatArray:
    """How often each object is in the cluster that is most similar to its own, of the times it is in one (eq. I89)."""
    stays, seen = np.zeros(len(labels)), np.zeros(len(labels))
    for again, which in zip(resamples, most_similar_ones, strict=True):
        seen += again >= 0
        stays += (again >= 0) & (again == which[labels])
    return np.asarray(np.divide(stays, seen, out=np.full(len(labels), np.nan), where=seen > 0))


def _middle(numbers: IntArray) -> tuple[int, int]:
    """The interval that holds at least 90 % of the numbers, with at most 5 % below and 5 % above it."""
    ordered, tail = np.sort(numbers), math.floor(len(numbers) * (1 - LEVEL) / 2 + 1e-9)
    return int(ordered[tail]), int(ordered[len(ordered) - 1 - tail])


# ----------------------------------------------------------------------------------------------------------- in words
def _words(
    clusters: pd.DataFrame,
    numbers: pd.DataFrame,
    interval: tuple[int, int],
    refits: Refits,
    n_clusterings: int,
    n_found: int,
    n_resamples: int,
    n_clusters: int,
) -> list[str]:
    if n_clusterings < 2:
        return ["There is one clustering only, so that resampling changes nothing, and says nothing."]
    words = [_about_the_number(numbers, interval, refits, n_clusters, n_found), *_about_the_clusters(clusters, refits)]
    if n_clusterings < _FEW:
        words.append(f"There are only {n_clusterings} clusterings: resampling so few of them says little.")
    if n_found < n_resamples:
        words.append(f"{n_resamples - n_found} of {n_resamples} resamples gave no result and are left out.")
    return words


def _about_the_number(
    numbers: pd.DataFrame, interval: tuple[int, int], refits: Refits, n_clusters: int, n_found: int
) -> str:
    (low, high), by = interval, f" that {refits.whose} finds" if refits.number is not None else ""
    begin, resamples = f"The number of clusters{by} is", f"{n_found} resamples of the clusterings"
    fewer = "" if high >= n_clusters else f" {_FEWER_DIFFERENT}"
    if len(numbers) == 1:
        also = "" if low == n_clusters else f", and never {n_clusters}"
        return f"{begin} {low} in all {resamples}{also}.{fewer}"
    share = float(numbers.loc[numbers["n_clusters"].between(low, high), "share"].sum())
    same = float(numbers.loc[numbers["n_clusters"] == n_clusters, "share"].sum())
    also = "" if low == high == n_clusters else f", and {n_clusters} in {same:.0%}"
    return f"{begin} {low if low == high else f'from {low} to {high}'} in {share:.0%} of {resamples}{also}.{fewer}"


def _about_the_clusters(clusters: pd.DataFrame, refits: Refits) -> list[str]:
    """Which clusters are found again, and how often."""
    if len(clusters) < 2:
        return []
    begin = f"At {len(clusters)} clusters" + (f", found by {refits.stand_in}" if refits.stand_in else "")
    again = f"found again (similarity of at least {_RECOVERED})"
    rare = clusters.loc[clusters["recovered"] < _OFTEN, "cluster"].tolist()
    if not rare:
        least = clusters["recovered"].min()
        share = "all" if least == 1 else f"at least {least:.0%} of the"
        return [f"{begin}, every cluster is {again} in {share} resamples."]
    shown = ", ".join(map(str, rare[:10])) + (", ..." if len(rare) > 10 else "")
    which = f"cluster {shown} is" if len(rare) == 1 else f"clusters {shown} are"
    worst = clusters.iloc[int(clusters["stability"].to_numpy().argmin())]
    return [
        f"{begin}, {which} {again} in less than {_OFTEN:.0%} of the resamples; the least stable one, cluster "
        f"{int(worst['cluster'])}, is found again in {worst['recovered']:.0%} and dissolves (similarity of at most "
        f"{_DISSOLVED}) in {worst['dissolved']:.0%}."
    ]
