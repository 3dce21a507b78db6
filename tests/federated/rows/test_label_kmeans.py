"""k-means on labels of several sites: Lloyd's iteration of the pooled rows, from sums."""

import numpy as np
import pytest

from partita import LabelKMeans
from partita.consensus.kmeans._one_hot_space import OneHotSpace
from partita.federated import Site, simulate
from partita.federated._engine import InProcess
from partita.federated._sites import PlainSites
from partita.federated.rows._fit import open_rows
from partita.federated.rows._label_kmeans import (
    assign_points,
    first_clusters,
    full_mass,
    kmeans_value,
    points_of,
    run_starts,
)
from partita.federated.rows._merge import CountedClusters


def labels(n=160, m=6, k=4, missing=0.15, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    X = np.where(rng.random((n, m)) < noise, rng.integers(k, size=(n, m)), truth[:, None])
    X[rng.random((n, m)) < missing] = -1
    X[np.arange(n), rng.integers(m, size=n)] = truth  # no object without labels
    return X


def dense_points(X, weights):
    """One-hot labels, missing ones at the mean of their clustering."""
    blocks = []
    for column, weight in zip(X.T, weights, strict=True):
        hot = (column[:, None] == np.unique(column[column >= 0])).astype(float)
        hot[column < 0] = hot[column >= 0].mean(axis=0)
        blocks.append(np.sqrt(weight) * hot)
    return np.hstack(blocks)


def lloyd(points, centers, n_steps):
    """Lloyd's iteration as in a textbook."""
    history = []
    for _ in range(n_steps):
        distance = ((points[:, None] - centers) ** 2).sum(axis=2)
        nearest = distance.argmin(axis=1)
        history.append(distance.min(axis=1).sum())
        used = centers
        centers = np.array([points[nearest == h].mean(axis=0) for h in range(len(centers))])
    return nearest, history, used


def opened(parts, estimator):
    owners = {f"s{i}": Site(part, name=f"s{i}", min_objects=1) for i, part in enumerate(parts)}
    sites = PlainSites(InProcess(owners))
    return owners, sites, open_rows(sites, estimator)


@pytest.mark.parametrize("cuts", [[], [50], [20, 25, 110]])
def test_every_iteration_is_that_of_the_pooled_points(cuts):
    X, weights = labels(), np.array([1.0, 2.0, 1.0, 0.5, 1.0, 1.0])
    owners, sites, layout = opened(np.split(X, cuts), LabelKMeans(4, weights=weights))
    starts, mean = first_clusters(sites, layout, 4, [3])
    space = OneHotSpace(layout, mean)
    points = dense_points(X, weights)
    assert len(starts) == 2
    for start in starts:
        first = full_mass(start, layout)
        (run,) = run_starts(sites, space, [first], max_iter=50, tol=1e-9)
        centers = space.centers(first) * np.sqrt(layout.cell_weights)
        nearest, history, used = lloyd(points, centers, len(run.history))
        np.testing.assert_allclose(run.history, history, rtol=1e-10)
        assert run.converged
        np.testing.assert_allclose(space.centers(run.mass) * np.sqrt(layout.cell_weights), used, atol=1e-12)
        for site, own in zip(owners.values(), np.split(nearest, cuts), strict=True):
            found = assign_points(points_of(site.rows.ensemble, mean), run.mass)[0]
            assert np.array_equal(found[site.rows.row_of_object], own)


def test_starts_side_by_side_end_as_each_alone():
    X = labels(seed=1)
    _, sites, layout = opened(np.split(X, 2), LabelKMeans(4))
    starts, mean = first_clusters(sites, layout, 4, [1, 2, 3])
    space, masses = OneHotSpace(layout, mean), [full_mass(start, layout) for start in starts]
    together = run_starts(sites, space, masses, max_iter=50, tol=1e-9)
    for run, mass in zip(together, masses, strict=True):
        (alone,) = run_starts(sites, space, [mass], max_iter=50, tol=1e-9)
        assert alone.history == run.history
        assert np.array_equal(alone.found, run.found)


def test_value_of_clusters_is_their_part_of_the_objective():
    X = labels(60, missing=0.2)
    _, sites, layout = opened([X], LabelKMeans(3))
    _, mean = first_clusters(sites, layout, 3, [])
    group = np.random.default_rng(0).integers(3, size=60)
    points = dense_points(X, np.ones(6))
    inertia = sum(((points[group == h] - points[group == h].mean(axis=0)) ** 2).sum() for h in range(3))
    indicator = np.hstack([(column[:, None] == np.arange(4)) for column in X.T]).astype(float)
    counted = CountedClusters(
        np.bincount(group).astype(float), np.column_stack([indicator[group == h].sum(axis=0) for h in range(3)])
    )
    value = kmeans_value(layout, mean)(counted).sum()
    assert inertia == pytest.approx((points**2).sum() - value, rel=1e-12)


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_federated_fit_finds_what_the_pooled_fit_finds(encrypted):
    if encrypted:
        pytest.importorskip("tenseal")
    X = labels(240, seed=2)
    pooled = LabelKMeans(4, random_state=0).fit(X)
    found = simulate(LabelKMeans(4, random_state=0, n_init=4), np.split(X, [100, 130]), encrypted=encrypted)
    assert found.objective_ == pytest.approx(pooled.objective_, rel=1e-9)
    assert np.array_equal(found.labels_, pooled.labels_)
    assert np.array_equal(found.predict(X), pooled.predict(X))
    assert found.n_iter_ == len(found.history_)
    for own, other in zip(found.cluster_centers_, pooled.cluster_centers_, strict=True):
        np.testing.assert_allclose(own, other, atol=1e-12)


def test_the_objective_never_rises_and_one_cluster_is_all():
    X = labels(100, noise=0.6, seed=3)
    found = simulate(LabelKMeans(5, random_state=0, n_init=3), np.split(X, 2))
    assert (np.diff(found.history_) <= 1e-9 * found.history_[0]).all()
    one = simulate(LabelKMeans(1, random_state=0, n_init=1), np.split(X, 2))
    points = dense_points(X, np.ones(6))
    assert one.objective_ == pytest.approx(((points - points.mean(axis=0)) ** 2).sum(), rel=1e-12)


def test_raw_labels_are_refused():
    with pytest.raises(ValueError, match="pass coding='onehot'"):
        simulate(LabelKMeans(2, coding="raw"), np.split(labels(40), 2))
