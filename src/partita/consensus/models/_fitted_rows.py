"""The rows of a fit, to be found again among new ones.

The bound of a row of BCE can have several maxima, and which one EM followed depends on its path. A row that is equal to
a fitted one therefore starts where the fit left that one (eq. M31).
"""

from typing import NamedTuple

import numpy as np

from partita._labels.ensemble import find_distinct_rows
from partita._typing import Codes, FloatArray, IntArray


class FittedRows(NamedTuple):
    """Labels and features of the distinct rows of a fit, and what was found for them."""

    codes: Codes  # (n_rows, m)
    features: FloatArray  # (n_rows, d), NaN where missing
    gamma: FloatArray  # (n_rows, k)

    def find(self, codes: Codes, features: FloatArray) -> IntArray:
        """Fitted row that each row is equal to, -1 for none."""
        together = np.vstack([self.codes, codes])
        if features.shape[1]:
            values = np.vstack([self.features, features])
            numbered = [np.unique(column, return_inverse=True)[1] for column in values.T]
            together = np.column_stack([together, *numbered]).astype(np.int32)
        distinct = find_distinct_rows(together, together.max(axis=0).astype(np.int64) + 1)
        row = distinct.first[distinct.inverse[len(self.codes) :]]
        return np.where(row < len(self.codes), row, -1)
