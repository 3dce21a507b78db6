"""A chain of collapsed Gibbs sampling against enumerated posteriors (eqs. N9 to N18)."""

import numpy as np
import pytest
from scipy.special import logsumexp

from partita._runs import progress
from partita._sampling import SamplingPlan
from partita.consensus.nbce._gibbs_chain import ChainSettings, GibbsSampler, climb_from, run_chain
from tests.consensus.nbce import nbce_reference as reference
from tests.consensus.nbce.nbce_reference import (
    PRIORS,
    TINY,
    Posterior,
    make_ensemble,
    make_model,
    within_monte_carlo_error,
)
from tests.ensembles import same_partition


def sampler_of(X, z, n_clusters, model):
    return GibbsSampler(make_ensemble(X, model), model, np.asarray(z), n_clusters)


def random_labels(rng, n=12, missing=0.3, n_labels=(3, 2, 4, 2)):
    X = np.column_stack([rng.integers(size, size=n) for size in n_labels])
    X = np.where(rng.random(X.shape) < missing, -1, X)
    X[5] = -1
    return X


def sample(sampler, n_sweeps, rng, *, swap=False, estimate=(False, False)):
    """Assignments, and alpha0 and beta, after every sweep."""
    draws, parameters = np.empty((n_sweeps, sampler.n), dtype=int), np.empty((n_sweeps, 2))
    for t in range(n_sweeps):
        sampler.sweep(rng.random(sampler.n))
        if swap:
            sampler.swap(rng)
        sampler.draw_parameters(estimate, rng)
        draws[t], parameters[t] = sampler.state.z, (sampler.model.alpha0, sampler.model.beta)
    return draws, parameters


# conditionals and sweeps


