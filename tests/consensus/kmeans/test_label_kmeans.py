"""k-means by table look-up against k-means on the real one-hot points."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from partita import LabelKMeans
from partita._labels.ensemble import Ensemble
from partita.consensus.kmeans import _label_kmeans as module
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


def test_one_step_is_lloyds(rng):
    """Distances from the table, and the update of the centres, against the explicit points."""
    X = noisy_ensemble(missing=0.3).X
    X = np.unique(X, axis=0)
    counts = rng.integers(1, 5, size=len(X)).astype(float)
    n_labels = X.max(axis=0) + 1
    ensemble = Ensemble(X.astype(np.int32), n_labels, np.ones(X.shape[1]), counts)
    cells = module.number_cells(ensemble)
    points = np.zeros((len(X), len(cells.column)))
    for j in range(X.shape[1]):
        block = slice(cells.start[j], cells.missing[j])
        points[:, block] = np.where(X[:, [j]] >= 0, X[:, [j]] == np.arange(n_labels[j]), cells.mean[block])
    centers = np.where(cells.is_label, rng.random((3, len(cells.column))), 0)
    table = module.distance_table(module.State(centers), cells, ensemble.clustering_weights)
    labels, distance = np.empty(len(X), np.int32), np.empty(len(X))
    stats = module.local_stats(module.to_cells(ensemble.codes, cells), counts, table, labels, distance)
    explicit = ((points[:, None] - centers) ** 2).sum(axis=-1)
    assert np.array_equal(labels, explicit.argmin(axis=1))
    assert np.allclose(distance, explicit.min(axis=1))
    new = module.update(stats, cells).centers
    for k in np.unique(labels):
        assert np.allclose(new[k], np.average(points[labels == k], axis=0, weights=counts[labels == k]))


def test_statistics_add_over_blocks(rng):
    X = noisy_ensemble(missing=0.2).X.astype(np.int32)
    ensemble = Ensemble(X, X.max(axis=0) + 1, np.ones(X.shape[1]), np.ones(len(X)))
    cells = module.number_cells(ensemble)
    rows = module.to_cells(X, cells)
    table = rng.random((len(cells.column), 3))
    scratch = lambda n: (np.empty(n, np.int32), np.empty(n))  # noqa: E731
    whole = module.local_stats(rows, ensemble.row_weights, table, *scratch(len(X)))
    parts = [
        module.local_stats(rows[b], ensemble.row_weights[b], table, *scratch(len(rows[b])))
        for b in (slice(20), slice(20, None))
    ]
    assert np.allclose(whole.mass, parts[0].mass + parts[1].mass)
    assert whole.inertia == pytest.approx(parts[0].inertia + parts[1].inertia)


def test_empty_cluster_moves_to_the_farthest_row():
    X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1]], dtype=np.int32)
    ensemble = Ensemble(X, np.array([2, 2, 2]), np.ones(3), np.ones(3))
    cells = module.number_cells(ensemble)
    rows = module.to_cells(X, cells)
    stats = module.Stats(np.zeros((2, len(cells.column))), 0.0)
    for row in rows:
        stats.mass[0, row] += 1
    state = module.reseed_empty(module.update(stats, cells), stats, cells, rows, np.array([0.1, 0.5, 0.3]))
    assert np.array_equal(state.centers[1], module.row_as_center(rows[1], cells))


@pytest.mark.parametrize("n_clusters", [5, 12, 40])
def test_many_clusters_never_run_for_ever(n_clusters):
    X = noisy_ensemble(missing=0.5, flip=0.4).X
    model = LabelKMeans(n_clusters, random_state=0).fit(X)
    assert 1 <= model.n_clusters_ <= n_clusters
    assert (np.diff(model.history_) <= 1e-9).all()


def test_rows_that_coincide_through_missing_labels_give_fewer_clusters():
    """Three distinct rows, two of them the same point: the one missing label is imputed by the only label there is."""
    X = [[0, 0, 1], [5, None, 5]]
    assert LabelKMeans(3, random_state=0).fit(np.array(X, dtype=object).T).n_clusters_ == 2


def test_no_more_clusters_than_distinct_rows():
    model = LabelKMeans(8, random_state=0).fit([[0, 0, 1, 1, 2]])
    assert model.n_clusters_ == 3
    assert same_partition(model.labels_, [0, 0, 1, 1, 2])


def test_stopping_early_is_said(rng):
    X = noisy_ensemble(sizes=(100, 100, 100), flip=0.7).X
    with pytest.warns(ConvergenceWarning, match="max_iter=1 iterations; raise max_iter"):
        model = LabelKMeans(6, max_iter=1, random_state=0).fit(X)
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
    ensemble = Ensemble(X.astype(np.int32), X.max(axis=0) + 1, np.ones(X.shape[1]), np.ones(len(X)))
    cells = module.number_cells(ensemble)
    rows = module.to_cells(ensemble.codes, cells)
    state = module.run(ensemble, cells, 3, 0, max_iter=1, tol=0.0).state
    for _ in range(4):
        table = module.distance_table(state, cells, ensemble.clustering_weights)

        def stats(part, table=table):
            size = len(rows[part])
            labels, distance = np.empty(size, dtype=np.int32), np.empty(size)
            return module.local_stats(rows[part], ensemble.row_weights[part], table, labels, distance)

        sites = [stats(slice(0, 20)), stats(slice(20, 35)), stats(slice(35, None))]
        central = module.update(stats(slice(None)), cells)
        added = module.Stats(sum(site.mass for site in sites), sum(site.inertia for site in sites))
        assert np.allclose(module.update(added, cells).centers, central.centers, rtol=1e-12)
        state = central
