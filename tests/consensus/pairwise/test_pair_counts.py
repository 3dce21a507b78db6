"""Counts of pairs of rows, and which objects a row meets."""

import numpy as np
import pytest
from scipy import sparse

from partita import AspectModel, BaumEagon
from partita.base import LabelledRows
from partita.consensus.pairwise._pair_counts import SAMPLE_OF_PAIRS, PairSums, row_counts, sample_of_pairs
from tests import twins
from tests.consensus.pcc.pcc_reference import rows_of
from tests.ensembles import noisy_ensemble


def one_row_each(ensemble):
    n = ensemble.n_rows
    return LabelledRows(ensemble, np.arange(n), np.ones(n, int), ensemble.codes[:0], np.full(n, -1), encoder=None)


def test_rows_stand_for_their_objects(rng):
    """Sums over the objects that a row meets = sums over all objects, without an object itself."""
    X = np.unique(noisy_ensemble(missing=0.3).X, axis=0)
    weight = rng.integers(1, 4, size=len(X))
    counts = row_counts(one_row_each(rows_of(X, weight)), "all", 0)
    C, N = twins.coassociation(np.repeat(X, weight, axis=0))
    first = np.cumsum(weight) - weight
    assert np.allclose(counts.totals @ weight, N.sum(axis=1)[first])
    np.fill_diagonal(C, 0)
    assert np.allclose(counts.without_self(counts.counts) @ weight, C.sum(axis=1)[first])


def test_chosen_pairs_are_entries_of_all_pairs(rng):
    X = np.unique(noisy_ensemble(missing=0.3).X, axis=0)
    rows = one_row_each(rows_of(X, rng.uniform(0.5, 2, size=len(X))))
    every, some = row_counts(rows, "all", 0), row_counts(rows, 0.4, 0)
    at = some.totals.tocoo().coords
    assert 0 < len(at[0]) < len(X) ** 2 / 2
    assert np.array_equal(some.counts.toarray()[at], every.counts[at])


@pytest.mark.parametrize("n", [40, 600])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_sums_over_pairs(n, is_sparse, rng):
    """By blocks and halves, or over stored pairs = over all of them at once; 600 rows are three blocks."""
    weight, half, Z = rng.uniform(0.5, 2, size=n), rng.random((n, 3)), rng.random((n, 2))
    A = rng.random((n, n))
    A = (A + A.T) * (np.abs(np.subtract.outer(np.arange(n), np.arange(n))) % 3 == 0)
    matrix = sparse.csr_array(A) if is_sparse else A
    total, product = PairSums((matrix,), weight).of(lambda a, x: (x * a**2, x / (1 + a)), half, Z)
    predicted = half @ half.T
    assert total == pytest.approx(weight @ (A * predicted**2) @ weight)
    assert np.allclose(product, (A / (1 + predicted)) @ (weight[:, None] * Z))


def test_a_sample_of_objects_follows_their_weights(rng):
    ensemble = rows_of(np.arange(1000).reshape(-1, 1), np.r_[np.full(10, 50.0), np.full(990, 0.01)])
    few = sample_of_pairs(ensemble, 0)
    assert few.row_weights.sum() == SAMPLE_OF_PAIRS
    assert few.row_weights[np.isin(few.codes[:, 0], ensemble.codes[:10, 0])].sum() > 0.95 * SAMPLE_OF_PAIRS


@pytest.mark.parametrize("estimator", [BaumEagon, AspectModel])
def test_all_pairs_stored_are_all_pairs(estimator):
    X = np.unique(noisy_ensemble(sizes=(10, 8, 6), n_clusterings=6, missing=0.2).X, axis=0)
    options = {"diagonal": False} if estimator is BaumEagon else {}
    everything = sparse.csr_array(np.ones((len(X), len(X))))
    dense = estimator(3, random_state=0, **options).fit(X)
    stored = estimator(3, random_state=0, pairs=everything, **options).fit(X)
    assert dense.history_[-1] == pytest.approx(stored.history_[-1], rel=1e-3)
