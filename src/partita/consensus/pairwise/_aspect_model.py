"""Dyadic aspect model of the co-association (Lourenço et al., 2011).

Co-occurrences are drawn from P(i, j) = sum_k p_k B_ik B_jk; C_ij counts how often the pair was drawn (eq. P51). EM:

    R_ijk prop. to p_k B_ik B_jk,   p_k prop. to sum_ij C_ij R_ijk,   B_ik prop. to sum_j C_ij R_ijk          (eq. P52)

With Q = C / P the sums over R are p_k B_ik (Q B)_ik, so nothing of size n x n x K is formed. Equal rows that start
equal stay equal, so distinct rows with their weights are exact. In terms of M_ik = p_k B_ik, whose rows are the
memberships, normalised (eq. P53), an iteration is M <- M (Q B), normalised; updates are made longer (eq. P64).
"""

from typing import Any, ClassVar

import numpy as np

from partita._kept_starts import StartResult, kept_starts
from partita._parameters import common
from partita._runs import draw_seeds, warn_not_converged
from partita._typing import Array, Codes, FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows, SoftConsensusMixin
from partita.consensus.pairwise._growth import COMPETING, Growth, GrowthRun
from partita.consensus.pairwise._memberships import fitted_memberships, from_sample, random_memberships
from partita.consensus.pairwise._pair_counts import (
    PAIRS,
    SAMPLE_OF_PAIRS,
    PairSums,
    RowCounts,
    all_counts,
    row_counts,
    sample_of_pairs,
)

_EVEN = 10.0  # parameter of the Dirichlet that p starts from: near even, so that no aspect dies at once
_TINY = 1e-300  # least P: the logarithm is finite where C = 0
_SHORT = 30  # iterations of the competition between starts


class Dyads:
    """Counts of the pairs that are put together, and EM for them; the memberships are M = p B."""

    def __init__(self, counts: RowCounts) -> None:
        w = self.row_weights = counts.row_weights
        C = counts.without_self(counts.counts)
        self.sums = PairSums((C,), w)
        self.mass = np.asarray(C @ w)  # dyads of one object of each row
        self.n_dyads = float(w @ self.mass)

    def start(self, n_clusters: int, seed: int) -> FloatArray:
        """B from the simplex by row, normalised by column; p near even."""
        rng = np.random.default_rng(seed)
        B = random_memberships(len(self.row_weights), n_clusters, rng)
        p = rng.dirichlet(np.full(n_clusters, _EVEN))
        return np.asarray(B * (p / (self.row_weights @ B)))

    def memberships(self, M: FloatArray) -> FloatArray:
        """Rows of M, normalised; uniform for an object that is never together with another (eq. P53)."""
        mass = M.sum(axis=1, keepdims=True)
        known = (mass > 0) & (self.mass[:, None] > 0)  # else the row may be at its start
        return np.asarray(np.divide(M, mass, out=np.full(M.shape, 1 / M.shape[1]), where=known))

    def with_mass(self, Y: FloatArray) -> FloatArray:
        """M of given memberships: each row has its share of the dyads, as at a fixed point of EM."""
        mass = self.mass if self.n_dyads > 0 else np.ones(len(Y))
        return np.asarray(Y * (mass / (self.row_weights @ mass))[:, None])

    def measure(self, M: FloatArray) -> tuple[float, FloatArray]:
        """Minus the log-likelihood, and Q B."""
        p = self.row_weights @ M
        B = np.divide(M, p, out=np.zeros_like(M), where=p > 0)
        log_likelihood, growth = self.sums.of(_log_and_ratio, B * np.sqrt(p), B)
        return -log_likelihood, growth

    def transform(self, M: FloatArray, G: FloatArray, exponent: float) -> FloatArray:
        """M G^exponent, normalised; M where there are no counts."""
        grown = M * (G / max(G.max(), _TINY)) ** exponent
        total = self.row_weights @ grown.sum(axis=1)
        return np.asarray(grown / total) if total > 0 else M


def _log_and_ratio(P: FloatArray, C: FloatArray) -> tuple[FloatArray, FloatArray]:
    """C log P and C / P, 0 where C = 0."""
    np.maximum(P, _TINY, out=P)
    ratio = C / P
    np.log(P, out=P)
    P *= C
    return P, ratio


