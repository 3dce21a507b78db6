"""Visual assessment of tendency: reorder a dissimilarity matrix so that clusters become blocks (eq. P16)."""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels.linkage import prim_matrix
from partita._memory import ensure_memory
from partita._typing import FloatArray, IntArray

_BYTES_PER_PAIR = 32  # the reordered matrix, and what the test of symmetry holds: three numbers of 8 bytes


class VatResult(NamedTuple):
    """Order of the objects, the distance at which each was added, and the reordered matrix."""

    order: IntArray
    distances: FloatArray
    matrix: FloatArray


def vat(dissimilarity: Any) -> VatResult:
    """Order objects along the minimum spanning tree (Bezdek and Hathaway, 2002).

    The walk starts at one end of the largest dissimilarity (the first in row-major order). Each step adds the object
    that is nearest to those in the order already; ties are broken by index.

    Parameters
    ----------
    dissimilarity : array of shape (n, n)
        Symmetric, finite. For an ensemble: ``1 - coassociation(X).similarity()``.

    Returns
    -------
    VatResult
        ``order``, ``distances`` and the reordered ``matrix``. The first distance is 0; the others are the weights of
        the minimum spanning tree, so sorted they are the heights of single linkage.

    Examples
    --------
    >>> from partita import vat
    >>> vat([[0, 9, 1], [9, 0, 8], [1, 8, 0]]).order
    array([0, 2, 1])
    """
    D = _as_square(dissimilarity)
    if not np.isfinite(D).all():
        raise ValueError("dissimilarity has NaN or infinite entries; pass finite ones.")
    if not np.allclose(D, D.T):
        raise ValueError("dissimilarity is not symmetric; pass a symmetric matrix, such as (D + D.T) / 2.")
    n = len(D)
    order = np.empty(n, dtype=np.int64)
    distances = np.empty(n)
    prim_matrix(D, int(np.argmax(D)) // n, order, distances)
    return VatResult(order, distances, D[np.ix_(order, order)])


def _as_square(dissimilarity: Any) -> FloatArray:
    """A square matrix of numbers, for which there is memory."""
    shape: tuple[int, ...] = np.shape(dissimilarity) if not hasattr(dissimilarity, "tocsr") else ()
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise ValueError(f"dissimilarity has shape {shape}; pass a square matrix, dense, of at least one object.")
    ensure_memory(
        _BYTES_PER_PAIR * shape[0] ** 2, purpose=f"VAT of {shape[0]} objects", instead="take a sample of them."
    )
    try:
        return np.ascontiguousarray(dissimilarity, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"dissimilarity must be numbers, received {dissimilarity!r:.60}.") from None
