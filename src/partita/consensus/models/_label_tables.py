"""Tables with one row a label of any clustering and one column a cluster: what models of labels are made of."""

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._typing import FloatArray, IntArray


def column_sums(table: FloatArray, layout: Ensemble) -> FloatArray:
    """Sum of a table over the labels of each clustering: (n_clusterings, k)."""
    return np.asarray(np.add.reduceat(table, layout.first_cell, axis=0))


def normalise(mass: FloatArray, layout: Ensemble, previous: FloatArray) -> FloatArray:
    """Probabilities of the labels of each clustering; a cluster without mass there keeps its previous ones."""
    total = column_sums(mass, layout)[layout.cell_clustering]
    return np.divide(mass, total, out=previous.copy(), where=total > 0)


def by_clustering(table: FloatArray, layout: Ensemble, order: IntArray) -> list[FloatArray]:
    """The table as one (k, labels) array a clustering, clusters in the given order."""
    return [np.ascontiguousarray(part[:, order].T) for part in np.split(table, layout.first_cell[1:])]
