"""Moves of a partition, sticks and parameters against enumerated posteriors (eqs. N9, N10, N15, N18, N45 to N50)."""

import numpy as np
import pytest
from scipy.special import logsumexp

from partita.consensus.nbce._partition_sampler import PartitionSampler, sort_objects
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

MOVES = {"objects": (1, 0, 0), "pairs": (0, 1, 0), "rows": (0, 0, 1), "all": (1, 2, 1)}
EQUAL = np.array([[0, 0, 1], [0, 0, -1], [1, -1, 0], [0, 0, 1], [1, -1, 0], [0, 0, 1]])  # three rows, with holes
WEIGHTS = [1.0, 2.0, 0.7]


def sampler_of(X, z, n_clusters, model, seed=0, heat=1.0):
    return PartitionSampler(sort_objects(make_ensemble(X, model)), model, np.asarray(z), n_clusters, seed, heat)


def random_labels(rng, n=12, missing=0.3, n_labels=(3, 2, 4, 2)):
    X = np.column_stack([rng.integers(size, size=n) for size in n_labels])
    X = np.where(rng.random(X.shape) < missing, -1, X)
    X[5] = -1
    return X


def sample(sampler, n_sweeps, rng, *, moves=MOVES["all"], estimate=(False, False)):
    """Assignments, and alpha0 and beta, after every sweep."""
    draws, parameters = np.empty((n_sweeps, sampler.n), dtype=int), np.empty((n_sweeps, 2))
    for t in range(n_sweeps):
        sampler.draw_parameters(estimate, rng)
        sampler.sweep(1, moves)
        draws[t], parameters[t] = sampler.z, (sampler.model.alpha0, sampler.model.beta)
    return draws, parameters


def partitions(Z):
    """Number of the partition of each assignment."""
    names = [tuple({label: i for i, label in reversed(list(enumerate(z)))}[label] for label in z) for z in Z.tolist()]
    return np.unique(names, axis=0, return_inverse=True)[1].ravel()


def chi_square(found, p):
    """Sum over outcomes of (found - expected)^2 / expected, in deviations from its mean; rare outcomes are one."""
    expected = p * found.sum()
    rare = expected < 5
    found, expected = (np.append(x[~rare], x[rare].sum()) for x in (found, expected))
    found, expected = found[expected > 0], expected[expected > 0]
    free = len(expected) - 1
    return (((found - expected) ** 2 / expected).sum() - free) / np.sqrt(2 * free)


# moves


@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("n", "n_clusters", "alpha0", "heat"), [(5, 3, 1.3, 1.0), (6, 4, 2.5, 1.0), (6, 3, 0.4, 0.3)])
def test_moves_leave_the_posterior_as_it_is(n, n_clusters, alpha0, heat, prior, moves, rng):
    """Assignments drawn from the posterior, after six sweeps, are still drawn from it: with holes and weights."""
    X, model = EQUAL[:n], make_model([2, 2, 2], prior, alpha0=alpha0, weights=WEIGHTS)
    of_heat = make_model([2, 2, 2], prior, alpha0=alpha0, weights=heat * np.array(WEIGHTS))
    posterior = Posterior(X, n_clusters, of_heat)
    sampler, ends = sampler_of(X, [0] * n, n_clusters, model, 5, heat), []
    for start in rng.choice(len(posterior.Z), size=3000, p=posterior.probability):
        sampler.set_z(posterior.Z[start])
        sampler.sweep(6, MOVES[moves])
        ends.append(sampler.z @ n_clusters ** np.arange(n)[::-1])
    found = np.bincount(ends, minlength=len(posterior.Z))
    of = partitions(posterior.Z)
    assert abs(chi_square(np.bincount(of, found), np.bincount(of, posterior.probability))) < 4
    if prior == "tsb":  # labels too; under a Dirichlet they are any
        assert abs(chi_square(found, posterior.probability)) < 4


