"""PEACE (2013): the maximum of the binomial likelihood of the co-association, by greedy steps.

    log L(Y) = sum_{i<j} C_ij log y_i.y_j + (N_ij - C_ij) log(1 - y_i.y_j),   maximised                     (eq. P40)

which is -f of PCC with the Kullback-Leibler divergence, up to a constant of the ensemble (eq. P41). Each step
moves one pair of clusters of one object: the object with the largest gap, its best and its worst cluster, exactly.
"""

from typing import Any

import numpy as np
from scipy.special import xlogy

from partita._labels.ensemble import Ensemble
from partita.base import Consensus, LabelledRows
from partita.consensus.pcc._pcc import PCC
from partita.metrics._coassociation import iter_blocks


class PEACE(PCC):
    """Probabilistic evidence accumulation: the papers' greedy algorithm for the likelihood.

    Parameters
    ----------
    n_clusters : int, default=8
        Largest number of clusters K: those that are not needed end without mass, and are taken out.
    n_init : int, default=10
        Number of starts; the best one is kept.
    max_iter : int, optional
        Largest number of steps of each start; default 20 n K, at least 10,000.
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
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost O(n K) per step, and steps of the order of n K: :class:`partita.PCC` with its default solver reaches the same
    gap several times faster.

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
        max_iter: int | None = None,
        tol: float = 1e-4,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
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
    keep_starts = False

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        found = super()._fit_rows(rows)
        log_likelihood = -self._history[-1] - _entropy_of_counts(rows.ensemble)
        self.log_likelihood_ = rows.scale.report(log_likelihood, *self._powers_of_weights())
        return found


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
