"""Probabilistic consensus clustering: a binomial model of the co-association, fitted by a Bregman divergence.

Every object i has a probability y_ik for every cluster k; two objects are put together by a clustering with
probability y_i . y_j. The memberships minimise

    f(Y) = sum over unordered pairs of N_ij d(C_ij / N_ij, y_i . y_j)                              (PCC, section 4)

over a product of simplices, with d the binary Kullback-Leibler divergence (then -f is, up to a constant, the
likelihood of the binomial model, and the method is PEACE) or the squared difference.
"""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from partita._kernels import pcc_pairs
from partita._labels.ensemble import Ensemble
from partita._parameters import Interval, StrOptions
from partita._runs import draw_seeds
from partita._typing import Array, Codes, FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows
from partita.consensus.pairwise._pair_counts import all_pairs, count_chosen_pairs
from partita.consensus.pcc import _starts as starts
from partita.consensus.pcc._custom import CustomSolver
from partita.consensus.pcc._divergences import KINDS, check_divergence
from partita.consensus.pcc._label_space import LabelSolver, constant_of_l2, insert_new_rows, solve_labels
from partita.consensus.pcc._problem import Solution, best_of, descend
from partita.consensus.pcc._stored_pairs import PairSolver, dense_pairs, solve_block, solve_greedy

_SWEEPS = 1000  # sweeps over the rows, at most, of the block solver
_NUDGE = 1e-3  # into the interior, after clusters were taken out: KL is infinite on parts of the boundary
_STEPS = 20  # steps of the greedy solver, at most, as a multiple of n K
_FEW = 10_000  # but not fewer than this


