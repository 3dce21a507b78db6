"""k-means ensembles: fixed points of Lloyd's algorithm, numbers of clusters, sparse features."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from partita import KMeansEnsemble
from partita.exceptions import SkippedClusteringWarning
from tests.ensembles import same_partition
from tests.generation.cases import blobs, every_kmeans


def test_numbers_come_from_a_list_in_turns(F):
    manifest = KMeansEnsemble(5, [2, 5, 3], random_state=0).fit(F).manifest_
    assert manifest["n_clusters"].tolist() == [2, 5, 3, 2, 5]
    assert manifest["n_found"].tolist() == [2, 5, 3, 2, 5]


def test_a_single_number_is_used_by_all(F):
    assert KMeansEnsemble(4, np.int64(3), random_state=0).fit(F).manifest_["n_clusters"].tolist() == [3] * 4


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
    with pytest.warns(SkippedClusteringWarning, match=r"of 20 clusterings were left out; manifest_ gives the reasons"):
        X = generator.fit_transform(F)
    status = generator.manifest_["status"]
    assert set(status) == {"ok", "not converged"}
    assert X.shape[1] == (status == "ok").sum()
    assert len(generator.get_feature_names_out()) == X.shape[1]
    assert "max_iter" in generator.manifest_.loc[status != "ok", "message"].iloc[0]


@every_kmeans
@pytest.mark.parametrize("fraction", [1.0, 0.7])
def test_sparse_features_give_what_dense_ones_give(text, options, fraction, rng):
    text[text > 0] += rng.random((text > 0).sum())  # no two centres are equally far
    generator = KMeansEnsemble(8, (2, 5), sample_fraction=fraction, random_state=0, **options)
    dense, sparsely = generator.fit_transform(text), generator.fit_transform(sparse.csr_array(text))
    assert (dense == sparsely).all()
    assert (generator.transform(sparse.csc_array(text)) == generator.transform(text)).all()


@every_kmeans
def test_same_seed_same_bits_whatever_the_threads(options, rng):
    F = rng.standard_normal((150, 3))
    options = {"n_clusterings": 10, "sample_fraction": 0.9, **options}
    one = KMeansEnsemble(random_state=5, n_jobs=1, **options).fit_transform(F)
    assert (KMeansEnsemble(random_state=5, n_jobs=3, **options).fit_transform(F) == one).all()
    assert (KMeansEnsemble(random_state=np.random.RandomState(5), **options).fit_transform(F) == one).all()
    assert not (KMeansEnsemble(random_state=6, **options).fit_transform(F) == one).all()


@every_kmeans
def test_placing_the_fitted_objects_gives_their_labels(options, rng):
    F = rng.standard_normal((80, 3))
    generator = KMeansEnsemble(10, (2, 9), random_state=0, **options)
    assert (generator.fit_transform(F) == generator.transform(F)).all()
    sampled = KMeansEnsemble(10, (2, 5), sample_fraction=0.5, random_state=0, **options)
    X = sampled.fit_transform(F)
    seen = X >= 0
    assert (sampled.transform(F)[seen] == X[seen]).all()


WRONG = {
    "too many clusters": (KMeansEnsemble(2, 46), "n_clusters=46 exceeds the 45 objects"),
    "range backwards": (KMeansEnsemble(2, (5, 2)), r"n_clusters=\(5, 2\) is not a range"),
    "range of three": (KMeansEnsemble(2, (2, 3, 4)), r"n_clusters=\(2, 3, 4\) is not a range"),
    "range of fractions": (KMeansEnsemble(2, (2, 3.5)), r"n_clusters\[1\]=3.5 is not allowed; pass a whole number"),
    "range from 0": (KMeansEnsemble(2, (0, 3)), r"n_clusters\[0\]=0 is not allowed"),
    "range too high": (KMeansEnsemble(2, (2, 60)), "n_clusters=60 exceeds the 45 objects"),
    "empty list": (KMeansEnsemble(2, []), "n_clusters is an empty list; pass a number, a list"),
    "list with 0": (KMeansEnsemble(2, [2, 0]), r"n_clusters\[1\]=0 is not allowed; pass a whole number, at least 1"),
    "list with text": (KMeansEnsemble(2, [2, "3"]), r"n_clusters\[1\]='3' is not allowed"),
    "number is text": (KMeansEnsemble(2, "many"), "'n_clusters' parameter of KMeansEnsemble must be"),
    "no clusterings": (KMeansEnsemble(0), "'n_clusterings' parameter of KMeansEnsemble must be"),
    "sample above 1": (KMeansEnsemble(2, 2, sample_fraction=1.2), "'sample_fraction' parameter"),
    "cosine and k-means++": (KMeansEnsemble(2, 2, metric="cosine", init="k-means++"), "is for metric='euclidean'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_settings_are_refused(case, F):
    generator, message = WRONG[case]
    with pytest.raises(ValueError, match=message):
        generator.fit(F)
