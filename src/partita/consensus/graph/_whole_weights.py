"""Weights for partitioners: of any size in, in units of the lightest or as whole numbers out.

Graph methods depend on ratios of weights alone. Partitioners take whole numbers, add them in 32 or 64 bits and check
nothing: what they get is made here, with bounded totals (eq. G7).
"""

from typing import Any

import numpy as np
from scipy import sparse

from partita._typing import FloatArray, IntArray

# Sum of the weights of vertices, and of hyperedges. METIS divides by 20 and by numbers of vertices in whole numbers,
# so a small sum makes it lose parts; it multiplies by 3, and a larger sum would not fit 32 bits.
_TOTAL = 1e8
_EDGE = 10_000  # whole weight of the heaviest edge for METIS: similarities keep four digits
_ALL_EDGES = 1e9  # largest sum of whole edges: METIS may add in 32 bits, up to 2.1e9
_WIDEST = 2.0**53  # largest ratio of two weights that is kept: beyond, a sum does not see the lighter one


def in_units(weights: FloatArray) -> FloatArray:
    """Weights divided by the smallest positive one: equal weights become 1, and whole numbers stay what they are.

    Weights below 2^-53 of the largest count as that share of it, so that no product of weights is 0 or infinite.
    """
    positive = weights > 0
    largest = weights.max()
    smallest = max(weights[positive].min(), largest / _WIDEST)
    return np.where(positive, np.maximum(weights / smallest, 1.0), 0.0)


def number_of_objects(sample_weight: FloatArray) -> float:
    """How many objects there are if the lightest one that has a weight counts as one.

    Weights that are whole numbers are then numbers of copies if one of them is 1, objects without weight do not count,
    and the unit does not matter (eq. G2).
    """
    return float(in_units(sample_weight).sum())


def whole_weights(weights: FloatArray) -> IntArray:
    """Weights as whole numbers that sum to 10^8; positive ones are at least 1."""
    share = weights / weights.max()
    scaled = np.rint(share * (_TOTAL / share.sum()))
    return np.where(weights > 0, np.maximum(scaled, 1), 0).astype(np.int64)


def whole_graph(W: Any) -> Any:
    """A graph for METIS: symmetric to the last bit, whole and positive weights, no diagonal."""
    upper = sparse.csr_array(sparse.triu(W, 1), dtype=np.float64)
    upper.eliminate_zeros()
    if not np.isfinite(upper.data).all() or (upper.data < 0).any():
        raise ValueError("a graph for METIS has an edge whose weight is not a finite number above 0.")
    if 2 * upper.nnz > _ALL_EDGES:
        raise ValueError(f"a graph of {upper.nnz} edges is too large for METIS; pass partitioner='spectral'.")
    heaviest = upper.data.max(initial=0.0)
    if heaviest > 0:
        share = upper.data / heaviest
        scale = min(_EDGE, _ALL_EDGES / (2 * share.sum()))
        upper.data = np.maximum(np.rint(share * scale), 1)
    return sparse.csr_array(upper + upper.T)
