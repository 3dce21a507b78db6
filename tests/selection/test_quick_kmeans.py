"""k-means of small data: against scikit-learn's, and against a slow twin of its start."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from partita._kernels.kmeans import lloyd
from partita.selection._quick_kmeans import QuickKMeans


def run(points, uniform, max_iter=300):
    centers, labels = np.empty((len(uniform), points.shape[1])), np.empty(len(points), dtype=np.int64)
    inertia, n_iter = lloyd(points, uniform, max_iter, centers, labels)
    return centers, labels, inertia, n_iter


def start_by_hand(points, uniform):
    """Greedy k-means++ with the same random numbers."""
    centers = [points[int(uniform[0, 0] * len(points))]]
    for trials in uniform[1:]:
        squared = ((points[:, None] - np.array(centers)) ** 2).sum(axis=2).min(axis=1)
        drawn = points[np.searchsorted(np.cumsum(squared), trials * squared.sum(), side="right")]
        left = [np.minimum(squared, ((points - point) ** 2).sum(axis=1)).sum() for point in drawn]
        centers.append(drawn[int(np.argmin(left))])
    return np.array(centers)


@pytest.mark.parametrize("seed", range(5))
def test_one_run_is_that_of_scikit_learn_from_the_same_start(seed):
    rng = np.random.default_rng(seed)
    points, uniform = rng.normal(size=(80, 3)), rng.random((4, 3))
    centers, labels, inertia, _ = run(points, uniform)
    with threadpool_limits(1):
        model = KMeans(4, init=start_by_hand(points, uniform), n_init=1, tol=0).fit(points)
    assert (model.labels_ == labels).all()
    assert model.inertia_ == pytest.approx(inertia, rel=1e-12)
    assert np.allclose(model.cluster_centers_, centers, atol=1e-12)


def test_the_sum_of_squares_never_rises():
    points = np.random.default_rng(0).normal(size=(60, 2))
    uniform = np.random.default_rng(1).random((5, 2))
    history = [run(points, uniform, max_iter)[2] for max_iter in range(1, 20)]
    assert (np.diff(history) <= 1e-9).all()
    assert history[0] > history[-1]


def test_fewer_different_points_than_clusters():
    points = np.repeat([[0.0, 0.0], [1.0, 1.0]], 5, axis=0)
    model = QuickKMeans(4, random_state=0).fit(points)
    assert model.inertia_ == 0
    assert len(set(model.labels_)) == 2


def test_the_best_start_is_kept_and_seeds_decide():
    points = np.random.default_rng(3).normal(size=(150, 2))
    one, many = (QuickKMeans(6, n_init=n_init, random_state=5).fit(points) for n_init in (1, 30))
    assert many.inertia_ < one.inertia_
    again = QuickKMeans(6, n_init=30, random_state=5).fit(points)
    assert (again.labels_ == many.labels_).all()
    with threadpool_limits(1):
        assert many.inertia_ == pytest.approx(KMeans(6, n_init=30, random_state=0).fit(points).inertia_, rel=1e-2)


def test_clear_clusters_are_found_every_time():
    points, truth = make_blobs(150, 3, centers=5, random_state=5)
    for seed in range(100):
        assert adjusted_rand_score(truth, QuickKMeans(5, random_state=seed).fit(points).labels_) == 1
