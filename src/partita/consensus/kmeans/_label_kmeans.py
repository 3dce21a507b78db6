"""k-means on the one-hot labels, without ever forming them.

A row of labels is the concatenation of one indicator vector a clustering; where a label is missing, the
vector of that clustering is the mean over the objects that have one. With mu_m that mean and c_km the part
of centre k that belongs to clustering m, a row x is at squared distance

    sum_m w_m * ( 1 - 2 c_km[x_m] + |c_km|^2   if x_m is observed,
                  |mu_m - c_km|^2              if it is missing )

from centre k. Each term depends on the label alone, so a table of (labels + one "missing" a clustering) x k
numbers gives all distances by look-up.
"""

from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from partita._kernels.label_kmeans import assign
from partita._labels.ensemble import Ensemble
from partita._parameters import Interval, StrOptions
from partita._runs import draw_seeds, warn_not_converged
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows


class Cells(NamedTuple):
    """Numbering of the table's rows: the labels of each clustering, then its "missing"."""

    start: IntArray  # (m,) first cell of each clustering
    missing: IntArray  # (m,) cell of a missing label
    column: IntArray  # (n_cells,) clustering of each cell
    is_label: Array  # (n_cells,) bool
    mean: FloatArray  # (n_cells,) share of each label among the observed ones: mu


class Stats(NamedTuple):
    """What the centres' update needs; additive over blocks of rows."""

    mass: FloatArray  # (k, n_cells) weight of each cell in each cluster
    inertia: float  # weighted sum of squared distances


class State(NamedTuple):
    """Centres in one-hot space; entries of "missing" cells are 0."""

    centers: FloatArray  # (k, n_cells)


def number_cells(ensemble: Ensemble) -> Cells:
    """Lay out the cells of an ensemble and find the mean indicator of each clustering."""
    width = ensemble.n_labels + 1
    start = np.concatenate([[0], np.cumsum(width)[:-1]])
    missing = start + ensemble.n_labels
    column = np.repeat(np.arange(len(width)), width)
    is_label = np.ones(int(width.sum()), dtype=bool)
    is_label[missing] = False
    weight = np.zeros(len(column))
    for j in range(len(width)):
        seen = ensemble.codes[:, j] >= 0
        weight[start[j] : missing[j]] = np.bincount(
            ensemble.codes[seen, j], weights=ensemble.row_weights[seen], minlength=int(ensemble.n_labels[j])
        )
    total = np.add.reduceat(weight, start)
    return Cells(start, missing, column, is_label, weight / np.maximum(total, np.finfo(float).tiny)[column])


def to_cells(codes: Codes, cells: Cells) -> Codes:
    """Cell of each label."""
    return np.where(codes >= 0, codes + cells.start, cells.missing).astype(np.int32)


def distance_table(state: State, cells: Cells, weights: FloatArray) -> FloatArray:
    """Squared distance that each cell adds, for each centre: (n_cells, k)."""
    centers = state.centers
    own = np.add.reduceat(centers**2, cells.start, axis=1)[:, cells.column]  # |c_km|^2
    apart = np.add.reduceat((cells.mean - centers) ** 2, cells.start, axis=1)[:, cells.column]  # |mu_m - c_km|^2
    table = np.where(cells.is_label, 1 - 2 * centers + own, apart)
    return np.ascontiguousarray((table * weights[cells.column]).T)


def local_stats(cell_rows: Codes, counts: FloatArray, table: FloatArray, labels: Array, distance: FloatArray) -> Stats:
    """Assign rows to their nearest centre (into ``labels``, ``distance``) and add them up."""
    mass = np.zeros((table.shape[1], table.shape[0]))
    assign(cell_rows, table, counts, labels, distance, mass)
    return Stats(mass, float(counts @ distance))


def update(stats: Stats, cells: Cells) -> State:
    """Centres are means; a missing label counts as the mean indicator of its clustering."""
    size = stats.mass[:, cells.column == 0].sum(axis=1, keepdims=True)
    absent = stats.mass[:, cells.missing][:, cells.column]
    centers = np.where(cells.is_label, stats.mass + absent * cells.mean, 0.0)
    return State(centers / np.maximum(size, np.finfo(float).tiny))


class Fit(NamedTuple):
    """One run from one start."""

    labels: Array
    state: State
    history: list[float]
    n_iter: int
    converged: bool


