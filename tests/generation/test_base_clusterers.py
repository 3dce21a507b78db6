"""Base clusterers against SciPy and scikit-learn."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.mixture import GaussianMixture

from partita import MixedEnsemble
from tests.ensembles import same_partition
from tests.generation.cases import every_clusterer


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
