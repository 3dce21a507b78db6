"""Co-association: in how many clusterings two objects are together, and in how many both occur.

With Omega_ij the clusterings that label both objects i and j,

    N_ij = |Omega_ij|,    C_ij = #{m in Omega_ij : L_im = L_jm},    S_ij = C_ij / N_ij  (0 where N_ij = 0).
"""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from scipy import sparse

from partita._kernels import agreement
from partita._labels.ensemble import WeightedColumns, weighted_columns
from partita._labels.validation import LabelMatrix, check_label_matrix, check_weights
from partita._memory import ensure_memory
from partita._runs import draw_seeds
from partita._typing import Array, FloatArray, IntArray

_BLOCK_BYTES = 2**25  # row blocks of about 32 MiB


class Coassociation(NamedTuple):
    """Counts C and N of pairs of objects, both dense arrays or both sparse matrices of one pattern.

    Attributes
    ----------
    counts : C, clusterings (or their weight) in which both objects have the same label.
    totals : N, clusterings (or their weight) in which both objects have a label.
    """

    counts: Any
    totals: Any

    def similarity(self) -> Any:
        """S = C / N, 0 where N is 0 and 1 on the diagonal of objects that have a label."""
        if hasattr(self.counts, "tocsr"):
            S = self.counts.astype(np.float64)
            S.data /= np.maximum(self.totals.data, np.finfo(float).tiny)
            return S
        return divide_counts(self.counts, self.totals, np.empty(self.counts.shape))


class CoassociationBlock(NamedTuple):
    """Some rows of C and N: objects ``start`` to ``stop - 1`` against all objects."""

    start: int
    stop: int
    counts: Array
    totals: Array


@overload
def coassociation(
    X: Any,
    *,
    form: Literal["blocks"],
    weights: Any = ...,
    threshold: None = ...,
    pairs: None = ...,
    block_size: int | None = ...,
    random_state: Any = ...,
) -> Iterator[CoassociationBlock]: ...
@overload
def coassociation(
    X: Any,
    *,
    form: Literal["dense", "sparse", "pairs"] = ...,
    weights: Any = ...,
    threshold: float | None = ...,
    pairs: Any = ...,
    block_size: int | None = ...,
    random_state: Any = ...,
) -> Coassociation: ...
def coassociation(
    X: Any,
    *,
    form: Literal["dense", "sparse", "pairs", "blocks"] = "dense",
    weights: Any = None,
    threshold: float | None = None,
    pairs: Any = None,
    block_size: int | None = None,
    random_state: Any = None,
) -> Coassociation | Iterator[CoassociationBlock]:
    """Count in how many clusterings two objects are together (C) and both labelled (N).

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        Anything that :func:`partita.check_label_matrix` takes.
    form : {"dense", "sparse", "pairs", "blocks"}, default="dense"
        - "dense": two (n, n) arrays of the smallest unsigned type. Where nothing is missing, ``totals`` is a
          read-only view of one number.
        - "sparse": two CSR matrices with the pairs, and the diagonal, where C > 0 and C / N >= ``threshold``.
        - "pairs": two symmetric CSR matrices with the chosen ``pairs`` only; a stored 0 in C means "never
          together", a pair that is not stored was not looked at or has N = 0. No diagonal.
        - "blocks": an iterator over blocks of rows, for n too large for an (n, n) array.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering. Counts are float64 if a weight is not a whole number.
    threshold : float in [0, 1], optional
        For "sparse": smallest similarity that is kept; default 0 keeps every pair that is ever together.
    pairs : float, int, array of shape (n_pairs, 2) or sparse matrix
        For "pairs": a share of all pairs, a number of pairs an object (on average, each pair counted for both
        its objects), or the pairs themselves. Pairs are drawn without replacement; those with N = 0 are left out.
    block_size : int, optional
        For "blocks" (and inside "sparse"): rows a block; default about 32 MiB a block.
    random_state : int, RandomState or None
        For drawn pairs.

    Returns
    -------
    Coassociation, or an iterator of CoassociationBlock

    Notes
    -----
    Cost O(n^2 m / 64): labels are compared as bytes, many objects at a time. Objects without any label have
    empty rows.

    Examples
    --------
    >>> from partita import coassociation
    >>> C, N = coassociation({"a": [0, 0, 1], "b": ["x", None, "x"]})
    >>> C
    array([[2, 1, 1],
           [1, 1, 0],
           [1, 0, 2]], dtype=uint8)
    >>> N
    array([[2, 1, 2],
           [1, 1, 1],
           [2, 1, 2]], dtype=uint8)
    """
    if form not in ("dense", "sparse", "pairs", "blocks"):
        raise ValueError(f"form={form!r} is not known; choose 'dense', 'sparse', 'pairs' or 'blocks'.")
    if block_size is not None and block_size < 1:
        raise ValueError(f"block_size={block_size} must be at least 1.")
    if (form == "pairs") != (pairs is not None):
        raise ValueError(
            f"form={form!r} with pairs={'None' if pairs is None else 'given'}: 'pairs' goes with form='pairs'."
        )
    if threshold is not None and (form != "sparse" or not 0 <= threshold <= 1):
        raise ValueError(
            f"threshold={threshold} is a similarity in [0, 1] and goes with form='sparse' (form={form!r})."
        )
    matrix = check_label_matrix(X)
    clustering_weights = check_weights(weights, matrix)
    if form == "pairs":
        return _pairs(matrix, clustering_weights, pairs, random_state)
    used = clustering_weights > 0
    groups = weighted_columns(matrix.codes[:, used], matrix.n_labels[used], clustering_weights[used])
    if form == "dense":
        return coassociation_of_codes(groups)
    blocks = iter_blocks(groups, block_size)
    return blocks if form == "blocks" else _sparse(blocks, groups, 0.0 if threshold is None else threshold)


