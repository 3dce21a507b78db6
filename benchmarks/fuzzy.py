"""Fuzzy clusters of the co-association: through the labels of distinct rows, against matrices of all objects."""

import numpy as np

from benchmarks._ensembles import voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita import FuzzyKMeans, FuzzyKMedoids

_CLUSTERS = 8


def _similarity(X):
    S = np.zeros((len(X), len(X)))
    for column in X.T:
        S += column[:, None] == column
    return S / X.shape[1]


def _means(X):
    model = FuzzyKMeans(_CLUSTERS, n_init=1, keep_starts=True, tol=1.0, random_state=0)
    return model.fit(X).n_iter_


def _means_dense(X):
    """As many iterations, which tol=1 leaves, on the rows of the matrix of all objects."""
    S, p = _similarity(X), 1 / 0.2
    centers = S[np.random.default_rng(0).choice(len(S), _CLUSTERS, replace=False)]
    norms = (S**2).sum(axis=1)[:, None]
    for _ in range(2):
        D = np.maximum(norms - 2 * S @ centers.T + (centers**2).sum(axis=1), 1e-9)
        share = (D.min(axis=1, keepdims=True) / D) ** p
        power = (share / share.sum(axis=1, keepdims=True)) ** 1.2
        centers = power.T @ S / power.sum(axis=0)[:, None]
    return 2


def _medoids(X):
    return FuzzyKMedoids(_CLUSTERS, n_init=1, keep_starts=True, random_state=0).fit(X).objective_


def _medoids_dense(X):
    """The published iteration on the matrix of all objects, from as many rows far from each other."""
    D, rng, p = 1 - _similarity(X), np.random.default_rng(0), 1 / 0.1
    medoids = [int(rng.integers(len(D)))]
    while len(medoids) < _CLUSTERS:
        nearest = D[:, medoids].min(axis=1)
        medoids.append(int(rng.choice(len(D), p=nearest / nearest.sum())))
    value = np.inf
    while True:
        near = D[:, medoids]
        ratio = np.divide(near.min(axis=1, keepdims=True), near, out=np.ones_like(near), where=near > 0) ** p
        power = (ratio / ratio.sum(axis=1, keepdims=True)) ** 1.1
        if (power * near).sum() >= value * (1 - 1e-9):
            return float(value)
        value = (power * near).sum()
        medoids = (D @ power).argmin(axis=0)


def _case(name, n, ours, dense, answer, *, agree):
    return Case(
        f"{name}, {n:,} x 20",
        lambda: voronoi_ensemble(n, 20),
        [Contestant("partita", ours), Contestant("matrix of all objects", dense, repeat=1)],
        answer=answer,
        agree=agree,
    )


BENCHMARK: Benchmark = [
    *(_case("fuzzy k-means, 2 iterations", n, _means, _means_dense, int, agree=True) for n in (3_000, 10_000)),
    *(
        _case("fuzzy k-medoids", n, _medoids, _medoids_dense, lambda value: {"objective": round(value, 1)}, agree=False)
        for n in (3_000, 10_000)
    ),
]
