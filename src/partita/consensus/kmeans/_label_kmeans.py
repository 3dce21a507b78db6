"""k-means on the labels: the estimator.

Starts (k-means++ and ``_principal.py``) end where no single row gains by moving (``_lloyd.py``); children of these runs
compete with them (``_recombination.py``), and the best clusters are run to the end on all rows.
"""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from partita._features import refuse_magnitude
from partita._kept_starts import RowStart, kept_starts
from partita._labels.ensemble import Ensemble
from partita._parameters import StrOptions, common
from partita._runs import (
    Progress,
    Round,
    as_random_state,
    draw_seeds,
    in_order,
    progress,
    race,
    sample_for_starts,
    warn_not_converged,
)
from partita._typing import Array, Codes, FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows
from partita.consensus.kmeans._lloyd import (
    SHORT_ITER,
    SHORT_TOL,
    KMeansRun,
    as_points,
    assign_rows,
    improve,
    improve_by_moves,
    inertia,
    start_clusters,
)
from partita.consensus.kmeans._one_hot_space import distance_table, one_hot_space
from partita.consensus.kmeans._principal import principal_clusters
from partita.consensus.kmeans._recombination import recombine
from partita.consensus.kmeans._starts_of_sklearn import fit_kmeans

_TINY = np.finfo(float).tiny  # instead of 0 in divisors
# Children, per start: of fits of 10 clusterings of ecoli, 5 of 20 miss the best end with 2 in vain, 2 of 40 with 3,
# none of 40 with 4.
_IN_VAIN, _CHILDREN = 4, 8


