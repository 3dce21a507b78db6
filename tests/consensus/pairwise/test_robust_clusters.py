"""Robust clusters: components of linked pairs against a slow twin, and what is told of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita import EAC, LabelBlocks, RobustClusters
from tests import twins
from tests.ensembles import label_matrices, noisy_ensemble, same_partition


def components(X, agreement, weights=None):
    """Components of the pairs with S >= agreement, by spreading the smallest number; -1 without label."""
    C, N = twins.coassociation(X, weights)
    S = np.divide(C, N, out=np.zeros_like(C), where=N > 0)
    labels = np.arange(len(X))
    for _ in range(len(X)):
        for i in range(len(X)):
            labels[i] = labels[(S[i] >= agreement - 1e-9) | (np.arange(len(X)) == i)].min()
    return np.where((X >= 0).any(axis=1), labels, -1)


@pytest.mark.filterwarnings("ignore:.*(objects have no label|without any label)")
@given(X=label_matrices(max_rows=9), agreement=st.sampled_from([0.3, 0.5, 2 / 3, 1.0]))
def test_clusters_are_the_components(X, agreement):
    X = X[:, (X >= 0).any(axis=0)]
    model = RobustClusters(agreement=agreement).fit(X)
    found = components(X, agreement)
    assert same_partition(model.labels_, found)
    sizes = np.bincount(found[found >= 0], minlength=len(X))
    assert np.array_equal(model.is_robust_, (found >= 0) & (sizes[found] >= 2))
    assert model.n_robust_ == (sizes >= 2).sum()
    assert np.array_equal(model.is_robust_, (model.labels_ >= 0) & (model.labels_ < model.n_robust_))


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("agreement", [0.5, 0.8, 1.0])
def test_single_linkage_at_a_threshold(missing, agreement):
    X = noisy_ensemble(sizes=(60, 40, 20), missing=missing, n_clusterings=8).X
    model = RobustClusters(agreement=agreement).fit(X)
    assert np.array_equal(model.labels_, EAC(linkage="single", threshold=agreement).fit(X).labels_)
    assert not hasattr(model, "dendrogram_")


def test_all_agree_is_equal_rows():
    X = noisy_ensemble(missing=0).X
    rows = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    assert same_partition(RobustClusters().fit(X).labels_, rows)


def test_sizes_are_weights():
    X = [[0, 0, 0, 1, 1, 2]]  # a list is a list of columns
    model = RobustClusters(min_size=3).fit(X)
    assert model.is_robust_.tolist() == [True, True, True, False, False, False]
    heavy = RobustClusters(min_size=3).fit(X, sample_weight=[1, 1, 1, 1, 2, 0])
    assert heavy.is_robust_.tolist() == [True] * 5 + [False]  # without weight it takes no part
    assert heavy.n_robust_ == 2
    light = RobustClusters(min_size=3).fit(X, sample_weight=[1, 2, 0, 1, 1, 0])
    assert light.is_robust_.tolist() == [True] * 3 + [False] * 3  # without weight, it has the labels of others
    large = RobustClusters(min_size=2**61).fit(X, sample_weight=np.full(6, 2.0**60))
    assert large.n_robust_ == 2
    assert RobustClusters(min_size=1).fit(X).is_robust_.all()


def test_new_objects_join_what_is_like_them():
    X = noisy_ensemble(missing=0).X
    model = RobustClusters(agreement=0.6).fit(X)
    assert np.array_equal(model.predict(X), model.labels_)
    assert (model.predict(np.where(np.arange(15) < 3, -1, X)) == model.labels_).mean() > 0.95
    assert model.predict(np.full((1, 15), 99)).tolist() == [-1]


def test_wrong_agreement_is_refused(X):
    with pytest.raises(ValueError, match="'agreement' parameter of RobustClusters must be a float in the range"):
        RobustClusters(agreement=1.1).fit(X)


def test_objects_in_blocks():
    X = noisy_ensemble(sizes=(60, 40, 20), missing=0, n_clusterings=6).X
    model = RobustClusters().fit(X)
    robust, labels = model.is_robust_, model.labels_
    assert 0 < robust.sum() < len(X)
    model.fit(LabelBlocks.from_iterable(lambda: [X[:50], X[50:]]))
    assert np.array_equal(model.labels_, labels)
    assert np.array_equal(model.is_robust_, robust)
