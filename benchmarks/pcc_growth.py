"""How the cost of l2 over all pairs (eq. P31) grows with the number of objects: 20 clusterings, eight clusters."""

from benchmarks._ensembles import noisy_ensemble, voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita import PCC


def _solve(tol):
    return lambda X: PCC(8, divergence="l2", tol=tol, n_init=1, random_state=0).fit(X)


def _answer(model):
    return {"gap": model.kkt_gap_, "n_iter": model.n_iter_, "n_clusters": model.n_clusters_}


def _case(n, make):
    return Case(
        f"n = {n:,}, {make.__name__.removesuffix('_ensemble')}",
        lambda: make(n, 20),
        [Contestant(f"l2 over all pairs, gap {tol:g}", _solve(tol), repeat=1) for tol in (1e-2, 1e-4)],
        answer=_answer,
        agree=False,
    )


BENCHMARK: Benchmark = [
    _case(n, make) for make in (voronoi_ensemble, noisy_ensemble) for n in (10_000, 100_000, 1_000_000)
]
