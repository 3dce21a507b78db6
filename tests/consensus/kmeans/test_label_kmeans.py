"""k-means by table look-up against k-means on the real one-hot points."""

import pickle

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from partita import LabelKMeans
from partita._kernels.label_kmeans import draw_rows, move_rows
from partita._labels.ensemble import Ensemble, layout_of
from partita.consensus.kmeans import _lloyd as module
from partita.consensus.kmeans import _one_hot_space
from partita.exceptions import FewerClustersWarning
from tests import twins
from tests.ensembles import noisy_ensemble, same_partition


def inertia(points, labels, weight=None):
    weight = np.ones(len(points)) if weight is None else weight
    total = 0.0
    for k in np.unique(labels):
        mine = labels == k
        center = np.average(points[mine], axis=0, weights=weight[mine])
        total += weight[mine] @ ((points[mine] - center) ** 2).sum(axis=1)
    return total


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.8])
def test_objective_is_the_inertia_of_the_one_hot_points(missing, rng):
    X = noisy_ensemble(missing=missing, flip=0.3).X
    weights = rng.random(X.shape[1]) + 0.1
    model = LabelKMeans(4, weights=weights, random_state=0).fit(X)
    points = twins.one_hot(X, weights)
    assert model.objective_ == pytest.approx(inertia(points, model.labels_), rel=1e-10)
    centers = np.hstack(model.cluster_centers_) * np.sqrt(
        np.repeat(weights, [c.shape[1] for c in model.cluster_centers_])
    )
    expected = np.array([points[model.labels_ == k].mean(axis=0) for k in range(4)])
    assert np.allclose(centers, expected, atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_as_good_as_scikit_learn_on_the_one_hot_points(missing):
    X = noisy_ensemble(missing=missing, flip=0.25).X
    points = twins.one_hot(X)
    theirs = KMeans(3, n_init=20, random_state=0).fit(points)
    ours = LabelKMeans(3, n_init=20, random_state=0).fit(X)
    assert ours.objective_ == pytest.approx(theirs.inertia_, rel=1e-9)
    assert same_partition(ours.labels_, theirs.labels_)


def ensemble_of(X, row_weights=None):
    weights = np.ones(len(X)) if row_weights is None else np.asarray(row_weights, dtype=float)
    return Ensemble(X.astype(np.int32), X.max(axis=0) + 1, np.ones(X.shape[1]), weights)


def assign_rows(cells, row_weights, table):
    """Labels, distances and statistics of rows of cells."""
    labels, distance = np.empty(len(cells), np.int32), np.empty(len(cells))
    stats = module.assign_rows(cells, row_weights, table, labels, distance)
    return labels, distance, stats


def test_missing_labels_have_the_cells_after_those_of_the_labels():
    X = np.array([[0, 1, -1], [2, -1, 0], [1, 0, 1]])
    ensemble = ensemble_of(X)
    cells = _one_hot_space.one_hot_space(ensemble).to_cells(ensemble.codes)
    assert cells.tolist() == [[0, 4, 9], [2, 8, 5], [1, 3, 6]]
    observed = X >= 0
    assert np.array_equal(cells[observed], ensemble.row_cells)


def test_mean_is_the_weighted_share_of_the_observed_labels(rng):
    X = noisy_ensemble(missing=0.3).X
    row_weights = rng.random(len(X)) + 0.1
    ensemble = ensemble_of(X, row_weights)
    parts = np.split(_one_hot_space.one_hot_space(ensemble).mean, ensemble.first_cell[1:])
    for column, mean in zip(X.T, parts, strict=True):
        share = [row_weights[column == label].sum() for label in range(column.max() + 1)]
        assert np.allclose(mean, share / row_weights[column >= 0].sum())


@pytest.mark.parametrize("n_labels", [[1, 2, 3], [8, 16, 5], [40, 129, 8]])
def test_labels_are_summed_by_clustering(n_labels, rng):
    layout = layout_of(np.array(n_labels))
    values = rng.random((4, layout.n_cells))
    expected = [part.sum(axis=1) for part in np.split(values, layout.first_cell[1:], axis=1)]
    assert np.allclose(_one_hot_space.sum_per_clustering(values, layout), np.transpose(expected), rtol=1e-14)
    assert np.allclose(_one_hot_space.sum_per_clustering(values[0], layout), [part[0] for part in expected], rtol=1e-14)


def test_one_step_is_lloyds(rng):
    """Distances from the table, and the update of the centres, against the explicit points."""
    X = noisy_ensemble(missing=0.3).X
    X = np.unique(X, axis=0)
    row_weights = rng.integers(1, 5, size=len(X)).astype(float)
    ensemble = ensemble_of(X, row_weights)
    space = _one_hot_space.one_hot_space(ensemble)
    indicators = [
        np.where(column[:, None] >= 0, column[:, None] == np.arange(len(mean)), mean)
        for column, mean in zip(X.T, np.split(space.mean, ensemble.first_cell[1:]), strict=True)
    ]
    points = np.hstack(indicators)
    centers = rng.random((3, ensemble.n_cells))
    cells = space.to_cells(ensemble.codes)
    labels, distance, stats = assign_rows(cells, row_weights, _one_hot_space.distance_table(centers, space))
    explicit = ((points[:, None] - centers) ** 2).sum(axis=-1)
    assert np.array_equal(labels, explicit.argmin(axis=1))
    assert np.allclose(distance, explicit.min(axis=1))
    assert stats.inertia == pytest.approx(row_weights @ explicit.min(axis=1))
    assert np.allclose(space.centers(module.as_points(ensemble).as_mass(np.arange(len(X)))), points)
    new = space.centers(stats.mass)
    for k in np.unique(labels):
        assert np.allclose(new[k], np.average(points[labels == k], axis=0, weights=row_weights[labels == k]))


def test_statistics_add_over_blocks(rng):
    X = noisy_ensemble(missing=0.2).X
    ensemble = ensemble_of(X)
    cells = _one_hot_space.one_hot_space(ensemble).to_cells(ensemble.codes)
    table = rng.random((ensemble.n_cells + ensemble.n_clusterings, 3))
    whole = assign_rows(cells, ensemble.row_weights, table)[2]
    parts = [assign_rows(cells[b], ensemble.row_weights[b], table)[2] for b in (slice(20), slice(20, None))]
    assert np.allclose(whole.mass, parts[0].mass + parts[1].mass)
    assert whole.inertia == pytest.approx(parts[0].inertia + parts[1].inertia)


def test_empty_cluster_moves_to_the_farthest_row():
    points = module.as_points(ensemble_of(np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1]])))
    mass, distance = 3 * points.as_mass(np.array([0, 0])), np.array([0.1, 0.5, 0.3])
    mass[1] = 0.0
    module.move_empty(mass, distance, points)
    assert np.array_equal(mass, [3 * points.as_mass([0])[0], points.as_mass([1])[0]])