@pytest.mark.parametrize("n_clusters", [2, 3, 8])
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("X", [TINY, EQUAL], ids=["distinct", "equal"])
def test_long_run_has_the_posterior_of_partitions(X, prior, n_clusters, rng):
    """Distance to the enumerated posterior falls as the root of the number of sweeps; labels of sticks are right."""
    X = X[:5]
    model = make_model([2, 2, 2], prior, alpha0=1.3, weights=WEIGHTS)
    posterior = Posterior(X, n_clusters, model)
    draws = sample(sampler_of(X, [0] * 5, n_clusters, model), 8000, rng)[0]
    upper = np.triu_indices(5, 1)
    together = (draws[:, :, None] == draws[:, None, :])[:, upper[0], upper[1]]
    assert within_monte_carlo_error(together, posterior.coassignment()[upper])
    found = np.array([len(set(z)) for z in draws.tolist()])
    assert within_monte_carlo_error(found[:, None] == np.arange(n_clusters + 1), posterior.n_clusters_distribution())
    if prior == "tsb":
        assert within_monte_carlo_error(draws[:, :, None] == np.arange(n_clusters), posterior.label_distribution())


def test_new_sticks_are_drawn_by_their_prior(rng):
    """One object without labels: its cluster is drawn from E[pi]."""
    model = make_model([2], "tsb", alpha0=2.5)
    draws = sample(sampler_of([[-1]], [0], 6, model), 8000, rng)[0][:, 0]
    expected = reference.conditional(np.array([[-1]]), [0], 0, 6, model)
    assert within_monte_carlo_error(draws[:, None] == np.arange(6), expected)


@pytest.mark.parametrize("prior", PRIORS)
def test_object_unlike_all_clusters_is_drawn_right_when_no_label_is_left(prior):
    """Both labels of the truncation are taken, and an empty cluster, which there is not, would fit far better."""
    X = np.repeat([[0] * 60, [1] * 60, [1] * 10 + [2] * 50], [100, 100, 1], axis=0)
    z = np.repeat([0, 1, 1], [100, 100, 1])
    sampler = sampler_of(X, z, 2, make_model([2] * 10 + [3] * 50, prior))
    for moves in MOVES.values():
        sampler.sweep(3, moves)
        assert same_partition(sampler.z, z)


# tables and traces


@pytest.mark.parametrize("prior", PRIORS)
def test_tables_stay_what_they_are_when_made_anew(prior, rng):
    X = random_labels(rng, n=40)
    X[20:30] = X[:10]
    model = make_model([3, 2, 4, 2], prior, alpha0=2.0, weights=[1.0, 0.3, 2.0, 1.7])
    sampler = sampler_of(X, rng.integers(5, size=40), 20, model)
    sample(sampler, 100, rng, moves=(1, 10, 1), estimate=(True, True))
    anew = sampler_of(X, sampler.z, 20, sampler.model)
    of = anew.state.label if prior == "fsd" else sampler.state.label
    occupied = sampler.state.size > 0
    for name in ("label_size", "observed", "numerator", "denominator"):
        ours, theirs = getattr(sampler.state, name), getattr(anew.state, name)
        assert np.allclose(ours[:, occupied], theirs[:, of[occupied]], rtol=1e-12)
    assert np.allclose(sampler.state.total[occupied], anew.state.total[of[occupied]], rtol=1e-11)
    assert sampler.state.counts[0] == anew.state.counts[0] == occupied.sum()
    assert sampler.state.counts[1] == np.flatnonzero(occupied)[-1] + 1


@pytest.mark.parametrize("n_clusters", [4, 15])
@pytest.mark.parametrize("prior", PRIORS)
def test_trace_is_of_the_assignment(prior, n_clusters, rng):
    X, model = random_labels(rng, n=20), make_model([3, 2, 4, 2], prior, alpha0=3.0, weights=[1.0, 0.3, 2.0, 1.7])
    sampler = sampler_of(X, rng.integers(4, size=20), n_clusters, model)
    for _ in range(10):
        trace, highest = sampler.sweep(3)
        log_joint, n_found, log_likelihood, by_size = trace[-1]
        assert log_joint == pytest.approx(reference.log_joint(X, sampler.z, n_clusters, model), rel=1e-11)
        assert log_likelihood == pytest.approx(reference.log_likelihood(X, sampler.z, model), rel=1e-11)
        assert n_found == len(set(sampler.z))
        order = np.argsort(-np.bincount(sampler.z, minlength=n_clusters), kind="stable")
        numbered = np.argsort(order)[sampler.z]
        assert by_size == pytest.approx(reference.log_joint(X, numbered, n_clusters, model), rel=1e-11)
        assert highest == trace[:, 3].max()


