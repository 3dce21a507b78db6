"""Clusters of features when their number is not known, with a Dirichlet process.

| name                  | what                                              | cost                              |
|-----------------------|---------------------------------------------------|-----------------------------------|
| DPMeans               | k-means with a penalty on each cluster            | n k d per sweep                   |
| dp_means_path         | its clusterings for many penalties: an ensemble   | n k d per sweep and penalty       |
| farthest_first_lambda | the penalty for about k clusters                  | n k d                             |
| DPGaussianMixture     | Bayesian mixture of spherical Gaussians, sampled  | n k d per sweep of a chain        |
"""

from partita.dirichlet_process._dp_gaussian_mixture import DPGaussianMixture
from partita.dirichlet_process._dp_means import DPMeans, farthest_first_lambda
from partita.dirichlet_process._dp_means_path import DPMeansPath, dp_means_path

__all__ = ["DPGaussianMixture", "DPMeans", "DPMeansPath", "dp_means_path", "farthest_first_lambda"]
