"""Neal's algorithm 2 against enumerated posteriors: T-40 of the catalogue."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita._kernels import neal as kernel
from partita._kernels.neal import NealModel as Model
from partita._sampling import best_sample
from partita.dirichlet_process import DPGaussianMixture
from partita.dirichlet_process import _dp_gaussian_model as module
from partita.dirichlet_process import _neal as sampling
from partita.dirichlet_process._dp_gaussian_model import Gamma, Priors, scaled_priors
from partita.exceptions import NotEnoughMemoryError
from tests import mixture_reference as reference
from tests.consensus.nbce.nbce_reference import within_monte_carlo_error
from tests.ensembles import same_partition

GIVEN = Priors(None, None, None)
FOUR = np.array([[0.0, 0.3], [0.4, 0.9], [2.2, 1.5], [-1.0, 2.0]])


@parametrize_with_checks(
    [DPGaussianMixture(random_state=0), DPGaussianMixture("auto", consensus="vi", n_sweeps=60, random_state=0)]
)
def test_scikit_learn(estimator, check):
    check(estimator)


def sampler_of(points, z, model, priors=GIVEN, seed=0):
    return sampling.Sampler(points, np.asarray(z), model, priors, np.random.default_rng(seed))


def blobs(n=150, centers=3, std=0.5, seed=0, d=2):
    corners = 10.0 * np.random.default_rng(seed).permutation(np.eye(max(centers, d)))[:centers, :d]
    return make_blobs(n, centers=corners, cluster_std=std, random_state=seed)


# the model


@pytest.mark.parametrize("model", [Model(1.0, 0.5, 2.0), Model(0.3, 3.0, 0.1), Model(7.0, 1e-3, 40.0)])
def test_log_joint_is_that_of_one_big_gaussian(model, rng):
    points = rng.normal(size=(7, 3))
    for _ in range(20):
        z = np.array(reference.canonical(rng.integers(4, size=7)))
        clusters = module.summarise(points, z, z.max() + 1)
        assert module.log_joint(clusters, model) == pytest.approx(reference.log_joint(points, z, model), rel=1e-9)
        assert module.log_prior(clusters.size, model.alpha) == pytest.approx(reference.log_prior(z, model.alpha))


def test_predictive_density_is_a_ratio_of_joints(rng):
    points, model = rng.normal(size=(6, 2)), Model(0.7, 0.4, 2.0)
    z, new = np.array([0, 0, 1, 1, 1, 2]), rng.normal(size=(5, 2))
    clusters = module.summarise(points, z, 3)
    density = module.log_density(new, module.mixture_of(clusters, model, new=True))
    member = module.membership(new, module.mixture_of(clusters, model, new=False))
    for i, x in enumerate(new):
        joint = [reference.log_joint(np.vstack([points, x]), np.append(z, k), model) for k in range(4)]
        assert density[i] == pytest.approx(logsumexp(joint) - reference.log_joint(points, z, model), rel=1e-10)
        assert np.allclose(member[i], np.exp(joint[:3] - logsumexp(joint[:3])), rtol=1e-9)


def test_means_have_their_conditional_moments(rng):
    points, model = FOUR, Model(1.0, 0.5, 2.0)
    clusters = module.summarise(points, np.array([0, 0, 0, 1]), 2)
    draws = np.array([module.draw_means(clusters, model, rng) for _ in range(20_000)])
    for k, n in enumerate((3, 1)):
        mean = clusters.centroid[k] / (1 + model.sigma / (model.rho * n))
        variance = model.sigma * model.rho / (model.sigma + model.rho * n)
        assert within_monte_carlo_error(draws[:, k], mean)
        assert within_monte_carlo_error((draws[:, k] - mean) ** 2, variance)


# the kernel


@pytest.mark.parametrize("model", [Model(1.0, 0.5, 2.0), Model(20.0, 0.3, 5.0), Model(0.05, 4.0, 0.5)])
@pytest.mark.parametrize("d", [1, 3])
def test_sweep_is_that_of_the_slow_twin(model, d, rng):
    points = rng.normal(size=(25, d)) * 2
    data = kernel.NealPoints(points, (points**2).sum(axis=1))
    z, means = rng.integers(4, size=25), rng.normal(size=(4, d))
    for _ in range(30):
        uniform, normal = rng.random(25), rng.standard_normal((25, d))
        state = sampling.make_state(z.copy(), means)
        state = kernel.NealState(state.z, np.bincount(z, minlength=40), np.hstack([means.T, np.empty((d, 40))]))
        place, n_slots = kernel.sweep(data, state, model, len(means), 0, uniform, normal)
        assert place == 25
        z, means = reference.neal_sweep(points, z, means, model, uniform, normal)
        assert np.array_equal(state.z, z)
        assert n_slots == len(means)
        assert np.array_equal(state.size[:n_slots], np.bincount(z, minlength=n_slots))
        used = np.unique(z)
        assert np.allclose(state.means.T[used], means[used], rtol=1e-12)
        z, means = np.searchsorted(used, z), means[used]


def test_sweep_goes_on_where_there_was_no_room(rng):
    """Many clusters are opened at once: with room, and random numbers, for few at a time the clusters are as many."""
    points, model = rng.normal(size=(400, 2)) * 50, Model(50.0, 0.01, 2500.0)
    sampler = sampler_of(points, np.zeros(400, dtype=int), model)
    sampler.sweep()
    assert len(sampler.means) > 100
    assert np.array_equal(np.unique(sampler.z), np.arange(len(sampler.means)))
    assert np.array_equal(sampler.clusters.size, np.bincount(sampler.z))
    assert (((points - sampler.means[sampler.z]) ** 2).sum(axis=1) < 1).all()


def test_point_far_from_all_is_drawn_into_a_new_cluster(rng):
    points = np.array([[0.0], [0.1], [1e4]])
    sampler = sampler_of(points, [0, 0, 0], Model(1.0, 1e-2, 1e8))
    sampler.sweep()
    assert same_partition(sampler.z, [0, 0, 1])


# long runs


@pytest.mark.parametrize("model", [Model(1.0, 0.5, 2.0), Model(2.5, 2.0, 1.0)])
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


def test_alpha_has_its_posterior_given_the_number_of_clusters(rng):
    prior, n, k = Gamma(1.5, 0.8), 30, 4
    grid = np.linspace(1e-4, 40, 200_000)
    logs = (prior.shape - 1 + k) * np.log(grid) - prior.rate * grid - sum(np.log(grid + i) for i in range(n))
    p = np.exp(logs - logsumexp(logs))
    alpha, draws = 1.0, []
    for _ in range(30_000):
        alpha = module.draw_alpha(alpha, k, n, prior, rng)
        draws.append((alpha, np.log(alpha), alpha**2))
    assert within_monte_carlo_error(draws, [p @ grid, p @ np.log(grid), p @ grid**2])


@pytest.mark.parametrize("n", [1, 5])
def test_parameters_and_data_drawn_in_turn_have_their_prior(n):
    """Geweke's check: sweeps given data, and data given clusters, leave the joint of everything as it is."""
    priors = Priors(Gamma(2.0, 1.5), Gamma(3.0, 2.0), Gamma(4.0, 6.0))
    sampler = sampler_of(np.zeros((n, 2)), np.zeros(n, dtype=int), Model(1.0, 1.0, 2.0), priors, seed=1)
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
    points, model = rng.normal(size=(10, 2)), Model(1.0, 0.5, 2.0)
    every = module.scaled_priors(points, (True, True, True))
    for place, name in enumerate(Model._fields):
        sampler = sampler_of(points, [0] * 10, model, GIVEN._replace(**{name: getattr(every, name)}))
        sampler.sweep()
        moved = [ours != theirs for ours, theirs in zip(sampler.model, model, strict=True)]
        assert moved == [other == place for other in range(3)]


