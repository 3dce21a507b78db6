"""Contingency tables of all clusterings against counting pair by pair; entropies against their definition."""

import numpy as np
import pytest
from scipy import sparse

from partita._labels import tables
from partita._labels.membership import one_hot
from partita._labels.tables import (
    cluster_entropies,
    cluster_tables,
    entropy_weights,
    label_sums,
    membership_sums,
    pair_sums,
    soft_tables,
)
from tests.consensus.label_space.fixed_ensembles import BOTH, distinct, objects, random_ensemble

ENTROPIES = {
    "complete": [2.561278, 0, 0.721928, 0.970951, 0.918296, 1.954434, 1.848349, 1.443856, 0],
    "holes": [2.434044, 0, 0.721928, 0.918296, 0, 1.970456, 1.836592, 0.811278, 0],
}
INDEX = {
    "complete": [0.118316, 1, 0.547931, 0.445247, 0.465219, 0.196185, 0.214319, 0.300228, 1],
    "holes": [0.131550, 1, 0.547931, 0.465219, 1, 0.193583, 0.216429, 0.508614, 1],
}


def counted(X, weights):
    """Weight of the objects in both of two cells, object by object."""
    n_labels = X.max(axis=0) + 1
    first = np.concatenate([[0], np.cumsum(n_labels)[:-1]])
    G = np.zeros((n_labels.sum(), n_labels.sum()))
    for row, weight in zip(X, weights, strict=True):
        for a, x in enumerate(row):
            for b, y in enumerate(row):
                if x >= 0 and y >= 0:
                    G[first[a] + x, first[b] + y] += weight
    return G


def index_of(found, theta=0.4):
    return entropy_weights(cluster_entropies(found), found.seen, found.clustering_weights, theta)


@pytest.mark.parametrize("seed", range(4))
def test_tables_are_counts_of_pairs(seed):
    X = random_ensemble(seed=seed)
    weights = np.random.default_rng(seed).integers(1, 5, len(X)).astype(float)
    ensemble = objects(X, row_weights=weights)
    found = cluster_tables(ensemble)
    assert np.array_equal(found.together, counted(X, weights))
    assert np.array_equal(found.size, ensemble.cell_mass)
    for c, m in np.ndindex(ensemble.n_cells, ensemble.n_clusterings):
        has_c = X[:, ensemble.cell_clustering[c]] == c - ensemble.first_cell[ensemble.cell_clustering[c]]
        assert found.seen[c, m] == weights[has_c & (X[:, m] >= 0)].sum()


def test_tables_of_blocks_and_of_distinct_rows_add_up():
    X = random_ensemble(n=90)
    whole = cluster_tables(objects(X))
    parts = [cluster_tables(objects(X).with_rows(X[lo : lo + 30].copy())) for lo in (0, 30, 60)]
    assert np.array_equal((parts[0] + parts[1] + parts[2]).together, whole.together)
    assert np.array_equal(cluster_tables(distinct(X)[0]).together, whole.together)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_kernel_and_sparse_products_give_the_same_bits(missing, monkeypatch):
    X = random_ensemble(n=500, m=6, n_labels=7, missing=missing)
    rng = np.random.default_rng(1)
    ensemble, values = objects(X), rng.random(len(X))
    table = rng.normal(size=(ensemble.n_cells, 5))
    ways = []
    for small in (True, False):
        monkeypatch.setattr(tables, "_is_small", lambda n_rows, small=small: small)
        ways.append((pair_sums(ensemble, values), label_sums(ensemble, table)))
    for one, other in zip(*ways, strict=True):
        assert np.array_equal(one, other)
    H = ensemble.indicator.toarray()
    assert np.allclose(ways[0][0], H.T @ np.diag(values) @ H, rtol=1e-12)
    assert np.allclose(ways[0][1], H @ table, rtol=1e-12)


