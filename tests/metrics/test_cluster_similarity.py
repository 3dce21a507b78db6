"""Mean co-association within and between clusters: against the cluster consensus and a plain loop."""

import itertools

import numpy as np
import pytest

from partita._labels.ensemble import Ensemble
from partita.metrics import cluster_consensus
from partita.metrics._cluster_similarity import cluster_similarity


def draw(missing, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=(40, 5)).astype(np.int32)
    codes[rng.random(codes.shape) < missing] = -1
    return codes, rng.integers(4, size=40)


def by_a_loop(codes, labels, weights):
    sums, known = np.zeros((4, 4)), np.zeros((4, 4))
    for i, j in itertools.permutations(range(len(codes)), 2):
        both = (codes[i] >= 0) & (codes[j] >= 0)
        if both.any():
            sums[labels[i], labels[j]] += weights[both & (codes[i] == codes[j])].sum() / weights[both].sum()
            known[labels[i], labels[j]] += 1
    return np.divide(sums, known, out=np.full((4, 4), np.nan), where=known > 0)


@pytest.mark.parametrize("missing", [0, 0.3, 0.7])
@pytest.mark.parametrize("seed", range(3))
def test_objects_one_by_one(missing, seed):
    codes, labels = draw(missing, seed)
    weights = np.array([1, 0.25, 2, 0.5, 1])
    found = cluster_similarity(Ensemble(codes, np.full(5, 3), weights, np.ones(40)), labels, 4)
    assert np.allclose(found, by_a_loop(codes, labels, weights))


@pytest.mark.parametrize("missing", [0, 0.3])
def test_rows_that_stand_for_several_objects(missing):
    codes, labels = draw(missing, 7)
    times = np.arange(40) % 4 + 1
    rows = Ensemble(codes, np.full(5, 3), np.ones(5), times.astype(float))
    repeated, repeated_labels = np.repeat(codes, times, axis=0), np.repeat(labels, times)
    found = cluster_similarity(rows, labels, 4)
    assert np.allclose(found, by_a_loop(repeated, repeated_labels, np.ones(5)))
    assert np.allclose(found.diagonal(), cluster_consensus(repeated, repeated_labels))


@pytest.mark.parametrize("missing", [0, 0.3])
def test_clusters_of_one_object_and_rows_without_a_cluster(missing):
    codes, labels = draw(missing, 3)
    labels[labels == 3] = -1
    labels[0] = 3
    found = cluster_similarity(Ensemble(codes, np.full(5, 3), np.ones(5), np.ones(40)), labels, 4)
    assert np.isnan(found[3, 3])
    assert np.allclose(found[:3, :3], by_a_loop(codes[labels >= 0], labels[labels >= 0], np.ones(5))[:3, :3])
