"""DP-means for a falling penalty: from one cluster to many, as an ensemble of clusterings.

Every penalty starts from one cluster again. A start from the clusters of the penalty before would save some sweeps, but
DP-means opens clusters and hardly ever closes one: each clustering would refine the one before it, with its mistakes.
So every column is what ``DPMeans``, with as many starts, finds for that penalty alone, whatever the others are, and the
columns of the ensemble are as different as the data allow.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._checks import check_choice, check_count
from partita._features import check_points
from partita._runs import check_run, draw_seeds, in_order, progress, warn_not_converged
from partita._typing import FloatArray, IntArray
from partita.dirichlet_process._dp_means import (
    LARGEST_LAM,
    ORDERS,
    DPMeansRun,
    DPMeansSettings,
    Order,
    farthest_first,
    number_aimed_at,
    solve_dp_means,
)


class DPMeansPath(NamedTuple):
    """Clusterings of one data set for falling penalties.

    Attributes
    ----------
    lams : ndarray of shape (n_lams,), the penalties, strictly falling.
    n_clusters : ndarray of shape (n_lams,), clusters found.
    objective : ndarray of shape (n_lams,), sum of squared distances plus penalty of all clusters.
    labels : ndarray of shape (n_samples, n_lams), one clustering per column.
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
    n_init : int, default=1
        Number of starts for each penalty; the best one is kept. :class:`DPMeans` makes 3 by default; here it is one,
        because more cost time for each penalty, and the clusterings of an ensemble need not be the best ones.
    order, max_iter, random_state, verbose
        As in :class:`DPMeans`.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.

    Returns
    -------
    DPMeansPath
        ``labels`` is a label matrix for any consensus estimator of partita.

    Notes
    -----
    Cost O(n d sum of k) per sweep. Each penalty starts again from one cluster, so that a column is the clustering of
    ``DPMeans(lam, ...)`` with the same ``n_init`` and does not depend on the other penalties.

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
    check_run(n_jobs, verbose)
    check_choice("order", order, ORDERS)
    points = check_points(X)
    seeds = draw_seeds(random_state, check_count(n_init, "n_init"))
    settings = DPMeansSettings(order, seeds, check_count(max_iter, "max_iter"))
    falling = _default_lams(points, n_clusters) if lams is None else _check_lams(lams)
    steps = len(falling) * int(n_init) * int(max_iter)
    with progress(steps, "DP-means path", show=bool(verbose)) as bar:

        def run(lam: float) -> DPMeansRun:
            return solve_dp_means(points, lam, settings, None, bar)

        runs = list(in_order(run, falling.tolist(), n_jobs))
    if not all(found.converged for found in runs):
        warn_not_converged("dp_means_path", max_iter, advice="raise max_iter")
    return DPMeansPath(
        falling,
        np.array([len(found.state.centers) for found in runs], dtype=np.int64),
        np.array([found.state.objective for found in runs]),
        np.column_stack([found.state.labels for found in runs]),
    )


def _default_lams(points: FloatArray, n_clusters: tuple[int, int]) -> FloatArray:
    try:
        low, high = (check_count(number, "n_clusters") for number in n_clusters)
    except (TypeError, ValueError):
        low, high = 1, 0
    if low > high:
        raise ValueError(
            f"n_clusters={n_clusters!r:.60} is not a range of numbers of clusters; pass a pair of whole numbers such "
            "as (1, 20), the fewest first."
        )
    low, high = (number_aimed_at(number, points) for number in (low, high))
    return np.unique(farthest_first(points, high)[low - 1 :])[::-1].copy()


def _check_lams(lams: Any) -> FloatArray:
    try:
        values = np.asarray(lams, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 1 or len(values) == 0 or not ((values >= 0) & (values <= LARGEST_LAM)).all():
        raise ValueError(
            f"lams={lams!r:.60} are not penalties; pass a list of one or more finite numbers, none below 0 or above "
            f"{LARGEST_LAM:.0e}, or None."
        )
    return np.unique(values)[::-1].copy()
