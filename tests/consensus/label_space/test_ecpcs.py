"""ECPCS: similarities of a fixed example, powers of the walk one by one, partitions, and trees of the objects."""

import warnings

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from partita import ECPCS
from partita._labels.tables import cluster_tables
from partita.consensus.label_space._cluster_cut import cut_graph
from partita.consensus.label_space._ecpcs import cluster_similarity
from partita.consensus.label_space._trajectories import common_jaccard, trajectory_similarity
from partita.exceptions import FewerClustersWarning
from tests.consensus.label_space.fixed_ensembles import BOTH, first_seen, objects, partition, random_ensemble
from tests.ensembles import noisy_ensemble, same_partition

JACCARD = {
    "complete": [0, 0, 0, 2 / 11, 3 / 8, 3 / 13, 4 / 11, 4 / 9, 0],
    "holes": [0, 0, 0, 1 / 9, 3 / 7, 3 / 11, 4 / 9, 3 / 8, 0],
}
WALKS = {
    ("complete", 20): [1, 0.867294, 0.775209, 0.856923, 0.917269, 0.833909, 0.884473, 0.885563, 0.745273],
    ("holes", 20): [1, 0.839574, 0.771496, 0.847599, 0.877683, 0.834546, 0.884764, 0.841969, 0.737098],
    ("complete", 1): [1, 0.481571, 0.254091, 0.366287, 0.437693, 0.280405, 0.317940, 0.319936, 0.163924],
    ("holes", 1): [1, 0.382185, 0.262213, 0.400090, 0.349779, 0.287777, 0.299134, 0.287518, 0.165091],
}
HEIGHTS = {
    "complete": [0.034178, 0.042009, 0.061324, 0.066796, 0.125237, 0.265271],
    "holes": [0, 0, 0, 0, 0.038138, 0.039995, 0.074552, 0.115781, 0.290716],
}
TREES = {"complete": "0000111100022222", "holes": "0000011100022222"}
GROUPS = {"complete": "0000011100022222", "holes": "0000011100011111"}


@pytest.mark.parametrize("name", BOTH)
def test_jaccard_of_the_papers_example(name):
    assert np.allclose(common_jaccard(cluster_tables(objects(BOTH[name])))[0], JACCARD[name], atol=1e-12)


@pytest.mark.parametrize(("name", "steps"), WALKS)
def test_walks_of_the_papers_example(name, steps):
    assert np.allclose(cluster_similarity(cluster_tables(objects(BOTH[name])), steps)[0], WALKS[name, steps], atol=1e-6)


@pytest.mark.parametrize("name", BOTH)
def test_tree_and_groups_of_the_papers_example(name):
    tree = ECPCS(3, output="tree").fit(BOTH[name])
    assert np.allclose(tree.dendrogram_[-len(HEIGHTS[name]) :, 2], HEIGHTS[name], atol=1e-6)
    assert first_seen(tree.labels_) == partition(TREES[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if name == "holes" else "error", FewerClustersWarning)
        groups = ECPCS(3).fit(BOTH[name])
    assert first_seen(groups.labels_) == partition(GROUPS[name])


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_one_decomposition_gives_the_sum_of_all_powers(steps, rng):
    J = rng.random((9, 9)) * (rng.random((9, 9)) < 0.5)
    J = np.triu(J, 1) + np.triu(J, 1).T
    J[4] = J[:, 4] = 0  # a cluster without neighbours
    degree = J.sum(axis=1)
    P = np.divide(J, degree[:, None], out=np.zeros_like(J), where=degree[:, None] > 0)
    walks = np.hstack([np.linalg.matrix_power(P, q) for q in range(1, steps + 1)])
    length = np.linalg.norm(walks, axis=1)
    expected = np.divide(
        walks @ walks.T, np.outer(length, length), out=np.zeros_like(J), where=np.outer(length, length) > 0
    )
    found = trajectory_similarity(J, steps)
    assert np.allclose(found, expected, atol=1e-12)
    assert (found[4] == 0).all()
    assert np.array_equal(found, found.T)


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 1]])
def test_the_tree_is_that_of_the_objects(weights):
    X = random_ensemble(n=50, missing=0.0, seed=8)
    ensemble = objects(X, weights=weights)
    Z = cluster_similarity(cluster_tables(ensemble), 20)
    np.fill_diagonal(Z, 1)
    D = np.zeros((50, 50))
    for i, j in np.ndindex(50, 50):
        alike = [Z[ensemble.first_cell[m] + X[i, m], ensemble.first_cell[m] + X[j, m]] for m in range(4)]
        D[i, j] = 1 - np.average(alike, weights=weights)
    scipys = linkage(squareform(D, checks=False), "average")[:, 2]
    assert np.allclose(ECPCS(3, output="tree", weights=weights).fit(X).dendrogram_[:, 2], scipys, atol=1e-12)


