"""Starts, how they compete, and the partition that is returned.

Starts (cuts of a tree, the clusterings themselves, rows allocated one after another) go down by single moves of rows
and merges of clusters; the best of them also by clusters that are split, shared out anew or taken apart. Children of
two ends, which keep together what is together in both, compete with them. With many distinct rows all this happens on
a sample, and its best partition is improved on all rows.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from partita._kernels import partition_moves as kernel
from partita._labels.ensemble import Ensemble
from partita._partition_search.descent import SAME, Descent, Limits, Run, loss_of
from partita._partition_search.problem import Loss, Problem, make_problem, make_state
from partita._partition_search.tree import tree_cuts
from partita._runs import Progress, draw_sample, in_order
from partita._stopping import until_stopped
from partita._typing import Codes, FloatArray, IntArray

_CUTS = 12  # cuts of the tree, at numbers of clusters that grow geometrically
_MOST_CUT = 500  # clusters at the finest cut, at most: merges compare all pairs
_SHORT = 50  # sweeps of a start, at most
# Rows up to which random partitions are starts, too, and how many of them per run that is kept: the other starts can
# all end alike there, and then there are no children. On 7 rows of unequal weights, where that happens, 3 of 20 seeds
# miss the best partition with 1 per run, none with 5.
_FEW, _RANDOM = 12, 5
_QUIET = 2  # turns of rearranging clusters, at random, that gain nothing, after which a run ends
_CHILDREN, _IN_VAIN = 6, 2  # children per run that is kept: at most, and in a row without a gain
_COMPARED = 2 * 10**9  # rows times squared clusterings, up to which every clustering is compared with all: about 2 s
_SPREAD = 100  # else so many of them, spread evenly


class SearchSettings(NamedTuple):
    """What is searched for, and how long."""

    loss: Loss
    a: float
    limits: Limits
    n_init: int
    max_iter: int
    n_jobs: int | None = None


def search_partition(
    ensemble: Ensemble, settings: SearchSettings, seed: int, bar: Progress, start: IntArray | None = None
) -> Run:
    """The partition of least expected distance that was found; never worse than ``start``, if there is one."""
    of_sample, of_starts, of_children, of_all = np.random.default_rng(seed).integers(2**31, size=4).tolist()
    problem = make_problem(ensemble, settings.loss, settings.a)
    drawn = draw_sample(ensemble.row_weights, of_sample)
    few = (
        problem
        if drawn is None
        else make_problem(ensemble.sample(drawn), settings.loss, settings.a, has_missing=ensemble.has_missing)
    )
    limits = settings.limits._replace(least=min(settings.limits.least, few.ensemble.n_rows))
    on_sample = settings._replace(limits=limits)
    runs = _run_starts(few, on_sample, of_starts, bar)
    best = _recombine(few, runs, on_sample, of_children, bar)
    starts = [best.labels if drawn is None else _place_all(problem, few, best)]
    if start is not None:
        starts.append(start)
    finish = partial(_run, problem, settings.limits, of_all, settings.max_iter, _QUIET, bar=bar)
    return min(in_order(finish, starts, settings.n_jobs), key=loss_of)


def _run(problem: Problem, limits: Limits, seed: int, max_iter: int, quiet: int, z: IntArray, bar: Progress) -> Run:
    return Descent(problem, z, limits, seed, max_iter, bar).run(quiet)


# -------------------------------------------------------------------------------------------------------------- starts
def _run_starts(problem: Problem, settings: SearchSettings, seed: int, bar: Progress) -> list[Run]:
    """The best ends of all starts, best first."""
    seeds = np.random.default_rng(seed).integers(2**31, size=settings.n_init + 2).tolist()
    starts = [*_cuts(problem.ensemble, settings.limits), *_best_clusterings(problem, settings)]
    starts += [_allocate(problem, settings.limits, own) for own in seeds[:-2]]
    if problem.ensemble.n_rows <= _FEW:
        starts += _random_partitions(problem.ensemble.n_rows, settings, seed)
    short = partial(_run, problem, settings.limits, seeds[-2], _SHORT, 0, bar=bar)
    longer = partial(_run, problem, settings.limits, seeds[-1], settings.max_iter, _QUIET, bar=bar)
    field = _distinct(in_order(short, starts, settings.n_jobs))[: settings.n_init]
    return _distinct(in_order(longer, [run.labels for run in field], settings.n_jobs))


def _distinct(runs: Iterable[Run]) -> list[Run]:
    """Runs that end at different losses, best first; of those that end alike the first."""
    ends: list[Run] = []
    for run in sorted(runs, key=loss_of):
        if not ends or not _same(run, ends[-1]):
            ends.append(run)
    return ends


def _cuts(ensemble: Ensemble, limits: Limits) -> Iterable[IntArray]:
    """Cuts of the tree, from few clusters to many; where there are too many, merges go on by the loss itself."""
    n = ensemble.n_rows
    if n == 1:
        return [np.zeros(1, dtype=np.int64)]
    least, most = min(limits.least, n), min(n, _MOST_CUT)
    numbers = np.unique(np.geomspace(least, max(least, most), _CUTS).round().astype(np.int64))
    return tree_cuts(ensemble, numbers.tolist())


def _best_clusterings(problem: Problem, settings: SearchSettings) -> list[IntArray]:
    """The clusterings of least expected distance from all, as many as runs are kept."""
    columns = nearest_clusterings(problem, settings.n_init, settings.n_jobs)
    return [_filled(problem.ensemble.codes[:, j]) for j in columns]


def nearest_clusterings(problem: Problem, n_nearest: int, n_jobs: int | None) -> list[int]:
    """The clusterings of least expected distance from all, nearest first; of some of them if there are many."""
    codes = problem.ensemble.codes
    n, m = codes.shape
    tried = np.arange(m) if n * m * m <= _COMPARED else np.unique(np.linspace(0, m - 1, _SPREAD).astype(np.int64))
    losses = list(in_order(lambda j: partition_loss(problem, _filled(codes[:, j])), tried.tolist(), n_jobs))
    return [int(tried[place]) for place in np.argsort(losses, kind="stable")[:n_nearest]]


def _filled(codes: Codes) -> IntArray:
    """A clustering as a partition of all rows: those without a label are one cluster more."""
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _allocate(problem: Problem, limits: Limits, seed: int) -> IntArray:
    """Rows in random order, each where it adds least."""
    n = problem.ensemble.n_rows
    state = make_state(problem, np.zeros(n, dtype=np.int64), seed, min(n, limits.most, _MOST_CUT))
    state.n_rows[:], state.value[:], state.mass[:] = 0, 0.0, 0.0
    state.step[:] = state.step[:, -1:]  # of an empty slot
    until_stopped(kernel.allocate, problem.rows, state, limits.most, np.arange(n))
    return np.asarray(state.z)


def _random_partitions(n: int, settings: SearchSettings, seed: int) -> Iterator[IntArray]:
    """Partitions into allowed numbers of clusters, every row anywhere."""
    rng, (least, most) = np.random.default_rng([seed, 1]), settings.limits  # 1: numbers that no other start draws
    for _ in range(_RANDOM * settings.n_init):
        z = rng.integers(rng.integers(least, most, endpoint=True), size=n)
        yield np.unique(z, return_inverse=True)[1].astype(np.int64)


def partition_loss(problem: Problem, z: IntArray) -> float:
    """Expected distance of a partition (eq. V3)."""
    return problem.constant + float(make_state(problem, z, 0).value.sum())


# ------------------------------------------------------------------------------------------------- children, all rows
def _recombine(problem: Problem, runs: list[Run], settings: SearchSettings, seed: int, bar: Progress) -> Run:
    """The best run after children of the given ones have competed with them.

    A child starts from the clusters that two runs have in common, each of their intersections a cluster, so that
    merges choose anew among what the two do not agree on.
    """
    pool, rng, in_vain = sorted(runs, key=loss_of), np.random.default_rng(seed), 0
    if len(pool) < 2:  # all starts ended alike
        return pool[0]
    for _ in range(_CHILDREN * settings.n_init):
        if in_vain == _IN_VAIN * settings.n_init:
            break
        first, second = rng.choice(len(pool), size=2, replace=False)
        z = pool[first].labels * (int(pool[second].labels.max()) + 1) + pool[second].labels
        z = np.unique(z, return_inverse=True)[1].astype(np.int64)
        child = _run(problem, settings.limits, int(rng.integers(2**31)), settings.max_iter, 1, z, bar)
        in_vain = 0 if child.loss < pool[0].loss and not _same(child, pool[0]) else in_vain + 1
        pool = _distinct([*pool, child])[: settings.n_init]
    return pool[0]


def _same(first: Run, second: Run) -> bool:
    return abs(first.loss - second.loss) <= SAME * max(abs(first.loss), abs(second.loss))


def _place_all(problem: Problem, few: Problem, best: Run) -> IntArray:
    """All rows in the clusters of a sample, each where it adds least."""
    n_clusters = int(best.labels.max()) + 1
    state = make_state(few, best.labels, 0)
    ones = np.full(problem.ensemble.n_rows, few.rows.unit)
    rows = few.rows._replace(start=problem.rows.start, entries=problem.rows.entries, row_weights=ones)
    labels = np.empty(len(ones), dtype=np.int64)
    until_stopped(kernel.nearest_clusters, rows, state, n_clusters, labels)
    return labels


def cell_costs(ensemble: Ensemble, labels: IntArray, loss: Loss, a: float) -> FloatArray:
    """What a label of a new row adds in each cluster, (n_cells, n_clusters): the sum over its labels is eq. V11.

    The row has the least weight of all rows, for which no row of a partition that no single move improves would join
    another cluster than its own.
    """
    problem = make_problem(ensemble, loss, a, has_missing=True)
    rows = problem.rows._replace(unit=float(ensemble.row_weights.min()))
    step = make_state(Problem(ensemble, rows, problem.constant), labels, 0).step[:, : int(labels.max()) + 1]
    t = ensemble.n_cells
    return np.asarray(step[:t] + step[t:][ensemble.cell_clustering])
