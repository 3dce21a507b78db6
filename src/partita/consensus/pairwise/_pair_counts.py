"""Counts of pairs of rows for methods that work on whole matrices, dense or sparse."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble
from partita._memory import ensure_memory
from partita._parameters import Interval, StrOptions
from partita._typing import FloatArray
from partita.base import LabelledRows
from partita.metrics._chosen_pairs import given_pairs
from partita.metrics._coassociation import Coassociation, coassociation, coassociation_of_codes

# What the parameter ``pairs`` may be; its only text is "all".
PAIRS = [StrOptions({"all"}), Interval("int", 1, None), Interval("real", 0, 1), "sparse matrix", "array-like"]

# Distinct rows above which the starts of methods on all pairs compete on a sample of as many objects: 500 show clusters
# of 2 % of the objects or more, and the starts then cost less than the run on all rows.
SAMPLE_OF_PAIRS = 500


def sample_of_pairs(ensemble: Ensemble, seed: int) -> Ensemble:
    """Distinct rows of a sample of objects."""
    share = ensemble.row_weights / ensemble.row_weights.sum()
    return ensemble.sample(np.random.default_rng(seed).multinomial(SAMPLE_OF_PAIRS, share).astype(np.int64))


class RowCounts(NamedTuple):
    """C and N between rows as floats, both dense or both sparse, and the weight of each row."""

    counts: Any
    totals: Any
    row_weights: FloatArray

    def similarity(self) -> Any:
        """S = C / N, 0 where N = 0."""
        return Coassociation(self.counts, self.totals).similarity()

    def without_self(self, matrix: Any) -> Any:
        """The matrix of pairs, in place, such that an object of row i meets w_i - 1 of its own row, and not itself."""
        if isinstance(matrix, np.ndarray):  # chosen pairs have no diagonal
            w = self.row_weights
            matrix.flat[:: len(matrix) + 1] *= np.maximum(w - 1, 0) / w
        return matrix


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
    if isinstance(pairs, str):
        return all_counts(rows.ensemble)
    C, N = count_chosen_pairs(rows, pairs, seed)
    return RowCounts(
        sparse.csr_array(C, dtype=np.float64), sparse.csr_array(N, dtype=np.float64), rows.ensemble.row_weights
    )


def all_counts(ensemble: Ensemble) -> RowCounts:
    """All pairs of rows, dense."""
    n = ensemble.n_rows
    ensure_memory(
        56 * n * n,  # seven matrices of float64: C, N, S, the weights, and what an iteration forms of them
        purpose=f"matrices over all pairs of {n} distinct rows",
        instead="draw a sample: pairs=30.",
    )
    C, N = coassociation_of_codes(ensemble.columns)
    return RowCounts(C.astype(np.float64), np.asarray(N, dtype=np.float64), ensemble.row_weights)


# ------------------------------------------------------------------------------------------------ sums over all pairs
_BLOCK = 256  # rows of a block of pairs: its few matrices of 0.5 MB stay in the cache of a core

# (predicted share of each pair, entries of the matrices) -> (its value, its factor), elementwise
PairTerm = Callable[..., tuple[FloatArray, FloatArray]]


class PairSums(NamedTuple):
    """Sums over ordered pairs (i, j), all or chosen: sum_ij w_i w_j value_ij, and (R Z)_i = sum_j R_ij w_j z_j.

    The matrices are symmetric, and so is the factor R: blocks above the diagonal serve both of their sides.
    """

    matrices: tuple[Any, ...]  # what is known of each pair: dense, or sparse with one pattern
    row_weights: FloatArray

    def of(self, term: PairTerm, half: FloatArray, Z: FloatArray) -> tuple[float, FloatArray]:
        """Both sums; ``half`` predicts half_i.half_j for a pair."""
        weighted = self.row_weights[:, None] * Z
        if isinstance(self.matrices[0], np.ndarray):
            return self._of_all(term, half, weighted)
        pattern = self.matrices[0]
        i, j = pattern.tocoo().coords
        a = np.einsum("pk,pk->p", half[i], half[j])
        values, factor = term(a, *(matrix.data for matrix in self.matrices))
        R = sparse.csr_array((factor, pattern.indices, pattern.indptr), shape=pattern.shape)
        return float((self.row_weights[i] * self.row_weights[j]) @ values), np.asarray(R @ weighted)

    def _of_all(self, term: PairTerm, half: FloatArray, weighted: FloatArray) -> tuple[float, FloatArray]:
        n, w = len(half), self.row_weights
        total, product = 0.0, np.zeros(weighted.shape)
        half_t = np.ascontiguousarray(half.T)
        for lo in range(0, n, _BLOCK):
            rows = slice(lo, lo + _BLOCK)
            for start in range(lo, n, _BLOCK):
                others = slice(start, start + _BLOCK)
                values, R = term(half[rows] @ half_t[:, others], *(matrix[rows, others] for matrix in self.matrices))
                value = float(w[rows] @ (values @ w[others]))
                product[rows] += R @ weighted[others]
                if start > lo:
                    value *= 2
                    product[others] += R.T @ weighted[rows]
                total += value
        return total, product
