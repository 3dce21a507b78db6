"""Representatives and links: against all distances."""

import numpy as np
import pytest

from partita._kernels.representatives import nearest_of_all
from partita.generation._representatives import arrange, choose_points, make_representatives
from tests.generation.cases import blobs


def squared_distances(X, points):
    return ((X[:, None, :].astype(float) - points) ** 2).sum(axis=2)


def nearest_by_hand(X, points, n_neighbours):
    apart = squared_distances(X, points)
    order = np.argsort(apart, axis=1, kind="stable")[:, :n_neighbours]
    return order, np.take_along_axis(apart, order, axis=1)


def test_the_search_of_all_points_is_exact(rng):
    X, points = rng.standard_normal((200, 3)), rng.standard_normal((40, 3))
    index, squared = np.empty((200, 7), dtype=np.int32), np.empty((200, 7))
    nearest_of_all(X, points, index, squared)
    order, apart = nearest_by_hand(X, points, 7)
    assert (index == order).all()
    np.testing.assert_allclose(squared, apart, rtol=1e-12)


@pytest.mark.parametrize("n_neighbours", [1, 3, 5])
def test_the_search_by_regions_is_exact_where_all_points_are_candidates(n_neighbours, rng):
    X, points = rng.standard_normal((300, 4)), rng.standard_normal((10 * n_neighbours + 1, 4))
    made = arrange(points, n_neighbours, 0)
    links = made.link(X, n_neighbours)
    order, apart = nearest_by_hand(X, made.points, n_neighbours)
    assert (links.nearest == order).all()
    np.testing.assert_allclose(links.squared, apart, rtol=1e-12)


def test_the_search_by_regions_is_the_one_of_the_paper(rng):
    """Nearest region, nearest representative in it, K nearest among its 10 K nearest; ends of the search lose none."""
    X, points = rng.standard_normal((400, 5)), rng.standard_normal((300, 5))
    made = arrange(points, 3, 0)
    links = made.link(X, 3)
    for x, found in zip(X, links.nearest, strict=True):
        region = squared_distances(x[None], made.regions)[0].argmin()
        inside = np.arange(made.first[region], made.first[region + 1])
        nearest = inside[squared_distances(x[None], made.points[inside])[0].argmin()]
        candidates = np.argsort(squared_distances(made.points[nearest][None], made.points)[0])[:31]
        order = candidates[np.argsort(squared_distances(x[None], made.points[candidates])[0])]
        assert found.tolist() == order[:3].tolist()


def test_links_are_nearly_all_right_in_the_plane(rng):
    X = rng.standard_normal((5000, 2))
    made = make_representatives(X, 500, 5, 0)
    order, _ = nearest_by_hand(X, made.points, 5)
    assert (made.link(X, 5).nearest == order).mean() > 0.999


def test_every_point_is_in_one_region_with_itself_first_among_those_near(rng):
    points = rng.standard_normal((150, 3))
    made = arrange(points, 5, 0)
    assert len(made.regions) == 12
    assert made.first[0] == 0
    assert made.first[-1] == 150
    assert (np.diff(made.first) > 0).all()
    assert sorted(map(tuple, made.points)) == sorted(map(tuple, points))
    assert (made.near[:, 0] == np.arange(150)).all()
    assert made.near.shape == (150, 51)
    for group in range(12):
        inside = made.points[made.first[group] : made.first[group + 1]]
        assert (squared_distances(inside, made.regions).argmin(axis=1) == group).all()


def test_representatives_of_few_objects_are_the_different_ones():
    X = np.repeat(np.arange(6.0)[:, None], 5, axis=0)
    assert choose_points(X, 6, 0).ravel().tolist() == [0, 1, 2, 3, 4, 5]
    assert choose_points(X, 100, 0).ravel().tolist() == [0, 1, 2, 3, 4, 5]


def test_representatives_spread_over_the_clusters():
    X, truth = blobs((3000, 1500, 500))
    points = choose_points(X, 100, 0)
    assert points.shape == (100, 2)
    centers = np.array([X[truth == k].mean(axis=0) for k in range(3)])
    shares = np.bincount(squared_distances(points, centers).argmin(axis=1), minlength=3)
    assert (shares > 5).all()


def test_float32_and_blocks_of_objects_change_nothing(rng):
    X = rng.standard_normal((20000, 3)).astype(np.float32)
    made = make_representatives(X, 50, 5, 0)
    whole, of_64 = made.link(X, 5), made.link(X.astype(float), 5)
    part = made.link(X[12345:12400], 5)
    assert (whole.nearest == of_64.nearest).all()
    assert (whole.squared == of_64.squared).all()
    assert (whole.nearest[12345:12400] == part.nearest).all()
    assert (whole.squared[12345:12400] == part.squared).all()
