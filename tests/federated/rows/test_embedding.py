"""LWGP, USENC and HBGF on rows of several sites: the graph and the embedding of the pooled rows, and their clusters."""

from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score

from partita import HBGF, LWGP, USENC
from partita._labels.validation import check_label_matrix
from partita.consensus.graph._graph_partition import normalised_cut
from partita.consensus.label_space._embedded_rows import embed_rows
from partita.consensus.label_space._transfer_cut import cell_graph
from partita.exceptions import FewerClustersWarning
from partita.federated import simulate
from partita.federated.rows._embedding import ask_graph
from partita.federated.rows._tables import ask_tables
from tests.ensembles import noisy_ensemble, same_partition
from tests.federated.parts import labels_with_holes, opened, share_out

WEIGHTS = [1, 2, 0, 0.5, 1, 3, 1, 1]
METHODS = [USENC, LWGP, lambda k, **options: HBGF(k, partitioner="spectral", **options)]


@cache
def kmeans_ensemble(data, seed, missing):
    rng, features = np.random.default_rng(seed), data().data[::3]
    X = np.column_stack(
        [KMeans(int(rng.integers(2, 15)), n_init=1, random_state=j).fit_predict(features) for j in range(10)]
    )
    holes = rng.random(X.shape) < missing
    holes[np.arange(len(X)), rng.integers(10, size=len(X))] = False
    return np.where(holes, -1, X)


def inertia(fitted, X, labels):
    """Sum of squared distances from the means of the clusters, in the embedding of a fitted estimator."""
    codes = fitted._placement.encoder.known(fitted._encode_new(X))
    points = embed_rows(fitted._cut, fitted._layout.with_rows(codes), None)
    return sum(((points[labels == q] - points[labels == q].mean(axis=0)) ** 2).sum() for q in np.unique(labels))


@pytest.mark.parametrize("n_sites", [1, 2, 5])
def test_graphs_of_sites_add_up(n_sites):
    X, rng = labels_with_holes(), np.random.default_rng(0)
    sites, _, layout = opened(USENC(3), share_out(X, n_sites))
    ensemble = USENC(3)._open(check_label_matrix(X), np.ones(len(X))).ensemble
    cell_weights = rng.random(layout.n_cells)
    found = ask_graph(sites, ask_tables(sites, layout), cell_weights)
    assert np.allclose(found, cell_graph(ensemble, cell_weights), rtol=1e-12, atol=0)


@pytest.mark.parametrize("n_sites", [1, 3])
@pytest.mark.parametrize("make", METHODS)
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_clusters_are_those_of_the_pooled_objects(make, weights, n_sites):
    parts = share_out(labels_with_holes(), n_sites)
    estimator = make(3, random_state=0, weights=weights)
    found, want = simulate(estimator, parts), estimator.fit(np.vstack(parts))
    assert same_partition(found.labels_, want.labels_)
    fresh = labels_with_holes(seed=9)
    assert same_partition(np.append(found.labels_, found.predict(fresh)), np.append(want.labels_, want.predict(fresh)))
    if not isinstance(estimator, HBGF):
        assert np.allclose(found.singular_values_, want.singular_values_, atol=1e-10)
    if isinstance(estimator, LWGP):
        assert not hasattr(found, "choice_")
        for own, other in zip(found.cluster_weights_, want.cluster_weights_, strict=True):
            assert np.allclose(own, other, rtol=1e-12)


@pytest.mark.parametrize("make", METHODS)
@pytest.mark.parametrize(("data", "k"), [(load_iris, 3), (load_wine, 4), (load_digits, 10)])
@pytest.mark.parametrize(("missing", "seed"), [(0.0, 0), (0.2, 1)])
def test_clusters_of_real_ensembles_are_as_good(make, data, k, missing, seed):
    X = kmeans_ensemble(data, seed, missing)
    parts = share_out(X, 2 + seed)
    pooled = np.vstack(parts)
    found, want = simulate(make(k, random_state=seed), parts), make(k, random_state=seed).fit(pooled)
    if same_partition(found.labels_, want.labels_):
        return
    assert adjusted_rand_score(found.labels_, want.labels_) > 0.85
    if isinstance(want, HBGF):
        assert cut_of(found, pooled) <= cut_of(want, pooled) * 1.001
    else:
        assert inertia(want, pooled, found.labels_) <= inertia(want, pooled, want.labels_) * 1.001


def cut_of(fitted, X):
    """The lowest normalised cut of objects and labels with these clusters of the objects: labels join the most."""
    ensemble = HBGF(2)._open(check_label_matrix(X), np.ones(len(X)))
    H = ensemble.ensemble.indicator[ensemble.row_of_object]
    of_labels = np.asarray(H.T @ np.eye(fitted.n_clusters_)[fitted.labels_]).argmax(axis=1)
    W = sparse.csr_array(sparse.block_array([[None, H], [H.T, None]]))
    return normalised_cut(W, np.concatenate([fitted.labels_, of_labels]), fitted.n_clusters_)


# ---------------------------------------------------------------------------------------------------- special sites
@pytest.mark.parametrize("make", METHODS)
def test_sites_of_one_cluster_each_and_labels_that_one_site_has(make):
    X, truth = noisy_ensemble(sizes=(40, 30, 20), flip=0.1, seed=2)
    X = np.where((truth == 2)[:, None] & (X >= 0), X + 10, X)
    found = simulate(make(3, random_state=0), [X[truth == q] for q in range(3)])
    assert same_partition(found.labels_, np.sort(truth))


@pytest.mark.parametrize("make", METHODS)
def test_a_site_of_one_object_and_one_cluster(make):
    X = labels_with_holes()
    found, want = simulate(make(3, random_state=0), [X[:1], X[1:9], X[9:]]), make(3, random_state=0).fit(X)
    assert same_partition(found.labels_, want.labels_)
    assert simulate(make(1, random_state=0), [X[:50], X[50:]]).n_clusters_ == 1


@pytest.mark.parametrize("make", [USENC, LWGP])
def test_components_are_clusters_if_there_are_enough(make):
    parts = [np.repeat([[0, 0], [1, 1]], 6, axis=0), np.repeat([[2, 2], [3, 3], [0, 0]], [4, 3, 1], axis=0)]
    found = simulate(make(3, random_state=0), parts)
    assert same_partition(found.labels_, make(3).fit(np.vstack(parts)).labels_)
    assert not any(exchange.question.startswith("lloyd") for exchange in found.exchanges_)


@pytest.mark.parametrize("make", METHODS)
def test_more_clusters_than_rows_and_equal_rows(make):
    parts = [np.array([[0, 0, 1], [1, 1, 0]] * 3), np.array([[0, 0, 1], [2, 1, 0], [2, 1, 0]] * 3)]
    with pytest.warns(FewerClustersWarning, match="6 clusters were asked for"):
        found = simulate(make(6, random_state=0), parts)
    assert found.n_clusters_ == 3
    with pytest.warns(FewerClustersWarning):
        assert simulate(make(2, random_state=0), [np.zeros((5, 3), int)] * 2).n_clusters_ == 1


def test_encrypted_sums_lead_to_the_same_clusters():
    pytest.importorskip("tenseal")
    parts = share_out(labels_with_holes(), 2)
    for make in METHODS:
        plain, sealed = (
            simulate(make(3, random_state=0), parts),
            simulate(make(3, random_state=0), parts, encrypted=True),
        )
        assert np.array_equal(plain.labels_, sealed.labels_)