@pytest.mark.parametrize("output", ["meta", "tree"])
@pytest.mark.parametrize("n_clusterings", [1, 2, 5])
def test_equal_clusterings_are_given_back(output, n_clusterings):
    truth = np.repeat([0, 1, 2, 3], [9, 7, 5, 3])
    X = np.repeat(truth[:, None], n_clusterings, axis=1)
    assert same_partition(ECPCS(4, output=output).fit_predict(X), truth)


def test_an_object_joins_the_group_of_the_largest_mean_membership():
    X = noisy_ensemble(sizes=(25, 20, 15), n_clusterings=7, flip=0.35, missing=0.3, seed=2).X
    weights = np.array([1, 2, 1, 0.5, 1, 3, 1])
    ensemble = objects(X, weights=weights)
    group = cut_graph(cluster_similarity(cluster_tables(ensemble), 20), 3, ensemble.cell_mass)
    mass = np.bincount(group, weights=ensemble.cell_mass)
    expected = []
    for row in X:
        score = np.zeros(3)
        for g in range(3):
            cells = [c for c in np.flatnonzero(group == g) if row[ensemble.cell_clustering[c]] >= 0]
            of = [ensemble.cell_clustering[c] for c in cells]
            here = [row[m] == c - ensemble.first_cell[m] for m, c in zip(of, cells, strict=True)]
            score[g] = weights[of] @ here / weights[of].sum() if cells else 0
        expected.append(np.lexsort((-mass, -score.round(12)))[0])
    assert same_partition(ECPCS(3, weights=weights).fit_predict(X), expected)


def test_a_cut_of_separate_blocks_is_the_blocks(rng):
    block = np.repeat([0, 1, 2], [5, 4, 3])
    Z = np.where(block[:, None] == block, 0.9, 0.01) + 0.001 * rng.random((12, 12))
    Z = (Z + Z.T) / 2
    assert same_partition(cut_graph(Z, 3, np.ones(12)), block)
    assert same_partition(cut_graph(np.where(block[:, None] == block, 0.9, 0.0), 2, np.ones(12)), np.minimum(block, 1))


def test_a_second_fit_forgets_the_tree():
    X = noisy_ensemble().X
    model = ECPCS(3, output="tree").fit(X)
    assert hasattr(model, "dendrogram_")
    assert not hasattr(model.set_params(output="meta").fit(X), "dendrogram_")


def test_new_objects_join_groups_that_have_objects(rng):
    X = rng.integers(0, 15, (40, 5))
    weights = np.r_[np.ones(30), np.zeros(10)]
    with pytest.warns(FewerClustersWarning):
        model = ECPCS(25).fit(X, sample_weight=weights)
    assert set(model.predict(X)) <= set(range(model.n_clusters_))


def test_two_clusterings_without_common_objects():
    X = np.array([[0, -1], [0, -1], [1, -1], [-1, 0], [-1, 0], [-1, 1]])
    assert ECPCS(4).fit(X).n_clusters_ == 4


def test_ties_go_to_the_heavier_group():
    X = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]]  # the third object has one label of each group
    assert same_partition(ECPCS(2).fit_predict(X), [0, 0, 1, 1, 1, 1])
