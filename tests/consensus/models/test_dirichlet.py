"""Newton's method for a Dirichlet's parameters against dense algebra, differences and samples (eqs. M34 to M36)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.special import polygamma, psi
from scipy.stats import dirichlet

from partita._kernels.bce import LARGEST_ALPHA, SMALLEST_ALPHA
from partita.consensus.models import _dirichlet as module
from partita.consensus.models._dirichlet import gradient, log_likelihood, maximise_alpha, newton_direction

many_sizes = pytest.mark.parametrize("k", [2, 3, 8])


def sums_of(gamma):
    """S_h = sum_i E[log theta_ih] for theta_i ~ Dirichlet(gamma_i)."""
    return (psi(gamma) - psi(gamma.sum(axis=1, keepdims=True))).sum(axis=0)


def expected_log(alpha):
    return psi(alpha) - psi(alpha.sum())


def hessian(alpha, n):
    return n * polygamma(1, alpha.sum()) - np.diag(n * polygamma(1, alpha))


@many_sizes
def test_likelihood_is_the_sum_of_log_densities(k, rng):
    alpha, theta = rng.gamma(2.0, size=k) + 0.1, rng.dirichlet(np.ones(k), size=20)
    expected = sum(dirichlet.logpdf(row, alpha) for row in theta)
    assert log_likelihood(alpha, np.log(theta).sum(axis=0), 20.0) == pytest.approx(expected, rel=1e-10)


@many_sizes
def test_gradient_is_the_quotient_of_differences(k, rng):
    alpha, S, n = rng.gamma(2.0, size=k) + 0.1, -5 * rng.random(k), 7.5
    differences = approx_fprime(alpha, lambda a: log_likelihood(a, S, n), 1e-7)
    assert np.allclose(gradient(alpha, S, n), differences, rtol=1e-5, atol=1e-4)


@many_sizes
def test_hessian_is_the_quotient_of_differences(k, rng):
    alpha, S, n = rng.gamma(2.0, size=k) + 0.3, -5 * rng.random(k), 7.5
    differences = [(gradient(alpha + h, S, n) - gradient(alpha - h, S, n)) / 2e-6 for h in 1e-6 * np.eye(k)]
    assert np.allclose(hessian(alpha, n), differences, rtol=1e-5, atol=1e-5)


@many_sizes
def test_direction_is_the_dense_solution(k, rng):
    alpha, S, n = rng.gamma(1.0, size=k) + 0.01, -20 * rng.random(k), 12.0
    dense = np.linalg.solve(hessian(alpha, n), gradient(alpha, S, n))
    assert np.allclose(newton_direction(alpha, S, n), dense, rtol=1e-9)


def test_direction_of_the_free_parameters_is_their_dense_solution(rng):
    alpha, S, n = rng.gamma(1.0, size=6) + 0.01, -20 * rng.random(6), 12.0
    free = np.array([True, False, True, True, False, True])
    dense = np.linalg.solve(hessian(alpha, n)[np.ix_(free, free)], gradient(alpha, S, n)[free])
    direction = newton_direction(alpha, S, n, free)
    assert np.allclose(direction[free], dense, rtol=1e-9)
    assert (direction[~free] == 0).all()


@given(st.integers(2, 6), st.integers(1, 30), st.floats(-5, 5), st.integers(0, 10**6))
def test_climbs_within_the_bounds_to_where_nothing_rises(k, n, log_scale, seed):
    rng = np.random.default_rng(seed)
    S = sums_of(np.exp(log_scale) * rng.gamma(0.5, size=(n, k)) + SMALLEST_ALPHA)
    start = np.exp(rng.uniform(np.log(SMALLEST_ALPHA), 5, size=k))
    end = maximise_alpha(start, S, float(n))
    assert (end >= SMALLEST_ALPHA).all()
    assert (end <= LARGEST_ALPHA).all()
    assert log_likelihood(end, S, n) >= log_likelihood(start, S, n)
    if end.max() < 0.9 * LARGEST_ALPHA:
        slope = end * gradient(end, S, n) / n  # along log alpha, per object
        assert (slope < 1e-5).all()
        assert (np.abs(slope[end > 1.001 * SMALLEST_ALPHA]) < 1e-5).all()


def test_no_step_lowers_the_likelihood(rng, monkeypatch):
    monkeypatch.setattr(module, "_STEPS", 1)
    S = sums_of(rng.gamma(1.0, size=(3, 4)) + 0.05)
    for alpha in 10.0 ** rng.uniform(-2.5, 3, size=(50, 4)):
        for _ in range(10):
            before, alpha = log_likelihood(alpha, S, 3.0), maximise_alpha(alpha, S, 3.0)
            assert log_likelihood(alpha, S, 3.0) >= before - 1e-12 * abs(before)


@pytest.mark.parametrize("alpha", [[0.3, 2.0, 5.0], [0.05, 0.05], [30.0, 20.0, 10.0, 5.0]])
def test_parameters_of_expectations_are_found_exactly(alpha):
    alpha = np.array(alpha)
    found = maximise_alpha(np.ones(len(alpha)), 50 * expected_log(alpha), 50.0)
    assert np.allclose(found, alpha, rtol=1e-7)


def test_parameters_of_samples_are_found(rng):
    alpha = np.array([0.3, 2.0, 5.0])
    log_theta = np.log(rng.dirichlet(alpha, size=100_000)).sum(axis=0)
    assert np.allclose(maximise_alpha(np.ones(3), log_theta, 1e5), alpha, rtol=0.02)


def test_start_does_not_matter(rng):
    S = sums_of(rng.gamma(1.0, size=(25, 4)) + 0.05)
    ends = [maximise_alpha(start, S, 25.0) for start in 10.0 ** rng.uniform(-2.5, 3, size=(20, 4))]
    assert np.allclose(ends, ends[0], rtol=1e-6)


def test_cluster_that_no_object_needs_stops_at_the_lower_bound():
    gamma = np.tile([3.0, 2.0, SMALLEST_ALPHA], (10, 1))
    gamma[:5] = gamma[:5, [1, 0, 2]]
    S = sums_of(gamma)
    S[2] *= 10
    end = maximise_alpha(np.ones(3), S, 10.0)
    assert end[2] == SMALLEST_ALPHA
    assert gradient(end, S, 10.0)[2] < 0
    assert np.allclose(gradient(end, S, 10.0)[:2], 0, atol=1e-5)


@pytest.mark.parametrize("pi", [[0.5, 0.5], [0.9, 0.1], [1 - 1e-6, 1e-6], [0.7, 0.3 - 1e-9, 1e-9]])
def test_equal_objects_go_to_the_upper_bound_and_no_further(pi):
    pi = np.array(pi)
    start = np.ones(len(pi))
    end = maximise_alpha(start, 40 * np.log(pi), 40.0)
    assert end.max() == pytest.approx(LARGEST_ALPHA, rel=0.01)
    assert (end >= SMALLEST_ALPHA).all()
    assert (end <= LARGEST_ALPHA).all()
    assert np.isfinite(log_likelihood(end, 40 * np.log(pi), 40.0))


@pytest.mark.parametrize("largest", [1e3, 1e5, 1e7])
def test_upper_bound_pushes_nothing_below_the_lower(largest):
    S = 42 * expected_log(np.array([SMALLEST_ALPHA, 10.0, largest, SMALLEST_ALPHA]))
    end = maximise_alpha(np.full(4, 0.1), S, 42.0)
    assert (end >= SMALLEST_ALPHA).all()
    assert (end <= LARGEST_ALPHA).all()


def test_one_cluster_has_nothing_to_learn():
    assert maximise_alpha(np.array([0.7]), np.zeros(1), 5.0).tolist() == [0.7]
