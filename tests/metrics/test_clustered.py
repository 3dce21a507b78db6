"""What all internal indices share: numbers of any size, and digits that an outlier does not take (eq. I30)."""

import numpy as np
import pytest

from partita import metrics


def test_an_outlier_does_not_take_the_digits_of_others():
    X, labels = np.array([0, 1e-5, 1, 1 + 1e-5, 1e9])[:, None], [0, 0, 1, 1, 2]
    assert metrics.dunn_score(X, labels, "centroid", "centroid") == pytest.approx(1e5, rel=1e-6)


def test_numbers_that_cannot_be_squared_are_refused(rng):
    X, labels = rng.normal(size=(6, 2)), [0, 0, 0, 1, 1, 1]
    for score in (metrics.silhouette_score, metrics.dunn_score, metrics.davies_bouldin_score):
        with pytest.raises(ValueError, match="whose squares overflow; divide X"):
            score(X * 1e160, labels)
        with pytest.raises(ValueError, match="whose square is 0; multiply X"):
            score(X * 1e-160, labels)


def test_memory_order_of_the_features_does_not_matter(rng):
    X, labels = rng.normal(size=(200, 3)), rng.integers(4, size=200)
    for score in (metrics.silhouette_score, metrics.dunn_score, metrics.davies_bouldin_score):
        assert score(np.asfortranarray(X), labels) == score(X, labels)
