"""Base clusterers on the graph of nearest neighbours: spectral clustering and METIS (eqs. R13, R14)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from partita._optional import require
from partita._typing import FloatArray
from partita.consensus.graph._graph_partition import PartitionerSettings, partition_graph
from partita.generation._base_clusterings import FoundClusters

_NEIGHBOURS = 10  # per object: more join clusters that are near each other, fewer cut clusters into pieces
_SCALE = 7  # the neighbour whose distance is an object's scale: the value of Zelnik-Manor and Perona (2004)
_LEAST_WEIGHT = 1e-6  # added to all weights: far neighbours stay joined, which underflow of exp would undo
_IMBALANCE = 0.05  # share by which a part may exceed the mean size: nearly balanced, with some room for smaller cuts


def cluster_by_spectral(X: FloatArray, ks: Sequence[int], seed: int) -> list[FoundClusters]:
    """Ng, Jordan and Weiss on the graph of nearest neighbours."""
    W = neighbour_graph(X)
    each = np.ones(len(X))
    settings = PartitionerSettings("spectral", seed=seed)
    return [FoundClusters(partition_graph(W, k, each, settings).labels) for k in ks]


def cluster_by_metis(X: FloatArray, ks: Sequence[int], seed: int) -> list[FoundClusters]:
    """METIS on the graph of nearest neighbours, into parts of nearly equal size."""
    require("pymetis", extra="graph", purpose="the base clusterer 'metis'")
    W = neighbour_graph(X)
    each = np.ones(len(X))
    settings = PartitionerSettings("metis", _IMBALANCE, seed)
    found = [partition_graph(W, k, each, settings) for k in ks]
    none = np.full(
        len(X), -1
    )  # where METIS finds no partition, the spectral one in its place is not what was asked for
    return [FoundClusters(none if made.partitioner == "spectral" else made.labels) for made in found]


def neighbour_graph(X: FloatArray) -> Any:
    """Symmetric sparse graph of nearest neighbours with weights exp(-d_ij^2 / (s_i s_j)) (eq. R13)."""
    distance = kneighbors_graph(X, min(_NEIGHBOURS, len(X) - 1), mode="distance")
    by_row = np.sort(distance.data.reshape(len(X), -1), axis=1)
    scale = by_row[:, min(_SCALE, by_row.shape[1]) - 1]
    positive = scale[scale > 0].min(initial=np.inf)
    scale = np.maximum(scale, positive if np.isfinite(positive) else 1.0)  # equal objects have scale 0
    graph = sparse.coo_array(distance)
    rows, columns = graph.coords
    weight = np.exp(-(graph.data**2) / (scale[rows] * scale[columns])) + _LEAST_WEIGHT
    W = sparse.csr_array((weight, (rows, columns)), shape=graph.shape)
    return W.maximum(W.T)
