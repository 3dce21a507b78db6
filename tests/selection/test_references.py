"""References: of the shape of the data, without clusters (eqs. I56, I57)."""

import numpy as np
import pytest

from partita import choose_n_clusters
from partita.selection._references import gaussian_cloud, uniform_cloud, without_agreement


def test_reference_features_have_the_mean_and_covariance_of_the_data(rng):
    F = rng.standard_normal((50, 3)) @ rng.standard_normal((3, 3)) + [1, 2, 3]
    many = np.vstack([gaussian_cloud(F, seed) for seed in range(400)])
    scale = np.sqrt(np.diag(np.cov(F.T)))
    assert (np.abs(many.mean(axis=0) - F.mean(axis=0)) < 5 * scale / np.sqrt(20_000)).all()
    assert np.abs(np.cov(many.T) - np.cov(F.T)).max() < 0.05 * scale.max() ** 2


def test_reference_features_of_wide_data(rng):
    F = rng.standard_normal((6, 10))
    like = gaussian_cloud(F, 0)
    assert like.shape == (6, 10)
    centred = F - F.mean(axis=0)
    inside = (like - F.mean(axis=0)) @ np.linalg.pinv(centred) @ centred
    assert np.allclose(inside, like - F.mean(axis=0))  # no direction that the data do not have


def test_uniform_references_fill_the_box_around_the_data(rng):
    F = rng.standard_normal((40, 2)) @ [[3, 1], [0, 1]]
    axes = np.linalg.svd(F - F.mean(axis=0))[2]
    low, high = ((F - F.mean(axis=0)) @ axes.T).min(axis=0), ((F - F.mean(axis=0)) @ axes.T).max(axis=0)
    many = (np.vstack([uniform_cloud(F, seed) for seed in range(200)]) - F.mean(axis=0)) @ axes.T
    assert (many >= low - 1e-9).all()
    assert (many <= high + 1e-9).all()
    assert np.allclose(many.mean(axis=0), (low + high) / 2, atol=0.1)
    assert np.allclose(many.std(axis=0), (high - low) / np.sqrt(12), rtol=0.05)


def test_missing_reference_labels_stay_where_they_are(rng):
    X = rng.integers(-1, 3, size=(30, 5))
    assert ((without_agreement(X, 0) < 0) == (X < 0)).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_pattern_of_missing_labels_is_not_a_cluster(seed):
    X = np.random.default_rng(seed).integers(4, size=(40, 10))
    X[:20, 5:] = X[20:, :5] = -1  # two groups, each clustered by others, at random
    assert choose_n_clusters(X, (2, 4), n_resamples=6, random_state=seed).n_clusters == 1


def test_a_uniform_cloud_is_one_cluster_more_often_than_not():
    answers = [
        choose_n_clusters(np.random.default_rng(seed).uniform(size=(60, 2)), (2, 4), n_resamples=8, random_state=0)
        for seed in range(5)
    ]
    assert sum(choice.n_clusters == 1 for choice in answers) >= 4


def test_reference_labels_are_every_column_shuffled(rng):
    X = rng.integers(-1, 3, size=(30, 5))
    like = without_agreement(X, 0)
    assert (np.sort(like, axis=0) == np.sort(X, axis=0)).all()
    assert (like != X).any(axis=0).all()
    assert not (like == without_agreement(X, 1)).all()
