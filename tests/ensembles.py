"""Ensembles for tests: with a known truth, at random, and as hypothesis strategies."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from partita import check_label_matrix


class Noisy(NamedTuple):
    X: np.ndarray
    truth: np.ndarray


def noisy_ensemble(sizes=(30, 20, 12), n_clusterings=15, flip=0.08, missing=0.15, seed=0):
    """The truth with flipped labels, shuffled names and holes; every object keeps a label."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    rng.shuffle(truth)
    n, k = len(truth), len(sizes)
    X = np.empty((n, n_clusterings), dtype=np.int64)
    for m in range(n_clusterings):
        labels = np.where(rng.random(n) < flip, rng.integers(k, size=n), truth)
        X[:, m] = rng.permutation(k)[labels]
    holes = rng.random(X.shape) < missing
    holes[np.arange(n), rng.integers(n_clusterings, size=n)] = False
    return Noisy(np.where(holes, -1, X), truth)


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


def same_partition(a, b):
    """Whether two labellings are the same up to the names of the clusters (-1 stays -1)."""
    a, b = np.asarray(a), np.asarray(b)
    if not np.array_equal(a < 0, b < 0):
        return False
    pairs = {(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True) if x >= 0}
    return len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs})
