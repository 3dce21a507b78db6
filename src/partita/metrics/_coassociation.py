"""Co-association: in how many clusterings two objects are together, and in how many both occur (eqs. C8, C10).

With Omega_ij the clusterings that label both objects i and j,

    N_ij = |Omega_ij|,    C_ij = #{m in Omega_ij : L_im = L_jm},    S_ij = C_ij / N_ij  (0 where N_ij = 0).
"""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from scipy import sparse

from partita._checks import check_choice, check_count
from partita._labels.ensemble import Ensemble, WeightedColumns, find_distinct_rows
from partita._labels.validation import check_label_matrix, check_weights
from partita._memory import available_memory, ensure_memory
from partita._stopping import check_stop, until_stopped
from partita._typing import Array
from partita.metrics import _small_agreement as small
from partita.metrics._chosen_pairs import count_named_or_drawn

_FORMS = ("dense", "sparse", "pairs", "blocks")
_BLOCK_BYTES = 2**25  # about 32 MiB per block: enough work per call, and little memory on any machine
_COMPARED = 2**28  # labels of a row and another row that a call of the kernel compares: about a tenth of a second
_BYTES_TO_LIST = 24  # per pair while a block becomes a list of pairs: two places of 8 bytes, and what they point at


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
        n = len(self.counts)
        ensure_memory(
            8 * n * n, purpose=f"the dense {n} x {n} similarity", instead="use form='blocks', 'sparse' or 'pairs'."
        )
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
        Labels in any form that :func:`partita.check_label_matrix` takes.
    form : {"dense", "sparse", "pairs", "blocks"}, default="dense"
        - "dense": two (n, n) arrays of the smallest unsigned type. Where nothing is missing, ``totals`` is a
          read-only view of one number.
        - "sparse": two CSR matrices with the pairs, and the diagonal, where C > 0 and C / N >= ``threshold``.
        - "pairs": two symmetric CSR matrices with the chosen ``pairs`` only; a stored 0 in C means "never
          together", a pair that is not stored was not chosen or has N = 0. No diagonal.
        - "blocks": an iterator over blocks of rows, for n too large for an (n, n) array.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering. Counts are float64 if a weight is not a whole number.
    threshold : float in [0, 1], optional
        For "sparse": smallest similarity that is kept; default 0 keeps every pair that is ever together.
    pairs : float, int, array of shape (n_pairs, 2) or sparse matrix
        For "pairs": a share of all pairs, a number of pairs per object (on average, each pair counted for both
        its objects), or the pairs themselves. Pairs are drawn without replacement; those with N = 0 are left out.
    block_size : int, optional
        For "blocks" (and inside "sparse"): rows per block; default about 32 MiB per block.
    random_state : int, RandomState, Generator or None
        Seed of the drawn pairs.

    Returns
    -------
    Coassociation, or an iterator of CoassociationBlock

    Notes
    -----
    Cost O(n^2 m / 64): labels are compared as bytes, many objects at a time. Objects without any label have
    empty rows. What would not fit in memory is refused before any work; for "sparse" the pairs are counted.

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
    _check_form(form, threshold, pairs, block_size)
    ensemble = _read_ensemble(X, weights)
    if form == "pairs":
        return Coassociation(*count_named_or_drawn(ensemble, pairs, random_state))
    if form == "dense":
        return coassociation_of_codes(ensemble.columns)
    if form == "blocks":
        return iter_blocks(ensemble.columns, block_size)
    return _sparse(ensemble, block_size, 0.0 if threshold is None else threshold)


def _check_form(form: str, threshold: float | None, pairs: Any, block_size: int | None) -> None:
    """Refuse options that do not fit the form."""
    check_choice("form", form, _FORMS)
    if block_size is not None:
        check_count(block_size, "block_size")
    if (form == "pairs") != (pairs is not None):
        raise ValueError(
            f"form={form!r} and pairs={'None' if pairs is None else 'given'}; pass pairs with form='pairs' only."
        )
    number = isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool)
    if threshold is not None and (form != "sparse" or not number or not 0 <= threshold <= 1):
        raise ValueError(
            f"threshold={threshold!r:.60} and form={form!r}; pass a similarity in [0, 1], with form='sparse' only."
        )


def _read_ensemble(X: Any, weights: Any) -> Ensemble:
    """One row per object, labelled or not, of the clusterings with a positive weight."""
    matrix = check_label_matrix(X)
    clustering_weights = check_weights(weights, matrix)
    used = clustering_weights > 0
    codes = matrix.codes if used.all() else np.ascontiguousarray(matrix.codes[:, used])
    return Ensemble(codes, matrix.n_labels[used], clustering_weights[used], np.ones(len(codes)))


def divide_counts(counts: Array, totals: Array, out: Array) -> Array:
    """S = C / N, 0 where N = 0, into a float array."""
    if totals.size and totals.strides == (0, 0):  # nothing missing: one number
        np.divide(counts, out.dtype.type(totals[0, 0]), out=out, dtype=out.dtype, casting="unsafe")
        return out
    out[:] = 0
    np.divide(counts, totals, out=out, where=totals > 0, dtype=out.dtype, casting="unsafe")
    return out


