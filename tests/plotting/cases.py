"""Results of the sizes at which every picture must be legible."""

from functools import cache

import numpy as np

from partita import ConsensusResult, combine
from tests.ensembles import noisy_ensemble


def _five():
    labels = [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 1, 1, 2, 2], [0, 0, 0, 1, 1]]
    return ConsensusResult.from_labels(labels, [0, 0, 0, 1, 1])


def _unlabelled():
    X = noisy_ensemble((60, 50, 40, 30, 20), 5, missing=0.6).X
    truth = noisy_ensemble((60, 50, 40, 30, 20), 5, missing=0.6).truth
    X[:7] = -1
    return ConsensusResult.from_labels(X, np.where((X >= 0).any(axis=1), truth, -1))


def _given(sizes, n_clusterings, flip, missing):
    made = noisy_ensemble(sizes, n_clusterings, flip=flip, missing=missing)
    return ConsensusResult.from_labels(made.X, made.truth)


RESULTS = {
    "5 objects": _five,
    "200 objects": lambda: _given((120, 80), 5, 0.08, 0.1),
    "25 clusters, 100 clusterings": lambda: _given((8,) * 25, 100, 0.3, 0.3),
    "missing labels": _unlabelled,
    "1 cluster": lambda: ConsensusResult.from_labels(
        np.random.default_rng(0).integers(0, 3, (200, 10)), np.zeros(200, int)
    ),
    "100,000 objects": lambda: _given((4000,) * 25, 20, 0.05, 0.05),
    "evidence accumulation": lambda: combine(noisy_ensemble().X, method="eac", n_clusters=3),
}


@cache
def result_of(name):
    return RESULTS[name]()
