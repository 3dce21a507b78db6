"""Fuzzy k-medoids of the co-association (Krishnapuram et al., 2001).

    minimise  F(V) = sum_i w_i sum_k u_ik^f D_{i v_k}   over K rows V and memberships u,   D = 1 - S          (eq. P73)

The published iteration takes the best memberships for the medoids (eq. P69), then for each cluster the row of the
lowest sum_i w_i u_ik^f D_ij. It ends at the first pair that it cannot improve, which is often a poor one. Here F, a
function of the medoids alone (eq. P69), is then lowered by swaps: one medoid for another row, the others as they are,
until no swap that is tried is better (eq. P74).

Without missing labels S = A A' and no matrix of pairs is held; with them S is held, r^2 numbers.
"""

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita._kept_starts import RowStart, kept_starts
from partita._labels.ensemble import Ensemble, match_rows
from partita._parameters import common
from partita._runs import Progress, draw_sample, draw_seeds, in_order, plus_plus, progress, warn_not_converged
from partita._stopping import check_stop
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows, SoftConsensusMixin
from partita.consensus.pairwise._fuzzy import (
    FUZZINESS,
    cost_of,
    dense_similarity,
    final_memberships,
    memberships,
    similarity_to,
    warn_if_equal,
)
from partita.metrics._label_factor import through_labels

# Rows that are tried for a medoid, half of them those that would serve its cluster best, half drawn: on a k-means
# ensemble of the digits the median of 15 starts was the best value with 64, and 0.7 % above it with 32.
_CANDIDATES = 64
_TOGETHER = 8  # rows whose distances from all others are computed between two looks at the limits of time


class PairDistances(NamedTuple):
    """D = 1 - S between weighted rows: from S, or through the labels, S = A A'."""

    S: Any  # (r, r) array, or None
    A: Any  # (r, t) sparse, or None
    row_weights: FloatArray

    def columns(self, rows: Array) -> FloatArray:
        """Distance of every row from some rows, (r, n)."""
        S = self.S[:, rows] if self.A is None else self._products(rows)
        D: FloatArray = np.maximum(1.0 - S, 0.0)
        D[rows, np.arange(len(rows))] = 0.0  # up to rounding it is
        return D

    def _products(self, rows: Array) -> FloatArray:
        """S of every row with some rows, through the labels: for each of them the same whatever the others are."""
        S = np.empty((self.A.shape[0], len(rows)))
        for lo in range(0, len(rows), _TOGETHER):
            check_stop()
            S[:, lo : lo + _TOGETHER] = (self.A @ self.A[rows[lo : lo + _TOGETHER]].T).toarray()
        return S

    def sums(self, power: FloatArray) -> FloatArray:
        """sum_i w_i power_ik D_ij for every row j and cluster k, (r, k)."""
        weighted = self.row_weights[:, None] * power
        S = self.S @ weighted if self.A is None else self.A @ (self.A.T @ weighted)
        return np.asarray(weighted.sum(axis=0) - S)


class MedoidRun(NamedTuple):
    """Where a start ended."""

    medoids: IntArray  # (k,) rows
    history: list[float]  # objective after each iteration or swap
    converged: bool


