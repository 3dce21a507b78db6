"""Evidence accumulation against the straightforward way: dense co-association, then SciPy's linkage."""

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

from benchmarks._ensembles import noisy_ensemble, voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita import EAC


def _ours(method):
    return lambda X: EAC(8, linkage=method).fit(X).dendrogram_[:, 2]


def _scipy(method):
    def run(X):
        n = len(X)
        D = np.empty(n * (n - 1) // 2)
        start = 0
        for i in range(n - 1):
            D[start : start + n - 1 - i] = (X[i] != X[i + 1 :]).mean(axis=1)
            start += n - 1 - i
        tree = linkage(D, method)
        fcluster(tree, 8, "maxclust")
        return tree[:, 2]

    return run


def _answer(heights):
    return round(float(heights.sum()), 2)


def _against_scipy(n, method, make):
    # single linkage has one set of heights; with ties, other linkages have several
    return Case(
        f"{method}, {n:,} x 20, {make.__name__.removesuffix('_ensemble')}",
        lambda: make(n, 20),
        [Contestant("partita", _ours(method)), Contestant("SciPy on the full matrix", _scipy(method), repeat=1)],
        answer=_answer,
        agree=method == "single",
    )


def _alone(method):
    return Case(
        f"{method}, 100,000 x 20, 25,000 distinct",
        lambda: noisy_ensemble(100_000, 20, n_distinct=25_000),
        [Contestant("partita", _ours(method), repeat=1)],
        answer=_answer,
    )


def _with_holes(missing):
    return Case(
        f"single, 100,000 x 20, voronoi, {missing:.0%} missing",
        lambda: voronoi_ensemble(100_000, 20, missing=missing),
        [Contestant("partita", _ours("single"), repeat=1)],
        answer=_answer,
    )


def _noise_with_holes():
    X = noisy_ensemble(100_000, 20)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = -1
    return X


BENCHMARK: Benchmark = [
    *(_against_scipy(5_000, method, noisy_ensemble) for method in ("single", "average", "complete", "ward")),
    *(_against_scipy(20_000, method, voronoi_ensemble) for method in ("single", "average")),
    *(_against_scipy(20_000, method, noisy_ensemble) for method in ("single", "average")),
    _alone("single"),
    _alone("average"),
    _with_holes(0.1),
    _with_holes(0.3),
    Case(
        "single, 100,000 x 20, noisy, 10% missing",
        _noise_with_holes,
        [Contestant("partita", _ours("single"), repeat=1)],
        answer=_answer,
    ),
]
