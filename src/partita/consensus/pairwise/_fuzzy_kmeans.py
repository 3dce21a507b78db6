"""Fuzzy k-means of the rows of the co-association (Bezdek, 1981).

    minimise  J = sum_i w_i sum_k u_ik^f |S_i - c_k|^2,    |x|^2 = sum_j w_j x_j^2   over the objects j      (eq. P70)

Row S_i says how often object i is together with every object. Memberships are those of eq. P69, and the centre of a
cluster is the mean of its rows, weighted by u^f. Neither n x n nor r x r numbers are needed where no label is missing:
with S = A A' (A the scaled indicator of the labels) and G = A' W A, (t, t),

    S_i - c_k = A (a_i - b_k),    |S_i - c_k|^2 = (a_i - b_k)' G (a_i - b_k),                                (eq. P71)

a_i row i of A and b_k the weighted mean of the a_i. With missing labels S is held: a_i = S_i and G = W.
"""

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita._kept_starts import RowStart, kept_starts
from partita._labels.ensemble import Ensemble, match_rows
from partita._labels.tables import pair_sums
from partita._memory import ensure_memory
from partita._parameters import common
from partita._runs import (
    Progress,
    Round,
    draw_sample,
    draw_seeds,
    in_order,
    plus_plus,
    progress,
    race,
    warn_not_converged,
)
from partita._stopping import check_stop
from partita._typing import Array, Codes, FloatArray
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

_COMPETING = 4  # starts for each that is run to the end
_SHORT = 10  # iterations in which they compete
_ROUNDING = 1e-13  # of a squared distance, relative to the largest squared norm: below it is 0
_BLOCK = 2**22  # entries of G that are looked up at a time: 32 MiB


class Points(NamedTuple):
    """Rows of S as points a_i of a space with the metric G (eq. P71)."""

    F: Any  # (r, q) the a_i: sparse, of the labels, or the rows of S
    metric: FloatArray  # G: (q, q), or (q,) if it is diagonal
    norms: FloatArray  # (r,) a_i' G a_i
    row_weights: FloatArray
    dust: float  # squared distances below are 0

    def centers(self, power: FloatArray) -> FloatArray:
        """b_k: weighted means, one column per cluster (q, k)   (eq. P70)."""
        weighted = self.row_weights[:, None] * power
        mass = np.maximum(weighted.sum(axis=0), np.finfo(float).tiny)  # 0 where all powers are too small for a number
        return np.asarray((self.F.T @ weighted) / mass)

    def distances(self, b: FloatArray) -> FloatArray:
        """Squared distance of every row from every centre, (r, k)   (eq. P71)."""
        Gb = apply(self.metric, b)
        D = self.norms[:, None] - 2 * np.asarray(self.F @ Gb) + (b * Gb).sum(axis=0)
        return np.where(self.dust < D, D, 0.0)

    def from_row(self, row: int) -> FloatArray:
        """Squared distance of every row from a row."""
        a = self.F[[row]]
        Ga = np.asarray(a * self.metric if self.metric.ndim == 1 else a @ self.metric)[0]
        D = self.norms + self.norms[row] - 2 * np.asarray(self.F @ Ga)
        return np.where(self.dust < D, D, 0.0)


def apply(metric: FloatArray, b: FloatArray) -> FloatArray:
    """G b."""
    return np.asarray(metric[:, None] * b if metric.ndim == 1 else metric @ b)


class FuzzyRun(NamedTuple):
    """Where a start is."""

    centers: FloatArray  # (q, k)
    history: list[float]  # objective after each iteration
    converged: bool


def reached(run: FuzzyRun) -> float:
    """The objective of a run."""
    return run.history[-1]


