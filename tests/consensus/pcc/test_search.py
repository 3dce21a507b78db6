"""How starts compete: agreement of clusters, moves, and what the search finds."""

import numpy as np
import pytest

from partita import PCC
from partita.consensus.pcc import _pcc
from partita.consensus.pcc import _search as search
from partita.consensus.pcc._label_space import label_space
from tests.consensus.pcc import pcc_reference as reference
from tests.ensembles import noisy_ensemble, same_partition

both = pytest.mark.parametrize("divergence", ["kl", "l2"])


@pytest.fixture
def labels(rng):
    X = np.unique(noisy_ensemble(flip=0.3).X, axis=0)
    return label_space(reference.rows_of(X, rng.integers(1, 4, size=len(X))))


def test_agreement_of_clusters_is_the_mean_over_pairs(labels, rng):
    """All pairs of objects one by one, an object with itself included (eq. P61)."""
    ensemble = labels.ensemble
    Y = rng.dirichlet(np.ones(3), size=ensemble.n_rows)
    Y = np.column_stack([Y, np.zeros(len(Y))])
    together, mass = search.agreement_of_clusters(labels, Y)
    S = ((ensemble.codes[:, None] == ensemble.codes[None]) & (ensemble.codes >= 0)).mean(axis=2)
    weighted = ensemble.row_weights[:, None] * Y
    expected = weighted.T @ S @ weighted
    assert np.allclose(mass, weighted.sum(axis=0))
    assert np.allclose(together[:3, :3], (expected / np.maximum(np.outer(mass, mass), 1e-300))[:3, :3])
    assert (together[3] == 1).all()  # to merge an empty cluster costs nothing


def test_moves_give_memberships(labels, rng):
    for n_clusters in (2, 4):
        Y = rng.dirichlet(np.ones(n_clusters), size=labels.ensemble.n_rows)
        before = Y.copy()
        for power in (1, 2):
            moved = search.merge_and_split(labels, Y, np.random.default_rng(5), power)
            again = search.merge_and_split(labels, Y, np.random.default_rng(5), power)
            assert np.array_equal(moved, again)
            assert np.array_equal(Y, before)
            assert np.allclose(moved.sum(axis=1), 1)
            assert (moved >= 0).all()
            assert not np.allclose(moved, Y)


def test_nothing_to_split_is_no_fault(truth):
    """Unanimous labels: every cluster agrees with itself."""
    one = label_space(reference.rows_of(np.unique(truth[:, None], axis=0), np.bincount(truth)))
    moved = search.merge_and_split(one, np.eye(4)[:3], np.random.default_rng(0), 2)
    assert np.allclose(moved.sum(axis=1), 1)


def cells_of_points(seed, n=150, n_clusterings=8):
    """Clusterings of points in the plane: each goes to the nearest of 2 to 11 random ones."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    centers = [points[rng.choice(n, size=rng.integers(2, 12), replace=False)] for _ in range(n_clusterings)]
    return np.column_stack([((points[:, None] - some) ** 2).sum(axis=-1).argmin(axis=1) for some in centers])


@pytest.mark.parametrize(("divergence", "seed"), [("kl", 0), ("l2", 2)])
def test_the_search_ends_where_the_best_of_many_starts_does(divergence, seed):
    """Ensembles on which many of the single starts do not."""
    X = cells_of_points(seed)
    many = PCC(6, divergence=divergence, n_init=20, keep_starts=True, random_state=0).fit(X)
    values = np.array([start.objective for start in many.starts_])
    assert (values < 1.001 * values.min()).mean() < 0.7
    for own in range(3):
        assert PCC(6, divergence=divergence, random_state=own).fit(X).objective_ < 1.0001 * values.min()


@both
def test_a_search_on_a_sample_starts_all_rows(divergence, monkeypatch):
    sample = noisy_ensemble(sizes=(60, 50, 40), n_clusterings=8, flip=0.2, missing=0.1)
    expected = PCC(3, divergence=divergence, random_state=0).fit(sample.X)
    monkeypatch.setattr(_pcc, "_SAMPLE_PAIRS", 40)
    monkeypatch.setattr(_pcc, "SAMPLE_SIZE", 40)
    found = PCC(3, divergence=divergence, random_state=0).fit(sample.X)
    assert found.converged_
    assert same_partition(found.labels_, expected.labels_)
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-3)


def test_more_starts_and_threads(X):
    one = PCC(3, n_init=3, random_state=2).fit(X)
    two = PCC(3, n_init=3, random_state=2, n_jobs=2).fit(X)
    assert np.array_equal(one.membership_, two.membership_)
