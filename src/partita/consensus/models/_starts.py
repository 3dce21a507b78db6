"""Where the models of labels start: states of the mixture that compete for a few steps of EM (eq. M56).

Half of the starts are clusters of k-means, half are drawn at random. Both are annealed: EM with posteriors to a power
that rises, so that components which share rows at first can part in better places. Children of the best of them (each
component from one of two parents, one drawn anew) compete with their parents.
"""

from typing import NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import Round, race
from partita._typing import FloatArray
from partita.consensus.models._em import START_NOISE, STARTS, EMRun, minus_bound, shares
from partita.consensus.models._mixture import MixtureModel, MixtureState, as_rows, log_tables, posterior, run_mixture

STARTS_PER_RUN = 3  # starts that compete for each one that is run to the end
_CHILDREN = 5  # for each one that is run to the end
_STEPS = 5  # of EM in the competition: most starts are near their ends then
_POWERS = (1.5, 3.0, 6.0)  # of the posteriors, over the weight of the clusterings: 0.15, 0.3 and 0.6 for ten of them
_POWER_STEPS = 3  # of EM for each of them
_SEEN = 1e-4  # least probability of a label where rows are drawn that the components explain badly
_SAME = 2e-4  # relative difference of bounds below which two short runs go to the same end


class StartSettings(NamedTuple):
    """What a start depends on, apart from the rows and its seed."""

    n_clusters: int
    init: str
    model: MixtureModel

    def begin(self, ensemble: Ensemble, number: int, seed: int) -> MixtureState:
        """A start; with ``init="kmeans"`` every second one is drawn at random, and all are annealed."""
        init = "random" if number % 2 else self.init
        start = STARTS[init](ensemble, self.n_clusters, seed)
        state = MixtureState(start.pi, start.table)
        return state if self.init == "random" else self.anneal(ensemble, state, _POWERS)

    def anneal(self, ensemble: Ensemble, state: MixtureState, powers: tuple[float, ...]) -> MixtureState:
        """EM with posteriors to a power that rises."""
        weight = float(ensemble.clustering_weights.sum())
        for power in powers:
            share = min(1.0, power / weight)
            state = run_mixture(ensemble, state, self.model, tol=0.0, max_iter=_POWER_STEPS + 1, power=share).state
        return state

    def try_out(self, ensemble: Ensemble, state: MixtureState) -> EMRun:
        """A few steps of EM."""
        return run_mixture(ensemble, state, self.model, tol=0.0, max_iter=_STEPS + 1)


def compete(
    ensemble: Ensemble, settings: StartSettings, seeds: list[int], n_runs: int, n_jobs: int | None
) -> list[MixtureState]:
    """The best starts, or children of starts, after a few steps of EM; the last seed is that of the children."""

    def begin(start: tuple[int, int]) -> EMRun:
        return settings.try_out(ensemble, settings.begin(ensemble, *start))

    *own, child_seed = seeds
    pool: list[EMRun] = race(enumerate(own), [Round(begin, 2 * n_runs)], n_jobs, lowest=minus_bound)
    if settings.n_clusters > 1 and settings.init == "kmeans":
        pool = _with_children(ensemble, settings, pool, _CHILDREN * n_runs, child_seed)
    return [run.state for run in pool[:n_runs]]


def _with_children(
    ensemble: Ensemble, settings: StartSettings, pool: list[EMRun], n_children: int, seed: int
) -> list[EMRun]:
    """The pool after children of its runs have taken the places of worse ones, best first."""
    rng = np.random.default_rng(seed)
    for _ in range(n_children):
        first, second = (pool[rng.integers(len(pool), size=2).min()].state for _ in range(2))  # the better of two
        state = settings.anneal(ensemble, _renew_one(ensemble, _mix(first, second, rng), rng), _POWERS[-1:])
        child = settings.try_out(ensemble, state)
        bound = child.history[-1]
        same = [i for i, run in enumerate(pool) if abs(bound - run.history[-1]) <= _SAME * abs(bound)]
        place = same[0] if same else len(pool) - 1
        if bound > pool[place].history[-1]:
            pool = sorted([*pool[:place], child, *pool[place + 1 :]], key=minus_bound)
    return pool


def _mix(first: MixtureState, second: MixtureState, rng: np.random.Generator) -> MixtureState:
    """Each component of one of two states; those with similar probabilities of labels stand for the same one."""
    from scipy.optimize import linear_sum_assignment

    if first is second:
        return first
    match = linear_sum_assignment(-np.sqrt(first.table).T @ np.sqrt(second.table))[1]  # largest overlap
    of_first = rng.random(len(match)) < 0.5
    pi = np.where(of_first, first.pi, second.pi[match])
    return MixtureState(pi / pi.sum(), np.where(of_first, first.table, second.table[:, match]))


def _renew_one(ensemble: Ensemble, state: MixtureState, rng: np.random.Generator) -> MixtureState:
    """Another component in the place of one: the labels of a row that the others explain badly, mixed with all."""
    h, k = rng.integers(len(state.pi)), len(state.pi)
    pi = np.where(np.arange(k) == h, 0.0, state.pi)
    logs = log_tables(state._replace(pi=pi / pi.sum() if pi.any() else pi), ensemble.cell_weights, floor=_SEEN)
    share = np.cumsum(ensemble.row_weights * np.maximum(-posterior(as_rows(ensemble), *logs)[1], 0.0))
    row = int(np.searchsorted(share, rng.random() * share[-1], side="right").clip(max=ensemble.n_rows - 1))
    overall = shares(ensemble)
    table = (1 - START_NOISE) * state.table + START_NOISE * overall[:, None]
    table[:, h] = _half_of_row(ensemble, row, overall)
    pi = (1 - 1 / k) * pi / max(pi.sum(), 1e-300) + np.where(np.arange(k) == h, 1 / k, 0.0)
    return MixtureState(pi / pi.sum(), table)


def _half_of_row(ensemble: Ensemble, row: int, overall: FloatArray) -> FloatArray:
    """What all objects have, and the labels of one row with half of the weight."""
    codes = ensemble.codes[row]
    seen = codes >= 0
    table = np.where(seen[ensemble.cell_clustering], overall / 2, overall)
    table[(ensemble.first_cell + codes)[seen]] += 0.5
    return table
