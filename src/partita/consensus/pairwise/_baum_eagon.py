"""Baum-Eagon consensus (Rota Bulò et al., 2010): multiplicative updates for the squared error.

    minimise sum_ij W_ij (S_ij - y_i.y_j)^2 over a product of simplices                                     (eq. P47)

On the simplex the sum of y_i is 1, so a constant can be added to the polynomial that is maximised until all its
coefficients are non-negative; the growth transform of Baum and Eagon then never lowers it:

    y_ik <- y_ik G_ik / sum_l y_il G_il,    G = (W o (S - Y Y')) Y + (W 1) 1'                                (eq. P49)

Equal rows that start equal stay equal, so distinct rows with their weights are exact. Updates are made longer
(eq. P64).
"""

from typing import Any, ClassVar, Literal

import numpy as np

from partita._kept_starts import kept_starts
from partita._parameters import StrOptions, common
from partita._runs import draw_seeds, warn_not_converged
from partita._typing import Array, Codes
from partita.base import BaseConsensus, Consensus, LabelledRows, SoftConsensusMixin
from partita.consensus.pairwise._growth import COMPETING, Growth, GrowthRun
from partita.consensus.pairwise._memberships import fitted_memberships, from_sample
from partita.consensus.pairwise._pair_counts import (
    PAIRS,
    SAMPLE_OF_PAIRS,
    PairSums,
    RowCounts,
    all_counts,
    row_counts,
    sample_of_pairs,
)
from partita.consensus.pairwise._squared_error import LabelGrowth, StoredGrowth

_APART = 10  # iterations between two looks at convergence: one of them changes too little to tell
_SHORT = 100  # iterations of the competition between starts: after 50 the best ones of unbalanced data are not ahead


