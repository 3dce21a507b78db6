"""Meta-clustering (Strehl and Ghosh, 2002): the clusters of all clusterings are clustered, then objects join.

The graph's vertices are the clusters, its edges weigh |a and b| / |a or b| (0 within one clustering; eq. G16). Each
part is a meta-cluster: the association of an object with it is the mean of the indicators of its clusters, over those
whose clustering labels the object (eq. G17), and the object joins the meta-cluster of the largest association.
"""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from partita._labels.tables import ClusterTables, soft_tables
from partita._numbering import rank_of
from partita._typing import Array, FloatArray, IntArray
from partita.base import LabelledRows
from partita.consensus.graph._cell_memberships import CellMemberships, cell_memberships
from partita.consensus.graph._graph_consensus import GraphConsensus
from partita.consensus.graph._graph_partition import GraphPartition, PartitionerSettings, partition_graph
from partita.consensus.graph._spectral import cluster_rows, embed_graph


class MCLA(GraphConsensus):
    """Meta-clustering algorithm.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. They are the meta-clusters; if some end without objects, a warning says so.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        What partitions the graph of clusters. METIS balances the meta-clusters and needs the extra ``graph``; without
        it spectral partitioning is used instead, once with clusters weighted by their sizes and once unweighted.
        "auto" keeps the best of all by the normalised cut.
    imbalance : float, default=2.0
        How much heavier than the mean METIS may make a meta-cluster, relatively; 0.05 is the paper's choice.
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
    Cost with r distinct rows, m clusterings and t labels: r m^2 + t^3, linear in the number of objects. Ties between
    meta-clusters go to the heavier one.

    References
    ----------
    A. Strehl, J. Ghosh, Cluster ensembles: a knowledge reuse framework for combining multiple partitions, JMLR 3 (2002)
    583-617.

    Examples
    --------
    >>> from partita import MCLA
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> MCLA(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _balances_objects: ClassVar[bool] = False  # its parts are clusters of labels

    def _partition(self, rows: LabelledRows, n_clusters: int, settings: PartitionerSettings) -> GraphPartition:
        return meta_cluster(cell_memberships(rows.ensemble), n_clusters, settings)


def meta_cluster(cells: CellMemberships, n_clusters: int, settings: PartitionerSettings) -> GraphPartition:
    """Cluster the cells, and let each row join the meta-cluster with which it is most associated."""
    used, row_weights = cells.cells_in_use(), cells.row_weights
    H, clustering, weights = cells.H[:, used], cells.cell_clustering[used], cells.cell_weights[used]
    size = np.asarray(H.T @ row_weights)
    meta = group_cells(soft_tables(H, row_weights, clustering, cells.clustering_weights), size, n_clusters, settings)
    joined = associate(H, cells.seen, meta.labels, clustering, weights).argmax(axis=1)
    return GraphPartition(joined, meta.partitioner)


def group_cells(
    tables: ClusterTables, size: FloatArray, n_clusters: int, settings: PartitionerSettings
) -> GraphPartition:
    """Meta-cluster of each cell, the heaviest first, from the tables and the weight of the objects of each cell."""
    W = jaccard(tables.together, tables.size, tables.cell_clustering)
    W *= np.sqrt(np.outer(tables.cell_weights, tables.cell_weights))
    found = partition_graph(W, n_clusters, size, settings, unweighted_cut(W, n_clusters, settings))
    heavy_first = np.argsort(-np.bincount(found.labels, weights=size), kind="stable")  # eq. G18: ties go to the heavier
    return GraphPartition(rank_of(heavy_first, len(heavy_first))[found.labels], found.partitioner)


def unweighted_cut(W: FloatArray, n_clusters: int, settings: PartitionerSettings) -> list[IntArray]:
    """The spectral cut in which each cluster counts once, whatever its size; it competes with the others (eq. G41).

    Where one cluster holds most objects, its copies in all clusterings outweigh the rest, and a cut weighted by their
    sizes divides them among several parts.
    """
    if settings.partitioner == "metis" or not 1 < n_clusters < len(W):
        return []
    each = np.ones(len(W))
    return [
        cluster_rows(embed_graph(sparse.csr_array(W), each, n_clusters, settings.seed), each, n_clusters, settings.seed)
    ]


def jaccard(together: FloatArray, size: FloatArray, cell_clustering: IntArray) -> FloatArray:
    """|a and b| / |a or b| between clusters of different clusterings, from |a and b| and |a|."""
    either = size[:, None] + size - together
    W = np.divide(together, either, out=np.zeros_like(together), where=either > 0)
    W[cell_clustering[:, None] == cell_clustering] = 0.0
    return W


def associate(H: Any, seen: Array, meta: IntArray, cell_clustering: IntArray, cell_weights: FloatArray) -> FloatArray:
    """Mean membership of each row in the cells of each meta-cluster, over clusterings that label it: (n_rows, k)."""
    k = int(meta.max()) + 1
    member = np.zeros((H.shape[1], k))
    member[np.arange(len(meta)), meta] = cell_weights
    possible = np.zeros((seen.shape[1], k))
    np.add.at(possible, (cell_clustering, meta), cell_weights)
    total = seen.astype(np.float64) @ possible
    return np.asarray(np.divide(H @ member, total, out=np.zeros(total.shape), where=total > 0))
