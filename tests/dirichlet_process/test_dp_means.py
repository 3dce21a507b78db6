"""DP-means against its definition (eqs. D2 to D10)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita._kernels import dp_means as kernel
from partita._runs import progress
from partita.dirichlet_process import DPMeans, dp_means_path, farthest_first_lambda
from partita.dirichlet_process import _dp_means as module
from tests.dirichlet_process import dirichlet_process_reference as reference
from tests.ensembles import same_partition

ORDERS = ("given", "random", "farthest")


@parametrize_with_checks(
    [DPMeans(random_state=0), DPMeans(n_clusters=2, random_state=0), DPMeans(order="farthest", n_init=1)]
)
def test_scikit_learn(estimator, check):
    check(estimator)


def random_points(rng):
    """Blobs, or a grid with many equal distances and equal points; from one point to fifty."""
    n, d = int(rng.integers(1, 50)), int(rng.integers(1, 5))
    if rng.random() < 0.5:
        return rng.integers(-3, 4, size=(n, d)).astype(float)
    return rng.normal(size=(n, d)) + 4 * rng.integers(-2, 3, size=(n, 1))


def random_problem(seed):
    rng = np.random.default_rng(seed)
    points = random_points(rng)
    spread = ((points - points.mean(axis=0)) ** 2).sum(axis=1).max()
    return points, float(max(spread, 1e-3) * 10 ** rng.uniform(-3, 0.2))


def run(points, lam, order, seed=0, max_iter=300):
    visit = module.make_order(points, order, seed)
    with progress(1, "", show=False) as bar:
        return module.run_dp_means(points, lam, max_iter, visit, bar)


# against the slow twin


@pytest.mark.parametrize("order", ORDERS)
@given(seed=st.integers(0, 10**9))
def test_every_bit_is_that_of_the_slow_twin(order, seed):
    points, lam = random_problem(seed)
    fit = run(points, lam, order, seed)
    visit = order if order == "farthest" else module.make_order(points, order, seed)(fit.state)
    labels, centers, history, converged = reference.dp_means(points, lam, visit)
    assert np.array_equal(fit.state.labels, labels)
    assert np.array_equal(fit.state.centers, centers)
    assert fit.history == history
    assert fit.converged == converged


def test_more_centres_than_there_was_room_for(rng):
    points = rng.permutation(np.arange(300.0))[:, None]
    fit = run(points, 0.1, "given")
    assert len(fit.state.centers) == 300
    assert np.array_equal(fit.state.labels, reference.dp_means(points, 0.1, np.arange(300))[0])


def test_point_at_the_penalty_opens_no_cluster_and_one_just_beyond_does():
    points, order = np.array([[0.0], [2.0], [2.0 + 1e-9]]), np.arange(3)
    for n_points, n_centers in ((2, 1), (3, 2)):
        centers, labels = np.array([[1.0, np.nan]]), np.zeros(n_points, dtype=np.int64)
        found = kernel.sweep_dp_means(points[:n_points], order[:n_points], 0, 1.0, centers, 1, labels)
        assert found[1] == n_centers


def test_nearest_centre_and_means(rng):
    points, centers = rng.normal(size=(200, 3)), rng.normal(size=(7, 3))
    labels, distance = module.nearest_center(points, centers)
    explicit = np.array([reference.squared_distances(x, centers) for x in points])
    assert np.array_equal(labels, explicit.argmin(axis=1))
    assert np.array_equal(distance, explicit.min(axis=1))
    state = module.update_means(points, labels, 7, 2.0)
    means, inertia = reference.cluster_means(points, labels)
    assert np.array_equal(state.centers, means)
    assert state.inertia == inertia
    assert state.objective == inertia + 14.0
    assert inertia == pytest.approx(((points - means[labels]) ** 2).sum())


# descent


@pytest.mark.parametrize("order", ORDERS)
def test_objective_never_rises_and_points_are_within_lam(order):
    for seed in range(200):
        points, lam = random_problem(seed)
        model = DPMeans(lam, order=order, n_init=2, random_state=seed).fit(points)
        assert (np.diff(model.history_) <= 0).all()
        assert model.converged_
        assert model.n_iter_ == len(model.history_)
        assert model.objective_ == model.history_[-1]
        own = model.cluster_centers_[model.labels_]
        distance = ((points - own) ** 2).sum(axis=1)
        assert (distance <= lam * (1 + 1e-9)).all()
        assert model.inertia_ == pytest.approx(distance.sum(), abs=1e-9)
        assert model.objective_ == pytest.approx(distance.sum() + lam * model.n_clusters_)
        means = [points[model.labels_ == k].mean(axis=0) for k in range(model.n_clusters_)]
        assert np.allclose(model.cluster_centers_, means)


@pytest.mark.parametrize("order", ORDERS)
@given(seed=st.integers(0, 10**9))
def test_every_sweep_leaves_points_within_lam_of_the_centre_they_are_given(order, seed):
    points, lam = random_problem(seed)
    state = module.update_means(points, np.zeros(len(points), dtype=np.int64), 1, lam)
    visit = module.make_order(points, order, seed)
    for _ in range(4):
        centers, labels = np.full((points.shape[1], 60), np.nan), state.labels.copy()
        k = len(state.centers)
        centers[:, :k] = state.centers.T
        place, k, _ = kernel.sweep_dp_means(points, visit(state), 0, lam, centers, k, labels)
        assert place == len(points)
        assert (((points - centers.T[labels]) ** 2).sum(axis=1) <= lam * (1 + 1e-12)).all()
        moved = module.update_means(points, labels, k, lam)
        assert moved.objective <= state.objective * (1 + 1e-12)
        state = moved


@pytest.mark.parametrize("order", ORDERS)
@given(seed=st.integers(0, 10**9))
def test_prediction_gives_the_labels_except_for_ties(order, seed):
    points, lam = random_problem(seed)
    model = DPMeans(lam, order=order, n_init=1, random_state=seed).fit(points)
    predicted = model.predict(points)
    ours, theirs = (
        ((points - model.cluster_centers_[labels]) ** 2).sum(axis=1) for labels in (model.labels_, predicted)
    )
    assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    assert np.array_equal(predicted, module.nearest_center(points, model.cluster_centers_)[0])


@given(seed=st.integers(0, 10**9))
def test_objective_is_never_below_the_optimum(seed):
    rng = np.random.default_rng(seed)
    points, lam = rng.integers(0, 5, size=(5, 1)).astype(float), float(rng.uniform(0.1, 5))
    optimum = min(reference.cluster_means(points, np.array(z))[1] + lam * (max(z) + 1) for z in reference.partitions(5))
    model = DPMeans(lam, n_init=20, random_state=0).fit(points)
    assert model.objective_ >= optimum - 1e-9


def objective_of(points, labels, lam):
    centers = np.array([points[labels == k].mean(axis=0) for k in np.unique(labels)])
    own = centers[np.unique(labels, return_inverse=True)[1]]
    return ((points - own) ** 2).sum() + lam * len(centers)


@pytest.mark.parametrize("order", ORDERS)
def test_no_single_point_gains_by_another_cluster(order):
    for seed in range(8):
        points, lam = random_problem(seed)
        labels = run(points, lam, order, seed).state.labels
        best = objective_of(points, labels, lam)
        for i in range(len(points)):
            for other in set(labels.tolist()) - {labels[i]}:
                moved = labels.copy()
                moved[i] = other
                assert objective_of(points, moved, lam) >= best * (1 - 1e-8)


def test_moves_lower_what_sweeps_leave(rng):
    lower = 0
    for seed in range(8):
        points = rng.normal(size=(60, 2))
        swept = reference.sweep_dp_means(points, 1.0, np.arange(60))[2][-1]
        found = run(points, 1.0, "given", seed)
        assert found.state.objective <= swept
        lower += found.state.objective < swept
    assert lower >= 4


def test_moves_reach_the_optimum_of_few_points(rng):
    reached = 0
    for _ in range(12):
        points, lam = rng.normal(size=(5, 2)), float(rng.uniform(0.2, 3))
        optimum = min(objective_of(points, np.array(z), lam) for z in reference.partitions(5))
        found = DPMeans(lam, n_init=20, random_state=0).fit(points).objective_
        assert found >= optimum - 1e-9
        reached += found <= optimum + 1e-9
    assert reached >= 9


def test_clusters_are_numbered_by_size_and_then_by_first_point():
    X = [[20.0], [0.0], [0.0], [10.0], [10.0], [30.0]]
    model = DPMeans(lam=1.0).fit(X)
    assert model.labels_.tolist() == [2, 0, 0, 1, 1, 3]
    assert model.cluster_centers_.ravel().tolist() == [0.0, 10.0, 20.0, 30.0]


# special cases


@pytest.mark.parametrize("order", ORDERS)
@given(seed=st.integers(0, 10**9))
def test_large_lam_is_one_cluster(order, seed):
    points, _ = random_problem(seed)
    lam = ((points - points.mean(axis=0)) ** 2).sum(axis=1).max()
    for value in (lam, 3 * lam + 1):
        model = DPMeans(value, order=order, random_state=0).fit(points)
        if value > 0:
            assert model.n_clusters_ == 1
            assert model.n_iter_ == 1
            assert np.allclose(model.cluster_centers_, [points.mean(axis=0)])


@given(seed=st.integers(0, 10**9))
def test_lam_zero_is_one_cluster_per_distinct_point(seed):
    points, _ = random_problem(seed)
    model = DPMeans(0).fit(points)
    distinct, counts = np.unique(points, axis=0, return_counts=True)
    assert model.n_clusters_ == len(distinct)
    assert np.array_equal(model.cluster_centers_[model.labels_], points)
    assert np.bincount(model.labels_).tolist() == sorted(counts, reverse=True)
    assert model.objective_ == model.inertia_ == 0
    assert np.array_equal(model.predict(points), model.labels_)


@pytest.mark.parametrize("lam", [1e-300, 1e-40, 1e-12])
def test_tiny_lam_ends_although_means_of_equal_points_are_rounded(lam):
    points = np.repeat([[0.1, 0.7], [0.3, 1 / 3]], 7, axis=0)
    model = DPMeans(lam).fit(points)
    assert model.converged_
    assert same_partition(model.labels_, np.repeat([0, 1], 7))


@pytest.mark.parametrize("parameters", [{}, {"lam": 2.0}, {"lam": 0.0}, {"n_clusters": 5}])
@pytest.mark.parametrize("X", [[[3.0, 4.0]], [[0.1, 0.2]] * 6])
def test_constant_data_are_one_cluster(X, parameters):
    model = DPMeans(**parameters).fit(X)
    assert model.labels_.tolist() == [0] * len(X)
    assert np.allclose(model.cluster_centers_, X[:1])
    assert model.inertia_ == pytest.approx(0, abs=1e-25)


def test_negative_zero_is_zero():
    assert DPMeans(0.0).fit([[0.0], [-0.0], [1.0]]).labels_.tolist() == [0, 0, 1]


def test_stopping_early_is_reported(rng):
    points = rng.normal(size=(500, 2))
    with pytest.warns(ConvergenceWarning, match=r"DPMeans did not converge in max_iter=2 iterations; raise max_iter\."):
        model = DPMeans(1.0, max_iter=2, random_state=0).fit(points)
    assert not model.converged_
    assert model.n_iter_ == 2
    assert model.objective_ == pytest.approx(model.inertia_ + model.n_clusters_)


# starts, threads


def test_best_start_is_kept(rng):
    points = rng.normal(size=(300, 2))
    one = DPMeans(1.5, n_init=1, random_state=3).fit(points)
    seeds = module.draw_seeds(3, 6)
    each = [run(points, 1.5, "random" if number else "given", int(seed)) for number, seed in enumerate(seeds)]
    many = DPMeans(1.5, n_init=6, random_state=3).fit(points)
    assert one.objective_ == each[0].state.objective
    assert many.objective_ == min(fit.state.objective for fit in each)
    assert len({fit.state.objective for fit in each}) > 1


@pytest.mark.parametrize("order", ORDERS)
def test_threads_change_nothing(order, rng):
    points = rng.normal(size=(400, 3))
    one, two = (DPMeans(3.0, order=order, n_init=4, random_state=1, n_jobs=n_jobs).fit(points) for n_jobs in (1, 2))
    assert np.array_equal(one.labels_, two.labels_)
    assert np.array_equal(one.cluster_centers_, two.cluster_centers_)
    assert one.history_ == two.history_


@pytest.mark.parametrize("order", ORDERS)
def test_blobs_are_found(order):
    X, y = make_blobs(600, 4, centers=6, cluster_std=0.7, random_state=1)
    model = DPMeans(lam=40.0, order=order, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0


def test_float32_and_frames_give_what_their_numbers_give(rng):
    pd = pytest.importorskip("pandas")
    points = rng.normal(size=(60, 2)).astype(np.float32)
    expected = DPMeans(1.0, n_init=1).fit(points.astype(float)).labels_
    assert np.array_equal(DPMeans(1.0, n_init=1).fit(points).labels_, expected)
    frame = pd.DataFrame(points, columns=["a", "b"])
    model = DPMeans(1.0, n_init=1).fit(frame)
    assert np.array_equal(model.labels_, expected)
    assert model.feature_names_in_.tolist() == ["a", "b"]


# lambda by farthest-first


@given(seed=st.integers(0, 10**9), n_clusters=st.integers(1, 12))
def test_farthest_first_lambda_by_brute_force(seed, n_clusters):
    points, _ = random_problem(seed)
    expected = reference.farthest_first(points, n_clusters)
    found = module.farthest_first(points, n_clusters)
    assert (np.diff(found) <= 0).all()
    if not np.array_equal(points, np.round(points)):  # among equally far points rounding may choose another
        assert np.allclose(found, expected, rtol=1e-10, atol=1e-20)
    assert farthest_first_lambda(points, n_clusters) == found[-1]


def test_lambda_for_the_number_of_blobs():
    X, _ = make_blobs(90, 2, centers=[[0, 0], [10, 0], [0, 10]], cluster_std=0.3, random_state=0)
    assert [DPMeans(n_clusters=k).fit(X).n_clusters_ for k in (1, 2, 3)] == [1, 2, 3]
    model = DPMeans(n_clusters=3).fit(X)
    assert model.lam_ == farthest_first_lambda(X, 3)
    assert np.array_equal(DPMeans(model.lam_).fit(X).labels_, model.labels_)


def test_without_a_penalty_eight_clusters_are_aimed_at(rng):
    points = rng.normal(size=(100, 2))
    assert DPMeans().fit(points).lam_ == farthest_first_lambda(points, 8)
    assert DPMeans(random_state=0).fit(points[:3]).n_clusters_ == 3


# wrong input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lam": 1.0, "n_clusters": 2}, "lam=1.0 and n_clusters=2 are both given.*pass one"),
        ({"lam": -1.0}, "'lam' parameter"),
        ({"lam": np.nan}, "'lam' parameter"),
        ({"lam": np.inf}, "'lam' parameter"),
        ({"n_clusters": 0}, "'n_clusters' parameter"),
        ({"n_clusters": 2.5}, "'n_clusters' parameter"),
        ({"order": "sorted"}, "'order' parameter"),
        ({"n_init": 0}, "'n_init' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        DPMeans(**parameters).fit([[0.0], [1.0]])


def test_wrong_data_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        DPMeans().fit([[np.nan], [1.0]])
    with pytest.raises(ValueError, match="n_clusters=0 is not allowed"):
        farthest_first_lambda([[0.0]], 0)
    with pytest.raises(ValueError, match="features"):
        DPMeans().fit([[0.0, 1.0]]).predict([[0.0]])


def test_random_orders_differ_from_start_to_start(rng):
    points = rng.normal(size=(30, 2))
    first, second = (module.make_order(points, "random", seed)(None).tolist() for seed in (1, 2))
    assert first != second
    assert sorted(first) == sorted(second) == list(range(30))


def test_numbers_that_cannot_be_squared_are_refused(rng):
    with pytest.raises(ValueError, match="whose squares overflow; divide X"):
        DPMeans().fit(rng.normal(size=(9, 2)) * 1e155)


def test_penalties_beyond_all_squares_are_refused():
    with pytest.raises(ValueError, match="'lam' parameter of DPMeans must be"):
        DPMeans(lam=1e300).fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match=r"none below 0 or above 1e\+200"):
        dp_means_path([[0.0], [1.0]], lams=[np.inf])


def test_numbers_far_beyond_the_points_cost_nothing():
    X = [[0.0], [1.0], [5.0]]
    assert farthest_first_lambda(X, 10**15) == 0.0
    assert dp_means_path(X, n_clusters=(10**14, 10**15)).n_clusters.tolist() == [3]
    assert DPMeans(n_clusters=10**15).fit(X).n_clusters_ == 3


def test_the_score_is_the_mean_squared_distance_with_a_minus_sign(rng):
    X = rng.normal(size=(30, 2))
    model = DPMeans(n_clusters=3, random_state=0).fit(X)
    squared = ((X - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)
    assert model.score(X) == pytest.approx(-squared.mean())
