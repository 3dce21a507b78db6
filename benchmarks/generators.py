"""Ensembles from features: U-SPEC against spectral clustering, growth with the objects, the consensus on top.

ARI is against the classes; USENC combines. Contestants have one thread each.
"""

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_digits, make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

import partita
from benchmarks._harness import Benchmark, Case, Contestant

_FEATURES = 10


def _clouds(n):
    """Thirty Gaussian clouds."""
    rng = np.random.default_rng(0)
    centers = rng.uniform(-10, 10, (30, _FEATURES))
    return centers[rng.integers(30, size=n)] + rng.standard_normal((n, _FEATURES))


def _shape(labels):
    return {"clusterings": int(labels.shape[1]), "k": int(labels.max()) + 1}


def _makes(name, *arguments, **options):
    def run(features):
        return getattr(partita, name)(*arguments, random_state=0, **options).fit_transform(features)

    return run


def _growth(n, names):
    contestants = [Contestant(f"partita {name}, 20", _makes(name, 20), repeat=1) for name in names]
    return Case(f"{n:,} x {_FEATURES}", lambda: _clouds(n), contestants, answer=_shape, agree=False)


# -------------------------------------------------------------------------------------------- against one spectral cut
def _moons(n):
    return make_moons(n, noise=0.08, random_state=0)


def _one_cut(data):
    features, truth = data
    labels = partita.USpecEnsemble(1, 2, random_state=0).fit_transform(features)[:, 0]
    return {"ari": round(adjusted_rand_score(truth, labels), 3)}


def _scikit_learn(data):
    features, truth = data
    model = SpectralClustering(2, affinity="nearest_neighbors", random_state=0)
    return {"ari": round(adjusted_rand_score(truth, model.fit_predict(features)), 3)}


def _against_spectral(n):
    contestants = [Contestant("partita U-SPEC", _one_cut, 1), Contestant("sklearn spectral", _scikit_learn, 1)]
    return Case(f"moons {n:,}, one", lambda: _moons(n), contestants, answer=lambda value: value, agree=False)


# ----------------------------------------------------------------------------------------------- the consensus on top
_DATA = {
    "digits": lambda: load_digits(return_X_y=True),
    "moons 2,000": lambda: make_moons(2000, noise=0.15, random_state=0),
    "circles 2,000": lambda: make_circles(2000, noise=0.08, factor=0.5, random_state=0),
    "blobs 2,000": lambda: make_blobs(2000, centers=8, n_features=5, cluster_std=2.5, random_state=0),
}
_GENERATORS = {
    "uspec": ("USpecEnsemble", {}),
    "anchor": ("AnchorEnsemble", {}),
    "kmeans": ("KMeansEnsemble", {"n_clusterings": 20}),
    "projection": ("ProjectionEnsemble", {"n_clusterings": 20}),
    "subspace": ("ProjectionEnsemble", {"n_clusterings": 20, "kind": "subspace"}),
    "line": ("WeakEnsemble", {}),
    "hyperplanes": ("WeakEnsemble", {"kind": "hyperplanes"}),
}


def _combined(name, options):
    def run(data):
        features, truth = data
        labels = getattr(partita, name)(**options, random_state=0).fit_transform(features)
        k = len(np.unique(truth))
        found = {
            method: getattr(partita, method)(k, random_state=0).fit_predict(labels) for method in ("USENC", "LWGP")
        }
        return {method: round(adjusted_rand_score(truth, answer), 3) for method, answer in found.items()}

    return run


def _on(data):
    contestants = [Contestant(name, _combined(*made), repeat=1) for name, made in _GENERATORS.items()]
    return Case(data, _DATA[data], contestants, answer=lambda value: value, agree=False)


BENCHMARK: Benchmark = [
    *(_growth(n, ("USpecEnsemble", "AnchorEnsemble")) for n in (10_000, 100_000, 1_000_000)),
    *(_against_spectral(n) for n in (2_000, 10_000)),
    *(_on(data) for data in _DATA),
]
