"""Cluster-based similarity partitioning (Strehl and Ghosh, 2002): the co-association is a graph, and is partitioned.

    W_ij = C_ij / N_ij, the share of clusterings (among those that label both) that put i and j together (eq. G12).

Without missing labels W = H H' / M for the indicator H, so that spectral partitioning needs no n x n matrix. With them,
N_ij is replaced by its expectation N_i N_j / M where there are too many rows for a matrix (eq. G13).
"""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble
from partita._parameters import Interval, StrOptions
from partita._typing import IntArray
from partita.base import LabelledRows
from partita.consensus.graph._cell_memberships import CellMemberships, cell_memberships
from partita.consensus.graph._graph_consensus import GraphConsensus
from partita.consensus.graph._graph_partition import (
    GENEROUS,
    GraphPartition,
    PartitionerSettings,
    partition_factor,
    partition_graph,
)
from partita.consensus.graph._hbgf import spectral_candidates
from partita.metrics._coassociation import coassociation, coassociation_of_codes
from partita.metrics._label_factor import through_labels

FEW_ROWS = 4000  # distinct rows up to which all pairs are edges: a matrix of 128 MB
_PAIRS = 50  # pairs per row that are drawn for METIS beyond: more cost time, fewer lose small clusters


class CSPA(GraphConsensus):
    """Cluster-based similarity partitioning.

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
    pairs : "auto", "all", float or int, default="auto"
        Which pairs of distinct rows are edges, as in :func:`partita.coassociation`. "auto": all pairs of up to 4,000
        rows. For more rows also all pairs, but through the labels, where N_ij is replaced by its expectation if labels
        are missing; with partitioner="metis" 50 pairs per row, drawn at random.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the partitioner and of drawn pairs.
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
    Cost with r distinct rows, m clusterings and t labels: r^2 m for all pairs; r m + t^3 through the labels.

    References
    ----------
    A. Strehl, J. Ghosh, Cluster ensembles: a knowledge reuse framework for combining multiple partitions, JMLR 3 (2002)
    583-617.

    Examples
    --------
    >>> from partita import CSPA
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> CSPA(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **GraphConsensus._parameter_constraints,
        "pairs": [StrOptions({"auto", "all"}), Interval("int", 1, None), Interval("real", 0, 1)],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        partitioner: Any = "auto",
        imbalance: float = GENEROUS,
        pairs: Any = "auto",
        weights: Any = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        super().__init__(
            n_clusters,
            partitioner=partitioner,
            imbalance=imbalance,
            weights=weights,
            random_state=random_state,
            verbose=verbose,
        )
        self.pairs = pairs

    def _partition(self, rows: LabelledRows, n_clusters: int, settings: PartitionerSettings) -> GraphPartition:
        ensemble, n = rows.ensemble, rows.ensemble.n_rows
        pairs = self.pairs
        if not isinstance(pairs, str) and pairs >= n - 1:
            pairs = "all"
        if pairs == "auto":
            if n > FEW_ROWS and self.partitioner != "metis":
                return partition_factor(through_labels(ensemble), n_clusters, ensemble.row_weights, settings.seed)
            pairs = "all" if n <= FEW_ROWS else _PAIRS
        W = _similarity(ensemble, pairs, settings.seed)
        also = candidates_from_cells(cell_memberships(ensemble), n_clusters, settings.seed)
        return partition_graph(W, n_clusters, ensemble.row_weights, settings, also)


def candidates_from_cells(cells: CellMemberships, n_clusters: int, seed: int) -> list[IntArray]:
    """Clusters of the rows from the bipartite graph of rows and cells.

    Where one cluster is far larger than the others, k-means on the rows of W misses good cuts that these find.
    """
    if not 1 < n_clusters < cells.n_rows:
        return []
    found = spectral_candidates(cells.bipartite_edges(), n_clusters, cells.row_weights, seed)
    return [labels[: cells.n_rows] for labels in found]


def _similarity(ensemble: Ensemble, pairs: Any, seed: int) -> Any:
    """W between rows, times their weights: what the edges between their objects sum to."""
    w = ensemble.row_weights
    if isinstance(pairs, str):
        counted = coassociation_of_codes(ensemble.columns)
        return sparse.csr_array(counted.similarity() * np.outer(w, w))
    counted = coassociation(
        ensemble.codes, form="pairs", pairs=pairs, weights=ensemble.clustering_weights, random_state=seed
    )
    scale = sparse.diags_array(w)
    return sparse.csr_array(scale @ counted.similarity() @ scale)
