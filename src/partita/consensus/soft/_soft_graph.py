"""CSPA, HGPA, MCLA and HBGF for soft clusterings (Punera and Ghosh, 2007): probabilities in the place of indicators.

With S the (n, t) matrix of the probabilities of all clusters:

    SoftCSPA   similarity of objects S S' / M, over the clusterings that saw both                          (eq. G22)
    SoftMCLA   similarity of clusters a.b / (|a|^2 + |b|^2 - a.b); association = mean probability          (eq. G23)
    SoftHBGF   edges of the bipartite graph weigh S                                                        (eq. G24)
    SoftHGPA   clique expansion of hyperedges to which objects belong with probabilities S                 (eq. G43)

On one-hot input they are CSPA, MCLA, HBGF and HGPA (eqs. G25, G43).
"""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from partita._memory import ensure_memory
from partita._parameters import Interval, StrOptions, common
from partita._typing import FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.graph._balance import BalancedConsensus
from partita.consensus.graph._cell_memberships import CellMemberships, cell_memberships
from partita.consensus.graph._cspa import FEW_ROWS, candidates_from_cells
from partita.consensus.graph._graph_partition import (
    GENEROUS,
    GraphPartition,
    PartitionerSettings,
    partition_factor,
    partition_graph,
)
from partita.consensus.graph._hbgf import partition_bipartite
from partita.consensus.graph._hgpa import ROUNDING, SMALLEST_EXCESS
from partita.consensus.graph._mcla import meta_cluster
from partita.consensus.graph._whole_weights import number_of_objects
from partita.consensus.soft._soft_consensus import SoftEnsembleConsensus, mean_profiles

_PARAMETERS = """
    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        What partitions the graph, as in :class:`CSPA`.
    imbalance : float, default=2.0
        How much larger than the mean METIS may make a part, relatively; 0.05 is the papers' choice. See :class:`CSPA`.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the partitioner.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects that no clustering saw.
    n_clusters_ : int
        Number of clusters that have objects.
    partitioner_ : str
        "metis" or "spectral"; "none" if there was nothing to partition.
    n_features_in_ : int
        Number of clusterings.
    feature_names_in_
        As in scikit-learn, after a fit on labels.

    References
    ----------
    K. Punera, J. Ghosh, Soft cluster ensembles, in Advances in Fuzzy Clustering and its Applications, Wiley 2007,
    69-91.
"""


