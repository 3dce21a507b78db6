"""Data without clusters that are else like the given ones: what a method finds there means nothing."""

import numpy as np

from partita._typing import Codes, FloatArray


def without_clusters(F: FloatArray, seed: int) -> FloatArray:
    """One Gaussian with the mean and the covariance of the features (as in M3C: normal along principal components)."""
    mean = F.mean(axis=0)
    _, size, axes = np.linalg.svd(F - mean, full_matrices=False)
    spread = size / np.sqrt(max(len(F) - 1, 1))
    return np.asarray(mean + (np.random.default_rng(seed).standard_normal((len(F), len(size))) * spread) @ axes)


def without_agreement(X: Codes, seed: int) -> Codes:
    """Every clustering shuffled by itself: labels as frequent as before, and nothing that two clusterings share."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.permutation(column) for column in X.T])
