"""LWEA: heights and partitions of fixed examples, SciPy's linkage of the objects, its limit EAC, and the ratio rule."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from partita import EAC, LWEA
from partita._labels.membership import one_hot
from partita.consensus.label_space._lwea import largest_ratio
from partita.consensus.label_space._lwgp import local_weights
from tests.consensus.label_space.fixed_ensembles import BOTH, E16, first_seen, objects, partition, random_ensemble
from tests.ensembles import noisy_ensemble

HEIGHTS = {
    "complete": [0.751961, 0.780145, 0.805488, 0.914590, 0.936598, 0.984502],
    "holes": [0.226035, 0.434225, 0.659176, 0.715980, 0.746130, 0.840157, 0.911899, 0.914470, 0.987667],
}
PARTITIONS = {"complete": "0011122200022222", "holes": "0000011100022222"}


def similarity_of_objects(X, theta=0.4, weights=None):
    """S over the objects, from its definition."""
    ensemble = objects(X, weights=weights)
    v, e = ensemble.clustering_weights, np.split(local_weights(ensemble, theta), ensemble.first_cell[1:])
    S, N = np.zeros((len(X), len(X))), np.zeros((len(X), len(X)))
    for m, column in enumerate(X.T):
        seen = column >= 0
        S += v[m] * one_hot(column, len(e[m])) @ np.diag(e[m]) @ one_hot(column, len(e[m])).T
        N += v[m] * np.outer(seen, seen)
    return np.divide(S, N, out=np.zeros_like(S), where=N > 0)


@pytest.mark.parametrize("name", BOTH)
def test_heights_and_partition_of_the_papers_example(name):
    model = LWEA(3).fit(BOTH[name])
    assert np.allclose(model.dendrogram_[-len(HEIGHTS[name]) :, 2], HEIGHTS[name], atol=1e-6)
    assert first_seen(model.labels_) == partition(PARTITIONS[name])


def test_similarities_of_the_papers_example():
    order = [0, 2, 4, 5, 8, 11, 12]  # objects with the rows 000, 010, 011, 021, 100, 221, 222
    expected = [0.259294, 0.110878, 0.039439, 0.039439, 0.219855, 0, 0]
    assert np.allclose(similarity_of_objects(E16)[0, order], expected, atol=1e-6)


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 1]])
def test_the_tree_is_that_of_the_objects(weights):
    """Complete labels: SciPy's tree has the copies of each row at 1 - S_ii, ours at 0."""
    X = random_ensemble(n=60, missing=0.0, seed=4)
    S = similarity_of_objects(X, weights=weights)
    D = 1 - S
    copies = [1 - S[i, i] for i in range(60) if any((X[i] == X[j]).all() for j in range(i))]
    np.fill_diagonal(D, 0)
    scipys = linkage(squareform(D, checks=False), "average")[:, 2]
    ours = LWEA(2, weights=weights).fit(X).dendrogram_[:, 2]
    assert np.allclose(np.sort(np.r_[ours[len(copies) :], copies]), scipys, atol=1e-12)
    assert (ours[: len(copies)] == 0).all()


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_an_infinite_theta_is_evidence_accumulation(missing):
    X = noisy_ensemble(sizes=(20, 15, 10), n_clusterings=6, flip=0.3, missing=missing).X
    for k in range(1, 10):
        assert np.array_equal(LWEA(k, theta=np.inf).fit_predict(X), EAC(k).fit_predict(X))


@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_new_rows_go_to_the_highest_mean_similarity(missing):
    X = random_ensemble(n=50, missing=missing, seed=6)
    fitted, new = X[:30], X[30:]
    model = LWEA(3).fit(fitted)
    known = {tuple(row): label for row, label in zip(fitted.tolist(), model.labels_, strict=True)}
    e = local_weights(objects(fitted), 0.4).reshape(4, 3)
    for row, label in zip(new.tolist(), model.predict(new), strict=True):
        mean = np.zeros(3)
        for other, cluster in zip(fitted.tolist(), model.labels_, strict=True):
            both = [m for m in range(4) if row[m] >= 0 and other[m] >= 0]
            if both:
                mean[cluster] += sum(e[m, row[m]] for m in both if row[m] == other[m]) / len(both)
        mean /= np.bincount(model.labels_)
        assert label == known.get(tuple(row), mean.argmax())


def test_the_number_of_clusters_is_where_similarity_falls_most():
    heights = np.array([0.1, 0.2, 0.3, 0.9, 0.95])  # s_1 .. s_5 = .05 .1 .7 .8 .9
    assert largest_ratio(heights, 30, 1e-9) == 3
    assert largest_ratio(heights, 2, 1e-9) == 2
    assert largest_ratio(np.array([0.5, 0.5, 0.5]), 30, 1e-9) == 2
    assert largest_ratio(np.array([0.5]), 30, 1e-9) == 2
    assert largest_ratio(np.empty(0), 30, 1e-9) == 1


def test_it_finds_the_number_of_clusters_and_keeps_to_the_cap():
    X, truth = noisy_ensemble(sizes=(40, 30, 20, 10), flip=0.1)
    assert LWEA().fit(X).n_clusters_ == 4
    assert LWEA(max_clusters=3).fit(X).n_clusters_ <= 3
    assert LWEA().fit(np.repeat(truth[:9, None], 3, axis=1)).n_clusters_ <= 3  # the root of 9


def test_objects_that_are_all_alike_are_one_cluster():
    assert LWEA().fit_predict(np.zeros((5, 3), dtype=int)).tolist() == [0] * 5
    assert LWEA().fit_predict(np.array([[0, 0], [1, 1]])).tolist() == [0, 1]
