"""Ensembles, DP-means, the Dirichlet-process mixture and validity indices of features, against the plain way."""

import numpy as np
from scipy.spatial.distance import cdist
from sklearn import metrics as sk
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import partita
from benchmarks._harness import Benchmark, Case, Contestant
from partita import metrics


def _blobs(n, d=10, k=30, std=2.0):
    return lambda: make_blobs(n, d, centers=k, cluster_std=std, random_state=0)


def _rounded(value):
    return round(float(value), 8)


def _simplified_by_hand(data):
    X, y = data
    centres = np.array([X[y == c].mean(axis=0) for c in range(y.max() + 1)])
    distance = cdist(X, centres)
    own = distance[np.arange(len(y)), y].copy()
    distance[np.arange(len(y)), y] = np.inf
    other = distance.min(axis=1)
    return ((other - own) / np.maximum(own, other)).mean()


def _dunn_by_hand(data):
    X, y = data
    distance = cdist(X, X)
    same = y[:, None] == y
    return distance[~same].min() / distance[same].max()


def _dp_means_by_hand(data):
    """The sweep of the paper, one point after another; the distances to all centres in one NumPy call."""
    X, _ = data
    lam = partita.dirichlet_process.farthest_first_lambda(X, 30)
    centres, labels = X.mean(axis=0)[None], np.zeros(len(X), dtype=int)
    for _ in range(300):
        before = labels.copy()
        for i, x in enumerate(X):
            squared = ((centres - x) ** 2).sum(axis=1)
            nearest = int(squared.argmin())
            if squared[nearest] > lam:
                centres, nearest = np.vstack([centres, x]), len(centres)
            labels[i] = nearest
        labels = np.unique(labels, return_inverse=True)[1]
        centres = np.array([X[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
        if (labels == before).all():
            break
    return {"k": len(centres)}


def _neal_by_hand(data):
    """Ten sweeps of Neal's algorithm 2 with sigma = 4, rho = 40, alpha = 1."""
    X = data[0] - data[0].mean(axis=0)
    rng, sigma, rho = np.random.default_rng(0), 4.0, 40.0
    n, d = X.shape
    z, means = np.zeros(n, dtype=int), X[:1].copy()
    for _ in range(10):
        for i, x in enumerate(X):
            z[i] = -1
            size = np.bincount(z[z >= 0], minlength=len(means))
            new = -0.5 * d * np.log(rho + sigma) - 0.5 * x @ x / (rho + sigma)
            with np.errstate(divide="ignore"):
                log_p = np.log(size) - 0.5 * d * np.log(sigma) - 0.5 * ((means - x) ** 2).sum(axis=1) / sigma
            log_p = np.append(log_p, new)
            p = np.cumsum(np.exp(log_p - log_p.max()))
            z[i] = np.searchsorted(p, rng.random() * p[-1])
            if z[i] == len(means):
                mean = x / (1 + sigma / rho) + np.sqrt(sigma * rho / (sigma + rho)) * rng.standard_normal(d)
                means = np.vstack([means, mean])
        z = np.unique(z, return_inverse=True)[1]
        size = np.bincount(z)
        centroid = np.array([X[z == c].mean(axis=0) for c in range(len(size))])
        spread = np.sqrt(sigma * rho / (sigma + rho * size))[:, None]
        means = centroid / (1 + sigma / (rho * size))[:, None] + spread * rng.standard_normal(centroid.shape)
    return {"k": len(means)}


def _neal(data):
    model = partita.DPGaussianMixture(1.0, 4.0, 40.0, n_sweeps=10, n_chains=1, random_state=0)
    return {"k": int(model.fit(data[0]).n_clusters_trace_[0, -1])}


def _ensemble(data):
    return partita.KMeansEnsemble(10, [20], random_state=0).fit_transform(data[0])


def _ensemble_by_hand(data):
    seeds = np.random.RandomState(0).randint(2**31 - 1, size=10)
    runs = [KMeans(20, init="random", n_init=1, random_state=int(seed)).fit(data[0]).labels_ for seed in seeds]
    return np.column_stack(runs)


BENCHMARK: Benchmark = [
    Case(
        "silhouette, n=20,000 d=10",
        _blobs(20_000),
        [
            Contestant("partita", lambda data: metrics.silhouette_score(*data), 1),
            Contestant("scikit-learn", lambda data: sk.silhouette_score(*data), 1),
        ],
        _rounded,
    ),
    Case(
        "simplified silhouette, n=100,000 d=10",
        _blobs(100_000),
        [
            Contestant("partita", lambda data: metrics.silhouette_score(*data, "simplified")),
            Contestant("SciPy's cdist by hand", _simplified_by_hand),
        ],
        _rounded,
    ),
    Case(
        "Dunn's index, n=10,000 d=10",
        _blobs(10_000),
        [
            Contestant("partita", lambda data: metrics.dunn_score(*data), 1),
            Contestant("SciPy's cdist by hand", _dunn_by_hand, 1),
        ],
        _rounded,
    ),
    Case(
        "DP-means, n=20,000 d=10",
        _blobs(20_000),
        [
            Contestant(
                "partita", lambda data: {"k": partita.DPMeans(n_clusters=30, n_init=1).fit(data[0]).n_clusters_}
            ),
            Contestant("NumPy, a point at a time", _dp_means_by_hand, 1),
        ],
        lambda found: found,
    ),
    Case(
        "Neal's algorithm 2, n=2,000 d=10, 10 sweeps",
        _blobs(2_000, k=8),
        [Contestant("partita", _neal), Contestant("NumPy, a point at a time", _neal_by_hand, 1)],
        lambda found: found,
        agree=False,  # different random numbers
    ),
    Case(
        "10 k-means of 100,000 x 10, k=20",
        _blobs(100_000),
        [
            Contestant("partita", _ensemble, 1),
            Contestant("scikit-learn in a loop", _ensemble_by_hand, 1),
        ],
        lambda labels: int((labels * np.arange(1, 11)).sum()),
    ),
]
