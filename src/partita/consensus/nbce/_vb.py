"""Variational Bayes with a finite symmetric Dirichlet (eqs. N27 to N33).

q = Dirichlet(pi; xi) prod Dirichlet(theta_km; rho_km) prod Categorical(z_n; gamma_n).

    gamma_nk prop. to exp{ sum_{m observed} E[log theta_km,y_nm] + E[log pi_k] }
    rho_kmj = b + sum_n gamma_nk 1[y_nm = j],      xi_k = a0 / K + sum_n gamma_nk

The E-step is that of a mixture of multinomials with E[log theta], E[log pi] for the logs of its parameters. With gamma
at its best for given rho, xi the bound is sum_n log sum_k exp{...} minus the divergences of q from the priors.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, psi

from partita._labels.ensemble import Ensemble
from partita._runs import Progress, Round, block_edges, race, warn_not_converged
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.models._em import EMRun, climb, column_sums, minus_bound
from partita.consensus.models._mixture import MixtureStats, StatsOf, as_rows, expect_all
from partita.consensus.nbce._hyperparameters import estimate_parameters
from partita.consensus.nbce._joint import NBCEModel, Occupancy
from partita.consensus.nbce._label_search import LabelledRows, hard_occupancy
from partita.consensus.nbce._posterior import ClusterLogs, NBCEPosterior, mean_logs, place
from partita.consensus.nbce._variational_starts import VariationalSettings, race_of_searches


class VBState(NamedTuple):
    """Variational parameters, and those of the priors."""

    xi: FloatArray  # (K,)
    rho: FloatArray  # (n_cells, K)
    model: NBCEModel


def vb(
    ensemble: Ensemble, model: NBCEModel, settings: VariationalSettings, seeds: IntArray, bar: Progress
) -> NBCEPosterior:
    """Climb from the clusters that each start's search found, and keep the highest; the last seed is of the sample."""
    K = settings.n_clusters(ensemble)
    searched = race_of_searches(ensemble, model, settings, K, seeds)
    alone = settings._replace(n_jobs=None if len(searched) > 1 else settings.n_jobs)  # threads go to the starts

    def finish(found: LabelledRows) -> EMRun:
        return run_vb(ensemble, state_of(ensemble, found, K), alone, bar)

    best = race(searched, [Round(finish, 1)], settings.n_jobs, lowest=minus_bound)[0]
    if not best.converged:
        warn_not_converged("NBCE with inference='vb'", settings.max_iter)
    used = np.unique(most_probable(ensemble, expected_logs(best.state)))
    return summarise(ensemble, best, used)


# ------------------------------------------------------------------------------------------------- state and bound
def expected_logs(state: VBState) -> ClusterLogs:
    """E[log theta], times the weights of the clusterings, and E[log pi]."""
    log_table, log_weights = _expectations(state)
    return ClusterLogs(log_table * state.model.cell_weights[:, None], log_weights)


def _expectations(state: VBState) -> tuple[FloatArray, FloatArray]:
    """E[log theta] (n_cells, K) and E[log pi] (K,)."""
    layout = state.model.layout
    log_table = psi(state.rho) - psi(column_sums(state.rho, layout))[layout.cell_clustering]
    return np.asarray(log_table), np.asarray(psi(state.xi) - psi(state.xi.sum()))


def lower_bound(state: VBState, stats: MixtureStats) -> float:
    """Bound at the state from which the statistics were made, eq. N29."""
    log_table, log_weights = _expectations(state)
    return stats.log_likelihood - divergence_of_weights(state, log_weights) - divergence_of_labels(state, log_table)


def divergence_of_weights(state: VBState, log_weights: FloatArray) -> float:
    """KL of Dirichlet(xi) from Dirichlet(a0 / K)."""
    a0, K = state.model.alpha0, len(state.xi)
    own = gammaln(state.xi.sum()) - gammaln(state.xi).sum() + (state.xi - 1) @ log_weights
    prior = gammaln(a0) - K * gammaln(a0 / K) + (a0 / K - 1) * log_weights.sum()
    return float(own - prior)


