"""Collapsed variational Bayes: q(Z) = prod_n q(z_n), pi and theta integrated out (eqs. N34 to N38).

    gamma_nk prop. to exp E[ log p(z_n = k | Z without n) ]

with E log(x + N) approximated by log(x + E N), or to the second order. Rows are updated one after another. Equal rows
share one gamma and are updated together: the way there differs from updating objects one by one, the fixed points do
not.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import entr

from partita._kernels import nbce_cvb as kernel
from partita._labels.ensemble import Ensemble
from partita._runs import Progress, Round, race, warn_not_converged
from partita._typing import FloatArray, IntArray
from partita.consensus.models._em import minus_bound
from partita.consensus.nbce._hyperparameters import estimate_parameters
from partita.consensus.nbce._joint import NBCEModel, Occupancy, log_joint, mean_table, mean_weights
from partita.consensus.nbce._label_search import LabelledRows, occupancy_of_weights
from partita.consensus.nbce._posterior import NBCEPosterior, mean_logs
from partita.consensus.nbce._variational_starts import VariationalSettings, race_of_searches

_TURNS = 5  # sweeps over rows that still move between two over all: more save time, but settled rows wait longer
_STILL = 10  # a row that changes by less than tol / 10 waits for the next sweep over all
_SHARE = 1e-6  # smallest probability that an object may have left in other clusters when one is taken out
_BLOCK = 8192  # rows of which the entropy is computed at a time, so that no second (n_rows, K) array is needed


class CVBSolution(NamedTuple):
    """Where the updates ended."""

    gamma: FloatArray  # (n_rows, k) of the clusters that may have objects; the others are empty
    occupancy: Occupancy  # expected: all K sizes, and the labels of these clusters
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
    """Sweep from the clusters that each start's search found; the last seed is of the sample and the order of rows."""
    K, seed = settings.n_clusters(ensemble), int(seeds[-1])
    solve = partial(
        solve_cvb,
        n_clusters=K,
        second_order=second_order,
        estimate=settings.estimate,
        tol=settings.tol,
        max_iter=settings.max_iter,
        seed=seed,
        bar=bar,
    )

    def finish(found: LabelledRows) -> CVBSolution:
        gamma = np.eye(int(found.labels.max()) + 1)[found.labels]
        return drop_clusters(ensemble, solve(ensemble, found.model, gamma), solve)

    searched = race_of_searches(ensemble, model, settings, K, seeds)
    best = race(searched, [Round(finish, 1)], settings.n_jobs, lowest=minus_bound)[0]
    if not best.converged:
        warn_not_converged("NBCE with inference='cvb'", settings.max_iter)
    return _summarise(best)


def solve_cvb(
    ensemble: Ensemble,
    model: NBCEModel,
    gamma: FloatArray,
    *,
    n_clusters: int,
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
        kernel.sweep_cvb(rows, state, model.alpha0, model.beta, n_clusters, model.prior == "tsb", active, changes)
        bar.update(1)
        if active is everything:
            kernel.sum_up_cvb(rows, state)
            occupancy = Occupancy(_padded(state.size[0], n_clusters), state.label_size[0].copy())
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


def _padded(values: FloatArray, length: int) -> FloatArray:
    """With zeros for the empty clusters, along the last axis."""
    return np.concatenate([values, np.zeros((*values.shape[:-1], length - values.shape[-1]))], axis=-1)


# ------------------------------------------------------------------------------------------------ taking clusters out
def drop_clusters(
    ensemble: Ensemble, solution: CVBSolution, solve: Callable[[Ensemble, NBCEModel, FloatArray], CVBSolution]
) -> CVBSolution:
    """Take out clusters, from small to large, as long as the bound that is reached without them is higher.

    The approximations favour small clusters, zero order above all, and keep some without which the bound is higher.
    """
    while solution.converged:
        from_small = np.argsort(solution.occupancy.size[: solution.gamma.shape[1]], kind="stable")[:-1]
        higher = (_without(ensemble, solution, int(cluster), solve) for cluster in from_small)
        found = next((trial for trial in higher if trial is not None), None)
        if found is None:
            break
        solution = found
    return solution


def _without(
    ensemble: Ensemble, solution: CVBSolution, cluster: int, solve: Callable[..., CVBSolution]
) -> CVBSolution | None:
    """The fixed point without a cluster, if its bound is higher."""
    gamma = np.delete(solution.gamma, cluster, axis=1)
    total = gamma.sum(axis=1, keepdims=True)
    if (total < _SHARE).any():  # a row fits nowhere else
        return None
    gamma /= total
    occupancy = occupancy_of_weights(ensemble, ensemble.row_weights[:, None] * gamma, len(solution.occupancy.size))
    bound = log_joint(occupancy, solution.model) + entropy(gamma, ensemble.row_weights)
    if bound <= solution.history[-1]:
        return None
    found = solve(ensemble, solution.model, gamma)
    if found.history[-1] <= solution.history[-1]:
        return None
    return found._replace(history=[*solution.history, found.history[-1]], n_iter=solution.n_iter + found.n_iter)


# --------------------------------------------------------------------------------------------------- the posterior
def _summarise(solution: CVBSolution) -> NBCEPosterior:
    """The clusters that are the most probable ones of a row, and q with the others left out."""
    used = np.unique(solution.gamma.argmax(axis=1))
    membership = solution.gamma[:, used] / solution.gamma[:, used].sum(axis=1, keepdims=True)
    size, model = solution.occupancy.size, solution.model
    theta, pi = mean_table(_padded(solution.occupancy.label_size, len(size)), model), mean_weights(size, model)
    logs = mean_logs(theta, pi, model)
    return NBCEPosterior(
        labels=membership.argmax(axis=1),
        membership=membership,
        theta=theta[:, used],
        pi=pi[used],
        model=model,
        placing=logs.of(used),
        predictive=[logs],
        history=solution.history,
        n_iter=solution.n_iter,
        converged=solution.converged,
        lower_bound=solution.history[-1],
    )
