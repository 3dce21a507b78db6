"""Samples of the objects and of the clusterings (eq. I54)."""

import numpy as np
import pytest

from partita import EAC, LabelKMeans
from partita.selection._quick_kmeans import QuickKMeans
from partita.selection._resampling import Resampling, combine, sample_features, sample_labels
from tests.selection.recorded import blobs, copies


def test_samples_have_80_percent_of_the_objects(of_features):
    assert all(((X >= 0).sum(axis=0) == 40).all() for X in of_features.samples[0])


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_each_number_has_its_samples_of_80_percent(n_jobs):
    features = sample_features(blobs(), Resampling(QuickKMeans(), [2, 5], 4, n_jobs), 0)
    labels = sample_labels(copies(), Resampling(EAC(linkage="ward"), [2, 5], 4, n_jobs), 0)
    for resampled, n in ((features, 50), (labels, 40)):
        for k, X in zip([2, 5], resampled, strict=True):
            assert X.shape == (n, 4)
            assert ((X >= 0).sum(axis=0) == 0.8 * n).all()
            assert X.max() == k - 1
            assert len(np.unique(X, axis=1).T) > 1  # the samples differ


def test_one_tree_serves_all_numbers():
    X = copies()
    cut = combine(EAC(linkage="ward"), X, [2, 4], 0)
    for k, labels in zip([2, 4], cut, strict=True):
        alone = EAC(k, linkage="ward").fit_predict(X)
        assert len(set(zip(labels.tolist(), alone.tolist(), strict=True))) == k
    with_seed = combine(LabelKMeans(9, n_init=1), X, [4], 3)[0]
    assert (with_seed == LabelKMeans(4, n_init=1, random_state=3).fit_predict(X)).all()
