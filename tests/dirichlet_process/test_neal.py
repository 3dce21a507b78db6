"""Neal's algorithm 2 against enumerated posteriors and slow twins (eqs. D16 to D21, D24 to D26)."""

import numpy as np
import pytest

from partita._kernels import neal as kernel
from partita._kernels.neal import NealModel
from partita.dirichlet_process import _dp_gaussian_model as model_of
from partita.dirichlet_process import _neal as sampling
from partita.dirichlet_process._dp_gaussian_model import GammaPrior, NealPriors
from tests.consensus.nbce.nbce_reference import within_monte_carlo_error
from tests.dirichlet_process import dirichlet_process_reference as reference
from tests.dirichlet_process.dirichlet_process_reference import FOUR
from tests.ensembles import same_partition

GIVEN = NealPriors(None, None, None)


def sampler_of(points, z, model, priors=GIVEN, seed=0):
    return sampling.NealSampler(points, np.asarray(z), model, priors, np.random.default_rng(seed))


@pytest.mark.parametrize("model", [NealModel(1.0, 0.5, 2.0), NealModel(20.0, 0.3, 5.0), NealModel(0.05, 4.0, 0.5)])
@pytest.mark.parametrize("d", [1, 3])
def test_sweep_is_that_of_the_slow_twin(model, d, rng):
    points = rng.normal(size=(25, d)) * 2
    data = kernel.NealPoints(points, (points**2).sum(axis=1))
    z, means = rng.integers(4, size=25), rng.normal(size=(4, d))
    for _ in range(30):
        uniform, normal = rng.random(25), rng.standard_normal((25, d))
        state = sampling.neal_state(z.copy(), means)
        state = kernel.NealState(state.z, np.bincount(z, minlength=40), np.hstack([means.T, np.empty((d, 40))]))
        place, n_slots = kernel.sweep_neal(data, state, model, len(means), 0, uniform, normal)
        assert place == 25
        z, means = reference.neal_sweep(points, z, means, model, uniform, normal)
        assert np.array_equal(state.z, z)
        assert n_slots == len(means)
        assert np.array_equal(state.size[:n_slots], np.bincount(z, minlength=n_slots))
        used = np.unique(z)
        assert np.allclose(state.means.T[used], means[used], rtol=1e-12)
        z, means = np.searchsorted(used, z), means[used]


def test_sweep_continues_where_there_was_no_room(rng):
    """Many clusters are opened at once: with room, and random numbers, for few at a time the clusters are as many."""
    points, model = rng.normal(size=(400, 2)) * 50, NealModel(50.0, 0.01, 2500.0)
    sampler = sampler_of(points, np.zeros(400, dtype=int), model)
    sampler.sweep()
    assert len(sampler.means) > 100
    assert np.array_equal(np.unique(sampler.z), np.arange(len(sampler.means)))
    assert np.array_equal(sampler.clusters.size, np.bincount(sampler.z))
    assert (((points - sampler.means[sampler.z]) ** 2).sum(axis=1) < 1).all()


def test_point_far_from_all_is_drawn_into_a_new_cluster(rng):
    points = np.array([[0.0], [0.1], [1e4]])
    sampler = sampler_of(points, [0, 0, 0], NealModel(1.0, 1e-2, 1e8))
    sampler.sweep()
    assert same_partition(sampler.z, [0, 0, 1])


@pytest.mark.parametrize("model", [NealModel(1.0, 0.5, 2.0), NealModel(2.5, 2.0, 1.0)])
def test_long_run_has_the_posterior_of_the_fifteen_partitions(model):
    sampler = sampler_of(FOUR, [0, 0, 0, 0], model)
    all_of_them, seen = {z: place for place, z in enumerate(reference.partitions(4))}, []
    for _ in range(60_000):
        sampler.sweep()
        seen.append(all_of_them[reference.canonical(sampler.z)])
    expected = reference.posterior(FOUR, model)
    assert len(expected) == 15
    assert expected.max() < 0.9
    assert within_monte_carlo_error(np.array(seen)[:, None] == np.arange(15), expected)


