"""Hypergraph partitioning (Strehl and Ghosh, 2002): every cluster is a hyperedge, and as few as possible are cut.

The papers use hMETIS; here it is Mt-KaHyPar, in its deterministic preset, or the clique expansion: the graph in which
each hyperedge e adds 1 / (|e| - 1) to all pairs of its objects (eq. G15). That graph is A A' for the indicator with
scaled columns, so its spectral partition is linear in the number of objects, and it is the default: its normalised cut
was never above that of Mt-KaHyPar (eq. G42).
"""

from functools import cache, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble
from partita._parameters import StrOptions
from partita._runs import progress
from partita._typing import FloatArray, IntArray
from partita.base import LabelledRows
from partita.consensus.graph._graph_consensus import GraphConsensus
from partita.consensus.graph._graph_partition import (
    GraphPartition,
    PartitionerSettings,
    best_partition,
    check_installed,
    cut_of_factor,
    partition_factor,
)
from partita.consensus.graph._whole_weights import whole_weights

_FEW_PINS = 500  # labels of all rows up to which "auto" runs Mt-KaHyPar as well, in 30 ms: rows may share no label
_LADDER = (0.1, 0.3)  # imbalances that Mt-KaHyPar tries below the allowed one
_LARGEST_STEP = 1.0  # and the largest that it tries: beyond, it cuts off very small parts, and never won (eq. G42)
ROUNDING = 1e-12  # of the size of a hyperedge: what is less is the rounding of one with a single object
SMALLEST_EXCESS = 1e-9  # floor of |e| - 1 where no hyperedge has two objects, against division by zero


class HGPA(GraphConsensus):
    """Hypergraph partitioning.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    partitioner : {"auto", "kahypar", "clique"}, default="auto"
        What partitions the hypergraph. "kahypar", Mt-KaHyPar, balances the clusters and needs the extra ``graph``;
        "clique" is the spectral partition of the clique expansion, and "auto" is the same: on all ensembles that were
        measured it is as good or better, and much faster. Up to 500 labels in all "auto" keeps the better of both.
    imbalance : float, default=2.0
        How much larger than the mean Mt-KaHyPar may make a cluster, relatively; 0.05 is the paper's choice, and more
        than 1 is not tried. Where Mt-KaHyPar is asked for by name, objects with the same labels go to different
        clusters if that needs it.
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
        "kahypar" or "clique"; "none" if there was nothing to partition.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings and t labels: r m^2 + t^3, or up to three partitions by Mt-KaHyPar.

    "clique" counts the objects of a cluster: the one of the smallest positive ``sample_weight`` counts as one. So the
    unit of the weights does not matter, and weight 2 is the object twice where some object has weight 1; weight 2 for
    all objects is each of them once.

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

    def _partition(self, rows: LabelledRows, n_clusters: int, settings: PartitionerSettings) -> GraphPartition:
        ensemble, row_weights = rows.ensemble, rows.ensemble.row_weights
        graph = hypergraph_of(ensemble, float(row_weights.sum()) / settings.n_objects)
        candidates: list[GraphPartition] = []
        tiny = settings.partitioner == "auto" and len(ensemble.row_cells) <= _FEW_PINS
        if settings.partitioner == "kahypar" or tiny:
            candidates = kahypar_partitions(graph, n_clusters, row_weights, settings)
        if settings.partitioner != "kahypar" or not candidates:
            found = partition_factor(graph.factor, n_clusters, row_weights, settings.seed, votes=graph.H)
            kind = "clique" if found.partitioner == "spectral" else "none"
            candidates.append(GraphPartition(found.labels, kind))
        return best_partition(candidates, partial(cut_of_factor, graph.factor, row_weights))


class Hypergraph(NamedTuple):
    """Clusters with more than one object as hyperedges over the rows."""

    H: Any  # sparse (n_rows, n_edges), 1 where a row is in a hyperedge
    edge_weights: FloatArray  # (n_edges,) weight of the clustering
    factor: Any  # A of the clique expansion A A', (n_rows, n_edges)


def hypergraph_of(ensemble: Ensemble, object_weight: float) -> Hypergraph:
    """Hyperedges and their clique expansion; ``object_weight`` is that of one object (eqs. G14, G15)."""
    size = ensemble.cell_mass / object_weight  # in objects
    shared = np.flatnonzero(size - 1 > ROUNDING * size)  # a hyperedge with one object is never cut
    if len(shared) == 0:
        shared = np.flatnonzero(size > 0)
    H, edge_weights = sparse.csr_array(ensemble.indicator[:, shared]), ensemble.cell_weights[shared]
    scale = np.sqrt(edge_weights / np.maximum(size[shared] - 1, SMALLEST_EXCESS))
    return Hypergraph(H, edge_weights, sparse.csr_array(H * scale))


def kahypar_partitions(
    graph: Hypergraph, n_clusters: int, row_weights: FloatArray, settings: PartitionerSettings
) -> list[GraphPartition]:
    """Partitions by Mt-KaHyPar, from strict to generous, with all parts.

    There are none if there is nothing to cut or it is not installed.
    """
    small = n_clusters == 1 or len(row_weights) <= n_clusters
    if small or not check_installed("kahypar", "clique", settings.partitioner):
        return []
    columns = sparse.csc_array(graph.H)
    edges = [columns.indices[lo:hi].tolist() for lo, hi in zip(columns.indptr, columns.indptr[1:], strict=False)]
    vertices, weights = whole_weights(row_weights), whole_weights(graph.edge_weights)
    largest = min(settings.imbalance, _LARGEST_STEP)
    steps = [*(step for step in _LADDER if step < largest), largest]
    found = []
    with progress(len(steps), "Mt-KaHyPar", show=settings.verbose) as bar:
        for imbalance in steps:
            labels = _kahypar(edges, n_clusters, vertices, weights, imbalance, settings.seed)
            found.append(GraphPartition(labels, "kahypar"))
            bar.update(1)
    return [partition for partition in found if len(np.unique(partition.labels)) == n_clusters]


@cache
def _initialised() -> Any:
    """Mt-KaHyPar, whose threads start once per process."""
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