def explicit_points(ensemble):
    """The one-hot points of the rows, scaled by the root of the clusterings' weights."""
    space = _one_hot_space.one_hot_space(ensemble)
    means = np.split(space.mean, ensemble.first_cell[1:])
    indicators = [
        np.sqrt(u) * np.where(column[:, None] >= 0, column[:, None] == np.arange(len(mean)), mean)
        for column, mean, u in zip(ensemble.codes.T, means, ensemble.clustering_weights, strict=True)
    ]
    return np.hstack(indicators)


def weighted_ensemble(rng, missing=0.3):
    X = np.unique(noisy_ensemble(missing=missing, flip=0.4).X, axis=0)
    clustering_weights = rng.random(X.shape[1]) + 0.2
    return Ensemble(X.astype(np.int32), X.max(axis=0) + 1, clustering_weights, rng.random(len(X)) + 0.1)


def test_greedy_start_takes_the_best_of_the_drawn_rows(rng):
    """The same draws in NumPy on the explicit points."""
    ensemble = weighted_ensemble(rng)
    points, rows = explicit_points(ensemble), module.as_points(ensemble)
    uniform, chosen = rng.random((5, 3)), np.empty(5, dtype=np.int64)
    assert (
        draw_rows(rows.cells, rows.row_weights, rows.kernel_space, uniform, np.full(len(points), np.inf), chosen) == 5
    )
    nearest = np.ones(len(points))
    for c, row in enumerate(chosen):
        total = np.cumsum(ensemble.row_weights * nearest)
        drawn = np.searchsorted(total, uniform[c, : 3 if c else 1] * total[-1], side="right")
        apart = ((points[:, None] - points[drawn]) ** 2).sum(axis=-1)
        after = np.minimum(nearest[:, None], apart) if c else apart
        assert row == drawn[(ensemble.row_weights @ after).argmin()]
        nearest = after[:, (ensemble.row_weights @ after).argmin()]


