"""Affinity propagation as a base clusterer: its preference is searched for, so that it finds k clusters (eq. R17)."""

from collections.abc import Sequence

import numpy as np
from sklearn.cluster import AffinityPropagation
from sklearn.metrics import euclidean_distances

from partita._memory import ensure_memory
from partita._typing import FloatArray
from partita.generation._base_clusterings import FoundClusters

_TRIES = 20  # number of preferences tried: 20 bisections narrow the range of its logarithm a million times
_DAMPING = 0.8  # of the messages; scikit-learn's default 0.5 oscillates more where there are few exemplars
_STEPS = 500  # per try, above scikit-learn's 200, because damped messages converge more slowly


def cluster_by_affinity(X: FloatArray, ks: Sequence[int], seed: int) -> list[FoundClusters]:
    """Affinity propagation with the preference that gives k exemplars, or the number nearest to k."""
    n = len(X)
    ensure_memory(40 * n * n, purpose=f"affinity propagation of {n} objects", instead="take a smaller sample_fraction.")
    similarity = -euclidean_distances(X, squared=True)
    return [_search_preference(similarity, k, seed) for k in ks]


def _search_preference(similarity: FloatArray, k: int, seed: int) -> FoundClusters:
    """Bisection: a higher preference gives more exemplars, n of them at the highest similarity."""
    different = similarity[similarity < 0]
    low, high = (float(different.min()) * len(similarity), float(different.max())) if len(different) else (-1.0, -1.0)
    best, best_gap = FoundClusters(np.full(len(similarity), -1), converged=False), np.inf
    for _ in range(_TRIES):
        middle = -np.sqrt(low * high)  # bisection on the log scale
        model = AffinityPropagation(
            affinity="precomputed", preference=middle, damping=_DAMPING, max_iter=_STEPS, random_state=seed
        ).fit(similarity)
        n_found = len(np.unique(model.labels_[model.labels_ >= 0]))
        settled = n_found > 0
        if settled and abs(n_found - k) < best_gap:
            best, best_gap = FoundClusters(np.asarray(model.labels_)), abs(n_found - k)
        if best_gap == 0:
            break
        low, high = (middle, high) if settled and n_found < k else (low, middle)
    return best
