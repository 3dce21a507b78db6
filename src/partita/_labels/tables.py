"""The contingency tables of all clusterings, and what follows from them: the space of labels.

With H the indicator of the cells (labels of all clusterings, one after the other), or memberships in them, and w the
weights of the rows,

    G = H' diag(w) H                    (t, t)   weight of the objects in both of two cells                   (eq. L1)
    A_cm = sum over d in m of G_cd      (t, m)   weight of the objects of cell c that clustering m labels     (eq. L2)

These are sums over the objects: tables of blocks of rows add up. Nothing here has the size of the objects squared.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from partita._kernels._ready import is_ready
from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._stopping import check_stop
from partita._typing import FloatArray, IntArray

SMALL = 2000  # rows up to which sparse products take less than loading numba: 50 ms for 20 clusterings, against 1 s
_CELLS = 64  # columns of a sparse product that are computed between two looks at the limits of time
_LEAST = 1e-100  # of a cell's weight, so that no object is left without an edge; its root is still a number


@dataclass(frozen=True, eq=False)
class ClusterTables:
    """All pairs of clusterings compared: one row and one column per cell."""

    together: FloatArray  # G: (t, t) weight of the objects in both of two cells
    cell_clustering: IntArray  # (t,) clustering of each cell
    clustering_weights: FloatArray  # (m,)

    @property
    def size(self) -> FloatArray:
        """Diagonal of G: the weight of the objects of each cell, (t,). For memberships the sum of their squares."""
        return np.diag(self.together).copy()

    @property
    def seen(self) -> FloatArray:
        """A: weight of the objects of each cell that each clustering labels, (t, m) (eq. L2)."""
        return np.asarray(self.together @ self.blocks)

    @property
    def cell_weights(self) -> FloatArray:
        """Weight of each cell's clustering, (t,)."""
        return np.asarray(self.clustering_weights[self.cell_clustering])

    @property
    def blocks(self) -> FloatArray:
        """Indicator of the clustering of each cell, (t, m)."""
        return one_hot(self.cell_clustering, len(self.clustering_weights))

    def __add__(self, other: "ClusterTables") -> "ClusterTables":
        """Tables of these and other rows of the same clusterings."""
        return ClusterTables(self.together + other.together, self.cell_clustering, self.clustering_weights)


def cluster_tables(ensemble: Ensemble) -> ClusterTables:
    """Contingency tables of the clusterings of an ensemble, in r m^2 steps for r rows."""
    together = pair_sums(ensemble, ensemble.row_weights)
    return ClusterTables(together, ensemble.cell_clustering, ensemble.clustering_weights)


def soft_tables(
    H: Any, row_weights: FloatArray, cell_clustering: IntArray, clustering_weights: FloatArray
) -> ClusterTables:
    """The same for memberships H (n_rows, n_cells), dense or sparse; rows of a clustering sum to 1, or to 0: unseen."""
    return ClusterTables(membership_sums(H, row_weights), cell_clustering, clustering_weights)


# ------------------------------------------------------------------------------------------------- sums over the rows
def pair_sums(ensemble: Ensemble, values: FloatArray) -> FloatArray:
    """H' diag(values) H, (t, t): the values of the rows added up for all pairs of their labels."""
    if _is_small(ensemble.n_rows):
        return membership_sums(ensemble.indicator, values)
    from partita._kernels.cells import add_pairs

    t = ensemble.n_cells
    out, cells = np.zeros((t, t)), np.empty(ensemble.n_clusterings, dtype=np.int64)
    add_pairs(ensemble.codes, ensemble.first_cell, np.asarray(values, dtype=np.float64), cells, out)
    return np.asarray(np.triu(out) + np.triu(out, 1).T)


def membership_sums(H: Any, values: FloatArray) -> FloatArray:
    """H' diag(values) H of memberships, dense or sparse."""
    weighted = H * values[:, None]
    if isinstance(weighted, np.ndarray):
        return np.asarray(H.T @ weighted)
    columns, transposed = weighted.tocsc(), H.T
    out = np.empty((H.shape[1], H.shape[1]))
    for lo in range(0, H.shape[1], _CELLS):  # each entry is summed over the rows as without blocks
        check_stop()
        out[:, lo : lo + _CELLS] = (transposed @ columns[:, lo : lo + _CELLS]).toarray()
    return out


def label_sums(ensemble: Ensemble, table: FloatArray) -> FloatArray:
    """H @ table, (n_rows, k): the rows of a table of cells added up over the labels of each row."""
    if _is_small(ensemble.n_rows):
        return ensemble.sum_over_labels(table)
    from partita._kernels.cells import sum_labels

    out = np.empty((ensemble.n_rows, table.shape[1]))
    sum_labels(ensemble.codes, ensemble.first_cell, np.ascontiguousarray(table, dtype=np.float64), out)
    return out


def _is_small(n_rows: int) -> bool:
    """Whether sparse products are the quicker way; both ways give the same bits."""
    return n_rows <= SMALL and not is_ready("cells", "add_pairs")


# ---------------------------------------------------------------------------------------------- entropies of the cells
def cluster_entropies(tables: ClusterTables) -> FloatArray:
    """Entropy in bits of each clustering among the objects of each cell, (t, m); 0 where it labels none (eq. L3).

    0 means that a clustering keeps the cell's objects together, as the cell's own clustering does.
    """
    blocks, seen = tables.blocks, tables.seen[:, tables.cell_clustering]
    share = np.divide(tables.together, seen, out=np.zeros_like(seen), where=seen > 0)
    bits = share * np.log2(share, out=np.zeros_like(share), where=share > 0)
    return np.maximum(-(bits @ blocks), 0.0)


def entropy_weights(
    entropies: FloatArray, seen: FloatArray, clustering_weights: FloatArray, theta: float = 0.4
) -> FloatArray:
    """The ensemble-driven cluster index: exp(-mean entropy / theta), in (0, 1], (t,) (eq. L4).

    The mean is over the clusterings that label objects of the cell, by their weights. ``entropies`` and ``seen`` have a
    column per clustering: those of a part of the clusterings give the index within that part.
    """
    counted = np.where(seen > 0, clustering_weights, 0.0)
    mean = (entropies * counted).sum(axis=1) / np.maximum(counted.sum(axis=1), np.finfo(float).tiny)
    return np.asarray(np.maximum(np.exp(-mean / theta), _LEAST))
