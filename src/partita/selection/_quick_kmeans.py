"""k-means for thousands of small data sets."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from partita._kernels.kmeans import lloyd
from partita._typing import FloatArray, IntArray

_MAX_ITER = 300


class QuickKMeans(ClusterMixin, BaseEstimator):
    """k-means, the best of several starts by greedy k-means++: as scikit-learn's, without its preparations."""

    def __init__(self, n_clusters: int = 8, *, n_init: int = 3, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: FloatArray, y: Any = None) -> "QuickKMeans":
        """Find the clusters of points that have been checked."""
        points = np.ascontiguousarray(X, dtype=np.float64)
        n_trials = 2 + int(np.log(self.n_clusters))
        uniform = np.random.default_rng(self.random_state).random((self.n_init, self.n_clusters, n_trials))
        self.inertia_ = np.inf
        for start in uniform:
            centers = np.empty((self.n_clusters, points.shape[1]))
            labels: IntArray = np.empty(len(points), dtype=np.int64)
            inertia, _ = lloyd(points, start, _MAX_ITER, centers, labels)
            if inertia < self.inertia_:
                self.labels_, self.cluster_centers_, self.inertia_ = labels, centers, inertia
        return self