def test_memberships_of_0_and_1_give_the_tables_of_labels():
    ensemble = objects(random_ensemble())
    of_labels = cluster_tables(ensemble)
    for H in (ensemble.indicator, ensemble.indicator.toarray()):
        found = soft_tables(H, ensemble.row_weights, ensemble.cell_clustering, ensemble.clustering_weights)
        assert np.array_equal(found.together, of_labels.together)
    soft = np.random.default_rng(0).dirichlet(np.ones(3), size=(20, 2)).reshape(20, 6)
    soft[:5, 3:] = 0.0  # the second clustering did not see these
    found = soft_tables(soft, np.arange(1.0, 21), np.repeat([0, 1], 3), np.ones(2))
    assert np.allclose(found.seen[:3, 1], np.arange(1.0, 21)[5:] @ soft[5:, :3])
    assert np.allclose(membership_sums(sparse.csr_array(soft), np.ones(20)), soft.T @ soft)


@pytest.mark.parametrize("name", BOTH)
def test_entropies_and_index_of_the_papers_example(name):
    found = cluster_tables(objects(BOTH[name]))
    assert np.allclose(cluster_entropies(found).sum(axis=1), ENTROPIES[name], atol=1e-6)
    assert np.allclose(index_of(found), INDEX[name], atol=1e-6)


def test_entropies_are_those_of_the_labels_of_each_cells_objects():
    X = random_ensemble(n=80, missing=0.3, seed=5)
    ensemble = objects(X)
    entropies = cluster_entropies(cluster_tables(ensemble))
    for c, m in np.ndindex(entropies.shape):
        own = ensemble.cell_clustering[c]
        labels = X[(X[:, own] == c - ensemble.first_cell[own]) & (X[:, m] >= 0), m]
        share = np.bincount(labels) / max(len(labels), 1)
        assert entropies[c, m] == pytest.approx(-sum(p * np.log2(p) for p in share if p > 0), abs=1e-12)


def test_index_counts_only_clusterings_that_saw_the_cell():
    X = np.array([[0, 0, -1], [0, 1, -1], [1, 1, 0], [1, 1, 1]], dtype=np.int32)
    found = cluster_tables(objects(X))
    assert index_of(found, theta=0.5)[0] == pytest.approx(np.exp(-1 / (0.5 * 2)))  # one bit, two clusterings
    assert index_of(found, theta=0.5)[1] == pytest.approx(np.exp(-1 / (0.5 * 3)))


def test_a_clustering_twice_is_the_index_with_weight_two():
    X = random_ensemble(seed=3)
    twice = index_of(cluster_tables(objects(X[:, [0, 1, 2, 3, 3]])))
    weighted = index_of(cluster_tables(objects(X, weights=[1, 1, 1, 2])))
    assert np.allclose(twice[: len(weighted)], weighted, rtol=1e-12)


def test_limits_of_the_index():
    found = cluster_tables(objects(random_ensemble()))
    assert np.array_equal(index_of(found, theta=np.inf), np.ones(len(found.size)))
    assert (index_of(found, theta=1e-3) > 0).all()
    same = np.repeat(np.array([[0, 0, 0], [1, 1, 1]], dtype=np.int32), 3, axis=0)
    assert np.array_equal(index_of(cluster_tables(objects(same))), np.ones(6))


def test_part_of_the_clusterings_gives_the_index_within_that_part():
    X = random_ensemble(seed=2)
    found = cluster_tables(objects(X))
    half = np.array([0, 2])
    inside = np.isin(found.cell_clustering, half)
    from_columns = entropy_weights(cluster_entropies(found)[inside][:, half], found.seen[inside][:, half], np.ones(2))
    assert np.allclose(from_columns, index_of(cluster_tables(objects(X[:, half]))), rtol=1e-12)


def test_blocks_of_cells_need_not_be_of_all_clusterings():
    found = soft_tables(one_hot(np.array([0, 1, 1]), 2), np.ones(3), np.array([1, 1]), np.ones(3))
    assert np.array_equal(found.seen, [[0, 1, 0], [0, 2, 0]])
