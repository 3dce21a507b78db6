"""DP-means for a falling penalty: from one cluster to many, as an ensemble of clusterings.

Every penalty starts from one cluster again. A start from the clusters of the penalty before would save some sweeps, but
DP-means opens clusters and hardly ever closes one: each clustering would refine the one before it, with its mistakes.
So every column is what ``DPMeans`` finds for that penalty alone, whichever others are asked for, and the columns of the
ensemble are as different as the data allow.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._runs import draw_seeds, in_order, progress
from partita._typing import FloatArray, IntArray
from partita.dirichlet_process._dp_means import Fit, Order, Settings, farthest_first, solve, warn_not_converged
from partita.dirichlet_process._points import check_count, check_points


class DPMeansPath(NamedTuple):
    """Clusterings of one data set for falling penalties.

    Attributes
    ----------
    lams : ndarray of shape (n_lams,), the penalties, strictly falling.
    n_clusters : ndarray of shape (n_lams,), clusters found.
    objective : ndarray of shape (n_lams,), sum of squared distances plus penalty of all clusters.
    labels : ndarray of shape (n_samples, n_lams), one clustering a column.
    """

    lams: FloatArray
    n_clusters: IntArray
    objective: FloatArray
    labels: IntArray


def dp_means_path(
    X: Any,
    lams: Any = None,
    *,
    n_clusters: tuple[int, int] = (1, 20),
    order: Order = "given",
    n_init: int = 1,
    max_iter: int = 300,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool | int = False,
) -> DPMeansPath:
    """Cluster by DP-means for many penalties.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    lams : array-like of shape (n_lams,), optional
        Penalties, in any order; equal ones are taken once.
    n_clusters : pair of int, default=(1, 20)
        Without ``lams``: the fewest and the most clusters to aim at. The penalties are those of
        ``farthest_first_lambda`` for these and all numbers between, found in one traversal.
    order, n_init, max_iter, random_state, verbose
        As in :class:`DPMeans`.
    n_jobs : int, optional
        Penalties at a time, in threads. The result does not depend on it.

    Returns
    -------
    DPMeansPath
        ``labels`` is a label matrix for any consensus estimator of partita.

    Notes
    -----
    Cost O(n d sum of k) a sweep. Each penalty starts anew from one cluster, so that a column is the clustering of
    ``DPMeans(lam, ...)`` and does not depend on the other penalties.

    References
    ----------
    B. Kulis, M. I. Jordan, Revisiting k-means: new algorithms via Bayesian nonparametrics, ICML 2012.

    Examples
    --------
    >>> from partita.dirichlet_process import dp_means_path
    >>> X = [[0.0], [1.0], [10.0], [11.0], [30.0]]
    >>> path = dp_means_path(X, lams=[200, 20, 0.1])
    >>> path.n_clusters
    array([2, 3, 5])
    >>> path.labels[:, 1]
    array([0, 0, 1, 1, 2])
    """
    points = check_points(X)
    settings = Settings(_check_order(order), draw_seeds(random_state, check_count(n_init, "n_init")), max_iter)
    check_count(max_iter, "max_iter")
    falling = _default_lams(points, n_clusters) if lams is None else _check_lams(lams)
    steps = len(falling) * n_init * max_iter
    with progress(steps, "DP-means path", show=bool(verbose)) as bar:

        def fit(lam: float) -> Fit:
            return solve(points, lam, settings, None, bar)

        fits = list(in_order(fit, falling.tolist(), n_jobs))
    if not all(found.converged for found in fits):
        warn_not_converged(max_iter, stacklevel=3)
    return DPMeansPath(
        falling,
        np.array([len(found.state.centers) for found in fits], dtype=np.int64),
        np.array([found.state.objective for found in fits]),
        np.column_stack([found.state.labels for found in fits]),
    )


def _default_lams(points: FloatArray, n_clusters: tuple[int, int]) -> FloatArray:
    try:
        low, high = (check_count(number, "n_clusters") for number in n_clusters)
    except (TypeError, ValueError):
        low, high = 1, 0
    if low > high:
        raise ValueError(
            f"n_clusters={n_clusters!r} is not a range of numbers of clusters; pass a pair of whole numbers such as "
            "(1, 20), the fewest first."
        )
    return np.unique(farthest_first(points, high)[low - 1 :])[::-1].copy()


def _check_lams(lams: Any) -> FloatArray:
    try:
        values = np.asarray(lams, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 1 or len(values) == 0 or not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(
            f"lams={lams!r} are not penalties; pass a list of one or more finite numbers, none below 0, or None."
        )
    return np.unique(values)[::-1].copy()


def _check_order(order: Order) -> Order:
    if order not in ("given", "random", "farthest"):
        raise ValueError(f"order={order!r} is not known; pass 'given', 'random' or 'farthest'.")
    return order
