"""k-means on labels: table look-up on distinct rows against scikit-learn on the one-hot matrix."""

from sklearn.cluster import KMeans

from benchmarks._ensembles import noisy_ensemble, voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from benchmarks.coassociation import indicator
from partita import LabelKMeans


def _ours(X):
    return LabelKMeans(8, n_init=1, random_state=0).fit(X).objective_


def _scikit_learn(X):
    return KMeans(8, n_init=1, random_state=0).fit(indicator(X).astype(float)).inertia_


def _case(n, make):
    return Case(
        f"{n:,} x 20, {make.__name__.removesuffix('_ensemble')}",
        lambda: make(n, 20),
        [Contestant("partita", _ours), Contestant("scikit-learn on sparse one-hot", _scikit_learn, repeat=1)],
        answer=lambda objective: round(objective),
        agree=False,  # other random starts, so other local optima; the objectives are in the JSON
    )


def few_rows_ensemble(n, m):
    """A million objects of 250,000 distinct rows."""
    return noisy_ensemble(n, m, n_distinct=n // 4)


BENCHMARK: Benchmark = [
    _case(100_000, noisy_ensemble),
    _case(100_000, voronoi_ensemble),
    _case(1_000_000, voronoi_ensemble),
    _case(1_000_000, few_rows_ensemble),
]
