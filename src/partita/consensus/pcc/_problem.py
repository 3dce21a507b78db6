"""What every form of PCC's problem offers, and the descent by blocks that solves all of them.

    f(Y) = sum over unordered pairs of N_ij d(C_ij / N_ij, y_i . y_j),   every y_i on the simplex           (eq. P17)

A *problem* (pairs or labels, scale, divergence) is made once per fit and never changes. ``start_at(Y)`` gives a *run*:
memberships and work space of its own, one for each start.

At a minimum (g_i)_k is the same for all clusters k that object i uses, and not smaller for the others (KKT, eq. P23).
The gap of i is the largest (g_i)_k over those it uses minus the smallest over all. It is measured relative to the scale
s = max(1, mean_i sum_j N_ij), because gradients grow with the numbers of objects and of clusterings (eq. P24).
"""

from typing import NamedTuple, Protocol

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import progress
from partita._typing import Array, FloatArray, IntArray

_SKIP = 0.5  # rows whose gap is below this share of the tolerance are skipped for a while: near the end, most of them
_REFRESH = 8  # full sweeps between two refreshes of running sums: rounding adds up slowly, and a refresh is cheap
_TURNS = 6  # sweeps over some rows between two over all: fewer waste time, more let the skipped rows fall behind


class PCCRun(Protocol):
    """One start during a run: memberships and work space."""

    @property
    def Y(self) -> FloatArray:  # noqa: N802
        """Present memberships, (n_rows, n_clusters)."""

    def sweep(self, rows: IntArray, threshold: float, gaps: FloatArray) -> None:
        """Improve rows whose gap exceeds the threshold; leave each row's gap before that in ``gaps``."""

    def refresh(self) -> None:
        """Compute running sums again, so that rounding does not add up."""

    def objective(self) -> float:
        """Value of f at the present memberships, without the problem's constant."""


class PCCProblem(Protocol):
    """What is minimised."""

    @property
    def scale(self) -> float:
        """Scale of the gap."""

    @property
    def isolated(self) -> Array:
        """Whether a row has no pair at all, (n_rows,) bool."""

    @property
    def interior(self) -> bool:
        """Whether f may be infinite where memberships are 0, so that runs must start inside the simplex."""

    @property
    def constant(self) -> float | None:
        """What ``objective`` leaves out of f; None if it is only counted when asked for."""

    def start_at(self, Y: FloatArray) -> PCCRun:
        """A run that begins at memberships (n_rows, n_clusters), which stay as they are."""


class PCCSolution(NamedTuple):
    """Where a run ended."""

    Y: FloatArray  # (n_rows, n_clusters)
    history: list[float]  # objective at the start, at some of the sweeps, and at the end
    n_iter: int
    converged: bool
    gap: float  # relative KKT gap

    @property
    def objective(self) -> float:
        """Objective at the end."""
        return self.history[-1]


def descend(problem: PCCProblem, run: PCCRun, *, tol: float, max_iter: int, show: bool = False) -> PCCSolution:
    """Sweep over the rows until the largest gap is within tol * scale (eq. P30).

    Rows with a small gap are skipped for some sweeps. Because the others move meanwhile, the end is only accepted
    when a pass over all rows that changes nothing confirms it.
    """
    n_rows = len(problem.isolated)
    # In the canonical order neighbours are similar, and one after another they change little: measured on the paper's
    # large experiment, 23 sweeps against 3 in a random order.
    everything = np.random.default_rng(0).permutation(n_rows)
    gaps = np.full(n_rows, np.inf)
    limit = tol * problem.scale
    active, since_full, n_full, n_iter, settled = everything, 0, 0, 0, False
    history = [run.objective()]
    with progress(max_iter, "PCC, block", show=show) as bar:
        while n_iter < max_iter and not settled:
            n_iter += 1
            run.sweep(active, _SKIP * limit, gaps)
            if len(active) == n_rows:
                since_full = 0
                n_full += 1
                worst = gaps.max()
                if n_full % _REFRESH == 0:
                    run.refresh()
                if n_full & (n_full - 1) == 0:  # 1, 2, 4, 8, ...: with KL the value costs more than a sweep
                    history.append(run.objective())
                settled = worst <= limit and _measure(run, everything, gaps) <= limit
            since_full += 1
            active = _still_moving(active, everything, gaps, _SKIP * limit, since_full)
            bar.update(1)
    gap = gaps.max() if settled else _measure(run, everything, gaps)
    history.append(run.objective())
    return PCCSolution(run.Y, history, n_iter, bool(gap <= limit), float(gap / problem.scale))


def settle(problem: PCCProblem, run: PCCRun, *, tol: float, max_iter: int) -> None:
    """Sweep until the gaps of one pass over all rows are within tol * scale: a coarse end, which nothing confirms."""
    everything = np.random.default_rng(0).permutation(len(problem.isolated))
    gaps = np.full(len(everything), np.inf)
    limit = tol * problem.scale
    active, since_full = everything, 0
    for _ in range(max_iter):
        run.sweep(active, _SKIP * limit, gaps)
        if len(active) == len(everything):
            since_full = 0
            if gaps.max() <= limit:
                break
        since_full += 1
        active = _still_moving(active, everything, gaps, _SKIP * limit, since_full)
    run.refresh()


def _still_moving(
    active: IntArray, everything: IntArray, gaps: FloatArray, threshold: float, since_full: int
) -> IntArray:
    """Rows of the next sweep: those that moved, or all of them if that was so for a while."""
    active = active[gaps[active] > threshold]
    return everything if len(active) == 0 or since_full > _TURNS else active


def _measure(run: PCCRun, everything: IntArray, gaps: FloatArray) -> float:
    """Largest gap of all rows at the same memberships."""
    run.refresh()
    run.sweep(everything, np.inf, gaps)
    return float(gaps.max())


def own_totals(ensemble: Ensemble) -> FloatArray:
    """N_ii: the weight of the clusterings that label each row."""
    total = np.zeros(ensemble.n_rows)
    for weight, column in zip(ensemble.clustering_weights, ensemble.codes.T, strict=True):
        total += weight * (column >= 0)
    return total


def pairs_of_copies(ensemble: Ensemble) -> FloatArray:
    """(w_i - 1) N_ii: pairs of an object with the others of its row, for rows of weight above 1 (eq. P25)."""
    return np.maximum(ensemble.row_weights - 1, 0) * own_totals(ensemble)


def totals_of_all_pairs(ensemble: Ensemble) -> FloatArray:
    """sum_{j != i} N_ij over all other objects, for an object of each row, through the clusterings."""
    own = own_totals(ensemble)
    total = np.maximum(ensemble.row_weights - 1, 0) * own - ensemble.row_weights * own
    for weight, column in zip(ensemble.clustering_weights, ensemble.codes.T, strict=True):
        seen = column >= 0
        total += weight * (ensemble.row_weights @ seen) * seen
    return np.where(total > 1e-9 * own, total, 0.0)  # a difference of two sums: where it should be 0 it is rounding


def scale_of(totals: FloatArray, ensemble: Ensemble) -> float:
    """S = max(1, mean_i sum_j N_ij), the mean over objects (eq. P24)."""
    return max(1.0, float(totals @ ensemble.row_weights / ensemble.row_weights.sum()))
