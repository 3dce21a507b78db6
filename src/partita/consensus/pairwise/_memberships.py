"""Memberships that methods on pairs share: random ones to start from, and those of rows that took no part in a fit."""

from typing import NamedTuple

import numpy as np

from partita._kernels import pcc_labels
from partita._labels.ensemble import Ensemble, find_distinct_rows
from partita._typing import Codes, FloatArray, IntArray


def random_memberships(n_rows: int, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Memberships (n_rows, n_clusters) drawn uniformly from the simplex (eq. C25)."""
    drawn: FloatArray = rng.dirichlet(np.ones(n_clusters), size=n_rows)
    return drawn


class FittedMemberships(NamedTuple):
    """The rows of a fit and their memberships: what new rows are placed by."""

    ensemble: Ensemble
    Y: FloatArray  # (n_rows, n_clusters)

    def of_rows(self, codes: Codes) -> FloatArray:
        """Memberships of new rows: those of equal fitted rows, else those that fit best with all of them (eq. P36)."""
        equal = match_rows(codes, self.ensemble)
        known = _mean_of_equal_rows(self.ensemble, self.Y)
        Y = known[equal]
        new = np.flatnonzero(equal < 0)
        if len(new):
            Y[new] = insert_new_rows(codes[new], self.ensemble, self.Y)
        return Y


def match_rows(codes: Codes, ensemble: Ensemble) -> IntArray:
    """First row of the ensemble that has the same labels as each new row, -1 if there is none."""
    both = find_distinct_rows(np.vstack([ensemble.codes, codes]), ensemble.n_labels)
    first = both.first[both.inverse[ensemble.n_rows :]]
    return np.where(first < ensemble.n_rows, first, -1)


def _mean_of_equal_rows(ensemble: Ensemble, Y: FloatArray) -> FloatArray:
    """Mean membership of the rows that equal each row; they differ where every object has a membership of its own."""
    distinct = find_distinct_rows(ensemble.codes, ensemble.n_labels)
    total = np.zeros((len(distinct.first), Y.shape[1]))
    np.add.at(total, distinct.inverse, Y)
    return np.asarray((total / distinct.n_objects[:, None])[distinct.inverse])


def insert_new_rows(codes: Codes, ensemble: Ensemble, Y: FloatArray) -> FloatArray:
    """Memberships of new rows that fit best, by l2 over all pairs, with the rows of an ensemble; those stay fixed."""
    new = ensemble.with_rows(codes, np.zeros(len(codes)))  # without weight, new rows leave all sums as they are
    n_tables = ensemble.n_clusterings if ensemble.has_missing or new.has_missing else 1
    sums = pcc_labels.zero_sums(len(codes), ensemble.n_cells, n_tables, Y.shape[1])
    pcc_labels.sum_labels(_row_labels(ensemble), sums._replace(Y=np.ascontiguousarray(Y)))
    pcc_labels.insert_rows(_row_labels(new), sums, np.arange(len(codes)), 0)
    return np.asarray(sums.Y)


def _row_labels(ensemble: Ensemble) -> pcc_labels.RowLabels:
    return pcc_labels.RowLabels(
        ensemble.row_starts,
        ensemble.row_cells,
        ensemble.row_clusterings,
        ensemble.row_weights,
        ensemble.clustering_weights,
    )
