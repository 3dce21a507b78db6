"""The space of one-hot labels, which is never formed.

A row of labels is the concatenation of one indicator vector per clustering; where a label is missing, the vector of
that clustering is the mean over the objects that have one. With mu_j that mean and t_hj the part of centre h that
belongs to clustering j, a row x is at squared distance

    sum_j u_j * ( 1 - 2 t_hj[x_j] + |t_hj|^2   if x_j is observed,
                  |mu_j - t_hj|^2              if it is missing )                                    (eq. M15)

from centre h. Each term depends on the label alone, so a table with one row per label, and one row per clustering for
its missing labels, gives all distances by look-up.
"""

from typing import NamedTuple

import numpy as np

from partita._kernels.label_kmeans import LabelSpace, fill_table
from partita._labels.ensemble import Ensemble
from partita._stopping import check_stop
from partita._typing import Codes, FloatArray, IntArray

_TINY = np.finfo(float).tiny  # instead of 0 in divisors


class OneHotSpace(NamedTuple):
    """The space that rows of labels are points of: one axis per cell of the ensemble.

    Missing labels have cells of their own, one per clustering, after those of the labels: they are not axes, but rows
    of the table of distances.
    """

    layout: Ensemble  # without rows; its clustering weights scale the axes
    mean: FloatArray  # (n_cells,) share of each label among the observed ones: mu

    @property
    def missing_cells(self) -> IntArray:
        """Cell of a missing label of each clustering, (n_clusterings,)."""
        return np.arange(self.layout.n_cells, self.layout.n_cells + self.layout.n_clusterings)

    @property
    def n_all_cells(self) -> int:
        """Cells of labels and of missing labels."""
        return self.layout.n_cells + self.layout.n_clusterings

    def to_cells(self, codes: Codes) -> Codes:
        """Cell of each label, (n_rows, n_clusterings)."""
        check_stop()
        return np.where(codes >= 0, codes + self.layout.first_cell, self.missing_cells).astype(np.int32)

    def for_kernels(self) -> LabelSpace:
        """The space as the kernels need it."""
        layout = self.layout
        length = sum_per_clustering(self.mean**2, layout)[layout.cell_clustering]  # |mu|^2
        from_mean = layout.cell_weights * np.maximum(1 - 2 * self.mean + length, 0.0)
        return LabelSpace(np.append(layout.first_cell, layout.n_cells), layout.clustering_weights, self.mean, from_mean)

    def sizes(self, mass: FloatArray) -> FloatArray:
        """Weight of each cluster: of the cells of one clustering, its missing labels included, (k,)."""
        first = mass[:, : self.layout.n_labels[0]].sum(axis=1)
        return np.asarray(first + mass[:, self.layout.n_cells])

    def centers(self, mass: FloatArray) -> FloatArray:
        """Centres are means; a missing label counts as the mean indicator of its clustering   (eq. M16)."""
        n_cells = self.layout.n_cells
        absent = mass[:, n_cells:][:, self.layout.cell_clustering]
        total = mass[:, :n_cells] + absent * self.mean
        return np.asarray(total / np.maximum(self.sizes(mass), _TINY)[:, None])


def sum_per_clustering(values: FloatArray, layout: Ensemble) -> FloatArray:
    """Sum of (..., n_cells) values over the labels of each clustering, (..., n_clusterings)."""
    return np.asarray(np.add.reduceat(values, layout.first_cell, axis=-1))


def one_hot_space(ensemble: Ensemble) -> OneHotSpace:
    """The space of an ensemble, with the mean indicator of each clustering."""
    total = sum_per_clustering(ensemble.cell_mass, ensemble)[ensemble.cell_clustering]
    return OneHotSpace(ensemble.layout, ensemble.cell_mass / np.maximum(total, _TINY))


def distance_table(centers: FloatArray, space: OneHotSpace) -> FloatArray:
    """Squared distance that each cell adds, for each centre: (n_cells + n_clusterings, k)   (eq. M15)."""
    table = np.empty((space.n_all_cells, len(centers)))
    mass = np.hstack([centers, np.zeros((len(centers), space.layout.n_clusterings))])
    fill_table(mass, np.ones(len(centers)), space.for_kernels(), table)
    return table
