"""DP-means (Kulis and Jordan, 2012): k-means that opens a cluster where a point is far from all others.

It lowers

    sum_i |x_i - mu_{z_i}|^2 + lambda k                                                                       eq. D2

over the assignment z, the means mu and their number k. From one cluster, the mean of all, a sweep takes the points in
some order:

    d = min_c |x_i - mu_c|^2;   d > lambda: a new cluster with mean x_i;   else z_i = argmin_c                eq. D3

and then moves every mean to its cluster and drops empty clusters. Both lower the objective, as opening a cluster
costs lambda and saves d > lambda. lambda is compared with *squared* distances. A sweep depends on the order of the
points. When sweeps change nothing more, single points are moved where that lowers the objective (eq. D31).

lambda for about k clusters, by a farthest-first traversal: with T = {mean}, k times

    lambda = max_x min_{t in T} |x - t|^2,   T = T + {the x of the maximum}                                  eq. D10
"""

from collections.abc import Callable
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from partita._checks import check_count
from partita._features import check_points
from partita._kernels import dp_means as kernel
from partita._numbering import order_by_size, rank_of
from partita._parameters import Interval, StrOptions, common
from partita._runs import Progress, best_of, draw_seeds, progress, warn_not_converged
from partita._stopping import whole_or_nothing
from partita._typing import FloatArray, IntArray

Order = Literal["given", "random", "farthest"]
ORDERS = ("given", "random", "farthest")

LARGEST_LAM = 1e200  # far above squares of features, at most 1e140, and a multiple of it stays within float64
_N_CLUSTERS = 8  # aimed at when neither lam nor n_clusters is given, as in k-means of scikit-learn
_ROUNDING = 1e-10  # a point this little beyond lambda, relative to it, is at lambda
_ROOM = 32  # centres for which there is room at first; more room is made where it is needed


class DPMeansState(NamedTuple):
    """A clustering after the update of its means."""

    labels: IntArray  # (n,)
    centers: FloatArray  # (k, d)
    inertia: float
    objective: float  # eq. D2


class DPMeansRun(NamedTuple):
    """One run from one start."""

    state: DPMeansState
    history: list[float]
    converged: bool


class DPMeansSettings(NamedTuple):
    """How to search."""

    order: Order  # of the first start; the others take the points in random orders
    seeds: IntArray  # one per start
    max_iter: int


def update_means(points: FloatArray, labels: IntArray, n_centers: int, lam: float) -> DPMeansState:
    """Means of the clusters that have points, the objective, and labels without gaps (eq. D4)."""
    centers, size = np.empty((n_centers, points.shape[1])), np.empty(n_centers, dtype=np.int64)
    inertia = float(kernel.means(points, labels, centers, size))
    if (size == 0).any():
        labels, centers = (np.cumsum(size > 0) - 1)[labels], centers[size > 0]
    return DPMeansState(labels, centers, inertia, inertia + lam * len(centers))


def sweep_points(points: FloatArray, state: DPMeansState, lam: float, order: IntArray) -> tuple[DPMeansState, bool]:
    """Assign every point by eq. D3 and update the means; whether any assignment changed."""
    labels, place, n_centers, changed = state.labels.copy(), 0, len(state.centers), False
    centers = _with_room(np.ascontiguousarray(state.centers.T))
    reach = lam * (1 + _ROUNDING)
    while True:
        place, n_centers, n_changed = kernel.sweep_dp_means(points, order, place, reach, centers, n_centers, labels)
        changed = changed or n_changed > 0
        if place == len(points):
            return update_means(points, labels, n_centers, lam), changed
        centers = _with_room(centers)


def move_points(points: FloatArray, state: DPMeansState, lam: float, order: IntArray) -> tuple[DPMeansState, bool]:
    """One pass of moves of single points (eq. D31); whether any moved."""
    labels, centers = state.labels.copy(), _with_room(np.ascontiguousarray(state.centers.T))
    size = np.zeros(centers.shape[1], dtype=np.int64)
    size[: len(state.centers)] = np.bincount(labels)
    reach = lam * (1 + _ROUNDING)
    n_centers, n_moved = kernel.move_points(points, order, lam, reach, centers, len(state.centers), size, labels)
    return update_means(points, labels, n_centers, lam), n_moved > 0


def run_dp_means(
    points: FloatArray, lam: float, max_iter: int, order: Callable[[DPMeansState], IntArray], bar: Progress
) -> DPMeansRun:
    """Sweep from one cluster until no assignment changes, then move single points until none gains by it."""
    swept = _sweep_from_one(points, lam, max_iter, order, bar)
    state, history, converged = swept.state, swept.history, False
    while swept.converged and not converged:
        moved, changed = move_points(points, state, lam, order(state))
        converged = not changed or moved.objective >= state.objective
        if converged or len(history) == max_iter:
            break
        state = moved
        history.append(state.objective)
        bar.update(1)
    bar.update(max_iter - len(history))
    return DPMeansRun(state, history, converged)


