"""What the methods that partition a graph share: their parameters, and how rows that took no part are placed."""

from typing import Any, ClassVar

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._parameters import Interval, StrOptions
from partita._runs import draw_seeds
from partita._typing import Array, Codes, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows
from partita.consensus.graph._graph_partition import GENEROUS, Parts


class GraphConsensus(BaseConsensus):
    """A method that partitions a graph made of the labels; subclasses implement ``_partition``.

    Rows without weight go where their labels are: to the cluster with the largest mean share of their labels.
    """

    _ties_by_codes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval("int", 1, None)],
        "partitioner": [StrOptions({"auto", "metis", "spectral"})],
        "imbalance": [Interval("real", 0, None)],
        "weights": ["array-like", None],
        "random_state": ["random_state"],
    }

    partitioner_: str
    _object_weight = 1.0  # mean weight of an object

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

    def _partition(self, ensemble: Ensemble, n_clusters: int, seed: int) -> Parts:
        """Cluster of each row."""
        raise NotImplementedError(f"{type(self).__name__} must implement _partition.")

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        self._object_weight = float(ensemble.row_weights.sum() / rows.n_objects.sum())
        seed = int(draw_seeds(self.random_state, 1)[0])
        parts = self._partition(ensemble, min(self.n_clusters, ensemble.n_rows), seed)
        self.partitioner_ = parts.partitioner
        labels: IntArray = np.unique(parts.labels, return_inverse=True)[1].astype(np.int64)
        mass = ensemble.indicator.T @ (ensemble.row_weights[:, None] * np.eye(int(labels.max()) + 1)[labels])
        self._shares = (
            ensemble.cell_weights[:, None] * mass / np.maximum(ensemble.cell_mass, np.finfo(float).tiny)[:, None]
        )
        return Consensus(labels)

    def _label_rows(self, codes: Codes) -> Array:
        return np.asarray(
            self._placement.encoder.ensemble(codes).sum_over_labels(self._shares).argmax(axis=1), dtype=np.int64
        )
