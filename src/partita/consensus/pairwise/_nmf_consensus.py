"""Consensus by factorising the co-association (Li, Ding and Jordan, 2007).

    minimise || S - Q G Q' ||^2,   Q'Q = I,   Q, G >= 0     by                                              (eq. P54)

    Q <- Q o sqrt( (S Q G) / (Q Q' S Q G) ),     G <- G o sqrt( (Q' S Q) / (Q'Q G Q'Q) )                    (eq. P55)

Orthogonality is approached, not exact, and the objective is not strictly monotone. Rows of weight w stand for w equal
objects: products with S and Q' are weighted sums. Without missing labels S = H H' / M, and S Q costs O(n m k).

Columns of Q have length 1, so that entries of a small cluster are large. Objects are therefore compared by the rows of
Q diag(G)^1/2, whose products are S again (eq. P57); the plain Q, as in the paper, gives small clusters too many
objects.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._parameters import common
from partita._runs import best_of, draw_seeds, progress, warn_not_converged
from partita._typing import Array, Codes, FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows, SoftConsensusMixin
from partita.consensus.kmeans._lloyd import SHORT_ITER, SHORT_TOL, run_k_means
from partita.consensus.pairwise._memberships import fitted_memberships
from partita.consensus.pairwise._pair_counts import row_counts
from partita.metrics._label_factor import through_labels

_TINY = 1e-12  # added to denominators, which are 0 for clusters without objects
_EXACT = 1e-6  # error, relative to S, of a factorisation that counts as exact: the updates are very slow near 0
_FEW_ROWS = 4000  # distinct rows up to which S is held if labels are missing: 128 MiB
_TURNED = 1.02  # rise of the error above its lowest at which a run ends: small rises in between are allowed
_START = 0.2  # added to the indicator of k-means: what is 0 stays 0


class Similarity(NamedTuple):
    """S between weighted rows: dense, or as A A'."""

    S: Any  # (r, r) array, or None
    A: Any  # (r, t) sparse, or None
    row_weights: FloatArray

    def times(self, Q: FloatArray) -> FloatArray:
        """S Q over all objects."""
        weighted = self.row_weights[:, None] * Q
        return np.asarray(self.S @ weighted if self.A is None else self.A @ (self.A.T @ weighted))

    def squared_norm(self) -> float:
        """|| S ||^2 over all pairs of objects."""
        if self.A is None:
            return float(self.row_weights @ self.S**2 @ self.row_weights)
        gram = (self.A.T @ (self.A * self.row_weights[:, None])).toarray()
        return float((gram**2).sum())


class NMFRun(NamedTuple):
    """Where a start ended."""

    best: FloatArray  # (r, k) Q diag(G)^1/2 of the lowest error, which need not be the last
    history: list[float]  # error of each iteration
    converged: bool