def _sweep_from_one(
    points: FloatArray, lam: float, max_iter: int, order: Callable[[DPMeansState], IntArray], bar: Progress
) -> DPMeansRun:
    state = update_means(points, np.zeros(len(points), dtype=np.int64), 1, lam)
    history: list[float] = []
    converged = False
    while not converged and len(history) < max_iter:
        moved, changed = sweep_points(points, state, lam, order(state))
        # each change lowers the objective; where rounding hides that, points would move between equally near centres
        converged = not changed or moved.objective >= state.objective
        state = state if converged else moved
        history.append(state.objective)
        bar.update(1)
    return DPMeansRun(state, history, converged)


def make_order(points: FloatArray, order: Order, seed: int) -> Callable[[DPMeansState], IntArray]:
    """Order of the points in every sweep of a start."""
    if order == "farthest":
        return lambda state: np.argsort(-nearest_center(points, state.centers)[1], kind="stable")
    fixed = np.arange(len(points)) if order == "given" else np.random.default_rng(seed).permutation(len(points))
    return lambda state: fixed


def solve_dp_means(
    points: FloatArray, lam: float, settings: DPMeansSettings, n_jobs: int | None, bar: Progress
) -> DPMeansRun:
    """The best of several starts, the first of equally good ones; clusters by decreasing size."""
    if lam == 0:
        return _number(_distinct(points))

    def run(number: int) -> DPMeansRun:
        visit = make_order(points, "random" if number else settings.order, int(settings.seeds[number]))
        return run_dp_means(points, lam, settings.max_iter, visit, bar)

    n_starts = len(settings.seeds)
    return _number(best_of(run, range(n_starts), n_jobs, lowest=lambda found: found.state.objective))


def _distinct(points: FloatArray) -> DPMeansRun:
    """Penalty 0: every distinct point is a cluster."""
    centers, labels = np.unique(points, axis=0, return_inverse=True)
    return DPMeansRun(DPMeansState(labels.reshape(-1).astype(np.int64), centers, 0.0, 0.0), [0.0], True)


def _number(found: DPMeansRun) -> DPMeansRun:
    """Number the clusters by decreasing size."""
    state, k = found.state, len(found.state.centers)
    order = order_by_size(state.labels, k)
    labels = rank_of(order, k)[state.labels]
    return found._replace(state=state._replace(labels=labels, centers=state.centers[order]))


def _with_room(centers: FloatArray) -> FloatArray:
    """The same centres with room for as many more."""
    d, k = centers.shape
    wider = np.empty((d, max(2 * k, _ROOM)))
    wider[:, :k] = centers
    return wider


def nearest_center(points: FloatArray, centers: FloatArray) -> tuple[IntArray, FloatArray]:
    """Nearest centre of each point, and its squared distance."""
    labels, distance = np.empty(len(points), dtype=np.int64), np.empty(len(points))
    kernel.nearest(points, np.array(centers.T, order="C"), labels, distance)
    return labels, distance


def farthest_first(points: FloatArray, n_clusters: int) -> FloatArray:
    """Penalties of eq. D10 for 1 to n_clusters clusters; they never rise."""
    center = update_means(points, np.zeros(len(points), dtype=np.int64), 1, 0.0).centers
    lams = np.empty(n_clusters)
    kernel.farthest_first(points, nearest_center(points, center)[1], lams)
    return lams


def number_aimed_at(n_clusters: int, points: FloatArray) -> int:
    """The number of clusters to aim at; beyond the mean and all points the penalty stays 0, at no cost."""
    return min(n_clusters, len(points) + 1)


def farthest_first_lambda(X: Any, n_clusters: int = _N_CLUSTERS) -> float:
    """Penalty ``lam`` with which DP-means finds about ``n_clusters`` clusters.

    The radius, squared, that is left when the mean and then ``n_clusters - 1`` points, each farthest from all before
    it, are taken for centres.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    n_clusters : int, default=8
        Number of clusters to aim at. Beyond the number of distinct points the answer is 0.

    Returns
    -------
    lam : float
        To be compared with squared distances. It never rises with ``n_clusters``.

    Notes
    -----
    Cost O(n k d), and memory of one number per point.

    References
    ----------
    B. Kulis, M. I. Jordan, Revisiting k-means: new algorithms via Bayesian nonparametrics, ICML 2012.

    Examples
    --------
    >>> from partita.dirichlet_process import farthest_first_lambda
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> [farthest_first_lambda(X, k) for k in (1, 2, 3, 4)]
    [30.25, 30.25, 1.0, 1.0]
    """
    points = check_points(X)
    return float(farthest_first(points, number_aimed_at(check_count(n_clusters, "n_clusters"), points))[-1])


