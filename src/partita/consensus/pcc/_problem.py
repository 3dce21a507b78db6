"""What the solvers of PCC share: the scale of the gap, descent by blocks, and what a solution is.

    f(Y) = sum over unordered pairs of N_ij d(C_ij / N_ij, y_i . y_j),   every y_i on the simplex.

At a minimum (g_i)_k is the same for all clusters k that object i uses, and not smaller for the others (KKT). The gap
of i is the largest (g_i)_k over those it uses minus the smallest over all; it is told relative to the scale
s = max(1, mean_i sum_j N_ij), because gradients grow with the numbers of objects and of clusterings.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import progress
from partita._typing import Array, FloatArray, IntArray

_SKIP = 0.5  # rows whose gap is below this share of the tolerance are passed over for a while
_REFRESH = 8  # full sweeps between two refreshes of sums that are kept up to date
_TURNS = 6  # sweeps over some rows between two over all


class Solution(NamedTuple):
    """A membership with what is known of it."""

    Y: FloatArray  # (n_rows, n_clusters)
    objective: float  # f, or f up to a constant of the ensemble
    history: list[float]
    n_iter: int
    converged: bool
    gap: float  # relative KKT gap
    isolated: Array  # (n_rows,) bool, rows without any pair


class Solver(Protocol):
    """What descent by blocks needs of a problem."""

    def sweep(self, rows: IntArray, threshold: float, gaps: FloatArray) -> None:
        """Improve rows whose gap exceeds the threshold; leave each row's gap before that in ``gaps``."""

    def objective(self) -> float:
        """Objective at the present memberships."""

    def refresh(self) -> None:
        """Make sums that are kept up to date anew, so that rounding does not pile up."""


def own_totals(ensemble: Ensemble) -> FloatArray:
    """N_ii: the weight of the clusterings that label each row."""
    total = np.zeros(ensemble.n_rows)
    for j, weight in enumerate(ensemble.clustering_weights):
        total += weight * (ensemble.codes[:, j] >= 0)
    return total


def count_copies(ensemble: Ensemble) -> FloatArray:
    """(w_i - 1) N_ii: pairs of an object with the others of its row, for rows of weight above 1."""
    return np.maximum(ensemble.row_weights - 1, 0) * own_totals(ensemble)


def totals_of_all_pairs(ensemble: Ensemble) -> FloatArray:
    """sum_{j != i} N_ij over all other objects, for an object of each row, through the clusterings."""
    own = own_totals(ensemble)
    total = np.maximum(ensemble.row_weights - 1, 0) * own - ensemble.row_weights * own
    for weight, column in zip(ensemble.clustering_weights, ensemble.codes.T, strict=True):
        seen = column >= 0
        total += weight * (ensemble.row_weights @ seen) * seen
    return np.where(total > 1e-9 * own, total, 0.0)


def scale_of(totals: FloatArray, ensemble: Ensemble) -> float:
    """S = max(1, mean_i sum_j N_ij)."""
    return max(1.0, float(totals @ ensemble.row_weights / ensemble.row_weights.sum()))


def descend(
    solver: Solver, n_rows: int, *, scale: float, tol: float, max_iter: int, show: bool, title: str
) -> tuple[list[float], int, bool, float]:
    """Sweep over the rows until the largest gap is within tol * scale.

    Rows with a small gap are skipped for some sweeps. Because the others move meanwhile, the end is only believed
    when a pass over all rows that changes nothing confirms it.
    """
    # In the canonical order neighbours are alike, and one after another they change little: measured on the paper's
    # large experiment, 23 sweeps against 3 in a random order.
    everything = np.random.default_rng(0).permutation(n_rows)
    gaps = np.full(n_rows, np.inf)
    limit = tol * scale
    active, since_full, n_full = everything, 0, 0
    history = [solver.objective()]
    with progress(max_iter, title, show=show) as bar:
        for n_iter in range(1, max_iter + 1):
            solver.sweep(active, _SKIP * limit, gaps)
            worst = gaps[active].max()
            if len(active) == n_rows:
                since_full = 0
                n_full += 1
                if n_full % _REFRESH == 0:
                    solver.refresh()
                if n_full & (n_full - 1) == 0:  # 1, 2, 4, 8, ...: with KL the value costs more than a sweep
                    history.append(solver.objective())
                if worst <= limit:
                    solver.refresh()
                    solver.sweep(everything, np.inf, gaps)
                    if gaps.max() <= limit:
                        history.append(solver.objective())
                        return history, n_iter, True, float(gaps.max() / scale)
            since_full += 1
            active = active[gaps[active] > _SKIP * limit]
            if len(active) == 0 or since_full > _TURNS:
                active = everything
            bar.update(1)
    solver.refresh()
    solver.sweep(everything, np.inf, gaps)
    history.append(solver.objective())
    return history, max_iter, bool(gaps.max() <= limit), float(gaps.max() / scale)


def best_of(n_init: int, n_jobs: int | None, start: Callable[[int], Solution]) -> Solution:
    """Run all starts, in threads if asked to, and keep the one with the lowest objective, the first among equals."""
    from joblib import Parallel, delayed

    if n_init == 1:
        return start(0)
    runs: list[Any] = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(start)(number) for number in range(n_init))
    best: Solution = min(runs, key=lambda run: run.objective)
    return best
