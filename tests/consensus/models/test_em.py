"""What EM of all models shares: tables of labels, starts, the best run of a sample, blocks and over-relaxed updates."""

import numpy as np
import pytest

from partita._labels.ensemble import Ensemble, layout_of
from partita._runs import progress
from partita.consensus.models import _em as module
from partita.consensus.models._mixture import MixtureState
from tests.ensembles import noisy_ensemble

both_starts = pytest.mark.parametrize("init", ["kmeans", "random"])


@pytest.fixture
def ensemble(rng):
    X = noisy_ensemble(missing=0.3).X
    return Ensemble(X.astype(np.int32), X.max(axis=0) + 1, np.ones(X.shape[1]), rng.random(len(X)) + 0.1)


# tables


def test_tables_are_normalised_by_clustering(rng):
    layout = layout_of(np.array([2, 3, 8]))
    mass = rng.random((13, 4))
    mass[2:5, 1] = 0  # a cluster without mass in the second clustering
    previous = rng.random((13, 4))
    table = module.normalise(mass, layout, previous)
    parts, of_mass = module.by_clustering(table, layout, np.arange(4)), np.split(mass, [2, 5])
    for j, (part, own) in enumerate(zip(parts, of_mass, strict=True)):
        full = [h for h in range(4) if (j, h) != (1, 1)]
        assert np.allclose(part[full].T, own[:, full] / own[:, full].sum(axis=0))
    assert np.array_equal(table[2:5, 1], previous[2:5, 1])
    assert np.allclose(module.column_sums(mass, layout), [own.sum(axis=0) for own in of_mass])


def test_tables_by_clustering_take_the_order_of_the_clusters(rng):
    layout, table = layout_of(np.array([2, 3])), rng.random((5, 3))
    first, second = module.by_clustering(table, layout, np.array([2, 0]))
    assert np.array_equal(first, table[:2, [2, 0]].T)
    assert np.array_equal(second, table[2:, [2, 0]].T)


def test_shares_are_those_of_the_observed_labels(ensemble):
    parts = np.split(module.shares(ensemble), ensemble.first_cell[1:])
    for column, share in zip(ensemble.codes.T, parts, strict=True):
        mass = np.bincount(column[column >= 0], ensemble.row_weights[column >= 0])
        assert np.allclose(share, mass / mass.sum())


# starts


@both_starts
@pytest.mark.parametrize("n_clusters", [1, 3, 90])
def test_starts_are_clusters_of_the_rows(init, n_clusters, ensemble):
    labels = module.STARTS[init](ensemble, n_clusters, 0)
    assert labels.shape == (ensemble.n_rows,)
    assert 0 <= labels.min() <= labels.max() < n_clusters
    assert len(np.unique(labels)) > 1 or n_clusters == 1  # clusters that start alike would stay alike (eq. M3)


def test_state_of_a_sample_gets_a_little_of_every_label(ensemble):
    state = MixtureState(np.ones(2) / 2, np.random.default_rng(0).random((ensemble.n_cells, 2)))
    mixed = module.with_every_label(state, ensemble)
    assert np.allclose(mixed.table, 0.99 * state.table + 0.01 * module.shares(ensemble)[:, None])


# loop


def test_stretched_update_that_lowers_the_bound_is_taken_back_with_its_memory():
    """An update goes nine tenths of the way to the maximum at 1, so that the second stretched one overshoots it."""
    memory, seen = np.zeros(1), []

    def bound_at(x):
        seen.append((x, memory[0]))
        memory[0] = x
        return x, -((x - 1) ** 2)

    stretch = module.Stretch(lambda old, new, factor: old + factor * (new - old), memory)
    move = lambda x, _: x + 0.9 * (1 - x)  # noqa: E731
    with progress(50, "", show=False) as bar:
        run = module.climb(bound_at, move, 0.0, tol=1e-12, max_iter=50, n=1.0, bar=bar, stretch=stretch)
    assert (np.diff(run.history) >= 0).all()
    assert run.converged
    assert len(seen) > len(run.history)
    kept = [x for x, _ in seen if -((x - 1) ** 2) in run.history]
    assert len(kept) < len(seen)
    assert {before for _, before in seen} <= {0.0, *kept}
