"""Co-association of pairs that are named, or drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from partita import coassociation
from partita.metrics._chosen_pairs import unrank_pairs
from tests import twins
from tests.ensembles import label_matrices, noisy_ensemble


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_ranks_number_the_upper_triangle_row_by_row(n):
    left, right = unrank_pairs(np.arange(n * (n - 1) // 2), n)
    expected = np.triu_indices(n, 1)
    assert np.array_equal(left, expected[0])
    assert np.array_equal(right, expected[1])


@given(label_matrices(min_rows=3), st.data())
def test_given_pairs_have_the_counts_of_a_double_loop(X, data):
    X = X[:, (X >= 0).any(axis=0)]
    n = len(X)
    index = st.integers(0, n - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(index, index), min_size=1, max_size=10)))
    C, N = twins.coassociation(X)
    chosen = np.zeros((n, n), bool)
    chosen[pairs[:, 0], pairs[:, 1]] = True
    chosen = (chosen | chosen.T) & (N > 0) & ~np.eye(n, dtype=bool)
    for form in (pairs, sparse.csr_array(chosen | np.eye(n, dtype=bool)), sparse.coo_matrix(np.triu(chosen))):
        found = coassociation(X, form="pairs", pairs=form)
        assert np.array_equal(found.counts.toarray(), np.where(chosen, C, 0))
        assert np.array_equal(found.totals.toarray(), np.where(chosen, N, 0))
        assert found.counts.nnz == chosen.sum()  # a 0 of C is stored
        assert np.array_equal(found.counts.indices, found.totals.indices)


@pytest.mark.parametrize(("pairs", "expected"), [(0.1, 189), (0.9, 1702), (1.0, 1891), (6, 186), (10**6, 1891)])
def test_as_many_pairs_are_drawn_as_asked_for(pairs, expected):
    X = noisy_ensemble(missing=0).X
    found = coassociation(X, form="pairs", pairs=pairs, random_state=0)
    assert found.totals.nnz == 2 * expected
    C = coassociation(X).counts
    i, j = found.totals.nonzero()
    assert (i != j).all()
    assert np.array_equal(found.counts[i, j], C[i, j])
    again = coassociation(X, form="pairs", pairs=pairs, random_state=0)
    assert np.array_equal(found.counts.indices, again.counts.indices)


def test_pairs_are_drawn_among_those_seen_together(rng):
    """Two groups that no clustering saw together: all pairs asked for are found within the groups."""
    X = np.full((40, 2), -1)
    X[:20, 0] = rng.integers(3, size=20)
    X[20:, 1] = rng.integers(3, size=20)
    found = coassociation(X, form="pairs", pairs=300 / 780, random_state=1)
    assert found.totals.nnz == 2 * 300
    assert coassociation(X, form="pairs", pairs=1.0).totals.nnz == 2 * 380


def test_drawn_pairs_are_uniform():
    X = np.zeros((6, 1), int)
    hits = np.zeros((6, 6))
    for seed in range(2000):
        hits += coassociation(X, form="pairs", pairs=2, random_state=seed).totals.toarray()
    share = hits[np.triu_indices(6, 1)] / 2000
    assert np.abs(share - 6 / 15).max() < 0.05