def test_log_hyper_prior_is_the_density_of_the_logs():
    from scipy.stats import gamma, invgamma

    priors = Priors(Gamma(1.0, 1.0), Gamma(1.0, 0.3), Gamma(1.0, 5.0))
    dists = (gamma(1.0), invgamma(1.0, scale=0.3), invgamma(1.0, scale=5.0))

    def explicit(model):
        return sum(dist.logpdf(x) + np.log(x) for dist, x in zip(dists, model, strict=True))

    one, other = Model(0.5, 0.2, 3.0), Model(2.0, 1.0, 8.0)
    difference = module.log_hyper_prior(one, priors) - module.log_hyper_prior(other, priors)
    assert difference == pytest.approx(explicit(one) - explicit(other))
    assert module.log_hyper_prior(one, GIVEN) == 0


# the mode


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


@pytest.mark.parametrize("model", [Model(1.0, 0.5, 2.0), Model(0.1, 0.2, 4.0), Model(10.0, 0.1, 3.0)])
def test_climb_ends_where_no_move_and_no_merger_improves(model, rng):
    for n_clusters in (1, 2, 3, 4, 9) * 4:
        points = rng.normal(size=(9, 2)) * 1.5
        data = kernel.NealPoints(points, (points**2).sum(axis=1))
        z = np.array(reference.canonical(rng.integers(n_clusters, size=9)))
        start = z.copy()
        mode = sampling.climb_from(data, z, model, GIVEN)
        assert np.array_equal(z, start)
        assert mode.log_joint == pytest.approx(reference.log_joint(points, mode.z, model), rel=1e-9)
        assert mode.log_joint >= reference.log_joint(points, start, model) - 1e-9
        for other in (*single_moves(mode.z), *mergers(mode.z)):
            z = np.array(reference.canonical(other))
            assert module.log_joint(module.summarise(points, z, z.max() + 1), model) <= mode.log_joint + 1e-8