class PCC(BaseConsensus):
    """Probabilistic consensus clustering.

    Parameters
    ----------
    n_clusters : int, default=8
        Largest number of clusters K. Clusters that are not needed end without mass.
    divergence : {"kl", "l2", "i-divergence", "mahalanobis"} or object, default="kl"
        How the share of clusterings that put two objects together is compared with y_i . y_j. On pairs of outcomes
        the generalised I-divergence is "kl" and a Mahalanobis distance is a multiple of "l2". An object with methods
        ``value(x1, x2)`` and ``derivative(x1, x2)`` (in x2; convex in x2) works too, more slowly.
    solver : {"block", "greedy"}, default="block"
        "block" improves one row of labels at a time by a Newton step on its simplex; "greedy" is the papers'
        algorithm, one pair of clusters of one object at a time. Both stop at the same gap.
    pairs : "all", float, int or sparse matrix, default="all"
        Which pairs of objects count: all; a share of all; a number an object (20 or more; 30 is good for large data);
        or the pairs stored in a sparse (n, n) matrix. With "l2" and "block", "all" takes linear time at any size; with
        "kl" the counts of all pairs of distinct rows are stored.
    init : {"auto", "random", "insertion", "l2", "eac"} or array, default="auto"
        Start: Dirichlet at random; rows inserted one after another where they fit best; the l2 solution over all pairs;
        evidence accumulation; or labels (n,) or memberships (n, K) of the user's own. "auto" is "insertion" for l2 and
        "l2" for all else.
    n_init : int, default=5
        Starts; the one with the lowest objective is kept. Starts that draw nothing at random are made once.
    tol : float, default=1e-4
        Largest KKT gap, relative to the mean total of an object, max(1, mean_i sum_j N_ij).
    max_iter : int, optional
        Sweeps over the rows (block, default 1000) or steps (greedy, default 20 n K, at least 10,000).
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState or None
        Seed of the starts and of the drawn pairs.
    n_jobs : int, optional
        Starts at a time, in threads. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_ : ndarray of shape (n_samples, n_clusters_)
        Probability of each cluster for each object; uniform for objects without any label.
    labels_ : ndarray of shape (n_samples,)
        Most probable cluster, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Clusters with mass: those with less than half an object are taken out, and the others converge again. All
        other attributes are of the problem with ``n_clusters_`` clusters.
    objective_ : float
        f at the end. With "l2" over all pairs it is counted when first asked for: it takes more time than the fit.
    history_ : list of float
        f at the start, at some of the sweeps, and at the end; it never rises.
    kkt_gap_ : float
        Relative gap at the end, from gradients made anew.
    n_iter_ : int
    converged_ : bool
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With "block" over all pairs, objects with equal rows of labels share one membership: the problem solved is f under
    that constraint. Its stationary points are those of f itself, because the gradient of f with respect to a shared
    membership is the sum of the objects' own, equal, gradients; ``kkt_gap_`` is the gap of the full problem. "greedy"
    and drawn pairs give every object a membership of its own.

    The defaults were chosen on 17 of the papers' datasets (150 to 1000 objects) with two kinds of ensemble. Relative to
    the best objective found, one random start ended 0.06 to 0.6 % too high on average (8 % at worst), one insertion or
    l2 start up to 0.2 % (2 % at worst), and five of them at the best one every time; five random starts did for l2 but
    not always for KL (0.9 % at worst), at the same cost.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval("int", 1, None)],
        "divergence": [StrOptions(set(KINDS)), object],
        "solver": [StrOptions({"block", "greedy"})],
        "pairs": [StrOptions({"all"}), Interval("int", 1, None), Interval("real", 0, 1), "sparse matrix", "array-like"],
        "init": [StrOptions({"auto", *starts.NAMES}), "array-like"],
        "n_init": [Interval("int", 1, None)],
        "tol": [Interval("real", 0, None)],
        "max_iter": [Interval("int", 1, None), None],
        "weights": ["array-like", None],
        "random_state": ["random_state"],
        "n_jobs": [Interval("int", None, None), None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        divergence: Any = "kl",
        solver: str = "block",
        pairs: Any = "all",
        init: Any = "auto",
        n_init: int = 5,
        tol: float = 1e-4,
        max_iter: int | None = None,
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
        self.tol = tol
        self.max_iter = max_iter
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _one_row_per_object(self) -> bool:
        return self.solver == "greedy" or not all_pairs(self.pairs)

    def _kind(self) -> int | None:
        """Number of a divergence that the kernels know; None for one of the user's own."""
        if isinstance(self.divergence, str) and self.divergence in KINDS:
            return KINDS[self.divergence]
        check_divergence(self.divergence)
        if self.solver == "greedy":
            raise ValueError("solver='greedy' knows divergence 'kl' and 'l2'; use solver='block' for one of your own.")
        return None

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        kind = self._kind()
        n_clusters = self.n_clusters
        self._lazy = kind == pcc_pairs.L2 and all_pairs(self.pairs) and self.solver == "block"
        seeds = draw_seeds(self.random_state, self.n_init + 1)
        run = self._runner(rows, kind, int(seeds[-1]))
        given = None if isinstance(self.init, str) else starts.given_start(self.init, rows, n_clusters)
        name = self.init if isinstance(self.init, str) else "given"
        if name == "auto":
            name = "insertion" if kind == pcc_pairs.L2 else "l2"

        def start(number: int) -> Solution:
            if self._lazy and name == "insertion":  # go on from the sums that the insertion leaves
                solver = LabelSolver(ensemble, n_clusters)
                solver.insert(int(seeds[number]))
                return solve_labels(ensemble, solver, **self._options(ensemble))
            Y = starts.start(name, ensemble, n_clusters, int(seeds[number])) if given is None else given
            smoothed = kind != pcc_pairs.L2 and bool((Y == 0).any())  # KL may be infinite on the boundary
            solution: Solution = run(starts.smooth(Y) if smoothed else Y)
            return solution

        if n_clusters == 1:  # there is nothing to choose
            only: Solution = run(np.ones((ensemble.n_rows, 1)))
            return self._take(only._replace(history=only.history[-1:], n_iter=0), ensemble)
        found = best_of(self.n_init if name in ("random", "insertion", "l2") else 1, self.n_jobs, start)
        found = _without_crumbs(found, ensemble, run, interior=kind != pcc_pairs.L2)
        return self._take(found, ensemble)

    def _options(self, ensemble: Ensemble) -> dict[str, Any]:
        most = _SWEEPS
        if self.solver == "greedy":
            most = max(_FEW, _STEPS * ensemble.n_rows * self.n_clusters)
        return {"tol": self.tol, "max_iter": self.max_iter or most, "show": bool(self.verbose)}

    def _runner(self, rows: LabelledRows, kind: int | None, seed: int) -> Any:
        """A function from a start to a solution; the counts of the pairs are made once."""
        ensemble = rows.ensemble
        K, options = self.n_clusters, self._options(ensemble)
        if self._lazy:

            def run_labels(Y: FloatArray) -> Solution:
                solver = LabelSolver(ensemble, Y.shape[1])
                solver.start_at(Y)
                return solve_labels(ensemble, solver, **options)

            return run_labels
        counts = None if all_pairs(self.pairs) else count_chosen_pairs(rows, self.pairs, seed)
        if kind is None:
            custom = CustomSolver(ensemble, self.divergence, counts)
            return lambda Y: _solve_custom(custom.start_at(Y), **options)
        solver = (
            dense_pairs(ensemble, K, kind) if counts is None else PairSolver(counts, ensemble, K, kind, sparse=True)
        )
        solve = solve_greedy if self.solver == "greedy" else solve_block
        return lambda Y: solve(solver.start_at(Y), **options)

    def _take(self, found: Solution, ensemble: Ensemble) -> Consensus:
        """Keep what was found."""
        found.Y[found.isolated] = 1 / found.Y.shape[1]  # without any pair nothing is known (section 3.6)
        self._fitted, self._row_membership = ensemble, found.Y
        self._history, self._constant = found.history, None if self._lazy else 0.0
        self.n_iter_, self.converged_, self.kkt_gap_ = found.n_iter, found.converged, found.gap
        n_clusters = found.Y.shape[1]
        if not found.converged:
            warnings.warn(
                f"PCC stopped at a gap of {found.gap:.1e}, above tol={self.tol}; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return Consensus(found.Y.argmax(axis=1), found.Y, np.full(n_clusters, 1 / n_clusters))

    @property
    def history_(self) -> list[float]:
        """Objective at the start, at some of the sweeps, and at the end."""
        check_is_fitted(self, "labels_")
        if self._constant is None:
            self._constant = constant_of_l2(self._fitted, show=bool(self.verbose))
        return [value + self._constant for value in self._history]

    @property
    def objective_(self) -> float:
        """The value of f at the end."""
        return self.history_[-1]

    def _label_rows(self, codes: Codes) -> Array:
        """Memberships that fit best, by l2 over all pairs, with those of the fitted objects."""
        return insert_new_rows(codes, self._fitted, self._row_membership)


def _without_crumbs(found: Solution, ensemble: Ensemble, run: Any, *, interior: bool) -> Solution:
    """Take out clusters with the mass of half an object or less (less, if there are few objects) and go on.

    K is an upper bound. Noise in the counts leaves traces in clusters that nobody needs, and an object that is always
    alone can be spread over spare clusters at no cost; neither are clusters of their own.
    """
    total = ensemble.row_weights.sum()
    least = 0.5 if total >= 10 or ensemble.n_rows == 1 else total / 20
    while True:
        kept = ensemble.row_weights @ found.Y > least
        homeless = found.Y[:, kept].sum(axis=1) < 0.5  # mostly in clusters that go: they keep their largest one
        kept[np.unique(found.Y[homeless].argmax(axis=1))] = True
        if kept.all():
            return found
        Y = found.Y[:, kept]
        Y = Y / Y.sum(axis=1, keepdims=True)
        if interior:
            Y = (1 - _NUDGE) * Y + _NUDGE / Y.shape[1]
        again = run(Y)
        found = again._replace(n_iter=found.n_iter + again.n_iter)


def _solve_custom(solver: CustomSolver, *, tol: float, max_iter: int, show: bool) -> Solution:
    history, n_iter, converged, gap = descend(
        solver, len(solver.w), scale=solver.scale, tol=tol, max_iter=max_iter, show=show, title="PCC"
    )
    return Solution(solver.Y, history[-1], history, n_iter, converged, gap, solver.isolated)
