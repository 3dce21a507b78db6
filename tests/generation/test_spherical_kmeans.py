"""Spherical k-means against its two equations."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from partita import KMeansEnsemble
from partita.generation._spherical_kmeans import spherical_kmeans


def unit(F):
    return F / np.linalg.norm(F, axis=1, keepdims=True)


@pytest.mark.parametrize("fraction", [1.0, 0.8])
def test_spherical_kmeans_puts_each_row_at_the_centre_of_largest_cosine(text, fraction):
    rows = unit(text)
    for column in (
        KMeansEnsemble(10, (2, 6), metric="cosine", sample_fraction=fraction, random_state=0).fit_transform(text).T
    ):
        centers = unit(np.array([rows[column == k].sum(axis=0) for k in range(column.max() + 1)]))
        for row, label in zip(rows[column >= 0], column[column >= 0], strict=True):
            cosines = [float(row @ center) for center in centers]
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


def test_length_of_rows_does_not_matter(text, rng):
    longer = text * rng.uniform(0.5, 5, size=(len(text), 1))
    generator = KMeansEnsemble(8, (2, 6), metric="cosine", random_state=0)
    X = generator.fit_transform(text)
    assert (generator.transform(longer) == X).all()
    assert (generator.fit_transform(longer) == X).all()


def test_a_row_of_zeros_has_a_place_in_spherical_kmeans(text):
    text[7] = 0
    X = KMeansEnsemble(5, 3, metric="cosine", random_state=0).fit_transform(text)
    assert (X[7] >= 0).all()


def test_spherical_minibatches_find_clear_directions(rng):
    truth = np.repeat([0, 1, 2], 30)
    F = 5 * np.eye(3)[truth] * rng.uniform(1, 9, size=(90, 1)) + 0.1 * rng.random((90, 3))
    X = KMeansEnsemble(20, 3, metric="cosine", algorithm="minibatch", random_state=0).fit_transform(F)
    assert max(adjusted_rand_score(truth, column) for column in X.T) == 1
