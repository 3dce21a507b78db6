"""Dyadic aspect model of the co-association (Lourenço et al., 2011).

Co-occurrences are drawn from P(i, j) = sum_k p_k B_ik B_jk; C_ij counts how often the pair was drawn (eq. P51). EM:

    R_ijk prop. to p_k B_ik B_jk,   p_k prop. to sum_ij C_ij R_ijk,   B_ik prop. to sum_j C_ij R_ijk          (eq. P52)

With Q = C / P the sums over R are p_k B_ik (Q B)_ik, so nothing of size n x n x K is formed. Equal rows that start
equal stay equal, so distinct rows with their weights are exact. Memberships are p_k B_ik, normalised (eq. P53).
"""

from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita._parameters import common
from partita._runs import best_of, draw_seeds, progress, warn_not_converged
from partita._typing import Array, Codes, FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows, SoftConsensusMixin
from partita.consensus.pairwise._memberships import fitted_memberships, random_memberships
from partita.consensus.pairwise._pair_counts import PAIRS, predicted, row_counts

_EVEN = 10.0  # parameter of the Dirichlet that p starts from: near even, so that no aspect dies at once


class AspectRun(NamedTuple):
    """Where a start ended."""

    p: FloatArray  # (k,) probability of each aspect
    B: FloatArray  # (n_rows, k) probability of one object of each row in each aspect
    history: list[float]
    converged: bool


class AspectModel(SoftConsensusMixin, BaseConsensus):
    """Aspect model of dyads: a mixture for the pairs of objects that are put together.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. They are the aspects of the model.
    pairs : "all", float, int or sparse matrix, default="all"
        Which pairs of objects count, as in :func:`partita.coassociation`.
    n_init : int, default=5
        Number of starts; the best one is kept.
    max_iter : int, default=1000
        Largest number of iterations of each start.
    tol : float, default=1e-8
        Relative rise of the log-likelihood below which a start has converged.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the starts and of drawn pairs.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_ : ndarray of shape (n_samples, n_components_)
        Probabilities p(k | i); uniform for objects that are never together with another, or without any label.
    labels_ : ndarray of shape (n_samples,)
        Most probable aspect, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last.
    aspect_weights_ : ndarray of shape (n_components_,)
        p_k.
    lower_bound_ : float
        Log-likelihood sum_ij C_ij log P(i, j) over ordered pairs.
    history_ : list of float
        Log-likelihood at each iteration of the kept start, before its update; it never falls.
    n_iter_ : int
        Number of iterations of the kept start; the length of ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost O(r^2 K) per iteration and r^2 numbers for r distinct rows; O(pairs K) for chosen pairs.

    References
    ----------
    A. Lourenço, A. Fred, M. Figueiredo, A generative dyadic aspect model for evidence accumulation clustering,
    SIMBAD 2011, 104-116.

    Examples
    --------
    >>> from partita import AspectModel
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> AspectModel(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("n_clusters", "n_init", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"),
        "pairs": PAIRS,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        pairs: Any = "all",
        n_init: int = 5,
        max_iter: int = 1000,
        tol: float = 1e-8,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.pairs = pairs
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _one_row_per_object(self) -> bool:
        return not isinstance(self.pairs, str)

    def _powers_of_weights(self) -> tuple[float, float]:
        return 2, 1

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        *seeds, pair_seed = draw_seeds(self.random_state, self.n_init + 1).tolist()
        counts = row_counts(rows, self.pairs, pair_seed)
        C = counts.counts * counts.objects_met(diagonal=False)
        n_clusters = rows.n_clusters
        run = partial(self._run, C, counts.row_weights, n_clusters)
        found = best_of(run, seeds, self.n_jobs, lowest=lambda run: -run.history[-1])
        self.history_, self.converged_ = _on_users_scale(found.history, C, rows), found.converged
        self.n_iter_, self.lower_bound_ = len(self.history_), self.history_[-1]
        if not self.converged_:
            warn_not_converged(type(self).__name__, self.max_iter)
        Y = found.B * found.p
        mass = Y.sum(axis=1, keepdims=True)
        together = np.asarray(C.sum(axis=1)).reshape(-1, 1) > 0  # else nothing is known, and B may be at its start
        Y = np.divide(Y, mass, out=np.full(Y.shape, 1 / n_clusters), where=(mass > 0) & together)
        self._aspects, self._fitted = found.p, fitted_memberships(rows.ensemble, Y)
        return Consensus(Y.argmax(axis=1), Y, np.full(n_clusters, 1 / n_clusters))

    @property
    def aspect_weights_(self) -> FloatArray:
        """p_k, in the order of the clusters."""
        return np.asarray(self._aspects[self._placement.order])

    def _run(self, C: Any, row_weights: FloatArray, n_clusters: int, seed: int) -> AspectRun:
        """EM from one start; C holds w_j C_ij, B the probability of one object of each row."""
        rng = np.random.default_rng(seed)
        B = random_memberships(len(row_weights), n_clusters, rng)
        B /= row_weights @ B
        p = rng.dirichlet(np.full(n_clusters, _EVEN))
        history: list[float] = []
        with progress(self.max_iter, "aspect model", show=bool(self.verbose)) as bar:
            for _ in range(self.max_iter):
                ratio, likelihood = _over_probability(C, B * np.sqrt(p), row_weights)
                history.append(likelihood)
                if len(history) > 1 and history[-1] - history[-2] <= self.tol * abs(history[-2]):
                    return AspectRun(p, B, history, converged=True)
                together = p * B * np.asarray(ratio @ B)  # sum_j C_ij R_ijk for one object of row i
                mass = row_weights @ together
                B = np.divide(together, mass, out=B.copy(), where=mass > 0)
                p = mass / mass.sum() if mass.sum() > 0 else p
                bar.update(1)
        return AspectRun(p, B, history, converged=False)

    def _label_rows(self, codes: Codes) -> Array:
        return self._fitted.of_rows(codes)


def _on_users_scale(history: list[float], C: Any, rows: LabelledRows) -> list[float]:
    """Log-likelihoods for the user's weights: P(i, j) of two objects is as much less as there are more of them."""
    n_dyads = float(rows.ensemble.row_weights @ np.asarray(C.sum(axis=1)).ravel())
    shift = 2 * rows.scale.objects * float(np.log(2)) * n_dyads
    scaled: list[float] = rows.scale.report([value - shift for value in history], 2, 1)
    return scaled


def _over_probability(C: Any, half: FloatArray, row_weights: FloatArray) -> tuple[Any, float]:
    """C / P where C > 0, and the log-likelihood sum_ij C_ij log P_ij; ``half`` is B sqrt(p)."""
    P = predicted(C, half)
    if isinstance(C, np.ndarray):
        ratio = np.divide(C, P, out=np.zeros_like(C), where=C > 0)
        logs = np.log(P, out=np.zeros_like(P), where=C > 0)
        return ratio, float(row_weights @ (C * logs).sum(axis=1))
    ratio = C.copy()
    ratio.data = np.divide(C.data, P.data, out=np.zeros_like(C.data), where=C.data > 0)
    logs = C.copy()
    logs.data = C.data * np.log(P.data, out=np.zeros_like(P.data), where=C.data > 0)
    return ratio, float(row_weights @ np.asarray(logs.sum(axis=1)).ravel())
