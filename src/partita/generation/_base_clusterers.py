"""The base clusterers by name: each takes (X, numbers of clusters, seed) and gives ``FoundClusters`` for each number.

| name                            | clusterer                                                | cost              |
|---------------------------------|----------------------------------------------------------|-------------------|
| single, average, complete, ward, centroid | linkage of the objects, by SciPy               | n^2 d             |
| kmeans                          | k-means from random objects, by scikit-learn             | n k d per step    |
| spectral                        | Ng, Jordan and Weiss on the graph of nearest neighbours  | n k^2             |
| fuzzy                           | fuzzy c-means, each object to its nearest centre         | n k d per step    |
| affinity                        | affinity propagation with a preference that gives k      | n^2 per step      |
| metis                           | METIS on the graph of nearest neighbours (extra graph)   | n log n           |
| gmm                             | Gaussian mixture, by scikit-learn                        | n k d^2 per step  |
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.sparse import issparse
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.metrics import pairwise_distances_argmin
from sklearn.mixture import GaussianMixture

from partita._memory import ensure_memory
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.pairwise._evidence_accumulation import cut_tree
from partita.generation._affinity_propagation import cluster_by_affinity
from partita.generation._base_clusterings import BaseClusterer, FoundClusters
from partita.generation._fuzzy_cmeans import fuzzy_cmeans
from partita.generation._neighbour_graph import cluster_by_metis, cluster_by_spectral

_MIXTURE_STEPS = 200  # twice scikit-learn's limit: a mixture that has not converged is left out of the ensemble


def cluster_by_linkage(X: FloatArray, ks: Sequence[int], seed: int, *, method: Any) -> list[FoundClusters]:
    """Cut one tree at every number of clusters by undoing merges, which inversions of the heights cannot disturb."""
    n = len(X)
    ensure_memory(8 * n * n, purpose=f"{method} linkage of {n} objects", instead="take a smaller sample_fraction.")
    tree = linkage(X, method=method)
    return [FoundClusters(cut_tree(tree, n - k)) for k in ks]


def cluster_by_kmeans(
    X: Any, ks: Sequence[int], seed: int, *, init: str = "random", max_iter: int = 1000, minibatch: bool = False
) -> list[FoundClusters]:
    """k-means from one start (eq. R8)."""
    found = []
    for k in ks:
        kind = MiniBatchKMeans if minibatch else KMeans
        model = kind(k, init=init, n_init=1, max_iter=max_iter, random_state=seed).fit(X)
        converged = minibatch or model.n_iter_ < max_iter
        found.append(_with_centers(model.cluster_centers_, model.labels_, converged, model.n_iter_))
    return found


def cluster_by_fuzzy_cmeans(X: FloatArray, ks: Sequence[int], seed: int) -> list[FoundClusters]:
    """Fuzzy c-means, each object to its nearest centre (eq. R16)."""
    found = []
    for k in ks:
        fuzzy = fuzzy_cmeans(X, k, seed)
        labels = assign_to_centers(X, fuzzy.centers)
        found.append(_with_centers(fuzzy.centers, labels, fuzzy.converged, len(fuzzy.history)))
    return found


def _with_centers(centers: FloatArray, labels: Array, converged: bool, n_iter: int) -> FoundClusters:
    """Clusters with centres; a centre without objects is dropped, so that new objects are not placed there."""
    used, numbered = np.unique(labels, return_inverse=True)
    place = partial(assign_to_centers, centers=np.ascontiguousarray(centers[used]))
    return FoundClusters(numbered, place, converged, n_iter)


def assign_to_centers(X: Any, centers: FloatArray) -> IntArray:
    """Number of the nearest centre of each object."""
    if not issparse(X):  # distances are computed from squares: far from 0 these would lose all digits
        middle = centers.mean(axis=0)
        X, centers = X - middle, centers - middle
    return np.asarray(pairwise_distances_argmin(X, centers), dtype=np.int64)


def cluster_by_gaussian_mixture(X: FloatArray, ks: Sequence[int], seed: int) -> list[FoundClusters]:
    """Gaussian mixture with full covariances, each object to its most probable component (eq. R18)."""
    found = []
    for k in ks:
        model = GaussianMixture(k, random_state=seed, max_iter=_MIXTURE_STEPS).fit(X)
        used, labels = np.unique(model.predict(X), return_inverse=True)
        found.append(FoundClusters(labels, partial(_best_component, model, used), model.converged_, model.n_iter_))
    return found


def _best_component(model: GaussianMixture, used: IntArray, X: Any) -> IntArray:
    """Most probable of the components that have objects."""
    return np.asarray(model.predict_proba(X)[:, used].argmax(axis=1), dtype=np.int64)


TREES = ("single", "average", "complete", "ward", "centroid")
BASE_CLUSTERERS: dict[str, BaseClusterer] = {
    **{name: partial(cluster_by_linkage, method=name) for name in TREES},
    "kmeans": cluster_by_kmeans,
    "spectral": cluster_by_spectral,
    "fuzzy": cluster_by_fuzzy_cmeans,
    "affinity": cluster_by_affinity,
    "metis": cluster_by_metis,
    "gmm": cluster_by_gaussian_mixture,
}

# These give the same result for every seed: they run once, unless each run sees another sample of the objects.
DETERMINISTIC = frozenset({*TREES, "affinity"})
