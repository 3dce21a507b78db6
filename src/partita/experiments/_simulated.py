"""Simulated data of the papers (eqs. R42, R44)."""

from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from partita._typing import FloatArray, IntArray


class FourGaussians(NamedTuple):
    """Points of four Gaussians, and the probability of each Gaussian for each point."""

    features: FloatArray  # (n, 2)
    posterior: FloatArray  # (n, 4), rows sum to 1
    component: IntArray  # (n,) Gaussian that each point was drawn from


def four_gaussians(n_per_cluster: int, seed: int) -> FourGaussians:
    """The PCC paper's simulated experiment: four Gaussians of covariance I in the plane, one mean per quadrant."""
    rng = np.random.default_rng(seed)
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    means = signs * rng.uniform(1.0, 3.0, size=(4, 2))
    component = np.repeat(np.arange(4), n_per_cluster)
    features = means[component] + rng.standard_normal((len(component), 2))
    distance = ((features[:, None, :] - means) ** 2).sum(axis=2)
    return FourGaussians(features, softmax(-distance / 2, axis=1), component)


def two_gaussians_with_outliers(n_per_cluster: int, seed: int) -> tuple[FloatArray, IntArray]:
    """The NBCE paper's synthetic data: two Gaussian clusters, and a tenth as many outliers, each in the nearer one."""
    rng = np.random.default_rng(seed)
    means = np.array([[-2.5, 0.0], [2.5, 0.0]])
    component = np.repeat([0, 1], n_per_cluster)
    inside = means[component] + rng.standard_normal((2 * n_per_cluster, 2))
    outside = rng.uniform(-8, 8, size=(max(1, n_per_cluster // 5), 2))
    nearer = ((outside[:, None, :] - means) ** 2).sum(axis=2).argmin(axis=1)
    return np.vstack([inside, outside]), np.concatenate([component, nearer])
