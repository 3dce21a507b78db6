"""Graph, voting and factorisation methods against peers on the same ensembles and numbers of clusters.

kmodes and stepmix come from the package index (`pip install kmodes stepmix`); without them their rows say so. The
others are the straightforward way by hand with scikit-learn. ARI is against the blobs that the clusterings were made
of.
"""

import numpy as np
from sklearn.cluster import SpectralClustering, SpectralCoclustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import partita
from benchmarks._harness import Benchmark, Case, Contestant
from benchmarks.coassociation import indicator

_K = 8


def _blobs(n, *, missing=0.0, m=20, seed=0):
    """Nearest of k random objects, k from 2 to 20, like a k-means of one step."""
    rng = np.random.default_rng(seed)
    points, truth = make_blobs(n, n_features=5, centers=_K, cluster_std=1.5, random_state=seed)
    X = np.empty((n, m), dtype=np.int32)
    for j in range(m):
        centers = points[rng.choice(n, size=rng.integers(2, 21), replace=False)]
        X[:, j] = ((points[:, None] - centers) ** 2).sum(axis=-1).argmin(axis=1)
    if missing:
        X[rng.random(X.shape) < missing] = -1
    return X, truth


def _score(labels, truth):
    return {"ari": round(float(adjusted_rand_score(truth, labels)), 3)}


def _ours(name):
    def run(data):
        X, truth = data
        return _score(getattr(partita, name)(_K, random_state=0).fit_predict(X), truth)

    return run


def _spectral_by_hand(data):
    X, truth = data
    S = indicator(X) @ indicator(X).T / X.shape[1]
    model = SpectralClustering(_K, affinity="precomputed", random_state=0)
    return _score(model.fit_predict(S.toarray().astype(float)), truth)


def _coclustering_by_hand(data):
    X, truth = data
    model = SpectralCoclustering(_K, random_state=0).fit(indicator(X).astype(float))
    return _score(model.row_labels_, truth)


def _kmodes(data):
    from kmodes.kmodes import KModes

    X, truth = data
    return _score(KModes(_K, init="Huang", n_init=1, random_state=0).fit_predict(X), truth)


def _stepmix(data):
    from stepmix.stepmix import StepMix

    X, truth = data
    model = StepMix(n_components=_K, measurement="categorical", n_init=1, random_state=0, progress_bar=0, verbose=0)
    return _score(model.fit(X).predict(X), truth)


def _case(n, names, peers, **options):
    contestants = [Contestant(f"partita {name}", _ours(name), repeat=1) for name in names]
    contestants += [Contestant(name, run, repeat=1) for name, run in peers]
    label = f"{n:,} x 20" + (", 30 % missing" if options else "")
    return Case(
        f"{label}, {names[0]}", lambda: _blobs(n, **options), contestants, answer=lambda value: value, agree=False
    )


_MIXTURES = [("stepmix", _stepmix), ("kmodes", _kmodes)]

BENCHMARK: Benchmark = [
    _case(1_000, ["CSPA"], [("scikit-learn on the dense matrix", _spectral_by_hand)]),
    _case(5_000, ["CSPA"], [("scikit-learn on the dense matrix", _spectral_by_hand)]),
    _case(5_000, ["HBGF"], [("scikit-learn co-clustering", _coclustering_by_hand)]),
    _case(5_000, ["MultinomialMixture", "LabelKMeans"], _MIXTURES),
    _case(5_000, ["MCLA", "HGPA", "HBGF", "CSPA", "CumulativeVoting", "NMFConsensus"], [], missing=0.3),
    _case(100_000, ["MCLA", "HBGF", "HGPA", "CumulativeVoting"], [], missing=0.3),
    _case(100_000, ["CSPA", "NMFConsensus"], []),
]
