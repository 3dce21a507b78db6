"""Rows of labels under a utility, and how clusters of them are improved (``_kcc.py``, ``_kmodes.py``).

Lloyd's iteration gives every row to the centre of least divergence (eq. U6) until the objective settles; then rows move
one at a time where that lowers it, by what the tables say exactly (eq. U8), until none does.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from partita._kernels.kcc import (
    CATEGORY,
    COSINE,
    ENTROPY,
    MODES,
    NORM,
    Utility,
    count_cells,
    fill_table,
    objective,
    sweep_rows,
)
from partita._kernels.label_kmeans import LabelSpace
from partita._labels.ensemble import Ensemble
from partita._runs import Progress
from partita._stopping import until_stopped
from partita._typing import Array, Codes, FloatArray
from partita.consensus.kmeans._lloyd import KMeansRun, assign_rows, move_empty, one_row_each
from partita.consensus.kmeans._one_hot_space import OneHotSpace, one_hot_space, sum_per_clustering

Solver = Literal["lloyd", "coordinate"]

KINDS = {"c": CATEGORY, "h": ENTROPY, "cos": COSINE, "lp": NORM, "modes": MODES}

_ROUNDS = 5  # of settling ties and moving again: the second rarely changes anything
_EQUAL = 1e-12  # relative: an objective that is higher by no more is the same
# Divergence of two different labels: of a label from a centre of one row. That of "h" is its floor (eq. U9) there.
_APART = {"c": 2.0, "h": 1.0 + 1.0 / np.log(2.0), "cos": 1.0, "lp": 1.0, "modes": 1.0}


@dataclass(frozen=True, eq=False)
class UtilityRows:
    """Rows of labels, and the utility as the kernels need it."""

    cells: Codes  # (n_rows, n_clusterings)
    row_weights: FloatArray
    space: OneHotSpace
    kernel_space: LabelSpace  # divergences between labels, for the starts
    utility: Utility
    common: float  # the most frequent weight of a row

    def as_mass(self, rows: Array) -> FloatArray:
        """Clusters of one row each, of weight 1: (k, n_cells + n_clusterings)."""
        return one_row_each(self.cells[rows], self.space)

    def table(self, mass: FloatArray) -> FloatArray:
        """Divergence that each cell adds, for the centre of each cluster (eq. U5)."""
        table = np.empty((mass.shape[1], len(mass)))
        fill_table(mass, self.utility, table)
        return table

    def objective(self, mass: FloatArray) -> float:
        """Sum of the divergences of all rows from the centres of their clusters (eq. U4)."""
        return max(float(objective(mass, self.utility)), 0.0)

    def count(self, labels: Array, n_clusters: int) -> FloatArray:
        """Weight of each cell in each cluster."""
        mass = np.zeros((n_clusters, self.space.n_all_cells))
        count_cells(self.cells, self.row_weights, labels, mass)
        return mass

    def shares(self, mass: FloatArray) -> FloatArray:
        """Centres: shares among the observed labels of each cluster, P where it has none (eq. U2)."""
        layout = self.space.layout
        mass = mass[:, : layout.n_cells]
        seen = sum_per_clustering(mass, layout)[:, layout.cell_clustering]
        return np.where(seen > 0, mass / np.where(seen > 0, seen, 1.0), self.space.mean)


def utility_rows(ensemble: Ensemble, utility: str, power: float) -> UtilityRows:
    """The rows of an ensemble under a utility."""
    space = one_hot_space(ensemble)
    first_cell = np.append(ensemble.first_cell, ensemble.n_cells)
    values, counts = np.unique(ensemble.row_weights, return_counts=True)
    found = Utility(
        first_cell, ensemble.clustering_weights, space.mean, KINDS[utility], float(power), float(values.min())
    )
    apart = _APART[utility]
    whole = np.empty((space.n_all_cells, 1))
    fill_table(np.zeros((1, space.n_all_cells)), found, whole)  # a centre without any label is P
    from_prior = np.minimum(whole[: ensemble.n_cells, 0], apart * ensemble.cell_weights)
    start_space = LabelSpace(first_cell, ensemble.clustering_weights * (apart / 2.0), space.mean, from_prior)
    cells, common = space.to_cells(ensemble.codes), float(values[counts.argmax()])
    return UtilityRows(cells, ensemble.row_weights, space, start_space, found, common)


def concentration(ensemble: Ensemble, utility: str, power: float) -> FloatArray:
    """|phi(P)| of each clustering (eq. U11): what its utility can gain for "h", 1 less that for the others."""
    mean = one_hot_space(ensemble).mean
    if utility == "h":
        terms = mean * np.log2(np.where(mean > 0, mean, 1.0))
        return np.abs(sum_per_clustering(terms, ensemble))
    exponent = {"c": 2.0, "cos": 2.0, "lp": power}[utility]
    total = sum_per_clustering(mean**exponent, ensemble)
    return total if utility == "c" else np.asarray(total ** (1.0 / exponent))


# --------------------------------------------------------------------------------------------------------------- steps
class _State(NamedTuple):
    labels: Array  # (n_rows,) int32
    distance: FloatArray  # (n_rows,) divergence from the centres that they were given to
    mass: FloatArray
    value: float


def improve_utility(
    points: UtilityRows,
    mass: FloatArray,
    *,
    solver: Solver,
    max_iter: int,
    tol: float,
    bar: Progress | None = None,
    n_jobs: int | None = None,
) -> KMeansRun:
    """The clusters that the rows have nearest to some centres, improved until no single row gains by moving."""
    state = _nearest(points, mass, n_jobs)
    history = [state.value]
    if solver == "lloyd":
        state = _lloyd(points, state, history, max_iter, tol, bar, n_jobs)
    converged = False
    for _ in range(_ROUNDS):
        state, converged = _move_rows(points, state, history, max_iter, bar)
        settled = _nearest(points, state.mass, n_jobs) if converged else state
        if np.array_equal(settled.labels, state.labels) or not _as_good(points, settled, state):
            break
        history[-1] = min(history[-1], settled.value)
        state = settled
    else:
        state, converged = _move_rows(points, state, history, max_iter, bar)
    return KMeansRun(state.labels, points.shares(state.mass), history, converged, state.mass)


def _nearest(points: UtilityRows, mass: FloatArray, n_jobs: int | None) -> _State:
    """Every row in the cluster whose centre is nearest; the first of equally near ones."""
    labels, distance = np.empty(len(points.cells), dtype=np.int32), np.empty(len(points.cells))
    stats = assign_rows(points.cells, points.row_weights, points.table(mass), labels, distance, n_jobs)
    return _State(labels, distance, stats.mass, points.objective(stats.mass))


def _lloyd(
    points: UtilityRows,
    state: _State,
    history: list[float],
    max_iter: int,
    tol: float,
    bar: Progress | None,
    n_jobs: int | None,
) -> _State:
    """Nearest centres and new centres in turn, until the objective settles."""
    while len(history) < max_iter:
        centers = state.mass.copy()
        move_empty(centers, points.row_weights * state.distance, points)
        new = _nearest(points, centers, n_jobs)
        if bar is not None:
            bar.update(1)
        if new.value > state.value:  # only the floor of "h" can do that: single moves go on from the state before
            break
        history.append(new.value)
        before, state = state, new
        if before.value - new.value <= tol * before.value:
            break
    return state


def _move_rows(
    points: UtilityRows, state: _State, history: list[float], max_iter: int, bar: Progress | None
) -> tuple[_State, bool]:
    """Sweeps of single moves until none gains; whether that came within ``max_iter``."""
    labels, mass = state.labels.copy(), state.mass
    while len(history) < max_iter:
        sizes, rows = points.space.sizes(mass), (points.cells, points.row_weights)
        if not until_stopped(sweep_rows, *rows, points.utility, points.common, labels, mass.copy(), sizes):
            return _State(labels, state.distance, mass, history[-1]), True
        mass = points.count(labels, len(mass))  # again, as what is added and taken away leaves rounding errors
        history.append(min(history[-1], points.objective(mass)))
        if bar is not None:
            bar.update(1)
    return _State(labels, state.distance, mass, history[-1]), False


def _as_good(points: UtilityRows, new: _State, old: _State) -> bool:
    """Whether rows that are equally near to several centres may go to the first: no cluster less, none worse."""
    sizes = points.space.sizes
    full = np.count_nonzero(sizes(new.mass)) >= np.count_nonzero(sizes(old.mass))
    return bool(full and new.value <= old.value * (1 + _EQUAL))
