"""PCC with the l2 divergence over all pairs, at a cost that is linear in the number of objects.

    f(Y) = sum_{i<j} N_ij (y_i.y_j)^2 - 2 C_ij (y_i.y_j) + C_ij^2 / N_ij

The first two terms are sums over the clusterings of |G_m|^2 and |B_ml|^2 (see the kernels); the third does not depend
on Y and is only counted when somebody asks for the objective itself.
"""

import numpy as np

from partita._kernels import agreement
from partita._kernels.pcc_labels import LabelProblem, insert_rows, sum_up, sweep_labels
from partita._labels.ensemble import Ensemble
from partita._runs import progress
from partita._typing import Codes, FloatArray, IntArray
from partita.consensus.pcc._problem import Solution, descend, own_totals, scale_of, totals_of_all_pairs

_STAGES = (1000, 10_000)  # rows that enter before those inside are moved once more
_STAGE_SWEEPS = 15
_STAGE_GAP = 1e-4  # about the relative gap below which a row stays where it is meanwhile
_ROWS = 256  # rows of pairs counted between two reports of progress


class LabelSolver:
    """l2 over all pairs of objects, through the labels."""

    def __init__(self, ensemble: Ensemble, n_clusters: int) -> None:
        n_rows, n_clusterings = ensemble.codes.shape
        self.own_totals = own_totals(ensemble)
        self.cell_weight = np.repeat(ensemble.clustering_weights, ensemble.n_labels)
        self.problem = LabelProblem(
            ensemble.row_starts,
            ensemble.row_cells,
            ensemble.row_clusterings,
            ensemble.row_weights,
            ensemble.clustering_weights,
            np.zeros((n_rows, n_clusters)),
            np.zeros((int(ensemble.n_labels.sum()), n_clusters)),
            np.zeros((n_clusterings if ensemble.has_missing else 1, n_clusters, n_clusters)),
        )

    def insert(self, seed: int) -> None:
        """Start: rows enter in random order, each where it fits best with those already in.

        The first ones decide where the clusters are, with little to go by; so after each stage those that are in are
        moved until they fit each other. Without that, some starts took ten times as many sweeps as others.
        """
        order = np.random.default_rng(seed).permutation(len(self.problem.Y))
        gaps = np.empty(len(order))
        n_inside = 0
        for stage in (*_STAGES, len(order)):
            insert_rows(self.problem, order[n_inside:stage], seed + n_inside)
            n_inside = min(stage, len(order))
            if n_inside == len(order):
                return
            inside = order[:n_inside]
            threshold = _STAGE_GAP * self.problem.row_weight[inside].sum() * self.own_totals[inside].mean()
            for _ in range(_STAGE_SWEEPS):
                sweep_labels(self.problem, inside, threshold, gaps)

    def start_at(self, Y: FloatArray) -> None:
        """Start at given memberships."""
        self.problem.Y[:] = Y
        self.refresh()

    def sweep(self, rows: IntArray, threshold: float, gaps: FloatArray) -> None:
        """Improve rows whose gap exceeds the threshold."""
        sweep_labels(self.problem, rows, threshold, gaps)

    def refresh(self) -> None:
        """Make the sums over labels and clusterings anew."""
        sum_up(self.problem)

    def objective(self) -> float:
        """The part of f that depends on Y."""
        p = self.problem
        square = (p.Y**2).sum(axis=1)
        together = self.cell_weight @ (p.B**2).sum(axis=1)  # sum_ij C_ij y_i.y_j
        lower = np.tril(p.G)
        squares = 2 * (lower**2).sum(axis=(1, 2)) - np.einsum("mkk->m", lower**2)  # |G|^2 from its lower part
        both = p.weights.sum() * squares[0] if len(p.G) == 1 else p.weights @ squares  # sum_ij N_ij (y_i.y_j)^2
        # an object with itself is no pair, and below weight 1 a row has none of its own
        itself = p.row_weight * np.minimum(p.row_weight, 1)
        own = itself @ (self.own_totals * (square**2 - 2 * square))
        return float(0.5 * (both - 2 * together - own))


def solve_labels(ensemble: Ensemble, solver: LabelSolver, *, tol: float, max_iter: int, show: bool = False) -> Solution:
    """Descend from where the solver stands."""
    totals = totals_of_all_pairs(ensemble)
    scale = scale_of(totals, ensemble)
    history, n_iter, converged, gap = descend(
        solver, ensemble.n_rows, scale=scale, tol=tol, max_iter=max_iter, show=show, title="l2 over all pairs"
    )
    return Solution(solver.problem.Y, history[-1], history, n_iter, converged, gap, totals == 0)


def insert_new_rows(codes: Codes, ensemble: Ensemble, Y: FloatArray) -> FloatArray:
    """Memberships of new rows that fit best, by l2 over all pairs, with the rows of an ensemble; those stay fixed."""
    n_new = len(codes)
    weight = np.concatenate(
        [np.zeros(n_new), ensemble.row_weights]
    )  # without weight, new rows leave all sums as they are
    together = Ensemble(np.vstack([codes, ensemble.codes]), ensemble.n_labels, ensemble.clustering_weights, weight)
    solver = LabelSolver(together, Y.shape[1])
    solver.problem.Y[n_new:] = Y
    solver.refresh()
    insert_rows(solver.problem, np.arange(n_new), 0)
    return np.asarray(solver.problem.Y[:n_new])


def constant_of_l2(ensemble: Ensemble, *, show: bool = False) -> float:
    """sum_{i<j} C_ij^2 / N_ij over all pairs of objects: O(n^2 m / 64), and only for the objective's value."""
    groups = ensemble.columns
    total = 0.0 if groups.has_missing else groups.total
    n = ensemble.n_rows
    across = 0.0
    with progress(n, "objective", show=show) as bar:
        for lo in range(0, n, _ROWS):
            hi = min(n, lo + _ROWS)
            across += agreement.sum_of_squares(groups.columns, groups.weights, total, ensemble.row_weights, lo, hi)
            bar.update(hi - lo)
    within = ensemble.row_weights * np.maximum(ensemble.row_weights - 1, 0) / 2  # equal rows agree in all they have
    return float(across + within @ own_totals(ensemble))
