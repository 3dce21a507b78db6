"""Corresponding base clusterings of features that are not pooled."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from partita import ECPCS, KMeansEnsemble
from partita.exceptions import SiteError, SkippedClusteringWarning
from partita.federated import kmeans_ensemble, simulate
from partita.federated._engine import InProcess
from partita.federated._feature_kmeans import (
    FEWEST_OF_CENTER,
    Draws,
    FeatureSite,
    ask_draws,
    run_lloyd,
    small_clusters,
)
from partita.federated._sites import PlainSites


def opened(parts, n_clusterings, mean):
    owners = {f"s{i}": FeatureSite(part, name=f"s{i}", min_objects=1) for i, part in enumerate(parts)}
    sites = PlainSites(InProcess(owners))
    sites.each("features.open", {"names": sites.names})
    return sites, owners, ask_draws(sites, mean, n_clusterings, 0)


@pytest.mark.parametrize("cuts", [[], [40], [3, 70, 71]])
def test_every_clustering_is_that_of_the_pooled_objects_from_the_same_centres(cuts):
    X = np.random.default_rng(0).normal(size=(120, 3)) + 50.0
    mean, numbers = X.mean(axis=0), [2, 5, 5, 9]
    sites, owners, draws = opened(np.split(X, cuts), len(numbers), mean)
    rng = np.random.default_rng(1)
    first = [X[rng.choice(120, k, replace=False)] - mean for k in numbers]  # no cluster is ever empty
    ended = run_lloyd(sites, first, draws, [rng] * 4, max_iter=200)
    assert all(ended.converged)
    for place, (k, centers) in enumerate(zip(numbers, first, strict=True)):
        pooled = KMeans(k, init=centers + mean, n_init=1, tol=0.0, max_iter=200).fit(X)
        found = np.concatenate([owner._nearest[:, place] for owner in owners.values()])
        assert np.array_equal(found, pooled.labels_)
        np.testing.assert_allclose(ended.centers[place] + mean, pooled.cluster_centers_, rtol=1e-12)
        assert np.array_equal(ended.mass[place], np.bincount(pooled.labels_, minlength=k))


def test_sums_of_few_objects_are_not_sent():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(200, 2)), [[90.0, 90.0], [90.1, 90.0]]])
    told = small_clusters(X, rng)
    assert (told[:, 0] >= FEWEST_OF_CENTER).all()
    assert 5 < len(told) <= 20
    assert (np.abs(told[:, 1:3] / told[:, :1]) < 10).all()  # the two far objects are in no cluster that is told
    assert told[:, 0].sum() < 202
    sizes, sums, squares = told[:, :1], told[:, 1:3], told[:, 3:]
    assert (squares / sizes >= (sums / sizes) ** 2).all()


def test_centres_are_drawn_like_objects_and_are_none():
    X = np.random.default_rng(0).normal([3.0, -1.0], [2.0, 0.5], size=(900, 2))
    _, _, draws = opened(np.split(X, [300, 500]), 1, X.mean(axis=0))
    drawn = draws.draw(4000, np.random.default_rng(1)) + X.mean(axis=0)
    np.testing.assert_allclose(drawn.mean(axis=0), X.mean(axis=0), atol=0.1)
    np.testing.assert_allclose(drawn.std(axis=0), X.std(axis=0), rtol=0.15)  # without the clusters of few objects
    assert not (drawn[:, None] == X).all(axis=2).any()


def test_a_centre_without_objects_is_drawn_again():
    X = np.random.default_rng(0).normal(size=(60, 2))
    sites, _, draws = opened(np.split(X, 2), 1, np.zeros(2))
    far = np.array([[0.0, 0.0], [1e3, 1e3], [2e3, 0.0]])
    ended = run_lloyd(sites, [far], draws, [np.random.default_rng(0)], max_iter=100)
    assert (ended.mass[0] > 0).all()


@pytest.mark.parametrize("encrypted", [False, True])
def test_blobs_are_found_by_sites_that_do_not_pool_them(encrypted):
    if encrypted:
        pytest.importorskip("tenseal")
    X, truth = make_blobs([60, 50, 40, 30], n_features=4, cluster_std=1.5, random_state=0)
    order = np.argsort(truth * 7 % 3, kind="stable")  # the sites have different clusters
    X, truth = X[order], truth[order]
    parts = kmeans_ensemble(np.split(X, [50, 110]), 12, (4, 9), encrypted=encrypted, random_state=0)
    assert [part.shape for part in parts] == [(50, 12), (60, 12), (70, 12)]
    for column in np.vstack(parts).T:
        assert np.array_equal(np.unique(column), np.arange(column.max() + 1))
    found = simulate(ECPCS(4), parts)
    assert adjusted_rand_score(truth, found.labels_) > 0.9


def test_encryption_changes_no_label():
    pytest.importorskip("tenseal")
    parts = np.split(np.random.default_rng(0).normal(size=(90, 3)), [30])
    plain, hidden = (kmeans_ensemble(parts, 6, [2, 4], encrypted=one, random_state=3) for one in (False, True))
    for one, other in zip(plain, hidden, strict=True):
        assert np.array_equal(one, other)


def test_ensembles_are_as_good_as_pooled_ones():
    X, truth = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    parts = kmeans_ensemble(np.split(X, [70, 120]), 15, random_state=1)
    pooled = KMeansEnsemble(15, random_state=1).fit_transform(X)
    scores = [adjusted_rand_score(truth, ECPCS(3).fit_predict(labels)) for labels in (np.vstack(parts), pooled)]
    assert scores[0] > scores[1] - 0.1
    assert scores[0] > 0.75


def test_clusterings_differ_and_the_seed_decides():
    X = np.random.default_rng(0).normal(size=(100, 2))
    one, two, other = (kmeans_ensemble(np.split(X, 2), 5, 4, random_state=seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert len({adjusted_rand_score(one[0][:, 0], column) for column in one[0].T}) > 1


def test_clusterings_that_do_not_converge_are_left_out():
    parts = np.split(np.random.default_rng(0).normal(size=(300, 2)), 3)
    with pytest.warns(SkippedClusteringWarning, match="of 8 clusterings did not converge within max_iter=8"):
        made = kmeans_ensemble(parts, 8, [2, 12], max_iter=8, random_state=0)
    assert 0 < made[0].shape[1] < 8
    with pytest.raises(ValueError, match="no clustering converged"):
        kmeans_ensemble(parts, 8, 12, max_iter=1, random_state=0)


def test_sites_with_other_features_are_named():
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(SiteError, match="'site-2' has 2 features, and site 'site-1' has 3"):
        kmeans_ensemble([X, X[:, :2]], 2, 2)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.raises(SiteError, match="'site-2' has features"):
        kmeans_ensemble([frame, frame[["b", "a", "c"]]], 2, 2)


def test_too_few_objects_are_refused():
    X = np.random.default_rng(0).normal(size=(4, 3))
    with pytest.raises(ValueError, match="min_objects=10"):
        FeatureSite(X, name="a")
    with pytest.raises(ValueError, match="no site has a cluster of 5 objects"):
        kmeans_ensemble([X, X], 2, 2)
    with pytest.raises(ValueError, match="sites is empty"):
        kmeans_ensemble([])
    with pytest.raises(ValueError, match="no question 'rows'"):
        FeatureSite(X, name="a", min_objects=1).answer("rows", {})


def test_draws_of_equal_objects_are_these_objects():
    draws = Draws(np.ones(1), np.array([[2.0, 3.0]]), np.zeros((1, 2)))
    assert (draws.draw(5, np.random.default_rng(0)) == [2.0, 3.0]).all()
