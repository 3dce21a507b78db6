"""Counts of pairs of rows for methods that work on whole matrices, dense or sparse."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from partita._coassociation import Coassociation, coassociation, coassociation_of_codes
from partita._ensemble import Ensemble, group_columns
from partita._memory import ensure_memory
from partita._typing import FloatArray


class RowCounts(NamedTuple):
    """C and N between rows as floats, both dense or both sparse, and the weight of each row."""

    counts: Any
    totals: Any
    weight: FloatArray

    def similarity(self) -> Any:
        """S = C / N, 0 where N = 0."""
        return Coassociation(self.counts, self.totals).similarity()

    def multiplicity(self, *, diagonal: bool) -> Any:
        """How many objects j an object of row i meets in row j: w_j, and w_i - 1 in its own row unless with itself."""
        if not isinstance(self.totals, np.ndarray):
            met = self.totals.astype(np.float64)
            met.data = self.weight[self.totals.indices]
            return met  # chosen pairs have no diagonal
        met = np.tile(self.weight, (len(self.weight), 1))
        if not diagonal:
            np.fill_diagonal(met, np.maximum(self.weight - 1, 0))
        return met


def count_rows_of(ensemble: Ensemble, pairs: Any, seed: int) -> RowCounts:
    """All pairs of rows, dense, or chosen ones, sparse."""
    if not (isinstance(pairs, str) and pairs == "all"):
        C, N = coassociation(ensemble.codes, form="pairs", pairs=pairs, weights=ensemble.weights, random_state=seed)
        return RowCounts(sparse.csr_array(C, dtype=np.float64), sparse.csr_array(N, dtype=np.float64), ensemble.counts)
    n = len(ensemble.codes)
    ensure_memory(
        56 * n * n, purpose=f"matrices over all pairs of {n} distinct rows", instead="draw a sample: pairs=30."
    )
    C, N = coassociation_of_codes(group_columns(ensemble.codes, ensemble.n_labels, ensemble.weights))
    return RowCounts(C.astype(np.float64), np.asarray(N, dtype=np.float64), ensemble.counts)
