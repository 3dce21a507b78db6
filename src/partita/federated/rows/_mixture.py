"""Mixture of multinomials on rows of several sites: exact EM, one exchange of sums per iteration (eq. S4).

NBCE by variational Bayes asks the same question, with expected logs for the logs of the parameters.
"""

from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import draw_seeds, warn_not_converged
from partita._typing import FloatArray
from partita.base import Consensus, LabelledRows
from partita.consensus.models._em import START_NOISE, EMRun, minus_bound, warn_one_clustering
from partita.consensus.models._mixture import (
    MixtureModel,
    MixtureState,
    MixtureStats,
    StatsOf,
    as_rows,
    climb_mixture,
    expect_all,
    log_tables,
)
from partita.consensus.models._starts import state_of_counts
from partita.federated._engine import Values
from partita.federated._incoming import MOST_CLUSTERS, array_of, number_of
from partita.federated._memory import SiteMemory
from partita.federated._sites import Sites
from partita.federated.rows._fit import Model, RowMethod
from partita.federated.rows._merge import merge_clusters, mixture_value, side_by_side
from partita.federated.rows._starts import MOST, hard_starts, logs_from, split_sites

_ROUNDS = 5  # of splitting and merging: most fits need one or two


def _expect(site: Any, values: Values) -> dict[str, Any]:
    """E-step of the site's rows."""
    ensemble = site.rows.ensemble
    stats = expect_all(as_rows(ensemble), *logs_from(values, ensemble.n_cells), None)
    return {"mass": stats.mass, "label_mass": stats.label_mass, "log_likelihood": np.array([stats.log_likelihood])}


ANSWERS = {"mixture.expect": _expect}


def stats_at(sites: Sites) -> StatsOf:
    """The E-step of the rows of all sites."""

    def stats_of(log_table: FloatArray, log_weights: FloatArray) -> MixtureStats:
        shapes = {"mass": log_weights.shape, "label_mass": log_table.shape, "log_likelihood": (1,)}
        total = sites.total("mixture.expect", {"log_table": log_table, "log_weights": log_weights}, shapes)
        return MixtureStats(total["mass"], total["label_mass"], float(total["log_likelihood"][0]))

    return stats_of


def run_rows(
    sites: Sites, first: MixtureState, model: MixtureModel, *, layout: Ensemble, n: float, tol: float, max_iter: int
) -> EMRun:
    """EM from a state to its end."""
    return climb_mixture(stats_at(sites), first, model, layout=layout, n=n, tol=tol, max_iter=max_iter)


def fit(sites: Sites, estimator: Any, layout: Ensemble) -> Model:
    """The best of several starts, all of them from sums over the sites."""
    warn_one_clustering(estimator, layout)
    limits = {"tol": estimator.tol, "max_iter": int(estimator.max_iter)}
    runs = run_starts(sites, layout, int(estimator.n_clusters), estimator._model, estimator.random_state, limits)
    best = min(runs, key=minus_bound)
    if not best.converged:
        warn_not_converged(type(estimator).__name__, estimator.max_iter)
    pi, table = best.state
    model = {"pi": pi, "table": table, "history": list(best.history), "converged": best.converged}
    return {**model, "n_clusters": len(pi)}


def run_starts(
    sites: Sites, layout: Ensemble, k: int, model: MixtureModel, random_state: Any, limits: dict[str, Any]
) -> list[EMRun]:
    """EM from each start; its clusters are then split at the sites and merged again, as long as that helps."""
    seed, value, runs = int(draw_seeds(random_state, 1)[0]), mixture_value(layout), []
    for start in hard_starts(sites, layout, k, seed, value):

        def climb(first: MixtureState, n: float = start.n) -> EMRun:
            return run_rows(sites, first, model, layout=layout, n=n, **limits)

        best = climb(state_of_counts(start.size, start.mass, layout, START_NOISE))
        for number in range(_ROUNDS):
            proposed = split_sites(sites, *log_tables(best.state, layout.cell_weights), seed + number)
            clusters = merge_clusters(side_by_side(proposed, MOST), value, k)
            again = climb(state_of_counts(*clusters, layout, START_NOISE))
            if again.history[-1] <= best.history[-1] + limits["tol"] * abs(best.history[-1]):
                break
            best = again
        runs.append(best)
    return runs


def restore(estimator: Any, rows: LabelledRows, model: Model, memory: SiteMemory) -> Consensus:
    """A fitted estimator of the site's rows."""
    k, t = number_of(model, "n_clusters", 1, MOST_CLUSTERS), rows.ensemble.n_cells
    state = MixtureState(array_of(model, "pi", k), array_of(model, "table", t, k))
    history = array_of(model, "history", None).tolist()
    found: Consensus = estimator._keep(rows.ensemble, EMRun(state, None, history, bool(model["converged"])))
    return found


METHOD = RowMethod(fit, restore)
