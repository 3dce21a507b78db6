"""k-means on the one-hot labels (``_one_hot_space.py``): starts, Lloyd's iteration, single moves, and the estimator.

A start is greedy k-means++ (eq. M17). Lloyd's iteration gives every row to its nearest centre until the objective
settles; then rows move one at a time where that lowers it (Hartigan and Wong, 1979; eq. M54), until none does.
"""

import math
import warnings
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from partita._features import refuse_magnitude
from partita._kernels.label_kmeans import LabelSpace, assign, draw_rows, fill_table, move_rows
from partita._labels.ensemble import Ensemble
from partita._parameters import StrOptions, common
from partita._runs import (
    Progress,
    as_random_state,
    best_of,
    block_edges,
    draw_seeds,
    in_order,
    progress,
    warn_not_converged,
)
from partita._typing import Array, Codes, FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows
from partita.consensus.kmeans._one_hot_space import OneHotSpace, distance_table, one_hot_space

_TINY = np.finfo(float).tiny  # instead of 0 in divisors
_SWEEPS = 100  # of single moves after Lloyd: a limit, as they end by themselves after a few

# of a k-means that only serves as a start: the method that starts from it does the rest
SHORT_ITER, SHORT_TOL = 10, 1e-3


# ------------------------------------------------------------------------------------------------------------- k-means
class KMeansStats(NamedTuple):
    """What the centres' update needs; additive over blocks of rows."""

    mass: FloatArray  # (k, n_cells + n_clusterings) weight of each cell in each cluster
    inertia: float  # weighted sum of squared distances


class KMeansRun(NamedTuple):
    """One run from one start."""

    labels: Array  # (n_rows,)
    centers: FloatArray  # (k, n_cells)
    history: list[float]
    converged: bool


class KMeansRows(NamedTuple):
    """Rows of labels as points, and as the kernels need them."""

    cells: Codes  # (n_rows, n_clusterings)
    row_weights: FloatArray
    space: OneHotSpace
    kernel_space: LabelSpace

    def as_mass(self, rows: Array) -> FloatArray:
        """Clusters of one row each, of weight 1: (k, n_cells + n_clusterings)."""
        mass = np.zeros((len(rows), self.space.n_all_cells))
        np.put_along_axis(mass, self.cells[rows], 1.0, axis=1)
        return mass

    def table(self, mass: FloatArray) -> FloatArray:
        """Squared distance that each cell adds, for the centre of each cluster (eq. M15)."""
        table = np.empty((mass.shape[1], len(mass)))
        fill_table(mass, self.space.sizes(mass), self.kernel_space, table)
        return table


def as_points(ensemble: Ensemble) -> KMeansRows:
    """The rows of an ensemble as points."""
    space = one_hot_space(ensemble)
    return KMeansRows(space.to_cells(ensemble.codes), ensemble.row_weights, space, space.for_kernels())


def assign_rows(
    cells: Codes,
    row_weights: FloatArray,
    table: FloatArray,
    labels: Array,
    distance: FloatArray,
    n_jobs: int | None = None,
) -> KMeansStats:
    """Assign rows to their nearest centre (into ``labels``, ``distance``) and add them up, in blocks."""

    def assign_block(block: tuple[int, int]) -> FloatArray:
        mass = np.zeros((table.shape[1], table.shape[0]))
        assign(cells, table, row_weights, *block, labels, distance, mass)
        return mass

    first, *others = in_order(assign_block, block_edges(len(cells), len(table)), n_jobs)
    for mass in others:
        first += mass
    return KMeansStats(first, float(row_weights @ distance))


def run_k_means(
    ensemble: Ensemble, n_clusters: int, seed: int, *, max_iter: int, tol: float, bar: Progress | None = None
) -> KMeansRun:
    """k-means from a greedy k-means++ start; fewer clusters if all rows are at a centre."""
    points = as_points(ensemble)
    return improve(points, start_clusters(points, n_clusters, seed), max_iter=max_iter, tol=tol, bar=bar)


