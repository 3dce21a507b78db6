"""k-means on the one-hot labels, without ever forming them.

A row of labels is the concatenation of one indicator vector per clustering; where a label is missing, the vector of
that clustering is the mean over the objects that have one. With mu_j that mean and t_hj the part of centre h that
belongs to clustering j, a row x is at squared distance

    sum_j u_j * ( 1 - 2 t_hj[x_j] + |t_hj|^2   if x_j is observed,
                  |mu_j - t_hj|^2              if it is missing )                                    (eq. M15)

from centre h. Each term depends on the label alone, so a table with one row per label, and one row per clustering for
its missing labels, gives all distances by look-up.
"""

import warnings
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from partita._features import refuse_magnitude
from partita._kernels.label_kmeans import assign
from partita._labels.ensemble import Ensemble
from partita._parameters import StrOptions, common
from partita._runs import Progress, as_random_state, best_of, draw_seeds, plus_plus, progress, warn_not_converged
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows

_TINY = np.finfo(float).tiny  # instead of 0 in divisors

# of a k-means that only serves as a start: the method that starts from it does the rest
SHORT_ITER, SHORT_TOL = 10, 1e-3


# ------------------------------------------------------------------------------------------------------ one-hot space
class OneHotSpace(NamedTuple):
    """The space that rows of labels are points of: one axis per cell of the ensemble.

    Missing labels have cells of their own, one per clustering, after those of the labels: they are not axes, but rows
    of the table of distances.
    """

    layout: Ensemble  # without rows; its clustering weights scale the axes
    mean: FloatArray  # (n_cells,) share of each label among the observed ones: mu

    @property
    def missing_cells(self) -> IntArray:
        """Cell of a missing label of each clustering, (n_clusterings,)."""
        return np.arange(self.layout.n_cells, self.layout.n_cells + self.layout.n_clusterings)

    def to_cells(self, codes: Codes) -> Codes:
        """Cell of each label, (n_rows, n_clusterings)."""
        return np.where(codes >= 0, codes + self.layout.first_cell, self.missing_cells).astype(np.int32)


def sum_per_clustering(values: FloatArray, layout: Ensemble) -> FloatArray:
    """Sum of (..., n_cells) values over the labels of each clustering, (..., n_clusterings)."""
    # NumPy adds in blocks of eight: a 0 after the labels of each clustering keeps the last digit of older results
    padded = np.insert(values, layout.first_cell + layout.n_labels, 0.0, axis=-1)
    return np.asarray(np.add.reduceat(padded, layout.first_cell + np.arange(layout.n_clusterings), axis=-1))


def one_hot_space(ensemble: Ensemble) -> OneHotSpace:
    """The space of an ensemble, with the mean indicator of each clustering."""
    total = sum_per_clustering(ensemble.cell_mass, ensemble)[ensemble.cell_clustering]
    return OneHotSpace(ensemble.layout, ensemble.cell_mass / np.maximum(total, _TINY))


def distance_table(centers: FloatArray, space: OneHotSpace) -> FloatArray:
    """Squared distance that each cell adds, for each centre: (n_cells + n_clusterings, k)   (eq. M15)."""
    layout = space.layout
    own = sum_per_clustering(centers**2, layout)  # |t_hj|^2
    apart = sum_per_clustering((space.mean - centers) ** 2, layout)  # |mu_j - t_hj|^2
    of_labels = (1 - 2 * centers + own[:, layout.cell_clustering]) * layout.cell_weights
    return np.ascontiguousarray(np.hstack([of_labels, apart * layout.clustering_weights]).T)


def row_as_center(cells: Array, space: OneHotSpace) -> FloatArray:
    """The point of one row of cells."""
    layout = space.layout
    center = np.where((cells >= layout.n_cells)[layout.cell_clustering], space.mean, 0.0)
    center[cells[cells < layout.n_cells]] = 1.0
    return center