def run(ensemble: Ensemble, cells: Cells, n_clusters: int, seed: int, max_iter: int, tol: float) -> Fit:
    """Lloyd's iteration from a k-means++ start."""
    rng = np.random.default_rng(seed)
    cell_rows = to_cells(ensemble.codes, cells)
    state = plus_plus(ensemble, cells, cell_rows, n_clusters, rng)
    labels = np.empty(len(cell_rows), dtype=np.int32)
    distance = np.empty(len(cell_rows))
    history: list[float] = []
    while True:
        table = distance_table(state, cells, ensemble.clustering_weights)
        stats = local_stats(cell_rows, ensemble.row_weights, table, labels, distance)
        history.append(stats.inertia)
        converged = len(history) > 1 and history[-2] - history[-1] <= tol * history[-2]
        if converged or len(history) == max_iter:
            break  # the labels are those of these centres
        state = reseed_empty(update(stats, cells), stats, cells, cell_rows, distance)
    return Fit(labels, state, history, len(history), converged)


def plus_plus(ensemble: Ensemble, cells: Cells, cell_rows: Codes, n_clusters: int, rng: np.random.Generator) -> State:
    """Rows as centres, drawn with probability proportional to weight times squared distance (k-means++)."""
    labels = np.empty(len(cell_rows), dtype=np.int32)
    distance = np.empty(len(cell_rows))
    nearest = np.full(len(cell_rows), np.inf)
    share = ensemble.row_weights
    centers = np.empty((n_clusters, len(cells.column)))
    for k in range(n_clusters):
        total = np.cumsum(share)
        if total[-1] <= 0:  # every row is at a centre: distinct rows can coincide only through missing labels
            return State(centers[:k])
        row = int(np.searchsorted(total, rng.random() * total[-1], side="right").clip(max=len(share) - 1))
        centers[k] = row_as_center(cell_rows[row], cells)
        table = distance_table(State(centers[k : k + 1]), cells, ensemble.clustering_weights)
        local_stats(cell_rows, ensemble.row_weights, table, labels, distance)
        nearest = np.minimum(nearest, distance)
        nearest[row] = 0.0
        share = ensemble.row_weights * nearest
    return State(centers)


def row_as_center(row: Array, cells: Cells) -> FloatArray:
    """The point that a row of labels is, in one-hot space."""
    absent = np.zeros(len(cells.column), dtype=bool)
    absent[np.isin(cells.missing, row)[cells.column]] = True
    center = np.where(absent & cells.is_label, cells.mean, 0.0)
    center[row[cells.is_label[row]]] = 1.0
    return center


def reseed_empty(state: State, stats: Stats, cells: Cells, cell_rows: Codes, distance: FloatArray) -> State:
    """Move a centre that lost all rows to the row that is farthest from its own centre."""
    empty = np.flatnonzero(stats.mass[:, cells.column == 0].sum(axis=1) == 0)
    if len(empty) == 0:
        return state
    farthest = np.argsort(-distance, kind="stable")[: len(empty)]
    for k, row in zip(empty, farthest, strict=True):
        if distance[row] > 0:
            state.centers[k] = row_as_center(cell_rows[row], cells)
    return state