class DPMeans(ClusterMixin, BaseEstimator):
    """DP-means: k-means that finds the number of clusters from a penalty on each.

    Parameters
    ----------
    lam : float, optional
        Penalty of a cluster, and the squared distance to all centres beyond which a point opens a cluster; at most
        1e200. 0 makes every distinct point a cluster.
    n_clusters : int, optional
        Instead of ``lam``: about how many clusters to find. ``lam`` is then the one that a farthest-first
        traversal gives; the clusters found can be fewer or more. Default, with ``lam`` not given either, 8.
    order : {"given", "random", "farthest"}, default="given"
        Order of the points in a sweep of the first start: as in X, at random, or at each sweep those first that are
        farthest from their nearest centre.
    n_init : int, default=3
        Number of starts; the best one, of the lowest objective, is kept. Those after the first take the points in
        random orders.
    max_iter : int, default=300
        Largest number of iterations of each start: sweeps over the points, then passes that move single points.
    random_state : int, RandomState, Generator or None
        Seed of the starts.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size, equally large ones by their first point.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Means of the clusters, in the same order.
    n_clusters_ : int
        Number of clusters that have objects.
    lam_ : float
        The penalty, given or found.
    objective_ : float
        ``inertia_ + lam_ * n_clusters_``.
    inertia_ : float
        Sum of squared distances to the centres.
    history_ : list of float
        Objective after each iteration of the kept start; it never rises.
    n_iter_ : int
        Number of iterations of the kept start; the length of ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``: no single point lowers the objective by moving.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    dp_means_path : The clusterings of many penalties.
    DPGaussianMixture : The model of which DP-means is the limit for small variances.

    Notes
    -----
    Cost O(n k d) per sweep or pass and O(n + k d) memory beside X; twice the time per sweep with ``order="farthest"``.
    A point at squared distance ``lam``, up to rounding, opens no cluster; of equally near centres the first is taken.

    References
    ----------
    B. Kulis, M. I. Jordan, Revisiting k-means: new algorithms via Bayesian nonparametrics, ICML 2012.

    Examples
    --------
    >>> from partita.dirichlet_process import DPMeans
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [9.0, 9.0], [9.0, 8.0]]
    >>> model = DPMeans(lam=4.0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1])
    >>> model.predict([[8.0, 8.0]])
    array([1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "lam": [None, Interval("real", 0, LARGEST_LAM)],
        "n_clusters": [None, Interval("int", 1, None)],
        "order": [StrOptions(set(ORDERS))],
        **common("n_init", "max_iter", "random_state", "n_jobs", "verbose"),
    }

    def __init__(
        self,
        lam: float | None = None,
        n_clusters: int | None = None,
        *,
        order: Order = "given",
        n_init: int = 3,
        max_iter: int = 300,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.lam = lam
        self.n_clusters = n_clusters
        self.order = order
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @whole_or_nothing
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : Ignored
            Present by convention.

        Returns
        -------
        self
        """
        points = check_points(X, self)
        self.lam_ = self._find_lam(points)
        settings = DPMeansSettings(self.order, draw_seeds(self.random_state, self.n_init), self.max_iter)
        with progress(int(self.n_init) * int(self.max_iter), "DP-means", show=bool(self.verbose)) as bar:
            found = solve_dp_means(points, self.lam_, settings, self.n_jobs, bar)
        if not found.converged:
            warn_not_converged(type(self).__name__, self.max_iter, advice="raise max_iter")
        self.labels_, self.cluster_centers_, self.inertia_, self.objective_ = found.state
        self.n_clusters_ = len(self.cluster_centers_)
        self.history_, self.n_iter_, self.converged_ = found.history, len(found.history), found.converged
        return self

    def _find_lam(self, points: FloatArray) -> float:
        if self.lam is not None and self.n_clusters is not None:
            raise ValueError(
                f"lam={self.lam} and n_clusters={self.n_clusters} are both given, and each sets the penalty; pass one."
            )
        if self.lam is not None:
            return float(self.lam)
        aim = _N_CLUSTERS if self.n_clusters is None else self.n_clusters
        return float(farthest_first(points, number_aimed_at(aim, points))[-1])

    def predict(self, X: Any) -> IntArray:
        """Nearest cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return nearest_center(check_points(X, self, reset=False), self.cluster_centers_)[0]

    def score(self, X: Any, y: Any = None) -> float:
        """Mean squared distance to the nearest centre, with a minus sign: larger is better, as in `KMeans`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : Ignored
            Present by convention.

        Returns
        -------
        score : float
        """
        check_is_fitted(self)
        return -float(nearest_center(check_points(X, self, reset=False), self.cluster_centers_)[1].mean())
