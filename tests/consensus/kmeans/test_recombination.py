"""Children of k-means runs (eqs. M55, U13)."""

import numpy as np
import pytest

from partita._labels.ensemble import Ensemble
from partita.consensus.kmeans import _recombination as module
from partita.consensus.kmeans._lloyd import as_points, assign_rows, improve, inertia, start_clusters
from tests.ensembles import noisy_ensemble


@pytest.fixture
def points(rng):
    X = np.unique(noisy_ensemble(sizes=(60, 50, 40), missing=0.1, flip=0.5).X, axis=0)
    weights = rng.random(X.shape[1]) + 0.5
    return as_points(Ensemble(X.astype(np.int32), X.max(axis=0) + 1, weights, rng.random(len(X)) + 0.1))


def recombine(points, runs, max_children, patience, run_child=None):
    run_child = run_child or (lambda mass: improve(points, mass, max_iter=10, tol=1e-3))
    return module.recombine(points, runs, run_child, max_children, patience, 0)


def runs_of(points, k, n):
    return [improve(points, start_clusters(points, k, seed), max_iter=50, tol=1e-9) for seed in range(n)]


def test_children_only_improve_the_best_run(points):
    runs = runs_of(points, 8, 4)
    ends = [inertia(recombine(points, runs, n, n)) for n in (0, 10, 60)]
    assert ends[0] == min(map(inertia, runs))
    assert ends[0] >= ends[1] >= ends[2]
    assert ends[2] < ends[0]


def test_one_cluster_has_no_children(points):
    runs = runs_of(points, 1, 2)
    assert recombine(points, runs, 10, 10) is runs[0]


def test_runs_that_agree_have_no_children(points):
    run = runs_of(points, 8, 1)[0]
    assert module.recombine(points, [run] * 5, None, 10, 10, 0) is run


def test_children_end_when_some_in_a_row_are_in_vain(points):
    runs, made = runs_of(points, 8, 4), []
    worse = max(runs, key=inertia)
    assert recombine(points, runs, 50, 7, lambda mass: made.append(1) or worse) is min(runs, key=inertia)
    assert len(made) == 7


def test_parents_are_matched_by_their_centres(points, rng):
    mass = runs_of(points, 5, 1)[0].mass
    other = mass[[3, 0, 4, 2, 1]]
    assert np.array_equal(module._mix(points, mass, other, rng), mass)


def test_a_new_cluster_is_a_row_away_from_the_others(points, rng):
    mass = runs_of(points, 4, 1)[0].mass
    more = module._draw_one(points, mass, rng)
    assert np.array_equal(more[:4], mass)
    assert more[4].sum() == points.cells.shape[1]
    assert len(module._without_one(more, rng)) == 4


def test_a_part_of_a_cluster_that_moves_has_one_label_in_common(points):
    run = runs_of(points, 4, 1)[0]
    labels, distance = np.empty(len(points.cells), dtype=np.int32), np.empty(len(points.cells))
    before = assign_rows(points.cells, points.row_weights, points.table(run.mass), labels, distance).mass
    for seed in range(20):
        moved = module.move_part(points, run.mass, np.random.default_rng(seed))
        change = moved - before
        (into,), (out,) = np.flatnonzero((change > 1e-9).any(axis=1)), np.flatnonzero((change < -1e-9).any(axis=1))
        assert np.allclose(change[into], -change[out])
        weight = change[into].sum() / points.cells.shape[1]
        cells = np.flatnonzero(np.isclose(change[into], weight))  # labels that all rows of the part have
        assert any(np.isclose(before[out, cell], weight) for cell in cells)  # and no other row of the cluster


def test_a_whole_cluster_is_no_part(rng):
    codes = np.array([[0, 0], [1, 1], [2, 2]], dtype=np.int32)
    points = as_points(Ensemble(codes, np.array([3, 3]), np.ones(2), np.ones(3)))
    mass = points.as_mass(np.arange(3))
    assert len(module.move_part(points, mass, rng)) == 3


def test_few_rows_have_children_even_where_runs_agree(points):
    run, made = runs_of(points, 8, 1)[0], []
    module.recombine(points, [run] * 5, lambda mass: made.append(1) or run, 10, 10, 0, always=True)
    assert len(made) == 10
