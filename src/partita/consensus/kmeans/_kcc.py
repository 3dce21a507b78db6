"""k-means-based consensus clustering (Wu et al., 2015): the estimator.

The consensus maximises the sum over the clusterings of a utility, which k-means with the divergence of that utility
does (eqs. U1 to U6; docs/theory/utilities.md). ``_utility.py`` has the steps; starts and children are those of k-means
on labels (``_lloyd.py``, ``_principal.py``, ``_recombination.py``).
"""

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita._kept_starts import RowStart, kept_starts
from partita._labels.ensemble import Ensemble
from partita._parameters import Interval, StrOptions, common
from partita._runs import Progress, draw_seeds, in_order, progress, sample_for_starts, warn_not_converged
from partita._typing import Array, Codes, FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows
from partita.consensus.kmeans._lloyd import SHORT_TOL, KMeansRun, assign_rows, inertia, start_clusters
from partita.consensus.kmeans._principal import principal_clusters
from partita.consensus.kmeans._recombination import move_part, recombine, same_end, swap_cluster
from partita.consensus.kmeans._utility import Solver, UtilityRows, concentration, improve_utility, utility_rows

_IN_VAIN, _CHILDREN = 4, 8  # children, per start, as in LabelKMeans
# Of 10 seeds on k-means ensembles of digits and of unequal Gaussian clusters, one search of "h" ends within 0.1 % of
# the best objective known in 4 to 7, even with two to four times as many children; four searches in 8 to 10.
_SEARCHES, _AGREEING = 4, 2
# With few rows a search takes less than 0.1 s, and several can miss the best end alike. Of 20 seeds on 20 k-means
# ensembles of iris and wine, two searches that agree miss the best end known in 17 of 400 fits for "h" (up to 3.5 %
# above) and in 12 for "c"; four that agree, with parts that move, in 0 and 1, in twice the time. On 20 other ensembles
# of the same data, which had no say in the choice, it is 4 and 21 before, 1 and 0 with it.
_FEW_ROWS, _MORE_SEARCHES, _MORE_AGREEING = 500, 8, 4
_CHILD_ITER = 100  # iterations of a child: a limit, as they end by themselves after about ten