class LabelKMeans(BaseConsensus):
    """k-means on the labels of the clusterings.

    The objects are points in the space of one-hot labels (one indicator a label of each clustering), and
    missing labels are imputed by the clustering's mean. A fast and plain consensus; its objective is, up to
    constants, the quadratic mutual information between the consensus and the clusterings.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters; fewer are returned if there are fewer distinct rows of labels.
    coding : {"onehot", "raw"}, default="onehot"
        "raw" runs k-means on the labels themselves, as if they were measurements (text by its place in sorted
        order). That depends on how labels happen to be numbered; it is here to repeat published experiments.
    n_init : int, default=10
        Starts (k-means++); the best is kept.
    max_iter : int, default=300
        Iterations a start.
    tol : float, default=1e-9
        Relative decrease of the objective below which a run has converged.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState or None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
    cluster_centers_ : list of ndarray of shape (n_clusters_, k_j)
        Share of each label of each clustering in each cluster ("raw": one column, the mean label number).
    objective_ : float
        Weighted sum of squared distances to the centres (inertia).
    history_ : list of float
        Objective at each iteration of the best start; it never rises.
    n_iter_ : int
    converged_ : bool
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost O(r m k) an iteration for r distinct rows, m clusterings, k clusters, by table look-up; O(r m) memory.

    Examples
    --------
    >>> from partita import LabelKMeans
    >>> X = {"a": [0, 0, 0, 1, 1], "b": ["u", "u", "v", "v", "v"], "c": [5, 5, 5, 6, None]}
    >>> LabelKMeans(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1])
    """

    _ties_by_codes: ClassVar[bool] = True  # so that the start does not depend on the order of the objects

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval("int", 1, None)],
        "coding": [StrOptions({"onehot", "raw"})],
        "n_init": [Interval("int", 1, None)],
        "max_iter": [Interval("int", 1, None)],
        "tol": [Interval("real", 0, None)],
        "weights": ["array-like", None],
        "random_state": ["random_state"],
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
    ) -> None:
        self.n_clusters = n_clusters
        self.coding = coding
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        n_clusters = min(self.n_clusters, ensemble.n_rows)
        if self.coding == "raw":
            return self._fit_raw(rows, n_clusters)
        cells = number_cells(ensemble)
        seeds = draw_seeds(self.random_state, self.n_init)
        fits = [run(ensemble, cells, n_clusters, int(seed), self.max_iter, self.tol) for seed in seeds]
        best = min(fits, key=lambda fit: fit.history[-1])
        if not best.converged:
            warn_not_converged("k-means", self.max_iter)
        self.history_, self.n_iter_, self.converged_ = best.history, best.n_iter, best.converged
        self.objective_ = best.history[-1]
        self._cells, self._state = cells, best.state
        return Consensus(best.labels.astype(np.int64))

    def _fit_raw(self, rows: LabelledRows, n_clusters: int) -> Consensus:
        """scikit-learn's k-means on the label numbers; one thread, so that sums do not depend on their number."""
        ensemble, encoder = rows.ensemble, rows.encoder
        self._numbers = [
            _as_numbers(labels)[place[:-2] >= 0]
            for labels, place in zip(encoder.labels, encoder.place_of_code, strict=True)
        ]
        seen = ensemble.codes >= 0
        points = self._label_numbers(ensemble.codes)
        self._raw_means = (ensemble.row_weights @ np.where(seen, points, 0)) / (ensemble.row_weights @ seen)
        self._root_weights = np.sqrt(ensemble.clustering_weights)
        model = KMeans(n_clusters, n_init=self.n_init, max_iter=self.max_iter, random_state=self.random_state)
        with threadpool_limits(limits=1):
            model.fit(self._raw_points(ensemble.codes), sample_weight=ensemble.row_weights)
        self._raw_model = model
        self.objective_ = float(model.inertia_)
        self.history_ = [self.objective_]
        self.n_iter_, self.converged_ = int(model.n_iter_), bool(model.n_iter_ < self.max_iter)
        return Consensus(model.labels_.astype(np.int64))

    def _raw_points(self, codes: Codes) -> FloatArray:
        return np.where(codes >= 0, self._label_numbers(codes), self._raw_means) * self._root_weights

    def _label_numbers(self, codes: Codes) -> FloatArray:
        return np.column_stack([numbers[codes[:, j]] for j, numbers in enumerate(self._numbers)])

    def _label_rows(self, codes: Codes) -> Array:
        if self.coding == "raw":
            with threadpool_limits(limits=1):
                return np.asarray(self._raw_model.predict(self._raw_points(codes)), dtype=np.int64)
        labels = np.empty(len(codes), dtype=np.int32)
        table = distance_table(self._state, self._cells, self._placement.encoder.clustering_weights)
        local_stats(to_cells(codes, self._cells), np.ones(len(codes)), table, labels, np.empty(len(codes)))
        return labels.astype(np.int64)

    @property
    def cluster_centers_(self) -> list[FloatArray]:
        """Centres by clustering, clusters in the order of ``labels_``."""
        check_is_fitted(self, "labels_")
        if self.coding == "raw":
            centers = self._raw_model.cluster_centers_[self._placement.order] / self._root_weights
            return [centers[:, j : j + 1] for j in range(centers.shape[1])]
        centers = self._state.centers[self._placement.order]
        bounds = zip(self._cells.start, self._cells.missing, strict=True)
        return [centers[:, lo:hi] for lo, hi in bounds]


def _as_numbers(labels: Array) -> FloatArray:
    """Labels that are numbers as they are, others by their place in sorted order."""
    if labels.dtype.kind in "biuf":
        return labels.astype(np.float64)
    return np.arange(len(labels), dtype=np.float64)