def test_seed_decides_and_the_order_of_copies_does_not(rng):
    X = random_labels(rng, n=30)
    model = make_model([3, 2, 4, 2], "tsb")
    one, same, other = (sampler_of(X, [0] * 30, 10, model, seed) for seed in (1, 1, 2))
    for sampler in (one, same, other):
        sampler.sweep(5)
    assert np.array_equal(one.z, same.z)
    assert not np.array_equal(one.z, other.z)


# parameters


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
    parameters = sample(sampler, 12_000, rng, estimate=(True, True))[1]
    logs = np.log(grid)
    means = [p.sum(axis=1) @ grid, p.sum(axis=0) @ grid, p.sum(axis=1) @ logs, p.sum(axis=0) @ logs]
    assert within_monte_carlo_error(np.hstack([parameters, np.log(parameters)]), means, n_batches=25)
    fixed = sample(sampler, 10, rng, estimate=(True, False))[1]
    assert len(set(fixed[:, 1])) == 1
    assert len(set(fixed[:, 0])) > 1


# the best assignment


def log_joint_by_size(X, z, n_clusters, model):
    order = np.argsort(-np.bincount(z, minlength=n_clusters), kind="stable")
    return reference.log_joint(X, np.argsort(order)[z], n_clusters, model)


@pytest.mark.parametrize("alpha0", [0.3, 1.0, 8.0])
@pytest.mark.parametrize("prior", PRIORS)
def test_climb_never_lowers_the_joint_and_ends_where_no_move_improves(prior, alpha0, rng):
    for n_clusters in (1, 2, 3, 5, 12):
        X, z = random_labels(rng), rng.integers(min(n_clusters, 4), size=12)
        model = make_model([3, 2, 4, 2], prior, alpha0=alpha0, weights=[1.0, 0.5, 1.0, 2.0])
        end, _, value = sampler_of(X, [0] * 12, n_clusters, model).climb_from(z, model)
        assert value == pytest.approx(reference.log_joint(X, end, n_clusters, model), rel=1e-11)
        assert value >= log_joint_by_size(X, z, n_clusters, model) - 1e-9
        assert (np.diff(np.bincount(end, minlength=n_clusters)) <= 0).all()
        for i in range(12):
            for k in range(n_clusters):
                moved = end.copy()
                moved[i] = k
                assert value >= log_joint_by_size(X, moved, n_clusters, model) - 1e-8


def test_climb_dissolves_a_small_cluster(rng):
    """Three objects in a cluster of their own: none leaves alone, all together do."""
    X = np.vstack([np.zeros((60, 4), dtype=int), np.ones((60, 4), dtype=int), [[0, 0, 0, 1]] * 2])
    z = np.repeat([0, 1, 2], [60, 60, 2])
    model = make_model([2] * 4, "tsb", alpha0=0.01)
    end, _, value = sampler_of(X, z, 10, model).climb_from(z, model)
    assert np.array_equal(np.bincount(end), [62, 60])
    assert value > reference.log_joint(X, z, 10, model)


def test_climb_from_the_mode_stays_there():
    for prior in PRIORS:
        posterior = Posterior(TINY, 3, make_model([2, 2, 2], prior))
        mode = posterior.Z[posterior.log_joint.argmax()]
        end, _, value = sampler_of(TINY, [0] * 5, 3, posterior.model).climb_from(mode, posterior.model)
        assert same_partition(end, mode)
        assert value == pytest.approx(posterior.log_joint.max())
