"""Collapsed variational Bayes: q(Z) = prod_n q(z_n), pi and theta integrated out (eqs. N34 to N38).

    gamma_nk prop. to exp E[ log p(z_n = k | Z without n) ]

with E log(x + N) approximated by log(x + E N), or to the second order. Rows are updated one after another. Equal rows
share one gamma and are updated together: the way there differs from updating objects one by one, the fixed points do
not.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import entr

from partita._kernels import nbce_cvb as kernel
from partita._labels.ensemble import Ensemble
from partita._runs import Progress, sample_for_starts, warn_not_converged
from partita._typing import Array, FloatArray, IntArray
from partita.base import number_by_size
from partita.consensus.models._em import STARTS
from partita.consensus.nbce._joint import (
    NBCEModel,
    Occupancy,
    estimate_parameters,
    log_joint,
    mean_table,
    mean_weights,
)
from partita.consensus.nbce._posterior import ClusterLogs, NBCEPosterior, mean_logs, place
from partita.consensus.nbce._variational_starts import SHORT, VariationalSettings, best_start

_NOISE = 0.1  # share of equal probabilities in a start: rows must be able to leave their cluster
_TURNS = 5  # sweeps over rows that still move between two over all: more save time, but settled rows wait longer
_STILL = 10  # a row that changes by less than tol / 10 waits for the next sweep over all
_SHARE = 1e-6  # smallest probability that an object may have left in other clusters when one is taken out
_BLOCK = 8192  # rows of which the entropy is computed at a time, so that no second (n_rows, K) array is needed


class CVBSolution(NamedTuple):
    """Where the updates ended."""

    gamma: FloatArray  # (n_rows, K)
    occupancy: Occupancy  # expected
    model: NBCEModel
    history: list[float]  # variational bound after each sweep over all rows
    n_iter: int  # sweeps, over all rows or over those that still moved
    converged: bool


def cvb(
    ensemble: Ensemble,
    model: NBCEModel,
    settings: VariationalSettings,
    seeds: IntArray,
    bar: Progress,
    *,
    second_order: bool,
) -> NBCEPosterior:
    """Continue from the best of several starts, then try without clusters; the last seed is of sample and order."""
    K, seed = settings.n_clusters(ensemble), int(seeds[-1])
    few = sample_for_starts(ensemble, seed)
    solve = partial(
        solve_cvb, second_order=second_order, estimate=settings.estimate, tol=settings.tol, seed=seed, bar=bar
    )

    def run(start: tuple[int, int]) -> CVBSolution:
        return solve(few, model, start_gamma(few, K, settings.init, *start), max_iter=min(SHORT, settings.max_iter))

    best = best_start(run, K, few.n_rows, seeds[:-1], settings.n_jobs)
    if few is not ensemble:
        best = solve(ensemble, best.model, place(ensemble, _logs(best)), max_iter=settings.max_iter)
    elif not best.converged and settings.max_iter > SHORT:
        rest = solve(few, best.model, best.gamma, max_iter=settings.max_iter - best.n_iter)
        best = rest._replace(history=best.history + rest.history, n_iter=best.n_iter + rest.n_iter)
    best = drop_clusters(ensemble, best)
    if not best.converged:
        warn_not_converged("NBCE with inference='cvb'", settings.max_iter)
    return _summarise(best)


def start_gamma(few: Ensemble, K: int, init: str, n_clusters: int, seed: int) -> FloatArray:
    """Probabilities that are near the clusters of a start, the largest first."""
    labels = number_by_size(STARTS[init](few, n_clusters, seed).labels.astype(np.int64), few.row_weights, ties="number")
    gamma = np.zeros((few.n_rows, K))
    gamma[:, :n_clusters] = _NOISE / n_clusters
    gamma[np.arange(few.n_rows), labels] += 1 - _NOISE
    return gamma


def solve_cvb(
    ensemble: Ensemble,
    model: NBCEModel,
    gamma: FloatArray,
    *,
    second_order: bool,
    estimate: tuple[bool, bool],
    tol: float,
    max_iter: int,
    seed: int,
    bar: Progress,
) -> CVBSolution:
    """Sweep until no probability changes by more than ``tol``; ``estimate`` alpha0, beta by the bound if asked."""
    rows, state = cvb_rows(ensemble), cvb_state(ensemble, gamma, second_order=second_order)
    kernel.sum_up_cvb(rows, state)
    everything = np.random.default_rng(seed).permutation(len(gamma))
    changes, active, since_all = np.zeros(len(gamma)), everything, 0
    history: list[float] = []
    for n_iter in range(1, max_iter + 1):
        kernel.sweep_cvb(rows, state, model.alpha0, model.beta, model.prior == "tsb", active, changes)
        bar.update(1)
        if active is everything:
            kernel.sum_up_cvb(rows, state)
            occupancy = Occupancy(state.size[0].copy(), state.label_size[0].copy())
            model = estimate_parameters(occupancy, model, *estimate)
            history.append(log_joint(occupancy, model) + entropy(gamma, ensemble.row_weights))
            if changes.max() < tol:
                return CVBSolution(gamma, occupancy, model, history, n_iter, True)
        # rows that hardly moved wait until all have a turn again: most are settled long before the last
        since_all = 0 if active is everything else since_all + 1
        active = active[changes[active] > tol / _STILL]
        if since_all >= _TURNS or len(active) == 0 or n_iter == max_iter - 1:
            active = everything
    return CVBSolution(gamma, occupancy, model, history, max_iter, False)


def cvb_rows(ensemble: Ensemble) -> kernel.CvbRows:
    """Rows as the kernel needs them."""
    return kernel.CvbRows(
        ensemble.row_starts,
        ensemble.row_cells,
        ensemble.row_clusterings,
        ensemble.row_weights,
        ensemble.clustering_weights,
        ensemble.n_labels.astype(np.float64),
    )


def cvb_state(ensemble: Ensemble, gamma: FloatArray, *, second_order: bool) -> kernel.CvbState:
    """State of the kernel, before it is summed up; it works in ``gamma``."""
    K, n_orders = gamma.shape[1], 2 if second_order else 1
    return kernel.CvbState(
        gamma,
        np.zeros((2, K)),
        np.zeros((2, K)),
        np.zeros((n_orders, ensemble.n_cells, K)),
        np.zeros((n_orders, ensemble.n_clusterings, K)),
    )


def entropy(gamma: FloatArray, row_weights: FloatArray) -> float:
    """Of q(Z), over weighted rows."""
    blocks = (slice(lo, lo + _BLOCK) for lo in range(0, len(gamma), _BLOCK))
    return float(sum(row_weights[block] @ entr(gamma[block]).sum(axis=1) for block in blocks))


# ------------------------------------------------------------------------------------------------ taking clusters out
def drop_clusters(ensemble: Ensemble, solution: CVBSolution) -> CVBSolution:
    """Take out clusters as long as that raises the bound: those that are the most probable of no row, then small ones.

    The approximations favour small clusters, zero order above all, and keep some without which the bound is higher.
    """
    used = np.bincount(solution.gamma.argmax(axis=1), minlength=solution.gamma.shape[1]) > 0
    solution = _take_out(ensemble, solution, ~used)
    for cluster in np.flatnonzero(used)[np.argsort(solution.occupancy.size[used], kind="stable")][:-1]:
        solution = _take_out(ensemble, solution, np.arange(len(used)) == cluster)
    return solution


def _take_out(ensemble: Ensemble, solution: CVBSolution, out: Array) -> CVBSolution:
    """The solution without some clusters, if its bound is higher."""
    gamma = np.where(out, 0.0, solution.gamma)
    total = gamma.sum(axis=1, keepdims=True)
    if (total < _SHARE).any():  # a row fits nowhere else
        return solution
    gamma /= total
    weighted = ensemble.row_weights[:, None] * gamma
    occupancy = Occupancy(weighted.sum(axis=0), np.asarray(ensemble.indicator.T @ weighted))
    bound = log_joint(occupancy, solution.model) + entropy(gamma, ensemble.row_weights)
    if bound <= solution.history[-1]:
        return solution
    return solution._replace(gamma=gamma, occupancy=occupancy, history=[*solution.history, bound])


# --------------------------------------------------------------------------------------------------- the posterior
def _means(solution: CVBSolution) -> tuple[FloatArray, FloatArray]:
    """E[theta] and E[pi] given the expected occupancy."""
    size, label_size = solution.occupancy
    return mean_table(label_size, solution.model), mean_weights(size, solution.model)


def _logs(solution: CVBSolution) -> ClusterLogs:
    return mean_logs(*_means(solution), solution.model)


def _summarise(solution: CVBSolution) -> NBCEPosterior:
    """The clusters that are the most probable ones of a row, and q with the others left out."""
    used = np.unique(solution.gamma.argmax(axis=1))
    membership = solution.gamma[:, used] / solution.gamma[:, used].sum(axis=1, keepdims=True)
    theta, pi = _means(solution)
    logs = mean_logs(theta, pi, solution.model)
    return NBCEPosterior(
        labels=membership.argmax(axis=1),
        membership=membership,
        theta=theta[:, used],
        pi=pi[used],
        model=solution.model,
        placing=logs.of(used),
        predictive=[logs],
        history=solution.history,
        n_iter=solution.n_iter,
        converged=solution.converged,
        lower_bound=solution.history[-1],
    )