class SoftGraphConsensus(SoftEnsembleConsensus, BalancedConsensus):
    """A method that partitions a graph made of soft clusterings; subclasses implement ``_partition``."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SoftEnsembleConsensus._parameter_constraints,
        "partitioner": [StrOptions({"auto", "metis", "spectral"})],
        "imbalance": [Interval("real", 0, None)],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        partitioner: Any = "auto",
        imbalance: float = GENEROUS,
        weights: Any = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.partitioner = partitioner
        self.imbalance = imbalance
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _cluster(self, cells: CellMemberships, n_clusters: int, seed: int) -> IntArray:
        settings = self._settings(seed)._replace(n_objects=number_of_objects(cells.row_weights))  # a row is one
        found = self._partition(cells.in_units(), n_clusters, settings)
        self._name_partitioner(found)
        return found.labels

    def _cut(self, rows: LabelledRows, settings: PartitionerSettings) -> GraphPartition:
        return self._partition(cell_memberships(rows.ensemble).in_units(), rows.n_clusters, settings)

    def _finish(self, rows: LabelledRows, labels: IntArray) -> Consensus:
        numbered = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        self._profiles = mean_profiles(cell_memberships(rows.ensemble), numbered)
        return Consensus(numbered)

    def _partition(self, cells: CellMemberships, n_clusters: int, settings: PartitionerSettings) -> GraphPartition:
        raise NotImplementedError(f"{type(self).__name__} must implement _partition.")


class SoftCSPA(SoftGraphConsensus):
    __doc__ = f"""Similarity partitioning of soft clusterings.
{_PARAMETERS}
    Examples
    --------
    >>> import numpy as np
    >>> from partita import SoftCSPA
    >>> a = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]])
    >>> SoftCSPA(n_clusters=2, random_state=0).fit_predict([a, a[:, ::-1]])
    array([0, 0, 1, 1])
    """

    def _partition(self, cells: CellMemberships, n_clusters: int, settings: PartitionerSettings) -> GraphPartition:
        n, row_weights = cells.n_rows, cells.row_weights
        if cells.seen.all() and n > FEW_ROWS and settings.partitioner != "metis":
            scale = np.sqrt(cells.cell_weights / cells.clustering_weights.sum())
            return partition_factor(sparse.csr_array(cells.H * scale), n_clusters, row_weights, settings.seed)
        ensure_memory(24 * n * n, purpose=f"similarities of {n} objects", instead="use SoftHBGF or SoftMCLA.")
        W = soft_similarity(cells) * np.outer(row_weights, row_weights)
        also = candidates_from_cells(cells, n_clusters, settings.seed)
        return partition_graph(W, n_clusters, row_weights, settings, also)


class SoftMCLA(SoftGraphConsensus):
    __doc__ = f"""Meta-clustering of soft clusterings.
{_PARAMETERS}
    Examples
    --------
    >>> import numpy as np
    >>> from partita import SoftMCLA
    >>> a = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]])
    >>> SoftMCLA(n_clusters=2, random_state=0).fit_predict([a, a[:, ::-1]])
    array([0, 0, 1, 1])
    """

    _balances_objects: ClassVar[bool] = False  # its parts are clusters of labels

    def _partition(self, cells: CellMemberships, n_clusters: int, settings: PartitionerSettings) -> GraphPartition:
        return meta_cluster(cells, n_clusters, settings)


class SoftHBGF(SoftGraphConsensus):
    __doc__ = f"""Bipartite graph partitioning of soft clusterings.
{_PARAMETERS}
    Examples
    --------
    >>> import numpy as np
    >>> from partita import SoftHBGF
    >>> a = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]])
    >>> SoftHBGF(n_clusters=2, random_state=0).fit_predict([a, a[:, ::-1]])
    array([0, 0, 1, 1])
    """

    def _partition(self, cells: CellMemberships, n_clusters: int, settings: PartitionerSettings) -> GraphPartition:
        return partition_bipartite(cells.bipartite_edges(), n_clusters, cells.row_weights, settings)


class SoftHGPA(SoftGraphConsensus):
    """Hypergraph partitioning of soft clusterings, through the clique expansion.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the partitioner.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects that no clustering saw.
    n_clusters_ : int
        Number of clusters that have objects.
    partitioner_ : str
        "clique"; "none" if there was nothing to partition.
    n_features_in_ : int
        Number of clusterings.
    feature_names_in_
        As in scikit-learn, after a fit on labels.

    Notes
    -----
    Every cluster is a hyperedge to which objects belong in part. Each spreads over the pairs of its objects, so that
    what an object gets is on average its probability; on labels this is ``HGPA(partitioner="clique")``. Mt-KaHyPar has
    no hyperedges with fractions of vertices, and is not used. Cost n t^2 + t^3 with t clusters in all clusterings.
    ``sample_weight`` counts as in :class:`HGPA`: the lightest object is one.

    References
    ----------
    K. Punera, J. Ghosh, Soft cluster ensembles, in Advances in Fuzzy Clustering and its Applications, Wiley 2007,
    69-91.

    Examples
    --------
    >>> import numpy as np
    >>> from partita import SoftHGPA
    >>> a = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]])
    >>> SoftHGPA(n_clusters=2, random_state=0).fit_predict([a, a[:, ::-1]])
    array([0, 0, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = common("n_clusters", "weights", "random_state", "verbose")

    partitioner: Any = "clique"  # no parameter: there is no other
    imbalance: float = GENEROUS

    def __init__(
        self, n_clusters: int = 8, *, weights: Any = None, random_state: Any = None, verbose: bool | int = False
    ) -> None:
        self.n_clusters = n_clusters
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _partition(self, cells: CellMemberships, n_clusters: int, settings: PartitionerSettings) -> GraphPartition:
        A, H = clique_factor(cells, float(cells.row_weights.sum()) / settings.n_objects)
        found = partition_factor(A, n_clusters, cells.row_weights, settings.seed, votes=H)
        return GraphPartition(found.labels, "clique" if found.partitioner == "spectral" else "none")


def clique_factor(cells: CellMemberships, object_weight: float) -> tuple[Any, Any]:
    """A of the clique expansion A A', and the memberships in its hyperedges (eq. G43)."""
    H = sparse.csr_array(cells.H)
    size = np.asarray(H.T @ cells.row_weights) / object_weight
    square = np.asarray(H.multiply(H).T @ cells.row_weights) / object_weight
    excess = size - np.divide(square, size, out=np.zeros_like(size), where=size > 0)
    shared = np.flatnonzero(excess > ROUNDING * size)  # a hyperedge with one object is never cut
    if len(shared) == 0:
        shared = np.flatnonzero(size > 0)
    H, scale = H[:, shared], np.sqrt(cells.cell_weights[shared] / np.maximum(excess[shared], SMALLEST_EXCESS))
    return sparse.csr_array(H * scale), H


def soft_similarity(cells: CellMemberships) -> FloatArray:
    """S S' over the weight of the clusterings that saw both, 0 where there is none: (n, n)."""
    product = (cells.H * cells.cell_weights) @ cells.H.T
    product = product if isinstance(product, np.ndarray) else product.toarray()
    both = (cells.seen * cells.clustering_weights) @ cells.seen.T.astype(np.float64)
    return np.asarray(np.divide(product, both, out=np.zeros_like(product), where=both > 0))
