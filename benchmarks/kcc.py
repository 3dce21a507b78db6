"""k-means-based consensus: table look-up on distinct rows against NumPy on the one-hot matrix."""

import numpy as np

from benchmarks._ensembles import noisy_ensemble, voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from benchmarks.coassociation import indicator
from partita import KCC

_K = 8


def _ours(X):
    return KCC(_K, utility="h", n_init=1, keep_starts=True, random_state=0).fit(X).objective_


def _one_hot(X, max_iter=300):
    """Lloyd's iteration from random rows, all divergences as products with the sparse one-hot matrix."""
    H, widths = indicator(X).astype(float), X.max(axis=0) + 1
    rows = H[np.random.default_rng(0).choice(len(X), _K, replace=False)].toarray().T
    share, before = _shares(rows, 1.0, widths), np.inf
    for _ in range(max_iter):
        divergence = -(H @ np.log2(share))
        labels, value = divergence.argmin(axis=1), divergence.min(axis=1).sum()
        if before - value <= 1e-9 * value:
            break
        before, member = value, np.eye(_K)[labels]
        share = _shares(H.T @ member, member.sum(axis=0), widths)
    return value


def _shares(mass, size, widths):
    """Shares of labels, with a little of all labels so that none is impossible."""
    return (mass + 0.01) / (size + 0.01 * np.repeat(widths, widths)[:, None])


def _case(n, make):
    return Case(
        f"{n:,} x 20, {make.__name__.removesuffix('_ensemble')}",
        lambda: make(n, 20),
        [Contestant("partita", _ours), Contestant("NumPy and SciPy on sparse one-hot", _one_hot, repeat=1)],
        answer=lambda objective: round(objective),
        agree=False,  # other random starts, so other local optima; the objectives are in the JSON
    )


BENCHMARK: Benchmark = [
    _case(20_000, noisy_ensemble),
    _case(100_000, voronoi_ensemble),
    _case(1_000_000, voronoi_ensemble),
]
