"""Bayesian cluster ensembles (Wang, Shan and Banerjee): the estimator and its starts.

The model and its variational EM are in ``_bce_steps.py``, its collapsed Gibbs sampling in ``_bce_gibbs.py``.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from partita._kept_starts import RowStart, kept_starts
from partita._kernels.bce import LARGEST_ALPHA, SMALLEST_ALPHA
from partita._labels.validation import LabelMatrix
from partita._parameters import Interval, StrOptions, common
from partita._runs import Progress, Round, draw_seeds, in_order, progress, race, sample_for_starts, warn_not_converged
from partita._typing import Array, Codes, FloatArray
from partita.base import Consensus, LabelledRows
from partita.consensus.models._bce_gibbs import BETAS, BCESamples, SampledMixin, refuse_sampling
from partita.consensus.models._bce_steps import (
    BCEColumns,
    BCEProblem,
    BCERun,
    BCEState,
    better_gamma,
    flat_gamma,
    hard_gamma,
    label_problem,
    run_bce,
    settle,
)
from partita.consensus.models._em import SHARE, STARTS, minus_bound, warn_one_clustering, with_every_label
from partita.consensus.models._fitted_rows import FittedRows
from partita.consensus.models._growing import GrowingMixin, soft_counts
from partita.consensus.models._label_model import LabelModel
from partita.consensus.models._starts import (
    SEARCH_SIZE,
    HardClusters,
    as_state,
    best_clusters,
    search_clusters,
    state_of_counts,
)

# Ends from the best clusters of five ensembles were higher the more the clusters were mixed and the smaller alpha was:
# by 1 % from 0.1 to 0.5, and by 0.5 % from 0.1 to 0.005. The larger alpha is for objects in many clusters each.
MIXED = (0.5, 0.6, 0.7, 0.8)  # share of what all objects have in a start
ALPHAS = (0.005, 0.1)  # where alpha starts
_SEARCHES = 3  # for each start that is run to the end
SHORT = 10  # iterations of BCE before the best starts are chosen
AGAIN = 4  # runs from the end of the one before, at most: few rise more than once
RISE = 1e-6  # relative rise of the bound that is worth another one
_VERY_MANY = 50_000  # distinct rows above which the beginning of a run is not repeated: a minute for a million rows
TRACE = 1e-6  # share of what all objects have, added to the end of a run: more would lead away from it


class BCE(SampledMixin, GrowingMixin, LabelModel):
    """Bayesian cluster ensemble.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    inference : {"vb", "gibbs"}, default="vb"
        Variational EM, or collapsed Gibbs sampling of the cluster of every label of every object.
    alpha : float or "auto", default="auto"
        Gibbs: parameter of the Dirichlet prior of the mixtures, from 0.002 to 1e4, the same for all clusters; "auto"
        samples one for each cluster. Variational EM always estimates it.
    beta : float or "auto", default="auto"
        Gibbs: parameter, from 1e-4 to 1e4, of the symmetric Dirichlet prior over the labels of a clustering in a
        cluster; "auto" samples it.
    smoothing : float, default=0.0
        "vb": pseudo-count of every label in every cluster, so that no label is impossible; 0.001 is a good value when
        new objects are to be scored. What rises is then the lower bound plus smoothing * sum_j u_j sum log beta_j, with
        u_j the weight of clustering j.
    n_sweeps : int, default=1000
        Gibbs: sweeps of each chain.
    burn_in : int, optional
        Gibbs: sweeps that are not used; default half.
    thin : int, default=5
        Gibbs: a sample is kept every ``thin`` sweeps.
    n_chains : int, default=4
        Gibbs: chains, from different hard clusters; further chains begin with more of the labels at random.
    init : {"kmeans", "random"}, default="kmeans"
        Where searches for good hard clusters begin: at clusters of a short k-means, or at random ones.
    n_init : int, default=4
        "vb", as the next three: number of starts that are run to the end; the best one is kept. Of ``3 * n_init``
        annealed searches the best ``n_init`` hard clusters are taken, each as eight starts (alpha 0.005 and 0.1,
        clusters mixed more or less), and the best starts after ten iterations are run to the end: with rows alike in
        all clusters, and with each row in one cluster. With more than 1,500 distinct rows the searches and these
        iterations are on a sample of 1,500 objects; with more than 3,000, all starts on a sample of 3,000, and the best
        goes on with all rows, and is also run again on all up to 50,000.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
    max_iter : int, default=500
        Largest number of iterations of each start.
    tol : float, default=1e-6
        Relative rise of the lower bound below which a start has converged.
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
    membership_ : ndarray of shape (n_samples, n_components_)
        Mean of each object's mixture of clusters: gamma_ih / sum_h gamma_ih, or the mean over the samples, whose
        clusters are numbered so that they agree best. Objects without labels have alpha instead.
    labels_ : ndarray of shape (n_samples,)
        Cluster of largest membership, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last.
    alpha_ : ndarray of shape (n_components_,)
        Dirichlet parameters of the mixtures; small values mean that objects belong to one cluster each. As estimates
        those of "vb" are biased: on data drawn from the model with 0.05, 0.2, 0.5, 1 the medians were 0.018, 0.16, 3.2,
        5.9, and those of Gibbs sampling 0.05, 0.19, 0.50, 1.05.
    beta_ : list of ndarray of shape (n_components_, k_j)
        Probability of each label of each clustering in each cluster.
    gamma_ : ndarray of shape (n_samples, n_components_)
        "vb": variational Dirichlet parameters of each object.
    lower_bound_ : float
        "vb": lower bound of the log-likelihood of all labels (with smoothing, plus the sum of logs given there).
    log_joint_ : float
        Gibbs: highest log p(labels, z) of all sweeps.
    log_joint_trace_ : ndarray of shape (n_chains, n_sweeps)
        Gibbs: log p(labels, z) after every sweep.
    r_hat_, ess_ : dict
        Gibbs: potential scale reduction, over halves of chains, and effective number of draws of "log_joint",
        "concentration" (sum of the squared shares of the clusters), and of "alpha" (its sum) and "beta" where they are
        sampled. If an R-hat is above 1.2 there is a warning, and all results are those of the chain of the highest mean
        log joint; else they are means over all chains.
    history_ : list of float
        Lower bound after each iteration of the kept start; it never falls. Gibbs: log joint of the best chain.
    n_iter_ : int
        Number of iterations of the kept start (on all objects, if starts competed on a sample), or sweeps; the length
        of ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``; Gibbs: whether every R-hat is below 1.1.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    ``score_samples`` gives lower bounds of log p(row). The bound of a row has several maxima if alpha is small. Fitted
    rows start with equal membership in all clusters and follow one maximum through all iterations; new rows start in
    the same way, or where an equal fitted row ended, so a fitted model keeps its distinct rows. (Taking each row's
    highest maximum instead raises the bound and makes alpha vanish: on data drawn from the model it then finds worse
    mixtures.)

    EM is over-relaxed: updates go beyond the plain ones as long as the bound rises, which halves their number. alpha is
    kept above 0.002.

    With a single clustering the model is not identifiable: every model with the right label frequencies fits equally
    well.

    Gibbs sampling draws every object, also those of equal rows: O(n m k) per sweep, half a second for 100,000 objects,
    10 clusterings and 5 clusters. ``sample_weight`` must then be whole numbers. ``weights`` are powers of the
    probabilities. A row that was fitted is placed by its samples, a new row by the variational E-step at the means of
    alpha and beta, and ``score_samples`` is the bound there. It has no ``extend``, and neither a form beyond memory nor
    a federated one.

    Cost of "vb" O(r m k) per inner step, five of them per iteration at first, for r distinct rows, m clusterings, k
    clusters; memory r (m + 2 k) numbers.

    References
    ----------
    H. Wang, H. Shan, A. Banerjee, Bayesian cluster ensembles, Statistical Analysis and Data Mining 4 (2011) 54-70.

    Examples
    --------
    >>> from partita import BCE
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> model = BCE(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.predict({"a": [1], "b": ["never seen"], "c": [6]})
    array([1])
    """

    _ties_by_codes: ClassVar[bool] = True
    _rows_elsewhere: bool = False  # the rows of the fit are not kept: every E-step begins anew

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "inference": [StrOptions({"vb", "gibbs"})],
        "alpha": [StrOptions({"auto"}), Interval("real", SMALLEST_ALPHA, LARGEST_ALPHA)],
        "beta": [StrOptions({"auto"}), Interval("real", *BETAS)],
        "n_sweeps": [Interval("int", 1, None)],
        "burn_in": [None, Interval("int", 0, None)],
        "thin": [Interval("int", 1, None)],
        "n_chains": [Interval("int", 1, None)],
        "smoothing": [Interval("real", 0, None)],
        "init": [StrOptions(set(STARTS))],
        **common(
            "n_clusters", "n_init", "keep_starts", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"
        ),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        inference: Literal["vb", "gibbs"] = "vb",
        alpha: Any = "auto",
        beta: Any = "auto",
        smoothing: float = 0.0,
        n_sweeps: int = 1000,
        burn_in: int | None = None,
        thin: int = 5,
        n_chains: int = 4,
        init: Literal["kmeans", "random"] = "kmeans",
        n_init: int = 4,
        keep_starts: bool = False,
        max_iter: int = 500,
        tol: float = 1e-6,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.inference = inference
        self.alpha = alpha
        self.beta = beta
        self.smoothing = smoothing
        self.n_sweeps = n_sweeps
        self.burn_in = burn_in
        self.thin = thin
        self.n_chains = n_chains
        self.init = init
        self.n_init = n_init
        self.keep_starts = keep_starts
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        problem = self._problem(rows)
        self._samples = self._sample(problem.ensemble, rows.n_clusters) if self.inference == "gibbs" else None
        if self._samples is not None:
            return self._keep_samples(problem, self._samples)
        steps = (int(self.n_init) + 1) * int(self.max_iter)
        with progress(steps, "Bayesian cluster ensemble", show=bool(self.verbose)) as bar:
            best = self._keep_runs(problem, rows, bar) if self.keep_starts else self._best_run(problem, rows, bar)
        if not best.converged:
            warn_not_converged(type(self).__name__, self.max_iter)
        return self._keep(problem, best)

    def _keep(self, problem: BCEProblem, best: BCERun) -> Consensus:
        """What a fitted model has of its run, and the clusters of the rows."""
        self._columns, self._state, self._rows_elsewhere = problem.columns, best.state, False
        self._fitted = FittedRows(problem.ensemble.codes, problem.features, best.gamma)
        self.history_, self.lower_bound_ = best.history, best.history[-1]
        self.n_iter_, self.converged_ = len(best.history), best.converged
        membership = best.gamma / best.gamma.sum(axis=1, keepdims=True)
        return Consensus(membership.argmax(axis=1), membership, self._state.alpha / self._state.alpha.sum())

    def _keep_samples(self, problem: BCEProblem, found: BCESamples) -> Consensus:
        """What a fitted model has of its samples, and the clusters of the rows."""
        means = found.means
        self.__dict__.pop("lower_bound_", None)  # of an earlier fit
        self._columns, self._rows_elsewhere = problem.columns, False
        self._state = BCEState(means.alpha, means.table, *np.empty((2, 0, len(means.alpha))))
        gamma = means.membership * (means.alpha.sum() + problem.observed_weight)[:, None]
        self._fitted = FittedRows(problem.ensemble.codes, problem.features, gamma)
        self.history_ = found.traces["log_joint"][found.best].tolist()
        self.n_iter_, self.converged_ = len(self.history_), found.mixing.agree
        return Consensus(means.membership.argmax(axis=1), means.membership, means.alpha / means.alpha.sum())

    def _problem(self, rows: LabelledRows) -> BCEProblem:
        warn_one_clustering(self, rows.ensemble)
        return label_problem(rows.ensemble, BCEColumns(rows.ensemble.layout, self.smoothing))

    def _go_on(self, rows: LabelledRows, membership: FloatArray) -> Consensus:
        refuse_sampling(self, "extend")
        problem, counts = self._problem(rows), soft_counts(rows, membership)
        k = membership.shape[1]
        tables = [state_of_counts(*counts, rows.ensemble, mixed).table for mixed in MIXED]
        firsts = [BCEState(np.full(k, alpha), table, *np.empty((2, 0, k))) for table in tables for alpha in ALPHAS]
        run = partial(run_bce, tol=self.tol, max_iter=self.max_iter)
        short = race(firsts, [Round(partial(run, problem, max_iter=SHORT), 1)], self.n_jobs, lowest=minus_bound)
        found = _harden(run(problem, short[0].first), problem, run)
        self._observed_weight = np.append(problem.observed_weight, 0.0)[rows.row_of_object]
        return self._keep(problem, found)

    # ---------------------------------------------------------------------------------------------------- starts
    def _starts(self, problem: BCEProblem, found: list[HardClusters], n_clusters: int) -> list[BCEState]:
        """Hard clusters as they are for the features, mixed with what all objects have for the labels."""
        starts = []
        for one in found:
            features = self._start_features(problem, one.labels, n_clusters)
            for mixed in MIXED:
                table = as_state(problem.ensemble, one.labels, n_clusters, mixed).table
                starts += [BCEState(np.full(n_clusters, alpha), table, *features) for alpha in ALPHAS]
        return starts

    def _best_run(self, problem: BCEProblem, rows: LabelledRows, bar: Progress) -> BCERun:
        """Starts compete, the best are run to the end; on samples first if there are many rows (eq. M58)."""
        n_seeds = _SEARCHES * self.n_init + 2
        *seeds, search_seed, sample_seed = draw_seeds(self.random_state, n_seeds).tolist()
        few = sample_for_starts(problem, sample_seed)
        fewer = sample_for_starts(few, search_seed, SEARCH_SIZE)
        run = partial(run_bce, tol=self.tol, max_iter=self.max_iter, bar=bar)

        def run_on(short: BCERun) -> BCERun:
            first = short.first if fewer is few else self._for_all(few, short.first)
            ends = [run(few, first), run(few, first, gamma=hard_gamma(few, first))]
            return min((_harden(end, few, run) for end in ends), key=minus_bound)

        found = best_clusters(fewer.ensemble, rows.n_clusters, self.init, seeds, self.n_init, self.n_jobs)
        rounds = [Round(partial(run_bce, fewer, tol=self.tol, max_iter=SHORT), self.n_init), Round(run_on, 1)]
        best: BCERun = race(self._starts(fewer, found, rows.n_clusters), rounds, self.n_jobs, lowest=minus_bound)[0]
        return best if few is problem else self._run_all(problem, best, run)

    def _run_all(self, problem: BCEProblem, best: BCERun, run: Callable[..., BCERun]) -> BCERun:
        """The best run of a sample on all rows: from its end, and, unless that takes long, from its beginning."""
        end = self._for_all(problem, best.state, TRACE)
        run = partial(run, n_jobs=self.n_jobs)
        short = run(problem, end, gamma=hard_gamma(problem, end))
        if len(problem.row_weights) > _VERY_MANY:
            return short
        long = run(problem, self._for_all(problem, best.first))
        return _harden(min((short, long), key=minus_bound), problem, run)

    def _keep_runs(self, problem: BCEProblem, rows: LabelledRows, bar: Progress) -> BCERun:
        """Every start, run to its end on all rows; the best one."""
        k, seeds = rows.n_clusters, draw_seeds(self.random_state, self.n_init).tolist()

        def run_start(start: tuple[int, int]) -> BCERun:
            number, seed = start
            found = search_clusters(problem.ensemble, k, self.init, seed)
            choices = self._starts(problem, [found], k)
            first = choices[number % len(choices)]
            return run_bce(problem, first, tol=self.tol, max_iter=self.max_iter, bar=bar)

        runs = list(in_order(run_start, enumerate(seeds), self.n_jobs))
        starts = [
            RowStart(run.history[-1], seed, len(run.history), run.gamma.argmax(axis=1))
            for run, seed in zip(runs, seeds, strict=True)
        ]
        self.starts_ = kept_starts(starts, rows)
        return min(runs, key=minus_bound)

    def _start_features(self, problem: BCEProblem, labels: Array, n_clusters: int) -> tuple[FloatArray, FloatArray]:
        """Location and spread of the features in the clusters of a start: here, of none."""
        return np.empty((0, n_clusters)), np.empty((0, n_clusters))

    def _for_all(self, problem: BCEProblem, state: BCEState, share: float = SHARE) -> BCEState:
        """A state of a sample for all rows: no label is impossible (eq. M6)."""
        mended: BCEState = with_every_label(state, problem.ensemble, share)
        return mended

    def _place(self, problem: BCEProblem) -> tuple[FloatArray, FloatArray]:
        """Gamma and lower bounds of rows; one that was fitted starts where the fit left it."""
        if self._rows_elsewhere:
            return settle(problem, self._state, better_gamma(problem, self._state))
        gamma = flat_gamma(problem, self._state.alpha)
        row = self._fitted.find(problem.ensemble.codes, problem.features)
        gamma[row >= 0] = self._fitted.gamma[row[row >= 0]]
        return settle(problem, self._state, gamma)

    def _new_problem(self, codes: Codes) -> BCEProblem:
        """New rows of labels, in the codes of the fit."""
        return label_problem(self._columns.layout.with_rows(codes), self._columns)

    def _label_rows(self, codes: Codes) -> FloatArray:
        gamma = self._place(self._new_problem(codes))[0]
        if self._samples is not None:  # the samples of a fitted row are exact, the E-step is not
            row = self._fitted.find(codes, np.empty((len(codes), 0)))
            gamma[row >= 0] = self._fitted.gamma[row[row >= 0]]
        return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))

    def _log_likelihood(self, codes: Codes) -> FloatArray:
        return self._place(self._new_problem(codes))[1]

    @property
    def alpha_(self) -> FloatArray:
        """Dirichlet parameters, in the order of ``labels_``."""
        return np.asarray(self._state.alpha[self._placement.order])

    @property
    def beta_(self) -> list[FloatArray]:
        """Probability of each label in each cluster, one array per clustering."""
        return self._by_clustering(self._state.table)

    @property
    def gamma_(self) -> FloatArray:
        """Variational parameters of each object; they sum to those of alpha and the weight of what it has."""
        if self._samples is not None:
            raise AttributeError("gamma_ does not exist after inference='gibbs'.")
        if not isinstance(self.membership_, np.ndarray):  # of blocks: made block by block, when it is asked for
            return self.membership_.gammas(self)
        return np.asarray(self.membership_ * (self.alpha_.sum() + self._observed_weight)[:, None])

    def _fit_matrix(self, matrix: LabelMatrix, sample_weight: FloatArray) -> None:
        super()._fit_matrix(matrix, sample_weight)
        self._observed_weight = self._weigh_observed(matrix)

    def _weigh_observed(self, matrix: LabelMatrix) -> FloatArray:
        """Weight of the columns that each object has."""
        encoder = self._placement.encoder
        used = np.isin(matrix.kept, encoder.columns)
        return np.asarray((encoder.known(matrix.codes[:, used]) >= 0) @ encoder.clustering_weights)


def _harden(found: BCERun, problem: BCEProblem, run: Callable[..., BCERun]) -> BCERun:
    """Run again from the end, with each row in one cluster, as long as the bound rises (eq. M58)."""
    for _ in range(AGAIN):
        again = run(problem, found.state, gamma=hard_gamma(problem, found.state))
        if again.history[-1] - found.history[-1] <= RISE * abs(found.history[-1]):
            break
        found = again
    return found