@pytest.mark.parametrize("n", [1, 5])
def test_parameters_and_data_drawn_in_turn_have_their_prior(n):
    """Geweke's check: sweeps given data, and data given clusters, leave the joint of everything as it is."""
    priors = NealPriors(GammaPrior(2.0, 1.5), GammaPrior(3.0, 2.0), GammaPrior(4.0, 6.0))
    sampler = sampler_of(np.zeros((n, 2)), np.zeros(n, dtype=int), NealModel(1.0, 1.0, 2.0), priors, seed=1)
    draws = []
    for _ in range(40_000):
        sampler.sweep()
        noise = np.sqrt(sampler.model.sigma) * sampler.rng.standard_normal((n, 2))
        points = sampler.means[sampler.z] + noise
        sampler.data = kernel.NealPoints(points, (points**2).sum(axis=1))
        draws.append((*np.log(sampler.model), len(sampler.means), len(sampler.means) == 1))
    prior = np.random.default_rng(2)
    alpha = prior.gamma(2.0, size=400_000) / 1.5
    sigma, rho = 2.0 / prior.gamma(3.0, size=400_000), 6.0 / prior.gamma(4.0, size=400_000)
    k = sum((prior.random(400_000) < alpha / (alpha + i)).astype(int) for i in range(n))
    expected = [*(np.log(x).mean() for x in (alpha, sigma, rho)), k.mean(), (k == 1).mean()]
    assert within_monte_carlo_error(draws, expected, n_errors=4.0)


def test_given_parameters_stay_and_others_move(rng):
    points, model = rng.normal(size=(10, 2)), NealModel(1.0, 0.5, 2.0)
    every = model_of.scaled_priors(points, (True, True, True))
    for place, name in enumerate(NealModel._fields):
        sampler = sampler_of(points, [0] * 10, model, GIVEN._replace(**{name: getattr(every, name)}))
        sampler.sweep()
        moved = [ours != theirs for ours, theirs in zip(sampler.model, model, strict=True)]
        assert moved == [other == place for other in range(3)]


def test_chains_start_from_many_clusters_and_from_one(rng):
    points = rng.normal(size=(100, 2))
    assert len(set(sampling.start_points(points, 0, rng))) == 10
    assert set(sampling.start_points(points, 1, rng)) == {0}
    assert len(set(sampling.start_points(np.repeat(points[:3], 5, axis=0), 2, rng))) == 3


def single_moves(z):
    for i in range(len(z)):
        for k in range(z.max() + 2):
            moved = z.copy()
            moved[i] = k
            yield moved


def mergers(z):
    for a in range(z.max() + 1):
        for b in range(a):
            yield np.where(z == a, b, z)


@pytest.mark.parametrize("model", [NealModel(1.0, 0.5, 2.0), NealModel(0.1, 0.2, 4.0), NealModel(10.0, 0.1, 3.0)])
def test_climb_ends_where_no_move_and_no_merger_improves(model, rng):
    for n_clusters in (1, 2, 3, 4, 9) * 4:
        points = rng.normal(size=(9, 2)) * 1.5
        data = kernel.NealPoints(points, (points**2).sum(axis=1))
        z = np.array(reference.canonical(rng.integers(n_clusters, size=9)))
        start = z.copy()
        mode = sampling.climb_points(data, z, model, GIVEN)
        assert np.array_equal(z, start)
        assert mode.log_joint == pytest.approx(reference.log_joint(points, mode.z, model), rel=1e-9)
        assert mode.log_joint >= reference.log_joint(points, start, model) - 1e-9
        for other in (*single_moves(mode.z), *mergers(mode.z)):
            z = np.array(reference.canonical(other))
            assert (
                model_of.log_points_joint(model_of.summarise_clusters(points, z, z.max() + 1), model)
                <= mode.log_joint + 1e-8
            )


def test_climb_joins_the_halves_of_one_cluster():
    """No single point gains by leaving its half."""
    points, model = np.array([[-1.3], [-1.2], [-1.1], [1.1], [1.2], [1.3]]), NealModel(1.0, 1.0, 1000.0)
    data, halves = kernel.NealPoints(points, (points**2).sum(axis=1)), np.repeat([0, 1], 3)
    assert len(set(sampling._move_points(data, halves.copy(), model))) == 2
    assert set(sampling.climb_points(data, halves, model, GIVEN).z) == {0}


def test_gains_of_mergers_are_differences_of_joints(rng):
    points, model = rng.normal(size=(12, 3)) + 2, NealModel(0.4, 0.6, 3.0)
    z = np.arange(12) % 5
    gains = sampling.merger_gains(model_of.summarise_clusters(points, z, 5), model)
    for b in range(5):
        for a in range(b):
            expected = reference.log_joint(points, np.where(z == b, a, z), model)
            assert gains[a, b] == pytest.approx(expected - reference.log_joint(points, z, model), rel=1e-8, abs=1e-9)
        assert (gains[b, : b + 1] == -np.inf).all()
