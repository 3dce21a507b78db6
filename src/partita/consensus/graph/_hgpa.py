"""Hypergraph partitioning (Strehl and Ghosh, 2002): every cluster is a hyperedge, and as few as possible are cut.

The papers use hMETIS; here Mt-KaHyPar, in its deterministic preset, or the clique expansion: the graph in which each
hyperedge e adds 1 / (|e| - 1) to all pairs of its objects. That graph is A A' for the indicator with columns scaled, so
its spectral partition is linear in the number of objects.
"""

from functools import cache
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble
from partita._parameters import StrOptions
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._graph_consensus import GraphConsensus
from partita.consensus.graph._graph_partition import (
    Parts,
    check_installed,
    cut_of_factor,
    imbalances_to_try,
    partition_factor,
    whole_weights,
)

_FEW_PINS = 200_000  # labels of all rows up to which "auto" tries Mt-KaHyPar: 20,000 rows take it five seconds or more


class HGPA(GraphConsensus):
    """Hypergraph partitioning.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    partitioner : {"auto", "kahypar", "clique"}, default="auto"
        Who partitions the hypergraph. Mt-KaHyPar balances the clusters and needs the extra ``graph``; without it the
        spectral partition of the clique expansion takes its place. "auto" keeps the better of the two, by the
        normalised cut of the clique expansion; Mt-KaHyPar for up to 200,000 labels in all.
    imbalance : float, default=2.0
        How much larger than the mean Mt-KaHyPar may make a cluster, relatively; 0.05 is the paper's choice.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState or None
        Seed of the partitioner.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
    partitioner_ : str
        "kahypar" or "clique"; "none" if there was nothing to partition.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings and t labels: that of Mt-KaHyPar; the clique expansion r m^2 + t^3.

    References
    ----------
    A. Strehl, J. Ghosh, Cluster ensembles: a knowledge reuse framework for combining multiple partitions, JMLR 3 (2002)
    583-617.

    Examples
    --------
    >>> from partita import HGPA
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> HGPA(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **GraphConsensus._parameter_constraints,
        "partitioner": [StrOptions({"auto", "kahypar", "clique"})],
    }

    def _partition(self, ensemble: Ensemble, n_clusters: int, seed: int) -> Parts:
        size = ensemble.cell_mass / self._object_weight  # in objects
        shared = np.flatnonzero(size > 1)  # a hyperedge with one object is never cut
        if len(shared) == 0:
            shared = np.flatnonzero(size > 0)
        H, counts = sparse.csr_array(ensemble.indicator[:, shared]), ensemble.row_weights
        scale = np.sqrt(ensemble.cell_weights[shared] / np.maximum(size[shared] - 1, 1e-9))
        A = sparse.csr_array(H * scale)
        candidates: list[Parts] = []
        few = len(ensemble.indicator.indices) <= _FEW_PINS
        if self.partitioner == "kahypar" or (self.partitioner == "auto" and few):
            candidates = self._by_kahypar(H, n_clusters, counts, ensemble.cell_weights[shared], seed)
        if self.partitioner != "kahypar" or not candidates:
            parts = partition_factor(A, n_clusters, counts, seed)
            candidates.append(parts._replace(partitioner={"spectral": "clique"}.get(parts.partitioner, "none")))
        return min(candidates, key=lambda parts: cut_of_factor(A, counts, parts.labels, n_clusters))

    def _by_kahypar(
        self, H: Any, n_clusters: int, counts: FloatArray, edge_weight: FloatArray, seed: int
    ) -> list[Parts]:
        small = n_clusters == 1 or H.shape[0] <= n_clusters
        if small or not check_installed("mtkahypar", "kahypar", "clique", self.partitioner):
            return []
        columns = sparse.csc_array(H)
        edges = [columns.indices[lo:hi].tolist() for lo, hi in zip(columns.indptr, columns.indptr[1:], strict=False)]
        run = [
            _kahypar(edges, n_clusters, whole_weights(counts), whole_weights(edge_weight), step, seed)
            for step in imbalances_to_try(self.imbalance)
        ]
        return [Parts(labels, "kahypar") for labels in run]


@cache
def _initialised() -> Any:
    """Mt-KaHyPar starts its threads once a process."""
    import mtkahypar

    return mtkahypar.initialize(1)


def _kahypar(
    edges: list[list[int]], n_parts: int, vertices: IntArray, weights: IntArray, imbalance: float, seed: int
) -> IntArray:
    import mtkahypar

    library = _initialised()
    mtkahypar.set_seed(seed)
    context = library.context_from_preset(mtkahypar.PresetType.DETERMINISTIC)
    context.set_partitioning_parameters(n_parts, imbalance, mtkahypar.Objective.CUT)
    context.logging = False
    n_edges = len(edges)
    graph = library.create_hypergraph(context, len(vertices), n_edges, edges, vertices.tolist(), weights.tolist())
    return np.asarray(graph.partition(context).get_partition(), dtype=np.int64)