def test_greedy_start_ends_when_every_row_is_chosen():
    rows = module.as_points(ensemble_of(np.array([[0, 0], [0, 1], [1, 1]])))
    chosen = np.empty(5, dtype=np.int64)
    assert (
        draw_rows(rows.cells, rows.row_weights, rows.kernel_space, np.full((5, 2), 0.5), np.full(3, np.inf), chosen)
        == 3
    )
    assert sorted(chosen[:3]) == [0, 1, 2]


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_single_moves_end_where_no_row_gains_by_moving(missing, rng):
    """Each sum of squares from scratch: the moves lower it, and no other single move would."""
    ensemble = weighted_ensemble(rng, missing)
    points, w, rows = explicit_points(ensemble), ensemble.row_weights, module.as_points(ensemble)
    labels = rng.integers(4, size=len(points)).astype(np.int32)
    before, mass = inertia(points, labels, w), np.zeros((4, rows.space.n_all_cells))
    for row, h in enumerate(labels):
        mass[h, rows.cells[row]] += w[row]
    size = rows.space.sizes(mass)
    assert move_rows(rows.cells, w, rows.kernel_space, 100, labels, mass, size, np.zeros(1, dtype=np.uint8)) > 0
    after = inertia(points, labels, w)
    assert after < before
    assert np.allclose(size, np.bincount(labels, weights=w, minlength=4))
    for row in range(len(points)):
        for h in range(4):
            moved = labels.copy()
            moved[row] = h
            assert inertia(points, moved, w) >= after - 1e-9


@pytest.mark.parametrize("n_clusters", [5, 12, 40])
def test_many_clusters_end_and_never_raise_the_objective(n_clusters):
    X = noisy_ensemble(missing=0.5, flip=0.4).X
    model = LabelKMeans(n_clusters, random_state=0).fit(X)
    assert 1 <= model.n_clusters_ <= n_clusters
    assert (np.diff(model.history_) <= 1e-9).all()


def test_rows_that_coincide_through_missing_labels_give_fewer_clusters():
    """Three distinct rows, two of them the same point: the one missing label is imputed by the only label there is."""
    X = [[0, 0, 1], [5, None, 5]]
    with pytest.warns(FewerClustersWarning, match="3 clusters were asked for, and LabelKMeans found 2"):
        assert LabelKMeans(3, random_state=0).fit(np.array(X, dtype=object).T).n_clusters_ == 2


def test_no_more_clusters_than_distinct_rows():
    with pytest.warns(FewerClustersWarning, match="n_clusters=8 exceeds the 3 distinct rows .* 3 are used"):
        model = LabelKMeans(8, random_state=0).fit([[0, 0, 1, 1, 2]])
    assert model.n_clusters_ == 3
    assert same_partition(model.labels_, [0, 0, 1, 1, 2])


@pytest.mark.parametrize(("coding", "advice"), [("onehot", "raise max_iter or tol"), ("raw", "raise max_iter")])
def test_stopping_early_is_said(coding, advice):
    X = noisy_ensemble(sizes=(100, 100, 100), flip=0.7).X
    with pytest.warns(ConvergenceWarning, match=rf"LabelKMeans did not converge in max_iter=1 iterations; {advice}\."):
        model = LabelKMeans(6, coding=coding, max_iter=1, random_state=0).fit(X)
    assert not model.converged_
    assert model.n_iter_ == 1
    assert np.array_equal(model.predict(X), model.labels_)


def test_raw_coding_is_k_means_on_the_numbers(rng):
    X = rng.integers(0, 9, size=(50, 4))
    model = LabelKMeans(3, coding="raw", random_state=0).fit(X)
    assert model.objective_ == pytest.approx(inertia(X.astype(float), model.labels_))
    centers = np.hstack(model.cluster_centers_)
    assert np.allclose(centers, [X[model.labels_ == k].mean(axis=0) for k in range(3)])


