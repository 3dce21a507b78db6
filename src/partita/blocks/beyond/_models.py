"""Models of the labels on parts of the rows: searched on a sample, then EM over all parts (eqs. B2 to B4).

EM needs of the rows only sums. Every E-step begins anew from the parameters: nothing is kept for the rows, so that a
lost worker or an interruption costs time and changes nothing. BCE, whose rows could begin where the last E-step left
them, begins each of them at three places and keeps the best end.
"""

from operator import itemgetter
from typing import Any

import numpy as np

from partita._kernels.bce import MembershipSums
from partita._labels.ensemble import Ensemble
from partita._runs import draw_seeds, progress, warn_not_converged
from partita._typing import FloatArray
from partita.base import LabelledRows
from partita.blocks._engine import Sums
from partita.blocks.beyond._parts import Fitted, RowParts, weight_of_objects
from partita.consensus.models._bce import TRACE
from partita.consensus.models._bce_gibbs import refuse_sampling
from partita.consensus.models._bce_steps import (
    SETTLED,
    BCEColumns,
    BCEState,
    better_gamma,
    climb_bce,
    e_step,
    label_problem,
    penalised_bound,
)
from partita.consensus.models._em import SHARE, EMRun, minus_bound, shares_of, warn_one_clustering
from partita.consensus.models._fitted_rows import FittedRows
from partita.consensus.models._mixture import MixtureStats, StatsOf, as_rows, climb_mixture, expect_all
from partita.consensus.nbce._posterior import ClusterLogs
from partita.consensus.nbce._variational_starts import race_of_searches
from partita.consensus.nbce._vb import climb_vb, expected_logs, most_probable, run_vb, state_of, summarise


def with_labels_of_all(state: Any, mass: FloatArray, layout: Ensemble, share: float) -> Any:
    """The state of a sample with a little of what all objects have: no label is impossible (eq. M6)."""
    return state._replace(table=(1 - share) * state.table + share * shares_of(mass, layout)[:, None])


# ------------------------------------------------------------------------------------------- mixture of multinomials
def expect_mixture(rows: Ensemble, logs: tuple[FloatArray, FloatArray]) -> Sums:
    """E-step of the rows of a part."""
    stats = expect_all(as_rows(rows), *logs, None)
    return {"mass": stats.mass, "label_mass": stats.label_mass, "value": np.array([stats.log_likelihood])}


def stats_of_parts(parts: RowParts, bar: Any) -> StatsOf:
    """The E-step of all parts."""

    def stats_of(log_table: FloatArray, log_weights: FloatArray) -> MixtureStats:
        total = parts.total("mixture", expect_mixture, (log_table, log_weights))
        bar.update(1)
        return MixtureStats(total["mass"], total["label_mass"], float(total["value"][0]))

    return stats_of


