"""PTA and PTGP: similarities of a fixed example, walks by powers of the definition, partitions, limits and new rows."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from threadpoolctl import threadpool_limits

from partita import PTA, PTGP
from partita.consensus.walks import _row_walks as module
from partita.consensus.walks._ptgp import mean_similarity
from partita.exceptions import NotEnoughMemoryError
from tests.consensus.label_space.fixed_ensembles import (
    BOTH,
    E16,
    distinct,
    first_seen,
    partition,
    peak_memory,
    random_ensemble,
)
from tests.ensembles import noisy_ensemble, same_partition

FROM_000 = [1, 0.645610, 0.410186, 0.052244, 0.479020, 0.038789, 0.048822]  # 2 neighbours, 3 steps
PARTITIONS = {PTA: "0011022211102222", PTGP: "0000122200012222"}  # 1 neighbour, 1 step


def coassociation_of_rows(codes, weights):
    """S = C / N of each pair of rows, one pair at a time."""
    n = len(codes)
    S = np.zeros((n, n))
    for r, q in np.ndindex(n, n):
        both = (codes[r] >= 0) & (codes[q] >= 0)
        if r != q and both.any():
            S[r, q] = weights[both & (codes[r] == codes[q])].sum() / weights[both].sum()
    return S


def trajectories(ensemble, neighbours, steps):
    """Z by the definition: one row and one power at a time."""
    S, n = coassociation_of_rows(ensemble.codes, ensemble.clustering_weights), ensemble.n_rows
    least = [sorted(row, reverse=True)[min(neighbours, n) - 1] for row in S]
    P = np.zeros((n, n))
    for r, q in np.ndindex(n, n):
        if S[r, q] >= min(least[r], least[q]) - 1e-12:
            P[r, q] = ensemble.row_weights[q] * S[r, q]
        # rows without neighbours stay 0
    P = np.array([row / row.sum() if row.sum() else row for row in P])
    walks = np.hstack([np.linalg.matrix_power(P, step) for step in range(1, steps + 1)])
    Z = np.eye(n)
    for r, q in np.ndindex(n, n):
        length = np.linalg.norm(walks[r]) * np.linalg.norm(walks[q])
        if r != q and length:
            Z[r, q] = walks[r] @ walks[q] / length
    return Z


def test_similarities_of_the_fixed_example():
    assert np.allclose(module.row_trajectories(distinct(E16)[0], 2, 3, show=False)[0], FROM_000, atol=1e-6)


@pytest.mark.parametrize("method", PARTITIONS)
def test_partitions_of_the_fixed_example(method):
    model = method(3, random_state=0).fit(E16)
    assert (model.neighbours_, model.steps_) == (1, 1)
    assert first_seen(model.labels_) == partition(PARTITIONS[method])


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(("neighbours", "steps"), [(1, 1), (2, 3), (3, 7), (100, 2)])
@pytest.mark.parametrize("sparse_cost", [0.0, np.inf])
def test_walks_are_those_of_the_definition(name, neighbours, steps, sparse_cost, monkeypatch):
    monkeypatch.setattr(module, "_SPARSE_COST", sparse_cost)  # step by step, and by one decomposition
    ensemble, _ = distinct(BOTH[name], weights=[1, 2.5, 0.7])
    found = module.row_trajectories(ensemble, neighbours, steps, show=False)
    assert np.allclose(found, trajectories(ensemble, neighbours, steps), atol=1e-10)
    assert np.array_equal(found, found.T)


@pytest.mark.parametrize("seed", range(3))
def test_both_ways_agree_on_larger_graphs(seed, monkeypatch):
    ensemble, _ = distinct(random_ensemble(n=150, m=6, n_labels=4, missing=0.2, seed=seed))
    found = []
    for cost in (0.0, np.inf):
        monkeypatch.setattr(module, "_SPARSE_COST", cost)
        found.append(module.row_trajectories(ensemble, 5, 9, show=False))
    assert np.allclose(*found, atol=1e-12)


def test_all_neighbours_and_one_step_are_the_cosine_of_weighted_coassociations():
    ensemble, _ = distinct(random_ensemble(n=70, seed=2))
    rows = coassociation_of_rows(ensemble.codes, ensemble.clustering_weights) * ensemble.row_weights
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    expected = unit @ unit.T
    np.fill_diagonal(expected, 1.0)
    assert np.allclose(module.row_trajectories(ensemble, ensemble.n_rows, 1, show=False), expected, atol=1e-12)


def test_a_row_without_neighbours_is_like_none():
    X = np.array([[0, 0], [0, 1], [1, 0], [2, 2]])
    Z = module.row_trajectories(distinct(X)[0], 2, 4, show=False)
    assert np.array_equal(Z[3], [0, 0, 0, 1])
    assert same_partition(PTA(2).fit_predict(X), [0, 0, 0, 1])
    assert same_partition(PTGP(2, random_state=0).fit_predict(X), [0, 0, 0, 1])


@pytest.mark.parametrize("how", ["average", "single", "complete"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_tree_is_scipys_tree_of_the_rows(how, missing):
    X = random_ensemble(n=60, missing=missing, seed=5)
    ensemble, _ = distinct(X)
    D = 1 - trajectories(ensemble, 3, 3)
    np.fill_diagonal(D, 0.0)
    scipys = linkage(squareform(D, checks=False), how)[:, 2]
    model = PTA(3, linkage=how, neighbours=3, steps=3).fit(X)
    assert np.allclose(model.dendrogram_[-len(scipys) :, 2], scipys, atol=1e-10)
    assert (model.dendrogram_[: -len(scipys), 2] == 0).all()
    assert model.dendrogram_[-1, 3] == 60


def test_a_row_is_joined_to_the_clusters_by_mean_similarities():
    ensemble, _ = distinct(random_ensemble(n=50, missing=0.3, seed=7))
    Z = trajectories(ensemble, 3, 3)
    B = mean_similarity(Z, ensemble)
    for c, m in enumerate(ensemble.cell_clustering):
        carry = ensemble.codes[:, m] == c - ensemble.first_cell[m]
        assert np.allclose(B[:, c], Z[:, carry].mean(axis=1), atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_cut_is_that_of_the_bipartite_graph(missing):
    """The embedding of rows is spanned by the singular vectors of the normalised association."""
    X = noisy_ensemble(sizes=(20, 15, 10), n_clusterings=8, flip=0.25, missing=missing, seed=3)
    ensemble, inverse = distinct(X.X)
    B = mean_similarity(module.row_trajectories(ensemble, 3, 3, show=False), ensemble)
    U, s, _ = np.linalg.svd(B / np.sqrt(np.outer(B.sum(axis=1), B.sum(axis=0))), full_matrices=False)
    F = (U * s)[:, :3] / np.sqrt(B.sum(axis=1))[:, None]
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    from sklearn.cluster import KMeans

    expected = KMeans(3, n_init=20, random_state=0).fit_predict(F)[inverse]
    found = PTGP(3, neighbours=3, steps=3, random_state=0).fit_predict(X.X)
    assert same_partition(found, expected)


@pytest.mark.parametrize("method", [PTA, PTGP])
def test_new_rows_go_to_the_highest_mean_coassociation(method):
    X = random_ensemble(n=60, missing=0.2, seed=6)
    fitted, new = X[:40], X[40:]
    model = method(3, random_state=0).fit(fitted)
    known = {tuple(row): label for row, label in zip(fitted.tolist(), model.labels_, strict=True)}
    for row, label in zip(new, model.predict(new), strict=True):
        S = []
        for other in fitted:
            both = (row >= 0) & (other >= 0)
            S.append((row[both] == other[both]).mean() if both.any() else 0.0)
        mean = [np.mean([s for s, q in zip(S, model.labels_, strict=True) if q == k]) for k in range(3)]
        assert known.get(tuple(row.tolist())) == label or mean[label] >= max(mean) - 1e-12


def test_lengths_by_default():
    assert [module.walk_length(n) for n in (1, 3, 15, 16, 1599, 1600, 10**6)] == [1, 1, 1, 2, 19, 20, 20]


@pytest.mark.parametrize("sparse_cost", [0.0, np.inf])
def test_memory_is_what_is_asked_for(sparse_cost, monkeypatch):
    monkeypatch.setattr(module, "_SPARSE_COST", sparse_cost)
    ensemble, _ = distinct(random_ensemble(n=1300, m=12, n_labels=5, seed=0))
    assert ensemble.n_rows > 1200
    with threadpool_limits(limits=1):  # threads that compete for the machine would take long
        peak = peak_memory(lambda: module.row_trajectories(ensemble, 17, 3, show=False))
    assert peak < module._MATRICES * 8 * ensemble.n_rows**2


@pytest.mark.parametrize("method", [PTA, PTGP])
def test_too_many_rows_are_refused(method, monkeypatch):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "50kB")
    with pytest.raises(NotEnoughMemoryError, match=r"walks among \d+ distinct rows needs .* such as LWGP"):
        method(3).fit(random_ensemble(n=200, m=6, seed=0))


def test_labels_of_objects_without_weight_are_no_vertices():
    X = np.array([[0, 1, -1, 0], [-1, -1, -1, 1], [-1, 0, -1, 1], [1, 0, 2, 1]])
    with_empty = PTGP(2, random_state=0).fit(X, sample_weight=[0, 1, 1, 1])
    alone = PTGP(2, random_state=0).fit(X[1:])
    np.testing.assert_array_equal(with_empty.labels_[1:], alone.labels_)
