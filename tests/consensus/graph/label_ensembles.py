"""A label matrix as the ensemble that methods work on, for tests of the steps of a method."""

import numpy as np

from partita._labels.ensemble import Ensemble


def as_ensemble(X, clustering_weights=None, row_weights=None):
    """Rows of X, which need not be distinct, of weight 1 unless given."""
    m = X.shape[1]
    clustering_weights = np.ones(m) if clustering_weights is None else np.asarray(clustering_weights, dtype=float)
    row_weights = np.ones(len(X)) if row_weights is None else np.asarray(row_weights, dtype=float)
    return Ensemble(X.astype(np.int32), X.max(axis=0).astype(np.int64) + 1, clustering_weights, row_weights)
