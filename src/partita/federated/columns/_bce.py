"""BCE on clusterings of several sites: exact variational EM, its starts and its model.

Given the same first parameters, every iteration is that of the pooled columns; the steps are in
``_bce_steps.py``, and the paper's own messages in ``_paper.py``.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from partita._runs import progress, warn_not_converged
from partita._typing import FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.models._bce import AGAIN, ALPHAS, MIXED, RISE, SHORT
from partita.consensus.models._bce_gibbs import refuse_sampling
from partita.consensus.models._bce_steps import BCEColumns, BCERun, BCEState, RunningEStep, label_problem
from partita.consensus.models._em import EMRun, Stretch, climb, minus_bound
from partita.consensus.models._mixture import MixtureModel
from partita.federated._sites import Sites
from partita.federated.columns._bce_steps import ColumnState, Gamma, beyond, sums_at, update
from partita.federated.columns._fit import ColumnMethod, CommonObjects
from partita.federated.columns._mixture import best_run
from partita.federated.columns._paper import paper_sums_at
from partita.federated.columns._starts import soften
from partita.federated.rows._bce import observed_weight
from partita.federated.rows._fit import Model


class ColumnRun(NamedTuple):
    """A run, gamma of its end, and the place where the sites have its beta."""

    run: EMRun
    gamma: FloatArray
    place: int


def run_columns(
    sites: Sites, first: ColumnState, common: CommonObjects, *, tol: float, max_iter: int, hard: bool, place: int = 0
) -> ColumnRun:
    """Variational EM from a state to its end; objects begin alike in all clusters, or ``hard``, each in one."""
    begin, k = first, len(first.alpha)
    share: FloatArray | float = 1 / k
    if hard:
        asked = {**first.change, "place": place}
        logs = sites.total("bce.logs", asked, {"logs": (common.n, k)})["logs"]
        share = soften(logs + np.log(first.alpha / first.alpha.sum()))[0]
        begin = first._replace(change={"action": "go"})
    gamma = Gamma(first.alpha + common.weight[:, None] * share)
    sums_of = (paper_sums_at if common.paper else sums_at)(sites, gamma, place)
    expect = RunningEStep(sums_of, lambda state, sums: float(sums.bound[0]), common.n, tol)
    step, stretch = partial(update, n=common.n), Stretch(beyond, gamma)
    end = climb(expect, step, begin, tol=tol, max_iter=max_iter, n=common.n, stretch=stretch)
    return ColumnRun(end, gamma.values, place)


def fit(sites: Sites, estimator: Any, common: CommonObjects) -> Model:
    """From the clusters of the best mixture, which takes far fewer exchanges."""
    refuse_sampling(estimator, "a fit by columns of several sites")
    mixture = best_run(sites, estimator, common, MixtureModel(smoothing=estimator.smoothing)).run.stats
    firsts = first_states(mixture.argmax(axis=1), mixture.shape[1])
    run = partial(run_columns, sites, common=common, tol=estimator.tol, max_iter=estimator.max_iter)
    with progress(len(firsts) + 2, "federated BCE", show=bool(estimator.verbose)) as bar:
        ends = []
        for state in firsts:
            ends.append(run(state, max_iter=SHORT, hard=False))
            bar.update(1)
        first = firsts[int(np.argmin([minus_bound(end.run) for end in ends]))]
        end = harden([run(first, hard=False, place=0), run(first, hard=True, place=1)], run)
    if not end.run.converged:
        warn_not_converged(type(estimator).__name__, estimator.max_iter)
    return as_model(end)


def first_states(labels: IntArray, k: int) -> list[ColumnState]:
    """Hard clusters, mixed with what all objects have."""
    change = {"action": "start", "labels": labels, "n_clusters": k}
    return [
        ColumnState(np.full(k, alpha), {**change, "mixed": mixed})
        for mixed in (MIXED[0], MIXED[-1])
        for alpha in ALPHAS
    ]


def harden(ends: list[ColumnRun], run: Callable[..., ColumnRun]) -> ColumnRun:
    """Run again from the best end with each object in one cluster, as long as the bound rises (eq. M58)."""
    best = min(ends, key=lambda end: minus_bound(end.run))
    for _ in range(AGAIN):
        from_best = ColumnState(best.run.state.alpha, {"action": "copy", "from": best.place})
        again = run(from_best, hard=True, place=1 - best.place)
        before = best.run.history[-1]
        if again.run.history[-1] - before <= RISE * abs(before):
            break
        best = again
    return best


# ---------------------------------------------------------------------------------------------------------- the model
def as_model(end: ColumnRun) -> Model:
    """What the coordinator has."""
    alpha, gamma = end.run.state.alpha, end.gamma
    return {
        "alpha": alpha,
        "gamma": gamma,
        "history": list(end.run.history),
        "converged": end.run.converged,
        "place": end.place,
        "membership": gamma / gamma.sum(axis=1, keepdims=True),
        "prior": alpha / alpha.sum(),
        "clusters": np.arange(len(alpha)),
    }


def restore(estimator: Any, rows: LabelledRows, model: Model, table: FloatArray, of_row: IntArray) -> Consensus:
    """A fitted estimator of the distinct rows of all clusterings."""
    k = len(model["alpha"])
    state = BCEState(model["alpha"], table, np.empty((0, k)), np.empty((0, k)))
    problem = label_problem(rows.ensemble, BCEColumns(rows.ensemble.layout, estimator.smoothing))
    run = BCERun(state, state, model["gamma"][of_row], model["history"], model["converged"])
    found: Consensus = estimator._keep(problem, run)
    estimator._observed_weight = observed_weight(rows)
    return found


METHOD = ColumnMethod(fit, restore)
