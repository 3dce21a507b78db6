"""Tables with one row a label of any clustering and one column a cluster: what models of labels are made of."""

from typing import NamedTuple

import numpy as np

from partita._typing import FloatArray, IntArray


class Layout(NamedTuple):
    """Where the labels of each clustering are among the rows ("cells") of a table."""

    first: IntArray  # (n_clusterings,) first cell
    column: IntArray  # (n_cells,) clustering of each cell

    @property
    def n_cells(self) -> int:
        """Labels of all clusterings together."""
        return len(self.column)


def lay_out(n_labels: IntArray) -> Layout:
    """Labels of the first clustering, of the second, ..."""
    first = np.concatenate([[0], np.cumsum(n_labels)[:-1]])
    return Layout(first.astype(np.int64), np.repeat(np.arange(len(n_labels)), n_labels))


def column_sums(table: FloatArray, layout: Layout) -> FloatArray:
    """Sum of a table over the labels of each clustering: (n_clusterings, k)."""
    return np.asarray(np.add.reduceat(table, layout.first, axis=0))


def normalise(mass: FloatArray, layout: Layout, previous: FloatArray) -> FloatArray:
    """Probabilities of the labels of each clustering; a cluster without mass there keeps its previous ones."""
    total = column_sums(mass, layout)[layout.column]
    return np.divide(mass, total, out=previous.copy(), where=total > 0)


def by_clustering(table: FloatArray, layout: Layout, order: IntArray) -> list[FloatArray]:
    """The table as one (k, labels) array a clustering, clusters in the given order."""
    return [np.ascontiguousarray(part[:, order].T) for part in np.split(table, layout.first[1:])]
