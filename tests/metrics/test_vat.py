"""The order of VAT is a walk along the minimum spanning tree (eq. P16)."""

import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

from partita import coassociation, vat
from partita.exceptions import NotEnoughMemoryError


def test_order_is_a_walk_along_the_spanning_tree(rng):
    condensed = pdist(rng.random((40, 3)))
    D = squareform(condensed)
    found = vat(D)
    assert sorted(found.order) == list(range(40))
    assert found.order[0] == np.unravel_index(D.argmax(), D.shape)[0]
    assert np.allclose(np.sort(found.distances[1:]), linkage(condensed, "single")[:, 2])
    assert np.array_equal(found.matrix, D[np.ix_(found.order, found.order)])
    for k in range(1, 40):  # each object is the nearest to those before it
        outside = np.setdiff1d(found.order, found.order[:k])
        assert D[np.ix_(found.order[:k], outside)].min() == found.distances[k]


def test_unanimous_ensemble_becomes_blocks(truth):
    D = 1 - coassociation(truth.reshape(-1, 1)).similarity()
    ordered = truth[vat(D).order]
    assert (np.diff(ordered) != 0).sum() == 2


def test_ties_go_by_index():
    assert vat(1 - np.eye(4)).order.tolist() == [0, 1, 2, 3]
    assert vat([[0.0]]).order.tolist() == [0]


@pytest.mark.parametrize(
    ("D", "message"),
    [
        ([[0, 1]], r"shape \(1, 2\); pass a square matrix"),
        ([[0, np.nan], [np.nan, 0]], "NaN or infinite"),
        ([[0, 1], [2, 0]], "not symmetric"),
    ],
)
def test_what_is_not_a_matrix_of_distances_is_refused(D, message):
    with pytest.raises(ValueError, match=message):
        vat(D)


def test_a_matrix_for_which_there_is_no_memory_is_refused(monkeypatch):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "100kB")
    with pytest.raises(NotEnoughMemoryError, match="VAT of 60 objects needs"):
        vat(np.zeros((60, 60)))


@pytest.mark.parametrize("wrong", ["x", None, [[None]], [["q"]], sparse.eye_array(3), 3.0], ids=str)
def test_what_is_no_dense_square_of_numbers_is_refused(wrong):
    with pytest.raises(ValueError, match=r"dissimilarity (has shape|must be numbers|has NaN)"):
        vat(wrong)
