"""DPGaussianMixture as a whole: what a fit hands out, and what it refuses."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita._kernels.neal import NealModel
from partita.dirichlet_process import DPGaussianMixture
from partita.dirichlet_process._dp_gaussian_model import log_points_joint, summarise_clusters
from partita.exceptions import NotEnoughMemoryError
from partita.metrics import expected_loss
from tests.consensus.nbce.nbce_reference import within_monte_carlo_error
from tests.dirichlet_process import dirichlet_process_reference as reference
from tests.dirichlet_process.dirichlet_process_reference import FOUR
from tests.ensembles import same_partition


@parametrize_with_checks(
    [DPGaussianMixture(random_state=0), DPGaussianMixture("auto", consensus="vi", n_sweeps=60, random_state=0)]
)
def test_scikit_learn(estimator, check):
    check(estimator)


def blobs(n=150, centers=3, std=0.5, seed=0, d=2):
    corners = 10.0 * np.random.default_rng(seed).permutation(np.eye(max(centers, d)))[:centers, :d]
    return make_blobs(n, centers=corners, cluster_std=std, random_state=seed)


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
    values = NealModel(model.alpha_, model.sigma_, model.rho_)
    assert model.log_joint_ == pytest.approx(log_points_joint(summarise_clusters(points, model.labels_, k), values))
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
        reference.log_joint(X - X.mean(axis=0), model.labels_, NealModel(1.0, 4.0, 30.0))
    )


def test_map_of_four_points_is_the_most_probable_partition():
    values = NealModel(1.0, 0.5, 2.0)
    model = DPGaussianMixture(*values, prior_mean="zero", random_state=0).fit(FOUR)
    expected = reference.partitions(4)[int(reference.posterior(FOUR, values).argmax())]
    assert same_partition(model.labels_, expected)


def test_coassignment_is_the_posterior_and_the_mean_of_the_samples():
    values = NealModel(1.0, 0.5, 2.0)
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
    X, values = FOUR, NealModel(1.0, 0.5, 2.0)
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


def test_chains_that_disagree_are_reported(monkeypatch):
    monkeypatch.setattr("partita._sampling.split_r_hat", lambda traces: 2.0)
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
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        DPGaussianMixture(**parameters).fit(FOUR)


def test_what_is_too_large_for_memory_is_refused(monkeypatch, rng):
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
def test_consensus_is_as_near_to_the_samples_as_any_of_them(loss, rng):
    X = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 2])
    for seed in range(3):
        model = DPGaussianMixture(1.0, "auto", 9.0, n_sweeps=60, consensus=loss, random_state=seed).fit(X)
        samples = model.samples_.T
        losses = [expected_loss(samples, sample, loss=loss) for sample in model.samples_]
        assert expected_loss(samples, model.labels_, loss=loss) <= min(losses) + 1e-12
        nearest = [expected_loss(model.labels_[:, None], sample, loss=loss) for sample in model.samples_]
        place = int(np.argmin(nearest))
        trace = model.sigma_trace_[:, 30:].ravel()  # after the burn-in, as the samples are kept
        assert model.sigma_ == trace[place]


def test_a_prior_mean_too_large_to_square_is_refused():
    with pytest.raises(ValueError, match=r"prior_mean has values up to 1e\+200, whose squares overflow"):
        DPGaussianMixture(prior_mean=[1e200, 0.0]).fit([[0.0, 1.0], [1.0, 0.0]])
