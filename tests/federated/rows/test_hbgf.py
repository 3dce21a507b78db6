"""HBGF on rows of several sites: the cut that decides is that of all objects and labels."""

import numpy as np
import pytest
from scipy import sparse

from partita import HBGF
from partita._labels.validation import check_label_matrix
from partita.consensus.graph._graph_partition import normalised_cut
from partita.federated import simulate
from partita.federated.rows import _hbgf as _row_hbgf
from partita.federated.rows._embedding import place_embedded
from tests.ensembles import same_partition
from tests.federated.parts import labels_with_holes, share_out


def test_the_cut_of_hbgf_is_that_of_all_objects_and_labels(monkeypatch):
    seen, real = [], _row_hbgf.rank
    monkeypatch.setattr(_row_hbgf, "rank", lambda found, edges: seen.append(found) or real(found, edges))
    parts, weights = share_out(labels_with_holes(), 3), [1, 2, 1, 0.5, 1, 3, 1, 1]
    simulate(HBGF(3, random_state=0, weights=weights), parts)
    rows = HBGF(3, weights=weights)._open(check_label_matrix(np.vstack(parts)), np.ones(120))
    edges = 2 * rows.ensemble.cell_weights
    A = sparse.csr_array(rows.ensemble.indicator[rows.row_of_object] * edges)
    W = sparse.csr_array(sparse.block_array([[None, A], [A.T, None]]))
    assert len(seen) == 2  # both together, and the labels alone
    for found in seen:
        labels = place_embedded(rows.ensemble, found.model)[rows.row_of_object]
        n_clusters, cut = real(found, edges)
        assert cut == pytest.approx(normalised_cut(W, np.concatenate([labels, found.of_labels]), 3), rel=1e-12)
        assert n_clusters == -len(np.unique(labels))


def test_metis_needs_the_graph_of_all_objects():
    with pytest.raises(ValueError, match=r"graph of all objects.*partitioner='spectral', or 'auto'"):
        simulate(HBGF(3, partitioner="metis"), share_out(labels_with_holes(), 2))
    parts = share_out(labels_with_holes(), 2)
    found = simulate(HBGF(3, random_state=0), parts)
    assert found.partitioner_ == "spectral"
    assert same_partition(found.labels_, simulate(HBGF(3, partitioner="spectral", random_state=0), parts).labels_)


def test_points_are_the_singular_vectors_of_the_pooled_graph():
    from partita.consensus.graph._cell_memberships import cell_memberships
    from partita.consensus.graph._spectral import embed_factor
    from partita.consensus.label_space._embedded_rows import embed_rows
    from partita.consensus.label_space._transfer_cut import cell_graph, unit_rows

    X = labels_with_holes()
    ensemble = HBGF(3)._open(check_label_matrix(X), np.ones(len(X))).ensemble
    edges = np.ones(ensemble.n_cells)
    cut, labels = _row_hbgf.embed_both(cell_graph(ensemble, edges), edges, 3)
    U, V = embed_factor(cell_memberships(ensemble).bipartite_edges(), ensemble.row_weights, 3, 0, bipartite=True)
    rows = embed_rows(cut, ensemble, None)
    stacked, want = np.vstack([rows, labels]), np.vstack([unit_rows(U), unit_rows(V)])
    assert np.allclose(stacked @ stacked.T, want @ want.T, atol=1e-9)  # up to signs and order of the vectors
