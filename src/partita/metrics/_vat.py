"""Visual assessment of tendency: reorder a dissimilarity matrix so that clusters become blocks (eq. P16)."""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels.linkage import prim_matrix
from partita._typing import FloatArray, IntArray


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
    D = np.ascontiguousarray(dissimilarity, dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1] or len(D) == 0:
        raise ValueError(f"dissimilarity has shape {D.shape}; pass a square matrix with at least one object.")
    if not np.isfinite(D).all():
        raise ValueError("dissimilarity has NaN or infinite entries; pass finite ones.")
    if not np.allclose(D, D.T):
        raise ValueError("dissimilarity is not symmetric; pass a symmetric matrix, such as (D + D.T) / 2.")
    n = len(D)
    order = np.empty(n, dtype=np.int64)
    distances = np.empty(n)
    prim_matrix(D, int(np.argmax(D)) // n, order, distances)
    return VatResult(order, distances, D[np.ix_(order, order)])
