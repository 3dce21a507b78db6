"""The transfer cut (Li, Wu and Chang, 2012): the graph of objects and clusters, cut in the space of the clusters.

An edge of weight e_c joins an object to each of its clusters c: B = H diag(e). With dx the row sums of B,

    W = B' diag(w / dx) B,   d = W 1,   D^-1/2 W D^-1/2 v_j = s_j^2 v_j,   s_1 = 1 >= s_2 >= ...       (eqs. L5, L6)
    f_j = diag(1 / dx) B D^-1/2 v_j                                                                        (eq. L7)

f_j is s_j diag(dx)^-1/2 u_j, with u_j and v_j the singular vectors of diag(w / dx)^1/2 B D^-1/2: the bipartite cut of
HBGF without a matrix over the objects. W is a sum over the objects, so that W of blocks of rows add up.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.tables import label_sums, membership_sums, pair_sums
from partita._memory import ensure_memory
from partita._numbering import rank_of
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._stoppable_matrix import stoppable

_DENSE = 1500  # cells up to which W is decomposed as a dense matrix, at cubic cost: 0.5 s; beyond, Lanczos
# of Lanczos, each some 20 products: as long as the dense decomposition of 3,500 cells takes. Clusterings that agree
# nearly everywhere have many eigenvalues within 1e-6 of 1, and thousands of restarts would not be enough.
_RESTARTS = 20
_BLOCK = 64  # cells whose neighbours are looked up at a time
_TINY = np.finfo(np.float64).tiny


class TransferCut(NamedTuple):
    """An embedding of rows of labels, as a table of cells."""

    singular_values: FloatArray  # (n_vectors + 1,) s_1 = 1 >= s_2 >= ..., fewer where there are fewer cells
    cell_weights: FloatArray  # (t,) e
    cell_map: FloatArray  # (t, n_vectors) e_c d_c^-1/2 v_cj: f of a row is their sum over its labels, divided by dx

    def take(self, n_vectors: int) -> "TransferCut":
        """The same with the leading vectors only."""
        return self._replace(
            singular_values=self.singular_values[: n_vectors + 1], cell_map=self.cell_map[:, :n_vectors]
        )

    def embed(self, ensemble: Ensemble) -> FloatArray:
        """Rows of f, (n_rows, n_vectors) (eq. L7)."""
        return _divide_last(label_sums(ensemble, self._with_weights()))

    def embed_memberships(self, H: Any) -> FloatArray:
        """The same for memberships H (n_rows, t), dense or sparse."""
        return _divide_last(np.asarray(H @ self._with_weights()))

    def _with_weights(self) -> FloatArray:
        """The map with e as one more column, whose sum is dx."""
        return np.column_stack([self.cell_map, self.cell_weights])


def _divide_last(sums: FloatArray) -> FloatArray:
    """All columns but the last, divided by the last."""
    sums[:, :-1] /= np.maximum(sums[:, -1:], _TINY)
    return np.ascontiguousarray(sums[:, :-1])


# --------------------------------------------------------------------------------------------------------- the cells
def cell_graph(ensemble: Ensemble, cell_weights: FloatArray) -> FloatArray:
    """W, (t, t): how much the objects join each pair of cells (eq. L5)."""
    ensure_cells(ensemble.n_cells)
    degree = label_sums(ensemble, cell_weights[:, None])[:, 0]
    W = pair_sums(ensemble, ensemble.row_weights / np.maximum(degree, _TINY))
    return np.asarray(W * np.outer(cell_weights, cell_weights))


def membership_graph(H: Any, row_weights: FloatArray, cell_weights: FloatArray) -> FloatArray:
    """The same for memberships H (n_rows, t), dense or sparse."""
    ensure_cells(len(cell_weights))
    degree = np.asarray(H @ cell_weights)
    W = membership_sums(H, row_weights / np.maximum(degree, _TINY))
    return np.asarray(W * np.outer(cell_weights, cell_weights))


def ensure_cells(n_cells: int) -> None:
    """Refuse tables of pairs of cells that do not fit in memory."""
    ensure_memory(
        4 * 8 * n_cells**2,
        purpose=f"tables of all pairs of {n_cells} clusters",
        instead="use clusterings with fewer clusters, or fewer clusterings.",
    )


def cut_cells(W: FloatArray, cell_weights: FloatArray, n_vectors: int) -> TransferCut:
    """Embedding by the leading vectors of the normalised W (eqs. L6, L7)."""
    root = 1 / np.sqrt(np.maximum(W.sum(axis=1), _TINY))
    squared, V = leading_vectors(root[:, None] * W * root, n_vectors + 1)
    cell_map = (cell_weights * root)[:, None] * V[:, :n_vectors]
    return TransferCut(np.sqrt(squared.clip(0.0, 1.0)), cell_weights, cell_map)


def transfer_cut(ensemble: Ensemble, cell_weights: FloatArray, n_vectors: int) -> TransferCut:
    """Both steps for an ensemble: the graph of its cells, and its leading vectors."""
    return cut_cells(cell_graph(ensemble, cell_weights), cell_weights, n_vectors)


def leading_vectors(normal: FloatArray, n_vectors: int) -> tuple[FloatArray, FloatArray]:
    """Largest eigenvalues and their vectors, decreasing; the largest entry of a vector is positive."""
    t = len(normal)
    found = None if t <= _DENSE or n_vectors > t // 3 else _by_lanczos(normal, n_vectors)
    if found is None:
        from scipy.linalg import eigh

        found = eigh(normal, subset_by_index=(max(0, t - n_vectors), t - 1))
    values, V = found
    order = np.argsort(-values, kind="stable")
    values, V = values[order], V[:, order]
    largest = V[np.abs(V).argmax(axis=0), np.arange(V.shape[1])]
    return values, V * np.where(largest < 0, -1.0, 1.0)


def _by_lanczos(normal: FloatArray, n_vectors: int) -> tuple[FloatArray, FloatArray] | None:
    """The same, in any order; None if eigenvalues lie so close that they do not separate in a reasonable time."""
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    try:
        start = np.sqrt(np.arange(1.0, len(normal) + 1))
        values, V = eigsh(stoppable(normal), k=n_vectors, which="LA", v0=start, maxiter=_RESTARTS)
    except ArpackNoConvergence:
        return None
    return values, V


# --------------------------------------------------------------------------------------------------- the components
def components(W: FloatArray) -> IntArray:
    """Connected component of each cell, (t,): parts between which no object has labels. W is symmetric.

    Without lists of the edges, which take several times the memory of W where it is dense.
    """
    part = np.full(len(W), -1, dtype=np.int64)
    for first in range(len(W)):
        if part[first] < 0:
            _spread(W, first, part)
    return part


def _spread(W: FloatArray, first: int, part: IntArray) -> None:
    """Give the next number to all cells that the first can reach."""
    number = int(part.max()) + 1
    part[first] = number
    waiting = np.array([first])
    while len(waiting):
        chosen, waiting = waiting[:_BLOCK], waiting[_BLOCK:]
        found = np.flatnonzero((W[chosen] > 0).any(axis=0) & (part < 0))
        part[found] = number
        waiting = np.append(waiting, found)
        if (part >= 0).all():
            return


def keep_heaviest(part: IntArray, weights: FloatArray, k: int) -> IntArray:
    """Group of each cell: the k - 1 heaviest components, and all others as one (eq. L9)."""
    mass = np.bincount(part, weights=weights)
    heavy_first = np.argsort(-(mass / mass.sum()).round(12), kind="stable")  # rounding does not order equal ones
    return np.minimum(rank_of(heavy_first, len(mass))[part], k - 1)


def unit_rows(vectors: FloatArray) -> FloatArray:
    """Rows scaled to length 1; rows of 0 stay."""
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return np.asarray(vectors / np.maximum(length, _TINY)[:, None])