def test_climb_joins_the_halves_of_one_cluster():
    """No point alone wants to leave its half."""
    points, model = np.array([[-1.3], [-1.2], [-1.1], [1.1], [1.2], [1.3]]), Model(1.0, 1.0, 1000.0)
    data, halves = kernel.NealPoints(points, (points**2).sum(axis=1)), np.repeat([0, 1], 3)
    assert len(set(sampling._move_points(data, halves.copy(), model))) == 2
    assert set(sampling.climb_from(data, halves, model, GIVEN).z) == {0}


def test_gains_of_mergers_are_differences_of_joints(rng):
    points, model = rng.normal(size=(12, 3)) + 2, Model(0.4, 0.6, 3.0)
    z = np.arange(12) % 5
    gains = sampling.merger_gains(module.summarise(points, z, 5), model)
    for b in range(5):
        for a in range(b):
            expected = reference.log_joint(points, np.where(z == b, a, z), model)
            assert gains[a, b] == pytest.approx(expected - reference.log_joint(points, z, model), rel=1e-8, abs=1e-9)
        assert (gains[b, : b + 1] == -np.inf).all()


# the estimator


@pytest.mark.parametrize("consensus", ["map", "binder", "vi"])
@pytest.mark.parametrize("alpha", [1.0, "auto"])
def test_blobs_are_found(alpha, consensus):
    X, y = blobs(centers=4, d=4)
    model = DPGaussianMixture(alpha, consensus=consensus, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > (0.99 if consensus == "map" else 0.95)
    assert model.sigma_ == pytest.approx(0.25, rel=0.25)
    if consensus == "map":
        assert np.array_equal(model.predict(X), model.labels_)


def test_fitted_attributes_belong_together(rng):
    X, _ = blobs(std=2.5)
    model = DPGaussianMixture("auto", n_sweeps=60, thin=3, n_chains=3, random_state=1).fit(X)
    n, k = len(X), model.n_clusters_
    assert sorted(set(model.labels_)) == list(range(k))
    assert all(a >= b for a, b in pairwise(np.bincount(model.labels_)))
    assert np.allclose(model.weights_, np.bincount(model.labels_) / n)
    assert np.allclose(model.membership_.sum(axis=1), 1)
    assert np.array_equal(model.membership_, model.predict_proba(X))
    assert model.log_joint_trace_.shape == model.n_clusters_trace_.shape == model.sigma_trace_.shape == (3, 60)
    assert model.samples_.shape == (30, n)
    assert (model.samples_.max(axis=1) + 1).tolist() == model.n_clusters_trace_[:, 32::3].ravel().tolist()
    points = X - X.mean(axis=0)
    values = Model(model.alpha_, model.sigma_, model.rho_)
    assert model.log_joint_ == pytest.approx(module.log_joint(module.summarise(points, model.labels_, k), values))
    assert model.history_ in model.log_joint_trace_.tolist()
    shrink = 1 / (1 + model.sigma_ / (model.rho_ * np.bincount(model.labels_)))
    means = np.array([points[model.labels_ == c].mean(axis=0) for c in range(k)])
    assert np.allclose(model.cluster_centers_, means * shrink[:, None] + X.mean(axis=0))
    assert model.score(X) == pytest.approx(model.score_samples(X).mean())


def test_map_is_as_good_as_every_sample():
    X, _ = blobs(n=40, std=2.5)
    model = DPGaussianMixture(1.0, 4.0, 30.0, n_sweeps=100, random_state=1).fit(X)
    assert model.log_joint_ >= model.log_joint_trace_[:, 50:].max() - 1e-9
    assert model.log_joint_ == pytest.approx(
        reference.log_joint(X - X.mean(axis=0), model.labels_, Model(1.0, 4.0, 30.0))
    )


def test_map_of_four_points_is_the_most_probable_partition():
    values = Model(1.0, 0.5, 2.0)
    model = DPGaussianMixture(*values, prior_mean="zero", random_state=0).fit(FOUR)
    expected = reference.partitions(4)[int(reference.posterior(FOUR, values).argmax())]
    assert same_partition(model.labels_, expected)


def test_coassignment_is_the_posterior_and_the_mean_of_the_samples():
    values = Model(1.0, 0.5, 2.0)
    model = DPGaussianMixture(
        *values, prior_mean="zero", n_sweeps=6000, burn_in=100, coassignment=True, random_state=0
    ).fit(FOUR)
    together = model.samples_[:, :, None] == model.samples_[:, None, :]
    assert np.allclose(model.coassignment_, together.mean(axis=0))
    partitions, p = np.array(reference.partitions(4)), reference.posterior(FOUR, values)
    expected = np.tensordot(p, partitions[:, :, None] == partitions[:, None, :], axes=1)
    assert within_monte_carlo_error(together, expected)
    model.set_params(coassignment=False).fit(FOUR)
    assert not hasattr(model, "coassignment_")


def test_score_samples_is_the_mean_density_over_the_samples():
    X, values = FOUR, Model(1.0, 0.5, 2.0)
    model = DPGaussianMixture(*values, prior_mean="zero", n_sweeps=20, random_state=0).fit(X)
    new = np.array([[0.5, 0.5], [3.0, -2.0]])
    densities = []
    for z in model.samples_:
        total = np.zeros(2)
        for k in range(z.max() + 2):
            mine, n = X[z == k], np.count_nonzero(z == k)
            mean = mine.sum(axis=0) * values.rho / (values.sigma + values.rho * n)
            variance = values.sigma + values.sigma * values.rho / (values.sigma + values.rho * n)
            total += (n or values.alpha) / 5 * multivariate_normal(mean, variance * np.eye(2)).pdf(new)
        densities.append(total)
    assert np.allclose(model.score_samples(new), np.log(np.mean(densities, axis=0)))


def test_density_integrates_to_one():
    X = np.array([[0.0], [0.2], [3.0], [3.3], [2.8]])
    model = DPGaussianMixture("auto", n_sweeps=40, random_state=0).fit(X)
    grid = np.linspace(-400, 400, 400_001)[:, None]
    assert np.exp(model.score_samples(grid)).sum() * (grid[1, 0] - grid[0, 0]) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("consensus", ["map", "binder"])
def test_threads_change_nothing(consensus):
    X, _ = blobs(std=2.0)
    one, two = (
        DPGaussianMixture("auto", n_sweeps=40, n_chains=3, consensus=consensus, random_state=7, n_jobs=n_jobs).fit(X)
        for n_jobs in (1, 2)
    )
    for name in ("labels_", "samples_", "membership_", "log_joint_trace_", "sigma_trace_", "cluster_centers_"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert one.score(X) == two.score(X)


def test_moved_data_give_the_same_clusters():
    X, _ = blobs(std=2.0)
    moved = X + np.array([100.0, -7.0])
    one, other = (DPGaussianMixture(n_sweeps=60, random_state=3).fit(data) for data in (X, moved))
    assert np.array_equal(one.labels_, other.labels_)
    assert np.allclose(one.cluster_centers_ + [100.0, -7.0], other.cluster_centers_)
    assert one.log_joint_ == pytest.approx(other.log_joint_)


def test_data_in_other_units_give_the_same_clusters():
    """A power of two changes no bit but the exponent's."""
    X, _ = blobs(std=2.0)
    one, other = (DPGaussianMixture("auto", n_sweeps=60, random_state=3).fit(scale * X) for scale in (1.0, 64.0))
    assert np.array_equal(one.samples_, other.samples_)
    assert np.array_equal(one.labels_, other.labels_)
    assert one.sigma_ * 64**2 == pytest.approx(other.sigma_)
    assert one.rho_ * 64**2 == pytest.approx(other.rho_)


def test_prior_mean_is_what_it_says():
    X, _ = blobs()
    by_name, by_hand = (
        DPGaussianMixture(prior_mean=mean, n_sweeps=30, random_state=0).fit(X) for mean in ("zero", [0.0, 0.0])
    )
    assert np.array_equal(by_name.samples_, by_hand.samples_)
    moved = DPGaussianMixture(prior_mean=[5.0, 3.0], n_sweeps=30, random_state=0).fit(X + [5.0, 3.0])
    assert np.array_equal(by_name.labels_, moved.labels_)
    assert moved.prior_mean_.tolist() == [5.0, 3.0]


def test_chains_start_from_many_clusters_and_from_one(rng):
    points = rng.normal(size=(100, 2))
    assert len(set(sampling.start_assignment(points, 0, rng))) == 10
    assert set(sampling.start_assignment(points, 1, rng)) == {0}
    assert len(set(sampling.start_assignment(np.repeat(points[:3], 5, axis=0), 2, rng))) == 3


def test_chains_that_disagree_are_said(monkeypatch):
    monkeypatch.setattr("partita._chains.split_r_hat", lambda traces: 2.0)
    with pytest.warns(ConvergenceWarning, match=r"the chains disagree \(R-hat 2.00\).*Raise n_sweeps"):
        model = DPGaussianMixture(n_sweeps=10, random_state=0).fit(FOUR)
    assert not model.converged_
    assert model.r_hat_ == {"n_clusters": 2.0, "log_joint": 2.0}


@pytest.mark.filterwarnings("default:the chains disagree")
def test_chains_stuck_in_different_places_warn():
    X, _ = blobs(n=3000, std=3.0)
    with pytest.warns(ConvergenceWarning, match="the chains disagree"):
        DPGaussianMixture(n_sweeps=8, burn_in=0, random_state=0).fit(X)


def test_chains_that_agree_have_converged():
    X, _ = blobs()
    assert DPGaussianMixture(1.0, 0.25, 30.0, n_sweeps=1000, random_state=0).fit(X).converged_


@pytest.mark.parametrize("alpha", [1.0, "auto", 1000.0])
@pytest.mark.parametrize("X", [[[3.0, 4.0]], [[0.1, 0.2]] * 6])
def test_constant_data_are_one_cluster(X, alpha):
    model = DPGaussianMixture(alpha, n_sweeps=20, random_state=0).fit(X)
    assert model.labels_.tolist() == [0] * len(X)
    assert np.allclose(model.cluster_centers_, X[:1])
    assert np.isfinite(model.score(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0.0}, "'alpha' parameter"),
        ({"alpha": "some"}, "'alpha' parameter"),
        ({"sigma": 0.0}, "'sigma' parameter"),
        ({"rho": -1.0}, "'rho' parameter"),
        ({"n_sweeps": 0}, "'n_sweeps' parameter"),
        ({"n_chains": 0}, "'n_chains' parameter"),
        ({"consensus": "mode"}, "'consensus' parameter"),
        ({"prior_mean": "median"}, "'prior_mean' parameter"),
        ({"prior_mean": [0.0]}, r"prior_mean=\[0.0\] does not fit X; pass 2 finite numbers"),
        ({"prior_mean": [0.0, np.nan]}, "pass 2 finite numbers"),
        ({"n_sweeps": 10, "burn_in": 10}, "burn_in=10 and thin=1 leave no sample of n_sweeps=10"),
        ({"n_sweeps": 10, "thin": 6}, "leave no sample"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        DPGaussianMixture(**parameters).fit(FOUR)


def test_too_large_for_memory(monkeypatch, rng):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1MiB")
    X = rng.normal(size=(300, 2))
    with pytest.raises(NotEnoughMemoryError, match=r"co-assignments of 300 points.*leave coassignment=False"):
        DPGaussianMixture(n_sweeps=4, coassignment=True).fit(X)
    with pytest.raises(NotEnoughMemoryError, match=r"500 samples of 300 points.*raise thin"):
        DPGaussianMixture().fit(X)


@pytest.mark.filterwarnings("ignore:the chains disagree")
def test_the_best_chain_is_kept(rng):
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 2.5])
    model = DPGaussianMixture(1.0, 1.0, 9.0, n_sweeps=6, burn_in=3, n_chains=6, random_state=0).fit(X)
    assert np.ptp(model.log_joint_trace_[:, 3:].max(axis=1)) > 0.1  # chains differ
    assert model.log_joint_ >= model.log_joint_trace_[:, 3:].max() - 1e-9


@pytest.mark.parametrize("loss", ["binder", "vi"])
@pytest.mark.filterwarnings("ignore:the chains disagree")
def test_consensus_is_the_sample_of_least_expected_loss(loss, rng):
    X = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 2])
    model = DPGaussianMixture(1.0, 1.0, 9.0, n_sweeps=60, consensus=loss, random_state=1).fit(X)
    place = best_sample(model.samples_, np.ones(40), loss)
    assert place > 0
    assert adjusted_rand_score(model.samples_[place], model.labels_) == 1
    assert adjusted_rand_score(model.samples_[0], model.labels_) < 1


def test_priors_are_those_of_the_documentation(rng):
    points = rng.normal(size=(50, 3)) * 2
    priors = scaled_priors(points, (True, True, True))
    assert priors.alpha == (1.0, 1.0)
    assert priors.sigma == (1.0, pytest.approx(points.var(axis=0).mean() / 10))
    assert priors.rho == (1.0, pytest.approx((points**2).mean()))
