"""Consensus by factorising the co-association (Li, Ding and Jordan, 2007).

    minimise || S - Q G Q' ||^2,   Q'Q = I,   Q, G >= 0     by

    Q <- Q o sqrt( (S Q G) / (Q Q' S Q G) ),     G <- G o sqrt( (Q' S Q) / (Q'Q G Q'Q) ).

Orthogonality is approached, not exact, and the objective is not strictly monotone. Rows of weight w stand for w equal
objects: products with S and Q' are weighted sums. Without missing labels S = H H' / M, and S Q costs O(n m k).

Columns of Q have length 1, so that entries of a small cluster are large. Objects are therefore compared by the rows of
Q diag(G)^1/2, whose products are S again; the plain Q, as in the paper, gives small clusters too many objects.
"""

import warnings
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from partita._labels.ensemble import Ensemble
from partita._parameters import Interval
from partita._runs import draw_seeds
from partita._typing import FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows
from partita.consensus.graph._indicator import through_labels
from partita.consensus.kmeans._label_kmeans import run_k_means
from partita.consensus.pairwise._pair_counts import count_rows_of
from partita.consensus.pcc._label_space import insert_new_rows

_TINY = 1e-12
_EXACT = 1e-6  # error, relative to S, of a factorisation as good as exact: towards 0 the updates become ever slower
_FEW_ROWS = 4000  # distinct rows up to which S is held if labels are missing
_TURNED = 1.02  # rise of the error above its lowest at which a run ends
_START = 0.2  # added to the indicator of k-means


class Similarity(NamedTuple):
    """S between weighted rows: dense, or as A A'."""

    S: Any  # (r, r) array, or None
    A: Any  # (r, t) sparse, or None
    weight: FloatArray

    def times(self, Q: FloatArray) -> FloatArray:
        """S Q over all objects."""
        weighted = self.weight[:, None] * Q
        return np.asarray(self.S @ weighted if self.A is None else self.A @ (self.A.T @ weighted))

    def squared_norm(self) -> float:
        """|| S ||^2 over all pairs of objects."""
        if self.A is None:
            return float(self.weight @ self.S**2 @ self.weight)
        gram = (self.A.T @ (self.A * self.weight[:, None])).toarray()
        return float((gram**2).sum())


class NMFConsensus(BaseConsensus):
    """Consensus by symmetric non-negative factorisation of the co-association.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters; some may end without objects.
    n_init : int, default=5
        Starts, at the clusters of k-means on the labels; the one with the lowest error is kept.
    tol : float, default=1e-4
        Relative change of the error below which a run has converged.
    max_iter : int, default=500
        Iterations a start.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState or None
        Seed of the starts.

    Attributes
    ----------
    membership_ : ndarray of shape (n_samples, n_clusters_)
        Rows of Q diag(G)^1/2, scaled to sum to 1; uniform for objects without any label.
    labels_ : ndarray of shape (n_samples,)
        Cluster of largest membership, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
    objective_ : float
        || S - Q G Q' ||^2 over all pairs of objects, each with itself included.
    history_ : list of float
        The objective at each iteration up to its lowest; it need not fall on the way.
    n_iter_ : int
    converged_ : bool
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
        "n_clusters": [Interval("int", 1, None)],
        "n_init": [Interval("int", 1, None)],
        "tol": [Interval("real", 0, None)],
        "max_iter": [Interval("int", 1, None)],
        "weights": ["array-like", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 5,
        tol: float = 1e-4,
        max_iter: int = 500,
        weights: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.weights = weights
        self.random_state = random_state

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        similarity = similarity_of(rows)
        n_clusters = min(self.n_clusters, ensemble.n_rows)
        runs = []
        for seed in draw_seeds(self.random_state, self.n_init).tolist():
            labels = run_k_means(ensemble, n_clusters, seed, max_iter=10, tol=1e-3).labels
            runs.append(self._run(similarity, np.eye(n_clusters)[labels] + _START))
        Q, history, self.converged_ = min(runs, key=lambda found: min(found[1]))
        self.history_ = history[: int(np.argmin(history)) + 1]
        self.objective_, self.n_iter_ = self.history_[-1], len(self.history_)
        if not self.converged_:
            warnings.warn(
                f"NMF had not converged after max_iter={self.max_iter} iterations; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        total = Q.sum(axis=1, keepdims=True)
        membership = np.divide(Q, total, out=np.full(Q.shape, 1 / n_clusters), where=total > 0)
        self._ensemble, self._row_membership = ensemble, membership
        return Consensus(membership.argmax(axis=1), membership, np.full(n_clusters, 1 / n_clusters))

    def _run(self, similarity: Similarity, Q: FloatArray) -> tuple[FloatArray, list[float], bool]:
        """Iterate from Q; returns Q diag(G)^1/2 of the lowest error, which need not be the last."""
        norm, w = similarity.squared_norm(), similarity.weight[:, None]
        G = np.diag(1 / (w * Q).sum(axis=0))
        best, history = Q, [np.inf]
        for _ in range(self.max_iter):
            SQ = similarity.times(Q)
            Q = Q * np.sqrt((SQ @ G) / (Q @ ((w * Q).T @ SQ @ G) + _TINY))
            SQ, gram = similarity.times(Q), (w * Q).T @ Q
            inner = (w * Q).T @ SQ
            G = G * np.sqrt(inner / (gram @ G @ gram + _TINY))
            error = max(float(norm - 2 * (inner * G).sum() + ((gram @ G) * (G @ gram)).sum()), 0.0)
            settled = abs(history[-1] - error) <= self.tol * error or error <= _EXACT * norm
            if error > _TURNED * min(history):  # it has passed its best and goes up
                return best, history[1:], True
            best = Q * np.sqrt(np.diag(G)) if error <= min(history) else best
            history.append(error)
            if settled:
                return best, history[1:], True
        return best, history[1:], False

    def _label_rows(self, codes: Any) -> FloatArray:
        """Memberships that fit best, by l2 over all pairs, with those of the fitted objects."""
        return insert_new_rows(codes, self._ensemble, self._row_membership)


def similarity_of(rows: LabelledRows) -> Similarity:
    """S of the rows: through the labels if none is missing or there are many rows (see CSPA)."""
    ensemble: Ensemble = rows.ensemble
    if ensemble.has_missing and ensemble.n_rows <= _FEW_ROWS:
        return Similarity(count_rows_of(rows, "all", 0).similarity(), None, ensemble.row_weights)
    return Similarity(None, through_labels(ensemble), ensemble.row_weights)
