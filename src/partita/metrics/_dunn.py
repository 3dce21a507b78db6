"""Dunn's index in its 18 forms: six distances between clusters over three diameters (eqs. I33, I34, I35, I36)."""

from typing import Any, Literal

import numpy as np
import pandas as pd

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

Separation = Literal["single", "complete", "average", "centroid", "hybrid", "hausdorff"]
Diameter = Literal["max", "mean", "centroid"]
SEPARATIONS: tuple[Separation, ...] = ("single", "complete", "average", "centroid", "hybrid", "hausdorff")
DIAMETERS: tuple[Diameter, ...] = ("max", "mean", "centroid")
_BY_CENTROIDS = ("centroid", "hybrid")


def dunn_score(
    X: Any,
    labels: Any,
    separation: Separation = "single",
    diameter: Diameter = "max",
    *,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> float:
    """Dunn's index: the smallest distance between two clusters over the largest diameter of a cluster.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features, finite numbers.
    labels : array-like of shape (n_samples,)
        The partition; objects that are -1 (or NaN, None) are left out, with a warning.
    separation : str, default="single"
        Distance between clusters p and q:

        - "single", "complete", "average": smallest, largest, mean distance between a point of p and one of q;
        - "centroid": distance between the centroids;
        - "hybrid": mean distance of all points of p and q to the centroid of the other cluster;
        - "hausdorff": largest distance from a point of one cluster to the nearest point of the other.
    diameter : {"max", "mean", "centroid"}, default="max"
        Largest distance within a cluster, mean distance within it, or twice the mean distance to its centroid.
        That of a single point is 0.
    metric : {"euclidean", "sqeuclidean", "cityblock", "chebyshev"}, default="euclidean"
        Distance between two points. The centroid is always the mean.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.

    Returns
    -------
    score : float >= 0
        Higher is better. NaN if there is one cluster. If all diameters are 0 (as for singletons) it is infinite,
        or NaN if two clusters coincide.

    Notes
    -----
    The defaults are the index of the paper. Cost O(n^2 d) time, but O(n k d) if both ``separation`` and ``diameter``
    need centroids only; no n x n array is made.

    References
    ----------
    J. C. Dunn, "Well-separated clusters and optimal fuzzy partitions", Journal of Cybernetics 4, 1974;
    J. C. Bezdek and N. R. Pal, "Some new indexes of cluster validity", IEEE Transactions on Systems, Man, and
    Cybernetics B 28, 1998.

    Examples
    --------
    >>> from partita.metrics import dunn_score
    >>> X = [[0.0], [1.0], [9.0], [11.0]]
    >>> dunn_score(X, [0, 0, 1, 1]), dunn_score(X, [0, 0, 1, 1], "centroid", "mean")
    (4.0, 4.75)
    """
    check_choice("separation", separation, SEPARATIONS)
    check_choice("diameter", diameter, DIAMETERS)
    check_metric(metric)
    clusters = check_clustered(X, labels)
    if clusters.n_clusters == 1:
        return np.nan
    pairs = centroids = None
    if separation not in _BY_CENTROIDS or diameter != "centroid":
        pairs = pair_tables(clusters, metric, n_jobs)
    if separation in _BY_CENTROIDS or diameter == "centroid":
        centroids = centroid_tables(clusters, metric, n_jobs)
    return dunn_index(clusters, pairs, centroids, separation, diameter)


def dunn_scores(X: Any, labels: Any, *, metric: Metric = "euclidean", n_jobs: int | None = None) -> pd.DataFrame:
    """All 18 forms of Dunn's index, from one pass over the pairs of points.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features, finite numbers.
    labels : array-like of shape (n_samples,)
        The partition; objects that are -1 (or NaN, None) are left out, with a warning.
    metric : {"euclidean", "sqeuclidean", "cityblock", "chebyshev"}, default="euclidean"
        Distance between two points.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.

    Returns
    -------
    scores : DataFrame of 6 separations (rows) by 3 diameters (columns)
        See :func:`dunn_score`. Higher is better.

    Examples
    --------
    >>> from partita.metrics import dunn_scores
    >>> dunn_scores([[0.0], [1.0], [9.0], [11.0]], [0, 0, 1, 1]).loc["single"].tolist()
    [4.0, 4.0, 4.0]
    """
    check_metric(metric)
    clusters = check_clustered(X, labels)
    values = np.full((len(SEPARATIONS), len(DIAMETERS)), np.nan)
    if clusters.n_clusters > 1:
        pairs, centroids = pair_tables(clusters, metric, n_jobs), centroid_tables(clusters, metric, n_jobs)
        values[:] = [[dunn_index(clusters, pairs, centroids, s, d) for d in DIAMETERS] for s in SEPARATIONS]
    rows, columns = pd.Index(SEPARATIONS, name="separation"), pd.Index(DIAMETERS, name="diameter")
    return pd.DataFrame(values, index=rows, columns=columns)


def dunn_index(
    clusters: Clustered,
    pairs: PairTables | None,
    centroids: CentroidTables | None,
    separation: Separation,
    diameter: Diameter,
) -> float:
    """One form, for two clusters or more, from the tables that it needs; the other table may be None."""
    between = ~np.eye(clusters.n_clusters, dtype=bool)
    apart = _separations(clusters, pairs, centroids, separation)[between].min()
    wide = _diameters(clusters, pairs, centroids, diameter).max()
    if wide == 0:
        return np.inf if apart > 0 else np.nan
    return float(apart / wide)


def _separations(clusters: Clustered, pairs: Any, centroids: Any, separation: Separation) -> FloatArray:
    """Distance between clusters, (k, k)."""
    sizes = clusters.sizes.astype(np.float64)
    tables = {
        "single": lambda: pairs.smallest,
        "complete": lambda: pairs.largest,
        "average": lambda: pairs.sums / np.outer(sizes, sizes),
        "centroid": lambda: centroids.between,
        "hybrid": lambda: (centroids.sums + centroids.sums.T) / np.add.outer(sizes, sizes),
        "hausdorff": lambda: np.maximum(pairs.reach, pairs.reach.T),
    }
    table: FloatArray = tables[separation]()
    return table


def _diameters(clusters: Clustered, pairs: Any, centroids: Any, diameter: Diameter) -> FloatArray:
    """Diameter of each cluster, (k,)."""
    sizes = clusters.sizes
    tables = {
        "max": lambda: pairs.largest.diagonal(),
        "mean": lambda: pairs.sums.diagonal() / np.maximum(sizes * (sizes - 1), 1),  # ordered pairs
        "centroid": lambda: 2 * centroids.sums.diagonal() / sizes,
    }
    table: FloatArray = tables[diameter]()
    return table
