"""Bayesian cluster ensembles (Wang, Shan and Banerjee): a mixed-membership model of the rows of labels.

Every object has its own mixture theta_i of the consensus clusters, and each of its labels is drawn from one of them:

    theta_i ~ Dirichlet(alpha),   z_ij ~ theta_i,   x_ij ~ beta_{z_ij, j}      for every clustering j that saw object i

Fitted by variational EM; see ``_bce_steps.py``. Membership is the mean of q(theta_i): gamma_ih / sum_h gamma_ih.
"""

from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble, find_distinct_rows
from partita._labels.validation import LabelMatrix
from partita._parameters import Interval, StrOptions
from partita._runs import Progress, draw_sample, draw_seeds, in_order, progress, warn_not_converged
from partita._typing import Codes, FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.models._bce_steps import (
    BCEProblem,
    BCEState,
    as_rows,
    beyond,
    expect_all,
    flat_gamma,
    label_columns,
    penalised_bound,
    start_features,
    update,
)
from partita.consensus.models._em import EMRun, Stretch, climb
from partita.consensus.models._label_model import LabelModel
from partita.consensus.models._label_starts import STARTS, shares

_SHARE = 0.01  # of what all objects have, in clusters that were found on a sample
_FEW_STEPS = 5  # of the inner fixed point while EM still moves; it goes on from there in the next iteration
_MANY_STEPS = 50
_SETTLED = 1e-6  # largest change of gamma at the fixed point
_NEAR = 10  # times tol: the rise of the bound below which the fixed point is followed to its end
_LAST_STEPS = 500  # for the rows of a fitted model
_ALPHAS = (1.0, 0.1)  # where alpha starts, in turns: objects in many clusters each, or in few


class Fitted(NamedTuple):
    """A run: where it began, where it ended, and q(theta) of each row there."""

    first: BCEState
    run: EMRun
    gamma: FloatArray


