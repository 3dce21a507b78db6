"""Collapsed variational Bayes: q(Z) = prod_n q(z_n), pi and theta integrated out   (5.5).

    gamma_nk prop. to exp E[ log p(z_n = k | Z without n) ]

with E log(x + N) approximated by log(x + E N), or to the second order. Rows are updated one after another. Equal rows
share one gamma and are updated together: the way there differs from updating objects one by one, the fixed points do
not.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr

from partita._kernels import nbce_cvb as kernel
from partita._labels.ensemble import Ensemble
from partita._labels.partitions import number_by_size
from partita._runs import Progress
from partita._typing import Array, FloatArray
from partita.consensus.models._em import STARTS
from partita.consensus.models._multinomial_mixture import as_rows, posterior
from partita.consensus.nbce._joint import Counts, NBCEModel, estimate_parameters, log_joint, means
from partita.consensus.nbce._search import Search

_NOISE = 0.1  # of equal shares in a start
_TURNS = 5  # sweeps over rows that still move between two over all
_SHARE = 1e-6  # smallest probability that an object may have left in other clusters
_SHORT = 20  # sweeps of each start, before the best goes on
_BLOCK = 8192  # rows of which the entropy is computed at a time


class CVBSolution(NamedTuple):
    """Where the updates ended."""

    gamma: FloatArray  # (n_rows, K)
    counts: Counts  # expected
    model: NBCEModel
    history: list[float]  # variational bound after each sweep over all rows
    n_iter: int  # sweeps, over all rows or over those that still moved
    converged: bool


def solve(
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
    n_clusters, n_orders = gamma.shape[1], 2 if second_order else 1
    rows = kernel.CvbRows(
        ensemble.row_starts,
        ensemble.row_cells,
        ensemble.row_clusterings,
        ensemble.row_weights,
        ensemble.clustering_weights,
        ensemble.n_labels.astype(np.float64),
    )
    state = kernel.CvbState(
        gamma,
        np.zeros((2, n_clusters)),
        np.zeros((2, n_clusters)),
        np.zeros((n_orders, model.layout.n_cells, n_clusters)),
        np.zeros((n_orders, len(ensemble.clustering_weights), n_clusters)),
    )
    kernel.sum_up(rows, state)
    everything = np.random.default_rng(seed).permutation(len(gamma))
    changes, active, since_all = np.zeros(len(gamma)), everything, 0
    history: list[float] = []
    for n_iter in range(1, max_iter + 1):
        kernel.sweep(rows, state, model.alpha0, model.beta, model.prior == "tsb", active, changes)
        bar.update(1)
        if active is everything:
            kernel.sum_up(rows, state)
            counts = Counts(state.size[0].copy(), state.labels[0].copy())
            model = estimate_parameters(counts, model, *estimate)
            history.append(log_joint(counts, model) + entropy(gamma, ensemble.row_weights))
            if changes.max() < tol:
                return CVBSolution(gamma, counts, model, history, n_iter, True)
        # rows that hardly moved wait until all have a turn again: most are settled long before the last
        since_all = 0 if active is everything else since_all + 1
        active = active[changes[active] > tol / 10]
        if since_all >= _TURNS or len(active) == 0 or n_iter == max_iter - 1:
            active = everything
    return CVBSolution(gamma, counts, model, history, max_iter, False)


def entropy(gamma: FloatArray, weight: FloatArray) -> float:
    """Of q(Z), over weighted rows."""
    return float(
        sum(weight[lo : lo + _BLOCK] @ entr(gamma[lo : lo + _BLOCK]).sum(axis=1) for lo in range(0, len(gamma), _BLOCK))
    )


def fit(ensemble: Ensemble, model: NBCEModel, search: Search, bar: Progress, *, second_order: bool) -> CVBSolution:
    """The best of several starts, gone on with all objects if the starts competed on a sample."""
    few = search.few_objects(ensemble)
    go_on = partial(
        solve,
        second_order=second_order,
        estimate=search.estimate,
        tol=search.tol,
        seed=int(search.seeds[-1]),
        bar=bar,
    )

    def run(task: tuple[int, int]) -> CVBSolution:
        labels = number_by_size(STARTS[search.init](few, *task).labels.astype(np.int64), few.row_weights, ties="number")
        gamma = np.zeros((len(few.codes), search.n_clusters))
        gamma[:, : task[0]] = _NOISE / task[0]
        gamma[np.arange(len(labels)), labels] += 1 - _NOISE
        return go_on(few, model, gamma, max_iter=min(_SHORT, search.max_iter))

    best: CVBSolution = search.best(run, len(few.codes))
    if few is ensemble:
        if best.converged or search.max_iter <= _SHORT:
            return drop_clusters(few, best)
        end = go_on(few, best.model, best.gamma, max_iter=search.max_iter - best.n_iter)
        return drop_clusters(few, end._replace(history=best.history + end.history, n_iter=best.n_iter + end.n_iter))
    table, weights = means(best.counts, best.model)
    rows = as_rows(ensemble)
    gamma = posterior(rows, np.log(table) * model.cell_weight[:, None], np.log(np.maximum(weights, 1e-300)))[0]
    return drop_clusters(ensemble, go_on(ensemble, best.model, gamma, max_iter=search.max_iter))


def drop_clusters(ensemble: Ensemble, solution: CVBSolution) -> CVBSolution:
    """Take out clusters as long as that raises the bound: those that are nobody's first choice, then small ones.

    The approximations are kind to small clusters, zero order above all, and keep some that the bound does not want.
    """
    H = ensemble.indicator
    used = np.bincount(solution.gamma.argmax(axis=1), minlength=solution.gamma.shape[1]) > 0
    solution = _take_out(ensemble, H, solution, ~used)
    for cluster in np.flatnonzero(used)[np.argsort(solution.counts.size[used], kind="stable")][:-1]:
        alone = np.arange(len(used)) == cluster
        solution = _take_out(ensemble, H, solution, alone)
    return solution


def _take_out(ensemble: Ensemble, H: Any, solution: CVBSolution, out: Array) -> CVBSolution:
    """The solution without some clusters, if its bound is higher."""
    gamma = np.where(out, 0.0, solution.gamma)
    total = gamma.sum(axis=1, keepdims=True)
    if (total < _SHARE).any():  # an object would have nowhere to go
        return solution
    gamma /= total
    model = solution.model
    weighted = ensemble.row_weights[:, None] * gamma
    counts = Counts(weighted.sum(axis=0), np.asarray(H.T @ weighted))
    bound = log_joint(counts, model) + entropy(gamma, ensemble.row_weights)
    if bound <= solution.history[-1]:
        return solution
    return solution._replace(gamma=gamma, counts=counts, history=[*solution.history, bound])
