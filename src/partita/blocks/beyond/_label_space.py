"""Methods of the space of labels on parts of the rows: tables of all pairs of labels, a sample, one placing (eq. B6).

The tables are sums over the objects. LWGP needs two passes (the tables give the weights of the clusters, and these the
graph), ECPCS and MCLA one. The number of clusters and the centres of k-means come from samples of objects.
"""

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from partita._labels.ensemble import Ensemble
from partita._labels.tables import ClusterTables, cluster_tables
from partita._runs import draw_seeds
from partita._typing import FloatArray, IntArray
from partita.base import LabelledRows
from partita.blocks._engine import Sums
from partita.blocks.beyond._parts import Fitted, RowParts
from partita.consensus.graph._cell_memberships import cell_memberships
from partita.consensus.label_space._cluster_cut import cut_graph
from partita.consensus.label_space._cluster_number import (
    N_SAMPLED,
    NumberProblem,
    choose_number,
    number_limit,
    one_row_per_object,
    warn_weak,
)
from partita.consensus.label_space._ecpcs import cluster_similarity, share_table
from partita.consensus.label_space._embedded_rows import cut_between_components
from partita.consensus.label_space._lwgp import check_one_number, split_cells, weights_from
from partita.consensus.label_space._transfer_cut import TransferCut, cell_graph, components, cut_cells, ensure_cells


# -------------------------------------------------------------------------------------------------- sums over the rows
def sum_tables(rows: Ensemble, _: Any) -> Sums:
    """Contingency tables of all clusterings (eq. L1)."""
    return {"together": cluster_tables(rows).together}


def sum_graph(rows: Ensemble, cell_weights: FloatArray) -> Sums:
    """Graph of the labels (eq. L5)."""
    return {"graph": cell_graph(rows, cell_weights)}


def tables_of(parts: RowParts) -> ClusterTables:
    """The tables of all objects."""
    ensure_cells(parts.layout.n_cells)
    together = parts.total("tables", sum_tables)["together"]
    return ClusterTables(together, parts.layout.cell_clustering, parts.layout.clustering_weights)


def graph_of(parts: RowParts, cell_weights: FloatArray) -> FloatArray:
    """W of all objects (eq. L5)."""
    return np.asarray(parts.total("graph", sum_graph, cell_weights)["graph"])


# ------------------------------------------------------------------------------------------------------ LWGP and USENC
def fit_lwgp(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """Two passes, a sample for the number of clusters if it is to be found, and one for k-means."""
    estimator.__dict__.pop("choice_", None)
    check_one_number(estimator.n_clusters, estimator.max_clusters)
    tables, layout = tables_of(parts), parts.layout
    index = weights_from(tables, estimator.theta)
    estimator.cluster_weights_ = split_cells(index, layout)
    cell_weights = index * layout.cell_weights
    W = graph_of(parts, cell_weights)
    part = components(W)
    if estimator.n_clusters is None:
        cut, k = _choose(estimator, parts, tables, W, cell_weights, part)
    else:
        k = sample.n_clusters
        cut = cut_cells(W, cell_weights, k)
    return cluster_embedded(estimator, sample, cut, W, part, k)


def _choose(
    estimator: Any, parts: RowParts, tables: ClusterTables, W: FloatArray, cell_weights: FloatArray, part: IntArray
) -> tuple[TransferCut, int]:
    """The number on which halves of the clusterings agree best, from a sample of 500 objects (eqs. L19 to L22)."""
    seed = int(draw_seeds(estimator.random_state, 3)[2])
    limit = number_limit(float(parts.n), parts.n_rows, estimator.max_clusters)
    cut = cut_cells(W, cell_weights, limit)
    few = parts.sample(N_SAMPLED, seed)
    problem = NumberProblem(
        tables,
        cut.singular_values,
        int(part.max()) + 1,
        parts.n_rows,
        cell_memberships(few),
        one_row_per_object(few),
        estimator.theta,
        limit,
    )
    with threadpool_limits(limits=1):
        estimator.choice_ = choose_number(problem, np.random.default_rng(seed))
    warn_weak(estimator.choice_)
    return cut, estimator.choice_.n_clusters


def fit_usenc(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """The graph, in one pass, and a sample for k-means."""
    cell_weights, k = parts.layout.cell_weights, sample.n_clusters
    ensure_cells(parts.layout.n_cells)
    W = graph_of(parts, cell_weights)
    return cluster_embedded(estimator, sample, cut_cells(W, cell_weights, k), W, components(W), k)


def cluster_embedded(
    estimator: Any, sample: LabelledRows, cut: TransferCut, W: FloatArray, part: IntArray, k: int
) -> Fitted:
    """Centres of k-means on the embedded sample, or components if there are enough of them (eqs. L8, L9)."""
    estimator.singular_values_ = cut.singular_values
    estimator._layout = sample.ensemble.layout
    if part.max() + 1 >= k:
        estimator._cut, estimator._centers = cut_between_components(cut, part, W, k), np.eye(k)
    else:
        estimator._cut = cut.take(k)
        estimator._centers = estimator._cluster_rows(sample.ensemble, k)[1]
    return Fitted(len(estimator._centers))


# --------------------------------------------------------------------------------------------------------------- ECPCS
def fit_ecpcs(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """The tables, in one pass."""
    if estimator.output != "meta":
        raise ValueError("ECPCS(output='tree') compares all pairs of distinct rows; pass output='meta'.")
    for name in ("dendrogram_", "leaves_"):
        estimator.__dict__.pop(name, None)
    tables = tables_of(parts)
    Z = cluster_similarity(tables, estimator.steps)
    estimator._shares = share_table(tables, cut_graph(Z, sample.n_clusters, tables.size))
    estimator._layout = parts.layout
    return Fitted(estimator._shares.shape[1] // 2)
