"""k-means on the one-hot labels (``_one_hot_space.py``): greedy starts, Lloyd's iteration and single moves.

A start is greedy k-means++ (eq. M17). Lloyd's iteration gives every row to its nearest centre until the objective
settles; then rows move one at a time where that lowers it (Hartigan and Wong, 1979; eq. M54), until none does.
``improve_by_moves`` has single moves from the start (Nie et al., 2022).
"""

import math
from typing import NamedTuple, Protocol

import numpy as np

from partita._kernels.label_kmeans import LabelSpace, assign, draw_rows, fill_table, move_rows
from partita._labels.ensemble import Ensemble
from partita._runs import Progress, block_edges, in_order
from partita._stopping import until_stopped
from partita._typing import Array, Codes, FloatArray
from partita.consensus.kmeans._one_hot_space import OneHotSpace, one_hot_space, sum_per_clustering

_SWEEPS = 100  # of single moves after Lloyd: a limit, as they end by themselves after a few

# of a k-means that only serves as a start: the method that starts from it does the rest
SHORT_ITER, SHORT_TOL = 10, 1e-3


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
    mass: FloatArray  # (k, n_cells + n_clusterings) weight of each cell in each cluster


def inertia(run: KMeansRun) -> float:
    """The objective of a run."""
    return run.history[-1]


class LabelPoints(Protocol):
    """What starts and children need of rows of labels, whatever the divergence."""

    @property
    def cells(self) -> Codes:
        """Cell of each label, (n_rows, n_clusterings)."""

    @property
    def row_weights(self) -> FloatArray:
        """Weight of each row."""

    @property
    def space(self) -> OneHotSpace:
        """The one-hot space."""

    @property
    def kernel_space(self) -> LabelSpace:
        """The space as the kernels need it: divergences between labels."""

    def as_mass(self, rows: Array) -> FloatArray:
        """Clusters of one row each."""

    def table(self, mass: FloatArray) -> FloatArray:
        """Divergence that each cell adds, for the centre of each cluster."""


class KMeansRows(NamedTuple):
    """Rows of labels as points, and as the kernels need them."""

    cells: Codes  # (n_rows, n_clusterings)
    row_weights: FloatArray
    space: OneHotSpace
    kernel_space: LabelSpace

    def as_mass(self, rows: Array) -> FloatArray:
        """Clusters of one row each, of weight 1: (k, n_cells + n_clusterings)."""
        return one_row_each(self.cells[rows], self.space)

    def table(self, mass: FloatArray) -> FloatArray:
        """Squared distance that each cell adds, for the centre of each cluster (eq. M15)."""
        table = np.empty((mass.shape[1], len(mass)))
        fill_table(mass, self.space.sizes(mass), self.kernel_space, table)
        return table


def one_row_each(cells: Codes, space: OneHotSpace) -> FloatArray:
    """Clusters of one row each, of weight 1: (k, n_cells + n_clusterings)."""
    mass = np.zeros((len(cells), space.n_all_cells))
    np.put_along_axis(mass, cells, 1.0, axis=1)
    return mass


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
    ended = False
    while True:
        stats = assign_rows(cells, row_weights, points.table(mass), labels, distance, n_jobs)
        history.append(stats.inertia)
        if bar is not None:
            bar.update(1)
        if not ended and 1 < len(history) < max_iter and history[-2] - history[-1] <= tol * history[-2]:
            sizes = space.sizes(stats.mass)
            moving = cells, row_weights, kernel_space, _SWEEPS, labels, stats.mass, sizes
            n_moves = until_stopped(move_rows, *moving)
            ended = True  # after one more assignment, if rows have moved
        else:
            n_moves = 0
        if (ended and not n_moves) or len(history) == max_iter:
            return KMeansRun(labels, space.centers(mass), history, ended, stats.mass)  # labels are of these centres
        mass = stats.mass
        move_empty(mass, distance, points)


def improve_by_moves(
    points: KMeansRows,
    mass: FloatArray,
    *,
    max_iter: int,
    tol: float = 0.0,
    bar: Progress | None = None,
    n_jobs: int | None = None,
) -> KMeansRun:
    """Single moves from the clusters that the rows have nearest to some centres; a sweep over all is an iteration.

    The sweeps end when no row moves; ``tol`` is not needed. No cluster loses its last row.
    """
    cells, row_weights, space, kernel_space = points
    labels, distance = np.empty(len(cells), dtype=np.int32), np.empty(len(cells))
    mass = assign_rows(cells, row_weights, points.table(mass), labels, distance, n_jobs).mass
    history, ended = [within_sum(points, mass)], False
    while len(history) < max_iter and not ended:
        moving = cells, row_weights, kernel_space, 1, labels, mass, space.sizes(mass)
        ended = not until_stopped(move_rows, *moving)
        history.append(within_sum(points, mass))
        if bar is not None:
            bar.update(1)
    stats = assign_rows(cells, row_weights, points.table(mass), labels, distance, n_jobs)  # labels are of these centres
    history[-1] = min(history[-1], stats.inertia)
    return KMeansRun(labels, space.centers(mass), history, ended, stats.mass)


def within_sum(points: KMeansRows, mass: FloatArray) -> float:
    """Sum of squares within the clusters: that of all rows less that of the centres   (eq. U14)."""
    space, layout = points.space, points.space.layout
    observed = sum_per_clustering(mass[:, : layout.n_cells].sum(axis=0), layout)
    missing = mass[:, layout.n_cells :].sum(axis=0)
    of_rows = layout.clustering_weights @ (observed + missing * sum_per_clustering(space.mean**2, layout))
    of_centers = space.sizes(mass) @ (space.centers(mass) ** 2 @ layout.cell_weights)
    return max(float(of_rows - of_centers), 0.0)


def start_clusters(points: LabelPoints, n_clusters: int, seed: int) -> FloatArray:
    """Clusters of one row each, by greedy k-means++: see ``as_mass``   (eq. M17)."""
    n_trials = 2 + int(math.log(n_clusters))  # as Arthur and Vassilvitskii (2007) and scikit-learn
    uniform = np.random.default_rng(seed).random((n_clusters, n_trials))
    chosen = np.empty(n_clusters, dtype=np.int64)
    nearest = np.full(len(points.cells), np.inf)
    n_chosen = draw_rows(points.cells, points.row_weights, points.kernel_space, uniform, nearest, chosen)
    return points.as_mass(chosen[:n_chosen])


def move_empty(mass: FloatArray, distance: FloatArray, points: LabelPoints) -> None:
    """Move centres that lost all rows to the rows that are farthest from their own centres   (eq. M18)."""
    empty = np.flatnonzero(points.space.sizes(mass) == 0)
    if len(empty) == 0:
        return
    farthest = np.argsort(-distance, kind="stable")[: len(empty)]
    there = distance[farthest] > 0
    mass[empty[there]] = points.as_mass(farthest[there])
