"""The path of DP-means: each column is what its penalty gives alone (eq. D11)."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from partita import EAC
from partita.dirichlet_process import DPMeans, dp_means_path, farthest_first_lambda


def test_path_is_what_each_penalty_gives_alone(rng):
    points = rng.normal(size=(150, 3))
    path = dp_means_path(points, n_clusters=(2, 9), n_init=3, random_state=5)
    assert (np.diff(path.lams) < 0).all()
    assert path.lams.tolist() == sorted({farthest_first_lambda(points, k) for k in range(2, 10)}, reverse=True)
    assert path.labels.shape == (150, len(path.lams))
    for column, lam in enumerate(path.lams):
        model = DPMeans(lam, n_init=3, random_state=5).fit(points)
        assert np.array_equal(path.labels[:, column], model.labels_)
        assert path.n_clusters[column] == model.n_clusters_
        assert path.objective[column] == model.objective_
    some = dp_means_path(points, path.lams[[3, 1, 3]], n_init=3, random_state=5)
    assert np.array_equal(some.labels, path.labels[:, [1, 3]])


def test_path_is_an_ensemble():
    X, y = make_blobs(200, 2, centers=4, cluster_std=0.8, random_state=3)
    path = dp_means_path(X, n_clusters=(2, 15))
    assert path.labels.dtype.kind == "i"
    assert adjusted_rand_score(y, EAC(4).fit(path.labels).labels_) > 0.9


def test_path_ends_where_every_point_is_a_cluster():
    path = dp_means_path([[0.0], [0.0], [1.0], [5.0]], n_clusters=(1, 30))
    assert path.lams[-1] == 0
    assert path.n_clusters[-1] == 3
    assert path.n_clusters[0] == 1


@pytest.mark.parametrize("order", ["given", "random", "farthest"])
def test_threads_change_nothing(order, rng):
    points = rng.normal(size=(400, 3))
    one, two = (dp_means_path(points, order=order, n_init=2, random_state=1, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(one, two, strict=True))


def test_stopping_early_is_reported(rng):
    with pytest.warns(ConvergenceWarning, match=r"dp_means_path did not converge in .*; raise max_iter\."):
        dp_means_path(rng.normal(size=(500, 2)), [1.0], max_iter=2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lams": []}, "are not penalties"),
        ({"lams": [[1.0]]}, "are not penalties"),
        ({"lams": [1.0, -2.0]}, "none below 0"),
        ({"lams": [np.nan]}, "finite"),
        ({"n_clusters": (3, 2)}, r"n_clusters=\(3, 2\) is not a range.*such as \(1, 20\)"),
        ({"n_clusters": (0, 2)}, "is not a range"),
        ({"n_clusters": 5}, "is not a range"),
        ({"n_clusters": (1, 2, 3)}, "is not a range"),
        ({"order": "sorted"}, "order='sorted' is not known"),
        ({"n_init": 0}, "n_init=0 is not allowed"),
        ({"max_iter": 1.5}, "max_iter=1.5 is not allowed"),
    ],
)
def test_wrong_arguments_of_the_path(parameters, message):
    with pytest.raises(ValueError, match=message):
        dp_means_path([[0.0], [1.0]], **parameters)
