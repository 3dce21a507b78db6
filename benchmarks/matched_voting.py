"""Matched votes: distinct rows, starts on a sample, against the same steps on dense memberships of all objects."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks._ensembles import noisy_ensemble, voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita import MatchedVoting

_K, _STARTS = 8, 5


def _ours(X):
    return MatchedVoting(_K, random_state=0).fit(X).objective_


def _dense(X):
    """One (n, k) membership per clustering, and random starts."""
    rng = np.random.default_rng(0)
    return min(_dense_run(X, rng.dirichlet(np.ones(_K), size=len(X))) for _ in range(_STARTS))


def _dense_run(X, Y):
    width = max(_K, int(X.max()) + 1)
    value = np.finfo(float).max
    while True:
        padded = np.pad(Y, ((0, 0), (0, width - _K)))
        matched = np.zeros((X.shape[1], len(X), width))
        for m, column in enumerate(X.T):
            one_hot = np.eye(width)[column]
            label, cluster = linear_sum_assignment(one_hot.T @ padded, maximize=True)
            matched[m] = one_hot[:, label[np.argsort(cluster)]]
        votes = matched.mean(axis=0)[:, :_K]
        Y = votes + (1 - votes.sum(axis=1, keepdims=True)) / _K
        before, value = value, ((matched - np.pad(Y, ((0, 0), (0, width - _K)))) ** 2).sum()
        if before - value <= 1e-9 * before:
            return value


def _case(n, make):
    return Case(
        f"{n:,} x 20, {make.__name__.removesuffix('_ensemble')}",
        lambda: make(n, 20),
        [Contestant("partita, 30 starts", _ours), Contestant(f"dense, {_STARTS} starts", _dense, repeat=1)],
        answer=lambda objective: round(objective),
        agree=False,  # other starts, so other local optima; the objectives are in the JSON
    )


_CASES = ((10_000, voronoi_ensemble), (100_000, voronoi_ensemble), (20_000, noisy_ensemble))
BENCHMARK: Benchmark = [_case(n, make) for n, make in _CASES]
