"""The Dirichlet-process mixture of Gaussians against one big Gaussian (eqs. D12 to D15, D18, D20)."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import gamma, invgamma

from partita._kernels.neal import NealModel
from partita.dirichlet_process import _dp_gaussian_model as module
from partita.dirichlet_process._dp_gaussian_model import GammaPrior, NealPriors, scaled_priors
from tests.consensus.nbce.nbce_reference import within_monte_carlo_error
from tests.dirichlet_process import dirichlet_process_reference as reference
from tests.dirichlet_process.dirichlet_process_reference import FOUR

GIVEN = NealPriors(None, None, None)


@pytest.mark.parametrize("model", [NealModel(1.0, 0.5, 2.0), NealModel(0.3, 3.0, 0.1), NealModel(7.0, 1e-3, 40.0)])
def test_log_joint_is_that_of_one_big_gaussian(model, rng):
    points = rng.normal(size=(7, 3))
    for _ in range(20):
        z = np.array(reference.canonical(rng.integers(4, size=7)))
        clusters = module.summarise_clusters(points, z, z.max() + 1)
        assert module.log_points_joint(clusters, model) == pytest.approx(
            reference.log_joint(points, z, model), rel=1e-9
        )
        assert module.log_partition_prior(clusters.size, model.alpha) == pytest.approx(
            reference.log_prior(z, model.alpha)
        )


def test_predictive_density_is_a_ratio_of_joints(rng):
    points, model = rng.normal(size=(6, 2)), NealModel(0.7, 0.4, 2.0)
    z, new = np.array([0, 0, 1, 1, 1, 2]), rng.normal(size=(5, 2))
    clusters = module.summarise_clusters(points, z, 3)
    density = module.log_density(new, module.mixture_of(clusters, model, new=True))
    member = module.membership(new, module.mixture_of(clusters, model, new=False))
    for i, x in enumerate(new):
        joint = [reference.log_joint(np.vstack([points, x]), np.append(z, k), model) for k in range(4)]
        assert density[i] == pytest.approx(logsumexp(joint) - reference.log_joint(points, z, model), rel=1e-10)
        assert np.allclose(member[i], np.exp(joint[:3] - logsumexp(joint[:3])), rtol=1e-9)


def test_means_have_their_conditional_moments(rng):
    points, model = FOUR, NealModel(1.0, 0.5, 2.0)
    clusters = module.summarise_clusters(points, np.array([0, 0, 0, 1]), 2)
    draws = np.array([module.draw_means(clusters, model, rng) for _ in range(20_000)])
    for k, n in enumerate((3, 1)):
        mean = clusters.centroid[k] / (1 + model.sigma / (model.rho * n))
        variance = model.sigma * model.rho / (model.sigma + model.rho * n)
        assert within_monte_carlo_error(draws[:, k], mean)
        assert within_monte_carlo_error((draws[:, k] - mean) ** 2, variance)


def test_alpha_has_its_posterior_given_the_number_of_clusters(rng):
    prior, n, k = GammaPrior(1.5, 0.8), 30, 4
    grid = np.linspace(1e-4, 40, 200_000)
    logs = (prior.shape - 1 + k) * np.log(grid) - prior.rate * grid - sum(np.log(grid + i) for i in range(n))
    p = np.exp(logs - logsumexp(logs))
    alpha, draws = 1.0, []
    for _ in range(30_000):
        alpha = module.draw_alpha(alpha, k, n, prior, rng)
        draws.append((alpha, np.log(alpha), alpha**2))
    assert within_monte_carlo_error(draws, [p @ grid, p @ np.log(grid), p @ grid**2])


def test_log_hyper_prior_is_the_density_of_the_logs():
    priors = NealPriors(GammaPrior(1.0, 1.0), GammaPrior(1.0, 0.3), GammaPrior(1.0, 5.0))
    dists = (gamma(1.0), invgamma(1.0, scale=0.3), invgamma(1.0, scale=5.0))

    def explicit(model):
        return sum(dist.logpdf(x) + np.log(x) for dist, x in zip(dists, model, strict=True))

    one, other = NealModel(0.5, 0.2, 3.0), NealModel(2.0, 1.0, 8.0)
    difference = module.log_hyper_prior(one, priors) - module.log_hyper_prior(other, priors)
    assert difference == pytest.approx(explicit(one) - explicit(other))
    assert module.log_hyper_prior(one, GIVEN) == 0


def test_priors_are_those_of_the_documentation(rng):
    points = rng.normal(size=(50, 3)) * 2
    priors = scaled_priors(points, (True, True, True))
    assert priors.alpha == (1.0, 1.0)
    assert priors.sigma == (1.0, pytest.approx(points.var(axis=0).mean() / 10))
    assert priors.rho == (1.0, pytest.approx((points**2).mean()))