@pytest.mark.parametrize("weights", [None, [1.0, 0.3, 2.0, 1.7]])
@pytest.mark.parametrize("alpha0", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("prior", PRIORS)
def test_conditional_is_a_ratio_of_joints(prior, alpha0, weights, rng):
    X = random_labels(rng)
    model = make_model([3, 2, 4, 2], prior, alpha0=alpha0, weights=weights)
    for n_clusters, used in ((6, 3), (4, 4), (1, 1), (12, 12)):
        z = rng.permutation(np.arange(12) % used)
        sampler = sampler_of(X, z, n_clusters, model)
        for i in range(12):
            expected = reference.conditional(X, z, i, n_clusters, model)
            assert np.allclose(sampler.conditional(i), expected, atol=1e-12)


@pytest.mark.parametrize("prior", PRIORS)
def test_tables_stay_what_they_are_when_made_anew(prior, rng):
    X = random_labels(rng, n=40)
    model = make_model([3, 2, 4, 2], prior, alpha0=2.0, weights=[1.0, 0.3, 2.0, 1.7])
    sampler = sampler_of(X, rng.integers(5, size=40), 20, model)
    sample(sampler, 200, rng, swap=prior == "tsb", estimate=(True, True))
    anew = sampler_of(X, sampler.state.z, 20, sampler.model)
    for ours, theirs in zip(sampler.state, anew.state, strict=True):
        assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    z = sampler.state.z.copy()
    for i in range(40):
        assert np.allclose(sampler.conditional(i), reference.conditional(X, z, i, 20, sampler.model), atol=1e-12)
    assert sampler.log_joint() == pytest.approx(reference.log_joint(X, z, 20, sampler.model), rel=1e-11)


def draw_slowly(X, z, i, n_clusters, model, uniform):
    """A label by the inverse of the distribution function; under a Dirichlet all new labels are one, and come last."""
    p, size = reference.conditional(X, z, i, n_clusters, model), np.bincount(np.delete(z, i), minlength=n_clusters)
    if model.prior == "tsb":
        return int(np.searchsorted(np.cumsum(p), uniform, side="right"))
    occupied = np.flatnonzero(size)
    place = int(np.searchsorted(np.cumsum(p[occupied]), uniform, side="right"))
    if place < len(occupied):
        return int(occupied[place])
    return int(z[i]) if size[z[i]] == 0 else int(np.flatnonzero(size == 0)[0])


@pytest.mark.parametrize("n_clusters", [3, 8])
@pytest.mark.parametrize("prior", PRIORS)
def test_sweep_draws_each_object_from_its_conditional(prior, n_clusters, rng):
    X, model = random_labels(rng), make_model([3, 2, 4, 2], prior, alpha0=1.5)
    z = rng.integers(3, size=12)
    sampler = sampler_of(X, z, n_clusters, model)
    for _ in range(30):
        uniform = rng.random(12)
        n_moved, before = sampler.sweep(uniform), z.copy()
        for i in range(12):
            z[i] = draw_slowly(X, z, i, n_clusters, model, uniform[i])
        assert np.array_equal(sampler.state.z, z)
        assert n_moved >= (z != before).sum()


@pytest.mark.parametrize("prior", PRIORS)
def test_object_unlike_all_clusters_is_drawn_right_when_no_label_is_left(prior, rng):
    """Both labels of the truncation are taken, and an empty cluster, which there is not, would fit far better."""
    X = np.repeat([[0] * 60, [1] * 60, [1] * 10 + [2] * 50], [100, 100, 1], axis=0)
    z = np.repeat([0, 1, 1], [100, 100, 1])
    sampler = sampler_of(X, z, 2, make_model([2] * 10 + [3] * 50, prior))
    assert sampler.conditional(200)[1] > 1 - 1e-12
    sampler.sweep(rng.random(201))
    assert np.array_equal(sampler.state.z, z)


def test_new_labels_of_sticks_are_drawn_by_their_prior(rng):
    """One object without labels: its cluster is drawn from E[pi]."""
    model = make_model([2], "tsb", alpha0=2.5)
    sampler = sampler_of([[-1]], [0], 6, model)
    draws = sample(sampler, 20_000, rng)[0][:, 0]
    expected = reference.conditional(np.array([[-1]]), [0], 0, 6, model)
    assert within_monte_carlo_error(draws[:, None] == np.arange(6), expected)


# long runs


@pytest.mark.parametrize(("n", "n_clusters"), [(5, 3), (4, 6)])
@pytest.mark.parametrize(("prior", "swap"), [("fsd", False), ("tsb", False), ("tsb", True)])
def test_long_run_has_the_posterior_of_partitions(prior, swap, n, n_clusters, rng):
    X, model = TINY[:n], make_model([2, 2, 2], prior, weights=[1.0, 2.0, 1.0])
    posterior = Posterior(X, n_clusters, model)
    draws = sample(sampler_of(X, [0] * n, n_clusters, model), 30_000, rng, swap=swap)[0]
    upper = np.triu_indices(n, 1)
    together = (draws[:, :, None] == draws[:, None, :])[:, upper[0], upper[1]]
    assert within_monte_carlo_error(together, posterior.coassignment()[upper])
    found = np.array([len(set(z)) for z in draws.tolist()])
    assert within_monte_carlo_error(found[:, None] == np.arange(n_clusters + 1), posterior.n_clusters_distribution())


@pytest.mark.parametrize("swap", [False, True])
def test_long_run_has_the_posterior_of_labels_under_stick_breaking(swap, rng):
    model = make_model([2, 2, 2], "tsb", alpha0=1.3)
    posterior = Posterior(TINY, 4, model)
    draws = sample(sampler_of(TINY, [0] * 5, 4, model), 30_000, rng, swap=swap)[0]
    assert within_monte_carlo_error(draws[:, :, None] == np.arange(4), posterior.label_distribution())


@pytest.mark.parametrize(("n", "n_clusters"), [(1, 3), (3, 4)])
def test_swaps_leave_the_prior_of_sticks_as_it_is(n, n_clusters, rng):
    """Assignments drawn from p(Z), after one round of swaps, are still drawn from p(Z)."""
    model, X = make_model([2], "tsb", alpha0=1.0), np.full((n, 1), -1)
    Z = reference.assignments(n, n_clusters)
    p = np.exp([reference.log_prior(z, n_clusters, model) for z in Z])
    sampler, seen = sampler_of(X, Z[0], n_clusters, model), []
    for start in rng.choice(len(Z), size=20_000, p=p / p.sum()):
        sampler.state.z[:] = Z[start]
        sampler.state.size[:] = np.bincount(Z[start], minlength=n_clusters)
        sampler.swap(rng)
        seen.append(sampler.state.z @ n_clusters ** np.arange(n)[::-1])
    frequency = np.bincount(seen, minlength=len(Z)) / len(seen)
    assert (np.abs(frequency - p) <= 4 * np.sqrt(p * (1 - p) / len(seen))).all()


def test_swaps_keep_the_partition_and_the_likelihood(rng):
    X = random_labels(rng)
    sampler = sampler_of(X, rng.integers(4, size=12), 6, make_model([3, 2, 4, 2], "tsb"))
    before, value = sampler.state.z.copy(), reference.log_likelihood(X, sampler.state.z, sampler.model)
    moved = 0
    for _ in range(50):
        sampler.swap(rng)
        moved += not np.array_equal(sampler.state.z, before)
        assert same_partition(sampler.state.z, before)
        assert np.array_equal(sampler.state.size, np.bincount(sampler.state.z, minlength=6))
    assert moved > 0
    assert reference.log_likelihood(X, sampler.state.z, sampler.model) == pytest.approx(value)
    assert np.allclose(sampler.conditional(3), reference.conditional(X, sampler.state.z, 3, 6, sampler.model))


def hyper_posterior(X, n_clusters, model, grid):
    """p(alpha0, beta | Y) on a grid of logs under Gamma(1, 1), with the assignments summed out."""
    Z = reference.assignments(len(X), n_clusters)
    of_prior = [[reference.log_prior(z, n_clusters, model._replace(alpha0=a)) for z in Z] for a in grid]
    of_labels = [[reference.log_likelihood(X, z, model._replace(beta=b)) for z in Z] for b in grid]
    logs = logsumexp(np.array(of_prior)[:, None] + np.array(of_labels)[None], axis=2)
    logs += (np.log(grid) - grid)[:, None] + (np.log(grid) - grid)[None]
    return np.exp(logs - logsumexp(logs))


@pytest.mark.parametrize("prior", PRIORS)
def test_sampled_parameters_have_their_posterior(prior, rng):
    X = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, -1]])
    model, grid = make_model([2, 2, 2], prior), np.exp(np.linspace(np.log(1e-3), np.log(30), 60))
    p = hyper_posterior(X, 3, model, grid)
    sampler = sampler_of(X, [0, 0, 1, 2], 3, model)
    parameters = sample(sampler, 25_000, rng, estimate=(True, True))[1]
    logs = np.log(grid)
    means = [p.sum(axis=1) @ grid, p.sum(axis=0) @ grid, p.sum(axis=1) @ logs, p.sum(axis=0) @ logs]
    assert within_monte_carlo_error(np.hstack([parameters, np.log(parameters)]), means, n_batches=25)
    fixed = sample(sampler, 10, rng, estimate=(True, False))[1]
    assert len(set(fixed[:, 1])) == 1
    assert len(set(fixed[:, 0])) > 1


