"""What the methods that partition a graph share: their parameters, and how rows that took no part are placed."""

from typing import Any, ClassVar

import numpy as np

from partita._ensemble import Ensemble
from partita._parameters import Interval, StrOptions
from partita._random import draw_seeds
from partita._typing import Array, Codes, IntArray
from partita.base import BaseConsensus, Consensus, Rows
from partita.consensus._graph_partition import GENEROUS, Parts
from partita.consensus._indicator import Indicator, indicator, sum_over_labels


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

    def _partition(self, ensemble: Ensemble, of: Indicator, n_clusters: int, seed: int) -> Parts:
        """Cluster of each row."""
        raise NotImplementedError(f"{type(self).__name__} must implement _partition.")

    def _fit_rows(self, rows: Rows) -> Consensus:
        ensemble = rows.ensemble
        of = indicator(ensemble)
        self._object_weight = float(ensemble.counts.sum() / rows.n_objects.sum())
        seed = int(draw_seeds(self.random_state, 1)[0])
        parts = self._partition(ensemble, of, min(self.n_clusters, len(ensemble.codes)), seed)
        self.partitioner_ = parts.partitioner
        labels: IntArray = np.unique(parts.labels, return_inverse=True)[1].astype(np.int64)
        mass = of.H.T @ (ensemble.counts[:, None] * np.eye(int(labels.max()) + 1)[labels])
        self._shares = of.cell_weight[:, None] * mass / np.maximum(of.size, np.finfo(float).tiny)[:, None]
        return Consensus(labels)

    def _label_rows(self, codes: Codes) -> Array:
        return np.asarray(sum_over_labels(codes, self._used_n_labels, self._shares).argmax(axis=1), dtype=np.int64)
