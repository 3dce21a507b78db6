"""The base clusterers of an ensemble: each takes (X, numbers of clusters, seed) and gives one ``Found`` a number.

| name                            | clusterer                                                | cost           |
|---------------------------------|----------------------------------------------------------|----------------|
| single, average, complete, ward, centroid | linkage of the objects, by SciPy                | n^2 d          |
| kmeans                          | k-means from random objects, by scikit-learn             | n k d a sweep  |
| spectral                        | Ng, Jordan and Weiss on the graph of nearest neighbours  | n k^2          |
| fuzzy                           | fuzzy c-means, each object to its nearest centre         | n k d a sweep  |
| affinity                        | affinity propagation; its preference is searched for k   | n^2 a sweep    |
| metis                           | METIS on the graph of nearest neighbours (extra graph)   | n log n        |
| gmm                             | Gaussian mixture, by scikit-learn                        | n k d^2        |
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from sklearn.base import clone
from sklearn.cluster import AffinityPropagation, KMeans, MiniBatchKMeans
from sklearn.metrics import euclidean_distances, pairwise_distances_argmin
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import kneighbors_graph

from partita._memory import ensure_memory
from partita._optional import require
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.graph._graph_partition import PartitionerSettings, partition_graph
from partita.consensus.pairwise._evidence_accumulation import cut_tree
from partita.generation._fuzzy_cmeans import fuzzy_cmeans
from partita.generation._runs import Clusterer, Found

_NEIGHBOURS = 10  # of the graphs for spectral and metis
_SCALE = 7  # the neighbour whose distance is an object's scale (Zelnik-Manor and Perona, 2004)
_TRIES = 20  # of a preference for affinity propagation
_DAMPING = 0.8  # of its messages: with less it oscillates where exemplars are few


def by_linkage(X: FloatArray, ks: Sequence[int], seed: int, *, method: Any) -> list[Found]:
    """Cut one tree at every number of clusters, by undoing merges: inversions of centroid linkage do no harm."""
    n = len(X)
    ensure_memory(8 * n * n, purpose=f"{method} linkage of {n} objects", instead="take a smaller sample_fraction.")
    tree = linkage(X, method=method)
    return [Found(cut_tree(tree, n - k)) for k in ks]


def by_kmeans(
    X: Any, ks: Sequence[int], seed: int, *, init: str = "random", max_iter: int = 1000, minibatch: bool = False
) -> list[Found]:
    """k-means, one start. Clusters that end empty are not there."""
    found = []
    for k in ks:
        kind = MiniBatchKMeans if minibatch else KMeans
        model = kind(k, init=init, n_init=1, max_iter=max_iter, random_state=seed).fit(X)
        converged = minibatch or model.n_iter_ < max_iter
        found.append(by_centres(nearest_centre, model.cluster_centers_, model.labels_, converged, model.n_iter_))
    return found


def nearest_centre(centres: FloatArray, X: Any) -> IntArray:
    """Place of the nearest centre."""
    return np.asarray(pairwise_distances_argmin(X, centres), dtype=np.int64)


def by_centres(
    place: Callable[[FloatArray, Any], IntArray], centres: FloatArray, labels: Array, converged: bool, n_iter: int
) -> Found:
    """A clustering by centres; one that no object went to is not there for new objects either."""
    used, numbered = np.unique(labels, return_inverse=True)
    return Found(numbered, partial(place, np.ascontiguousarray(centres[used])), converged, n_iter)


def by_fuzzy_cmeans(X: FloatArray, ks: Sequence[int], seed: int) -> list[Found]:
    """Fuzzy c-means, hardened."""
    found = []
    for k in ks:
        fuzzy = fuzzy_cmeans(X, k, seed)
        labels = nearest_centre(fuzzy.centres, X)
        found.append(by_centres(nearest_centre, fuzzy.centres, labels, fuzzy.converged, len(fuzzy.history)))
    return found


def by_gaussian_mixture(X: FloatArray, ks: Sequence[int], seed: int) -> list[Found]:
    """Gaussian mixture with full covariances, each object to its most probable component."""
    found = []
    for k in ks:
        model = GaussianMixture(k, random_state=seed, max_iter=200).fit(X)
        used, labels = np.unique(model.predict(X), return_inverse=True)
        found.append(Found(labels, partial(_most_probable, model, used), model.converged_, model.n_iter_))
    return found


def _most_probable(model: GaussianMixture, used: IntArray, X: Any) -> IntArray:
    """Most probable of the components that have objects."""
    return np.asarray(model.predict_proba(X)[:, used].argmax(axis=1), dtype=np.int64)


def by_spectral(X: FloatArray, ks: Sequence[int], seed: int) -> list[Found]:
    """Ng, Jordan and Weiss on the graph of nearest neighbours."""
    W = neighbour_graph(X)
    each = np.ones(len(X))
    return [Found(partition_graph(W, k, each, PartitionerSettings("spectral", seed=seed)).labels) for k in ks]


def by_metis(X: FloatArray, ks: Sequence[int], seed: int) -> list[Found]:
    """METIS on the graph of nearest neighbours; parts are balanced to 5 %."""
    require("pymetis", extra="graph", purpose="the base clusterer 'metis'")
    W = neighbour_graph(X)
    each = np.ones(len(X))
    return [Found(partition_graph(W, k, each, PartitionerSettings("metis", 0.05, seed)).labels) for k in ks]


def neighbour_graph(X: FloatArray) -> Any:
    """Symmetric graph of nearest neighbours with weights exp(-d_ij^2 / (s_i s_j)), s_i the distance to the 7th."""
    distance = kneighbors_graph(X, min(_NEIGHBOURS, len(X) - 1), mode="distance")
    by_row = np.sort(distance.data.reshape(len(X), -1), axis=1)
    scale = by_row[:, min(_SCALE, by_row.shape[1]) - 1]
    positive = scale[scale > 0].min(initial=np.inf)
    scale = np.maximum(scale, positive if np.isfinite(positive) else 1.0)  # objects that coincide have no scale
    graph = sparse.coo_array(distance)
    rows, columns = graph.coords
    weight = np.exp(-(graph.data**2) / (scale[rows] * scale[columns])) + 1e-6  # neighbours stay joined, however far
    W = sparse.csr_array((weight, (rows, columns)), shape=graph.shape)
    return W.maximum(W.T)


def by_affinity_propagation(X: FloatArray, ks: Sequence[int], seed: int) -> list[Found]:
    """Affinity propagation with the preference, found by bisection, that gives k exemplars or comes nearest to it."""
    n = len(X)
    ensure_memory(40 * n * n, purpose=f"affinity propagation of {n} objects", instead="take a smaller sample_fraction.")
    similarity = -euclidean_distances(X, squared=True)
    return [_search_preference(similarity, k, seed) for k in ks]


def _search_preference(similarity: FloatArray, k: int, seed: int) -> Found:
    """More exemplars come with a higher preference: from n for the highest similarity to few far below the lowest."""
    different = similarity[similarity < 0]
    low, high = (float(different.min()) * len(similarity), float(different.max())) if len(different) else (-1.0, -1.0)
    best, best_gap = Found(np.full(len(similarity), -1), converged=False), np.inf
    for _ in range(_TRIES):
        middle = -np.sqrt(low * high)  # bisection on the log scale
        model = AffinityPropagation(
            affinity="precomputed", preference=middle, damping=_DAMPING, max_iter=500, random_state=seed
        ).fit(similarity)
        n_found = len(np.unique(model.labels_[model.labels_ >= 0]))
        settled = n_found > 0
        if settled and abs(n_found - k) < best_gap:
            best, best_gap = Found(np.asarray(model.labels_)), abs(n_found - k)
        if best_gap == 0:
            break
        low, high = (middle, high) if settled and n_found < k else (low, middle)
    return best


def by_estimator(X: Any, ks: Sequence[int | None], seed: int, *, estimator: Any) -> list[Found]:
    """Any clusterer in the manner of scikit-learn; noise (-1) is in no cluster."""
    found = []
    for k in ks:
        model = set_seeds(clone(estimator), seed)
        if k is not None:
            model.set_params(**{number_parameter(estimator) or "": k})
        labels = np.asarray(model.fit_predict(X))
        place = getattr(model, "predict", None)
        if labels.dtype.kind not in "biuf":  # names of clusters
            labels, place = np.unique(labels, return_inverse=True)[1], None
        found.append(Found(labels, place, _has_converged(model)))
    return found


def set_seeds(estimator: Any, seed: int) -> Any:
    """Give every part of an estimator that has none a seed."""
    parameters = estimator.get_params()
    unset = [name for name in parameters if name.split("__")[-1] == "random_state" and parameters[name] is None]
    return estimator.set_params(**dict.fromkeys(unset, seed))


def is_random(estimator: Any) -> bool:
    """Whether a clusterer, or a part of it, takes a seed."""
    return any(name.split("__")[-1] == "random_state" for name in estimator.get_params())


def number_parameter(estimator: Any) -> str | None:
    """Name of the parameter that sets the number of clusters, where there is one; of a pipeline that of a part."""
    known = estimator.get_params(deep=False)
    own = next((name for name in ("n_clusters", "n_components") if name in known), None)
    nested = [name for name in estimator.get_params() if name.endswith("__n_clusters")]
    return own if own is not None else nested[0] if len(nested) == 1 else None


def _has_converged(model: Any) -> bool:
    """As far as the fitted clusterer tells."""
    if hasattr(model, "converged_"):
        return bool(model.converged_)
    n_iter, max_iter = getattr(model, "n_iter_", None), model.get_params(deep=False).get("max_iter")
    batches = "batch_size" in model.get_params(deep=False)  # mini-batches stop when their number is up
    return n_iter is None or max_iter is None or batches or bool(np.max(n_iter) < max_iter)


TREES = ("single", "average", "complete", "ward", "centroid")
BASE_CLUSTERERS: dict[str, Clusterer] = {
    **{name: partial(by_linkage, method=name) for name in TREES},
    "kmeans": by_kmeans,
    "spectral": by_spectral,
    "fuzzy": by_fuzzy_cmeans,
    "affinity": by_affinity_propagation,
    "metis": by_metis,
    "gmm": by_gaussian_mixture,
}

# give the same every time, so that they are run once unless they see different samples of the objects
DETERMINISTIC = frozenset({*TREES, "affinity"})