def divergence_of_labels(state: VBState, log_table: FloatArray) -> float:
    """Weighted sum over clusterings and clusters of KL of Dirichlet(rho) from Dirichlet(b)."""
    model, b = state.model, state.model.beta
    K = state.rho.shape[1]
    of_totals = gammaln(column_sums(state.rho, model.layout)).sum(axis=1) - K * gammaln(model.n_labels * b)
    of_labels = ((state.rho - b) * log_table - gammaln(state.rho)).sum(axis=1) + K * gammaln(b)
    return float(model.clustering_weights @ of_totals + model.cell_weights @ of_labels)


# ------------------------------------------------------------------------------------------------------ the climb
def run_vb(ensemble: Ensemble, state: VBState, settings: VariationalSettings, bar: Progress) -> EMRun:
    """Alternate eqs. N27 and N28 until the bound hardly rises."""
    rows = as_rows(ensemble)

    def stats_of(log_table: FloatArray, log_weights: FloatArray) -> MixtureStats:
        return expect_all(rows, log_table, log_weights, settings.n_jobs)

    return climb_vb(stats_of, state, settings, float(ensemble.row_weights.sum()), bar)


def climb_vb(
    stats_of: StatsOf, state: VBState, settings: VariationalSettings, n: float, bar: Progress | None = None
) -> EMRun:
    """The same for rows of weight ``n`` that are anywhere."""

    def expect(state: VBState) -> tuple[MixtureStats, float]:
        stats = stats_of(*expected_logs(state))
        return stats, lower_bound(state, stats)

    step = partial(update_vb, estimate=settings.estimate)
    return climb(expect, step, state, tol=settings.tol, max_iter=settings.max_iter, n=n, bar=bar)


def update_vb(state: VBState, stats: MixtureStats, *, estimate: tuple[bool, bool]) -> VBState:
    """Rho and xi, with alpha0 and beta if they are to be estimated, of the highest bound for the gamma of the stats."""
    model = estimate_parameters(Occupancy(stats.mass, stats.label_mass), state.model, *estimate)
    return VBState(model.alpha0 / len(state.xi) + stats.mass, model.beta + stats.label_mass, model)


def state_of(ensemble: Ensemble, found: LabelledRows, K: int) -> VBState:
    """The best xi and rho for rows of known clusters (eq. N28)."""
    size, label_size = hard_occupancy(ensemble, found.labels, K)
    table = np.zeros((len(label_size), K))
    table[:, : label_size.shape[1]] = label_size
    return VBState(found.model.alpha0 / K + size, found.model.beta + table, found.model)


# --------------------------------------------------------------------------------------------------- the posterior
def summarise(ensemble: Ensemble, run: EMRun, used: IntArray) -> NBCEPosterior:
    """The clusters that are the most probable ones of an object, and q with the others left out."""
    xi, rho, model = run.state
    layout, logs = model.layout, expected_logs(run.state)
    theta, pi = rho / column_sums(rho, layout)[layout.cell_clustering], xi / xi.sum()
    placing = logs.of(used)
    membership = place(ensemble, placing)
    return NBCEPosterior(
        labels=membership.argmax(axis=1),
        membership=membership,
        theta=theta[:, used],
        pi=pi[used],
        model=model,
        placing=placing,
        predictive=[mean_logs(theta, pi, model)],
        history=run.history,
        n_iter=len(run.history),
        converged=run.converged,
        lower_bound=run.history[-1],
    )


def most_probable(ensemble: Ensemble, logs: ClusterLogs) -> Array:
    """Most probable cluster of each row, in blocks: with K = 100 the probabilities would take more than the labels."""
    edges = block_edges(ensemble.n_rows, len(logs.log_theta))
    return np.concatenate([place(ensemble.with_rows(ensemble.codes[lo:hi]), logs).argmax(axis=1) for lo, hi in edges])
