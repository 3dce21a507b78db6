"""Variational Bayes with a finite symmetric Dirichlet   (5.4).

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
from partita._runs import Progress
from partita._typing import FloatArray
from partita.consensus.models._em import STARTS, EMRun, climb, column_sums
from partita.consensus.models._multinomial_mixture import MixtureStats, as_rows, expect_all
from partita.consensus.nbce._joint import Counts, NBCEModel, estimate_parameters
from partita.consensus.nbce._search import Search

_SMALL = 0.05  # share of the objects below which a cluster is small
_SHORT = 20  # iterations of each start, before the best goes on


class VBState(NamedTuple):
    """Variational parameters, and those of the priors."""

    xi: FloatArray  # (K,)
    rho: FloatArray  # (n_cells, K)
    model: NBCEModel


def expected_logs(state: VBState) -> tuple[FloatArray, FloatArray]:
    """E[log theta] (n_cells, K) and E[log pi] (K,)."""
    layout = state.model.layout
    log_table = psi(state.rho) - psi(column_sums(state.rho, layout))[layout.cell_clustering]
    return np.asarray(log_table), np.asarray(psi(state.xi) - psi(state.xi.sum()))


def lower_bound(state: VBState, stats: MixtureStats) -> float:
    """Bound at the state from which the statistics were made."""
    log_table, log_weights = expected_logs(state)
    return stats.log_likelihood - _divergence_of_weights(state, log_weights) - _divergence_of_labels(state, log_table)


def _divergence_of_weights(state: VBState, log_weights: FloatArray) -> float:
    """KL of Dirichlet(xi) from Dirichlet(a0 / K)."""
    a0, K = state.model.alpha0, len(state.xi)
    own = gammaln(state.xi.sum()) - gammaln(state.xi).sum() + (state.xi - 1) @ log_weights
    prior = gammaln(a0) - K * gammaln(a0 / K) + (a0 / K - 1) * log_weights.sum()
    return float(own - prior)


def _divergence_of_labels(state: VBState, log_table: FloatArray) -> float:
    """Weighted sum over clusterings and clusters of KL of Dirichlet(rho) from Dirichlet(b)."""
    model, b = state.model, state.model.beta
    K = state.rho.shape[1]
    of_totals = gammaln(column_sums(state.rho, model.layout)).sum(axis=1) - K * gammaln(model.n_labels * b)
    of_labels = ((state.rho - b) * log_table - gammaln(state.rho)).sum(axis=1) + K * gammaln(b)
    return float(model.weights @ of_totals + model.cell_weight @ of_labels)


def update(state: VBState, stats: MixtureStats, *, estimate: tuple[bool, bool]) -> VBState:
    """Rho and xi, with alpha0 and beta if they are to be estimated, of the highest bound for the gamma of the stats."""
    model = estimate_parameters(Counts(stats.mass, stats.label_mass), state.model, *estimate)
    return VBState(model.alpha0 / len(state.xi) + stats.mass, model.beta + stats.label_mass, model)


def means(state: VBState) -> tuple[FloatArray, FloatArray]:
    """E[theta] and E[pi]."""
    layout = state.model.layout
    return state.rho / column_sums(state.rho, layout)[layout.cell_clustering], state.xi / state.xi.sum()


def fit(ensemble: Ensemble, model: NBCEModel, search: Search, bar: Progress) -> EMRun:
    """The best of several starts, gone on with all objects if the starts competed on a sample."""
    few, K = search.few_objects(ensemble), search.n_clusters

    def run(task: tuple[int, int]) -> EMRun:
        start = STARTS[search.init](few, *task)
        mass, table = np.zeros(K), np.zeros((model.layout.n_cells, K))
        mass[: task[0]] = start.weights * few.row_weights.sum()
        table[:, : task[0]] = start.table
        state = VBState(model.alpha0 / K + mass, model.beta + table * mass, model)
        return _climb(few, state, search._replace(max_iter=min(_SHORT, search.max_iter), n_jobs=None), bar)

    best: EMRun = search.best(run, len(few.codes))
    if few is ensemble:
        if best.converged or search.max_iter <= _SHORT:
            return _drop_clusters(few, best, search, bar)
        rest = _climb(few, best.state, search._replace(max_iter=search.max_iter - len(best.history) + 1), bar)
        return _drop_clusters(few, rest._replace(history=best.history + rest.history[1:]), search, bar)
    xi, rho, found = best.state
    grown = float(ensemble.row_weights.sum() / few.row_weights.sum())
    prior = VBState(np.full(K, found.alpha0 / K), np.full(rho.shape, found.beta), found)
    state = VBState(
        prior.xi + grown * np.maximum(xi - prior.xi, 0.0), prior.rho + grown * np.maximum(rho - prior.rho, 0.0), found
    )
    return _drop_clusters(ensemble, _climb(ensemble, state, search, bar), search, bar)


def _drop_clusters(ensemble: Ensemble, run: EMRun, search: Search, bar: Progress) -> EMRun:
    """Take out small clusters, one at a time, as long as the bound that is reached without them is higher."""
    for _ in range(search.n_clusters):
        mass = run.state.xi - run.state.model.alpha0 / search.n_clusters
        small = np.flatnonzero((mass > 0.5) & (mass < _SMALL * mass.sum()))
        for cluster in small[np.argsort(mass[small], kind="stable")]:
            found = _climb(ensemble, _without(run.state, int(cluster)), search, bar)
            if found.history[-1] > run.history[-1] + search.tol * abs(run.history[-1]):
                run = found._replace(history=[*run.history, found.history[-1]])
                break
        else:
            break
    return run


def _without(state: VBState, cluster: int) -> VBState:
    """The state with a cluster as empty as the prior makes it."""
    xi, rho = state.xi.copy(), state.rho.copy()
    xi[cluster], rho[:, cluster] = state.model.alpha0 / len(xi), state.model.beta
    return VBState(xi, rho, state.model)


def _climb(ensemble: Ensemble, state: VBState, search: Search, bar: Progress) -> EMRun:
    rows = as_rows(ensemble)

    def expect(state: VBState) -> tuple[MixtureStats, float]:
        log_table, log_weights = expected_logs(state)
        stats = expect_all(rows, log_table * state.model.cell_weight[:, None], log_weights, search.n_jobs)
        return stats, lower_bound(state, stats)

    step = partial(update, estimate=search.estimate)
    n = float(ensemble.row_weights.sum())
    return climb(expect, step, state, tol=search.tol, max_iter=search.max_iter, n=n, bar=bar)
