"""R-hat of chains and their effective sample size against the definitions (eqs. N25, N26, N52)."""

import numpy as np
import pytest

from partita._sampling import effective_sample_size, make_plan, split_r_hat


def test_plan_keeps_every_thin_th_sweep_after_the_burn_in():
    assert list(make_plan(10, None, 2).kept) == [6, 8]
    assert list(make_plan(10, 3, 3).kept) == [5, 8]
    assert list(make_plan(3, 0, 1).kept) == [0, 1, 2]
    assert list(make_plan(10, 4, 6).kept) == [9]


@pytest.mark.parametrize(("burn_in", "thin"), [(10, 1), (4, 7), (None, 6)])
def test_plan_without_any_sample_is_refused(burn_in, thin):
    with pytest.raises(ValueError, match=rf"thin={thin} leave no sample of n_sweeps=10; raise n_sweeps or lower"):
        make_plan(10, burn_in, thin)


def test_r_hat_is_the_formula_of_halves(rng):
    traces = rng.normal(size=(3, 21)) + np.array([[0.0], [0.5], [1.0]])
    halves = [half for trace in traces for half in (trace[:10], trace[11:])]
    W = np.mean([np.var(half, ddof=1) for half in halves])
    B = 10 * np.var([half.mean() for half in halves], ddof=1)
    assert split_r_hat(traces) == pytest.approx(np.sqrt((9 / 10 * W + B / 10) / W), rel=1e-12)


def test_limits_of_r_hat(rng):
    noise = rng.normal(size=(4, 20_000))
    assert split_r_hat(noise) == pytest.approx(1, abs=1e-3)
    assert split_r_hat(noise + 5 * np.arange(4)[:, None]) > 2
    assert split_r_hat(noise[:1] + np.linspace(0, 10, 20_000)) > 1.5  # one chain that still drifts
    assert split_r_hat(np.full((2, 10), 3)) == 1
    assert split_r_hat(np.array([[1] * 10, [2] * 10])) == np.inf
    assert np.isnan(split_r_hat(np.zeros((2, 3))))


def test_effective_sample_size_of_independent_and_autoregressive_draws(rng):
    """An autoregression of coefficient 0.8 has the autocorrelations 0.8^t: 1 / (1 + 2 * 4) = 1 / 9 of its draws."""
    noise = rng.normal(size=(4, 5000))
    assert effective_sample_size(noise) == pytest.approx(20_000, rel=0.05)
    chain = noise.copy()
    for t in range(1, 5000):
        chain[:, t] += 0.8 * chain[:, t - 1]
    assert effective_sample_size(chain) == pytest.approx(20_000 / 9, rel=0.25)
    assert effective_sample_size(chain + 50 * np.arange(4)[:, None]) < 20  # chains in different places


def test_limits_of_the_effective_sample_size(rng):
    assert np.isnan(effective_sample_size(np.full((2, 10), 3)))
    assert np.isnan(effective_sample_size(rng.normal(size=(2, 7))))
    alternating = np.tile([1.0, -1.0], (2, 20)) + rng.normal(size=(2, 40)) / 10
    assert effective_sample_size(alternating) == 80
