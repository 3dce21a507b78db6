"""The papers' own algorithm: steps of the row with the largest gap, between two of its clusters (eqs. P27 to P29)."""

from collections.abc import Callable

import numpy as np

from partita._kernels import pcc_greedy
from partita._runs import progress
from partita._stopping import until_stopped
from partita.consensus.pcc._problem import PCCSolution
from partita.consensus.pcc._stored_pairs import PairRun, PairSpace

# Steps between two refreshes of the gradients, or as many as there are rows, if more: a refresh costs about n steps.
_STEPS = 5000


def step_greedily(problem: PairSpace, run: PairRun, *, tol: float, max_iter: int, show: bool = False) -> PCCSolution:
    """Move the row with the largest gap until that is within tol * scale."""
    limit = tol * problem.scale
    at_once = max(_STEPS, len(problem.isolated))
    step = make_steps(problem, run, limit=limit, at_once=at_once)
    history, n_iter, n_refreshes = [run.objective()], 0, 0
    with progress(max_iter, "PCC, greedy", show=show) as bar:
        while True:  # gradients are computed from scratch each time, so that nothing drifts
            done, gap = step(min(at_once, max_iter - n_iter))
            if done == 0:  # the gap is within the limit, or max_iter is reached, or no step helps
                break
            n_iter += done
            n_refreshes += 1
            bar.update(done)
            if n_refreshes & (n_refreshes - 1) == 0:  # 1, 2, 4, 8, ...: with KL a value costs thousands of steps
                history.append(run.objective())
    history.append(run.objective())
    return PCCSolution(run.Y, history, n_iter, bool(gap <= limit), float(gap / problem.scale))


def make_steps(problem: PairSpace, run: PairRun, *, limit: float, at_once: int) -> Callable[[int], tuple[int, float]]:
    """A function that makes up to as many steps as asked for, and returns how many, and the largest gap before them."""
    pairs, Y_t, chosen = problem.pairs, run.Y_t, np.empty(at_once, dtype=np.int64)
    work = pcc_greedy.GreedyWork(*(np.empty(problem.longest) for _ in range(6)))
    if len(pairs.indptr) == 0:
        gradients, move = np.empty(Y_t.shape), pcc_greedy.greedy_all
        return lambda n_steps: until_stopped(move, pairs, Y_t, work, gradients, limit, n_steps, chosen)
    Y, gradient = run.Y, np.empty(Y_t.T.shape)
    heap = np.empty(2 << int(np.ceil(np.log2(max(len(Y), 2)))))

    def step(n_steps: int) -> tuple[int, float]:
        move = pcc_greedy.greedy_chosen
        done, gap = until_stopped(move, pairs, Y, work, heap, gradient, limit, n_steps, chosen)
        Y_t[:] = Y.T
        return int(done), float(gap)

    return step