class FuzzyKMeans(SoftConsensusMixin, BaseConsensus):
    """Fuzzy k-means of the rows of the co-association.

    Objects are alike if they are together with the same objects, equally often. The centre of a cluster is the weighted
    mean of the rows of the co-association of all objects, and an object belongs to a cluster the more, the nearer its
    row is to the centre.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    fuzziness : float > 1, default=1.2
        How much clusters overlap (m in most texts); at least 1.01. Near 1 it is k-means. With 2, the usual value for a
        few features, the clusters of noisy ensembles become one: all memberships are then equal, all objects are in
        one cluster, and a warning tells.
    n_init : int, default=5
        Number of starts that are run to their end; the best one is kept. Four times as many (greedy k-means++) compete
        for ten iterations. With more than 3,000 distinct rows all starts run on a sample of 3,000 objects, and the best
        goes on over all.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
    max_iter : int, default=500
        Largest number of iterations of each start.
    tol : float, default=1e-7
        Relative fall of the objective, in one iteration, below which a start has converged.
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
        Share of each object in each cluster; uniform for objects without any label.
    labels_ : ndarray of shape (n_samples,)
        Cluster of largest membership, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``.
    objective_ : float
        Weighted sum over objects and clusters of membership^fuzziness times squared distance.
    history_ : list of float
        Objective after each iteration of the kept start (on all objects, if starts ran on a sample); it never rises.
    n_iter_ : int
        Length of ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings and t labels: O(r m^2) once and O(r m k + t^2 k) per iteration; t^2
    numbers. With missing labels, or fewer rows than labels, O(r^2 k) per iteration and r^2 numbers.

    References
    ----------
    J. C. Bezdek, Pattern recognition with fuzzy objective function algorithms, Plenum Press, 1981.

    A. Lourenço, S. Rota Bulò, N. Rebagliati, A. L. N. Fred, M. A. T. Figueiredo, M. Pelillo, Probabilistic consensus
    clustering using evidence accumulation, Machine Learning 98 (2015) 331-357.

    Examples
    --------
    >>> from partita import FuzzyKMeans
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> FuzzyKMeans(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
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
        fuzziness: float = 1.2,
        n_init: int = 5,
        keep_starts: bool = False,
        max_iter: int = 500,
        tol: float = 1e-7,
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
        return 2, 0

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        points = points_of(ensemble)
        seeds = draw_seeds(self.random_state, self.n_init * (1 if self.keep_starts else _COMPETING)).tolist()
        drawn = None if self.keep_starts else draw_sample(ensemble.row_weights, seeds[0])
        few = points if drawn is None else points_of(ensemble.sample(drawn))
        runs = self._run_starts(few, rows.n_clusters, seeds)
        found = min(runs, key=reached)
        if drawn is not None:
            power = memberships(few.distances(found.centers), self.fuzziness) ** self.fuzziness
            found = self._go_on(points, FuzzyRun(few_to_all(points, few, power, drawn), [], False), int(self.max_iter))
        self.history_ = rows.scale.report(found.history, objects=2)
        self.objective_, self.n_iter_, self.converged_ = self.history_[-1], len(self.history_), found.converged
        if not self.converged_:
            warn_not_converged(type(self).__name__, self.max_iter)
        if self.keep_starts:
            kept = [
                RowStart(reached(one), seed, len(one.history), points.distances(one.centers).argmin(axis=1))
                for one, seed in zip(runs, seeds, strict=True)
            ]
            self.starts_ = kept_starts(kept, rows, objects=2)
        Y, centers = final_memberships(points.distances(found.centers), self.fuzziness), found.centers
        if warn_if_equal(
            Y, type(self).__name__, self.fuzziness
        ):  # what is left of differences is where the run stopped
            Y, centers = np.full_like(Y, 1 / Y.shape[1]), np.tile(centers.mean(axis=1, keepdims=True), Y.shape[1])
        self._rows, self._Y, self._centers, self._metric = ensemble, Y, centers, points.metric
        return Consensus(Y.argmax(axis=1), Y, np.full(Y.shape[1], 1 / Y.shape[1]))

    def _run_starts(self, points: Points, n_clusters: int, seeds: list[int]) -> list[FuzzyRun]:
        """The starts that are run to their end."""
        with progress(len(seeds) + int(self.n_init), "fuzzy k-means", show=bool(self.verbose)) as bar:

            def begin(seed: int) -> FuzzyRun:
                first = FuzzyRun(first_centers(points, n_clusters, seed), [], False)
                return self._go_on(points, first, min(_SHORT, int(self.max_iter)), bar)

            def end(run: FuzzyRun) -> FuzzyRun:
                return self._go_on(points, run, int(self.max_iter), bar)

            if self.keep_starts:
                return list(in_order(lambda seed: end(begin(seed)), seeds, self.n_jobs))
            rounds = [Round(begin, int(self.n_init)), Round(end, int(self.n_init))]
            runs: list[FuzzyRun] = race(seeds, rounds, self.n_jobs, lowest=reached)
            return runs

    def _go_on(self, points: Points, run: FuzzyRun, max_iter: int, bar: Progress | None = None) -> FuzzyRun:
        """Iterate from the centres of a run (eqs. P69, P70)."""
        b, history, converged = run.centers, list(run.history), run.converged
        D = points.distances(b)
        while not converged and len(history) < max_iter:
            check_stop()
            b = points.centers(memberships(D, self.fuzziness) ** self.fuzziness)
            D = points.distances(b)
            value = float(points.row_weights @ cost_of(D, self.fuzziness))
            converged = bool(history) and history[-1] - value <= self.tol * value
            history.append(min(value, history[-1]) if history else value)  # it rises by rounding only
        if bar is not None:
            bar.update(1)
        return FuzzyRun(b, history, converged)

    def _label_rows(self, codes: Codes) -> Array:
        equal = match_rows(self._rows.codes, codes)
        Y = self._Y[equal]
        new = np.flatnonzero(equal < 0)
        if len(new):
            F = self._coordinates(codes[new])
            norms = squared_norms(F, self._metric)
            points = Points(F, self._metric, norms, np.ones(len(new)), _ROUNDING * float(norms.max()))
            Y[new] = final_memberships(points.distances(self._centers), self.fuzziness)
        return Y

    def _coordinates(self, codes: Codes) -> Any:
        """a_i of new rows; S_ij = C_ij / N_i where no fitted row misses a label."""
        if self._metric.ndim == 1:
            return similarity_to(codes, self._rows)
        return through_labels(self._rows.with_rows(codes))


# --------------------------------------------------------------------------------------------------------------- points
def points_of(ensemble: Ensemble) -> Points:
    """Rows of S through the labels, or held if labels are missing or the rows are fewer than the labels (eq. P71)."""
    w, t = ensemble.row_weights, ensemble.n_cells
    F: Any
    if ensemble.has_missing or ensemble.n_rows <= t:
        F, metric = dense_similarity(ensemble, "FuzzyKMeans"), w
    else:
        ensure_memory(
            32 * t * t,
            purpose=f"a table of all pairs of the {t} labels",
            instead="use fewer clusterings, or clusterings of fewer clusters.",
        )
        F = through_labels(ensemble)
        root = np.sqrt(ensemble.cell_weights / ensemble.clustering_weights.sum())
        metric = pair_sums(ensemble, w) * root[:, None] * root
    norms = squared_norms(F, metric)
    return Points(F, metric, norms, w, _ROUNDING * float(norms.max()))


def squared_norms(F: Any, metric: FloatArray) -> FloatArray:
    """a_i' G a_i of every row."""
    if metric.ndim == 1:
        return np.asarray(F**2 @ metric)
    norms = np.empty(F.shape[0])
    width = max(int(np.diff(F.indptr).max()), 1)
    step = max(1, _BLOCK // width**2)
    for lo in range(0, len(norms), step):
        check_stop()
        part = F[lo : lo + step]
        n_labels = np.diff(part.indptr)
        taken = np.arange(width) < n_labels[:, None]  # rows of new objects may have fewer labels
        cells, value = np.zeros(taken.shape, dtype=np.int64), np.zeros(taken.shape)
        cells[taken], value[taken] = part.indices, part.data
        norms[lo : lo + step] = np.einsum("ia,iab,ib->i", value, metric[cells[:, :, None], cells[:, None, :]], value)
    return norms


def first_centers(points: Points, n_clusters: int, seed: int) -> FloatArray:
    """Rows far from each other, by greedy k-means++."""
    rng, n_candidates = np.random.default_rng(seed), 2 + int(math.log(n_clusters))
    rows = plus_plus(points.row_weights, n_clusters, points.from_row, rng, n_candidates=n_candidates)
    chosen = points.F[rows]
    return np.asarray(chosen if isinstance(chosen, np.ndarray) else chosen.toarray()).T


def few_to_all(points: Points, few: Points, power: FloatArray, drawn: Array) -> FloatArray:
    """Centres among all rows, from the memberships of a sample of them."""
    weighted = np.zeros((len(points.norms), power.shape[1]))
    weighted[np.flatnonzero(drawn)] = few.row_weights[:, None] * power / points.row_weights[drawn > 0][:, None]
    return points.centers(weighted)
