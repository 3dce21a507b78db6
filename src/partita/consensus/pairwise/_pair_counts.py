"""Counts of pairs of rows for methods that work on whole matrices, dense or sparse."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from partita._memory import ensure_memory
from partita._typing import FloatArray
from partita.base import LabelledRows
from partita.metrics._chosen_pairs import given_pairs
from partita.metrics._coassociation import Coassociation, coassociation, coassociation_of_codes


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


def all_pairs(pairs: Any) -> bool:
    """Whether the parameter ``pairs`` asks for all of them."""
    return isinstance(pairs, str) and pairs == "all"


def count_chosen_pairs(rows: LabelledRows, pairs: Any, seed: int) -> Coassociation:
    """Counts of drawn pairs, or of pairs that the user names by object; rows are objects here.

    Objects that are not among the rows, for want of a label or of weight, have no pairs.
    """
    if not np.isscalar(pairs):
        named = np.column_stack(given_pairs(pairs, len(rows.row_of_object)))
        of_rows = rows.row_of_object[named]
        pairs = of_rows[(of_rows >= 0).all(axis=1)]
    ensemble = rows.ensemble
    return coassociation(
        ensemble.codes, form="pairs", pairs=pairs, weights=ensemble.clustering_weights, random_state=seed
    )


def count_rows_of(rows: LabelledRows, pairs: Any, seed: int) -> RowCounts:
    """All pairs of rows, dense, or chosen ones, sparse."""
    ensemble = rows.ensemble
    if not all_pairs(pairs):
        C, N = count_chosen_pairs(rows, pairs, seed)
        return RowCounts(
            sparse.csr_array(C, dtype=np.float64), sparse.csr_array(N, dtype=np.float64), ensemble.row_weights
        )
    n = ensemble.n_rows
    ensure_memory(
        56 * n * n, purpose=f"matrices over all pairs of {n} distinct rows", instead="draw a sample: pairs=30."
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