class FuzzyKMedoids(SoftConsensusMixin, BaseConsensus):
    """Fuzzy k-medoids of the co-association: objects that stand for clusters, and shares in them.

    The distance of two objects is the share of clusterings, among those that label both, which put them apart. An
    object belongs to a cluster the more, the nearer it is to the cluster's medoid.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    fuzziness : float > 1, default=1.1
        How much clusters overlap; at least 1.01. Near 1 memberships are 0 or 1. With 2, the usual value for features,
        all memberships are nearly equal: the distances of an object from its own medoid and from others differ by a
        factor of two at most where clusterings disagree, and a membership is their ratio to the power
        1 / (fuzziness - 1).
    n_init : int, default=5
        Number of starts (greedy k-means++), each run to its end; the best one is kept. With more than 3,000 distinct
        rows they run on a sample of 3,000 objects, and the best goes on over all.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, on all objects, and keep what each found in ``starts_``.
    max_iter : int, default=300
        Largest number of iterations and swaps of each start.
    tol : float, default=1e-9
        Relative fall of the objective that is a better value.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the starts and of the rows that are tried.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_ : ndarray of shape (n_samples, n_components_)
        Share of each object in each cluster; uniform for objects without any label.
    labels_ : ndarray of shape (n_samples,)
        Cluster of largest membership, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``.
    medoids_ : ndarray of shape (n_components_,)
        First object that has the labels of the medoid of each cluster.
    objective_ : float
        Weighted sum over objects and clusters of membership^fuzziness times distance.
    history_ : list of float
        Objective after each iteration or swap of the kept start (on all objects, if starts ran on a sample); it never
        rises.
    n_iter_ : int
        Length of ``history_``.
    converged_ : bool
        Whether no change that was tried is better, within ``max_iter``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows and m clusterings: O(r m k) per iteration and O(r m) per row that is tried in a swap, 64
    for each medoid. With missing labels O(r^2 k), and r^2 numbers are held.

    A new object is compared with the medoids, and with nothing else.

    References
    ----------
    R. Krishnapuram, A. Joshi, O. Nasraoui, L. Yi, Low-complexity fuzzy relational clustering algorithms for web mining,
    IEEE Transactions on Fuzzy Systems 9 (2001) 595-607.

    Examples
    --------
    >>> from partita import FuzzyKMedoids
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, 6]}
    >>> model = FuzzyKMedoids(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.medoids_
    array([0, 3])
    """

    _ties_by_codes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("n_clusters", "n_init", "keep_starts", "max_iter", "tol"),
        **common("weights", "random_state", "n_jobs", "verbose"),
        "fuzziness": FUZZINESS,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzziness: float = 1.1,
        n_init: int = 5,
        keep_starts: bool = False,
        max_iter: int = 300,
        tol: float = 1e-9,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.n_init = n_init
        self.keep_starts = keep_starts
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _powers_of_weights(self) -> tuple[float, float]:
        return 1, 0

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        seeds = draw_seeds(self.random_state, self.n_init).tolist()
        drawn = None if self.keep_starts else draw_sample(ensemble.row_weights, seeds[0])
        distances = pair_distances(ensemble)
        few = distances if drawn is None else pair_distances(ensemble.sample(drawn))
        with progress(int(self.n_init) * int(self.max_iter), "fuzzy k-medoids", show=bool(self.verbose)) as bar:

            def run(seed: int) -> MedoidRun:
                rng = np.random.default_rng(seed)
                return self._run(few, draw_medoids(few, rows.n_clusters, rng), rng, bar)

            runs = list(in_order(run, seeds, self.n_jobs))
        found = min(runs, key=lambda run: run.history[-1])
        if drawn is not None:  # the rows of the sample are those that were drawn
            with progress(int(self.max_iter), "fuzzy k-medoids, all objects", show=bool(self.verbose)) as bar:
                first = np.flatnonzero(drawn)[found.medoids]
                found = self._run(distances, first, np.random.default_rng(seeds[0]), bar)
        self._report(rows, found)
        if self.keep_starts:
            kept = [
                RowStart(one.history[-1], seed, len(one.history), self._of_rows(distances, one.medoids).argmax(axis=1))
                for one, seed in zip(runs, seeds, strict=True)
            ]
            self.starts_ = kept_starts(kept, rows, objects=1)
        Y = self._of_rows(distances, found.medoids)
        warn_if_equal(Y, type(self).__name__, self.fuzziness)
        self._rows, self._Y = ensemble, Y
        self._medoid_rows = ensemble.with_rows(ensemble.codes[found.medoids])
        return Consensus(Y.argmax(axis=1), Y, np.full(Y.shape[1], 1 / Y.shape[1]))

    def _report(self, rows: LabelledRows, found: MedoidRun) -> None:
        self.history_ = rows.scale.report(found.history, objects=1)
        self.objective_, self.n_iter_, self.converged_ = self.history_[-1], len(self.history_), found.converged
        if not self.converged_:
            warn_not_converged(type(self).__name__, self.max_iter)

    @property
    def medoids_(self) -> IntArray:
        """First object that has the labels of the medoid of each cluster."""
        check_is_fitted(self, "_judged")
        medoids = match_rows(self._judged.ensemble.codes, self._medoid_rows.codes[self._placement.order])
        return np.array([int(np.argmax(self._judged.row_of_object == row)) for row in medoids], dtype=np.int64)

    def _of_rows(self, distances: PairDistances, medoids: IntArray) -> FloatArray:
        return final_memberships(distances.columns(medoids), self.fuzziness)

    def _run(self, distances: PairDistances, medoids: IntArray, rng: np.random.Generator, bar: Progress) -> MedoidRun:
        """The published iteration, then swaps."""
        limit = int(self.max_iter)
        run = alternate(distances, medoids, self.fuzziness, self.tol, limit)
        if run.converged:
            run = swap_medoids(distances, run, self.fuzziness, self.tol, limit, rng)
        bar.update(limit)
        return run._replace(medoids=np.sort(run.medoids))  # ties of objects then do not depend on the start

    def _label_rows(self, codes: Codes) -> Array:
        equal = match_rows(self._rows.codes, codes)
        Y = self._Y[equal]
        new = np.flatnonzero(equal < 0)
        if len(new):
            distance = np.maximum(1.0 - similarity_to(codes[new], self._medoid_rows), 0.0)
            Y[new] = final_memberships(distance, self.fuzziness)
        return Y


