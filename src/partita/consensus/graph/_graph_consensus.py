"""What the methods that partition a graph share: their parameters, and how rows that took no part are placed."""

from typing import Any, ClassVar

import numpy as np

from partita._labels.membership import one_hot
from partita._parameters import Interval, StrOptions, common
from partita._runs import draw_seeds
from partita._typing import Array, Codes, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows
from partita.consensus.graph._graph_partition import GENEROUS, GraphPartition, PartitionerSettings


class GraphConsensus(BaseConsensus):
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

    partitioner_: str

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

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        seed = int(draw_seeds(self.random_state, 1)[0])
        settings = PartitionerSettings(self.partitioner, self.imbalance, seed, bool(self.verbose))
        found = self._partition(rows, min(self.n_clusters, ensemble.n_rows), settings)
        self.partitioner_ = found.partitioner
        labels: IntArray = np.unique(found.labels, return_inverse=True)[1].astype(np.int64)
        mass = ensemble.indicator.T @ (ensemble.row_weights[:, None] * one_hot(labels, int(labels.max()) + 1))
        self._shares = (
            ensemble.cell_weights[:, None] * mass / np.maximum(ensemble.cell_mass, np.finfo(float).tiny)[:, None]
        )
        return Consensus(labels)

    def _label_rows(self, codes: Codes) -> Array:
        return np.asarray(
            self._placement.encoder.ensemble(codes).sum_over_labels(self._shares).argmax(axis=1), dtype=np.int64
        )
