"""The clusterings of an ensemble as distinct rows of codes, each with its number of objects."""

from typing import Any, NamedTuple

import numpy as np

from partita._features import check_lengths
from partita._labels.ensemble import find_distinct_rows
from partita._labels.validation import LabelMatrix, check_label_matrix, check_labels
from partita._typing import Codes, FloatArray, IntArray
from partita.metrics._agreement_matrix import agreement_matrix


class Clusterings(NamedTuple):
    """Distinct rows of the labels that were read."""

    matrix: LabelMatrix
    codes: Codes  # (n_rows, m), -1 = missing
    n_objects: IntArray  # (n_rows,) objects with this row

    @property
    def names(self) -> list[str]:
        """Names of the clusterings that have a label."""
        return self.matrix.names

    def agreement(self) -> tuple[FloatArray, FloatArray]:
        """NMI and adjusted Rand index of every two clusterings on the objects that both label; NaN if there is none."""
        return agreement_matrix(self.codes, self.n_objects, "nmi"), agreement_matrix(self.codes, self.n_objects)


def read_clusterings(X: Any) -> Clusterings:
    """Any label matrix as weighted distinct rows: objects with the same labels are one row."""
    matrix = check_label_matrix(X)
    found = find_distinct_rows(matrix.codes, matrix.n_labels)
    return Clusterings(matrix, np.ascontiguousarray(matrix.codes[found.first]), found.n_objects)


def check_partition(labels: Any, n_objects: int, name: str) -> Codes:
    """Codes of a partition of the same objects."""
    codes = check_labels(labels, name)
    check_lengths(n_objects, len(codes), name)
    if (codes < 0).all():
        raise ValueError(f"none of the {len(codes)} objects has a label in {name}; pass at least one.")
    return codes
