"""PCC on stored pairs: all of them (dense), or a sample (sparse), by blocks or by the papers' greedy steps."""

from typing import Any

import numpy as np

from partita._kernels import pcc_pairs
from partita._labels.ensemble import Ensemble
from partita._memory import ensure_memory
from partita._runs import progress
from partita._typing import FloatArray, IntArray
from partita.consensus.pcc._problem import Solution, count_copies, descend, scale_of, totals_of_all_pairs
from partita.metrics._coassociation import Coassociation, coassociation_of_codes

_GREEDY_STEPS = 5000  # steps between two refreshes of the gradients, or as many as there are rows, if more


class PairSolver:
    """Counts of pairs, memberships, and work space for the kernels."""

    def __init__(self, counts: Coassociation, ensemble: Ensemble, n_clusters: int, kind: int, *, sparse: bool) -> None:
        n = ensemble.n_rows
        C, N = counts
        if sparse:
            indptr, indices = C.indptr.astype(np.int64), C.indices.astype(np.int32)
            longest = int(np.diff(indptr).max(initial=1))
            totals = N.astype(np.float64) @ ensemble.row_weights
            C, N = _plain(C.data[None, :], N.data[None, :])
            copies = np.zeros(n)
        else:
            indptr, indices, longest = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32), n
            totals = totals_of_all_pairs(ensemble)
            C, N = _plain(C, N[:1, :1] if N.strides == (0, 0) else N)
            copies = count_copies(ensemble)
        self.scale, self.isolated = scale_of(totals, ensemble), totals == 0
        self.problem = pcc_pairs.PairProblem(
            C, N, indptr, indices, ensemble.row_weights, copies, np.empty((n_clusters, n)), kind
        )
        self.row = pcc_pairs.Row(
            np.empty((n_clusters, longest if sparse else 1)), *(np.empty(longest) for _ in range(4))
        )

    def start_at(self, Y: FloatArray) -> "PairSolver":
        """The same counts with memberships, and work space, of their own: one for each start."""
        fresh = object.__new__(PairSolver)
        fresh.scale, fresh.isolated = self.scale, self.isolated
        fresh.problem = self.problem._replace(Y=np.ascontiguousarray(Y.T))
        fresh.row = pcc_pairs.Row(*(np.empty_like(part) for part in self.row))
        return fresh

    @property
    def Y(self) -> FloatArray:  # noqa: N802
        """Memberships, (n_rows, n_clusters)."""
        return np.ascontiguousarray(self.problem.Y.T)

    def sweep(self, rows: IntArray, threshold: float, gaps: FloatArray) -> None:
        """Improve rows whose gap exceeds the threshold."""
        pcc_pairs.sweep_pairs(self.problem, self.row, rows, threshold, gaps)

    def refresh(self) -> None:
        """Nothing is carried over from sweep to sweep."""

    def objective(self) -> float:
        """The value of f."""
        return float(pcc_pairs.objective_pairs(self.problem, self.row))


def dense_pairs(ensemble: Ensemble, n_clusters: int, kind: int) -> PairSolver:
    """All pairs of rows, as bytes where they fit."""
    groups = ensemble.columns
    n = ensemble.n_rows
    small = groups.total <= 255 and np.all(groups.weights == np.floor(groups.weights))
    ensure_memory(
        n * n * (1 if small else 12) * (2 if groups.has_missing else 1) + 8 * n * (2 * n_clusters + 6),
        purpose=f"PCC over all pairs of {n} distinct rows",
        instead="draw a sample, for instance pairs=30 an object, or use divergence='l2', which stores no pairs.",
    )
    return PairSolver(coassociation_of_codes(groups), ensemble, n_clusters, kind, sparse=False)


def _plain(C: Any, N: Any) -> tuple[Any, Any]:
    """Bytes, or float64: two signatures of the kernels, whatever the type of the counts.

    Sums of real weights round, and N - C = 1e-15 where it should be 0 would be a barrier that KL never crosses.
    """
    if C.dtype == np.uint8:
        return np.ascontiguousarray(C), np.ascontiguousarray(N, dtype=np.uint8)
    C, N = C.astype(np.float64), np.ascontiguousarray(N, dtype=np.float64)
    C[C <= 1e-12 * N] = 0.0
    np.copyto(C, N, where=N - C <= 1e-12 * N)
    return C, N


def solve_block(solver: PairSolver, *, tol: float, max_iter: int, show: bool) -> Solution:
    """Descend by blocks of one row."""
    n_rows = solver.problem.Y.shape[1]
    history, n_iter, converged, gap = descend(
        solver, n_rows, scale=solver.scale, tol=tol, max_iter=max_iter, show=show, title="PCC, block"
    )
    return Solution(solver.Y, history[-1], history, n_iter, converged, gap, solver.isolated)


def solve_greedy(solver: PairSolver, *, tol: float, max_iter: int, show: bool) -> Solution:
    """The papers' algorithm: steps of the row with the largest gap between two of its clusters."""
    problem, row = solver.problem, solver.row
    k, n = problem.Y.shape
    size = 1 << int(np.ceil(np.log2(max(n, 2))))
    tree, gradient = np.empty(2 * size), np.empty((k, n))
    limit = tol * solver.scale
    at_once = max(_GREEDY_STEPS, n)
    chosen = np.empty(at_once, dtype=np.int64)
    history, n_iter, before = [solver.objective()], 0, -1
    gap = pcc_pairs.start_greedy(problem, row, tree, gradient)
    with progress(max_iter, "PCC, greedy", show=show) as bar:
        while gap > limit and n_iter < max_iter and n_iter > before:
            before = n_iter
            steps = min(at_once, max_iter - n_iter)
            done = int(pcc_pairs.greedy_pairs(problem, row, tree, gradient, limit, steps, chosen))
            n_iter += done
            bar.update(done)
            gap = pcc_pairs.start_greedy(problem, row, tree, gradient)  # from scratch, so that nothing drifts
            history.append(solver.objective())
    return Solution(
        solver.Y, history[-1], history, n_iter, bool(gap <= limit), float(gap / solver.scale), solver.isolated
    )
