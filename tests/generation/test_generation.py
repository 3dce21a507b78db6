"""Ensembles of clusterings: what is promised of every column, each algorithm against something independent."""

import pickle
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import chisquare
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita import PCC, ConsensusClustering, KMeansEnsemble, MixedEnsemble, MultinomialMixture
from partita._optional import available
from partita.exceptions import SkippedClusteringWarning
from partita.generation._base_clusterers import BASE_CLUSTERERS
from partita.generation._cluster_numbers import all_numbers, draw_numbers
from partita.generation._fuzzy_cmeans import fuzzy_cmeans, memberships
from partita.generation._spherical_kmeans import spherical_kmeans
from tests.ensembles import same_partition

needs_metis = pytest.mark.skipif(not available("pymetis"), reason="pymetis is not installed")
KMEANS = [{}, {"algorithm": "minibatch"}, {"metric": "cosine"}, {"metric": "cosine", "algorithm": "minibatch"}]
every_kmeans = pytest.mark.parametrize("options", KMEANS, ids=str)
every_clusterer = pytest.mark.parametrize("name", [n for n in BASE_CLUSTERERS if n != "metis" or available("pymetis")])
ALL = [name for name in BASE_CLUSTERERS if name != "metis" or available("pymetis")]


def blobs(sizes=(20, 15, 10), n_features=2):
    centres = 7.0 * np.eye(len(sizes), n_features)
    return make_blobs(sizes, centers=centres, random_state=0)


