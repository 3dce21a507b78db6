"""The Dirichlet-process mixture of spherical Gaussians, with the means integrated out (eqs. D12 to D15).

    z ~ Chinese restaurant(alpha),   mu_c ~ N(m0, rho I),   x_i ~ N(mu_{z_i}, sigma I)          sigma, rho variances

Everywhere below x stands for x - m0. With n_c points of mean xbar_c in cluster c, W the sum of squared distances to
these means, and d features,

    log p(z)     = k log alpha + sum_c log (n_c - 1)! + log Gamma(alpha) - log Gamma(alpha + n)               eq. D13
    log p(x | z) = -n d / 2 log(2 pi) - (n - k) d / 2 log sigma - W / (2 sigma)
                   - 1/2 sum_c [ d log(sigma + n_c rho) + n_c |xbar_c|^2 / (sigma + n_c rho) ]                eq. D14
    mu_c | x, z  ~ N( xbar_c / (1 + sigma / (rho n_c)),  sigma rho / (sigma + rho n_c) I )                    eq. D15

Parameters to be estimated have weak priors on the scale of the data (eq. D18), and are drawn given z and mu
(eqs. D19, D20).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from partita._kernels import dp_means
from partita._kernels import neal as kernel
from partita._kernels.neal import NealModel
from partita._typing import FloatArray, IntArray

_WITHIN = 0.1  # share of the variance that the prior of sigma expects within clusters; it weighs as much as two numbers


class GaussianClusters(NamedTuple):
    """What eqs. D13 to D15 need of an assignment."""

    size: IntArray  # (k,) none of them 0
    centroid: FloatArray  # (k, d)
    within: float  # W


class GammaPrior(NamedTuple):
    """A gamma distribution of a parameter (alpha), or of its inverse (sigma, rho: ``rate`` is then their scale)."""

    shape: float
    rate: float


class NealPriors(NamedTuple):
    """Priors of the parameters that are to be estimated, None for those that are given."""

    alpha: GammaPrior | None
    sigma: GammaPrior | None
    rho: GammaPrior | None


class SphericalMixture(NamedTuple):
    """A mixture of spherical Gaussians, as the kernels take it."""

    means: FloatArray  # (d, k)
    variance: FloatArray  # (k,)
    log_weight: FloatArray  # (k,)


def scaled_priors(points: FloatArray, estimate: tuple[bool, bool, bool]) -> NealPriors:
    """Weak priors on the scale of the data, eq. D18; any scale will do for points that are all equal."""
    variance, square = float(points.var(axis=0).mean()), float((points**2).mean())
    values = GammaPrior(1.0, 1.0), GammaPrior(1.0, _WITHIN * (variance or 1.0)), GammaPrior(1.0, square or 1.0)
    return NealPriors(*(prior if estimated else None for prior, estimated in zip(values, estimate, strict=True)))


def summarise_clusters(points: FloatArray, z: IntArray, n_clusters: int) -> GaussianClusters:
    """Sizes and means of clusters 0 to n_clusters - 1, and W."""
    size, centroid = np.empty(n_clusters, dtype=np.int64), np.empty((n_clusters, points.shape[1]))
    within = float(dp_means.means(points, z, centroid, size))
    return GaussianClusters(size, centroid, within)


def log_partition_prior(size: IntArray, alpha: float) -> float:
    """Log p(z), eq. D13."""
    return float(len(size) * np.log(alpha) + gammaln(size).sum() + gammaln(alpha) - gammaln(alpha + size.sum()))


def log_points_likelihood(clusters: GaussianClusters, model: NealModel) -> float:
    """Log p(x | z), eq. D14."""
    k, d = clusters.centroid.shape
    n, total = clusters.size.sum(), model.sigma + model.rho * clusters.size
    squared = np.einsum("kj,kj->k", clusters.centroid, clusters.centroid)
    constant = n * d * np.log(2 * np.pi) + (n - k) * d * np.log(model.sigma) + clusters.within / model.sigma
    return float(-0.5 * (constant + (d * np.log(total) + clusters.size * squared / total).sum()))


def log_points_joint(clusters: GaussianClusters, model: NealModel) -> float:
    """Log p(x, z)."""
    return log_partition_prior(clusters.size, model.alpha) + log_points_likelihood(clusters, model)


def posterior_means(clusters: GaussianClusters, model: NealModel) -> tuple[FloatArray, FloatArray]:
    """Mean (k, d) and variance (k,) of mu given x and z, eq. D15."""
    size = clusters.size.astype(np.float64)
    total = model.sigma + model.rho * size
    return clusters.centroid * (model.rho * size / total)[:, None], model.sigma * model.rho / total


def draw_means(clusters: GaussianClusters, model: NealModel, rng: np.random.Generator) -> FloatArray:
    """Draw mu given x and z: (k, d)."""
    mean, variance = posterior_means(clusters, model)
    return mean + np.sqrt(variance)[:, None] * rng.standard_normal(mean.shape)


def draw_model(
    model: NealModel, priors: NealPriors, clusters: GaussianClusters, means: FloatArray, rng: np.random.Generator
) -> NealModel:
    """Draw the parameters that are to be estimated, given z and mu (eqs. D19, D20)."""
    k, d = means.shape
    n, alpha, sigma, rho = int(clusters.size.sum()), *model
    if priors.sigma is not None:  # W and the distances of mu to the centroids add up to those of the points to mu
        squares = clusters.within + clusters.size @ ((clusters.centroid - means) ** 2).sum(axis=1)
        sigma = (priors.sigma.rate + 0.5 * squares) / rng.gamma(priors.sigma.shape + 0.5 * n * d)
    if priors.rho is not None:
        rho = (priors.rho.rate + 0.5 * (means**2).sum()) / rng.gamma(priors.rho.shape + 0.5 * k * d)
    if priors.alpha is not None:
        alpha = draw_alpha(alpha, k, n, priors.alpha, rng)
    return NealModel(float(alpha), float(sigma), float(rho))


def draw_alpha(alpha: float, k: int, n: int, prior: GammaPrior, rng: np.random.Generator) -> float:
    """Draw alpha given the number of clusters, eq. D20."""
    rate = prior.rate - np.log(rng.beta(alpha + 1.0, n))
    odds = (prior.shape + k - 1.0) / (n * rate)
    more = rng.random() * (1.0 + odds) < odds
    return float(rng.gamma(prior.shape + k - (0.0 if more else 1.0)) / rate)


def log_hyper_prior(model: NealModel, priors: NealPriors) -> float:
    """Log density of the logs of the estimated parameters, up to a constant, so that no unit is preferred (eq. D24)."""
    value = 0.0
    if priors.alpha is not None:
        value += priors.alpha.shape * np.log(model.alpha) - priors.alpha.rate * model.alpha
    for inverse, parameter in ((priors.sigma, model.sigma), (priors.rho, model.rho)):
        if inverse is not None:
            value -= inverse.shape * np.log(parameter) + inverse.rate / parameter
    return float(value)


def mixture_of(clusters: GaussianClusters, model: NealModel, *, new: bool) -> SphericalMixture:
    """Where the next point will be, given x and z (eq. D29); with ``new`` it may also open a cluster (eq. D30)."""
    mean, variance = posterior_means(clusters, model)
    weight, variance = clusters.size.astype(np.float64), variance + model.sigma
    if new:
        mean = np.vstack([mean, np.zeros(mean.shape[1])])
        weight, variance = np.append(weight, model.alpha), np.append(variance, model.rho + model.sigma)
    return SphericalMixture(np.ascontiguousarray(mean.T), variance, np.log(weight / weight.sum()))


def membership(points: FloatArray, mixture: SphericalMixture) -> FloatArray:
    """Probability of each component."""
    member = np.empty((len(points), len(mixture.variance)))
    # of a model that was read from a file the arrays can be read-only, for which kernels would be compiled again
    kernel.posterior_gaussian(points, *(np.array(part) for part in mixture), member)
    return member


def log_density(points: FloatArray, mixture: SphericalMixture) -> FloatArray:
    """Log density of each point."""
    out = np.empty(len(points))
    kernel.log_density(points, *mixture, out)
    return out