def divide_counts(counts: Array, totals: Array, out: Array) -> Array:
    """S = C / N, 0 where N = 0, into a float array."""
    if totals.size and totals.strides == (0, 0):  # nothing missing: one number
        np.divide(counts, out.dtype.type(totals[0, 0]), out=out, dtype=out.dtype, casting="unsafe")
        return out
    out[:] = 0
    np.divide(counts, totals, out=out, where=totals > 0, dtype=out.dtype, casting="unsafe")
    return out


def iter_blocks(groups: WeightedColumns, block_size: int | None = None) -> Iterator[CoassociationBlock]:
    """Rows of C and N, block by block; the arrays of a block are new ones."""
    n = groups.columns.codes.shape[1]
    dtype = groups.count_type
    size = block_size or max(1, _BLOCK_BYTES // (n * dtype.itemsize))
    for lo in range(0, n, size):
        hi = min(n, lo + size)
        counts = _count(groups, lo, hi, dtype, seen=False)
        totals = (
            _count(groups, lo, hi, dtype, seen=True) if groups.has_missing else _constant(groups, (hi - lo, n), dtype)
        )
        yield CoassociationBlock(lo, hi, counts, totals)


def _count(groups: WeightedColumns, lo: int, hi: int, dtype: "np.dtype[Any]", *, seen: bool) -> Array:
    out = np.empty((hi - lo, groups.columns.codes.shape[1]), dtype=dtype)
    agreement.count_rows(groups.columns, groups.weights.astype(dtype), lo, hi, False, seen, out)
    return out


def _constant(groups: WeightedColumns, shape: tuple[int, int], dtype: "np.dtype[Any]") -> Array:
    return np.broadcast_to(np.array(groups.total).astype(dtype), shape)


def coassociation_of_codes(groups: WeightedColumns) -> Coassociation:
    """Dense counts of codes that are behind the door already."""
    n = groups.columns.codes.shape[1]
    dtype = groups.count_type
    ensure_memory(
        n * n * dtype.itemsize * (2 if groups.has_missing else 1),
        purpose=f"the dense {n} x {n} co-association",
        instead="use form='blocks', 'sparse' with a threshold, or 'pairs'.",
    )
    counts = _count_square(groups, dtype, seen=False)
    totals = _count_square(groups, dtype, seen=True) if groups.has_missing else _constant(groups, (n, n), dtype)
    return Coassociation(counts, totals)


def _count_square(groups: WeightedColumns, dtype: "np.dtype[Any]", *, seen: bool) -> Array:
    n = groups.columns.codes.shape[1]
    out = np.empty((n, n), dtype=dtype)
    agreement.count_rows(groups.columns, groups.weights.astype(dtype), 0, n, True, seen, out)
    agreement.mirror(out)
    return out


def _sparse(blocks: Iterator[CoassociationBlock], groups: WeightedColumns, threshold: float) -> Coassociation:
    n = groups.columns.codes.shape[1]
    lengths, indices, counts, totals = [], [], [], []
    for block in blocks:
        # C >= t N without dividing; the slack keeps S = t, whose product may round up
        keep = (block.counts > 0) & (block.counts >= threshold * block.totals * (1 - 1e-12))
        rows, cols = np.nonzero(keep)
        lengths.append(np.bincount(rows, minlength=block.stop - block.start))
        indices.append(cols.astype(np.int32))
        counts.append(block.counts[rows, cols])
        totals.append(np.broadcast_to(block.totals, block.counts.shape)[rows, cols])
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    columns = np.concatenate(indices)
    return Coassociation(
        sparse.csr_array((np.concatenate(counts), columns, indptr), shape=(n, n)),
        sparse.csr_array((np.concatenate(totals), columns, indptr), shape=(n, n)),
    )


class _PairCounter(NamedTuple):
    """Counts C and N of pairs of objects, in the smallest type that is exact."""

    matrix: LabelMatrix
    weights: FloatArray

    def __call__(self, left: Array, right: Array) -> tuple[Array, Array]:
        total = self.weights.sum()
        whole = bool(np.all(self.weights == np.floor(self.weights))) and total <= np.iinfo(np.uint32).max
        dtype = np.dtype(np.min_scalar_type(int(total)) if whole else np.float64)
        counts = np.empty(len(left), dtype=dtype)
        totals = np.empty(len(left), dtype=dtype)
        agreement.count_pairs(self.matrix.codes, self.weights.astype(dtype), left, right, counts, totals)
        return counts, totals


def _pairs(matrix: LabelMatrix, weights: FloatArray, pairs: Any, random_state: Any) -> Coassociation:
    n = matrix.codes.shape[0]
    count = _PairCounter(matrix, weights)
    if hasattr(pairs, "tocsr") or not np.isscalar(pairs):
        left, right = given_pairs(pairs, n)
    else:
        left, right = _draw_pairs(_number_of_pairs(pairs, n), n, count, random_state)
    counts, totals = count(left, right)
    known = totals > 0
    left, right, counts, totals = left[known], right[known], counts[known], totals[known]
    # One pattern for C and N: the matrix is built once with the number of each pair as its entry.
    both = (np.concatenate([left, right]), np.concatenate([right, left]))
    pattern = sparse.coo_array((np.tile(np.arange(len(left)), 2), both), shape=(n, n)).tocsr()
    pattern.sort_indices()
    return Coassociation(
        sparse.csr_array((counts[pattern.data], pattern.indices, pattern.indptr), shape=(n, n)),
        sparse.csr_array((totals[pattern.data], pattern.indices, pattern.indptr), shape=(n, n)),
    )


def _number_of_pairs(pairs: Any, n: int) -> int:
    n_all = n * (n - 1) // 2
    if isinstance(pairs, float | np.floating):
        if not 0 < pairs <= 1:
            raise ValueError(f"pairs={pairs} as a share of all pairs must be in (0, 1]; as a number an object, an int.")
        return max(1, round(pairs * n_all))
    if isinstance(pairs, bool) or not isinstance(pairs, int | np.integer) or pairs < 1:
        raise ValueError(f"pairs={pairs!r} pairs an object must be a whole number, at least 1.")
    return min(int(pairs) * n // 2, n_all)


def given_pairs(pairs: Any, n: int) -> tuple[Array, Array]:
    """Left and right objects of the pairs that the caller names, each pair once, left < right."""
    if hasattr(pairs, "tocsr"):
        if pairs.shape != (n, n):
            raise ValueError(f"pairs has shape {pairs.shape}; a sparse pair set must be ({n}, {n}).")
        pairs = np.column_stack(pairs.nonzero())
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"pairs has shape {pairs.shape} and dtype {pairs.dtype}; pass a share (float), a number an object (int), "
            "an integer array of shape (n_pairs, 2), or a sparse (n, n) matrix."
        )
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= n):
        raise ValueError(
            f"pairs names object {pairs.max() if pairs.max() >= n else pairs.min()}; there are 0..{n - 1}."
        )
    low, high = pairs.min(axis=1).astype(np.int64), pairs.max(axis=1).astype(np.int64)
    return _unpack(np.unique((low * n + high)[low != high]), n)


