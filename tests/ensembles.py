"""Ensembles for tests: with a known truth, at random, and as hypothesis strategies."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from partita import check_label_matrix
from partita.testing import Noisy, noisy_ensemble, same_partition

__all__ = ["Noisy", "codes_of", "label_matrices", "noisy_ensemble", "partitions", "same_partition"]


def label_matrices(max_rows=12, max_columns=5, max_label=3, min_label=-1, min_rows=1):
    """Small label matrices, with holes unless min_label is 0, and at least one label."""
    shape = st.tuples(st.integers(min_rows, max_rows), st.integers(1, max_columns))
    entries = st.integers(min_label, max_label)
    return shape.flatmap(lambda s: npst.arrays(np.int64, s, elements=entries)).filter(lambda X: (X >= 0).any())


def codes_of(X):
    """Codes of the columns that have a label, and the number of labels of each."""
    matrix = check_label_matrix(X[:, (X >= 0).any(axis=0)])
    return matrix.codes, matrix.n_labels


def partitions(n=None, max_label=4, min_label=0):
    length = st.integers(1, 12) if n is None else st.just(n)
    return length.flatmap(lambda k: npst.arrays(np.int64, k, elements=st.integers(min_label, max_label)))
