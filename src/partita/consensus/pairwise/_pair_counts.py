"""Counts of pairs of rows for methods that work on whole matrices, dense or sparse."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from partita._memory import ensure_memory
from partita._parameters import Interval, StrOptions
from partita._typing import FloatArray
from partita.base import LabelledRows
from partita.metrics._chosen_pairs import given_pairs
from partita.metrics._coassociation import Coassociation, coassociation, coassociation_of_codes

# What the parameter ``pairs`` may be; its only text is "all".
PAIRS = [StrOptions({"all"}), Interval("int", 1, None), Interval("real", 0, 1), "sparse matrix", "array-like"]


class RowCounts(NamedTuple):
    """C and N between rows as floats, both dense or both sparse, and the weight of each row."""

    counts: Any
    totals: Any
    row_weights: FloatArray

    def similarity(self) -> Any:
        """S = C / N, 0 where N = 0."""
        return Coassociation(self.counts, self.totals).similarity()

    def objects_met(self, *, diagonal: bool) -> Any:
        """How many objects an object of row i meets in row j: w_j, and w_i - 1 in its own row unless with itself."""
        if not isinstance(self.totals, np.ndarray):
            met = self.totals.astype(np.float64)
            met.data = self.row_weights[self.totals.indices]
            return met  # chosen pairs have no diagonal
        met = np.tile(self.row_weights, (len(self.row_weights), 1))
        if not diagonal:
            np.fill_diagonal(met, np.maximum(self.row_weights - 1, 0))
        return met


def count_chosen_pairs(rows: LabelledRows, pairs: Any, seed: int) -> Coassociation:
    """Counts of drawn pairs, or of pairs that the user names by object (eq. P2); rows are objects here.

    Objects that are not among the rows, because they have no label or no weight, have no pairs.
    """
    if not np.isscalar(pairs):
        named = np.column_stack(given_pairs(pairs, len(rows.row_of_object)))
        of_rows = rows.row_of_object[named]
        pairs = of_rows[(of_rows >= 0).all(axis=1)]
    ensemble = rows.ensemble
    return coassociation(
        ensemble.codes, form="pairs", pairs=pairs, weights=ensemble.clustering_weights, random_state=seed
    )


def row_counts(rows: LabelledRows, pairs: Any, seed: int) -> RowCounts:
    """All pairs of rows, dense, or chosen ones, sparse."""
    ensemble = rows.ensemble
    if not isinstance(pairs, str):
        C, N = count_chosen_pairs(rows, pairs, seed)
        return RowCounts(
            sparse.csr_array(C, dtype=np.float64), sparse.csr_array(N, dtype=np.float64), ensemble.row_weights
        )
    n = ensemble.n_rows
    ensure_memory(
        56 * n * n,  # seven matrices of float64: C, N, S, the weights, and what an iteration forms of them
        purpose=f"matrices over all pairs of {n} distinct rows",
        instead="draw a sample: pairs=30.",
    )
    C, N = coassociation_of_codes(ensemble.columns)
    return RowCounts(C.astype(np.float64), np.asarray(N, dtype=np.float64), ensemble.row_weights)


def predicted(S: Any, Y: FloatArray) -> Any:
    """y_i.y_j where S has an entry."""
    if isinstance(S, np.ndarray):
        return Y @ Y.T
    at = S.tocoo()
    data = np.einsum("pk,pk->p", Y[at.coords[0]], Y[at.coords[1]])
    return sparse.csr_array((data, S.indices, S.indptr), shape=S.shape)
