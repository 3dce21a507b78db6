"""The silhouette of each object and of a partition, in four variants (eqs. I37, I38, I39)."""

from typing import Any, Literal

import numpy as np

from partita._checks import check_choice
from partita._typing import FloatArray
from partita.metrics._clustered import Clustered, check_clustered
from partita.metrics._distances import (
    CentroidTables,
    Metric,
    PairTables,
    centroid_tables,
    check_metric,
    pair_tables,
)

Variant = Literal["original", "simplified", "alternative", "hybrid"]
BY_PAIRS: tuple[Variant, ...] = ("original", "alternative")
VARIANTS: tuple[Variant, ...] = ("original", "simplified", "alternative", "hybrid")
_RATIOS = ("alternative", "hybrid")
_EPSILON = 1e-6  # keeps b / a finite (eq. I38)


def silhouette_score(
    X: Any,
    labels: Any,
    variant: Variant = "original",
    *,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> float:
    """Mean silhouette of the objects: how much nearer they are to their own cluster than to the next.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features, finite numbers.
    labels : array-like of shape (n_samples,)
        The partition; objects that are -1 (or NaN, None) are left out, with a warning.
    variant : {"original", "simplified", "alternative", "hybrid"}, default="original"
        See :func:`silhouette_samples`.
    metric : {"euclidean", "sqeuclidean", "cityblock", "chebyshev"}, default="euclidean"
        Distance between two points. The centroid is always the mean.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.

    Returns
    -------
    score : float
        Higher is better. In [-1, 1] ("original", "simplified") or not negative and without bound ("alternative",
        "hybrid"). NaN if there is one cluster, 0 if all objects are singletons.

    Notes
    -----
    Cost O(n^2 d) time ("original", "alternative") or O(n k d) ("simplified", "hybrid"); no n x n array is made.

    Examples
    --------
    >>> from partita.metrics import silhouette_score
    >>> round(silhouette_score([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1]), 3)
    0.889
    """
    _, values = _silhouettes(X, labels, variant, metric, n_jobs)
    return float(values.mean())


def silhouette_samples(
    X: Any,
    labels: Any,
    variant: Variant = "original",
    *,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> FloatArray:
    """Silhouette of each object.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features, finite numbers.
    labels : array-like of shape (n_samples,)
        The partition; objects that are -1 (or NaN, None) are left out, with a warning.
    variant : {"original", "simplified", "alternative", "hybrid"}, default="original"
        "original": (b - a) / max(a, b), with a the mean distance to the other objects of the own cluster, and b the
        smallest mean distance to the objects of another. "simplified": a and b are distances to centroids.
        "alternative": b / (a + 1e-6). "hybrid": both changes.
    metric : {"euclidean", "sqeuclidean", "cityblock", "chebyshev"}, default="euclidean"
        Distance between two points.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.

    Returns
    -------
    values : ndarray of shape (n_samples,)
        0 for the only object of a cluster, in all variants; NaN for those left out, and for all if there is
        one cluster.

    References
    ----------
    P. Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation of cluster analysis", Journal of
    Computational and Applied Mathematics 20, 1987; L. Vendramin, R. Campello and E. Hruschka, "Relative clustering
    validity criteria: a comparative overview", Statistical Analysis and Data Mining 3, 2010.

    Examples
    --------
    >>> from partita.metrics import silhouette_samples
    >>> silhouette_samples([[0.0], [1.0], [9.0]], [0, 0, 1]).round(3)
    array([0.889, 0.875, 0.   ])
    """
    clusters, values = _silhouettes(X, labels, variant, metric, n_jobs)
    return clusters.to_objects(values)


def _silhouettes(
    X: Any, labels: Any, variant: Variant, metric: Metric, n_jobs: int | None
) -> tuple[Clustered, FloatArray]:
    check_choice("variant", variant, VARIANTS)
    check_metric(metric)
    clusters = check_clustered(X, labels)
    if clusters.n_clusters == 1:
        return clusters, np.full(len(clusters.points), np.nan)
    make: Any = pair_tables if variant in BY_PAIRS else centroid_tables
    tables = make(clusters, metric, n_jobs, of_clusters=False)
    return clusters, silhouette_values(clusters, tables, variant)


def silhouette_values(clusters: Clustered, tables: PairTables | CentroidTables, variant: Variant) -> FloatArray:
    """Silhouettes of the points of two clusters or more, from the tables of pairs or of centroids."""
    a, b = tables.own, tables.other
    if variant in _RATIOS:
        values = b / (a + _EPSILON)
    else:
        larger = np.maximum(a, b)
        values = np.divide(b - a, larger, out=np.zeros(len(a)), where=larger > 0)
    values[clusters.sizes[clusters.cluster] == 1] = 0.0
    return values
