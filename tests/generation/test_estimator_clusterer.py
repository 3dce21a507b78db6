"""Clusterers of the user: their number, their seed, their labels."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from partita import MixedEnsemble
from partita.exceptions import SkippedClusteringWarning
from tests.ensembles import same_partition
from tests.generation.cases import blobs


def test_noise_of_a_clusterer_is_a_missing_label():
    F = np.vstack([blobs()[0], [[100.0, 100.0]]])
    generator = MixedEnsemble([DBSCAN(eps=2)], [2, 3], random_state=0, n_repeats=1)
    X = generator.fit_transform(F)
    assert X.shape == (46, 1)  # it takes no number of clusters
    assert X[-1].tolist() == [-1]
    assert same_partition(X[:-1, 0], DBSCAN(eps=2).fit_predict(F[:-1]))
    assert pd.isna(generator.manifest_["n_clusters"].iloc[0])
    assert (generator.transform(F) == X).all()


def test_a_clusterer_gets_the_number_and_the_seed_of_the_manifest(F):
    generator = MixedEnsemble({"mine": KMeans(n_init=1)}, [2, 6], n_repeats=2, random_state=0)
    X = generator.fit_transform(F)
    assert generator.manifest_["algorithm"].tolist() == ["mine"] * 4
    assert generator.manifest_["n_clusters"].tolist() == [2, 2, 6, 6]
    for column, k, seed in zip(X.T, *(generator.manifest_[name] for name in ("n_clusters", "seed")), strict=True):
        assert same_partition(column, KMeans(int(k), n_init=1, random_state=int(seed)).fit_predict(F))


def test_the_number_may_be_the_parameter_n_components(F):
    generator = MixedEnsemble([GaussianMixture()], [2, 3], n_repeats=1, random_state=0).fit(F)
    assert generator.manifest_["n_found"].tolist() == [2, 3]
    assert generator.manifest_["algorithm"].tolist() == ["gaussianmixture"] * 2


def test_the_given_clusterer_is_not_changed(F):
    mine = KMeans(9, n_init=1)
    MixedEnsemble([mine], [2], n_repeats=1, random_state=0).fit(F)
    assert mine.n_clusters == 9
    assert not hasattr(mine, "labels_")


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