class NMFConsensus(SoftConsensusMixin, BaseConsensus):
    """Consensus by symmetric non-negative factorisation of the co-association.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. Some may end without objects.
    n_init : int, default=5
        Number of starts, at the clusters of k-means on the labels; the best one is kept.
    max_iter : int, default=500
        Largest number of iterations of each start.
    tol : float, default=1e-4
        Relative change of the error below which a start has converged.
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
    membership_ : ndarray of shape (n_samples, n_components_)
        Rows of Q diag(G)^1/2, scaled to sum to 1; uniform for objects without any label.
    labels_ : ndarray of shape (n_samples,)
        Cluster of largest membership, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last.
    objective_ : float
        || S - Q G Q' ||^2 over all pairs of objects, each with itself included.
    history_ : list of float
        Objective after each iteration of the kept start, up to its lowest value; it may rise in between.
    n_iter_ : int
        Number of iterations of the kept start, up to its lowest objective; the length of ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``: its error settled, or rose again from its lowest value.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost of an iteration with r distinct rows, m clusterings: O(r m k) without missing labels. With them O(r^2 k) and
    r^2 numbers up to 4,000 rows; beyond, O(r m k) with N_ij replaced by its expectation, as in :class:`CSPA`.

    Large clusters among small ones are recovered from noisy labels, but not always from k-means ensembles, which split
    them: the squared error then prefers the parts.

    References
    ----------
    T. Li, C. Ding, M. I. Jordan, Solving consensus and semi-supervised clustering problems using nonnegative matrix
    factorization, ICDM 2007, 577-582.

    Examples
    --------
    >>> from partita import NMFConsensus
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> NMFConsensus(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _ties_by_codes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("n_clusters", "n_init", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 5,
        max_iter: int = 500,
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

    def _powers_of_weights(self) -> tuple[float, float]:
        return 2, 0

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble, n_clusters = rows.ensemble, rows.n_clusters
        similarity = similarity_of(rows)
        seeds = draw_seeds(self.random_state, self.n_init).tolist()
        found = best_of(
            lambda seed: self._run(similarity, _start(ensemble, n_clusters, seed)),
            seeds,
            self.n_jobs,
            lowest=lambda run: min(run.history),
        )
        self.history_ = rows.scale.report(found.history[: int(np.argmin(found.history)) + 1], objects=2)
        self.objective_, self.n_iter_, self.converged_ = self.history_[-1], len(self.history_), found.converged
        if not self.converged_:
            warn_not_converged(type(self).__name__, self.max_iter)
        total = found.best.sum(axis=1, keepdims=True)
        Y = np.divide(found.best, total, out=np.full(found.best.shape, 1 / n_clusters), where=total > 0)
        self._fitted = fitted_memberships(ensemble, Y)
        return Consensus(Y.argmax(axis=1), Y, np.full(n_clusters, 1 / n_clusters))

    def _run(self, similarity: Similarity, Q: FloatArray) -> NMFRun:
        """Iterate from Q."""
        norm, w = similarity.squared_norm(), similarity.row_weights[:, None]
        G = np.diag(1 / (w * Q).sum(axis=0))
        best, history = Q, [np.inf]
        with progress(self.max_iter, "NMF", show=bool(self.verbose)) as bar:
            for _ in range(self.max_iter):
                SQ = similarity.times(Q)
                Q = Q * np.sqrt((SQ @ G) / (Q @ ((w * Q).T @ SQ @ G) + _TINY))
                SQ, gram = similarity.times(Q), (w * Q).T @ Q
                inner = (w * Q).T @ SQ
                G = G * np.sqrt(inner / (gram @ G @ gram + _TINY))
                error = max(float(norm - 2 * (inner * G).sum() + ((gram @ G) * (G @ gram)).sum()), 0.0)
                settled = abs(history[-1] - error) <= self.tol * error or error <= _EXACT * norm
                if error > _TURNED * min(history):  # it has passed its best and goes up
                    return NMFRun(best, history[1:], converged=True)
                best = Q * np.sqrt(np.diag(G)) if error <= min(history) else best
                history.append(error)
                bar.update(1)
                if settled:
                    return NMFRun(best, history[1:], converged=True)
        return NMFRun(best, history[1:], converged=False)

    def _label_rows(self, codes: Codes) -> Array:
        return self._fitted.of_rows(codes)


def _start(ensemble: Ensemble, n_clusters: int, seed: int) -> FloatArray:
    """The clusters of a short k-means on the labels (eq. P56)."""
    labels = run_k_means(ensemble, n_clusters, seed, max_iter=SHORT_ITER, tol=SHORT_TOL).labels
    return one_hot(labels, n_clusters) + _START


def similarity_of(rows: LabelledRows) -> Similarity:
    """S of the rows: through the labels if none is missing or there are many rows (eq. P58)."""
    ensemble = rows.ensemble
    if ensemble.has_missing and ensemble.n_rows <= _FEW_ROWS:
        return Similarity(row_counts(rows, "all", 0).similarity(), None, ensemble.row_weights)
    return Similarity(None, through_labels(ensemble), ensemble.row_weights)
