"""Hybrid bipartite graph (Fern and Brodley, 2004): objects and clusters are partitioned together.

Both are vertices, and an edge joins an object to each of its clusters (eq. G19).

Spectral (eq. G20): with A the indicator, D1 and D2 its row and column sums, the top k singular vectors of
D1^-1/2 A D2^-1/2 of objects and clusters are stacked, rows scaled to length 1, and clustered by k-means. Where one
cluster is far larger than the others, k-means on the objects splits it. It is therefore also run on the clusters alone,
with each object joining where most of its clusters are, and the better normalised cut of the two is kept.
"""

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from partita._stopping import check_stop
from partita._typing import FloatArray, IntArray
from partita.base import LabelledRows
from partita.consensus.graph._cell_memberships import cell_memberships
from partita.consensus.graph._graph_consensus import GraphConsensus
from partita.consensus.graph._graph_partition import (
    GraphPartition,
    PartitionerSettings,
    best_partition,
    join_columns,
    metis_partitions,
    normalised_cut,
    nothing_to_cut,
)
from partita.consensus.graph._spectral import cluster_rows, embed_factor


class HBGF(GraphConsensus):
    """Hybrid bipartite graph formulation.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        What partitions the graph. METIS balances the clusters and needs the extra ``graph``; without it spectral
        partitioning is used instead. "auto" keeps the better of the two by the normalised cut.
    imbalance : float, default=2.0
        How much larger than the mean METIS may make a cluster, relatively; 0.05 is the paper's choice. Where
        METIS is asked for by name, objects with the same labels go to different clusters if that needs it.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the partitioner.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    partitioner_ : str
        "metis" or "spectral"; "none" if there was nothing to partition.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings and t labels: r (m^2 + m k) + t^3, linear in the number of objects.

    References
    ----------
    X. Z. Fern, C. E. Brodley, Solving cluster ensemble problems by bipartite graph partitioning, ICML 2004.

    Examples
    --------
    >>> from partita import HBGF
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> HBGF(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    def _partition(self, rows: LabelledRows, n_clusters: int, settings: PartitionerSettings) -> GraphPartition:
        edges = cell_memberships(rows.ensemble).bipartite_edges()
        return partition_bipartite(edges, n_clusters, rows.ensemble.row_weights, settings)


def partition_bipartite(
    A: Any, n_clusters: int, row_weights: FloatArray, settings: PartitionerSettings
) -> GraphPartition:
    """Partition rows and columns of A together; returns the clusters of the rows."""
    n, t = A.shape
    if n <= n_clusters or n_clusters == 1:
        return nothing_to_cut(n, n_clusters)
    check_stop()
    edges = sparse.csr_array(sparse.diags_array(row_weights) @ A)
    check_stop()
    blocks: Any = [[None, edges], [edges.T, None]]
    W = sparse.csr_array(sparse.block_array(blocks))
    candidates = metis_partitions(W, n_clusters, np.concatenate([row_weights, np.zeros(t)]), settings)
    if settings.partitioner != "metis" or not candidates:
        found = spectral_candidates(A, n_clusters, row_weights, settings.seed)
        candidates += [GraphPartition(labels, "spectral") for labels in found]
    best = best_partition(candidates, partial(normalised_cut, W), n_counted=n)
    return GraphPartition(best.labels[:n], best.partitioner)


def spectral_candidates(A: Any, n_clusters: int, row_weights: FloatArray, seed: int) -> list[IntArray]:
    """Clusters of rows and columns: k-means on both together, and on the columns alone."""
    U, V = embed_factor(A, row_weights, n_clusters, seed, bipartite=True)
    stacked = np.vstack([U, V])
    both = cluster_rows(stacked, np.concatenate([row_weights, np.ones(len(V))]), n_clusters, seed)
    if len(V) < n_clusters:
        return [both]
    of_columns = cluster_rows(V, np.ones(len(V)), n_clusters, seed)
    of_rows = join_columns(A, of_columns, n_clusters)  # the least cut for these clusters of columns
    return [both, np.concatenate([of_rows, of_columns])]
