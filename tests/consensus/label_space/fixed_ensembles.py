"""The ensemble of Fig. 2 of Huang, Wang and Lai (2018), 16 objects and 3 clusterings, complete and with holes.

Its contingency tables follow from the entropies printed in their Table I. The numbers in these tests were computed once
by straightforward NumPy code on the objects, not on distinct rows; the entropies agree with the printed ones.
"""

import tracemalloc

import numpy as np

from partita._labels.ensemble import Ensemble

E16 = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2],
        [0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 0, 2, 2, 2, 2, 2],
        [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 2, 2, 2, 2],
    ],
    dtype=np.int32,
).T.copy()
E16_HOLES = E16.copy()
E16_HOLES[[0, 4, 10, 15], [1, 2, 0, 1]] = -1
BOTH = {"complete": E16, "holes": E16_HOLES}


def objects(X, weights=None, row_weights=None):
    """An ensemble with one row per object."""
    n_labels = X.max(axis=0).astype(np.int64) + 1
    weights = np.ones(X.shape[1]) if weights is None else np.asarray(weights, dtype=float)
    row_weights = np.ones(len(X)) if row_weights is None else np.asarray(row_weights, dtype=float)
    return Ensemble(np.ascontiguousarray(X, dtype=np.int32), n_labels, weights, row_weights)


def distinct(X, weights=None):
    """The ensemble of its distinct rows, and the row of each object."""
    rows, inverse, size = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    n_labels = X.max(axis=0).astype(np.int64) + 1
    weights = np.ones(X.shape[1]) if weights is None else np.asarray(weights, dtype=float)
    ensemble = Ensemble(np.ascontiguousarray(rows, dtype=np.int32), n_labels, weights, size.astype(float))
    return ensemble, inverse.ravel()


def random_ensemble(n=60, m=4, n_labels=3, missing=0.2, seed=0):
    """Labels with repeated rows and holes; every object has a label."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_labels, (n, m)).astype(np.int32)
    X[rng.random(X.shape) < missing] = -1
    X[(X < 0).all(axis=1), 0] = 0
    X[:n_labels] = np.arange(n_labels)[:, None]  # every label occurs
    return X


def partition(text):
    """Labels written without spaces, numbered by first appearance."""
    return first_seen([int(letter) for letter in text])


def first_seen(labels):
    """The same partition, clusters numbered by first appearance."""
    names = {}
    return [names.setdefault(int(label), len(names)) for label in labels]


def peak_memory(run):
    """Most bytes that are held at a time while a function runs."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