class AspectModel(SoftConsensusMixin, BaseConsensus):
    """Aspect model of dyads: a mixture for the pairs of objects that are put together.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. They are the aspects of the model.
    pairs : "all", float, int or sparse matrix, default="all"
        Which pairs of objects count, as in :func:`partita.coassociation`.
    n_init : int, default=5
        Number of starts that are run to their ends; the best one is kept. They are the best of three times as many that
        compete for 30 iterations; with more than 500 distinct rows, all this happens on a sample of 500 objects, and
        the best start continues on all.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
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
        Log-likelihood after each iteration of the kept start; it never falls.
    n_iter_ : int
        Number of iterations of the kept start; the length of ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    EM is over-relaxed: updates go further than those of EM, as long as the log-likelihood rises; where it falls, the
    update of EM is made.

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

    _ties_by_codes: ClassVar[bool] = True  # so that the start does not depend on the order of the objects
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common(
            "n_clusters", "n_init", "keep_starts", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"
        ),
        "pairs": PAIRS,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        pairs: Any = "all",
        n_init: int = 5,
        keep_starts: bool = False,
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
        self.keep_starts = keep_starts
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
        n_starts = self.n_init if self.keep_starts else COMPETING * self.n_init
        *seeds, pair_seed = draw_seeds(self.random_state, n_starts + 1).tolist()
        counts, n_clusters = row_counts(rows, self.pairs, pair_seed), rows.n_clusters
        dyads = Dyads(counts)
        found = self._best_start(dyads, rows, seeds, pair_seed)
        self.history_ = _on_users_scale([-value for value in found.history[1:]], dyads, rows)
        self.n_iter_, self.lower_bound_, self.converged_ = found.n_iter, self.history_[-1], found.converged
        if not self.converged_:
            warn_not_converged(type(self).__name__, self.max_iter)
        Y = dyads.memberships(found.Y)
        self._aspects, self._fitted = counts.row_weights @ found.Y, fitted_memberships(rows.ensemble, Y)
        return Consensus(Y.argmax(axis=1), Y, np.full(n_clusters, 1 / n_clusters))

    def _best_start(self, dyads: Dyads, rows: LabelledRows, seeds: list[int], sample_seed: int) -> GrowthRun:
        """Where the best start ends; with many rows starts compete on a sample of objects, and the best goes on."""
        ensemble = rows.ensemble
        title = "aspect model" if self.verbose else ""
        growth = Growth(dyads, rows.n_clusters, self._settle, self.max_iter, self.n_jobs, title)
        if self.keep_starts or not isinstance(self.pairs, str) or ensemble.n_rows <= SAMPLE_OF_PAIRS:
            ended = growth.run(seeds, n_kept=self.n_init, n_short=_SHORT)
            if self.keep_starts:
                self.starts_ = self._kept(ended, dyads, rows)
            return ended[0]
        few = sample_of_pairs(ensemble, sample_seed)
        on_sample = Dyads(all_counts(few))
        best = growth._replace(problem=on_sample).run(seeds, n_kept=self.n_init, n_short=_SHORT)[0]
        Y = from_sample(few, on_sample.memberships(best.Y), ensemble)
        return growth.run_from(dyads.with_mass(Y))

    def _kept(self, ended: list[GrowthRun], dyads: Dyads, rows: LabelledRows) -> list[StartResult]:
        values = _on_users_scale([-run.objective for run in ended], dyads, rows)
        kept = kept_starts([run.kept() for run in ended], rows)
        return [start._replace(objective=value) for start, value in zip(kept, values, strict=True)]

    def _settle(self, run: GrowthRun) -> GrowthRun:
        """Whether a plain step of EM raises the log-likelihood by less than ``tol``, relatively."""
        rise = run.history[-2] - run.history[-1]
        if rise > self.tol * abs(run.history[-2]):
            return run
        return run._replace(exponent=1.0, converged=run.made == 1)

    @property
    def aspect_weights_(self) -> FloatArray:
        """p_k, in the order of the clusters."""
        return np.asarray(self._aspects[self._placement.order])

    def _label_rows(self, codes: Codes) -> Array:
        return self._fitted.of_rows(codes)


def _on_users_scale(history: list[float], dyads: Dyads, rows: LabelledRows) -> list[float]:
    """Log-likelihoods for the user's weights: P(i, j) of two objects is as much less as there are more of them."""
    shift = 2 * rows.scale.objects * float(np.log(2)) * dyads.n_dyads
    scaled: list[float] = rows.scale.report([value - shift for value in history], 2, 1)
    return scaled
