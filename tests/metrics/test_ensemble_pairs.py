"""Pairs of an ensemble: the kernel that counts them, and what is read as what (eqs. I47, I52)."""

import numpy as np
import pytest

from partita import coassociation
from partita._kernels import internal
from partita.metrics import item_consensus, pac_score
from partita.metrics._ensemble_pairs import read_pairs


def test_kernel_is_its_twin(rng):
    counts, totals = rng.integers(3, size=(5, 9)).astype(np.uint8), rng.integers(4, size=(5, 9)).astype(np.uint8)
    weight = rng.integers(1, 6, size=9)
    table, complete = np.zeros((4, 3), dtype=np.int64), np.zeros((1, 3), dtype=np.int64)
    internal.tally_pairs(counts, totals, False, weight, 2, table)
    internal.tally_pairs(counts, totals, True, weight, 2, complete)
    expected = np.zeros((4, 3), dtype=np.int64)
    for i in range(5):
        for j in range(i + 3, 9):
            expected[totals[i, j], counts[i, j]] += weight[i + 2] * weight[j]
    assert np.array_equal(table, expected)
    assert np.array_equal(complete[0], expected.sum(axis=0))


def test_a_million_objects_are_as_cheap_as_their_distinct_rows():
    rows = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1]])
    X = rows[np.arange(1_000_000) % 3]
    together, apart = 333_334 * 333_333, 333_333 * 333_333  # pairs (0, 1), (0, 2) and (1, 2)
    everything = 1_000_000 * 999_999 // 2
    assert pac_score(X) == (together + apart) / everything
    assert item_consensus(X, X[:, 0])[0] == pytest.approx([(333_333 + 333_333 * 2 / 3) / 666_666, 0])


def test_a_table_of_ones_and_zeros_may_be_labels():
    """Integers are labels even if square and symmetric; floats with fractions are not."""
    assert pac_score(np.array([[1, 0], [0, 1]]), "strict") == 0
    labels = np.array([[1.0, 2.0], [2.0, 2.0]])
    assert pac_score(labels, "strict") == 1
    assert read_pairs(np.array([[1.0, 0.5], [0.5, 1.0]])).together[0, 1] == 0.5
    assert np.isnan(pac_score(np.ones((1, 1))))


def test_matrices_that_do_not_tell_the_pairs_are_refused():
    with pytest.raises(ValueError, match="2 x 2 matrix of fractions, but not a similarity matrix"):
        pac_score(np.array([[1.0, 0.5], [0.4, 1.0]]))
    with pytest.raises(ValueError, match="form='sparse', which does not distinguish pairs"):
        pac_score(coassociation([[0, 1]], form="sparse"))