class BaumEagon(SoftConsensusMixin, BaseConsensus):
    """Consensus by the Baum-Eagon inequality.

    Parameters
    ----------
    n_clusters : int, default=8
        Largest number of clusters K: those that are not needed may end without objects.
    pair_weights : {"ones", "totals"}, default="ones"
        W: the same for all pairs, or the number of clusterings that label both (N; then the objective is twice that of
        PCC with "l2", if the diagonal is left out).
    diagonal : bool, default=True
        Whether an object with itself counts as a pair, as published.
    pairs : "all", float, int or sparse matrix, default="all"
        Which pairs of objects count, as in :func:`partita.coassociation`. Chosen pairs give every object a membership
        of its own.
    n_init : int, default=5
        Number of starts that are run to their ends; the best one is kept. They are the best of three times as many that
        compete for 100 iterations; if labels are missing and there are more than 500 distinct rows, all this happens on
        a sample of 500 objects, and the best start continues on all.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
    max_iter : int, default=10000
        Largest number of iterations of each start.
    tol : float, default=1e-5
        Relative decrease of the objective over ten iterations below which a start has converged; relative to the
        objective at the start.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the starts and of drawn pairs.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_ : ndarray of shape (n_samples, n_components_)
        Probability of each cluster; uniform for objects that share no pair with another, or without any label.
    labels_ : ndarray of shape (n_samples,)
        Most probable cluster, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last.
    objective_ : float
        sum over ordered pairs of W (S - y_i.y_j)^2.
    history_ : list of float
        Objective after each iteration of the kept start; it never rises.
    n_iter_ : int
        Number of iterations of the kept start; the length of ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Updates go further than the published ones, as long as the objective falls; where it rises, the published update is
    made. Its fixed points are the same.

    Cost of an iteration for r distinct rows and m clusterings: O(r m K) without missing labels; O(r^2 K), and r^2
    numbers, with them; O(pairs K) for chosen pairs.

    References
    ----------
    S. Rota Bulò, A. Lourenço, A. Fred, M. Pelillo, Pairwise probabilistic clustering using evidence accumulation,
    SSPR 2010, 395-404.

    Examples
    --------
    >>> from partita import BaumEagon
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> BaumEagon(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _n_clusters_is_bound: ClassVar[bool] = True
    _ties_by_codes: ClassVar[bool] = True  # so that the start does not depend on the order of the objects
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common(
            "n_clusters", "n_init", "keep_starts", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"
        ),
        "pair_weights": [StrOptions({"ones", "totals"})],
        "diagonal": ["boolean"],
        "pairs": PAIRS,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        pair_weights: Literal["ones", "totals"] = "ones",
        diagonal: bool = True,
        pairs: Any = "all",
        n_init: int = 5,
        keep_starts: bool = False,
        max_iter: int = 10_000,
        tol: float = 1e-5,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.pair_weights = pair_weights
        self.diagonal = diagonal
        self.pairs = pairs
        self.n_init = n_init
        self.keep_starts = keep_starts
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _one_row_per_object(self) -> bool:
        return not isinstance(self.pairs, str)

    def _powers_of_weights(self) -> tuple[float, float]:
        return 2, int(self.pair_weights == "totals")

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        n_starts = self.n_init if self.keep_starts else COMPETING * self.n_init
        *seeds, pair_seed = draw_seeds(self.random_state, n_starts + 1).tolist()
        n_clusters = rows.n_clusters
        problem = self._choose_problem(rows, pair_seed)
        found, powers = self._best_start(problem, rows, seeds, pair_seed), self._powers_of_weights()
        self.history_, self.converged_ = rows.scale.report(found.history[1:], *powers), found.converged
        self.n_iter_, self.objective_ = found.n_iter, self.history_[-1]
        if not self.converged_:
            warn_not_converged(type(self).__name__, self.max_iter)
        Y = np.where(problem.row_sums > 0, found.Y, 1 / n_clusters)  # without any pair nothing is known
        self._fitted = fitted_memberships(rows.ensemble, Y)
        return Consensus(Y.argmax(axis=1), Y, np.full(n_clusters, 1 / n_clusters))

    def _best_start(
        self, problem: LabelGrowth | StoredGrowth, rows: LabelledRows, seeds: list[int], sample_seed: int
    ) -> GrowthRun:
        """Where the best start ends; with many dense pairs starts compete on a sample of objects, the best goes on."""
        ensemble = rows.ensemble
        title = "Baum-Eagon" if self.verbose else ""
        growth = Growth(problem, rows.n_clusters, self._settle, self.max_iter, self.n_jobs, title)
        linear = isinstance(problem, LabelGrowth) or not isinstance(self.pairs, str)
        if self.keep_starts or linear or ensemble.n_rows <= SAMPLE_OF_PAIRS:
            ended = growth.run(seeds, n_kept=self.n_init, n_short=_SHORT)
            if self.keep_starts:
                objects, clusterings = self._powers_of_weights()
                runs = [run.kept() for run in ended]
                self.starts_ = kept_starts(runs, rows, objects=objects, clusterings=clusterings)
            return ended[0]
        few = sample_of_pairs(ensemble, sample_seed)
        on_sample = growth._replace(problem=self._stored(all_counts(few)))
        best = on_sample.run(seeds, n_kept=self.n_init, n_short=_SHORT)[0]
        return growth.run_from(from_sample(few, best.Y, ensemble))

    def _choose_problem(self, rows: LabelledRows, pair_seed: int) -> LabelGrowth | StoredGrowth:
        """From the labels, if N is the same for all pairs; else from the pairs."""
        ensemble = rows.ensemble
        if isinstance(self.pairs, str) and not ensemble.has_missing:
            u = float(ensemble.clustering_weights.sum()) if self.pair_weights == "totals" else 1.0
            return LabelGrowth(ensemble, u=u, diagonal=self.diagonal)
        return self._stored(row_counts(rows, self.pairs, pair_seed))

    def _stored(self, counts: RowCounts) -> StoredGrowth:
        S = counts.similarity()
        W = counts.totals if self.pair_weights == "totals" else (counts.totals > 0) * 1.0
        return StoredGrowth(PairSums((W if self.diagonal else counts.without_self(W), S), counts.row_weights))

    def _settle(self, run: GrowthRun) -> GrowthRun:
        """Whether the objective has fallen by less than ``tol`` of its first value over ten iterations."""
        if run.n_iter % _APART and run.n_iter != self.max_iter:
            return run
        fall = run.history[max(run.n_iter - _APART, 0)] - run.objective
        return run._replace(converged=fall <= self.tol * run.history[0])

    def _label_rows(self, codes: Codes) -> Array:
        return self._fitted.of_rows(codes)
