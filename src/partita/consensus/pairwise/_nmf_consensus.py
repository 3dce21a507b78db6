"""Consensus by factorising the co-association (after Li, Ding and Jordan, 2007).

    minimise f(Y) = || S - Y Y' ||^2   over   Y >= 0                                                        (eq. P54)

The paper's problem is S = Q D Q' with orthonormal Q >= 0 and diagonal D, which is this one with Y = Q D^1/2 and the
further constraint that the columns of Y are orthogonal. Its updates keep neither the constraint nor a falling error.
Here the constraint is left out, as non-negative columns that explain S hardly overlap, and every step lowers f: one
pass over the columns k of W, from W = Y, of

    || S - W Y' ||^2 + sum_k a_k | W_k - Y_k |^2,    W_k <- max(0, W_k + (S Y + Y diag(a) - W K)_k / K_kk),    (eq. P55)

K = Y'Y + diag(a). A larger a makes a shorter step; it grows until f falls. Y is a fixed point if and only if it is a
stationary point of f. The first start is the best factor of rank k without the sign, rotated towards non-negative
entries (eq. P56); no random number is drawn for it.

Rows of weight w stand for w equal objects: products with S and Y' are weighted sums. Without missing labels
S = H H' / M, and S Y costs O(n m k).
"""

from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from scipy.linalg import polar

from partita._kept_starts import RowStart, kept_starts
from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._parameters import common
from partita._runs import Progress, draw_seeds, in_order, progress, warn_not_converged
from partita._stopping import check_stop
from partita._typing import Array, Codes, FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows, SoftConsensusMixin
from partita.consensus.kmeans._lloyd import SHORT_ITER, SHORT_TOL, run_k_means
from partita.consensus.pairwise._memberships import fitted_memberships
from partita.consensus.pairwise._pair_counts import row_counts
from partita.metrics._label_factor import through_labels

_TINY = 1e-300  # floor of denominators, which are 0 for columns without objects
_EXACT = 1e-6  # error, relative to S, of a factorisation that counts as exact: steps are very short near 0
_FEW_ROWS = 4000  # distinct rows up to which S is held if labels are missing: 128 MiB
_DAMPING = 0.25  # a_k / |Y_k|^2 at first: with 0.1 f rose about three times as often on frozen ensembles
_LARGEST_DAMPING = 1e6  # of a step so short that f rises by rounding only
_POWERS = 8  # of S on random columns, for its eigenvectors; a start needs no more
_EXTRA = 5  # columns beyond k, which make these powers converge
_RANK = 1e-12  # eigenvalues of a Gram matrix below this share of the largest are rounding
_TURNS = 50  # of the rotation; other numbers were not tried


class Symmetric(Protocol):
    """A symmetric matrix between weighted rows that can be factorised."""

    @property
    def row_weights(self) -> FloatArray:
        """Weight of each row."""

    def times(self, Y: FloatArray) -> FloatArray:
        """Its product with Y over all objects."""

    def squared_norm(self) -> float:
        """Sum of its squares over all pairs of objects."""

    def lowest(self) -> float:
        """How far below 0 its eigenvalues, with the root of the weights on both sides, may be at most; 0 if hardly."""


class Similarity(NamedTuple):
    """S between weighted rows: dense, or as A A'."""

    S: Any  # (r, r) array, or None
    A: Any  # (r, t) sparse, or None
    row_weights: FloatArray

    def times(self, Y: FloatArray) -> FloatArray:
        """S Y over all objects."""
        check_stop()
        weighted = self.row_weights[:, None] * Y
        return np.asarray(self.S @ weighted if self.A is None else self.A @ (self.A.T @ weighted))

    def squared_norm(self) -> float:
        """|| S ||^2 over all pairs of objects."""
        check_stop()
        if self.A is None:
            return float(self.row_weights @ self.S**2 @ self.row_weights)
        gram = (self.A.T @ (self.A * self.row_weights[:, None])).toarray()
        return float((gram**2).sum())

    def lowest(self) -> float:
        """0: S has no negative eigenvalues, or small ones if labels are missing."""
        return 0.0


class Factor(NamedTuple):
    """Y, and what a step from it needs."""

    Y: FloatArray  # (r, k)
    SY: FloatArray  # (r, k)
    gram: FloatArray  # (k, k) Y'Y
    error: float  # f


class NMFRun(NamedTuple):
    """Where a start ended."""

    Y: FloatArray  # (r, k)
    history: list[float]  # error after each iteration
    converged: bool