def two_rings(n=200, seed=0):
    rng = np.random.default_rng(seed)
    angle, ring = rng.uniform(0, 2 * np.pi, n), np.repeat([0, 1], n // 2)
    radius = np.array([1.0, 4.0])[ring] + 0.1 * rng.standard_normal(n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), ring


@pytest.fixture
def F():
    return blobs()[0]


@pytest.fixture
def text():
    """Rows of counts, most of them zero."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(30, 0.1), size=3)
    return np.array([rng.multinomial(20, topics[i % 3]) for i in range(60)], dtype=float)


# ---------------------------------------------------------------------------------------------------------
# columns


@every_kmeans
@pytest.mark.parametrize("fraction", [1.0, 0.6])
def test_a_column_has_a_number_from_0_for_each_object_of_its_sample_and_minus_1_for_the_others(F, options, fraction):
    generator = KMeansEnsemble(12, (2, 6), sample_fraction=fraction, random_state=0, **options)
    X = generator.fit_transform(F)
    assert X.shape == (45, 12)
    assert X.dtype == np.int64
    assert ((X >= 0).sum(axis=0) == round(fraction * 45)).all()
    assert generator.manifest_["n_sampled"].tolist() == [round(fraction * 45)] * 12
    for column, n_found in zip(X.T, generator.manifest_["n_found"], strict=True):
        assert np.unique(column[column >= 0]).tolist() == list(range(n_found))
        assert 1 <= n_found <= 6


def test_every_clustering_sees_a_sample_of_its_own(F):
    X = KMeansEnsemble(50, 3, sample_fraction=0.5, random_state=0).fit_transform(F)
    assert len({tuple(column >= 0) for column in X.T}) == 50
    seen = (X >= 0).sum(axis=1)  # hypergeometric: mean 25, standard deviation 3.5
    assert seen.min() > 8
    assert seen.max() < 42


def test_numbers_come_from_a_list_in_turns(F):
    manifest = KMeansEnsemble(5, [2, 5, 3], random_state=0).fit(F).manifest_
    assert manifest["n_clusters"].tolist() == [2, 5, 3, 2, 5]
    assert manifest["n_found"].tolist() == [2, 5, 3, 2, 5]


def test_a_single_number_is_used_by_all(F):
    assert KMeansEnsemble(4, np.int64(3), random_state=0).fit(F).manifest_["n_clusters"].tolist() == [3] * 4


def test_numbers_of_a_range_are_uniform():
    drawn = np.array(draw_numbers((2, 6), 5000, 100, 0))
    counts = np.bincount(drawn, minlength=7)
    assert counts[:2].sum() == 0
    assert chisquare(counts[2:]).pvalue > 1e-3


@pytest.mark.parametrize(
    ("n", "low", "high"), [(2, 2, 2), (3, 2, 2), (9, 2, 3), (100, 5, 10), (225, 8, 15), (2000, 10, 30), (10**6, 10, 30)]
)
def test_numbers_left_to_us_go_from_half_the_root_of_n_to_the_root(n, low, high):
    assert sorted(set(draw_numbers("auto", 2000, n, 0))) == list(range(low, high + 1))


def test_a_mixed_ensemble_takes_all_numbers_of_a_range_list_or_number():
    assert all_numbers((3, 6), 50) == [3, 4, 5, 6]
    assert all_numbers([7, 2], 50) == [7, 2]
    assert all_numbers(4, 50) == [4]
    assert all_numbers("auto", 50) == list(range(2, 11))
    assert all_numbers("auto", 6) == [2, 3, 4, 5]


def test_numbers_may_be_as_large_as_the_sample_but_no_larger(F):
    found = KMeansEnsemble(2, 22, sample_fraction=0.5, random_state=0).fit(F)
    assert found.manifest_["n_sampled"].tolist() == [22, 22]
    with pytest.raises(ValueError, match="n_clusters=23 exceeds the 22 objects that each clustering sees"):
        KMeansEnsemble(2, 23, sample_fraction=0.5, random_state=0).fit(F)


@pytest.mark.parametrize("options", [{}, {"algorithm": "minibatch"}, {"metric": "cosine"}], ids=str)
def test_fewer_distinct_objects_than_clusters_give_fewer_clusters(options):
    F = np.repeat([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], 5, axis=0)
    generator = KMeansEnsemble(6, 5, random_state=0, **options)
    X = generator.fit_transform(F)
    assert (generator.manifest_["n_clusters"] == 5).all()
    assert (generator.manifest_["n_found"] <= 3).all()
    assert (X.max(axis=0) + 1 == generator.manifest_["n_found"]).all()
    assert (generator.transform(F) == X).all()


# ---------------------------------------------------------------------------------------------------------
# k-means


def is_at_nearest(F, column):
    """Whether every object that was seen is at the nearest of the means of the clusters."""
    seen = column >= 0
    means = np.array([F[column == k].mean(axis=0) for k in range(column.max() + 1)])
    distance = ((F[seen][:, None, :] - means) ** 2).sum(axis=2)
    return bool((distance[np.arange(seen.sum()), column[seen]] <= distance.min(axis=1) + 1e-9).all())


@pytest.mark.parametrize("fraction", [1.0, 0.7])
@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_kmeans_ends_at_a_fixed_point_of_lloyd(fraction, init, rng):
    F = rng.standard_normal((150, 2))
    X = KMeansEnsemble(15, (2, 12), sample_fraction=fraction, init=init, random_state=0).fit_transform(F)
    assert all(is_at_nearest(F, column) for column in X.T)


def test_kmeans_of_many_objects_is_as_near_to_a_fixed_point_as_scikit_learn_goes(rng):
    F = rng.standard_normal((3000, 2))
    generator = KMeansEnsemble(10, (5, 20), random_state=0)
    X = generator.fit_transform(F)
    assert (generator.transform(F) == X).all()  # at the nearest of its own centres, which are all but the means
    for column in X.T:
        means = np.array([F[column == c].mean(axis=0) for c in range(column.max() + 1)])
        nearest = ((F[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
        assert (nearest != column).mean() < 0.01


def test_kmeans_starts_at_random_so_that_starts_differ(rng):
    X = KMeansEnsemble(10, 8, random_state=0).fit_transform(rng.standard_normal((80, 2)))
    assert not any(same_partition(X[:, 0], column) for column in X.T[1:])


def test_minibatches_find_clear_clusters():
    F, truth = blobs((60, 50, 40))
    X = KMeansEnsemble(10, 3, algorithm="minibatch", init="k-means++", random_state=0).fit_transform(F)
    assert np.median([adjusted_rand_score(truth, column) for column in X.T]) == 1


def test_a_clustering_that_does_not_converge_is_noted_and_left_out(rng):
    F = rng.standard_normal((300, 2))
    generator = KMeansEnsemble(20, [2, 12], max_iter=12, random_state=0)
    with pytest.warns(SkippedClusteringWarning, match=r"of 20 clusterings were left out; manifest_ tells why"):
        X = generator.fit_transform(F)
    status = generator.manifest_["status"]
    assert set(status) == {"ok", "not converged"}
    assert X.shape[1] == (status == "ok").sum()
    assert len(generator.get_feature_names_out()) == X.shape[1]
    assert "max_iter" in generator.manifest_.loc[status != "ok", "message"].iloc[0]


def unit(F):
    return F / np.linalg.norm(F, axis=1, keepdims=True)


@pytest.mark.parametrize("fraction", [1.0, 0.8])
def test_spherical_kmeans_puts_each_row_at_the_centre_of_largest_cosine(text, fraction):
    rows = unit(text)
    for column in (
        KMeansEnsemble(10, (2, 6), metric="cosine", sample_fraction=fraction, random_state=0).fit_transform(text).T
    ):
        centres = unit(np.array([rows[column == k].sum(axis=0) for k in range(column.max() + 1)]))
        for row, label in zip(rows[column >= 0], column[column >= 0], strict=True):
            cosines = [float(row @ centre) for centre in centres]
            assert cosines[label] >= max(cosines) - 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_sum_of_cosines_never_falls(seed, rng):
    F = rng.standard_normal((80, 4))
    rows = unit(F)
    sums = []
    for n_sweeps in range(1, 12):
        labels = spherical_kmeans(F, 6, seed, max_iter=n_sweeps).labels
        sums.append(sum(np.linalg.norm(rows[labels == k].sum(axis=0)) for k in range(6)))
    assert (np.diff(sums) >= -1e-10).all()
    assert sums[-1] > sums[0]


def test_length_of_rows_means_nothing_to_spherical_kmeans(text, rng):
    longer = text * rng.uniform(0.5, 5, size=(len(text), 1))
    generator = KMeansEnsemble(8, (2, 6), metric="cosine", random_state=0)
    X = generator.fit_transform(text)
    assert (generator.transform(longer) == X).all()
    assert (generator.fit_transform(longer) == X).all()


@every_kmeans
@pytest.mark.parametrize("fraction", [1.0, 0.7])
def test_sparse_features_give_what_dense_ones_give(text, options, fraction, rng):
    text[text > 0] += rng.random((text > 0).sum())  # no two centres are equally far
    generator = KMeansEnsemble(8, (2, 5), sample_fraction=fraction, random_state=0, **options)
    dense, sparsely = generator.fit_transform(text), generator.fit_transform(sparse.csr_array(text))
    assert (dense == sparsely).all()
    assert (generator.transform(sparse.csc_array(text)) == generator.transform(text)).all()


def test_a_row_of_zeros_has_a_place_in_spherical_kmeans(text):
    text[7] = 0
    X = KMeansEnsemble(5, 3, metric="cosine", random_state=0).fit_transform(text)
    assert (X[7] >= 0).all()


def test_spherical_minibatches_find_clear_directions(rng):
    truth = np.repeat([0, 1, 2], 30)
    F = 5 * np.eye(3)[truth] * rng.uniform(1, 9, size=(90, 1)) + 0.1 * rng.random((90, 3))
    X = KMeansEnsemble(20, 3, metric="cosine", algorithm="minibatch", random_state=0).fit_transform(F)
    assert max(adjusted_rand_score(truth, column) for column in X.T) == 1


# ---------------------------------------------------------------------------------------------------------
# fuzzy c-means


def objective(F, centres, U):
    return sum(U[i, k] ** 2 * ((F[i] - centres[k]) ** 2).sum() for i in range(len(F)) for k in range(len(centres)))


@pytest.mark.parametrize("k", [1, 2, 5])
def test_fuzzy_cmeans_ends_where_both_equations_hold(F, k):
    found = fuzzy_cmeans(F, k, 0, tol=1e-10, max_iter=5000)
    assert found.converged
    U = np.empty((len(F), k))
    for i, x in enumerate(F):
        d = [((x - c) ** 2).sum() for c in found.centres]
        U[i] = [1 / sum(d[a] / d[b] for b in range(k)) for a in range(k)]
    assert np.allclose(found.membership, U, atol=1e-12)
    assert np.allclose(found.membership.sum(axis=1), 1, atol=1e-12)
    centres = np.array([(U[:, a] ** 2) @ F / (U[:, a] ** 2).sum() for a in range(k)])
    assert np.allclose(found.centres, centres, atol=1e-7)


def test_objective_of_fuzzy_cmeans_never_rises(F):
    found = fuzzy_cmeans(F, 4, 3)
    assert len(found.history) > 3
    assert (np.diff(found.history) <= 1e-9).all()
    assert found.history[-1] == pytest.approx(objective(F, found.centres, found.membership), rel=1e-3)


def test_an_object_on_a_centre_belongs_to_it_alone():
    U = memberships(np.array([[0.0], [1.0], [4.0], [2.0]]), np.array([[0.0], [4.0], [4.0]]))
    assert U[0].tolist() == [1, 0, 0]
    assert U[2].tolist() == [0, 0.5, 0.5]
    assert np.allclose(U[1], np.array([1, 1 / 9, 1 / 9]) / (1 + 2 / 9))
    assert np.allclose(U[3], 1 / 3)


def test_fuzzy_columns_are_the_nearest_centres():
    F, truth = blobs()
    generator = MixedEnsemble(["fuzzy"], [3], n_repeats=4, random_state=0)
    X = generator.fit_transform(F)
    assert all(same_partition(column, truth) for column in X.T)
    seed = int(generator.manifest_["seed"].iloc[0])
    assert X[:, 0].tolist() == fuzzy_cmeans(F, 3, seed).membership.argmax(axis=1).tolist()


# ---------------------------------------------------------------------------------------------------------
# the other algorithms


@pytest.mark.parametrize("method", ["single", "average", "complete", "ward"])
def test_linkage_columns_are_scipys_cuts(method, rng):
    F = rng.standard_normal((40, 3))
    X = MixedEnsemble([method], (1, 8)).fit_transform(F)
    tree = linkage(F, method)
    for k, column in zip(range(1, 9), X.T, strict=True):
        assert same_partition(column, fcluster(tree, k, "maxclust"))


@pytest.mark.parametrize("method", ["single", "average", "complete", "ward", "centroid"])
def test_linkage_of_samples_is_that_of_the_sample(method, rng):
    F = rng.standard_normal((40, 2))
    X = MixedEnsemble([method], [2, 5], n_repeats=2, sample_fraction=0.6, random_state=0).fit_transform(F)
    assert X.shape == (40, 4)
    assert len({tuple(column >= 0) for column in X.T}) == 4
    for k, column in zip([2, 2, 5, 5], X.T, strict=True):
        seen = column >= 0
        assert len(np.unique(column[seen])) == k
        if method != "centroid":
            assert same_partition(column[seen], fcluster(linkage(F[seen], method), k, "maxclust"))


def test_centroid_linkage_gives_the_number_asked_for_in_spite_of_inversions():
    angle = np.arange(3) * 2 * np.pi / 3
    F = np.vstack([np.column_stack([np.cos(angle), np.sin(angle)]) + shift for shift in ([0, 0], [50, 0], [0, 50])])
    assert (np.diff(linkage(F, "centroid")[:, 2]) < 0).any()
    generator = MixedEnsemble(["centroid"], (1, 9))
    X = generator.fit_transform(F)
    assert generator.manifest_["n_found"].tolist() == list(range(1, 10))
    assert same_partition(X[:, 2], np.repeat([0, 1, 2], 3))


def test_spectral_separates_two_rings_and_kmeans_does_not():
    F, ring = two_rings()
    X = MixedEnsemble(["spectral", "kmeans"], [2], n_repeats=2, random_state=0).fit_transform(F)
    scores = [adjusted_rand_score(ring, column) for column in X.T]
    assert scores[:2] == [1, 1]
    assert max(scores[2:]) < 0.1


@pytest.mark.parametrize("k", [1, 2, 3, 6, 10])
def test_affinity_propagation_comes_near_the_number_asked_for(F, k):
    generator = MixedEnsemble(["affinity"], [k], random_state=0)
    X = generator.fit_transform(F)
    assert X.shape == (45, 1)
    assert abs(generator.manifest_["n_found"].iloc[0] - k) <= 1


def test_affinity_propagation_finds_clear_clusters():
    F, truth = blobs()
    assert same_partition(MixedEnsemble(["affinity"], [3], random_state=0).fit_transform(F)[:, 0], truth)


@needs_metis
@pytest.mark.parametrize("k", [2, 3, 5])
def test_metis_balances_its_parts(k, rng):
    X = MixedEnsemble(["metis"], [k], n_repeats=3, random_state=0).fit_transform(rng.standard_normal((120, 2)))
    sizes = np.array([np.bincount(column, minlength=k) for column in X.T])
    assert sizes.max() <= np.ceil(1.05 * 120 / k)


def test_without_metis_the_others_are_kept_and_the_extra_is_named(F, monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    generator = MixedEnsemble(["metis", "average"], [2, 3], n_repeats=1, random_state=0)
    with pytest.warns(SkippedClusteringWarning, match="2 of 4 clusterings were left out"):
        X = generator.fit_transform(F)
    assert X.shape == (45, 2)
    assert generator.manifest_["status"].tolist() == ["failed", "failed", "ok", "ok"]
    assert 'pip install "partita[graph]"' in generator.manifest_["message"].iloc[0]
    assert generator.get_feature_names_out()[0].startswith("average_k2")


def test_gmm_is_scikit_learns(F):
    generator = MixedEnsemble(["gmm"], [2, 3], n_repeats=2, random_state=0)
    X = generator.fit_transform(F)
    for column, k, seed in zip(X.T, *(generator.manifest_[name] for name in ("n_clusters", "seed")), strict=True):
        assert same_partition(column, GaussianMixture(int(k), random_state=int(seed)).fit_predict(F))


@every_clusterer
def test_one_cluster_and_as_many_as_objects(name, rng):
    F = rng.standard_normal((8, 2))
    X = MixedEnsemble([name], [1, 2, 8], n_repeats=1, random_state=0).fit_transform(F)
    assert (X[:, 0] == 0).all()
    assert X[:, 1].max() == 1
    assert X[:, 2].max() >= (6 if name == "affinity" else 7)


# ---------------------------------------------------------------------------------------------------------
# clusterers of the user


class Raising(ClusterMixin, BaseEstimator):
    """Fails with more than two clusters."""

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        if self.n_clusters > 2:
            raise RuntimeError("three is a crowd")
        self.labels_ = np.arange(len(X)) % self.n_clusters
        return self


def test_noise_of_a_clusterer_is_a_missing_label():
    F = np.vstack([blobs()[0], [[100.0, 100.0]]])
    generator = MixedEnsemble([DBSCAN(eps=2)], [2, 3], random_state=0, n_repeats=1)
    X = generator.fit_transform(F)
    assert X.shape == (46, 1)  # it takes no number of clusters
    assert X[-1].tolist() == [-1]
    assert same_partition(X[:-1, 0], DBSCAN(eps=2).fit_predict(F[:-1]))
    assert pd.isna(generator.manifest_["n_clusters"].iloc[0])
    assert (generator.transform(F) == X).all()


def test_a_clusterer_gets_the_number_and_the_seed_that_the_manifest_tells(F):
    generator = MixedEnsemble({"mine": KMeans(n_init=1)}, [2, 6], n_repeats=2, random_state=0)
    X = generator.fit_transform(F)
    assert generator.manifest_["algorithm"].tolist() == ["mine"] * 4
    assert generator.manifest_["n_clusters"].tolist() == [2, 2, 6, 6]
    for column, k, seed in zip(X.T, *(generator.manifest_[name] for name in ("n_clusters", "seed")), strict=True):
        assert same_partition(column, KMeans(int(k), n_init=1, random_state=int(seed)).fit_predict(F))


def test_a_clusterer_may_call_its_number_n_components(F):
    generator = MixedEnsemble([GaussianMixture()], [2, 3], n_repeats=1, random_state=0).fit(F)
    assert generator.manifest_["n_found"].tolist() == [2, 3]
    assert generator.manifest_["algorithm"].tolist() == ["gaussianmixture"] * 2


def test_the_given_clusterer_is_not_changed(F):
    mine = KMeans(9, n_init=1)
    MixedEnsemble([mine], [2], n_repeats=1, random_state=0).fit(F)
    assert mine.n_clusters == 9
    assert not hasattr(mine, "labels_")


def test_a_clusterer_that_raises_is_noted_and_the_others_are_kept(F):
    generator = MixedEnsemble([Raising(), "ward"], [2, 3], n_repeats=1, random_state=0)
    with pytest.warns(SkippedClusteringWarning, match="1 of 4 clusterings were left out.*three is a crowd"):
        X = generator.fit_transform(F)
    assert X.shape == (45, 3)
    assert X[:, 0].tolist() == [i % 2 for i in range(45)]
    bad = generator.manifest_[generator.manifest_["status"] == "failed"]
    assert bad["message"].tolist() == ["RuntimeError: three is a crowd"]
    assert bad["n_clusters"].tolist() == [3]
    assert bad["n_found"].tolist() == [0]
    assert (generator.transform(F) == X).all()


def test_a_clusterer_that_does_not_converge_is_noted_and_left_out(F):
    generator = MixedEnsemble([KMeans(max_iter=1, n_init=1), "ward"], [3], n_repeats=1, random_state=0)
    with pytest.warns(SkippedClusteringWarning, match="not converged"):
        X = generator.fit_transform(F)
    assert X.shape == (45, 1)
    assert generator.manifest_["status"].tolist() == ["not converged", "ok"]


def test_if_all_fail_the_reason_is_told(F):
    with pytest.raises(ValueError, match=r"none of 2 clusterings could be made.*RuntimeError: three is a crowd"):
        MixedEnsemble([Raising()], [3, 4], n_repeats=1).fit(F)


def test_a_clusterer_that_finds_nothing_is_left_out(F):
    generator = MixedEnsemble([DBSCAN(eps=1e-9), "ward"], [2], n_repeats=1)
    with pytest.warns(SkippedClusteringWarning, match="found no cluster"):
        assert generator.fit_transform(F).shape == (45, 1)


def test_warnings_of_base_clusterers_are_not_the_users(F):
    repeated = np.repeat(F[:3], 5, axis=0)
    MixedEnsemble({"kmeans": "kmeans", "mine": KMeans(n_init=1)}, [5], n_repeats=1, random_state=0).fit(repeated)


# ---------------------------------------------------------------------------------------------------------
# seeds, names, new objects


@pytest.mark.parametrize("fraction", [1.0, 0.8])
def test_the_number_of_threads_does_not_matter(fraction, rng):
    F = rng.standard_normal((60, 3))
    options = {"n_clusters": [2, 4], "n_repeats": 2, "sample_fraction": fraction, "random_state": 0}
    alone = MixedEnsemble(ALL, n_jobs=1, **options).fit(F)
    together = MixedEnsemble(ALL, n_jobs=3, **options).fit(F)
    assert (alone.transform(F) == together.transform(F)).all()
    pd.testing.assert_frame_equal(alone.manifest_, together.manifest_)


@every_kmeans
def test_same_seed_same_bits_whatever_the_threads(options, rng):
    F = rng.standard_normal((150, 3))
    options = {"n_clusterings": 10, "sample_fraction": 0.9, **options}
    one = KMeansEnsemble(random_state=5, n_jobs=1, **options).fit_transform(F)
    assert (KMeansEnsemble(random_state=5, n_jobs=3, **options).fit_transform(F) == one).all()
    assert (KMeansEnsemble(random_state=np.random.RandomState(5), **options).fit_transform(F) == one).all()
    assert not (KMeansEnsemble(random_state=6, **options).fit_transform(F) == one).all()


def test_manifest_and_names_tell_algorithm_number_and_seed(F):
    generator = MixedEnsemble(["ward", "kmeans"], [2, 3], n_repeats={"kmeans": 2}, random_state=0)
    X = generator.fit_transform(F)
    assert generator.manifest_.columns.tolist() == [
        "name", "algorithm", "n_clusters", "n_found", "n_sampled", "seed", "n_iter", "status", "message",
    ]  # fmt: skip
    names = generator.get_feature_names_out().tolist()
    assert names == [
        f"{row.algorithm}_k{row.n_clusters}_seed{row.seed}" for row in generator.manifest_.itertuples(index=False)
    ]
    assert generator.manifest_["algorithm"].tolist() == ["ward"] * 2 + ["kmeans"] * 4
    assert generator.manifest_["n_clusters"].tolist() == [2, 3, 2, 2, 3, 3]
    assert len(set(names)) == X.shape[1] == 6
    assert generator.n_iter_ == generator.manifest_["n_iter"].max()


def test_names_differ_even_where_all_else_is_the_same(F):
    names = MixedEnsemble(["ward"], [2, 2, 2], random_state=0).fit(F).get_feature_names_out()
    assert len(set(names)) == 3


def test_trees_run_once_and_others_as_often_as_asked(F):
    usual = MixedEnsemble(n_clusters=[2], random_state=0).fit(F).manifest_["algorithm"]
    assert usual.value_counts().to_dict() == {
        "single": 1, "average": 1, "ward": 1, "centroid": 1, "kmeans": 5, "spectral": 5
    }  # fmt: skip
    sampled = MixedEnsemble(n_clusters=[2], sample_fraction=0.9, random_state=0).fit(F).manifest_["algorithm"]
    assert (sampled.value_counts() == 5).all()


@pytest.mark.parametrize("generator", [KMeansEnsemble(4, 3, random_state=0), MixedEnsemble(["ward"], [2, 3])], ids=str)
def test_pandas_output_has_the_names_and_the_index(generator, F):
    frame = pd.DataFrame(F, columns=["a", "b"], index=[f"o{i}" for i in range(len(F))])
    plain = generator.fit_transform(frame)
    labelled = generator.set_output(transform="pandas").fit_transform(frame)
    assert labelled.columns.tolist() == generator.get_feature_names_out().tolist()
    assert labelled.index.tolist() == frame.index.tolist()
    assert (labelled.to_numpy() == plain).all()
    assert generator.feature_names_in_.tolist() == ["a", "b"]


@every_kmeans
def test_placing_the_fitted_objects_gives_their_labels(options, rng):
    F = rng.standard_normal((80, 3))
    generator = KMeansEnsemble(10, (2, 9), random_state=0, **options)
    assert (generator.fit_transform(F) == generator.transform(F)).all()
    sampled = KMeansEnsemble(10, (2, 5), sample_fraction=0.5, random_state=0, **options)
    X = sampled.fit_transform(F)
    seen = X >= 0
    assert (sampled.transform(F)[seen] == X[seen]).all()


@every_clusterer
def test_every_algorithm_places_the_fitted_objects_at_their_labels_and_all_others_somewhere(name, rng):
    F = rng.standard_normal((50, 2))
    whole = MixedEnsemble([name], [2, 4], n_repeats=1, random_state=0)
    assert (whole.fit_transform(F) == whole.transform(F)).all()
    half = MixedEnsemble([name], [2, 4], n_repeats=2, sample_fraction=0.5, random_state=0)
    X = half.fit_transform(F)
    placed = half.transform(F)
    assert (placed >= 0).all()
    assert (placed[X >= 0] == X[X >= 0]).all()


def test_new_objects_go_to_the_nearest_centre(F, rng):
    generator = KMeansEnsemble(5, 4, random_state=0)
    X = generator.fit_transform(F)
    new = rng.uniform(-5, 10, size=(30, 2))
    for column, placed in zip(X.T, generator.transform(new).T, strict=True):
        means = np.array([F[column == k].mean(axis=0) for k in range(4)])
        assert placed.tolist() == ((new[:, None] - means) ** 2).sum(axis=2).argmin(axis=1).tolist()


def test_new_objects_of_a_tree_go_to_the_cluster_of_the_nearest_object(F, rng):
    generator = MixedEnsemble(["average"], [3], n_repeats=1, sample_fraction=0.5, random_state=0)
    column = generator.fit_transform(F)[:, 0]
    new = rng.uniform(-5, 10, size=(30, 2))
    seen = np.flatnonzero(column >= 0)
    nearest = seen[((new[:, None] - F[seen]) ** 2).sum(axis=2).argmin(axis=1)]
    assert generator.transform(new)[:, 0].tolist() == column[nearest].tolist()


def test_every_new_object_has_a_place_even_if_clusters_were_empty():
    F = make_blobs(60, centers=4, random_state=0)[0]
    generator = KMeansEnsemble(30, (10, 25), sample_fraction=0.5, algorithm="minibatch", random_state=0).fit(F)
    assert (generator.transform(F) >= 0).all()


@pytest.mark.parametrize(
    "generator",
    [
        KMeansEnsemble(5, 3, sample_fraction=0.5, random_state=0),
        KMeansEnsemble(5, 3, metric="cosine", random_state=0),
        MixedEnsemble(["ward", "gmm", "fuzzy", "spectral", AgglomerativeClustering()], [2, 3], random_state=0),
    ],
    ids=["kmeans", "cosine", "mixed"],
)
def test_a_fitted_generator_can_be_pickled(generator, F):
    generator.fit(F)
    again = pickle.loads(pickle.dumps(generator))
    assert (again.transform(F) == generator.transform(F)).all()
    assert again.get_feature_names_out().tolist() == generator.get_feature_names_out().tolist()


def test_a_pipeline_from_features_to_clusters():
    F, truth = blobs((30, 25, 20))
    stretched = F * [1.0, 1000.0]
    pipeline = make_pipeline(
        StandardScaler(), KMeansEnsemble(30, (5, 9), random_state=0), PCC(3, divergence="l2", random_state=0)
    )
    assert same_partition(pipeline.fit_predict(stretched), truth)


WRONG = {
    "too many clusters": (KMeansEnsemble(2, 46), "n_clusters=46 exceeds the 45 objects"),
    "range backwards": (KMeansEnsemble(2, (5, 2)), r"n_clusters=\(5, 2\) is not a range"),
    "range of three": (KMeansEnsemble(2, (2, 3, 4)), r"n_clusters=\(2, 3, 4\) is not a range"),
    "range of fractions": (KMeansEnsemble(2, (2, 3.5)), "is not a range"),
    "range from 0": (KMeansEnsemble(2, (0, 3)), "is not a range"),
    "range too high": (KMeansEnsemble(2, (2, 60)), "n_clusters=60 exceeds the 45 objects"),
    "empty list": (KMeansEnsemble(2, []), "must be whole numbers from 1 on"),
    "list with 0": (KMeansEnsemble(2, [2, 0]), "must be whole numbers from 1 on"),
    "number is text": (KMeansEnsemble(2, "many"), "'n_clusters' parameter of KMeansEnsemble must be"),
    "no clusterings": (KMeansEnsemble(0), "'n_clusterings' parameter of KMeansEnsemble must be"),
    "sample above 1": (KMeansEnsemble(2, 2, sample_fraction=1.2), "'sample_fraction' parameter"),
    "cosine and k-means++": (KMeansEnsemble(2, 2, metric="cosine", init="k-means++"), "is for metric='euclidean'"),
    "unknown clusterer": (MixedEnsemble(["wrad"]), "there is no clusterer 'wrad'; choose from single, average"),
    "no clusterer": (MixedEnsemble([]), "clusterers is empty"),
    "two of one name": (MixedEnsemble([KMeans(), KMeans(3)]), "two clusterers are called 'kmeans'; pass a dict"),
    "the same name": (MixedEnsemble(["kmeans", KMeans()]), "two clusterers are called 'kmeans'"),
    "repeats of another": (MixedEnsemble(["ward"], n_repeats={"kmeans": 3}), "n_repeats names 'kmeans', which is not"),
    "mixed, too many": (MixedEnsemble(["ward"], [50]), "n_clusters=50 exceeds the 45 objects"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_settings_are_refused(case, F):
    generator, message = WRONG[case]
    with pytest.raises(ValueError, match=message):
        generator.fit(F)


def test_a_clusterer_must_be_one(F):
    with pytest.raises(TypeError, match=r"the clusterer StandardScaler.* is neither a name nor has it fit_predict"):
        MixedEnsemble([StandardScaler()]).fit(F)


def test_a_sample_of_nothing_is_refused(F):
    with pytest.raises(ValueError, match="sample_fraction"):
        KMeansEnsemble(2, 2, sample_fraction=0).fit(F)


def test_no_repeats_at_all_are_refused(F):
    with pytest.raises(ValueError, match="n_repeats"):
        MixedEnsemble(["kmeans"], [2], n_repeats={"kmeans": 0}).fit(F)


def test_one_object_is_too_few():
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        KMeansEnsemble(2, 1).fit([[1.0]])


# sklearn asks estimators with predict_proba that take sparse features what kind of classifier they are
SPARSE_CHECKS = dict.fromkeys(["check_estimator_sparse_array", "check_estimator_sparse_matrix"], "is no classifier")


@parametrize_with_checks(
    [
        KMeansEnsemble(n_clusterings=5, random_state=0),
        KMeansEnsemble(n_clusterings=5, metric="cosine", random_state=0),
        KMeansEnsemble(n_clusterings=5, algorithm="minibatch", random_state=0),
        MixedEnsemble(n_clusters=[2, 3], n_repeats=1, random_state=0),
        ConsensusClustering(KMeansEnsemble(10), random_state=0),
        ConsensusClustering(KMeansEnsemble(10), MultinomialMixture(3), random_state=0),
    ],
    expected_failed_checks=lambda estimator: SPARSE_CHECKS if hasattr(estimator, "predict_proba") else {},
)
def test_scikit_learn(estimator, check):
    check(estimator)


def test_a_pipeline_is_a_clusterer_with_seeds_and_numbers(F):
    pipeline = make_pipeline(StandardScaler(), KMeans(n_init=1))
    generator = MixedEnsemble([pipeline], [3, 5], n_repeats=3, random_state=0)
    X = generator.fit_transform(F)
    assert (generator.fit_transform(F) == X).all()
    assert generator.manifest_["n_clusters"].tolist() == [3] * 3 + [5] * 3
    assert [len(set(column)) for column in X.T] == [3] * 3 + [5] * 3


def test_clusterers_without_a_seed_run_once(F):
    made = MixedEnsemble([DBSCAN(eps=3), AgglomerativeClustering()], [2], random_state=0).fit(F).manifest_
    assert len(made) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampled = MixedEnsemble([AgglomerativeClustering()], [2], sample_fraction=0.8, random_state=0).fit(F)
    assert len(sampled.manifest_) == 5


class Wrong(ClusterMixin, BaseEstimator):
    """A clusterer with labels of a wrong shape, or of names."""

    def __init__(self, kind="few"):
        self.kind = kind

    def fit_predict(self, X, y=None):
        labels = np.arange(len(X)) % 2
        shapes = {
            "few": labels[:-1],
            "wide": labels[:, None],
            "one": np.int64(1),
            "names": np.array(["a", "b"])[labels],
        }
        return shapes[self.kind]


@pytest.mark.parametrize("kind", ["few", "wide", "one"])
def test_labels_of_a_wrong_shape_are_noted(kind, F):
    generator = MixedEnsemble({"wrong": Wrong(kind), "kmeans": "kmeans"}, [2], n_repeats=1, random_state=0)
    with pytest.warns(SkippedClusteringWarning, match="gave labels of shape"):
        X = generator.fit_transform(F)
    assert X.shape[1] == 1


def test_names_of_clusters_are_numbered(F):
    X = MixedEnsemble([Wrong("names")], random_state=0).fit_transform(F)
    assert X[:, 0].tolist() == (np.arange(len(F)) % 2).tolist()
