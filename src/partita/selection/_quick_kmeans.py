"""k-means for thousands of small data sets."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from partita._kernels.kmeans import lloyd
from partita._runs import best_of
from partita._typing import FloatArray, IntArray

_MAX_ITER = 300  # as in scikit-learn


class QuickKMeans(ClusterMixin, BaseEstimator):
    """k-means, the best of several starts by greedy k-means++: scikit-learn's method without its input checks."""

    def __init__(self, n_clusters: int = 8, *, n_init: int = 3, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: FloatArray, y: Any = None) -> "QuickKMeans":
        """Find the clusters of points that were checked before."""
        points = np.ascontiguousarray(X, dtype=np.float64)
        n_trials = 2 + int(np.log(self.n_clusters))
        starts = np.random.default_rng(self.random_state).random((self.n_init, self.n_clusters, n_trials))
        best = best_of(partial(_one_start, points), starts, n_jobs=1, lowest=lambda result: result.inertia)
        self.labels_, self.cluster_centers_, self.inertia_ = best
        return self


class _KMeansResult(NamedTuple):
    labels: IntArray
    centers: FloatArray
    inertia: float


def _one_start(points: FloatArray, uniform: FloatArray) -> _KMeansResult:
    """One start, by the given random numbers (k, n_trials)."""
    centers = np.empty((len(uniform), points.shape[1]))
    labels: IntArray = np.empty(len(points), dtype=np.int64)
    inertia, _ = lloyd(points, uniform, _MAX_ITER, centers, labels)
    return _KMeansResult(labels, centers, inertia)
