"""PCC: the block solver (eq. P30) against the papers' greedy one (eq. P27), to the same gap, from the same start."""

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from benchmarks._harness import Benchmark, Case, Contestant
from partita import PCC

K = 6


def kmeans_ensemble(n, n_clusterings, low, high, seed=0):
    """k-means of six blobs in four dimensions, random starts, a few iterations, low..high clusters."""
    rng = np.random.default_rng(seed)
    points, _ = make_blobs(n, centers=K, n_features=4, cluster_std=2.0, random_state=seed)
    columns = []
    for m in range(n_clusterings):
        model = KMeans(int(rng.integers(low, high + 1)), n_init=1, init="random", max_iter=30, random_state=m)
        columns.append(model.fit_predict(points))
    return np.column_stack(columns)


def _solve(solver, divergence):
    def run(X):
        init = np.random.default_rng(1).dirichlet(np.ones(K), size=len(X))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return PCC(K, divergence=divergence, solver=solver, init=init).fit(X)

    return run


def _answer(model):
    return {"objective": round(model.objective_, 2), "gap": model.kkt_gap_, "n_iter": model.n_iter_}


def _case(n, kind, divergence):
    root = int(np.sqrt(n))
    low, high = (root // 2, root) if kind == "micro-blocks" else (4, 10)
    return Case(
        f"{divergence}, n = {n:,}, {kind}",
        lambda: kmeans_ensemble(n, 50, low, high),
        [
            Contestant("block", _solve("block", divergence), repeat=2 if n < 3000 else 1),
            Contestant("greedy, as in the papers", _solve("greedy", divergence), repeat=1),
        ],
        answer=_answer,
        agree=False,  # local optima; the objectives are in the JSON
    )


BENCHMARK: Benchmark = [
    _case(n, kind, divergence)
    for divergence in ("kl", "l2")
    for kind in ("micro-blocks", "blocks")
    for n in (400, 1000, 3000)
]
