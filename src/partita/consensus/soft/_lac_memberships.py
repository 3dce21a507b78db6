"""Probabilities of the clusters of labels, from features: the edges of weighted bipartite partitioning (WBPA).

Domeniconi and Al-Razgan (2009) cluster by LAC, whose clusters have weights of the features, turn distances into
probabilities (eqs. G44, G45), and partition the bipartite graph of objects and clusters that they weigh (eq. G46). Here
the clusters are given by any labels; ``SoftHBGF`` partitions the graph.
"""

from typing import Any

import numpy as np

from partita._features import check_points
from partita._labels.validation import check_label_matrix
from partita._runs import check_run, progress
from partita._typing import Codes, FloatArray


def lac_memberships(features: Any, X: Any, *, h: float | None = None, verbose: bool | int = False) -> list[FloatArray]:
    """Probability of each cluster of each clustering for each object, by its distances from their centres.

    ``SoftHBGF().fit(lac_memberships(features, X))`` is weighted bipartite partitioning (WBPA) of clusterings that any
    method has made. Without features its edges would be those of :class:`HBGF`.

    Parameters
    ----------
    features : array-like of shape (n_samples, n_features)
        Finite numbers, in units that can be compared with each other.
    X : label matrix of shape (n_samples, n_clusterings)
        The clusterings of the same objects.
    h : float, optional
        How fast the weight of a feature in a cluster falls with its variance there: weights are proportional to
        exp(-variance / h). Infinite: all features weigh the same. Default the mean variance of the features.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Returns
    -------
    memberships : list of ndarray of shape (n_samples, k_m)
        One matrix per clustering that labels an object; columns of X without any label are left out, so that there are
        fewer matrices than columns. Rows are NaN where an object has no label. Clusters are in the order of their
        sorted labels.

    Notes
    -----
    Centres and weights of features are the paper's, for the clusters as they are; in the paper LAC finds clusters
    and weights together. The default of ``h`` is ours. The probability of the farthest cluster is in proportion to 1,
    that of any other to 1 plus how much nearer it is, so that the unit of the features matters. Cost O(n d t) for t
    clusters in all clusterings.

    References
    ----------
    C. Domeniconi, M. Al-Razgan, Weighted cluster ensembles: methods and analysis, ACM Transactions on Knowledge
    Discovery from Data 2 (2009) 17:1-17:40.

    C. Domeniconi, D. Gunopulos, S. Ma, B. Yan, M. Al-Razgan, D. Papadopoulos, Locally adaptive metrics for clustering
    high dimensional data, Data Mining and Knowledge Discovery 14 (2007) 63-97.

    Examples
    --------
    >>> from partita import SoftHBGF, lac_memberships
    >>> features = [[0.0, 3.0], [0.2, 9.0], [0.1, 1.0], [5.0, 5.2], [5.1, 5.0]]
    >>> soft = lac_memberships(features, {"a": [0, 0, 0, 1, 1], "b": [0, 0, 1, 2, 2]})
    >>> [clustering.shape for clustering in soft]
    [(5, 2), (5, 3)]
    >>> SoftHBGF(2, random_state=0).fit_predict(soft)
    array([0, 0, 0, 1, 1])
    """
    check_run(None, verbose)
    points, matrix = check_points(features, name="features"), check_label_matrix(X)
    if len(points) != len(matrix.codes):
        raise ValueError(
            f"features has {len(points)} rows, but X has {len(matrix.codes)}; pass one row per object in both."
        )
    scale = _check_scale(h, points)
    found = []
    with progress(matrix.codes.shape[1], "distances from clusters", show=bool(verbose)) as bar:
        for codes in matrix.codes.T:
            found.append(memberships_of(points, codes, scale))
            bar.update(1)
    return found


def memberships_of(points: FloatArray, codes: Codes, h: float) -> FloatArray:
    """Probabilities of the clusters of one clustering (eq. G45); NaN for objects without a label."""
    distance = np.column_stack([_distances(points, points[codes == label], h) for label in range(codes.max() + 1)])
    nearness = distance.max(axis=1, keepdims=True) - distance + 1.0
    nearness[codes < 0] = np.nan
    return np.asarray(nearness / nearness.sum(axis=1, keepdims=True))


def _distances(points: FloatArray, members: FloatArray, h: float) -> FloatArray:
    """Distance of every object from the centre of a cluster, features weighted as in the cluster (eq. G44)."""
    centre = members.mean(axis=0)
    variance = np.square(members - centre).mean(axis=0)
    weights = np.exp((variance.min() - variance) / h)
    return np.asarray(np.sqrt(np.square(points - centre) @ (weights / weights.sum())))


def _check_scale(h: Any, points: FloatArray) -> float:
    """H as given, or the mean variance of the features; 1 where all objects are the same."""
    if h is None:
        return float(points.var(axis=0).mean()) or 1.0
    number = isinstance(h, int | float | np.integer | np.floating) and not isinstance(h, bool)
    if not number or not h > 0:
        raise ValueError(f"h={h!r:.60} is not allowed; pass a number above 0, or None for the mean variance.")
    return float(h)
