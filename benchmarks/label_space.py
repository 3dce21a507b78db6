"""Methods in the space of labels: against the bipartite graph by hand, on many objects; k-means against scikit-learn.

ARI is against the blobs that the clusterings were made of.
"""

import numpy as np
from sklearn.cluster import KMeans, SpectralCoclustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import partita
from benchmarks._harness import Benchmark, Case, Contestant
from benchmarks.coassociation import indicator
from partita._labels.ensemble import Ensemble
from partita._labels.tables import cluster_tables
from partita.consensus.kmeans._weighted_kmeans import weighted_kmeans

_K = 8


def _blobs(n, *, missing=0.0, m=20, seed=0):
    """Nearest of k random objects, k from 2 to 20; block by block, for a million objects."""
    rng = np.random.default_rng(seed)
    points, truth = make_blobs(n, n_features=5, centers=_K, cluster_std=1.5, random_state=seed)
    X = np.empty((n, m), dtype=np.int32)
    for j in range(m):
        centers = points[rng.choice(n, size=rng.integers(2, 21), replace=False)]
        for lo in range(0, n, 100_000):
            part = slice(lo, lo + 100_000)
            X[part, j] = ((centers**2).sum(axis=1) - 2 * points[part] @ centers.T).argmin(axis=1)
    if missing:
        X[rng.random(X.shape) < missing] = -1
    return X, truth


def _score(labels, truth):
    return {"ari": round(float(adjusted_rand_score(truth, labels)), 3)}


def _ours(name, **options):
    def run(data):
        X, truth = data
        return _score(getattr(partita, name)(_K, **options).fit_predict(X), truth)

    return run


def _coclustering_by_hand(data):
    X, truth = data
    model = SpectralCoclustering(_K, random_state=0).fit(indicator(X).astype(float))
    return _score(model.row_labels_, truth)


def _methods(n, names, peers=(), **options):
    contestants = [Contestant(f"partita {name}", _ours(name, random_state=0), repeat=1) for name in names]
    contestants += [Contestant(name, run, repeat=1) for name, run in peers]
    label = f"{n:,} x 20" + (", 30 % missing" if options else "")
    return Case(label, lambda: _blobs(n, **options), contestants, answer=lambda value: value, agree=False)


def _ensemble(n):
    X, _ = _blobs(n)
    return Ensemble(X, X.max(axis=0).astype(np.int64) + 1, np.ones(20), np.ones(n))


def _product_by_hand(ensemble):
    H = indicator(ensemble.codes).astype(float)
    return (H.T @ H).toarray()


_TABLES = Case(
    "contingency tables, 200,000 x 20",
    lambda: _ensemble(200_000),
    [
        Contestant("partita", lambda ensemble: cluster_tables(ensemble).together),
        Contestant("SciPy's sparse product", _product_by_hand, repeat=1),
    ],
    answer=lambda value: {"sum": float(value.sum())},
)

_KMEANS = Case(
    "k-means, 500 points of 30 numbers, k = 10, two starts",
    lambda: np.random.default_rng(0).normal(size=(500, 30)),
    [
        Contestant("partita", lambda X: weighted_kmeans(X, np.ones(500), 10, n_init=2).inertia),
        Contestant("scikit-learn", lambda X: KMeans(10, n_init=2, random_state=0).fit(X).inertia_),
    ],
    answer=lambda value: {"inertia": round(float(value), 1)},
    agree=False,
)

BENCHMARK: Benchmark = [
    _TABLES,
    _KMEANS,
    _methods(
        5_000, ["LWGP", "USENC", "LWEA", "ECPCS", "HBGF"], [("scikit-learn co-clustering", _coclustering_by_hand)]
    ),
    _methods(100_000, ["LWGP", "USENC", "ECPCS", "MCLA", "HBGF"], missing=0.3),
    _methods(1_000_000, ["LWGP", "USENC", "ECPCS"]),
]