# ------------------------------------------------------------------------------------------------------------- k-means
class KMeansStats(NamedTuple):
    """What the centres' update needs; additive over blocks of rows."""

    mass: FloatArray  # (k, n_cells + n_clusterings) weight of each cell in each cluster
    inertia: float  # weighted sum of squared distances

    def size(self, space: OneHotSpace) -> FloatArray:
        """Weight of each cluster: of the cells of one clustering, its missing labels included, (k,)."""
        first = np.append(np.arange(space.layout.n_labels[0]), space.missing_cells[0])
        return np.asarray(self.mass[:, first].sum(axis=1))


class KMeansRun(NamedTuple):
    """One run from one start."""

    labels: Array  # (n_rows,)
    centers: FloatArray  # (k, n_cells)
    history: list[float]
    converged: bool


def assign_rows(
    cells: Codes, row_weights: FloatArray, table: FloatArray, labels: Array, distance: FloatArray
) -> KMeansStats:
    """Assign rows to their nearest centre (into ``labels``, ``distance``) and add them up."""
    mass = np.zeros((table.shape[1], table.shape[0]))
    assign(cells, table, row_weights, labels, distance, mass)
    return KMeansStats(mass, float(row_weights @ distance))


def update_centers(stats: KMeansStats, space: OneHotSpace) -> FloatArray:
    """Centres are means; a missing label counts as the mean indicator of its clustering   (eq. M16)."""
    n_cells = space.layout.n_cells
    absent = stats.mass[:, n_cells:][:, space.layout.cell_clustering]
    total = stats.mass[:, :n_cells] + absent * space.mean
    return np.asarray(total / np.maximum(stats.size(space), _TINY)[:, None])


def run_k_means(
    ensemble: Ensemble, n_clusters: int, seed: int, *, max_iter: int, tol: float, bar: Progress | None = None
) -> KMeansRun:
    """Lloyd's iteration from a k-means++ start; fewer clusters if all rows are at a centre."""
    space, row_weights = one_hot_space(ensemble), ensemble.row_weights
    cells = space.to_cells(ensemble.codes)
    labels, distance = np.empty(len(cells), dtype=np.int32), np.empty(len(cells))
    centers = start_centers(cells, row_weights, space, n_clusters, np.random.default_rng(seed))
    history: list[float] = []
    while True:
        stats = assign_rows(cells, row_weights, distance_table(centers, space), labels, distance)
        history.append(stats.inertia)
        if bar is not None:
            bar.update(1)
        converged = len(history) > 1 and history[-2] - history[-1] <= tol * history[-2]
        if converged or len(history) == max_iter:
            return KMeansRun(labels, centers, history, converged)  # the labels are those of these centres
        centers = update_centers(stats, space)
        move_empty(centers, stats.size(space), cells, distance, space)


def start_centers(
    cells: Codes, row_weights: FloatArray, space: OneHotSpace, n_clusters: int, rng: np.random.Generator
) -> FloatArray:
    """Rows as centres, by k-means++   (eq. M17)."""
    labels = np.empty(len(cells), dtype=np.int32)

    def distance_from(row: int) -> FloatArray:
        distance = np.empty(len(cells))
        table = distance_table(row_as_center(cells[row], space)[None], space)
        assign_rows(cells, row_weights, table, labels, distance)
        return distance

    chosen = plus_plus(row_weights, n_clusters, distance_from, rng)
    return np.array([row_as_center(cells[row], space) for row in chosen])


def move_empty(centers: FloatArray, size: FloatArray, cells: Codes, distance: FloatArray, space: OneHotSpace) -> None:
    """Move centres that lost all rows to the rows that are farthest from their own centres   (eq. M18)."""
    empty = np.flatnonzero(size == 0)
    if len(empty) == 0:
        return
    farthest = np.argsort(-distance, kind="stable")[: len(empty)]
    for h, row in zip(empty, farthest, strict=True):
        if distance[row] > 0:
            centers[h] = row_as_center(cells[row], space)


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
