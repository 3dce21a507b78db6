"""k-means of labels on parts of the rows: searched on a sample, then Lloyd's iteration over all parts (eq. B5)."""

from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import progress, warn_not_converged
from partita._typing import FloatArray
from partita.base import LabelledRows
from partita.blocks._engine import Sums
from partita.blocks.beyond._parts import Fitted, RowParts, weight_of_objects
from partita.consensus.kmeans._lloyd import KMeansRows, assign_rows
from partita.consensus.kmeans._one_hot_space import OneHotSpace, sum_per_clustering


def assign_part(rows: Ensemble, values: tuple[FloatArray, FloatArray]) -> Sums:
    """Weight of each cell in the clusters of the nearest centres, and the inertia."""
    mass, mean = values
    space = OneHotSpace(rows.layout, mean)
    points = KMeansRows(space.to_cells(rows.codes), rows.row_weights, space, space.for_kernels())
    labels, distance = np.empty(rows.n_rows, dtype=np.int32), np.empty(rows.n_rows)
    stats = assign_rows(points.cells, rows.row_weights, points.table(mass), labels, distance)
    return {"mass": stats.mass, "inertia": np.array([stats.inertia])}


def fit_kmeans(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """The best of the starts and their children on a sample, and Lloyd's iteration on all rows from its clusters."""
    if estimator.coding == "raw":
        raise ValueError("LabelKMeans(coding='raw') needs all distinct rows in memory; pass coding='onehot'.")
    if estimator.solver != "lloyd":
        raise ValueError("LabelKMeans(solver='coordinate') needs all distinct rows in memory; pass solver='lloyd'.")
    layout = parts.layout
    of_labels = weight_of_objects(parts)
    total = sum_per_clustering(of_labels, layout)[layout.cell_clustering]
    space = OneHotSpace(layout, of_labels / np.maximum(total, np.finfo(float).tiny))
    with progress(None, "k-means", show=bool(estimator.verbose)) as bar:
        mass = estimator._best_run(sample.ensemble, sample.n_clusters, bar).mass
        history: list[float] = []
        while len(history) < estimator.max_iter and not _settled(history, estimator.tol):
            before = mass[space.sizes(mass) > 0]
            found = parts.total("k-means", assign_part, (before, space.mean))
            mass = found["mass"]
            history.append(float(found["inertia"][0]))
            bar.update(1)
    estimator.converged_ = _settled(history, estimator.tol)
    if not estimator.converged_:
        warn_not_converged(type(estimator).__name__, estimator.max_iter)
    estimator.history_ = parts.columns.scale.report(history, objects=1, clusterings=1)
    estimator.n_iter_, estimator.objective_ = len(history), estimator.history_[-1]
    used = space.sizes(mass) > 0  # no row joins a centre that ended without any
    estimator._space, estimator._centers = space, space.centers(before)[used]
    return Fitted(len(estimator._centers))


def _settled(history: list[float], tol: float) -> bool:
    return len(history) > 1 and history[-2] - history[-1] <= tol * history[-2]


def fit_qmi(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """The same, and the mutual information of its clusters: less than that of one cluster by the inertia (eq. M20)."""
    found = fit_kmeans(estimator, parts, sample)
    layout, mean, scale = parts.layout, estimator._space.mean, parts.columns.scale
    length = sum_per_clustering(mean**2, layout)[layout.cell_clustering]
    whole = float(layout.cell_weights * weight_of_objects(parts) @ (1 - 2 * mean + length))
    within = scale.report(estimator.objective_, objects=-1, clusterings=-1)
    estimator.mutual_information_ = scale.report(2 * (whole - within) / parts.n, clusterings=1)
    return found
