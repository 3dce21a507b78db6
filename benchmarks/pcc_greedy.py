"""What a greedy step of PCC costs (eq. P65): n steps over chosen pairs, against objects n and pairs per object.

The time holds the gradients from scratch before the steps, as in a fit. A step looks at the neighbours of one object,
and at log n places of a heap for each: the time per step grows with the neighbours and hardly with n, until the memory
that it reaches at random, n K numbers twice, exceeds the cache.
"""

import numpy as np

from benchmarks._ensembles import voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita import coassociation
from partita._kernels import pcc_pairs
from partita._labels.ensemble import Ensemble
from partita.consensus.pcc._greedy import make_steps
from partita.consensus.pcc._stored_pairs import chosen_pairs

K = 8


def _problem(n, n_neighbours):
    X = voronoi_ensemble(n, 20)
    counts = coassociation(X, form="pairs", pairs=n_neighbours, random_state=0)
    ensemble = Ensemble(X, X.max(axis=0).astype(np.int64) + 1, np.ones(20), np.ones(n))
    return chosen_pairs(counts, ensemble, pcc_pairs.KL)


def _steps(problem):
    """As many steps as there are objects, from a random start."""
    n = len(problem.isolated)
    run = problem.start_at(np.random.default_rng(0).dirichlet(np.ones(K), size=n))
    return make_steps(problem, run, limit=0.0, at_once=n)(n)[0]


def _case(n, n_neighbours):
    return Case(
        f"n = {n:,}, {n_neighbours} pairs per object",
        lambda: _problem(n, n_neighbours),
        [Contestant(f"{n:,} greedy steps", _steps, repeat=2)],
        answer=int,
    )


BENCHMARK: Benchmark = [
    *(_case(n, 30) for n in (3_000, 10_000, 30_000, 100_000, 300_000)),
    *(_case(30_000, n_neighbours) for n_neighbours in (10, 100, 300)),
]