def fit_mixture(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """The best run on a sample, and EM on all rows from its end."""
    warn_one_clustering(estimator, sample.ensemble)
    layout, mass = parts.layout, weight_of_objects(parts)
    with progress(None, "mixture model", show=bool(estimator.verbose)) as bar:
        found = estimator._best_run(sample, bar)
        first = with_labels_of_all(found.state, mass, layout, SHARE)
        best = climb_mixture(
            stats_of_parts(parts, bar),
            first,
            estimator._model,
            layout=layout,
            n=float(parts.n),
            tol=estimator.tol,
            max_iter=estimator.max_iter,
        )
    estimator._layout = layout
    keep_run(estimator, best)
    return Fitted(len(best.state.pi), best.state.pi)


def keep_run(estimator: Any, best: EMRun) -> None:
    """What a fitted model has of its run."""
    if not best.converged:
        warn_not_converged(type(estimator).__name__, estimator.max_iter)
    estimator._state = best.state
    estimator.history_, estimator.lower_bound_ = best.history, best.history[-1]
    estimator.n_iter_, estimator.converged_ = len(best.history), best.converged


# ----------------------------------------------------------------------------------------------------------------- BCE
class NoMemory:
    """In place of gamma: rows keep nothing between two E-steps."""

    def copy(self) -> "NoMemory":
        """Nothing is held."""
        return self

    def __setitem__(self, place: Any, values: Any) -> None:
        """Nothing is to be restored."""


def expect_memberships(rows: Ensemble, values: tuple[BCEState, float, int]) -> Sums:
    """E-step of the rows of a part, each from the best of three starts."""
    state, smoothing, n_steps = values
    problem = label_problem(rows, BCEColumns(rows.layout, smoothing))
    gamma = better_gamma(problem, state, n_steps)
    sums = e_step(problem, state, gamma, np.empty(len(gamma)), n_steps=1, tol=SETTLED)
    return {"labels": sums.labels, "log_theta": sums.log_theta, "bound": sums.bound}


def fit_bce(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """The best run on a sample, and variational EM on all rows from its end."""
    refuse_sampling(estimator, "a fit of more rows than fit in memory")
    layout, mass = parts.layout, weight_of_objects(parts)
    columns = BCEColumns(layout, estimator.smoothing)
    with progress(None, "Bayesian cluster ensemble", show=bool(estimator.verbose)) as bar:
        found = estimator._best_run(estimator._problem(sample), sample, bar)
        first = with_labels_of_all(found.state, mass, layout, TRACE)

        tried: list[tuple[float, BCEState]] = []

        def sums_of(state: BCEState, n_steps: int) -> MembershipSums:
            total = parts.total("bce", expect_memberships, (state, estimator.smoothing, n_steps))
            bar.update(1)
            no_features = np.zeros((3, 0, len(state.alpha)))
            sums = MembershipSums(total["labels"], no_features, total["log_theta"], total["bound"])
            tried[1:] = [(penalised_bound(state, sums, columns), state)]
            tried[:] = [max(tried, key=itemgetter(0))]
            return sums

        best = climb_bce(
            sums_of,
            NoMemory(),
            first,
            columns=columns,
            n=float(parts.n),
            tol=estimator.tol,
            max_iter=estimator.max_iter,
        )
    value, state = tried[0]
    if value > best.history[-1]:  # rows can change to other fixed points, and the bound fall a little
        best = best._replace(state=state, history=[*best.history, value])
    keep_run(estimator, best)
    alpha = best.state.alpha
    estimator._columns, estimator._rows_elsewhere = columns, True
    estimator._fitted = FittedRows(layout.codes, np.empty((0, 0)), np.empty((0, len(alpha))))
    return Fitted(len(alpha), alpha / alpha.sum())


# ---------------------------------------------------------------------------------------------------------------- NBCE
def count_used(rows: Ensemble, logs: ClusterLogs) -> Sums:
    """Weight of the rows whose most probable cluster is each one."""
    labels = most_probable(rows, logs)
    return {"size": np.bincount(labels, rows.row_weights, minlength=len(logs.log_pi)).astype(np.float64)}


def fit_nbce(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """Clusters that searches found in a sample, and variational Bayes on all rows from there."""
    if estimator.inference != "vb":
        raise ValueError(
            f"NBCE(inference={estimator.inference!r}) goes from object to object and needs all distinct rows in "
            "memory; pass NBCE(inference='vb')."
        )
    warn_one_clustering(estimator, sample.ensemble)
    model, estimate = estimator._prior_model(parts.layout)
    settings = estimator._variational(estimate)
    seeds, K = draw_seeds(estimator.random_state, estimator.n_init + 1), settings.n_clusters(sample.ensemble)
    with progress(None, "nonparametric Bayesian cluster ensemble", show=bool(estimator.verbose)) as bar:
        searched = race_of_searches(sample.ensemble, model, settings, K, seeds)
        ends = [run_vb(sample.ensemble, state_of(sample.ensemble, found, K), settings, bar) for found in searched]
        first = min(ends, key=minus_bound).state
        best = climb_vb(stats_of_parts(parts, bar), first, settings, float(parts.n))
    if not best.converged:
        warn_not_converged("NBCE with inference='vb'", settings.max_iter)
    used = np.flatnonzero(parts.total("clusters in use", count_used, expected_logs(best.state))["size"] > 0)
    found = estimator._keep(sample, summarise(parts.layout, best, used))
    estimator._coassignment = None
    return Fitted(len(used), found.prior)
