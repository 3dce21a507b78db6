"""The median partition: sweeps on tables of distinct rows against the same sweeps in NumPy, object by object."""

import numpy as np

from benchmarks._ensembles import noisy_ensemble, voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita import MedianPartition
from partita.metrics import expected_loss

_NUMPY_OBJECTS = 1000  # the loop over objects takes minutes beyond


def _ours(X):
    return MedianPartition(8, loss="vi", n_init=4, random_state=0).fit(X).objective_


def _in_numpy(X):
    """Rows allocated in random order, then sweeps until nothing moves; the best of two runs."""
    return min(_one_run(np.asarray(X), seed) for seed in range(2))


def _one_run(X, seed, k=8, max_sweeps=20):
    rng, (n, m) = np.random.default_rng(seed), X.shape
    first = np.concatenate([[0], np.cumsum(X.max(axis=0) + 1)])
    cells, mass, size = X + first[:-1], np.zeros((k, first[-1])), np.zeros(k)
    z = np.full(n, -1)
    for _ in range(max_sweeps):
        n_moves = 0
        for i in rng.permutation(n):
            own = z[i]
            if own >= 0:
                mass[own, cells[i]] -= 1
                size[own] -= 1
            cost = m * _step(size) - 2 * _step(mass[:, cells[i]]).sum(axis=1)
            z[i] = cost.argmin()
            mass[z[i], cells[i]] += 1
            size[z[i]] += 1
            n_moves += z[i] != own
        if n_moves == 0:
            break
    return expected_loss(X, z)


def _step(x):
    """(x + 1) log2(x + 1) - x log2 x."""
    return (x + 1) * np.log2(x + 1) - x * np.log2(np.maximum(x, 1))


def _case(n, make):
    contestants = [Contestant("partita", _ours, repeat=1)]
    if n <= _NUMPY_OBJECTS:
        contestants.append(Contestant("sweeps in NumPy", _in_numpy, repeat=1))
    return Case(
        f"{n:,} x 20, {make.__name__.removesuffix('_ensemble')}",
        lambda: make(n, 20),
        contestants,
        answer=lambda objective: round(objective, 4),
        agree=False,  # the simple sweeps end higher; the losses are in the JSON
    )


BENCHMARK: Benchmark = [
    _case(1_000, noisy_ensemble),
    _case(10_000, voronoi_ensemble),
    _case(100_000, noisy_ensemble),
    _case(100_000, voronoi_ensemble),
]
