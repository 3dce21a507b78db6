"""Graph methods on parts of the rows: MCLA groups the labels, HBGF and CSPA cut spectrally, in the space of the labels.

The rows of HBGF and of CSPA are points that follow from a table of the labels (eqs. G10, G20): the sum over the labels
of a row, scaled to length 1. Their clusters are found on a sample, and compete with clusters of the labels alone, by
the normalised cut over all objects, as in memory. METIS needs the graph of all rows and is not used.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._labels.tables import ClusterTables, label_sums, pair_sums
from partita._runs import draw_seeds
from partita._typing import FloatArray, IntArray
from partita.base import ClusterTotals, LabelledRows
from partita.blocks._engine import Sums
from partita.blocks.beyond._label_space import graph_of, tables_of
from partita.blocks.beyond._parts import Fitted, RowParts
from partita.consensus.graph._cell_memberships import cell_memberships
from partita.consensus.graph._graph_consensus import label_shares
from partita.consensus.graph._graph_partition import cut_between
from partita.consensus.graph._mcla import associate, group_cells
from partita.consensus.graph._spectral import cluster_rows
from partita.consensus.graph._whole_weights import in_units
from partita.consensus.kmeans._weighted_kmeans import cluster_sums, nearest_center
from partita.consensus.label_space._transfer_cut import unit_rows
from partita.federated.rows._hbgf import embed_both
from partita.metrics._confidence import count_cells


class Candidate(NamedTuple):
    """Clusters of the rows: nearest centres of the points that a table of labels makes of them."""

    table: FloatArray  # (t, d)
    centers: FloatArray  # (k, d)
    of_labels: IntArray | None = None  # (t,) cluster of each label, where labels are vertices too


def points_of(rows: Ensemble, table: FloatArray) -> FloatArray:
    """The points of the rows: sums over their labels, of length 1."""
    return unit_rows(label_sums(rows, table))


def clusters_of(rows: Ensemble, found: Candidate) -> IntArray:
    """Cluster of each row."""
    return nearest_center(points_of(rows, found.table), found.centers)


def centers_of(points: FloatArray, weights: FloatArray, labels: IntArray) -> FloatArray:
    """Means of clusters."""
    total, mass = cluster_sums(points, weights, labels, int(labels.max()) + 1)
    return np.asarray(total / mass[:, None])


def share_labels(estimator: Any, parts: RowParts, totals: ClusterTotals) -> None:
    """How new rows are placed: by the shares of the clusters in the objects of each label (eq. G3)."""
    cells = totals.counts.cells
    weights = in_units(parts.layout.clustering_weights)[parts.layout.cell_clustering]
    estimator._shares = label_shares(cells, cells.sum(axis=1), weights)


# ---------------------------------------------------------------------------------------------------------------- MCLA
def fit_mcla(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """The tables, in one pass, from which the labels are grouped as in memory."""
    found = tables_of(parts)
    tables = ClusterTables(found.together, found.cell_clustering, in_units(found.clustering_weights))
    settings = estimator._settings(int(draw_seeds(estimator.random_state, 1)[0]))
    meta = group_cells(tables, tables.size, sample.n_clusters, settings)
    estimator._name_partitioner(meta)
    return Fitted(int(meta.labels.max()) + 1, model=meta.labels)


def place_mcla(rows: Ensemble, meta: IntArray) -> IntArray:
    """The meta-cluster with which each row is most associated."""
    units = Ensemble(rows.codes, rows.n_labels, in_units(rows.clustering_weights), rows.row_weights)
    cells = cell_memberships(units)
    return np.asarray(associate(cells.H, cells.seen, meta, cells.cell_clustering, cells.cell_weights).argmax(axis=1))


# ---------------------------------------------------------------------------------------------------------------- HBGF
def count_clusters(rows: Ensemble, found: Candidate) -> Sums:
    """Objects of each label in each cluster."""
    return {"cells": count_cells(rows, clusters_of(rows, found), len(found.centers)).cells}


def fit_hbgf(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """The graph of the labels, a sample, and one pass for each of two cuts."""
    refuse_metis(estimator)
    layout, k = parts.layout, sample.n_clusters
    edges = in_units(layout.clustering_weights)[layout.cell_clustering]
    estimator.partitioner_ = "spectral" if k > 1 else "none"
    if k == 1:
        return Fitted(1, model=Candidate(edges[:, None], np.ones((1, 1))))
    cut, of_labels = embed_both(graph_of(parts, edges), edges, k)
    seed = int(draw_seeds(estimator.random_state, 1)[0])
    candidates = [_rows_and_labels(sample.ensemble, cut.cell_map, of_labels, float(parts.n), k, seed)]
    if len(of_labels) >= k:
        group = cluster_rows(of_labels, np.ones(len(of_labels)), k, seed)
        candidates.append(Candidate(edges[:, None] * one_hot(group, k), np.eye(k), group))
    best = min(candidates, key=lambda found: _cut_of_hbgf(parts, found, edges))
    return Fitted(len(best.centers), model=best)


def _rows_and_labels(sample: Ensemble, table: FloatArray, labels: FloatArray, n: float, k: int, seed: int) -> Candidate:
    """k-means of rows and labels together; the rows of the sample stand for all objects."""
    points = np.vstack([points_of(sample, table), labels])
    weights = np.concatenate([sample.row_weights * (n / sample.row_weights.sum()), np.ones(len(labels))])
    centers = centers_of(points, weights, cluster_rows(points, weights, k, seed))
    return Candidate(table, centers, nearest_center(labels, centers))


def _cut_of_hbgf(parts: RowParts, found: Candidate, edges: FloatArray) -> tuple[int, float]:
    """More clusters first, then the lower normalised cut of objects and labels (eq. G5)."""
    k = len(found.centers)
    cells = parts.total("clusters of a cut", count_clusters, found)["cells"]
    assert found.of_labels is not None
    across = (edges[:, None] * cells).T @ one_hot(found.of_labels, k)
    return -int(np.count_nonzero(cells.sum(axis=0) > 0)), cut_between(across + across.T)


def refuse_metis(estimator: Any) -> None:
    """METIS needs the graph of all rows."""
    if estimator.partitioner == "metis":
        raise ValueError(
            f"{type(estimator).__name__}(partitioner='metis') partitions the graph of all distinct rows, which do not "
            "fit in memory; pass partitioner='spectral', or 'auto', which is spectral here."
        )


# ---------------------------------------------------------------------------------------------------------------- CSPA
def factor_weights(rows: Ensemble) -> FloatArray:
    """M / N_i: by how much each row of the factor A is larger for its missing labels (eq. G13)."""
    weights = rows.clustering_weights
    return np.asarray(weights.sum() / ((rows.codes >= 0) @ weights))


def sum_factor(rows: Ensemble, _: Any) -> Sums:
    """A' w, without the weights of the columns."""
    values = rows.row_weights * factor_weights(rows)
    return {"mass": np.asarray(rows.indicator.T @ values)}