def test_rows_at_several_sites_give_the_centres_of_all(X):
    ensemble = ensemble_of(X)
    space = _one_hot_space.one_hot_space(ensemble)
    cells = space.to_cells(ensemble.codes)
    centers = module.run_k_means(ensemble, 3, 0, max_iter=1, tol=0.0).centers
    for _ in range(4):
        table = _one_hot_space.distance_table(centers, space)
        parts = [slice(0, 20), slice(20, 35), slice(35, None)]
        sites = [assign_rows(cells[part], ensemble.row_weights[part], table)[2] for part in parts]
        central = space.centers(assign_rows(cells, ensemble.row_weights, table)[2].mass)
        assert np.allclose(space.centers(sum(site.mass for site in sites)), central, rtol=1e-12)
        centers = central


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_threads_change_no_bit(missing):
    X = noisy_ensemble(sizes=(150, 100, 60), missing=missing, flip=0.4).X
    one, many = (LabelKMeans(4, n_init=6, random_state=0, n_jobs=n).fit(X) for n in (1, 3))
    assert one.history_ == many.history_
    assert np.array_equal(one.labels_, many.labels_)
    assert np.array_equal(np.hstack(one.cluster_centers_), np.hstack(many.cluster_centers_))


def test_fitted_model_keeps_no_rows():
    X = noisy_ensemble(sizes=(150, 100, 60), flip=0.4).X
    model = LabelKMeans(3, n_init=1, random_state=0).fit(X)
    assert model._space.layout.n_rows == 0
    assert model._space.layout.codes.base is None  # not a view of all rows
    del model.labels_
    assert len(pickle.dumps(model)) < X.nbytes


@pytest.mark.parametrize("coding", ["onehot", "raw"])
def test_a_clustering_that_labels_objects_without_weight_alone(coding):
    X = np.array([[0, -1], [0, -1], [1, -1], [-1, 4], [1, 4]])
    model = LabelKMeans(2, coding=coding, random_state=0).fit(X, sample_weight=[1, 1, 1, 0, 0])
    assert same_partition(model.labels_, [0, 0, 1, -1, 1])
    assert np.isfinite(np.hstack(model.cluster_centers_)).all()


def test_raw_rows_at_one_point_give_fewer_clusters():
    """A missing label is the mean of the others: here the only one there is."""
    X = np.array([[0, 5], [0, -1], [1, 5], [1, -1]])
    with pytest.warns(FewerClustersWarning, match="4 clusters were asked for, and LabelKMeans found 2"):
        model = LabelKMeans(4, coding="raw", random_state=0).fit(X)
    assert same_partition(model.predict(X), [0, 0, 1, 1])


def test_raw_labels_are_measurements_and_may_be_too_large():
    with pytest.raises(ValueError, match=r"X has values up to 4e\+300, whose squares overflow"):
        LabelKMeans(2, coding="raw").fit(np.array([[4e300, 0.0], [1.0, 1.0], [2.0, 1.0]]))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_coordinate_descent_ends_where_no_single_move_improves(missing, rng):
    X = np.unique(noisy_ensemble(sizes=(15, 10, 8), missing=missing, flip=0.5).X, axis=0)
    ensemble = ensemble_of(X, rng.integers(1, 4, len(X)))
    points, explicit, w = module.as_points(ensemble), explicit_points(ensemble), ensemble.row_weights
    for seed in range(4):
        run = module.improve_by_moves(points, module.start_clusters(points, 4, seed), max_iter=300)
        assert run.converged
        assert np.all(np.diff(run.history) <= 1e-12 * run.history[0])
        assert module.within_sum(points, run.mass) == pytest.approx(inertia(explicit, run.labels, w), rel=1e-10)
        assert run.history[-1] == pytest.approx(inertia(explicit, run.labels, w), rel=1e-10)
        for i in range(len(X)):
            if np.count_nonzero(run.labels == run.labels[i]) > 1:
                moved = [np.where(np.arange(len(X)) == i, k, run.labels) for k in range(4)]
                assert min(inertia(explicit, z, w) for z in moved) >= run.history[-1] * (1 - 1e-9)


def test_both_solvers_find_the_best_inertia():
    for missing in (0.0, 0.3):
        X = noisy_ensemble(sizes=(60, 30, 10), missing=missing, flip=0.4).X
        lloyd, moves = (LabelKMeans(4, solver=solver, random_state=0).fit(X) for solver in ("lloyd", "coordinate"))
        assert moves.objective_ == pytest.approx(lloyd.objective_, rel=1e-9)
        assert moves.n_iter_ == len(moves.history_)


def test_coordinate_descent_needs_one_hot_labels():
    with pytest.raises(ValueError, match="solver='coordinate' moves rows of one-hot labels; pass coding='onehot'"):
        LabelKMeans(2, coding="raw", solver="coordinate").fit(np.array([[0, 1], [1, 0], [1, 1]]))
