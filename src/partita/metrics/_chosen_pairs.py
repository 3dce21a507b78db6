"""Co-association of chosen pairs of objects: pairs that the caller names, or pairs drawn at random."""

from typing import Any

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble
from partita._memory import ensure_memory
from partita._runs import draw_seeds
from partita._stopping import check_stop
from partita._typing import Array, IntArray

_BYTES_PER_PAIR = 64  # rough upper estimate: two ranks, two objects, counts, and both places in the sparse matrices
_PAIRS = 2**22  # pairs that are looked at between two looks at the limits of time: some tenths of a second


def count_named_or_drawn(ensemble: Ensemble, pairs: Any, random_state: Any) -> tuple[Any, Any]:
    """C and N of chosen pairs with N > 0, as two symmetric CSR matrices of one pattern without a diagonal."""
    n = ensemble.n_rows
    if hasattr(pairs, "tocsr") or not np.isscalar(pairs):
        left, right = given_pairs(pairs, n)
    else:
        left, right = _draw_pairs(ensemble, _number_of_pairs(pairs, n), random_state)
    counts, totals = _count_pairs(ensemble, left, right)
    check_stop()
    known = totals > 0
    left, right, counts, totals = left[known], right[known], counts[known], totals[known]
    # One pattern for C and N: the matrix is built once with the number of each pair as its entry.
    both = (np.concatenate([left, right]), np.concatenate([right, left]))
    check_stop()
    pattern = sparse.coo_array((np.tile(np.arange(len(left)), 2), both), shape=(n, n)).tocsr()
    pattern.sort_indices()
    return (
        sparse.csr_array((counts[pattern.data], pattern.indices, pattern.indptr), shape=(n, n)),
        sparse.csr_array((totals[pattern.data], pattern.indices, pattern.indptr), shape=(n, n)),
    )


def given_pairs(pairs: Any, n: int) -> tuple[Array, Array]:
    """Left and right objects of the pairs that the caller names, each pair once, left < right."""
    if hasattr(pairs, "tocsr"):
        if pairs.shape != (n, n):
            raise ValueError(f"pairs has shape {pairs.shape}; a sparse pair set must be ({n}, {n}).")
        pairs = np.column_stack(pairs.nonzero())
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"pairs has shape {pairs.shape} and dtype {pairs.dtype}; pass a share (float), a number per object (int), "
            "an integer array of shape (n_pairs, 2), or a sparse (n, n) matrix."
        )
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= n):
        wrong = pairs.max() if pairs.max() >= n else pairs.min()
        raise ValueError(f"pairs names object {wrong}; objects are numbered 0..{n - 1}.")
    low, high = pairs.min(axis=1).astype(np.int64), pairs.max(axis=1).astype(np.int64)
    key = np.unique((low * n + high)[low != high])
    return (key // n).astype(np.int32), (key % n).astype(np.int32)


def unrank_pairs(rank: IntArray, n: int) -> tuple[Array, Array]:
    """Pair (i, j), i < j, whose place in row-major order of the strict upper triangle is ``rank``."""
    row_start = np.arange(n, dtype=np.int64)
    row_start = row_start * (2 * n - row_start - 1) // 2
    left = np.searchsorted(row_start, rank, side="right") - 1
    right = rank - row_start[left] + left + 1
    return left.astype(np.int32), right.astype(np.int32)


def _count_pairs(ensemble: Ensemble, left: Array, right: Array) -> tuple[Array, Array]:
    from partita._kernels import agreement

    dtype = ensemble.columns.count_type
    counts, totals = np.empty(len(left), dtype=dtype), np.empty(len(left), dtype=dtype)
    agreement.count_pairs(ensemble.codes, ensemble.clustering_weights.astype(dtype), left, right, counts, totals)
    return counts, totals


def _number_of_pairs(pairs: Any, n: int) -> int:
    n_all = n * (n - 1) // 2
    if isinstance(pairs, float | np.floating):
        if not 0 < pairs <= 1:
            raise ValueError(
                f"pairs={pairs} as a share of all pairs must be in (0, 1]; pass an int for a number per object."
            )
        return max(1, round(pairs * n_all))
    if isinstance(pairs, bool) or not isinstance(pairs, int | np.integer) or pairs < 1:
        raise ValueError(f"pairs={pairs!r} pairs per object must be a whole number, at least 1.")
    return min(int(pairs) * n // 2, n_all)


def _draw_pairs(ensemble: Ensemble, n_pairs: int, random_state: Any) -> tuple[Array, Array]:
    """Draw distinct unordered pairs with N > 0 uniformly, as many as asked for or as there are."""
    n = ensemble.n_rows
    rng = np.random.default_rng(draw_seeds(random_state, 1)[0])
    n_all = n * (n - 1) // 2
    ensure_memory(
        _BYTES_PER_PAIR * n_pairs,
        purpose=f"a sample of {n_pairs} pairs",
        instead="draw fewer pairs, or use form='blocks'.",
    )
    drawn, known = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    while len(known) < n_pairs and 3 * len(drawn) < n_all:
        share = max(len(known), 1) / max(len(drawn), 1)  # of the drawn ones that have N > 0
        more = rng.integers(n_all, size=min(n_all, int(1.1 * (n_pairs - len(known)) / share) + 8))
        fresh = np.setdiff1d(_distinct(more), drawn, assume_unique=True)
        check_stop()
        drawn = np.concatenate([drawn, fresh])
        known = np.concatenate([known, _with_common_labels(ensemble, fresh)])
    if len(known) < n_pairs:  # a third of all pairs was drawn and is not enough: go through all
        known = _with_common_labels(ensemble, rng.permutation(n_all))[:n_pairs]
        return unrank_pairs(np.sort(known), n)
    check_stop()
    chosen = np.sort(rng.choice(known, size=n_pairs, replace=False))
    check_stop()
    return unrank_pairs(chosen, n)


def _distinct(rank: IntArray) -> IntArray:
    """Each once, in increasing order; for millions of numbers NumPy's own function takes up to twenty times as long."""
    rank = np.sort(rank)
    is_new = np.append(True, rank[1:] != rank[:-1])[: len(rank)]
    return np.asarray(rank[is_new])


def _with_common_labels(ensemble: Ensemble, rank: IntArray) -> IntArray:
    """Those of the pairs, given by rank, that some clustering labels both objects of."""
    known = []
    for lo in range(0, len(rank), _PAIRS):
        check_stop()
        some = rank[lo : lo + _PAIRS]
        known.append(some[_count_pairs(ensemble, *unrank_pairs(some, ensemble.n_rows))[1] > 0])
    return np.concatenate(known) if known else rank
