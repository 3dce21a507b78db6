"""Labels as memberships of 0 and 1, and the edges between rows and cells."""

import numpy as np

from partita.consensus.graph._cell_memberships import cell_memberships
from tests.consensus.graph.label_ensembles import as_ensemble
from tests.ensembles import noisy_ensemble


def test_labels_are_memberships_of_zero_and_one(rng):
    X, weights = noisy_ensemble(missing=0.3, n_clusterings=4).X, rng.random(4) + 0.5
    cells = cell_memberships(as_ensemble(X, weights))
    expected = np.hstack([column[:, None] == np.arange(column.max() + 1) for column in X.T])
    assert np.array_equal(cells.H.toarray(), expected)
    assert np.array_equal(cells.seen, X >= 0)
    assert np.array_equal(cells.cell_weights, weights[cells.cell_clustering])
    part = cells.take(np.array([3, 1]))
    assert np.array_equal(part.H.toarray(), expected[[3, 1]])
    assert part.n_rows == 2


def test_edges_lead_to_cells_in_use_only():
    X = np.array([[0, 0], [2, 1], [2, -1]])  # no row has label 1 of the first clustering
    edges = cell_memberships(as_ensemble(X, [1.0, 3.0])).bipartite_edges()
    assert edges.toarray().tolist() == [[1, 0, 3, 0], [0, 1, 0, 3], [0, 1, 0, 0]]
