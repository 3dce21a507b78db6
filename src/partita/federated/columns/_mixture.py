"""Mixture of multinomials on clusterings of several sites: exact EM, one exchange per iteration (eqs. S26, S27).

Memberships of the objects go out; every site makes its M-step, and returns the log probability of its labels of each
object in each cluster, summed over its columns.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._runs import draw_seeds, warn_not_converged
from partita._typing import FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.models._em import START_NOISE, EMRun, climb, minus_bound, penalty
from partita.consensus.models._mixture import MixtureModel, MixtureState, MixtureStats, log_tables, update_mixture
from partita.federated._engine import Values
from partita.federated._incoming import LAST_PLACE, array_of, number_of, real_of
from partita.federated._sites import Sites
from partita.federated.columns._bce_steps import first_table
from partita.federated.columns._fit import ColumnMethod, CommonObjects
from partita.federated.columns._starts import TINY, find_starts, soften
from partita.federated.rows._fit import Model


# -------------------------------------------------------------------------------------------------------- at a site
def _expect(site: Any, values: Values) -> dict[str, Any]:
    """M-step of the site's theta, and the logs of its labels with it."""
    ensemble, place = site.ensemble, number_of(values, "place", 0, LAST_PLACE)
    model = MixtureModel(bool(values["impute"]), real_of(values, "smoothing"))
    if "labels" in values:
        table = first_table(ensemble, values)
    else:
        old = site.table(place)
        membership = array_of(values, "membership", ensemble.n_rows, old.shape[1])
        stats = MixtureStats(membership.sum(axis=0), ensemble.indicator.T @ membership, 0.0)
        table = update_mixture(MixtureState(stats.mass, old), stats, ensemble, model).table
    site.set_table(place, table)
    log_table = log_tables(MixtureState(np.ones(1), table), ensemble.cell_weights)[0]
    part = penalty(table, model.smoothing, ensemble.cell_weights)
    return {"logs": ensemble.sum_over_labels(log_table), "penalty": np.array([part])}


ANSWERS = {"mixture.columns": _expect}


# ------------------------------------------------------------------------------------------------ at the coordinator
class ColumnMixture(NamedTuple):
    """Pi, and what the sites make theta of: memberships, or labels at the start."""

    pi: FloatArray
    told: Model


class ColumnMixtureRun(NamedTuple):
    """A run, memberships at its end, and the place where the sites have its theta."""

    run: EMRun
    place: int


def first_state(labels: IntArray, k: int, mixed: float = START_NOISE) -> ColumnMixture:
    """Hard clusters, mixed with what all objects have."""
    pi = (1 - mixed) * np.bincount(labels, minlength=k) / len(labels) + mixed / k
    return ColumnMixture(pi, {"labels": labels, "n_clusters": k, "mixed": mixed})


def run_columns(
    sites: Sites,
    first: ColumnMixture,
    model: MixtureModel,
    *,
    common: CommonObjects,
    tol: float,
    max_iter: int,
    place: int = 0,
) -> ColumnMixtureRun:
    """EM from a state to its end; the statistics of the run are the memberships."""
    shapes = {"logs": (common.n, len(first.pi)), "penalty": (1,)}
    settings = {"place": place, "impute": model.impute, "smoothing": model.smoothing}

    def expect(state: ColumnMixture) -> tuple[FloatArray, float]:
        total = sites.total("mixture.columns", {**state.told, **settings}, shapes)
        membership, log_likelihood = soften(total["logs"] + np.log(np.maximum(state.pi, TINY)))
        return membership, float(log_likelihood.sum() + total["penalty"][0])

    def step(state: ColumnMixture, membership: FloatArray) -> ColumnMixture:
        return ColumnMixture(membership.mean(axis=0), {"membership": membership})

    return ColumnMixtureRun(climb(expect, step, first, tol=tol, max_iter=max_iter, n=common.n), place)


def best_run(sites: Sites, estimator: Any, common: CommonObjects, model: MixtureModel) -> ColumnMixtureRun:
    """The best of several starts."""
    k, best = min(int(estimator.n_clusters), common.n), None
    limits = {"common": common, "tol": estimator.tol, "max_iter": int(estimator.max_iter)}
    seed = int(draw_seeds(estimator.random_state, 1)[0])
    for labels in find_starts(sites, common, k, int(estimator.n_init), seed):
        free = 0 if best is None else 1 - best.place
        end = run_columns(sites, first_state(labels, k), model, place=free, **limits)
        best = end if best is None else min(best, end, key=lambda one: minus_bound(one.run))
    assert best is not None
    return best


def fit(sites: Sites, estimator: Any, common: CommonObjects) -> Model:
    """What the coordinator has of the best run."""
    best = best_run(sites, estimator, common, estimator._model)
    if not best.run.converged:
        warn_not_converged(type(estimator).__name__, estimator.max_iter)
    pi = best.run.state.pi
    ends = {"history": list(best.run.history), "converged": best.run.converged, "place": best.place}
    return {**ends, "pi": pi, "prior": pi, "membership": best.run.stats, "clusters": np.arange(len(pi))}


def restore(estimator: Any, rows: LabelledRows, model: Model, table: FloatArray, of_row: IntArray) -> Consensus:
    """A fitted estimator of the distinct rows of all clusterings."""
    run = EMRun(MixtureState(model["pi"], table), None, model["history"], model["converged"])
    found: Consensus = estimator._keep(rows.ensemble, run)
    return found


METHOD = ColumnMethod(fit, restore)