def iter_blocks(columns: WeightedColumns, block_size: int | None = None) -> Iterator[CoassociationBlock]:
    """Rows of C and N, block by block; the arrays of a block are new ones."""
    n = columns.n_rows
    size = int(block_size or 0) or max(1, _BLOCK_BYTES // (n * columns.count_type.itemsize))
    ensure_memory(
        min(size, n) * n * columns.count_type.itemsize * (2 if columns.has_missing else 1),
        purpose=f"a block of {min(size, n)} x {n} counts",
        instead="pass a smaller block_size.",
    )
    return _iterate(columns, size)


def _iterate(columns: WeightedColumns, size: int) -> Iterator[CoassociationBlock]:
    n = columns.n_rows
    for lo in range(0, n, size):
        hi = min(n, lo + size)
        yield CoassociationBlock(lo, hi, *count_block(columns, lo, hi))


def count_block(columns: WeightedColumns, lo: int, hi: int, *, upper: bool = False) -> tuple[Array, Array]:
    """C and N of rows lo to hi - 1 with all rows; with ``upper`` what is left of the diagonal is not set.

    Where nothing is missing, N is a read-only view of one number.
    """
    counts = _agreements(columns, lo, hi, upper=upper, seen=False)
    if columns.has_missing:
        return counts, _agreements(columns, lo, hi, upper=upper, seen=True)
    return counts, np.broadcast_to(np.array(columns.total).astype(counts.dtype), counts.shape)


def _agreements(columns: WeightedColumns, lo: int, hi: int, *, upper: bool, seen: bool) -> Array:
    """Weight of the clusterings in which two rows have the same label or, if ``seen``, in which both have one."""
    weights = columns.weights.astype(columns.count_type)
    if small.is_small(columns.n_rows):
        return small.count_rows(columns, weights, lo, hi, seen=seen)
    from partita._kernels import agreement

    out = np.empty((hi - lo, columns.n_rows), dtype=weights.dtype)
    step = max(1, _COMPARED // (columns.n_rows * len(columns.columns.codes)))
    for first in range(lo, hi, step):
        check_stop()
        last = min(hi, first + step)
        agreement.count_rows(columns.columns, weights, first, last, upper, seen, out[first - lo : last - lo])
    return out


def coassociation_of_codes(columns: WeightedColumns) -> Coassociation:
    """Dense counts of codes that were checked before."""
    n = columns.n_rows
    ensure_memory(
        n * n * columns.count_type.itemsize * (2 if columns.has_missing else 1),
        purpose=f"the dense {n} x {n} co-association",
        instead="use form='blocks', 'sparse' with a threshold, or 'pairs'.",
    )
    counts, totals = count_block(columns, 0, n, upper=True)
    if not small.is_small(n):  # NumPy has counted both halves
        from partita._kernels import agreement

        for half in (counts, totals) if columns.has_missing else (counts,):
            until_stopped(agreement.mirror, half)
    return Coassociation(counts, totals)


def _sparse(ensemble: Ensemble, block_size: int | None, threshold: float) -> Coassociation:
    columns, n = ensemble.columns, ensemble.n_rows
    _ensure_sparse_memory(ensemble, threshold)
    block_size = block_size or max(1, _BLOCK_BYTES // (n * _BYTES_TO_LIST))
    lengths, indices, counts, totals = [], [], [], []
    for block in iter_blocks(columns, block_size):
        rows, cols = np.nonzero(_kept(block.counts, block.totals, threshold))
        lengths.append(np.bincount(rows, minlength=block.stop - block.start))
        indices.append(cols.astype(np.int32))
        counts.append(block.counts[rows, cols])
        totals.append(block.totals[rows, cols])
    until = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    # one type for all indices: else SciPy would make wider copies of them for each of the two matrices
    dtype = np.int32 if until[-1] <= np.iinfo(np.int32).max else np.int64
    place, indptr = np.concatenate(indices, dtype=dtype), until.astype(dtype)
    return Coassociation(
        sparse.csr_array((np.concatenate(counts), place, indptr), shape=(n, n)),
        sparse.csr_array((np.concatenate(totals), place, indptr), shape=(n, n)),
    )


def _kept(counts: Array, totals: Array, threshold: float) -> Array:
    """Pairs that are stored: C >= t N without dividing; the slack keeps S = t, whose product may round up."""
    return (counts > 0) & (counts >= threshold * totals * (1 - 1e-12))


def _ensure_sparse_memory(ensemble: Ensemble, threshold: float) -> None:
    """Refuse, before any work, more pairs than memory holds."""
    n_pairs = _at_most(ensemble)
    if _bytes_of(n_pairs, ensemble) > available_memory():  # fewer may be stored, and counting them is worth its time
        n_pairs = _count_stored(ensemble, threshold)
    ensure_memory(
        _bytes_of(n_pairs, ensemble),
        purpose=f"a sparse co-association of {n_pairs} pairs",
        instead="raise threshold, or use form='blocks' or 'pairs'.",
    )


def _bytes_of(n_pairs: int, ensemble: Ensemble) -> int:
    """Memory of stored pairs: index, C and N of each, in the blocks and then put together."""
    index = 4 + (4 if n_pairs <= np.iinfo(np.int32).max else 8)
    return n_pairs * (index + 4 * ensemble.columns.count_type.itemsize)


def _at_most(ensemble: Ensemble) -> int:
    """Pairs that are together in some clustering, counted once for each of them; at most all pairs."""
    sizes = (np.bincount(column + 1)[1:].astype(np.float64) for column in ensemble.codes.T)
    return int(min(sum(float(size @ size) for size in sizes), float(ensemble.n_rows) ** 2))


def _count_stored(ensemble: Ensemble, threshold: float) -> int:
    """Pairs that will be stored, from distinct rows: of a row with all objects of another, in blocks."""
    distinct = find_distinct_rows(ensemble.codes, ensemble.n_labels)
    n_objects = distinct.n_objects.astype(np.float64)
    few = ensemble.with_rows(np.ascontiguousarray(ensemble.codes[distinct.first]))
    stored = 0.0
    for block in iter_blocks(few.columns):
        kept = _kept(block.counts, block.totals, threshold)
        stored += float(n_objects[block.start : block.stop] @ (kept @ n_objects))
    return int(stored)
