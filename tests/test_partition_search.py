"""The search for the partition of least expected distance: against enumeration, and each move against the loss itself.

Moves are eqs. V6 to V10, the estimate from samples is eq. V12.
"""

from itertools import combinations

import numpy as np
import pytest

from partita._kernels import partition_moves as kernel
from partita._kernels import partition_turns as turns
from partita._partition_search.descent import Descent, Limits, parts_of
from partita._partition_search.problem import make_problem, make_state
from partita._partition_search.samples import distinct_samples, estimate_partition
from partita._partition_search.search import SearchSettings, cell_costs, partition_loss, search_partition
from partita._runs import _Silent
from tests.consensus.label_space.fixed_ensembles import distinct, objects
from tests.consensus.median.reference import all_partitions, slow_loss
from tests.consensus.nbce.nbce_reference import LOSSES

BOTH_LOSSES = pytest.mark.parametrize("loss", ["vi", "binder"])
SIX = all_partitions(6)


def random_codes(rng, n=6, m=4, k=3, *, holes=False):
    """Labels without unused numbers; every object and every clustering has a label."""
    codes = rng.integers(k, size=(n, m))
    if holes:
        codes[rng.random(codes.shape) < 0.3] = -1
        codes[(codes < 0).all(axis=1), 0] = 0
    for column in codes.T:
        column[column >= 0] = np.unique(column[column >= 0], return_inverse=True)[1]
    return codes.astype(np.int32)


def random_weights(rng, n, kind):
    return {"equal": np.ones(n), "whole": rng.integers(1, 4, n).astype(float), "real": rng.random(n) + 0.2}[kind]


def search(ensemble, loss, a=1.0, least=1, most=None, *, n_init=3, seed=0, n_jobs=None, start=None):
    limits = Limits(least, ensemble.n_rows if most is None else most)
    return search_partition(ensemble, SearchSettings(loss, a, limits, n_init, 100, n_jobs), seed, _Silent(), start)


@BOTH_LOSSES
@pytest.mark.parametrize("weights", ["equal", "whole", "real"])
@pytest.mark.parametrize("holes", [False, True])
def test_nothing_better_among_all_partitions_of_six_objects(loss, weights, holes, rng):
    for a in (0.0, 0.5, 1.0, 1.6, 2.0):
        codes = random_codes(rng, holes=holes)
        w, v = random_weights(rng, 6, weights), random_weights(rng, 4, weights)
        ensemble = objects(codes, v, w)
        losses = np.array([slow_loss(codes, z, loss, a, w, v) for z in SIX])
        n_clusters = SIX.max(axis=1) + 1
        for least, most in ((1, 6), (1, 2), (3, 3)):
            found = search(ensemble, loss, a, least, most)
            allowed = (n_clusters >= least) & (n_clusters <= most)
            assert found.loss == pytest.approx(losses[allowed].min(), abs=1e-9)
            assert found.loss == pytest.approx(slow_loss(codes, found.labels, loss, a, w, v), abs=1e-9)
            assert least <= len(np.unique(found.labels)) <= most


@BOTH_LOSSES
def test_equal_rows_are_together_in_a_best_partition(loss, rng):
    for _ in range(5):
        codes = random_codes(rng, n=4, holes=True)[[0, 1, 2, 3, 0, 1]]
        losses = [slow_loss(codes, z, loss, 1.0) for z in SIX]
        assert search(distinct(codes)[0], loss).loss == pytest.approx(min(losses), abs=1e-9)


@BOTH_LOSSES
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("weights", ["equal", "whole", "real"])
def test_every_move_changes_the_loss_as_it_says(loss, holes, weights, rng):
    n = 40
    codes = random_codes(rng, n, 5, 4, holes=holes)
    w = random_weights(rng, n, weights)
    problem = make_problem(objects(codes, row_weights=w), loss, 0.8)
    down = Descent(problem, rng.integers(6, size=n), Limits(1, n), 3, 50, _Silent())

    rows, go_on = problem.rows, np.zeros(1, dtype=np.uint8)
    moves = [
        lambda: kernel.sweep(rows, down.state, 1, n, np.arange(n), go_on),
        lambda: turns.share_out(rows, down.state, *np.flatnonzero(down.state.n_rows)[:2].tolist(), True, go_on),
        lambda: down.split(int(down.state.z[0]), is_forced=True),
        lambda: turns.dissolve(rows, down.state, int(down.state.z[0]), 1, n, go_on),
        lambda: turns.move_parts(rows, down.state, *parts_of(codes[:, 1], down.state.z), n, go_on),
        down.merge,
    ]
    for move in moves:
        move()
        assert down.loss == pytest.approx(slow_loss(codes, down.state.z, loss, 0.8, w), abs=1e-9)
        counted = make_state(problem, down.state.z, 0)
        assert down.n_clusters == len(np.unique(down.state.z)) == np.count_nonzero(counted.n_rows)


def slow_merges(codes, z, loss, a, w, most):
    """The best pair of clusters is merged while that lowers the loss, or while there are too many."""
    z, value = z.copy(), slow_loss(codes, z, loss, a, w)
    while len(np.unique(z)) > 1:
        pairs = list(combinations(np.unique(z).tolist(), 2))
        losses = [slow_loss(codes, np.where(z == q, p, z), loss, a, w) for p, q in pairs]
        best = int(np.argmin(losses))
        if len(np.unique(z)) <= most and losses[best] >= value - 1e-12:
            break
        z, value = np.where(z == pairs[best][1], pairs[best][0], z), losses[best]
    return value