# --------------------------------------------------------------------------------------------------------------- steps
def pair_distances(ensemble: Ensemble) -> PairDistances:
    """D of all pairs of rows: held only if labels are missing."""
    if ensemble.has_missing:
        return PairDistances(dense_similarity(ensemble, "FuzzyKMedoids"), None, ensemble.row_weights)
    return PairDistances(None, through_labels(ensemble), ensemble.row_weights)


def draw_medoids(distances: PairDistances, n_clusters: int, rng: np.random.Generator) -> IntArray:
    """Rows far from each other, by greedy k-means++; D is half a squared distance of labels."""
    n_candidates = 2 + int(math.log(n_clusters))
    return np.array(
        plus_plus(
            distances.row_weights,
            n_clusters,
            lambda row: distances.columns(np.array([row]))[:, 0],
            rng,
            n_candidates=n_candidates,
        ),
        dtype=np.int64,
    )


def objective(distances: PairDistances, medoids: IntArray, fuzziness: float) -> float:
    """F at the best memberships (eqs. P69, P73)."""
    return float(distances.row_weights @ cost_of(distances.columns(medoids), fuzziness))


def alternate(distances: PairDistances, medoids: IntArray, fuzziness: float, tol: float, max_iter: int) -> MedoidRun:
    """Memberships, then medoids, as long as F falls (eq. P73)."""
    history = [objective(distances, medoids, fuzziness)]
    while len(history) < max_iter:
        check_stop()
        power = memberships(distances.columns(medoids), fuzziness) ** fuzziness
        moved = distances.sums(power).argmin(axis=0)
        value = objective(distances, moved, fuzziness)
        if not value < history[-1] * (1 - tol):
            return MedoidRun(medoids, history, True)
        medoids = moved
        history.append(value)
    return MedoidRun(medoids, history, False)


def swap_medoids(
    distances: PairDistances, run: MedoidRun, fuzziness: float, tol: float, max_iter: int, rng: np.random.Generator
) -> MedoidRun:
    """Change one medoid after another, as long as one of its candidates is better (eq. P74)."""
    medoids, history = run.medoids.copy(), list(run.history)
    k, n_failed = 0, 0
    while n_failed < len(medoids):
        check_stop()
        if len(history) >= max_iter:
            return MedoidRun(medoids, history, False)
        row, value = best_swap(distances, medoids, k, fuzziness, rng)
        n_failed += 1
        if value < history[-1] * (1 - tol):
            medoids[k], n_failed = row, 0
            history.append(value)
        k = (k + 1) % len(medoids)
    return MedoidRun(medoids, history, True)


def best_swap(
    distances: PairDistances, medoids: IntArray, k: int, fuzziness: float, rng: np.random.Generator
) -> tuple[int, float]:
    """The best row in place of medoid k among some candidates, and F with it."""
    D, p = distances.columns(medoids), 1 / (fuzziness - 1)
    candidates = _candidates(distances, D, k, fuzziness, rng)
    rest = np.delete(D, k, axis=1)
    with np.errstate(divide="ignore", over="ignore"):  # a row at a medoid: infinity, and its cost is 0
        others = (rest**-p).sum(axis=1, keepdims=True)
        check_stop()
        values = distances.row_weights @ (others + distances.columns(candidates) ** -p) ** (-1 / p)
    best = int(values.argmin())
    return int(candidates[best]), float(values[best])


def _candidates(
    distances: PairDistances, D: FloatArray, k: int, fuzziness: float, rng: np.random.Generator
) -> IntArray:
    """Rows that would serve the members of cluster k best, and rows drawn by what they cost now; all if few."""
    n, half = len(D), _CANDIDATES // 2
    if n <= _CANDIDATES:
        return np.arange(n)
    of_cluster = distances.sums(memberships(D, fuzziness)[:, [k]] ** fuzziness)[:, 0]
    total = np.cumsum(distances.row_weights * cost_of(D, fuzziness))
    drawn = np.searchsorted(total, rng.random(half) * total[-1], side="right").clip(max=n - 1)
    return np.unique(np.append(np.argsort(of_cluster, kind="stable")[:half], drawn))
