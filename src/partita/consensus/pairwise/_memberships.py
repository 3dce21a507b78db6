"""Memberships that methods on pairs share: random ones to start from, and those of rows that took no part in a fit."""

from typing import NamedTuple

import numpy as np

from partita._kernels import pcc_labels
from partita._labels.ensemble import Ensemble, find_distinct_rows, match_rows
from partita._stopping import until_stopped
from partita._typing import Codes, FloatArray

_SMOOTHING = 0.1  # share of the uniform membership where a run goes on from a sample: as in the starts of PCC


def random_memberships(n_rows: int, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Memberships (n_rows, n_clusters) drawn uniformly from the simplex (eq. C25)."""
    drawn: FloatArray = rng.dirichlet(np.ones(n_clusters), size=n_rows)
    return drawn


def from_sample(few: Ensemble, Y: FloatArray, ensemble: Ensemble) -> FloatArray:
    """Memberships of all rows to go on from those of a sample of objects: no cluster is ruled out for any row."""
    of_all = fitted_memberships(few, Y).of_rows(ensemble.codes)
    return np.asarray((1 - _SMOOTHING) * of_all + _SMOOTHING / Y.shape[1])


class FittedMemberships(NamedTuple):
    """Memberships of the distinct rows of a fit, and the sums over all rows by which new rows are placed."""

    ensemble: Ensemble  # distinct rows, also where the method sees every object
    Y: FloatArray  # (n_distinct, n_clusters); the mean where objects with equal rows have memberships of their own
    sums: pcc_labels.LabelSums  # over all rows of the fit; its own Y is empty

    def of_rows(self, codes: Codes) -> FloatArray:
        """Memberships of new rows: those of equal fitted rows, else those that fit best with all of them (eq. P36)."""
        equal = match_rows(self.ensemble.codes, codes)
        Y = self.Y[equal]
        new = np.flatnonzero(equal < 0)
        if len(new):
            Y[new] = insert_new_rows(codes[new], self.ensemble, self.sums)
        return Y


def fitted_memberships(ensemble: Ensemble, Y: FloatArray) -> FittedMemberships:
    """What a fitted model keeps of its rows and their memberships."""
    n_tables = ensemble.n_clusterings if ensemble.has_missing else 1
    sums = pcc_labels.zero_sums(0, ensemble.n_cells, n_tables, Y.shape[1])
    pcc_labels.sum_memberships(row_labels(ensemble), sums._replace(Y=np.ascontiguousarray(Y)))
    distinct = find_distinct_rows(ensemble.codes, ensemble.n_labels)
    if len(distinct.first) == ensemble.n_rows:
        return FittedMemberships(ensemble, Y, sums)
    total = np.zeros((len(distinct.first), Y.shape[1]))
    np.add.at(total, distinct.inverse, Y)
    row_weights = np.bincount(distinct.inverse, weights=ensemble.row_weights).astype(np.float64)
    rows = ensemble.with_rows(ensemble.codes[distinct.first], row_weights)
    return FittedMemberships(rows, np.asarray(total / distinct.n_objects[:, None]), sums)


def insert_new_rows(codes: Codes, ensemble: Ensemble, fitted: pcc_labels.LabelSums) -> FloatArray:
    """Memberships of new rows that fit best, by l2 over all pairs, with the rows of a fit; those stay fixed."""
    new = ensemble.with_rows(codes, np.zeros(len(codes)))  # without weight, new rows leave all sums as they are
    # complete rows share one table; new rows with missing labels need it once per clustering
    G = np.repeat(fitted.G, ensemble.n_clusterings, axis=0) if new.has_missing and len(fitted.G) == 1 else fitted.G
    sums = pcc_labels.LabelSums(np.zeros((len(codes), fitted.B.shape[1])), fitted.B.copy(), G.copy())
    until_stopped(pcc_labels.insert_rows, row_labels(new), sums, np.arange(len(codes)), 0)
    return np.asarray(sums.Y)


def row_labels(ensemble: Ensemble) -> pcc_labels.RowLabels:
    """Labels of the rows as the kernels need them."""
    return pcc_labels.RowLabels(
        ensemble.row_starts,
        ensemble.row_cells,
        ensemble.row_clusterings,
        ensemble.row_weights,
        ensemble.clustering_weights,
    )
