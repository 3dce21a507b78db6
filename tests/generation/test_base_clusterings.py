"""Base clusterings: samples, names, threads, and failures that are noted and left out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans

from partita import KMeansEnsemble, MixedEnsemble
from partita.exceptions import SkippedClusteringWarning
from tests.generation.cases import INSTALLED, every_kmeans


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


class Raising(ClusterMixin, BaseEstimator):
    """Fails with more than two clusters."""

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        if self.n_clusters > 2:
            raise RuntimeError("three is a crowd")
        self.labels_ = np.arange(len(X)) % self.n_clusters
        return self


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


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_the_warning_points_at_the_line_of_the_caller(method, F):
    generator = MixedEnsemble([Raising(), "ward"], [2, 3], n_repeats=1, random_state=0)
    with pytest.warns(SkippedClusteringWarning) as record:
        getattr(generator, method)(F)
    assert record[0].filename == __file__


def test_if_all_fail_the_reason_is_given(F):
    with pytest.raises(
        ValueError, match=r"all 2 clusterings failed or did not converge.*RuntimeError: three is a crowd"
    ):
        MixedEnsemble([Raising()], [3, 4], n_repeats=1).fit(F)


def test_a_clusterer_that_finds_nothing_is_left_out(F):
    generator = MixedEnsemble([DBSCAN(eps=1e-9), "ward"], [2], n_repeats=1)
    with pytest.warns(SkippedClusteringWarning, match="found no cluster"):
        assert generator.fit_transform(F).shape == (45, 1)


def test_warnings_of_base_clusterers_are_not_shown(F):
    repeated = np.repeat(F[:3], 5, axis=0)
    MixedEnsemble({"kmeans": "kmeans", "mine": KMeans(n_init=1)}, [5], n_repeats=1, random_state=0).fit(repeated)


@pytest.mark.parametrize("fraction", [1.0, 0.8])
def test_the_number_of_threads_does_not_matter(fraction, rng):
    F = rng.standard_normal((60, 3))
    options = {"n_clusters": [2, 4], "n_repeats": 2, "sample_fraction": fraction, "random_state": 0}
    alone = MixedEnsemble(INSTALLED, n_jobs=1, **options).fit(F)
    together = MixedEnsemble(INSTALLED, n_jobs=3, **options).fit(F)
    assert (alone.transform(F) == together.transform(F)).all()
    pd.testing.assert_frame_equal(alone.manifest_, together.manifest_)


def test_manifest_and_names_contain_algorithm_number_and_seed(F):
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


def test_names_differ_even_if_algorithm_number_and_seed_are_the_same(F):
    names = MixedEnsemble(["ward"], [2, 2, 2], random_state=0).fit(F).get_feature_names_out()
    assert len(set(names)) == 3
