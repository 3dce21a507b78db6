"""scikit-learn's k-means with a look at the limits of time between two starts.

scikit-learn runs all starts in one call that nothing can stop. Called once per start with the same random stream, and
with its own rule for which start is better, it gives the same bits.
"""

from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from partita._stopping import check_stop
from partita._typing import FloatArray, IntArray

_SHORT = 2_000_000  # numbers, times starts, up to which all starts take well below a second, and run in one call


def fit_kmeans(
    points: FloatArray, weights: FloatArray, n_clusters: int, *, n_init: int, random_state: Any, max_iter: int = 300
) -> Any:
    """The fitted model of the best start."""
    check_stop()
    if points.size * n_init <= _SHORT:
        return KMeans(n_clusters, n_init=n_init, max_iter=max_iter, random_state=random_state).fit(
            points, sample_weight=weights
        )
    stream, best = random_state, None
    if not isinstance(stream, np.random.RandomState):
        stream = np.random.RandomState(random_state)
    for _ in range(n_init):
        check_stop()
        model = KMeans(n_clusters, n_init=1, max_iter=max_iter, random_state=stream)
        model.fit(points, sample_weight=weights)
        if best is None or (model.inertia_ < best.inertia_ and not _is_refined(model.labels_, best.labels_)):
            best = model
    return best


def _is_refined(labels: IntArray, best: IntArray) -> bool:
    """Whether no cluster of ``labels`` has points of several clusters of ``best``: what differs is then rounding."""
    found, first, cluster = np.unique(labels, return_index=True, return_inverse=True)
    del found
    return bool((best[first][cluster] == best).all())