# the best assignment


@pytest.mark.parametrize("alpha0", [0.3, 1.0, 8.0])
@pytest.mark.parametrize("prior", PRIORS)
def test_climb_never_lowers_the_joint_and_ends_where_no_move_improves(prior, alpha0, rng):
    for n_clusters in (1, 2, 3, 5, 12):
        X, z = random_labels(rng), rng.integers(min(n_clusters, 4), size=12)
        model = make_model([3, 2, 4, 2], prior, alpha0=alpha0, weights=[1.0, 0.5, 1.0, 2.0])
        sampler = sampler_of(X, np.zeros(12, dtype=int), n_clusters, model)
        end, _, value = climb_from(sampler, z, model)
        assert value == pytest.approx(reference.log_joint(X, end, n_clusters, model), rel=1e-11)
        assert value >= reference.log_joint(X, z, n_clusters, model) - 1e-9
        for i in range(12):
            p = reference.conditional(X, end, i, n_clusters, model)
            assert p[end[i]] >= p.max() * (1 - 1e-9)


def test_climb_finds_the_last_label_of_sticks():
    """What is left of the stick is more than the next piece if alpha0 is large and the truncation small."""
    model, X = make_model([2, 2, 2], "tsb", alpha0=8.0), np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0]])
    end = climb_from(sampler_of(X, [0, 0, 0], 5, model), np.zeros(3, dtype=int), model)[0]
    for i in range(3):
        p = reference.conditional(X, end, i, 5, model)
        assert p[end[i]] >= p.max() * (1 - 1e-9)


def test_climb_from_the_mode_stays_there():
    for prior in PRIORS:
        posterior = Posterior(TINY, 3, make_model([2, 2, 2], prior))
        mode = posterior.Z[posterior.log_joint.argmax()]
        end, _, value = climb_from(sampler_of(TINY, [0] * 5, 3, posterior.model), mode, posterior.model)
        assert np.array_equal(end, mode)
        assert value == pytest.approx(posterior.log_joint.max())


@pytest.mark.parametrize("prior", PRIORS)
def test_best_sample_of_a_long_chain_is_the_mode(prior):
    posterior = Posterior(TINY, 3, make_model([2, 2, 2], prior))
    sampler = sampler_of(TINY, [0, 1, 2, 0, 1], 3, posterior.model)
    with progress(400, "", show=False) as bar:
        settings = ChainSettings(SamplingPlan(400, 100, 3), True, (False, False), True)
        chain = run_chain(sampler, settings, 0, bar)
    assert chain.mode.log_joint == pytest.approx(posterior.log_joint.max(), rel=1e-10)
    assert chain.samples.shape == (100, 5)
    assert len(chain.models) == len(chain.occupancies) == 100
    assert (chain.log_joint <= posterior.log_joint.max() + 1e-9).all()
