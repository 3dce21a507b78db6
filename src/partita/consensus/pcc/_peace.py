"""PEACE (2013): the maximum of the binomial likelihood of the co-association, by greedy steps.

    log L(Y) = sum_{i<j} C_ij log y_i.y_j + (N_ij - C_ij) log(1 - y_i.y_j),   maximised                     (eq. P40)

which is -f of PCC with the Kullback-Leibler divergence, up to a constant of the ensemble (eq. P41). Each step moves
mass between one pair of clusters of one row: the row with the largest gap, its best and its worst cluster (eq. P27).
Equal rows share a membership (eq. P66).
"""

from functools import partial
from typing import Any

import numpy as np
from scipy.special import xlogy

from partita._kept_starts import RowStart, StartResult, kept_starts
from partita._kernels import pcc_pairs
from partita._labels.ensemble import Ensemble
from partita._runs import draw_seeds, in_order
from partita.base import Consensus, LabelledRows
from partita.consensus.pairwise._memberships import from_sample, random_memberships
from partita.consensus.pairwise._pair_counts import SAMPLE_OF_PAIRS, sample_of_pairs
from partita.consensus.pcc._greedy import step_greedily
from partita.consensus.pcc._pcc import PCC, _only_cluster, _take_out_small_clusters
from partita.consensus.pcc._problem import PCCSolution
from partita.consensus.pcc._stored_pairs import PairRun, PairSpace, all_pairs
from partita.metrics._coassociation import iter_blocks


class PEACE(PCC):
    """Probabilistic evidence accumulation: the papers' greedy algorithm for the likelihood.

    Parameters
    ----------
    n_clusters : int, default=8
        Largest number of clusters K: those that are not needed end without mass, and are taken out.
    n_init : int, default=10
        Number of starts that are run to their ends; the best one is kept. With more than 500 distinct rows they run on
        a sample of 500 objects, and the best one continues on all.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
    max_iter : int, optional
        Largest number of steps of each start; default 20 r K for r distinct rows, at least 10,000.
    tol : float, default=1e-4
        Relative KKT gap below which a start has converged; relative to the mean total of an object.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the starts.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    log_likelihood_ : float
        sum over pairs of C log y_i.y_j + (N - C) log(1 - y_i.y_j), without the binomial coefficients.
    membership_, labels_, n_clusters_, n_components_, objective_, history_, kkt_gap_, n_iter_, converged_
        As in :class:`partita.PCC`; ``objective_`` is f of PCC, to be minimised.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Objects with equal rows of labels start at the same membership and share it. The stationary points found are those
    of the full problem, because the gradient with respect to a shared membership is the sum of the objects' own, equal,
    gradients; ``kkt_gap_`` is the gap of the full problem. In the paper every object starts at a membership of its own,
    as with ``PCC(solver="greedy", init="random")``.

    Cost O(r K) per step for r distinct rows, steps of the order of r K, and r^2 bytes (2 r^2 with missing labels).
    :class:`partita.PCC` with its default solver reaches the same gap faster.

    References
    ----------
    A. Lourenço, S. Rota Bulò, N. Rebagliati, A. Fred, M. Figueiredo, M. Pelillo, Probabilistic evidence accumulation
    for clustering ensembles, ICPRAM 2013, 58-67.

    Examples
    --------
    >>> from partita import PEACE
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> PEACE(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 10,
        keep_starts: bool = False,
        max_iter: int | None = None,
        tol: float = 1e-4,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.keep_starts = keep_starts
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # what PCC leaves open and this paper fixes
    divergence = "kl"
    solver = "greedy"
    pairs = "all"
    init = "random"

    def _one_row_per_object(self) -> bool:
        return False  # unlike PCC's greedy solver

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble, self._scale = rows.ensemble, rows.scale
        problem = all_pairs(ensemble, rows.n_clusters, pcc_pairs.KL)
        *seeds, sample_seed = draw_seeds(self.random_state, self.n_init + 1).tolist()
        if rows.n_clusters == 1:
            ended = [_only_cluster(problem)] * (len(seeds) if self.keep_starts else 1)
        else:
            ended = self._run_starts(problem, rows, seeds) if self.keep_starts else []
            ended = ended or [self._best_start(problem, rows, seeds, sample_seed)]
            solve = partial(self._solve, problem, max_iter=self._limit(ensemble))
            ended = [_take_out_small_clusters(found, problem, solve, ensemble.row_weights) for found in ended]
        if self.keep_starts:
            self.starts_ = _kept(ended, seeds, rows)
        found = min(ended, key=_objective)
        log_likelihood = -found.objective - _entropy_of_counts(ensemble)
        self.log_likelihood_ = rows.scale.report(log_likelihood, *self._powers_of_weights())
        return self._conclude(found, problem, ensemble)

    def _best_start(self, problem: PairSpace, rows: LabelledRows, seeds: list[int], sample_seed: int) -> PCCSolution:
        """Where the best start ends; with many rows starts compete on a sample of objects, and the best goes on."""
        ensemble = rows.ensemble
        if ensemble.n_rows <= SAMPLE_OF_PAIRS:
            return min(self._run_starts(problem, rows, seeds), key=_objective)
        few = rows._replace(ensemble=sample_of_pairs(ensemble, sample_seed))
        best = min(self._run_starts(all_pairs(few.ensemble, rows.n_clusters, pcc_pairs.KL), few, seeds), key=_objective)
        Y = from_sample(few.ensemble, best.Y, ensemble)
        return self._solve(problem, problem.start_at(Y), max_iter=self._limit(ensemble))

    def _run_starts(self, problem: PairSpace, rows: LabelledRows, seeds: list[int]) -> list[PCCSolution]:
        """Every start run to its end."""
        n_rows, limit = rows.ensemble.n_rows, self._limit(rows.ensemble)

        def run(seed: int) -> PCCSolution:
            Y = random_memberships(n_rows, rows.n_clusters, np.random.default_rng(seed))
            return self._solve(problem, problem.start_at(Y), max_iter=limit)

        return list(in_order(run, seeds, self.n_jobs))

    def _solve(self, problem: PairSpace, run: PairRun, *, max_iter: int) -> PCCSolution:
        return step_greedily(problem, run, tol=self.tol, max_iter=max_iter, show=bool(self.verbose))


def _objective(found: PCCSolution) -> float:
    return found.objective


def _kept(ended: list[PCCSolution], seeds: list[int], rows: LabelledRows) -> list[StartResult]:
    runs = [
        RowStart(found.objective, seed, found.n_iter, found.Y.argmax(axis=1))
        for found, seed in zip(ended, seeds, strict=True)
    ]
    return kept_starts(runs, rows, objects=2, clusterings=1)


def _entropy_of_counts(ensemble: Ensemble) -> float:
    """sum_{i<j} N_ij H(C_ij / N_ij), with H the binary entropy in nats."""
    total = 0.0
    w = ensemble.row_weights
    for block in iter_blocks(ensemble.columns):
        N = block.totals.astype(np.float64)
        p = np.divide(block.counts, N, out=np.ones(N.shape), where=N > 0)
        np.minimum(p, 1.0, out=p)  # sums of weights in C and in N are rounded differently
        H = -xlogy(p, p) - xlogy(1 - p, 1 - p)  # 0 for an object with itself
        total += float(w[block.start : block.stop] @ (N * H) @ w) / 2
    return total