class NMFConsensus(SoftConsensusMixin, BaseConsensus):
    """Consensus by symmetric non-negative factorisation of the co-association.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. Some may end without objects.
    n_init : int, default=1
        Number of starts, each run to its end; the best one is kept. The first begins at the eigenvectors of the
        co-association, rotated towards non-negative entries, and does not depend on ``random_state``; the others begin
        at the clusters of k-means on the labels.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
    max_iter : int, default=500
        Largest number of iterations of each start.
    tol : float, default=1e-5
        Relative fall of the error, in one iteration, below which a start has converged.
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
        Rows of Y, scaled to sum to 1; uniform for objects without any label.
    labels_ : ndarray of shape (n_samples,)
        Cluster of largest membership, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last.
    objective_ : float
        || S - Y Y' ||^2 over all pairs of objects, each with itself included, at a stationary point up to ``tol``.
    history_ : list of float
        Objective after each iteration of the kept start; it never rises.
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
    Cost of an iteration with r distinct rows, m clusterings: O(r m k) without missing labels. With them O(r^2 k) and
    r^2 numbers up to 4,000 rows; beyond, O(r m k) with N_ij replaced by its expectation, as in :class:`CSPA`.

    The columns of Y are not forced to be orthogonal, as Q is in the paper: an object between two clusters has a part
    in both. Large clusters among small ones are recovered from noisy labels, but not always from k-means ensembles,
    which split them: the squared error then prefers the parts.

    References
    ----------
    T. Li, C. Ding, M. I. Jordan, Solving consensus and semi-supervised clustering problems using nonnegative matrix
    factorization, ICDM 2007, 577-582.

    D. Kuang, C. Ding, H. Park, Symmetric nonnegative matrix factorization for graph clustering, SDM 2012, 106-117.

    K. Huang, N. D. Sidiropoulos, A. Swami, Non-negative matrix factorization revisited: uniqueness and algorithm for
    symmetric decomposition, IEEE Transactions on Signal Processing 62 (2014) 211-224.

    Examples
    --------
    >>> from partita import NMFConsensus
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> NMFConsensus(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _ties_by_codes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("n_clusters", "n_init", "keep_starts", "max_iter", "tol"),
        **common("weights", "random_state", "n_jobs", "verbose"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 1,
        keep_starts: bool = False,
        max_iter: int = 500,
        tol: float = 1e-5,
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

    def _powers_of_weights(self) -> tuple[float, float]:
        return 2, 0

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        similarity, n_clusters = self._matrix(rows), rows.n_clusters
        seeds = draw_seeds(self.random_state, self.n_init).tolist()
        first = self._first_starts(similarity, n_clusters)
        n_runs = len(first) + int(self.n_init) - 1
        with progress(n_runs * int(self.max_iter), "NMF", show=bool(self.verbose)) as bar:

            def run(number: int) -> NMFRun:
                if number == 0:
                    return min((self._run(similarity, Y, bar) for Y in first), key=lambda run: run.history[-1])
                return self._run(similarity, k_means_start(rows.ensemble, n_clusters, seeds[number]), bar)

            runs = list(in_order(run, range(len(seeds)), self.n_jobs))
        found = min(runs, key=lambda run: run.history[-1])
        self.history_ = rows.scale.report(found.history, objects=2)
        self.objective_, self.n_iter_, self.converged_ = self.history_[-1], len(self.history_), found.converged
        if self.keep_starts:
            kept = [
                RowStart(one.history[-1], seed, len(one.history), one.Y.argmax(axis=1))
                for one, seed in zip(runs, seeds, strict=True)
            ]
            self.starts_ = kept_starts(kept, rows, objects=2)
        if not self.converged_:
            warn_not_converged(type(self).__name__, self.max_iter)
        total = found.Y.sum(axis=1, keepdims=True)
        Y = np.divide(found.Y, total, out=np.full(found.Y.shape, 1 / n_clusters), where=total > 0)
        self._fitted = fitted_memberships(rows.ensemble, Y)
        return Consensus(Y.argmax(axis=1), Y, np.full(n_clusters, 1 / n_clusters))

    def _matrix(self, rows: LabelledRows) -> Symmetric:
        """The matrix that is factorised."""
        return similarity_of(rows)

    def _first_starts(self, similarity: Symmetric, n_clusters: int) -> list[FloatArray]:
        """Where the first start begins, the best of them counts; nothing is drawn at random (eq. P56)."""
        return [rotated_eigenvectors(similarity, n_clusters)]

    def _run(self, similarity: Symmetric, Y: FloatArray, bar: Progress) -> NMFRun:
        """Iterate from Y."""
        norm = similarity.squared_norm()
        factor, damping = factor_of(similarity, norm, Y), _DAMPING
        history: list[float] = []
        converged = False
        while not converged and len(history) < self.max_iter:
            moved, damping = lower(similarity, norm, factor, damping)
            converged = factor.error - moved.error <= self.tol * moved.error or moved.error <= _EXACT * norm
            factor, damping = moved, max(_DAMPING, damping / 2)
            history.append(factor.error)
            bar.update(1)
        bar.update(int(self.max_iter) - len(history))
        return NMFRun(factor.Y, history, converged)

    def _label_rows(self, codes: Codes) -> Array:
        return self._fitted.of_rows(codes)


# --------------------------------------------------------------------------------------------------------------- steps
def factor_of(similarity: Symmetric, norm: float, Y: FloatArray) -> Factor:
    """Y with its error: || S ||^2 - 2 tr(Y'SY) + || Y'Y ||^2."""
    SY, weighted = similarity.times(Y), similarity.row_weights[:, None] * Y
    gram = weighted.T @ Y
    return Factor(Y, SY, gram, max(float(norm - 2 * (weighted * SY).sum() + (gram**2).sum()), 0.0))


def lower(similarity: Symmetric, norm: float, factor: Factor, damping: float) -> tuple[Factor, float]:
    """A step that does not raise the error, and the damping that it took."""
    while damping <= _LARGEST_DAMPING:
        moved = factor_of(similarity, norm, pass_over_columns(factor, damping))
        if moved.error <= factor.error:
            return moved, damping
        damping *= 4
    return factor, damping  # no step lowers it


def pass_over_columns(factor: Factor, damping: float) -> FloatArray:
    """Each column of W once, the others as they are (eq. P55)."""
    a = damping * np.diag(factor.gram)
    K = factor.gram + np.diag(a)
    target = np.ascontiguousarray((factor.SY + factor.Y * a).T)
    W = np.array(factor.Y.T, order="C")  # one row per cluster: each is contiguous
    for k in range(len(K)):
        W[k] = np.maximum(W[k] + (target[k] - K[k] @ W) / max(K[k, k], _TINY), 0.0)
    return np.ascontiguousarray(W.T)


# -------------------------------------------------------------------------------------------------------------- starts
def rotated_eigenvectors(similarity: Symmetric, n_clusters: int) -> FloatArray:
    """max(0, B R) for the best B B' of rank k, and the rotation R that makes it nearest to B R (eq. P56)."""
    root = np.sqrt(similarity.row_weights)[:, None]
    B = best_factor(similarity, root, n_clusters)
    R = polar((B / root)[_rows_apart(B / root)].T)[0]
    for _ in range(_TURNS):
        check_stop()
        R = polar(B.T @ np.maximum(B @ R, 0.0))[0]
    Y = np.zeros((len(B), n_clusters))
    Y[:, : B.shape[1]] = np.maximum(B @ R, 0.0) / root
    return Y


def _rows_apart(points: FloatArray) -> list[int]:
    """As many rows as columns, each the longest after its part along those before it is taken off (pivoted QR)."""
    left, chosen = points.copy(), []
    for _ in range(points.shape[1]):
        check_stop()
        length = np.linalg.norm(left, axis=1)
        chosen.append(int(length.argmax()))
        direction = left[chosen[-1]] / max(float(length.max()), _TINY)
        left -= (left @ direction)[:, None] * direction
    return chosen


def best_factor(similarity: Symmetric, root: FloatArray, n_clusters: int) -> FloatArray:
    """Leading eigenvectors of W^1/2 S W^1/2, each times the root of its eigenvalue, by powers of S on some columns."""
    shift = similarity.lowest()  # so that large eigenvalues below 0 do not come first

    def product(V: FloatArray) -> FloatArray:
        return root * similarity.times(V / root) + shift * V

    n = len(root)
    V = np.random.default_rng(0).standard_normal((n, min(n, n_clusters + _EXTRA)))
    for _ in range(_POWERS):
        V = _orthonormal(product(V))
    values, vectors = np.linalg.eigh(V.T @ product(V))
    return np.asarray(V @ vectors[:, -n_clusters:] * np.sqrt(np.maximum(values[-n_clusters:] - shift, 0.0)))


def _orthonormal(V: FloatArray) -> FloatArray:
    """An orthonormal basis of the columns; fewer columns where their rank is lower."""
    values, vectors = np.linalg.eigh(V.T @ V)
    kept = values > _RANK * values[-1]
    return np.asarray(V @ (vectors[:, kept] / np.sqrt(values[kept])))


def k_means_start(ensemble: Ensemble, n_clusters: int, seed: int) -> FloatArray:
    """The clusters of a short k-means on the labels."""
    return one_hot(run_k_means(ensemble, n_clusters, seed, max_iter=SHORT_ITER, tol=SHORT_TOL).labels, n_clusters)


def similarity_of(rows: LabelledRows) -> Similarity:
    """S of the rows: through the labels if none is missing or there are many rows (eq. P58)."""
    ensemble = rows.ensemble
    if ensemble.has_missing and ensemble.n_rows <= _FEW_ROWS:
        return Similarity(row_counts(rows, "all", 0).similarity(), None, ensemble.row_weights)
    return Similarity(None, through_labels(ensemble), ensemble.row_weights)