def _unpack(key: IntArray, n: int) -> tuple[Array, Array]:
    return (key // n).astype(np.int32), (key % n).astype(np.int32)


def _draw_pairs(n_pairs: int, n: int, count: _PairCounter, random_state: Any) -> tuple[Array, Array]:
    """Draw distinct unordered pairs with N > 0 uniformly, as many as asked for or as there are."""
    rng = np.random.default_rng(draw_seeds(random_state, 1)[0])
    n_all = n * (n - 1) // 2
    ensure_memory(
        64 * n_pairs,
        purpose=f"a sample of {n_pairs} pairs",
        instead="draw fewer pairs, or use form='blocks'.",
    )
    drawn, known = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    while len(known) < n_pairs and 3 * len(drawn) < n_all:
        share = max(len(known), 1) / max(len(drawn), 1)  # how many of the drawn ones had N > 0
        more = rng.integers(n_all, size=min(n_all, int(1.1 * (n_pairs - len(known)) / share) + 8))
        fresh = np.setdiff1d(more, drawn)
        drawn = np.concatenate([drawn, fresh])
        known = np.concatenate([known, fresh[count(*_unrank(fresh, n))[1] > 0]])
    if len(known) < n_pairs:  # so many that it is simpler to look at all
        every = rng.permutation(n_all)
        known = every[count(*_unrank(every, n))[1] > 0]
        return _unrank(np.sort(known[:n_pairs]), n)
    return _unrank(np.sort(rng.choice(known, size=n_pairs, replace=False)), n)


def _unrank(rank: IntArray, n: int) -> tuple[Array, Array]:
    """Pair (i, j), i < j, whose place in row-major order of the strict upper triangle is ``rank``."""
    row_start = np.arange(n, dtype=np.int64)
    row_start = row_start * (2 * n - row_start - 1) // 2
    left = np.searchsorted(row_start, rank, side="right") - 1
    right = rank - row_start[left] + left + 1
    return left.astype(np.int32), right.astype(np.int32)
