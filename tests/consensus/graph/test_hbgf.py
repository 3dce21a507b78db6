"""HBGF: the bipartite graph that it partitions, and the best cut for given clusters of clusters."""

from itertools import product

import numpy as np
from scipy import sparse

from partita.consensus.graph import _hbgf
from partita.consensus.graph._cell_memberships import cell_memberships
from partita.consensus.graph._graph_partition import PartitionerSettings, normalised_cut
from tests.consensus.graph.label_ensembles import as_ensemble
from tests.ensembles import noisy_ensemble, same_partition


def bipartite(A, row_weights):
    edges = row_weights[:, None] * A
    return sparse.csr_array(np.block([[np.zeros((len(A), len(A))), edges], [edges.T, np.zeros(A.shape[1:] * 2)]]))


def test_hbgf_partitions_objects_and_clusters_together(monkeypatch, rng):
    X = np.unique(noisy_ensemble(missing=0.3, n_clusterings=5).X, axis=0)
    weights, row_weights = rng.random(5) + 0.5, rng.integers(1, 4, len(X)).astype(float)
    seen = []
    original = _hbgf.metis_partitions
    monkeypatch.setattr(_hbgf, "metis_partitions", lambda *args: seen.append(args) or original(*args))
    ensemble = as_ensemble(X, weights, row_weights)
    edges = cell_memberships(ensemble).bipartite_edges()
    _hbgf.partition_bipartite(edges, 3, row_weights, PartitionerSettings())
    A = np.hstack([weight * (x[:, None] == np.arange(x.max() + 1)) for x, weight in zip(X.T, weights, strict=True)])
    assert np.allclose(seen[0][0].toarray(), bipartite(A, row_weights).toarray())
    assert seen[0][2].tolist() == [*row_weights, *np.zeros(A.shape[1])]


def test_objects_join_where_the_cut_is_least_for_the_clusters_of_clusters(rng):
    A = rng.random((6, 4))
    _, from_columns = _hbgf.spectral_candidates(sparse.csr_array(A), 2, np.ones(6), 0)
    of_rows, of_columns = from_columns[:6], from_columns[6:]
    between = lambda rows: sum(A[i, a] for i, a in product(range(6), range(4)) if rows[i] != of_columns[a])  # noqa: E731
    assert between(of_rows) == min(between(rows) for rows in product((0, 1), repeat=6))


def test_the_lower_normalised_cut_is_kept(rng):
    X, truth = noisy_ensemble(sizes=(40, 20, 10), missing=0.2)
    edges = cell_memberships(as_ensemble(X)).bipartite_edges()
    W = bipartite(edges.toarray(), np.ones(len(X)))
    candidates = _hbgf.spectral_candidates(edges, 3, np.ones(len(X)), 0)
    cuts = [normalised_cut(W, labels, 3) for labels in candidates]
    found = _hbgf.partition_bipartite(edges, 3, np.ones(len(X)), PartitionerSettings("spectral"))
    assert np.array_equal(found.labels, candidates[int(np.argmin(cuts))][: len(X)])
    assert same_partition(found.labels, truth)