def improve(
    points: KMeansRows,
    mass: FloatArray,
    *,
    max_iter: int,
    tol: float,
    bar: Progress | None = None,
    n_jobs: int | None = None,
) -> KMeansRun:
    """Lloyd's iteration from the centres of some clusters; single moves once it has settled."""
    cells, row_weights, space, kernel_space = points
    labels, distance = np.empty(len(cells), dtype=np.int32), np.empty(len(cells))
    history: list[float] = []
    while True:
        stats = assign_rows(cells, row_weights, points.table(mass), labels, distance, n_jobs)
        history.append(stats.inertia)
        if bar is not None:
            bar.update(1)
        ended = False
        if len(history) < max_iter and len(history) > 1 and history[-2] - history[-1] <= tol * history[-2]:
            sizes = space.sizes(stats.mass)
            ended = not move_rows(cells, row_weights, kernel_space, _SWEEPS, labels, stats.mass, sizes)
        if ended or len(history) == max_iter:
            return KMeansRun(labels, space.centers(mass), history, ended)  # the labels are those of these centres
        mass = stats.mass
        move_empty(mass, distance, points)


def start_clusters(points: KMeansRows, n_clusters: int, seed: int) -> FloatArray:
    """Clusters of one row each, by greedy k-means++: see ``as_mass``   (eq. M17)."""
    n_trials = 2 + int(math.log(n_clusters))  # as Arthur and Vassilvitskii (2007) and scikit-learn
    uniform = np.random.default_rng(seed).random((n_clusters, n_trials))
    chosen = np.empty(n_clusters, dtype=np.int64)
    n_chosen = draw_rows(points.cells, points.row_weights, points.kernel_space, uniform, chosen)
    return points.as_mass(chosen[:n_chosen])


def move_empty(mass: FloatArray, distance: FloatArray, points: KMeansRows) -> None:
    """Move centres that lost all rows to the rows that are farthest from their own centres   (eq. M18)."""
    empty = np.flatnonzero(points.space.sizes(mass) == 0)
    if len(empty) == 0:
        return
    farthest = np.argsort(-distance, kind="stable")[: len(empty)]
    there = distance[farthest] > 0
    mass[empty[there]] = points.as_mass(farthest[there])


