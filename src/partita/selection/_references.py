"""Data without clusters that are otherwise like the given ones (eqs. I56, I57)."""

from collections.abc import Callable

import numpy as np

from partita._typing import Codes, FloatArray


def gaussian_cloud(F: FloatArray, seed: int) -> FloatArray:
    """One Gaussian with the mean and the covariance of the features (as in M3C: normal along principal axes)."""
    rng = np.random.default_rng(seed)
    return _along_axes(F, lambda scores: rng.standard_normal(scores.shape) * scores.std(axis=0, ddof=1))


def uniform_cloud(F: FloatArray, seed: int) -> FloatArray:
    """Uniform in the box around the features along their principal axes (as for the gap statistic)."""
    rng = np.random.default_rng(seed)
    return _along_axes(F, lambda scores: rng.uniform(scores.min(axis=0), scores.max(axis=0), size=scores.shape))


def _along_axes(F: FloatArray, draw: Callable[[FloatArray], FloatArray]) -> FloatArray:
    mean = F.mean(axis=0)
    axes = np.linalg.svd(F - mean, full_matrices=False)[2]
    return np.asarray(mean + draw((F - mean) @ axes.T) @ axes)


def without_agreement(X: Codes, seed: int) -> Codes:
    """The labels of every clustering, shuffled among the objects that it labels: as frequent as before, no agreement.

    Missing labels stay where they are: if they have a pattern, the references have it as well.
    """
    rng = np.random.default_rng(seed)
    shuffled = X.copy()
    for column in shuffled.T:
        column[column >= 0] = rng.permutation(column[column >= 0])
    return shuffled
