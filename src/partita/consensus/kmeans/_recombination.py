"""New starts of k-means from the ends of others (Gribel and Vidal, 2019, HG-means).

Two runs often have most clusters in common, each with a few good ones that the other lacks. A child takes each
cluster from one of two parents (clusters are matched by their centres), gives up one and opens another where rows are
far from their centres; k-means improves it, and it replaces the worst run if it is better (eq. M55). For utilities
every other child instead moves the rows of a cluster that have one label in common to another cluster (eq. U13).
"""

from collections.abc import Callable, Sequence

import numpy as np

from partita._kernels.kcc import count_cells
from partita._kernels.label_kmeans import draw_rows
from partita._typing import FloatArray
from partita.consensus.kmeans._lloyd import KMeansRun, LabelPoints, assign_rows, inertia

_SAME = 1e-9  # relative difference of objectives below which two runs count as the same end
_AGREE = 5  # runs that all end alike need no children: with fewer, all could have missed the best end


def swap_cluster(points: LabelPoints, mass: FloatArray, rng: np.random.Generator) -> FloatArray:
    """One cluster is given up, and another one opened where rows are far from their centres."""
    return _draw_one(points, _without_one(mass, rng), rng)


def move_part(points: LabelPoints, mass: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Rows of a cluster that have one label in common, those of a row drawn at random, join another cluster."""
    cells, n = points.cells, len(points.cells)
    labels, row = np.empty(n, dtype=np.int32), rng.integers(n)
    assign_rows(cells, points.row_weights, points.table(mass), labels, np.empty(n))
    column = rng.choice(np.flatnonzero(cells[row] < points.space.layout.n_cells))  # it has a label there
    inside = labels == labels[row]
    part = inside & (cells[:, column] == cells[row, column])
    if part.sum() == inside.sum():  # nothing would be left
        return swap_cluster(points, mass, rng)
    labels[part] = (labels[row] + rng.integers(1, len(mass))) % len(mass)
    moved = np.zeros_like(mass)
    count_cells(cells, points.row_weights, labels, moved)
    return moved


def recombine(
    points: LabelPoints,
    runs: list[KMeansRun],
    run_child: Callable[[FloatArray], KMeansRun],
    max_children: int,
    patience: int,
    seed: int,
    changes: Sequence[Callable[[LabelPoints, FloatArray, np.random.Generator], FloatArray]] = (swap_cluster,),
    *,
    always: bool = False,
) -> KMeansRun:
    """The best run after children of the given ones have competed with them.

    The last ``patience`` children did not improve it, or there were ``max_children``. A child has clusters of two runs,
    and in turns one of the ``changes`` of them. Runs that all end alike have children only if ``always``.
    """
    pool, rng = sorted(runs, key=inertia), np.random.default_rng(seed)
    alike = not always and len(pool) >= _AGREE and same_end(pool[0], pool[-1])
    if len(pool[0].mass) == 1 or inertia(pool[0]) <= 0 or alike:
        return pool[0]
    in_vain = 0
    for number in range(max_children):
        if in_vain == patience:
            break
        first, second = (pool[rng.integers(len(pool), size=2).min()] for _ in range(2))  # the better of two, twice
        mixed = _mix(points, first.mass, second.mass, rng)
        child = run_child(changes[number % len(changes)](points, mixed, rng))
        new = not any(same_end(child, run) for run in pool)
        in_vain = 0 if new and inertia(child) < inertia(pool[0]) else in_vain + 1
        if new and inertia(child) < inertia(pool[-1]):
            pool = sorted([*pool[:-1], child], key=inertia)
    return pool[0]


def same_end(run: KMeansRun, other: KMeansRun) -> bool:
    """Whether two runs count as the same, by their objectives."""
    return abs(inertia(run) - inertia(other)) <= _SAME * inertia(other)


def _mix(points: LabelPoints, mass: FloatArray, other: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Each cluster of one of two runs; clusters whose centres are near each other stand for the same one."""
    from scipy.optimize import linear_sum_assignment

    if mass is other or mass.shape != other.shape:
        return mass
    root = np.sqrt(points.space.layout.cell_weights)
    a, b = points.space.centers(mass) * root, points.space.centers(other) * root
    match = linear_sum_assignment(-a @ b.T + (b**2).sum(axis=1) / 2)[1]  # |a - b|^2 / 2, but for what is of a alone
    return np.where(rng.random(len(mass))[:, None] < 0.5, mass, other[match])


def _without_one(mass: FloatArray, rng: np.random.Generator) -> FloatArray:
    return np.delete(mass, rng.integers(len(mass)), axis=0)


def _draw_one(points: LabelPoints, mass: FloatArray, rng: np.random.Generator) -> FloatArray:
    """One more cluster, of a row drawn as in k-means++."""
    cells, row_weights = points.cells, points.row_weights
    nearest, chosen = np.empty(len(cells)), np.empty(1, dtype=np.int64)
    assign_rows(cells, row_weights, points.table(mass), np.empty(len(cells), dtype=np.int32), nearest)
    draw_rows(cells, row_weights, points.kernel_space, rng.random((1, 1)), nearest, chosen)
    return np.vstack([mass, points.as_mass(chosen)])
