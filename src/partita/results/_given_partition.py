"""A partition that the user has, in the place of a consensus: what the ensemble says of it."""

from typing import Any, ClassVar

import numpy as np

from partita._features import check_lengths
from partita._labels.ensemble import have_a_label
from partita._labels.validation import LabelMatrix, check_labels
from partita._typing import Array, Codes, FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows
from partita.consensus._outside import speak_for


class GivenPartition(BaseConsensus):
    """Takes its clusters as they are given; new objects join the cluster for which their labels speak (eq. I73).

    Parameters
    ----------
    partition : array-like of shape (n_samples,)
        Cluster of each object; -1 = none.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"partition": "no_validation", "weights": "no_validation"}

    def __init__(self, partition: Any, *, weights: Any = None) -> None:
        self.partition = partition
        self.weights = weights

    def _one_row_per_object(self) -> bool:
        return True  # objects with equal labels may be in different clusters

    def _fit_matrix(self, matrix: LabelMatrix, sample_weight: FloatArray) -> None:
        self._codes = check_labels(self.partition, "labels")
        check_lengths(len(matrix.codes), len(self._codes))
        super()._fit_matrix(matrix, sample_weight)

    def _have_evidence(self, codes: Codes) -> Array:
        return np.asarray(have_a_label(codes) & (self._codes >= 0))

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        in_a_row = np.flatnonzero(rows.row_of_object >= 0)
        labels = np.empty(rows.ensemble.n_rows, dtype=np.int64)
        labels[rows.row_of_object[in_a_row]] = self._codes[in_a_row]
        self._ensemble, self._row_labels = rows.ensemble, np.unique(labels, return_inverse=True)[1]
        return Consensus(self._row_labels)

    def _label_rows(self, codes: Codes) -> Array:
        return speak_for(self._ensemble, self._row_labels, codes)
