"""Counts of pairs of rows, and which objects a row meets."""

import numpy as np
import pytest
from scipy import sparse

from partita import AspectModel, BaumEagon
from partita.base import LabelledRows
from partita.consensus.pairwise._pair_counts import predicted, row_counts
from tests import twins
from tests.consensus.pcc.pcc_reference import rows_of
from tests.ensembles import noisy_ensemble


def one_row_each(ensemble):
    n = ensemble.n_rows
    return LabelledRows(ensemble, np.arange(n), np.ones(n, int), ensemble.codes[:0], np.full(n, -1), encoder=None)


@pytest.mark.parametrize("diagonal", [True, False])
def test_rows_stand_for_their_objects(diagonal, rng):
    """Sums over the objects that a row meets = sums over all objects."""
    X = np.unique(noisy_ensemble(missing=0.3).X, axis=0)
    weight = rng.integers(1, 4, size=len(X))
    counts = row_counts(one_row_each(rows_of(X, weight)), "all", 0)
    C, N = twins.coassociation(np.repeat(X, weight, axis=0))
    if not diagonal:
        np.fill_diagonal(C, 0)
        np.fill_diagonal(N, 0)
    met = counts.objects_met(diagonal=diagonal)
    first = np.cumsum(weight) - weight
    assert np.allclose((counts.counts * met).sum(axis=1), C.sum(axis=1)[first])
    assert np.allclose((counts.totals * met).sum(axis=1), N.sum(axis=1)[first])


def test_chosen_pairs_are_entries_of_all_pairs(rng):
    X = np.unique(noisy_ensemble(missing=0.3).X, axis=0)
    rows = one_row_each(rows_of(X, rng.uniform(0.5, 2, size=len(X))))
    every, some = row_counts(rows, "all", 0), row_counts(rows, 0.4, 0)
    at = some.totals.tocoo().coords
    assert 0 < len(at[0]) < len(X) ** 2 / 2
    assert np.array_equal(some.counts.toarray()[at], every.counts[at])
    assert np.allclose(some.objects_met(diagonal=False).toarray()[at], every.objects_met(diagonal=False)[at])
    Y = rng.dirichlet(np.ones(3), size=len(X))
    assert np.allclose(predicted(some.totals, Y).toarray()[at], predicted(every.totals, Y)[at])


@pytest.mark.parametrize("estimator", [BaumEagon, AspectModel])
def test_all_pairs_stored_are_all_pairs(estimator):
    X = np.unique(noisy_ensemble(sizes=(10, 8, 6), n_clusterings=6, missing=0.2).X, axis=0)
    options = {"diagonal": False} if estimator is BaumEagon else {}
    everything = sparse.csr_array(np.ones((len(X), len(X))))
    dense = estimator(3, random_state=0, **options).fit(X)
    stored = estimator(3, random_state=0, pairs=everything, **options).fit(X)
    assert dense.history_[-1] == pytest.approx(stored.history_[-1], rel=1e-3)
