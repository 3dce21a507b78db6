"""CSPA, MCLA and HBGF for soft clusterings (Punera and Ghosh, 2007): probabilities in the place of indicators.

With S the (n, t) matrix of the probabilities of all clusters:

    SoftCSPA   similarity of objects S S' / M          (missing: over the clusterings that saw both)
    SoftMCLA   similarity of clusters a.b / (|a|^2 + |b|^2 - a.b); association = mean probability in a meta-cluster
    SoftHBGF   edges of the bipartite graph weigh S

On one-hot input they are CSPA, MCLA and HBGF.
"""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from partita._memory import ensure_memory
from partita._parameters import Interval, StrOptions
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._graph_partition import GENEROUS, Parts, partition_factor, partition_graph
from partita.consensus.graph._hbgf import partition_bipartite, spectral_candidates
from partita.consensus.graph._mcla import Clusters, meta_cluster
from partita.consensus.soft._soft_ensemble import Soft, SoftConsensus

_FEW_ROWS = 4000  # objects up to which SoftCSPA holds all pairs, if it can do without

_PARAMETERS = """
    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    partitioner : {"auto", "metis", "spectral"}, default="auto"
        Who partitions the graph, as in :class:`CSPA`.
    imbalance : float, default=2.0
        How much larger than the mean METIS may make a part, relatively; 0.05 is the papers' choice.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState or None
        Seed of the partitioner.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects that no clustering saw.
    n_clusters_ : int
    partitioner_ : str
        "metis" or "spectral"; "none" if there was nothing to partition.
    n_features_in_
        Number of clusterings.

    References
    ----------
    K. Punera, J. Ghosh, Soft cluster ensembles, in Advances in Fuzzy Clustering and its Applications, Wiley 2007,
    69-91.
"""


class _SoftGraph(SoftConsensus):
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SoftConsensus._parameter_constraints,
        "partitioner": [StrOptions({"auto", "metis", "spectral"})],
        "imbalance": [Interval("real", 0, None)],
    }

    partitioner_: str

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        partitioner: Any = "auto",
        imbalance: float = GENEROUS,
        weights: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.partitioner = partitioner
        self.imbalance = imbalance
        self.weights = weights
        self.random_state = random_state

    def _cluster(self, soft: Soft, n_clusters: int, seed: int) -> IntArray:
        parts = self._partition(soft, n_clusters, seed)
        self.partitioner_ = parts.partitioner
        return parts.labels

    def _partition(self, soft: Soft, n_clusters: int, seed: int) -> Parts:
        raise NotImplementedError(f"{type(self).__name__} must implement _partition.")


class SoftCSPA(_SoftGraph):
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

    def _partition(self, soft: Soft, n_clusters: int, seed: int) -> Parts:
        n = len(soft.row_weights)
        if soft.seen.all() and n > _FEW_ROWS and self.partitioner != "metis":
            scale = np.sqrt(soft.cluster_weight / soft.clustering_weights.sum())
            return partition_factor(sparse.csr_array(soft.S * scale), n_clusters, soft.row_weights, seed)
        ensure_memory(24 * n * n, purpose=f"similarities of {n} objects", instead="use SoftHBGF or SoftMCLA.")
        W = soft_similarity(soft) * np.outer(soft.row_weights, soft.row_weights)
        also = []
        if 1 < n_clusters < n:  # as in CSPA
            there = np.flatnonzero(np.asarray(soft.S.T @ soft.row_weights) > 0)
            A = sparse.csr_array(soft.S[:, there] * soft.cluster_weight[there])
            also = [labels[:n] for labels in spectral_candidates(A, n_clusters, soft.row_weights, seed)]
        return partition_graph(
            W,
            n_clusters,
            soft.row_weights,
            partitioner=self.partitioner,
            imbalance=self.imbalance,
            seed=seed,
            also=also,
        )


class SoftMCLA(_SoftGraph):
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

    def _partition(self, soft: Soft, n_clusters: int, seed: int) -> Parts:
        clusters = Clusters(soft.S, soft.seen, soft.column, soft.cluster_weight)
        return meta_cluster(clusters, soft.row_weights, n_clusters, self.partitioner, self.imbalance, seed)


class SoftHBGF(_SoftGraph):
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

    def _partition(self, soft: Soft, n_clusters: int, seed: int) -> Parts:
        there = np.flatnonzero(np.asarray(soft.S.T @ soft.row_weights) > 0)
        A = sparse.csr_array(soft.S[:, there] * soft.cluster_weight[there])
        return partition_bipartite(A, n_clusters, soft.row_weights, self.partitioner, self.imbalance, seed)


def soft_similarity(soft: Soft) -> FloatArray:
    """S S' over the weight of the clusterings that saw both, 0 where there is none."""
    product = (soft.S * soft.cluster_weight) @ soft.S.T
    product = product if isinstance(product, np.ndarray) else product.toarray()
    both = (soft.seen * soft.clustering_weights) @ soft.seen.T.astype(np.float64)
    return np.asarray(np.divide(product, both, out=np.zeros_like(product), where=both > 0))
