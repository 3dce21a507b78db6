"""Probabilities of clusters from features: the paper's formulas one object at a time, and WBPA on them."""

import math

import numpy as np
import pytest

from partita import HBGF, SoftHBGF, lac_memberships
from tests.ensembles import same_partition


def by_hand(points, codes, h):
    k = max(codes) + 1
    centres, weights = [], []
    for label in range(k):
        members = [x for x, code in zip(points, codes, strict=True) if code == label]
        centre = np.mean(members, axis=0)
        spread = [
            math.exp(-sum((x[s] - centre[s]) ** 2 for x in members) / len(members) / h) for s in range(len(centre))
        ]
        centres.append(centre)
        weights.append(np.array(spread) / sum(spread))
    found = np.full((len(points), k), np.nan)
    for i, (x, code) in enumerate(zip(points, codes, strict=True)):
        if code >= 0:
            d = [math.sqrt(sum(weights[a][s] * (x[s] - centres[a][s]) ** 2 for s in range(len(x)))) for a in range(k)]
            largest = max(d)
            for a in range(k):
                found[i, a] = (largest - d[a] + 1) / (k * largest + k - sum(d))
    return found


def blobs(rng, n=60, noise=3):
    """Three clusters in two features, beside features of noise."""
    truth = np.repeat([0, 1, 2], n // 3)
    centres = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    return np.hstack([centres[truth] + rng.normal(size=(n, 2)), rng.normal(size=(n, noise))]), truth


@pytest.mark.parametrize("h", [0.5, 3.0, math.inf])
def test_probabilities_are_the_formulas_of_the_paper(h, rng):
    points, _ = blobs(rng)
    X = rng.integers(0, 4, size=(60, 3))
    X[rng.random((60, 3)) < 0.2] = -1
    found = lac_memberships(points, X, h=h)
    for codes, block in zip(X.T, found, strict=True):
        assert np.allclose(block, by_hand(points, codes, h), equal_nan=True)
        assert np.allclose(block[codes >= 0].sum(axis=1), 1)


def test_default_scale_is_the_mean_variance(rng):
    points, truth = blobs(rng)
    expected = lac_memberships(points, truth[:, None], h=points.var(axis=0).mean())[0]
    assert np.array_equal(lac_memberships(points, truth[:, None])[0], expected)


def test_a_feature_of_large_variance_in_a_cluster_counts_little(rng):
    points, truth = blobs(rng)
    points[:, 4] = 0.1 * rng.normal(size=60) + np.where(truth == 0, 20 * rng.normal(size=60), 0)
    near = lac_memberships(points, truth[:, None], h=1.0)[0]
    plain = lac_memberships(points, truth[:, None], h=math.inf)[0]
    mine = truth == 0
    assert (near[mine].argmax(axis=1) == 0).mean() > (plain[mine].argmax(axis=1) == 0).mean()


def test_weighted_bipartite_partitioning_uses_what_labels_do_not_tell(rng):
    """One clustering merges two of the clusters, another one others: features place the objects."""
    points, truth = blobs(rng)
    X = np.column_stack([np.where(rng.random(60) < 0.25, rng.integers(0, 3, 60), truth) for _ in range(6)])
    soft = lac_memberships(points, X)
    labels = SoftHBGF(3, random_state=0).fit_predict(soft)
    errors = [sum(labels[truth == c] != np.bincount(labels[truth == c]).argmax()) for c in range(3)]
    assert sum(errors) <= 2
    assert same_partition(HBGF(3, random_state=0).fit_predict(X[:, :1]), X[:, 0])


def test_same_objects_have_equal_probabilities():
    soft = lac_memberships(np.zeros((4, 2)), {"a": [0, 0, 1, 1]})
    assert np.allclose(soft[0], 0.5)


def test_a_clustering_without_any_label_has_no_matrix():
    X = np.array([[0, -1, 0], [0, -1, 1], [1, -1, 1]])
    with pytest.warns(UserWarning, match="1 of 3 clusterings have no label at all"):
        soft = lac_memberships(np.arange(6.0).reshape(3, 2), X)
    expected = lac_memberships(np.arange(6.0).reshape(3, 2), X[:, [0, 2]])
    assert len(soft) == 2
    assert all(np.array_equal(one, other) for one, other in zip(soft, expected, strict=True))


@pytest.mark.parametrize("h", [0, -1, math.nan, True, "1"])
def test_wrong_scales_are_refused(h):
    with pytest.raises(ValueError, match="pass a number above 0"):
        lac_memberships([[0.0], [1.0]], [[0, 1]], h=h)


def test_features_of_other_objects_are_refused():
    with pytest.raises(ValueError, match="features has 3 rows, but X has 2; pass one row per object in both"):
        lac_memberships(np.zeros((3, 1)), {"a": [0, 1]})
