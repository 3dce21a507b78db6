"""Two classical internal indices, by scikit-learn, with values where scikit-learn has none (eqs. I31, I32).

Internal indices judge a partition by the features of its objects alone. Notation: n points, k clusters, centroids.
"""

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn import metrics as sk

from partita._memory import ensure_memory
from partita.metrics._clustered import Clustered, check_clustered


def calinski_harabasz_score(X: Any, labels: Any) -> float:
    """Variance ratio criterion: spread between clusters over spread within, (tr B / tr W) (n - k) / (k - 1).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features, finite numbers.
    labels : array-like of shape (n_samples,)
        The partition; objects that are -1 (or NaN, None) are left out, with a warning.

    Returns
    -------
    score : float >= 0
        Higher is better. NaN if k = 1 or k = n; infinite if each cluster is one point repeated (NaN if there is only
        one such point).

    Notes
    -----
    tr W and tr B are sums of squares within and between clusters; their sum does not depend on the partition.
    Cost O(n d).

    References
    ----------
    T. Calinski and J. Harabasz, "A dendrite method for cluster analysis", Communications in Statistics 3, 1974.

    Examples
    --------
    >>> from partita.metrics import calinski_harabasz_score
    >>> calinski_harabasz_score([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1])
    162.0
    """
    return variance_ratio(check_clustered(X, labels))


def variance_ratio(clusters: Clustered) -> float:
    """The index of points that were checked before."""
    n, k = len(clusters.points), clusters.n_clusters
    if k == 1 or k == n:
        return np.nan
    if np.array_equal(clusters.points, clusters.centroids[clusters.cluster]):  # W = 0
        return np.inf if np.ptp(clusters.points, axis=0).any() else np.nan
    return float(sk.calinski_harabasz_score(clusters.points, clusters.cluster))


def davies_bouldin_score(X: Any, labels: Any) -> float:
    """Mean over clusters of the worst (spread + spread) / distance with another cluster. LOWER is better.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features, finite numbers.
    labels : array-like of shape (n_samples,)
        The partition; objects that are -1 (or NaN, None) are left out, with a warning.

    Returns
    -------
    score : float >= 0
        Lower is better. NaN if k = 1; infinite if two centroids coincide; 0 if each cluster is one point repeated.

    Notes
    -----
    With s_i the mean distance of the points of cluster i to its centroid m_i,
    (1 / k) sum_i max_{j != i} (s_i + s_j) / ||m_i - m_j||. Cost O(n d + k^2 d).

    References
    ----------
    D. Davies and D. Bouldin, "A cluster separation measure", IEEE Transactions on Pattern Analysis and Machine
    Intelligence 1, 1979.

    Examples
    --------
    >>> from partita.metrics import davies_bouldin_score
    >>> round(davies_bouldin_score([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1]), 3)
    0.111
    """
    return davies_bouldin(check_clustered(X, labels))


def davies_bouldin(clusters: Clustered) -> float:
    """The index of points that were checked before."""
    n, k = len(clusters.points), clusters.n_clusters
    if k == 1:
        return np.nan
    ensure_memory(5 * 8 * k * k, purpose=f"distances of {k} x {k} centroids", instead="merge clusters.")
    between = squareform(pdist(clusters.centroids))
    same = np.maximum.outer(clusters.rounding, clusters.rounding)
    if (between <= same)[~np.eye(k, dtype=bool)].any():
        return np.inf
    from_own = np.linalg.norm(clusters.points - clusters.centroids[clusters.cluster], axis=1)
    spread = np.bincount(clusters.cluster, from_own) / clusters.sizes
    if k == n or (spread <= clusters.rounding).all():
        return 0.0
    # scikit-learn takes distances below 1e-8 for 0: in this unit the largest of each kind is at least 1
    unit = min(spread.max(), between.max())
    return float(sk.davies_bouldin_score(clusters.points / unit, clusters.cluster))
