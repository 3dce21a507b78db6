"""The rows of a fit, to be found again among new ones.

The bound of a row of BCE can have several maxima, and which one EM followed depends on its path. A row that is equal to
a fitted one therefore starts where the fit left that one (eq. M31).
"""

from typing import NamedTuple

import numpy as np

from partita._labels.ensemble import match_rows
from partita._typing import Codes, FloatArray, IntArray


class FittedRows(NamedTuple):
    """Labels and features of the distinct rows of a fit, and what was found for them."""

    codes: Codes  # (n_rows, m)
    features: FloatArray  # (n_rows, d), NaN where missing
    gamma: FloatArray  # (n_rows, k)

    def find(self, codes: Codes, features: FloatArray) -> IntArray:
        """Fitted row that each row is equal to, -1 for none."""
        if not features.shape[1]:
            return match_rows(self.codes, codes)
        values = np.vstack([self.features, features])
        numbered = [np.unique(column, return_inverse=True)[1] for column in values.T]
        together = np.column_stack([np.vstack([self.codes, codes]), *numbered]).astype(np.int32)
        return match_rows(together[: len(self.codes)], together[len(self.codes) :])
