"""How much each row belongs to each cell: 0 or 1 for labels, a probability for soft clusterings.

A cell is one cluster of one clustering, as in ``Ensemble``. The graph methods are written once for both kinds.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.graph._whole_weights import in_units


class CellMemberships(NamedTuple):
    """Weighted rows over the cells of all clusterings (eqs. G1, G21)."""

    H: Any  # (n_rows, n_cells) sparse indicator, or array of probabilities; 0 where a clustering did not see a row
    seen: Array  # (n_rows, n_clusterings) bool
    cell_clustering: IntArray  # (n_cells,) clustering of each cell
    clustering_weights: FloatArray  # (n_clusterings,)
    row_weights: FloatArray  # (n_rows,)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.row_weights)

    @property
    def cell_weights(self) -> FloatArray:
        """Weight of each cell's clustering, (n_cells,)."""
        return np.asarray(self.clustering_weights[self.cell_clustering])

    def cells_in_use(self) -> IntArray:
        """Cells to which some row belongs."""
        return np.flatnonzero(np.asarray(self.H.T @ self.row_weights) > 0)

    def bipartite_edges(self) -> Any:
        """A: sparse (n_rows, n_cells_in_use), the edges between rows and cells, times the weight of the clustering."""
        used = self.cells_in_use()
        return sparse.csr_array(self.H[:, used] * self.cell_weights[used])

    def in_units(self) -> "CellMemberships":
        """The same with weights that do not depend on their scale."""
        clustering_weights, row_weights = in_units(self.clustering_weights), in_units(self.row_weights)
        return self._replace(clustering_weights=clustering_weights, row_weights=row_weights)

    def take(self, rows: IntArray) -> "CellMemberships":
        """Some of the rows."""
        return self._replace(H=self.H[rows], seen=self.seen[rows], row_weights=self.row_weights[rows])


def cell_memberships(ensemble: Ensemble) -> CellMemberships:
    """Labels as memberships of 0 and 1."""
    return CellMemberships(
        ensemble.indicator,
        ensemble.codes >= 0,
        ensemble.cell_clustering,
        ensemble.clustering_weights,
        ensemble.row_weights,
    )
