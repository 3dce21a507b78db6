"""The papers' own algorithm: steps of the row with the largest gap, between two of its clusters (eqs. P27 to P29)."""

import numpy as np

from partita._kernels import pcc_pairs
from partita._runs import progress
from partita.consensus.pcc._problem import PCCSolution
from partita.consensus.pcc._stored_pairs import PairRun, PairSpace

# Steps between two refreshes of the gradients, or as many as there are rows, if more: a refresh costs about n steps.
_STEPS = 5000


def step_greedily(problem: PairSpace, run: PairRun, *, tol: float, max_iter: int, show: bool = False) -> PCCSolution:
    """Move the row with the largest gap until that is within tol * scale."""
    pairs, Y_t, row = problem.pairs, run.Y_t, run.row
    n = Y_t.shape[1]
    size = 1 << int(np.ceil(np.log2(max(n, 2))))
    tree, gradient = np.empty(2 * size), np.empty(Y_t.shape)
    limit = tol * problem.scale
    at_once = max(_STEPS, n)
    chosen = np.empty(at_once, dtype=np.int64)
    history, n_iter, before = [run.objective()], 0, -1
    gap = pcc_pairs.start_greedy(pairs, Y_t, row, tree, gradient)
    with progress(max_iter, "PCC, greedy", show=show) as bar:
        while gap > limit and n_iter < max_iter and n_iter > before:
            before = n_iter
            steps = min(at_once, max_iter - n_iter)
            done = int(pcc_pairs.greedy_pairs(pairs, Y_t, row, tree, gradient, limit, steps, chosen))
            n_iter += done
            bar.update(done)
            gap = pcc_pairs.start_greedy(pairs, Y_t, row, tree, gradient)  # from scratch, so that nothing drifts
            history.append(run.objective())
    return PCCSolution(run.Y, history, n_iter, bool(gap <= limit), float(gap / problem.scale))
