"""Methods whose answer depends on the number of objects, in a limit on the number of clusters or in a sample.

An object of weight 0 has no influence. If it has the labels of others it shares their row, and is labelled with them,
but it is not counted.
"""

import numpy as np

from partita._labels.validation import LabelMatrix
from partita._typing import FloatArray, IntArray
from partita.base import BaseConsensus, LabelledRows


class CountsObjects(BaseConsensus):
    """``rows.n_objects`` counts the objects that have a weight."""

    def _open(self, matrix: LabelMatrix, sample_weight: FloatArray, *, is_part: bool = False) -> LabelledRows:
        rows = super()._open(matrix, sample_weight, is_part=is_part)
        counted = rows.row_of_object[(rows.row_of_object >= 0) & (sample_weight > 0)]
        return rows._replace(n_objects=np.bincount(counted, minlength=rows.ensemble.n_rows))


def objects_of_rows(rows: LabelledRows) -> IntArray:
    """Objects in each row, whatever their weight: as many leaves does it have in a tree over the objects."""
    return np.bincount(rows.row_of_object[rows.row_of_object >= 0], minlength=rows.ensemble.n_rows)
