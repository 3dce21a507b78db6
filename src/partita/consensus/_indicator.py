"""The sparse indicator of an ensemble: one column a label of any clustering, 1 where a row has it."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from partita._ensemble import Ensemble, list_labels
from partita._typing import Codes, FloatArray, IntArray


class Indicator(NamedTuple):
    """H, and what its columns are."""

    H: Any  # (n_rows, n_cells) csr
    column: IntArray  # (n_cells,) clustering of each label
    size: FloatArray  # (n_cells,) weight of the rows with each label
    cell_weight: FloatArray  # (n_cells,) weight of each label's clustering


def indicator(ensemble: Ensemble) -> Indicator:
    """H of the weighted rows; labels that no row has are columns of zeros."""
    listed = list_labels(ensemble.codes, ensemble.n_labels)
    shape = (len(ensemble.codes), int(ensemble.n_labels.sum()))
    H = sparse.csr_array((np.ones(len(listed.cells)), listed.cells, listed.start), shape=shape)
    column = np.repeat(np.arange(len(ensemble.n_labels)), ensemble.n_labels)
    return Indicator(H, column, np.asarray(H.T @ ensemble.counts), ensemble.weights[column])


def sum_over_labels(codes: Codes, n_labels: IntArray, table: FloatArray) -> FloatArray:
    """Sum of the rows of a table of labels over the labels that each row of codes has."""
    listed = list_labels(codes, n_labels)
    H = sparse.csr_array((np.ones(len(listed.cells)), listed.cells, listed.start), shape=(len(codes), len(table)))
    return np.asarray(H @ table)


def through_labels(ensemble: Ensemble, of: Indicator) -> Any:
    """A with W = A A': H H' / M, or C_ij M / (N_i N_j) with missing labels."""
    share = (ensemble.codes >= 0) @ ensemble.weights / ensemble.weights.sum()  # N_i / M
    return sparse.csr_array(sparse.diags_array(1 / share) @ (of.H * np.sqrt(of.cell_weight / ensemble.weights.sum())))
