"""Meta-clustering (Strehl and Ghosh, 2002): the clusters of all clusterings are clustered, then objects join.

The graph's vertices are the clusters, its edges weigh |a and b| / |a or b| (0 within one clustering). Each part, a
meta-cluster, is collapsed: an object is associated with it by the mean of its member indicators, over those whose
clustering labels the object, and belongs where that is largest.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.graph._graph_consensus import GraphConsensus
from partita.consensus.graph._graph_partition import Partitioner, Parts, partition_graph


class MCLA(GraphConsensus):
    """Meta-clustering algorithm.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of meta-clusters; some may end without objects.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        Who partitions the graph of clusters. METIS balances the meta-clusters and needs the extra ``graph``; without it
        spectral partitioning takes its place. "auto" keeps the better of the two by the normalised cut.
    imbalance : float, default=2.0
        How much heavier than the mean METIS may make a meta-cluster, relatively; 0.05 is the paper's choice.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState or None
        Seed of the partitioner.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Meta-clusters that have objects.
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

    def _partition(self, ensemble: Ensemble, n_clusters: int, seed: int) -> Parts:
        clusters = Clusters(ensemble.indicator, ensemble.codes >= 0, ensemble.cell_clustering, ensemble.cell_weights)
        return meta_cluster(clusters, ensemble.row_weights, n_clusters, self.partitioner, self.imbalance, seed)


class Clusters(NamedTuple):
    """The clusters of all clusterings, as columns over weighted rows."""

    H: Any  # (n_rows, t) indicator, or probabilities of a soft clustering
    seen: Array  # (n_rows, m) bool
    column: IntArray  # (t,) clustering of each cluster
    weight: FloatArray  # (t,) weight of that clustering


def meta_cluster(
    clusters: Clusters, counts: FloatArray, n_clusters: int, partitioner: Partitioner, imbalance: float, seed: int
) -> Parts:
    """Cluster the clusters, and let each row join the meta-cluster it is most associated with."""
    there = np.flatnonzero(np.asarray(clusters.H.T @ counts) > 0)
    H, column, weight = clusters.H[:, there], clusters.column[there], clusters.weight[there]
    size = np.asarray(H.T @ counts)
    together = H.T @ (H * counts[:, None])
    together = together if isinstance(together, np.ndarray) else together.toarray()
    W = jaccard(together, np.diag(together).copy(), column) * np.sqrt(np.outer(weight, weight))
    parts = partition_graph(W, n_clusters, size, partitioner=partitioner, imbalance=imbalance, seed=seed)
    heavy_first = np.argsort(-np.bincount(parts.labels, weights=size), kind="stable")  # ties go to the heavier
    meta = np.argsort(heavy_first, kind="stable")[parts.labels]
    return Parts(associate(H, clusters.seen, meta, column, weight).argmax(axis=1), parts.partitioner)


def jaccard(together: FloatArray, size: FloatArray, column: IntArray) -> FloatArray:
    """|a and b| / |a or b| between clusters of different clusterings."""
    either = size[:, None] + size - together
    W = np.divide(together, either, out=np.zeros_like(together), where=either > 0)
    W[column[:, None] == column] = 0.0
    return W


def associate(H: Any, seen: Array, meta: IntArray, column: IntArray, weight: FloatArray) -> FloatArray:
    """Mean indicator of each meta-cluster's members, over members whose clustering labels the object: (rows, k)."""
    k = int(meta.max()) + 1
    member = np.zeros((H.shape[1], k))
    member[np.arange(len(meta)), meta] = weight
    possible = np.zeros((seen.shape[1], k))
    np.add.at(possible, (column, meta), weight)
    total = seen.astype(np.float64) @ possible
    return np.asarray(np.divide(H @ member, total, out=np.zeros(total.shape), where=total > 0))