@BOTH_LOSSES
@pytest.mark.parametrize("holes", [False, True])
def test_merges_are_the_best_ones_whatever_is_kept_of_those_before(loss, holes, rng):
    n = 14
    codes, w = random_codes(rng, n, 5, 4, holes=holes), random_weights(rng, n, "real")
    down = Descent(make_problem(objects(codes, row_weights=w), loss, 1.0), np.arange(n), Limits(1, n), 3, 50, _Silent())
    for most in (n, 4, 8, 2, n):  # the memory of merges is that of other partitions from the second turn on
        z = rng.integers(11, size=n) if most < n else np.arange(n)
        down.limits, down.state.z[:] = Limits(1, most), z
        down.refill()
        down.merge()
        assert len(down.state.pairs.cost) == n
        assert down.loss == pytest.approx(slow_merges(codes, z, loss, 1.0, w, most), abs=1e-9)


@BOTH_LOSSES
def test_too_many_clusters_for_merges_are_dissolved(loss, rng, monkeypatch):
    monkeypatch.setattr("partita._partition_search.descent._PAIRS", 20)
    codes = random_codes(rng, 60, 5, 8)
    for limits in (Limits(1, 5), Limits(5, 5), Limits(20, 20), Limits(30, 30)):
        problem = make_problem(objects(codes), loss, 1.0)
        found = Descent(problem, np.arange(60), limits, 0, 50, _Silent()).run(2)
        assert limits.least <= len(np.unique(found.labels)) <= limits.most
        assert found.loss == pytest.approx(slow_loss(codes, found.labels, loss, 1.0), abs=1e-9)


@BOTH_LOSSES
def test_moves_that_are_not_kept_change_nothing(loss, rng):
    codes = random_codes(rng, 60, 6, 3)
    problem = make_problem(objects(codes), loss, 1.0)
    best = search(problem.ensemble, loss).labels
    down = Descent(problem, best, Limits(1, 60), 5, 50, _Silent())
    before = down.state.z.copy()
    assert not down.rearrange()
    assert down.loss == pytest.approx(partition_loss(problem, before), abs=1e-12)


@BOTH_LOSSES
def test_fitted_rows_are_placed_in_their_own_clusters(loss, rng):
    for holes in (False, True):
        codes = np.unique(random_codes(rng, 60, 6, 3, holes=holes), axis=0)
        ensemble = objects(codes, row_weights=rng.random(len(codes)) + 0.5)
        found = search(ensemble, loss)
        table = cell_costs(ensemble, found.labels, loss, 1.0)
        assert (ensemble.sum_over_labels(table).argmin(axis=1) == found.labels).all()


@BOTH_LOSSES
def test_a_start_is_never_left_for_something_worse(loss, rng):
    codes = random_codes(rng, 30, 5, 4)
    ensemble = objects(codes)
    for _ in range(3):
        start = rng.integers(5, size=30)
        before = partition_loss(make_problem(ensemble, loss, 1.0), start)
        assert search(ensemble, loss, n_init=1, start=start).loss <= before + 1e-12


@BOTH_LOSSES
def test_threads_change_nothing(loss, rng):
    ensemble = objects(random_codes(rng, 80, 8, 4, holes=True))
    one, two = search(ensemble, loss), search(ensemble, loss, n_jobs=2)
    assert (one.labels == two.labels).all()
    assert one.history == two.history


@BOTH_LOSSES
def test_many_clusters_find_room(loss, rng):
    codes = np.arange(60)[:, None].repeat(3, axis=1).astype(np.int32)  # all clusterings keep all objects apart
    found = search(objects(codes), loss, n_init=1, start=np.zeros(60, dtype=np.int64))
    assert found.loss == pytest.approx(0.0, abs=1e-12)
    down = Descent(
        make_problem(objects(codes), loss, 1.0), np.zeros(60, dtype=np.int64), Limits(1, 60), 0, 50, _Silent()
    )
    assert down.run(0).labels.max() == 59


# ------------------------------------------------------------------------------------------------------------- samples
def test_samples_that_are_equal_partitions_become_one():
    codes, first, n_each = distinct_samples(np.array([[5, 5, 2], [0, 1, 1], [3, 3, 9], [1, 1, 1]]))
    assert codes.tolist() == [[0, 0, 1], [0, 1, 1], [0, 0, 0]]
    assert first.tolist() == [0, 1, 3]
    assert n_each.tolist() == [2, 1, 1]


@pytest.mark.parametrize("loss", LOSSES)
def test_estimate_is_the_best_of_all_partitions(loss, rng):
    for _ in range(5):
        samples = rng.integers(3, size=(30, 6))
        found = estimate_partition(samples, loss, 6, None)
        losses = [np.mean([LOSSES[loss](z, sample) for sample in samples]) for z in SIX]
        assert np.mean([LOSSES[loss](found.labels, s) for s in samples]) == pytest.approx(min(losses))
        nearest = [LOSSES[loss](found.labels, sample) for sample in samples]
        assert nearest[found.nearest] == pytest.approx(min(nearest))


@pytest.mark.parametrize("loss", LOSSES)
def test_estimate_has_no_more_clusters_than_allowed(loss, rng):
    samples = np.tile(np.arange(8) // 2, (5, 1))
    assert estimate_partition(samples, loss, 8, None).labels.max() == 3
    assert estimate_partition(samples, loss, 2, None).labels.max() == 1