def sum_normal(rows: Ensemble, mass: FloatArray) -> Sums:
    """A' diag(w / degree) A, without the weights of the columns (eq. G10)."""
    larger = factor_weights(rows)
    degree = larger * label_sums(rows, mass[:, None])[:, 0]
    return {"normal": pair_sums(rows, rows.row_weights * larger**2 / np.maximum(degree, np.finfo(float).tiny))}


def count_factor(rows: Ensemble, found: Candidate) -> Sums:
    """A' diag(w) of each cluster, without the weights of the columns, and the sizes of the clusters."""
    labels = clusters_of(rows, found)
    member = one_hot(labels, len(found.centers)) * (rows.row_weights * factor_weights(rows))[:, None]
    sizes = np.bincount(labels, rows.row_weights, minlength=len(found.centers)).astype(np.float64)
    return {"columns": np.asarray(rows.indicator.T @ member), "sizes": sizes}


def fit_cspa(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """Two passes for the embedding of the factor of the co-association, a sample, and one pass for each of two cuts."""
    refuse_metis(estimator)
    if estimator.pairs not in ("auto", "all"):
        raise ValueError(f"CSPA(pairs={estimator.pairs!r}) draws pairs of all distinct rows; pass pairs='auto'.")
    layout, k = parts.layout, sample.n_clusters
    column = np.sqrt(layout.cell_weights / layout.clustering_weights.sum())
    estimator.partitioner_ = "spectral" if k > 1 else "none"
    if k == 1:
        return Fitted(1, model=Candidate(column[:, None], np.ones((1, 1))))
    mass = parts.total("mass of a factor", sum_factor)["mass"] * column
    normal = parts.total("normal of a factor", sum_normal, mass * column)["normal"] * np.outer(column, column)
    t = len(column)
    values, V = eigh(normal, subset_by_index=(max(0, t - k), t - 1))
    seed = int(draw_seeds(estimator.random_state, 1)[0])
    table = column[:, None] * V / np.sqrt(np.maximum(values, 1e-12))
    points, weights = points_of(sample.ensemble, table), sample.ensemble.row_weights
    candidates = [Candidate(table, centers_of(points, weights, cluster_rows(points, weights, k, seed)))]
    if t >= k:
        group = cluster_rows(V, np.ones(t), k, seed)
        candidates.append(Candidate(column[:, None] * one_hot(group, k), np.eye(k)))
    best = min(candidates, key=lambda found: _cut_of_cspa(parts, found, column))
    return Fitted(len(best.centers), model=best)


def _cut_of_cspa(parts: RowParts, found: Candidate, column: FloatArray) -> tuple[int, float]:
    counted = parts.total("columns of a cut", count_factor, found)
    of_columns = counted["columns"] * column[:, None]
    return -int(np.count_nonzero(counted["sizes"])), cut_between(of_columns.T @ of_columns)
