"""The stratified sample: its size, every cluster in it, shares, the same for the same seed."""

import numpy as np
import pytest

from partita.results._sample import stratified_sample


def test_few_objects_are_all_taken():
    assert stratified_sample(np.array([0, 0, 1, -1]), 4).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("size", [7, 50, 999])
@pytest.mark.parametrize("seed", range(3))
def test_size_order_and_shares(size, seed, rng):
    labels = rng.choice(4, size=5000, p=[0.7, 0.2, 0.09, 0.01])
    chosen = stratified_sample(labels, size, seed)
    assert len(chosen) == len(np.unique(chosen)) == size
    assert (np.diff(chosen) > 0).all()
    counts = np.bincount(labels[chosen], minlength=4)
    assert (counts >= min(5, size // 4)).all()
    assert abs(counts[0] / size - 0.7) < 0.02 + 15 / size


def test_more_clusters_than_places():
    chosen = stratified_sample(np.arange(5000) % 4000, 2000)
    assert len(chosen) == len(np.unique(chosen)) == 2000


def test_tiny_clusters_are_kept_whole():
    labels = np.repeat([0, 1, 2, -1], [90_000, 3, 1, 2])
    assert np.bincount(labels[stratified_sample(labels, 100)] + 1).tolist() == [2, 94, 3, 1]


def test_the_seed_decides():
    labels = np.arange(1000) % 3
    assert np.array_equal(stratified_sample(labels, 100, 1), stratified_sample(labels, 100, 1))
    assert not np.array_equal(stratified_sample(labels, 100, 1), stratified_sample(labels, 100, 2))