class LabelKMeans(BaseConsensus):
    """k-means on the labels of the clusterings.

    The objects are points in the space of one-hot labels (one indicator per label of each clustering), and missing
    labels are imputed by the clustering's mean. Fast and simple; its objective is, up to constants, the quadratic
    mutual information between the consensus and the clusterings.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, at most the number of distinct rows of labels.
    coding : {"onehot", "raw"}, default="onehot"
        "raw" runs scikit-learn's k-means on the labels themselves, as if they were measurements (text by its place
        in sorted order). That depends on how labels happen to be numbered; it is here to repeat published experiments.
    n_init : int, default=10
        Number of starts (k-means++); the best one is kept.
    max_iter : int, default=300
        Largest number of iterations of each start.
    tol : float, default=1e-9
        Relative decrease of the objective below which a start has converged; "raw" uses scikit-learn's default.
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
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    cluster_centers_ : list of ndarray of shape (n_clusters_, k_j)
        Share of each label of each clustering in each cluster ("raw": one column, the mean label number).
    objective_ : float
        Weighted sum of squared distances to the centres (inertia).
    history_ : list of float
        Objective after each iteration of the kept start; it never rises ("raw": the last value only).
    n_iter_ : int
        Number of iterations of the kept start; the length of ``history_`` unless ``coding`` is "raw".
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost O(r m k) per iteration for r distinct rows, m clusterings, k clusters, by table look-up; O(r m) memory.

    Examples
    --------
    >>> from partita import LabelKMeans
    >>> X = {"a": [0, 0, 0, 1, 1], "b": ["u", "u", "v", "v", "v"], "c": [5, 5, 5, 6, None]}
    >>> LabelKMeans(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1])
    """

    _ties_by_codes: ClassVar[bool] = True  # so that the start does not depend on the order of the objects

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "coding": [StrOptions({"onehot", "raw"})],
        **common("n_clusters", "n_init", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        coding: Literal["onehot", "raw"] = "onehot",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-9,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.coding = coding
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _powers_of_weights(self) -> tuple[float, float]:
        return 1, 1

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble, n_clusters = rows.ensemble, rows.n_clusters
        if self.coding == "raw":
            return self._fit_raw(rows, n_clusters)
        seeds = draw_seeds(self.random_state, self.n_init).tolist()
        with progress(int(self.n_init) * int(self.max_iter), "k-means", show=bool(self.verbose)) as bar:
            start = partial(run_k_means, ensemble, n_clusters, max_iter=self.max_iter, tol=self.tol, bar=bar)
            best = best_of(start, seeds, self.n_jobs, lowest=lambda run: run.history[-1])
        if not best.converged:
            warn_not_converged(type(self).__name__, self.max_iter)
        self.history_ = rows.scale.report(best.history, objects=1, clusterings=1)
        self.n_iter_, self.converged_, self.objective_ = len(best.history), best.converged, self.history_[-1]
        used, labels = np.unique(best.labels, return_inverse=True)  # no row joins a centre that ended without any
        self._space, self._centers = one_hot_space(ensemble), best.centers[used]
        return Consensus(labels.astype(np.int64))

    def _fit_raw(self, rows: LabelledRows, n_clusters: int) -> Consensus:
        """scikit-learn's k-means on the label numbers; one thread, so that sums do not depend on their number."""
        ensemble, encoder = rows.ensemble, rows.encoder
        self._numbers = [
            np.append(_as_numbers(labels)[place[:-2] >= 0], 0.0)  # the last entry is used for missing labels
            for labels, place in zip(encoder.labels, encoder.place_of_code, strict=True)
        ]
        points = self._label_numbers(ensemble.codes)
        refuse_magnitude(float(np.abs(points).max()), 0.0, "X")  # labels are measurements here
        observed = ensemble.row_weights @ (ensemble.codes >= 0)  # 0 where only objects without weight have a label
        self._raw_means = ensemble.row_weights @ points / np.maximum(observed, _TINY)
        self._root_weights = np.sqrt(ensemble.clustering_weights)
        seed = as_random_state(self.random_state)
        model = KMeans(n_clusters, n_init=self.n_init, max_iter=self.max_iter, random_state=seed)
        with threadpool_limits(limits=1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of rows at one point: base.py says it in our words
            model.fit(self._raw_points(ensemble.codes), sample_weight=ensemble.row_weights)
        used, labels = np.unique(model.labels_, return_inverse=True)
        model.cluster_centers_ = model.cluster_centers_[used]
        self._raw_model = model
        self.objective_ = rows.scale.report(float(model.inertia_), objects=1, clusterings=1)
        self.history_ = [self.objective_]
        self.n_iter_, self.converged_ = int(model.n_iter_), bool(model.n_iter_ < self.max_iter)
        if not self.converged_:
            warn_not_converged(type(self).__name__, self.max_iter, advice="raise max_iter")
        return Consensus(labels.astype(np.int64))

    def _raw_points(self, codes: Codes) -> FloatArray:
        return np.where(codes >= 0, self._label_numbers(codes), self._raw_means) * self._root_weights

    def _label_numbers(self, codes: Codes) -> FloatArray:
        return np.column_stack([numbers[codes[:, j]] for j, numbers in enumerate(self._numbers)])

    def _label_rows(self, codes: Codes) -> Array:
        if self.coding == "raw":
            with threadpool_limits(limits=1):
                return np.asarray(self._raw_model.predict(self._raw_points(codes)), dtype=np.int64)
        labels = np.empty(len(codes), dtype=np.int32)
        table = distance_table(self._centers, self._space)
        assign_rows(self._space.to_cells(codes), np.ones(len(codes)), table, labels, np.empty(len(codes)))
        return labels.astype(np.int64)

    @property
    def cluster_centers_(self) -> list[FloatArray]:
        """Centres by clustering, clusters in the order of ``labels_``."""
        check_is_fitted(self, "labels_")
        if self.coding == "raw":
            centers = self._raw_model.cluster_centers_[self._placement.order] / self._root_weights
            return [centers[:, j : j + 1] for j in range(centers.shape[1])]
        centers = self._centers[self._placement.order]
        return np.split(centers, self._space.layout.first_cell[1:], axis=1)


def _as_numbers(labels: Array) -> FloatArray:
    """Labels that are numbers as they are, others by their place in sorted order."""
    if labels.dtype.kind in "biuf":
        return labels.astype(np.float64)
    return np.arange(len(labels), dtype=np.float64)
