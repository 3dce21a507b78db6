"""Probabilistic consensus clustering: a binomial model of the co-association, fitted by a Bregman divergence.

Every object i has a probability y_ik for every cluster k; two objects are put together by a clustering with
probability y_i . y_j. The memberships minimise

    f(Y) = sum over unordered pairs of N_ij d(C_ij / N_ij, y_i . y_j)                                       (eq. P17)

over a product of simplices, with d the binary Kullback-Leibler divergence (then -f is, up to a constant, the
likelihood of the binomial model, and the method is PEACE) or the squared difference.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita._kept_starts import RowStart, StartResult, kept_starts
from partita._kernels import pcc_pairs
from partita._labels.ensemble import Ensemble
from partita._parameters import Interval, StrOptions, common
from partita._runs import SAMPLE_SIZE, draw_seeds, in_order, warn_not_converged
from partita._typing import Array, Codes, FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows, SoftConsensusMixin
from partita.consensus.pairwise._memberships import fitted_memberships
from partita.consensus.pairwise._pair_counts import PAIRS, count_chosen_pairs
from partita.consensus.pcc import _starts as starts
from partita.consensus.pcc._custom import custom_space
from partita.consensus.pcc._divergences import KINDS, check_divergence
from partita.consensus.pcc._greedy import step_greedily
from partita.consensus.pcc._label_space import LabelSpace, constant_of_l2, label_space
from partita.consensus.pcc._problem import PCCProblem, PCCRun, PCCSolution, descend
from partita.consensus.pcc._search import search_starts
from partita.consensus.pcc._stored_pairs import PairSpace, all_pairs, chosen_pairs
from partita.exceptions import NotEnoughMemoryError

_SWEEPS = 1000  # of the block solver, at most: a safeguard, far above what a fit needs
_STEPS, _FEWEST_STEPS = 20, 10_000  # limit of the greedy solver: 20 n K steps, and 10,000 where that is less
_SAMPLE_PAIRS = 1000  # objects on which starts compete if all their pairs are stored: a sweep costs their square
_NUDGE = 1e-3  # into the interior, after clusters were taken out: KL is infinite on parts of the boundary
_SMALL = 0.5  # mass, in objects, up to which a cluster is taken out: an object that is mostly in it gives it more
_LIGHT = 10  # total weight below which that is a share of the total, the same at this weight: for few or light objects


class PCC(SoftConsensusMixin, BaseConsensus):
    """Probabilistic consensus clustering.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K, at most: those that end with the mass of half an object or less are taken out. On
        ensembles drawn from one soft partition, as in the paper, the true number is left. On k-means ensembles of real
        data more are left than there are classes, up to all K if there are many clusterings: choose K, or take the
        number that :func:`partita.combine` finds.
    divergence : {"kl", "l2", "i-divergence", "mahalanobis"} or object, default="kl"
        How the share of clusterings that put two objects together is compared with y_i . y_j. On pairs of outcomes
        the generalised I-divergence is "kl" and a Mahalanobis distance is a multiple of "l2". An object with methods
        ``value(x1, x2)`` and ``derivative(x1, x2)`` (in x2; convex in x2) works too, more slowly.
    solver : {"block", "greedy"}, default="block"
        "block" improves one row of labels at a time by a Newton step on its simplex; "greedy" is the papers'
        algorithm, one pair of clusters of one object at a time. Both stop at the same gap.
    pairs : "all", float, int or sparse matrix, default="all"
        Which pairs of objects count: all; a share of all; a number per object (20 or more; 30 is good for large data);
        or the pairs stored in a sparse (n, n) matrix. With "l2" and "block", "all" takes linear time at any size; with
        "kl" the counts of all pairs of distinct rows are stored.
    init : {"auto", "random", "insertion", "l2", "eac"} or array, default="auto"
        Start: Dirichlet at random; rows inserted one after another where they fit best; the l2 solution over all pairs;
        evidence accumulation; or user-defined labels (n,) or memberships (n, K). With "auto" starts compete: four for
        each one that is run to its end, by a coarse descent, and the best are improved by merging and splitting
        clusters; with many distinct rows on a sample of 1000 ("kl" over all pairs) or 3000 objects (else, by l2).
    n_init : int, default=1
        Number of starts that are run to the end; the best one is kept. With "auto" one is usually enough, because
        others compete with it before; with "random", "insertion" and "l2" nothing competes: pass more, for instance 5.
        Starts that draw nothing at random are made once.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``. "auto" is then "insertion" for l2 and "l2" for all else.
    max_iter : int, optional
        Largest number of iterations of each start: sweeps over the rows (block, default 1000) or steps (greedy, default
        20 n K, at least 10,000).
    tol : float, default=1e-4
        Relative KKT gap below which a start has converged; relative to the mean total of an object,
        max(1, mean_i sum_j N_ij).
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the starts and of the drawn pairs.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_ : ndarray of shape (n_samples, n_components_)
        Probability of each cluster for each object; uniform for objects without any label.
    labels_ : ndarray of shape (n_samples,)
        Most probable cluster, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last. Those with the mass of
        half an object or less (less, if there are few objects) are taken out, and the others converge again. All other
        attributes are of the problem with ``n_components_`` clusters.
    objective_ : float
        f at the end. With "l2" over all pairs it is counted when first asked for: it takes more time than the fit. With
        "kl" and one cluster it is infinite, unless all objects are always together.
    history_ : list of float
        f of the kept start: where it begins, after some of the sweeps (or steps, for "greedy"), and at
        the end; it never rises. A value costs more than an iteration, so there are usually fewer than ``n_iter_``.
    kkt_gap_ : float
        Relative gap at the end, from gradients computed again.
    n_iter_ : int
        Number of iterations (sweeps or steps) of the kept start, and of what followed when clusters were taken out.
    converged_ : bool
        Whether the kept start converged within ``max_iter``: ``kkt_gap_`` is at most ``tol``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With "block" over all pairs, objects with equal rows of labels share one membership: the problem solved is f under
    that constraint. Its stationary points are those of f itself, because the gradient of f with respect to a shared
    membership is the sum of the objects' own, equal, gradients; ``kkt_gap_`` is the gap of the full problem. "greedy"
    and drawn pairs give every object a membership of its own.

    A new object with the labels of fitted ones has their membership (the mean, if they differ); any other has the one
    that fits best, by l2 over all pairs, with those of the fitted objects.

    Single starts often end in different places: on eight k-means ensembles of real data, one start in forty to all of
    them ended within 0.1 % of the best objective found. The competition of "auto" brings nearly every seed there.

    Cost of a sweep, with r distinct rows, m clusterings, K clusters: l2 over all pairs O(r m K^2); dense pairs
    O(r^2 K^2) time and r^2 bytes (2 r^2 with missing labels); sparse pairs O(pairs K^2).

    References
    ----------
    A. Lourenço, S. Rota Bulò, N. Rebagliati, A. Fred, M. Figueiredo, M. Pelillo, Probabilistic consensus clustering
    using evidence accumulation, Machine Learning 98 (2015) 331-357.

    Examples
    --------
    >>> from partita import PCC
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> model = PCC(n_clusters=3, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.membership_.round(1)[2:4]
    array([[0.6, 0.4],
           [0. , 1. ]])
    """

    _n_clusters_is_bound: ClassVar[bool] = True
    _ties_by_codes: ClassVar[bool] = True  # so that the start does not depend on the order of the objects
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("n_clusters", "n_init", "keep_starts", "tol", "weights", "random_state", "n_jobs", "verbose"),
        "divergence": [StrOptions(set(KINDS)), object],
        "solver": [StrOptions({"block", "greedy"})],
        "pairs": PAIRS,
        "init": [StrOptions({"auto", *starts.NAMES}), "array-like"],
        "max_iter": [Interval("int", 1, None), None],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        divergence: Any = "kl",
        solver: str = "block",
        pairs: Any = "all",
        init: Any = "auto",
        n_init: int = 1,
        keep_starts: bool = False,
        max_iter: int | None = None,
        tol: float = 1e-4,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.divergence = divergence
        self.solver = solver
        self.pairs = pairs
        self.init = init
        self.n_init = n_init
        self.keep_starts = keep_starts
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _one_row_per_object(self) -> bool:
        return self.solver == "greedy" or not isinstance(self.pairs, str)

    def _powers_of_weights(self) -> tuple[float, float]:
        return 2, 1

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        *seeds, pair_seed = draw_seeds(self.random_state, self.n_init + 1).tolist()
        problem = self._choose_problem(rows, pair_seed)
        init = self._choose_start(rows, problem)
        self._scale, n_clusters = rows.scale, rows.n_clusters
        if n_clusters == 1:
            found = [_only_cluster(problem)] * (len(seeds) if self.keep_starts else 1)
        else:
            solve = self._solver(problem, ensemble)
            begins = self._begin_starts(init, problem, ensemble, n_clusters, seeds)
            found = list(in_order(lambda begin: solve(begin()), begins, self.n_jobs))
            if not self.keep_starts:
                found = [min(found, key=lambda run: run.objective)]
            found = [_take_out_small_clusters(run, problem, solve, ensemble.row_weights) for run in found]
        if self.keep_starts:
            self.starts_ = self._describe_starts(found, seeds, problem, rows)
        return self._conclude(min(found, key=lambda run: run.objective), problem, ensemble)

    def _solver(self, problem: PCCProblem, ensemble: Ensemble) -> Callable[[PCCRun], PCCSolution]:
        algorithm: Callable[..., PCCSolution] = step_greedily if self.solver == "greedy" else descend
        return partial(algorithm, problem, tol=self.tol, max_iter=self._limit(ensemble), show=bool(self.verbose))

    def _begin_starts(
        self, init: str | FloatArray, problem: PCCProblem, ensemble: Ensemble, n_clusters: int, seeds: list[int]
    ) -> list[Callable[[], PCCRun]]:
        """What begins each of the starts that are run to the end."""
        begin = partial(_begin, problem, ensemble=ensemble, n_clusters=n_clusters)
        if isinstance(init, str) and init == "auto":
            make, size = self._choose_competition(problem, ensemble, n_clusters)
            best = search_starts(make, ensemble, n_clusters, seeds, size, self.n_jobs)
            return [partial(begin, init=Y, seed=0) for Y in best]
        if not (isinstance(init, str) and init in starts.DRAWN):
            seeds = seeds[:1]  # nothing is drawn
        return [partial(begin, init=init, seed=seed) for seed in seeds]

    def _choose_competition(
        self, problem: PCCProblem, ensemble: Ensemble, n_clusters: int
    ) -> tuple[Callable[[Ensemble], PCCProblem], int]:
        """What starts compete by, and on how many objects: KL over all pairs where it is the problem, else l2."""
        if isinstance(problem, PairSpace) and problem.interior and isinstance(self.pairs, str):
            return partial(_problem_of_sample, problem, ensemble, n_clusters), _SAMPLE_PAIRS
        return label_space, SAMPLE_SIZE

    def _describe_starts(
        self, found: list[PCCSolution], seeds: list[int], problem: PCCProblem, rows: LabelledRows
    ) -> list[StartResult]:
        """What ``starts_`` holds."""
        constant = constant_of_l2(rows.ensemble) if problem.constant is None else problem.constant
        runs = [
            RowStart(run.objective + constant, seed, run.n_iter, run.Y.argmax(axis=1))
            for run, seed in zip(found, seeds, strict=False)  # starts that draw nothing are made once
        ]
        objects, clusterings = self._powers_of_weights()
        return kept_starts(runs, rows, objects=objects, clusterings=clusterings)

    def _conclude(self, found: PCCSolution, problem: PCCProblem, ensemble: Ensemble) -> Consensus:
        """Keep what was found."""
        Y = found.Y.copy()
        Y[problem.isolated] = 1 / Y.shape[1]  # without any pair nothing is known (eq. P35)
        self._fitted = fitted_memberships(ensemble, Y)
        self._history, self._constant = found.history, problem.constant
        self.n_iter_, self.converged_, self.kkt_gap_ = found.n_iter, found.converged, found.gap
        if not found.converged:
            unit = "steps" if self.solver == "greedy" else "sweeps"
            gap = f"gap {found.gap:.1e}, tol={self.tol}"
            warn_not_converged(type(self).__name__, self._limit(ensemble), gap=gap, unit=unit)
        return Consensus(Y.argmax(axis=1), Y, np.full(Y.shape[1], 1 / Y.shape[1]))

    def _choose_problem(self, rows: LabelledRows, pair_seed: int) -> PCCProblem:
        """Labels, all pairs or chosen pairs, under a divergence that the kernels know or a user-defined one."""
        ensemble, every = rows.ensemble, isinstance(self.pairs, str)
        named = isinstance(self.divergence, str) and self.divergence in KINDS
        if not named:
            check_divergence(self.divergence)
            if self.solver == "greedy":
                raise ValueError(
                    "solver='greedy' supports divergence 'kl' and 'l2'; use solver='block' for a user-defined one."
                )
            counts = None if every else count_chosen_pairs(rows, self.pairs, pair_seed)
            return custom_space(self.divergence, ensemble, counts)
        kind = KINDS[self.divergence]
        if not every:
            return chosen_pairs(count_chosen_pairs(rows, self.pairs, pair_seed), ensemble, kind)
        if kind == pcc_pairs.L2 and self.solver == "block":
            return label_space(ensemble)
        return all_pairs(ensemble, self.n_clusters, kind)

    def _choose_start(self, rows: LabelledRows, problem: PCCProblem) -> str | FloatArray:
        """Name of the start, or the memberships of the rows that the user gives."""
        if not isinstance(self.init, str):
            return starts.given_start(self.init, rows, self.n_clusters)
        if self.init == "auto" and self.keep_starts:
            return "l2" if problem.interior else "insertion"
        return self.init

    def _limit(self, ensemble: Ensemble) -> int:
        if self.max_iter is not None:
            return self.max_iter
        if self.solver == "greedy":
            return max(_FEWEST_STEPS, _STEPS * ensemble.n_rows * int(self.n_clusters))
        return _SWEEPS

    @property
    def history_(self) -> list[float]:
        """Objective at the start, at some of the sweeps, and at the end."""
        check_is_fitted(self, "labels_")
        if self._constant is not None and np.isnan(self._constant):
            raise NotEnoughMemoryError(
                "the value of the objective needs all pairs of distinct rows, which did not fit in memory; the gap to "
                "the minimum is known without it."
            )
        if self._constant is None:
            self._constant = constant_of_l2(self._fitted.ensemble, show=bool(self.verbose))
        values = [value + self._constant for value in self._history]
        return list(self._scale.report(values, *self._powers_of_weights()))

    @property
    def objective_(self) -> float:
        """The value of f at the end."""
        return self.history_[-1]

    def _label_rows(self, codes: Codes) -> Array:
        return self._fitted.of_rows(codes)


def _begin(problem: PCCProblem, *, init: str | FloatArray, ensemble: Ensemble, n_clusters: int, seed: int) -> PCCRun:
    """A run of the problem at a start: one of the names, or memberships of the rows."""
    if isinstance(init, str) and init == "insertion" and isinstance(problem, LabelSpace):
        return problem.start_by_insertion(n_clusters, seed)  # with the sums that the insertion leaves
    Y = starts.start_memberships(init, ensemble, n_clusters, seed) if isinstance(init, str) else init
    return problem.start_at(starts.smooth(Y) if problem.interior and bool((Y == 0).any()) else Y)


def _problem_of_sample(problem: PairSpace, ensemble: Ensemble, n_clusters: int, few: Ensemble) -> PCCProblem:
    """All pairs of a sample; of all objects they are there already."""
    return problem if few is ensemble else all_pairs(few, n_clusters, problem.pairs.kind)


def _only_cluster(problem: PCCProblem) -> PCCSolution:
    """The solution with one cluster: there is nothing to choose (eq. P34)."""
    run = problem.start_at(np.ones((len(problem.isolated), 1)))
    return PCCSolution(run.Y, [run.objective()], n_iter=0, converged=True, gap=0.0)


def _take_out_small_clusters(
    found: PCCSolution, problem: PCCProblem, solve: Callable[..., PCCSolution], row_weights: FloatArray
) -> PCCSolution:
    """Take out clusters with the mass of half an object or less (less, if there are few objects), and continue.

    The number of clusters is an upper bound (eq. P33). Noise in the counts leaves traces in clusters that are not
    needed, and an object that is always alone can be spread over spare clusters at no cost; neither are clusters of
    their own.
    """
    total = row_weights.sum()
    least = _SMALL if total >= _LIGHT or len(row_weights) == 1 else total / (_LIGHT / _SMALL)
    while True:
        kept = row_weights @ found.Y > least
        homeless = found.Y[:, kept].sum(axis=1) < 0.5  # mostly in clusters that go: they keep their largest one
        kept[np.unique(found.Y[homeless].argmax(axis=1))] = True
        if kept.all():
            return found
        Y = found.Y[:, kept]
        Y = Y / Y.sum(axis=1, keepdims=True)
        if problem.interior:
            Y = (1 - _NUDGE) * Y + _NUDGE / Y.shape[1]
        again = solve(problem.start_at(Y))
        found = again._replace(n_iter=found.n_iter + again.n_iter)
