"""What the methods that partition a graph share: their parameters, and how rows that took no part are placed."""

from typing import Any, ClassVar

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._parameters import Interval, StrOptions, common
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.graph._balance import BalancedConsensus
from partita.consensus.graph._graph_partition import GENEROUS, GraphPartition, PartitionerSettings
from partita.consensus.graph._whole_weights import in_units


class GraphConsensus(BalancedConsensus):
    """A method that partitions a graph made of the labels; subclasses implement ``_partition``.

    Rows that took no part go where their labels are: to the cluster with the largest sum, over their labels, of its
    share of the objects that have the label (eq. G3).
    """

    _ties_by_codes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("n_clusters", "weights", "random_state", "verbose"),
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

    def _partition(self, rows: LabelledRows, n_clusters: int, settings: PartitionerSettings) -> GraphPartition:
        """Cluster of each row."""
        raise NotImplementedError(f"{type(self).__name__} must implement _partition.")

    def _cut(self, rows: LabelledRows, settings: PartitionerSettings) -> GraphPartition:
        same = rows._replace(ensemble=with_unit_weights(rows.ensemble))
        return self._partition(same, rows.n_clusters, settings)

    def _finish(self, rows: LabelledRows, labels: IntArray) -> Consensus:
        labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        ensemble = with_unit_weights(rows.ensemble)
        mass = ensemble.indicator.T @ (ensemble.row_weights[:, None] * one_hot(labels, int(labels.max()) + 1))
        self._shares = label_shares(mass, ensemble.cell_mass, ensemble.cell_weights)
        return Consensus(labels)

    def _label_rows(self, codes: Codes) -> Array:
        return np.asarray(
            self._placement.encoder.ensemble(codes).sum_over_labels(self._shares).argmax(axis=1), dtype=np.int64
        )


def label_shares(mass: FloatArray, cell_mass: FloatArray, cell_weights: FloatArray) -> FloatArray:
    """Share of each cluster in the objects of each label, by the weight of its clustering, (n_cells, k) (eq. G3).

    ``mass`` is the weight of the objects of each label in each cluster.
    """
    return np.asarray(cell_weights[:, None] * mass / np.maximum(cell_mass, np.finfo(float).tiny)[:, None])


def with_unit_weights(ensemble: Ensemble) -> Ensemble:
    """The same ensemble with weights that do not depend on their scale."""
    row_weights, clustering_weights = in_units(ensemble.row_weights), in_units(ensemble.clustering_weights)
    return Ensemble(ensemble.codes, ensemble.n_labels, clustering_weights, row_weights)