class LabelKMeans(BaseConsensus):
    """k-means on the labels of the clusterings.

    The objects are points in the space of one-hot labels (one indicator per label of each clustering), and missing
    labels are imputed by the clustering's mean. Fast and simple; its objective is, up to constants, the quadratic
    mutual information between the consensus and the clusterings.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, at most the number of distinct rows of labels.
    coding : {"onehot", "raw"}, default="onehot"
        "raw" runs scikit-learn's k-means on the labels themselves, as if they were measurements (text by its place
        in sorted order). That depends on how labels happen to be numbered; it is here to repeat published experiments.
    solver : {"lloyd", "coordinate"}, default="lloyd"
        "lloyd" gives every row to its nearest centre until the objective settles; then rows move one at a time where
        that lowers it. "coordinate" has single moves from the start (coordinate descent): no cluster loses its last
        row, and an iteration is a sweep over all rows. Not for "raw".
    n_init : int, default=10
        Number of starts (greedy k-means++) that are run to the end, beside one from the leading singular vectors of
        the rows (up to 50 clusters). Then children, each with the clusters of two runs and one new cluster, compete
        with them, until ``4 * n_init`` in a row improve nothing (at most ``8 * n_init``); there are none if five or
        more runs all end alike. With more than 3,000 distinct rows all this happens on a sample of 3,000 objects, and
        the best clusters are run to the end on all.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
    max_iter : int, default=300
        Largest number of iterations of each start.
    tol : float, default=1e-9
        Relative decrease of the objective below which a start has converged; "raw" uses scikit-learn's default.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the starts.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    cluster_centers_ : list of ndarray of shape (n_clusters_, k_j)
        Share of each label of each clustering in each cluster ("raw": one column, the mean label number).
    objective_ : float
        Weighted sum of squared distances to the centres (inertia).
    history_ : list of float
        Objective after each iteration of the last run; it never rises ("raw": the last value only).
    n_iter_ : int
        Number of iterations of the last run, on all rows; the length of ``history_`` unless ``coding`` is "raw".
    converged_ : bool
        Whether the last run converged within ``max_iter``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost O(r m k) per iteration for r distinct rows, m clusterings, k clusters, by table look-up; O(r m) memory. A
    single move costs O(t) more, with t labels in all.

    References
    ----------
    F. Nie, J. Xue, D. Wu, R. Wang, H. Li, X. Li, Coordinate descent method for k-means, IEEE Transactions on Pattern
    Analysis and Machine Intelligence 44(5), 2371-2385, 2022.

    Examples
    --------
    >>> from partita import LabelKMeans
    >>> X = {"a": [0, 0, 0, 1, 1], "b": ["u", "u", "v", "v", "v"], "c": [5, 5, 5, 6, None]}
    >>> LabelKMeans(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1])
    """

    _ties_by_codes: ClassVar[bool] = True  # so that the start does not depend on the order of the objects

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "coding": [StrOptions({"onehot", "raw"})],
        "solver": [StrOptions({"lloyd", "coordinate"})],
        **common(
            "n_clusters", "n_init", "keep_starts", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"
        ),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        coding: Literal["onehot", "raw"] = "onehot",
        solver: Literal["lloyd", "coordinate"] = "lloyd",
        n_init: int = 10,
        keep_starts: bool = False,
        max_iter: int = 300,
        tol: float = 1e-9,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.coding = coding
        self.solver = solver
        self.n_init = n_init
        self.keep_starts = keep_starts
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _powers_of_weights(self) -> tuple[float, float]:
        return 1, 1

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble, n_clusters = rows.ensemble, rows.n_clusters
        if self.coding == "raw":
            if self.solver != "lloyd":
                raise ValueError("solver='coordinate' moves rows of one-hot labels; pass coding='onehot', or 'lloyd'.")
            return self._fit_raw(rows, n_clusters)
        n_init, max_iter = int(self.n_init), int(self.max_iter)
        with progress((n_init + 2) * max_iter, "k-means", show=bool(self.verbose)) as bar:
            best = self._keep_runs(rows, bar) if self.keep_starts else self._best_run(ensemble, n_clusters, bar)
        if not best.converged:
            warn_not_converged(type(self).__name__, self.max_iter)
        self.history_ = rows.scale.report(best.history, objects=1, clusterings=1)
        self.n_iter_, self.converged_, self.objective_ = len(best.history), best.converged, self.history_[-1]
        used, labels = np.unique(best.labels, return_inverse=True)  # no row joins a centre that ended without any
        self._space, self._centers = one_hot_space(ensemble), best.centers[used]
        return Consensus(labels.astype(np.int64))

    def _best_run(self, ensemble: Ensemble, n_clusters: int, bar: Progress) -> KMeansRun:
        """The starts and their children, on a sample if there are many rows; the best one is run on all."""
        *seeds, child_seed, sample_seed = draw_seeds(self.random_state, self.n_init + 3).tolist()
        few = as_points(sample_for_starts(ensemble, sample_seed))
        run = partial(self._solve, max_iter=self.max_iter, tol=self.tol, bar=bar)

        def run_start(number: int) -> KMeansRun:  # single moves go to the end anyway, so Lloyd need not
            start = start_clusters if number < self.n_init else principal_clusters
            return run(few, start(few, n_clusters, seeds[number]), tol=max(SHORT_TOL, self.tol))

        runs = race(range(len(seeds)), [Round(run_start, len(seeds))], self.n_jobs, lowest=inertia)
        run_child = partial(self._solve, few, max_iter=SHORT_ITER, tol=SHORT_TOL)
        best = recombine(few, runs, run_child, _CHILDREN * self.n_init, _IN_VAIN * self.n_init, child_seed)
        return run(as_points(ensemble), best.mass, n_jobs=self.n_jobs)

    @property
    def _solve(self) -> Callable[..., KMeansRun]:
        return improve if self.solver == "lloyd" else improve_by_moves

    def _keep_runs(self, rows: LabelledRows, bar: Progress) -> KMeansRun:
        """Every start, run to its end on all rows; the best one."""
        points, seeds = as_points(rows.ensemble), draw_seeds(self.random_state, self.n_init).tolist()

        def run_start(seed: int) -> KMeansRun:
            start = start_clusters(points, rows.n_clusters, seed)
            return self._solve(points, start, max_iter=self.max_iter, tol=self.tol, bar=bar)

        runs = list(in_order(run_start, seeds, self.n_jobs))
        starts = [
            RowStart(inertia(run), seed, len(run.history), run.labels) for run, seed in zip(runs, seeds, strict=True)
        ]
        self.starts_ = kept_starts(starts, rows, objects=1, clusterings=1)
        return min(runs, key=inertia)

    def _fit_raw(self, rows: LabelledRows, n_clusters: int) -> Consensus:
        """scikit-learn's k-means on the label numbers; one thread, so that sums do not depend on their number."""
        ensemble, encoder = rows.ensemble, rows.encoder
        self._numbers = [
            np.append(_as_numbers(labels)[place[:-2] >= 0], 0.0)  # the last entry is used for missing labels
            for labels, place in zip(encoder.labels, encoder.place_of_code, strict=True)
        ]
        points = self._label_numbers(ensemble.codes)
        refuse_magnitude(float(np.abs(points).max()), 0.0, "X")  # labels are measurements here
        observed = ensemble.row_weights @ (ensemble.codes >= 0)  # 0 where only objects without weight have a label
        self._raw_means = ensemble.row_weights @ points / np.maximum(observed, _TINY)
        self._root_weights = np.sqrt(ensemble.clustering_weights)
        points, weights = self._raw_points(ensemble.codes), ensemble.row_weights
        with threadpool_limits(limits=1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of rows at one point: base.py says it in our words
            if self.keep_starts:
                seeds = draw_seeds(self.random_state, self.n_init).tolist()
                options = {"n_init": 1, "max_iter": self.max_iter}
                models = [fit_kmeans(points, weights, n_clusters, random_state=seed, **options) for seed in seeds]
                starts = [
                    RowStart(float(one.inertia_), seed, one.n_iter_, one.labels_)
                    for one, seed in zip(models, seeds, strict=True)
                ]
                self.starts_ = kept_starts(starts, rows, objects=1, clusterings=1)
                model = min(models, key=lambda one: one.inertia_)
            else:
                seed = as_random_state(self.random_state)
                options = {"n_init": self.n_init, "max_iter": self.max_iter}
                model = fit_kmeans(points, weights, n_clusters, random_state=seed, **options)
        used, labels = np.unique(model.labels_, return_inverse=True)
        self._raw_centers = model.cluster_centers_[used]
        self.objective_ = rows.scale.report(float(model.inertia_), objects=1, clusterings=1)
        self.history_ = [self.objective_]
        self.n_iter_, self.converged_ = int(model.n_iter_), bool(model.n_iter_ < self.max_iter)
        if not self.converged_:
            warn_not_converged(type(self).__name__, self.max_iter, advice="raise max_iter")
        return Consensus(labels.astype(np.int64))

    def _raw_model(self) -> Any:
        """scikit-learn's k-means with these centres; made anew, since a model file holds arrays alone."""
        centers = self._raw_centers
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of centres at one point
            model = KMeans(len(centers), init=centers, n_init=1, max_iter=1).fit(centers)
        model.cluster_centers_ = centers.copy()
        return model

    def _raw_points(self, codes: Codes) -> FloatArray:
        return np.where(codes >= 0, self._label_numbers(codes), self._raw_means) * self._root_weights

    def _label_numbers(self, codes: Codes) -> FloatArray:
        return np.column_stack([numbers[codes[:, j]] for j, numbers in enumerate(self._numbers)])

    def _label_rows(self, codes: Codes) -> Array:
        if self.coding == "raw":
            with threadpool_limits(limits=1):
                return np.asarray(self._raw_model().predict(self._raw_points(codes)), dtype=np.int64)
        labels = np.empty(len(codes), dtype=np.int32)
        table = distance_table(self._centers, self._space)
        assign_rows(self._space.to_cells(codes), np.ones(len(codes)), table, labels, np.empty(len(codes)))
        return labels.astype(np.int64)

    @property
    def cluster_centers_(self) -> list[FloatArray]:
        """Centres by clustering, clusters in the order of ``labels_``."""
        check_is_fitted(self, "labels_")
        if self.coding == "raw":
            centers = self._raw_centers[self._placement.order] / self._root_weights
            return [centers[:, j : j + 1] for j in range(centers.shape[1])]
        centers = self._centers[self._placement.order]
        return np.split(centers, self._space.layout.first_cell[1:], axis=1)


def _as_numbers(labels: Array) -> FloatArray:
    """Labels that are numbers as they are, others by their place in sorted order."""
    if labels.dtype.kind in "biuf":
        return labels.astype(np.float64)
    return np.arange(len(labels), dtype=np.float64)