class BCE(LabelModel):
    """Bayesian cluster ensemble.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of consensus clusters.
    init : {"kmeans", "random"}, default="kmeans"
        Start at the clusters of a short k-means on the labels, or at label probabilities from Dirichlet(1).
    smoothing : float, default=0.0
        Pseudo-count of every label in every cluster, so that no label is impossible; 0.001 is a good value when new
        objects are to be scored. What rises is then the lower bound plus smoothing times sum log beta.
    n_init : int, default=10
        Starts; the one with the highest lower bound is kept. With more than 3,000 distinct rows the starts compete on
        a sample of 3,000 objects, and the best goes on with all.
    tol : float, default=1e-6
        Relative rise of the lower bound below which a run has converged.
    max_iter : int, default=500
        EM iterations a start.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState or None
        Seed of the starts.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_ : ndarray of shape (n_samples, n_clusters_)
        Mean of each object's mixture of clusters: gamma_ih / sum_h gamma_ih. Objects without labels have alpha instead.
    labels_ : ndarray of shape (n_samples,)
        Cluster of largest membership, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
    alpha_ : ndarray of shape (n_clusters_,)
        Dirichlet parameters of the mixtures; small values mean that objects belong to one cluster each.
    beta_ : list of ndarray of shape (n_clusters_, k_j)
        Probability of each label of each clustering in each cluster.
    gamma_ : ndarray of shape (n_samples, n_clusters_)
        Variational Dirichlet parameters of each object.
    lower_bound_ : float
        Lower bound of the log-likelihood of all labels (with smoothing, plus smoothing times sum log beta).
    history_ : list of float
        Lower bound of every iteration; it never falls.
    n_iter_ : int
    converged_ : bool
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    ``score_samples`` gives lower bounds of log p(row). The bound of a row has several maxima if alpha is small. Fitted
    rows follow one of them from all clusters alike, as EM goes on, and rows that are equal to a fitted one share its
    place; new rows start from all clusters alike. (Taking each row's highest maximum instead raises the bound and makes
    alpha vanish: on data drawn from the model it then finds worse mixtures than this does.)

    EM is over-relaxed: updates go beyond the plain ones as long as the bound rises, which halves their number. alpha is
    kept above 0.002.

    With a single clustering the model is not identifiable: every model with the right label frequencies fits equally
    well.

    Cost O(r m k) an inner step, five of them an iteration at first, for r distinct rows, m clusterings, k clusters;
    memory r (m + 2 k) numbers.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval("int", 1, None)],
        "init": [StrOptions(set(STARTS))],
        "smoothing": [Interval("real", 0, None)],
        "n_init": [Interval("int", 1, None)],
        "tol": [Interval("real", 0, None)],
        "max_iter": [Interval("int", 1, None)],
        "weights": ["array-like", None],
        "random_state": ["random_state"],
        "n_jobs": [None, Interval("int", None, None)],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Literal["kmeans", "random"] = "kmeans",
        smoothing: float = 0.0,
        n_init: int = 10,
        tol: float = 1e-6,
        max_iter: int = 500,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.smoothing = smoothing
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble, problem = self._problem(rows)
        with progress((self.n_init + 1) * self.max_iter, "Bayesian cluster ensemble", show=bool(self.verbose)) as bar:
            _, run, gamma = self._fit_problem(ensemble, problem, bar)
        if not run.converged:
            warn_not_converged("EM", self.max_iter)
        self._columns, self._state = problem.columns, run.state
        self._fitted = ensemble.codes, problem.rows.features, gamma
        self.history_, self.lower_bound_ = run.history, run.history[-1]
        self.n_iter_, self.converged_ = len(run.history), run.converged
        membership = gamma / gamma.sum(axis=1, keepdims=True)
        return Consensus(membership.argmax(axis=1), membership, self._state.alpha / self._state.alpha.sum())

    def _problem(self, rows: LabelledRows) -> tuple[Ensemble, BCEProblem]:
        self._warn_one_clustering(rows.ensemble)
        return rows.ensemble, BCEProblem(as_rows(rows.ensemble), label_columns(rows.ensemble, self.smoothing))

    def _fit_problem(self, ensemble: Ensemble, problem: BCEProblem, bar: Progress) -> Fitted:
        """The best start. Where there are many rows a sample decides which that is, and it is run again on all.

        EMRun again from its beginning: where rows end depends on how alpha and beta got there, because the bound of a row
        has several maxima.
        """
        seeds = draw_seeds(self.random_state, self.n_init + 1)
        drawn = draw_sample(ensemble.row_weights, int(seeds[-1]))
        if drawn is None:
            return self._best_of(ensemble, problem, seeds[:-1], bar)
        first: BCEState = self._best_of(*take(ensemble, problem, drawn), seeds[:-1], bar).first
        mixed = (1 - _SHARE) * first.table + _SHARE * shares(ensemble)[:, None]
        return self._climb(problem, first._replace(table=mixed), self.n_jobs, bar)

    def _best_of(self, ensemble: Ensemble, problem: BCEProblem, seeds: IntArray, bar: Progress) -> Fitted:
        def run(task: tuple[int, int]) -> Fitted:
            number, seed = task
            start = STARTS[self.init](ensemble, self.n_clusters, seed)
            alpha = np.full(self.n_clusters, _ALPHAS[number % len(_ALPHAS)])
            location, spread = start_features(problem, start.labels, self.n_clusters)
            return self._climb(problem, BCEState(alpha, start.table, location, spread), None, bar)

        runs: list[Fitted] = list(in_order(run, list(enumerate(seeds.tolist())), self.n_jobs))
        return max(runs, key=lambda fitted: fitted.run.history[-1])

    def _climb(self, problem: BCEProblem, first: BCEState, n_jobs: int | None, bar: Progress) -> Fitted:
        gamma = flat_gamma(problem, first.alpha)
        bounds = np.empty(len(gamma))
        columns, last, n = problem.columns, [-np.inf, -np.inf], problem.n

        def expect(state: BCEState) -> tuple[Any, float]:
            near = last[1] - last[0] <= _NEAR * self.tol * max(abs(last[1]), n)
            steps = _MANY_STEPS if near else _FEW_STEPS
            sums = expect_all(problem, state, gamma, bounds, n_steps=steps, tol=_SETTLED, n_jobs=n_jobs)
            last[:] = last[1], penalised_bound(state, sums, columns)
            return sums, last[1]

        run = climb(
            expect,
            partial(update, columns=columns, n=n),
            first,
            tol=self.tol,
            max_iter=self.max_iter,
            n=n,
            bar=bar,
            stretch=Stretch(partial(beyond, columns=columns), gamma),
        )
        return Fitted(first, run, gamma)

    def _place(self, codes: Codes) -> tuple[FloatArray, FloatArray]:
        """Gamma and lower bounds of rows; one that was fitted starts where the fit left it."""
        problem = BCEProblem(as_rows(self._columns.layout.with_rows(codes)), self._columns)
        return settle(problem, self._state, self._start_at(problem, codes))

    def _start_at(self, problem: BCEProblem, codes: Codes, features: FloatArray | None = None) -> FloatArray:
        """Gamma of the fitted row that a row is equal to, or all clusters alike."""
        fitted_codes, fitted_features, fitted_gamma = self._fitted
        gamma = flat_gamma(problem, self._state.alpha)
        together = np.vstack([fitted_codes, codes])
        if features is not None:
            values = np.vstack([fitted_features, features])
            numbered = [np.unique(column, return_inverse=True)[1] for column in values.T]
            together = np.column_stack([together, *numbered]).astype(np.int32)
        distinct = find_distinct_rows(together, together.max(axis=0).astype(np.int64) + 1)
        row = distinct.first[distinct.inverse[len(fitted_codes) :]]
        known = row < len(fitted_codes)
        gamma[known] = fitted_gamma[row[known]]
        return gamma

    def _label_rows(self, codes: Codes) -> FloatArray:
        gamma = self._place(codes)[0]
        return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))

    def _log_likelihood(self, codes: Codes) -> FloatArray:
        return self._place(codes)[1]

    @property
    def alpha_(self) -> FloatArray:
        """Dirichlet parameters, in the order of ``labels_``."""
        return np.asarray(self._state.alpha[self._placement.order])

    @property
    def beta_(self) -> list[FloatArray]:
        """Probability of each label in each cluster, one array a clustering."""
        return self._by_clustering(self._state.table)

    @property
    def gamma_(self) -> FloatArray:
        """Variational parameters of each object; they sum to those of alpha and the weight of what it has."""
        return np.asarray(self.membership_ * (self.alpha_.sum() + self._observed_weight)[:, None])

    def _fit_matrix(self, matrix: LabelMatrix, sample_weight: FloatArray) -> None:
        super()._fit_matrix(matrix, sample_weight)
        self._observed_weight = self._weigh_observed(matrix)

    def _weigh_observed(self, matrix: LabelMatrix) -> FloatArray:
        """Weight of the columns that each object has."""
        encoder = self._placement.encoder
        used = np.isin(matrix.kept, encoder.columns)
        return np.asarray((encoder.known(matrix.codes[:, used]) >= 0) @ encoder.clustering_weights)


def take(ensemble: Ensemble, problem: BCEProblem, counts: IntArray) -> tuple[Ensemble, BCEProblem]:
    """The rows with a positive count, with that count."""
    few = ensemble.sample(counts)
    return few, BCEProblem(as_rows(few, problem.rows.features[counts > 0]), problem.columns)


def settle(problem: BCEProblem, state: BCEState, gamma: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Follow the fixed point of each row to its end, from gamma or from all clusters alike; gamma and bounds there."""
    gamma = flat_gamma(problem, state.alpha) if gamma is None else gamma
    bounds = np.empty(len(gamma))
    expect_all(problem, state, gamma, bounds, n_steps=_LAST_STEPS, tol=_SETTLED)
    return gamma, bounds
