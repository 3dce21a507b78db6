"""With more cells than sampled objects, sums over pairs of objects take the place of sums over pairs of cells."""

import numpy as np
import pytest
from scipy import sparse

from partita._labels.tables import cluster_tables
from partita.consensus.label_space import _chance, _halves
from partita.consensus.label_space._chance import LEVEL, agreement_p_value, pair_agreement, row_agreement
from partita.consensus.label_space._transfer_cut import cut_cells, membership_graph
from tests.consensus.label_space.fixed_ensembles import objects


def many_labels(rng, n=30, m=12, k=6):
    return rng.integers(0, k, (n, m))


def test_chi_squared_from_pairs_of_objects_is_that_of_the_tables(rng):
    X = many_labels(rng)
    X[:, :6] = X[:, :1]  # some agree
    for ensemble in (objects(X), objects(X).with_rows(objects(X).codes[:20])):  # the second has cells without objects
        assert ensemble.n_cells > ensemble.n_rows
        assert np.isclose(row_agreement(ensemble), pair_agreement(cluster_tables(ensemble)), rtol=1e-12)


def test_chi_squared_by_hand():
    X = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    assert np.isclose(row_agreement(objects(X)), 4.0)  # n (2 - 1) for two equal clusterings into halves
    assert np.isclose(row_agreement(objects(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))), 0.0)


@pytest.mark.parametrize("agree", [False, True])
def test_both_forms_give_the_same_p_value(rng, agree, monkeypatch):
    X = many_labels(rng, k=8)
    X[:, 1:4] = X[:, :1] if agree else X[:, 1:4]
    ensemble = objects(X)
    found = agreement_p_value(ensemble, np.random.default_rng(0))
    monkeypatch.setattr(_chance, "_statistic_for", lambda _: lambda of: pair_agreement(cluster_tables(of)))
    assert found == agreement_p_value(ensemble, np.random.default_rng(0))
    assert (found == LEVEL) == agree


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_embedding_from_pairs_of_rows_is_the_transfer_cut(rng, kind):
    H = objects(many_labels(rng)).indicator.toarray()
    H[3, : H.shape[1] // 2] = 0  # a row that some clusterings do not label
    w, e = rng.random(len(H)) + 0.2, rng.random(H.shape[1]) + 0.1
    assert H.shape[0] < H.shape[1]
    expected = cut_cells(membership_graph(H, w, e), e, 5).embed_memberships(H)
    found = _halves.embed_sample(kind(H), w, e, 5)
    signs = np.sign((found * expected).sum(axis=0))
    assert np.allclose(found * signs, expected, atol=1e-12)
