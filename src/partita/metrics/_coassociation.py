"""Co-association: in how many clusterings two objects are together, and in how many both occur (eqs. C8, C10).

With Omega_ij the clusterings that label both objects i and j,

    N_ij = |Omega_ij|,    C_ij = #{m in Omega_ij : L_im = L_jm},    S_ij = C_ij / N_ij  (0 where N_ij = 0).
"""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble, WeightedColumns
from partita._labels.validation import check_label_matrix, check_weights
from partita._memory import ensure_memory
from partita._parameters import check_choice, check_count
from partita._typing import Array
from partita.metrics import _small_agreement as small
from partita.metrics._chosen_pairs import count_named_or_drawn

_FORMS = ("dense", "sparse", "pairs", "blocks")
_BLOCK_BYTES = 2**25  # about 32 MiB per block: enough work per call, and little memory on any machine


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
    random_state : int, RandomState or None
        Seed of the drawn pairs.

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
    _check_form(form, threshold, pairs, block_size)
    ensemble = _read_ensemble(X, weights)
    if form == "pairs":
        return Coassociation(*count_named_or_drawn(ensemble, pairs, random_state))
    if form == "dense":
        return coassociation_of_codes(ensemble.columns)
    if form == "blocks":
        return iter_blocks(ensemble.columns, block_size)
    return _sparse(ensemble.columns, block_size, 0.0 if threshold is None else threshold)


def _check_form(form: str, threshold: float | None, pairs: Any, block_size: int | None) -> None:
    """Refuse options that do not fit the form."""
    check_choice("form", form, _FORMS)
    if block_size is not None:
        check_count(block_size, "block_size")
    if (form == "pairs") != (pairs is not None):
        raise ValueError(
            f"form={form!r} and pairs={'None' if pairs is None else 'given'}; pass pairs with form='pairs' only."
        )
    if threshold is not None and (form != "sparse" or not 0 <= threshold <= 1):
        raise ValueError(
            f"threshold={threshold} and form={form!r}; pass a similarity in [0, 1], with form='sparse' only."
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
    size = block_size or max(1, _BLOCK_BYTES // (n * columns.count_type.itemsize))
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
    agreement.count_rows(columns.columns, weights, lo, hi, upper, seen, out)
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
            agreement.mirror(half)
    return Coassociation(counts, totals)


def _sparse(columns: WeightedColumns, block_size: int | None, threshold: float) -> Coassociation:
    n = columns.n_rows
    lengths, indices, counts, totals = [], [], [], []
    for block in iter_blocks(columns, block_size):
        # C >= t N without dividing; the slack keeps S = t, whose product may round up
        keep = (block.counts > 0) & (block.counts >= threshold * block.totals * (1 - 1e-12))
        rows, cols = np.nonzero(keep)
        lengths.append(np.bincount(rows, minlength=block.stop - block.start))
        indices.append(cols.astype(np.int32))
        counts.append(block.counts[rows, cols])
        totals.append(block.totals[rows, cols])
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    place = np.concatenate(indices)
    return Coassociation(
        sparse.csr_array((np.concatenate(counts), place, indptr), shape=(n, n)),
        sparse.csr_array((np.concatenate(totals), place, indptr), shape=(n, n)),
    )