class KCC(BaseConsensus):
    """k-means-based consensus: the clusters of largest utility with all clusterings.

    The utility of the consensus for a clustering says how much more concentrated its labels are inside the clusters
    than among all objects. Each utility has a divergence with which k-means on the labels maximises the sum over the
    clusterings. Missing labels are left out exactly: only observed labels enter.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, at most the number of distinct rows of labels.
    utility : {"c", "h", "cos", "lp"}, default="c"
        How concentrated shares p of labels are: "c" sum of p^2 (category utility; without missing labels this is
        :class:`LabelKMeans` and :class:`QMI`), "h" sum of p log2 p (mutual information, in bits), "cos" the 2-norm of
        p (cosine), "lp" its p-norm.
    p : float, default=5.0
        Which norm "lp" takes, from 1.1 to 20. With 1 all partitions would be equally good; with large values only the
        most frequent label counts, as in :class:`KModes`.
    normalized : bool, default=False
        Divide the utility of each clustering by the concentration of its labels among all objects, ``abs(phi(P))`` of
        the utility (eq. U11), so that clusterings with many labels count more ("h": less).
    solver : {"lloyd", "coordinate"}, default="lloyd"
        "lloyd" gives every row to its nearest centre until the objective settles; then rows move one at a time where
        that lowers it. "coordinate" has single moves from the start (coordinate descent).
    n_init : int, default=10
        Number of starts of a search: greedy k-means++ with the divergence of the utility, each run to its end, beside
        one start from the leading singular vectors of the rows (up to 50 clusters). Then children, each with the
        clusters of two runs and one new cluster, or with some rows of a cluster in another, compete with them, until
        ``4 * n_init`` in a row improve nothing (at most ``8 * n_init``). Up to four searches are made, until two find
        the same best end; with at most 500 distinct rows up to eight, until four do. With more than 3,000 distinct rows
        all this happens on a sample of 3,000 objects, and the best clusters are run to the end on all.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
    max_iter : int, default=300
        Largest number of iterations of each start: steps of Lloyd and sweeps of single moves.
    tol : float, default=1e-9
        Relative decrease of the objective below which Lloyd's iteration ends; single moves go on until none gains.
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
    utility_ : float
        Weighted sum over the clusterings of the utility, each times the share of the objects that it labels: what is
        maximised.
    objective_ : float
        Weighted sum of divergences from the centres: what k-means lowers. With n the weight of the labelled objects,
        ``objective_ / n + utility_`` is the same for every partition.
    history_ : list of float
        Objective after each iteration of the last run; it never rises.
    cluster_centers_ : list of ndarray of shape (n_clusters_, k_j)
        Share of each label among the observed labels of each clustering in each cluster; those among all objects where
        a cluster has none.
    n_iter_ : int
        Number of iterations of the last run, on all rows; the length of ``history_``.
    converged_ : bool
        Whether the last run ended within ``max_iter``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost O(r m k) per iteration for r distinct rows, m clusterings, k clusters, by table look-up, and O(t) per single
    move, with t labels in all; O(r m) memory. Where the last run has converged, no single distinct row can move to
    another cluster and raise the utility.

    References
    ----------
    J. Wu, H. Liu, H. Xiong, J. Cao, J. Chen, K-means-based consensus clustering: a unified view, IEEE Transactions on
    Knowledge and Data Engineering 27(1), 155-169, 2015.

    F. Nie, J. Xue, D. Wu, R. Wang, H. Li, X. Li, Coordinate descent method for k-means, IEEE Transactions on Pattern
    Analysis and Machine Intelligence 44(5), 2371-2385, 2022.

    Examples
    --------
    >>> from partita import KCC
    >>> X = {"a": [0, 0, 0, 1, 1], "b": ["u", "u", "v", "v", "v"], "c": [5, 5, 5, 6, None]}
    >>> model = KCC(n_clusters=2, utility="h", random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1])
    """

    _ties_by_codes: ClassVar[bool] = True  # so that the start does not depend on the order of the objects

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "utility": [StrOptions({"c", "h", "cos", "lp"})],
        "p": [Interval("real", 1.1, 20)],
        "normalized": ["boolean"],
        "solver": [StrOptions({"lloyd", "coordinate"})],
        **common(
            "n_clusters", "n_init", "keep_starts", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"
        ),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        utility: Literal["c", "h", "cos", "lp"] = "c",
        p: float = 5.0,
        normalized: bool = False,
        solver: Solver = "lloyd",
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
        self.utility = utility
        self.p = p
        self.normalized = normalized
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

    def _utility_rows(self, ensemble: Ensemble) -> UtilityRows:
        return utility_rows(ensemble, self.utility, self.p)

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        unit, ensemble = _of_unit_weight(self._normalize(rows.ensemble))
        points = self._utility_rows(ensemble)
        n_runs = int(self.n_init) + 2
        with progress(n_runs * int(self.max_iter), type(self).__name__, show=bool(self.verbose)) as bar:
            if self.keep_starts:
                best = self._keep_runs(rows, points, unit, bar)
            else:
                best = self._best_run(ensemble, points, rows.n_clusters, bar)
        if not best.converged:
            warn_not_converged(type(self).__name__, self.max_iter, advice="raise max_iter")
        self.history_ = rows.scale.report([unit * value for value in best.history], objects=1, clusterings=1)
        self.n_iter_, self.converged_, self.objective_ = len(best.history), best.converged, self.history_[-1]
        used, labels = np.unique(best.labels, return_inverse=True)
        mass = best.mass[used]
        gained = max(points.objective(mass.sum(axis=0, keepdims=True)) - best.history[-1], 0.0)  # eq. U10
        self.utility_ = rows.scale.report(gained / float(ensemble.row_weights.sum()), clusterings=1)
        self._space, self._centers, self._table = points.space, points.shares(mass), points.table(mass)
        return Consensus(labels.astype(np.int64))

    def _normalize(self, ensemble: Ensemble) -> Ensemble:
        """Clusterings divided by their own |phi(P)|; one without any information has none of it to give (eq. U11)."""
        if not self.normalized:
            return ensemble
        own = concentration(ensemble, self.utility, self.p)
        weights = np.where(own > 0, ensemble.clustering_weights / np.where(own > 0, own, 1.0), 0.0)
        return replace(ensemble, clustering_weights=weights)

    def _run(self, points: UtilityRows, mass: FloatArray, **options: Any) -> KMeansRun:
        """From the centres of some clusters to the end."""
        limits: dict[str, Any] = {"max_iter": int(self.max_iter), "tol": float(self.tol)}
        return improve_utility(points, mass, **{"solver": self.solver, **limits, **options})

    def _best_run(self, ensemble: Ensemble, points: UtilityRows, n_clusters: int, bar: Progress) -> KMeansRun:
        """The best end of some searches, on a sample if there are many rows, is run on all."""
        n_searches, n_agreeing = (_MORE_SEARCHES, _MORE_AGREEING) if _is_small(points) else (_SEARCHES, _AGREEING)
        *seeds, child_seed, sample_seed = draw_seeds(self.random_state, n_searches + 2).tolist()
        sample = sample_for_starts(ensemble, sample_seed)
        few = points if sample is ensemble else self._utility_rows(sample)
        ends: list[KMeansRun] = []
        for seed in seeds:
            ends.append(self._search(few, n_clusters, seed, bar))
            best = min(ends, key=inertia)
            if inertia(best) <= 0 or sum(same_end(end, best) for end in ends) >= n_agreeing:
                break
        else:
            best = self._children(few, ends, child_seed)
        return self._run(points, best.mass, bar=bar, n_jobs=self.n_jobs)

    def _search(self, few: UtilityRows, n_clusters: int, seed: int, bar: Progress) -> KMeansRun:
        """Starts, and children of their ends."""
        *seeds, child_seed = draw_seeds(seed, self.n_init + 2).tolist()

        def run_start(number: int) -> KMeansRun:  # single moves go to the end anyway, so Lloyd need not
            start = start_clusters if number < self.n_init else principal_clusters
            return self._run(few, start(few, n_clusters, seeds[number]), tol=max(SHORT_TOL, self.tol), bar=bar)

        return self._children(few, list(in_order(run_start, range(len(seeds)), self.n_jobs)), child_seed)

    def _children(self, few: UtilityRows, runs: list[KMeansRun], seed: int) -> KMeansRun:
        run_child = partial(self._run, few, max_iter=_CHILD_ITER, tol=SHORT_TOL)
        limits = _CHILDREN * self.n_init, _IN_VAIN * self.n_init
        return recombine(few, runs, run_child, *limits, seed, (swap_cluster, move_part), always=_is_small(few))

    def _keep_runs(self, rows: LabelledRows, points: UtilityRows, unit: float, bar: Progress) -> KMeansRun:
        """Every start, run to its end on all rows; the best one."""
        seeds = draw_seeds(self.random_state, self.n_init).tolist()

        def run_start(seed: int) -> KMeansRun:
            return self._run(points, start_clusters(points, rows.n_clusters, seed), bar=bar)

        runs = list(in_order(run_start, seeds, self.n_jobs))
        starts = [
            RowStart(unit * inertia(run), seed, len(run.history), run.labels)
            for run, seed in zip(runs, seeds, strict=True)
        ]
        self.starts_ = kept_starts(starts, rows, objects=1, clusterings=1)
        return min(runs, key=inertia)

    def _label_rows(self, codes: Codes) -> Array:
        labels = np.empty(len(codes), dtype=np.int32)
        assign_rows(self._space.to_cells(codes), np.ones(len(codes)), self._table, labels, np.empty(len(codes)))
        return labels.astype(np.int64)

    @property
    def cluster_centers_(self) -> list[FloatArray]:
        """Centres by clustering, clusters in the order of ``labels_``."""
        check_is_fitted(self, "labels_")
        return np.split(self._centers[self._placement.order], self._space.layout.first_cell[1:], axis=1)


def _is_small(points: UtilityRows) -> bool:
    return len(points.cells) <= _FEW_ROWS


def _of_unit_weight(ensemble: Ensemble) -> tuple[float, Ensemble]:
    """Row weights of about 1, so that their powers stay in the range of numbers; a power of two changes no digit."""
    unit = float(2.0 ** np.round(np.log2(ensemble.row_weights.mean())))
    return unit, ensemble.with_rows(ensemble.codes, ensemble.row_weights / unit)
