"""Bayesian cluster ensembles (Wang, Shan and Banerjee): a mixed-membership model of the rows of labels.

Every object has its own mixture theta_i of the consensus clusters, and each of its columns is drawn from one of them:

    theta_i ~ Dirichlet(alpha),   z_ij ~ theta_i,   x_ij ~ p_j(. | z_ij)     for every column j that object i has

Columns are labels, p_j(a | h) = beta_hj[a], or features (Gaussian, Poisson, Bernoulli: see ``_gbce.py``); u_j is the
weight of a column. Variational EM with q(theta_i) = Dirichlet(gamma_i) and q(z_ij) = phi_ij. E-step, to the fixed
point, starting where the last one ended (eqs. M28, M31, M41):

    phi_ijh prop. to p_j(x_ij | h) exp(psi(gamma_ih)),     gamma_ih = alpha_h + sum_j u_j phi_ijh

M-step: the parameters of column j are their maximum-likelihood values under weights phi_ijh (eqs. M32, M42); alpha by
Newton's method (``_dirichlet.py``). Membership is the mean of q(theta_i): gamma_ih / sum_h gamma_ih (eq. M38).
"""

import math
from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from partita._kernels.bce import (
    LARGEST_ALPHA,
    SMALLEST_ALPHA,
    MembershipParameters,
    MembershipRows,
    MembershipSums,
    expect_memberships,
)
from partita._kernels.families import BERNOULLI, GAUSSIAN
from partita._labels.ensemble import Ensemble
from partita._labels.validation import LabelMatrix
from partita._parameters import Interval, StrOptions, common
from partita._runs import Progress, best_on_sample_then_all, block_edges, in_order, progress, warn_not_converged
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.models._dirichlet import maximise_alpha
from partita.consensus.models._em import (
    STARTS,
    Stretch,
    climb,
    minus_bound,
    normalise,
    warn_one_clustering,
    with_every_label,
)
from partita.consensus.models._fitted_rows import FittedRows
from partita.consensus.models._label_model import LabelModel

_FEW_STEPS = 5  # of the inner fixed point while EM still moves: more would settle rows for parameters that change
_MANY_STEPS = 50  # near the end, where few would make EM stop too early; a limit, as settled rows end before it
_NEAR = 10  # times tol: rise of the bound below which steps are many, from a few iterations before EM would stop
_LAST_STEPS = 500  # for rows placed in a fitted model, which have one E-step only; a limit of the time, as above
_SETTLED = 1e-6  # change of gamma below which a row is at its fixed point, where the bound is flat
_ALPHAS = (1.0, 0.1)  # where alpha starts, in turns: objects in many clusters each, or in few
_RATIOS = (1e-3, 1e3)  # limits of new / old parameters in a stretched update: to the power 50 they are still finite
_WIDER = 4.0  # limit of stretched / plain variances, rates and probabilities of features: they still cover their values
TINY = 1e-10  # smallest rate, and smallest distance of a probability from 0 and 1: their logs stay finite


# ----------------------------------------------------------------------------------------------- columns, state, rows
class BCEColumns(NamedTuple):
    """What does not change during a fit: which columns there are, and how much they count."""

    layout: Ensemble  # without rows; its clustering weights are u of the labels
    smoothing: float
    families: IntArray = np.empty(0, dtype=np.int64)  # (d,) GAUSSIAN, POISSON or BERNOULLI
    feature_weights: FloatArray = np.empty(0)  # (d,) u of each feature
    smallest_variance: FloatArray = np.empty(0)  # (d,)


class BCEState(NamedTuple):
    """Parameters of the model."""

    alpha: FloatArray  # (k,)
    table: FloatArray  # (n_cells, k) beta
    location: FloatArray  # (d, k) mean, rate or probability
    spread: FloatArray  # (d, k) variance

    def as_parameters(self, columns: BCEColumns) -> MembershipParameters:
        """The state as the kernel needs it."""
        return MembershipParameters(
            self.alpha, self.table, columns.layout.cell_weights,
            columns.families, self.location, self.spread, columns.feature_weights,
        )  # fmt: skip


class BCEProblem(NamedTuple):
    """Rows of labels and features, and what their columns are."""

    ensemble: Ensemble
    features: FloatArray  # (n_rows, d), NaN where missing
    columns: BCEColumns

    @property
    def row_weights(self) -> FloatArray:
        """Weight of each row."""
        return self.ensemble.row_weights

    @property
    def n(self) -> float:
        """Weight of all rows: the number of objects."""
        return float(self.row_weights.sum())

    @property
    def rows(self) -> MembershipRows:
        """Rows as the kernel needs them."""
        return MembershipRows(self.ensemble.row_starts, self.ensemble.row_cells, self.features, self.row_weights)

    @property
    def observed_weight(self) -> FloatArray:
        """Weight of the columns that each row has: sum_j u_j."""
        n = len(self.row_weights)
        row = np.repeat(np.arange(n), np.diff(self.ensemble.row_starts))
        labels = np.bincount(row, weights=self.columns.layout.cell_weights[self.ensemble.row_cells], minlength=n)
        return np.asarray(labels + ~np.isnan(self.features) @ self.columns.feature_weights)

    def sample(self, drawn: IntArray) -> "BCEProblem":
        """The rows that were drawn at least once, weighted by how often."""
        return BCEProblem(self.ensemble.sample(drawn), self.features[drawn > 0], self.columns)


def label_problem(ensemble: Ensemble, columns: BCEColumns) -> BCEProblem:
    """Rows of labels, without features."""
    return BCEProblem(ensemble, np.empty((ensemble.n_rows, 0)), columns)


# ----------------------------------------------------------------------------------------------------------- E-step
def flat_gamma(problem: BCEProblem, alpha: FloatArray) -> FloatArray:
    """Where the first E-step starts: every column's weight in equal parts on all clusters."""
    return np.asarray(alpha + problem.observed_weight[:, None] / len(alpha))


def e_step_block(
    problem: BCEProblem,
    state: BCEState,
    block: tuple[int, int],
    *,
    gamma: FloatArray,
    bounds: FloatArray,
    n_steps: int,
    tol: float,
) -> MembershipSums:
    """E-step of a block of rows: its gamma and bounds are renewed, its statistics returned; they are additive."""
    n_features, k = state.location.shape
    sums = MembershipSums(np.zeros(state.table.shape), np.zeros((3, n_features, k)), np.zeros(k), np.zeros(1))
    parameters = state.as_parameters(problem.columns)
    expect_memberships(problem.rows, parameters, *block, n_steps, tol, gamma, bounds, sums)
    return sums


def add_sums(parts: Iterable[MembershipSums]) -> MembershipSums:
    """Sum of the blocks' statistics."""
    total, *others = parts
    for other in others:
        for mine, its in zip(total, other, strict=True):
            mine += its
    return total


def e_step(
    problem: BCEProblem,
    state: BCEState,
    gamma: FloatArray,
    bounds: FloatArray,
    *,
    n_steps: int,
    tol: float,
    n_jobs: int | None = None,
) -> MembershipSums:
    """E-step of all rows, in blocks."""
    edges = block_edges(len(problem.row_weights), len(state.table))
    task = partial(e_step_block, problem, state, gamma=gamma, bounds=bounds, n_steps=n_steps, tol=tol)
    return add_sums(in_order(task, edges, n_jobs))


def settle(problem: BCEProblem, state: BCEState, gamma: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Follow the fixed point of each row to its end, from gamma or with equal membership in all clusters.

    Returns gamma and the bounds there.
    """
    gamma = flat_gamma(problem, state.alpha) if gamma is None else gamma
    bounds = np.empty(len(gamma))
    e_step(problem, state, gamma, bounds, n_steps=_LAST_STEPS, tol=_SETTLED)
    return gamma, bounds


def penalised_bound(state: BCEState, sums: MembershipSums, columns: BCEColumns) -> float:
    """What EM climbs: the lower bound and, with smoothing, eps sum_j u_j sum log beta_j   (eq. M33)."""
    bound = float(sums.bound[0])
    if columns.smoothing:
        logs = np.log(np.maximum(state.table, np.finfo(float).tiny))  # a share can be 0 where others weigh far more
        bound += columns.smoothing * float(columns.layout.cell_weights @ logs.sum(axis=1))
    return bound


# ----------------------------------------------------------------------------------------------------------- M-step
def m_step(state: BCEState, sums: MembershipSums, *, columns: BCEColumns, n: float) -> BCEState:
    """Parameters of largest expected likelihood; ``n`` is the weight of all rows."""
    table = normalise(sums.labels + columns.smoothing, columns.layout, state.table)
    location, spread = update_features(state, sums.features, columns)
    return BCEState(maximise_alpha(state.alpha, sums.log_theta, n), table, location, spread)


def update_features(state: BCEState, sums: FloatArray, columns: BCEColumns) -> tuple[FloatArray, FloatArray]:
    """Weighted means and variances; a cluster without mass keeps what it had   (eqs. M42, M43)."""
    mass, first, second = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, square = first / mass, second / mass
    gaussian = (columns.families == GAUSSIAN)[:, None]
    location = np.where(gaussian, state.location + mean, np.maximum(mean, TINY))
    location = np.where((columns.families == BERNOULLI)[:, None], np.minimum(location, 1 - TINY), location)
    spread = np.where(gaussian, np.maximum(square - mean**2, columns.smallest_variance[:, None]), 1.0)
    there = mass > 0
    return np.where(there, location, state.location), np.where(there, spread, state.spread)


def beyond(old: BCEState, new: BCEState, factor: float, *, columns: BCEColumns) -> BCEState:
    """Go ``factor`` times as far as from ``old`` to ``new``: in logs, Gaussian means as they are   (eq. M37)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(old.table > 0, new.table / old.table, 1.0)
    table = normalise(new.table * np.clip(ratio, *_RATIOS) ** (factor - 1), columns.layout, new.table)
    alpha = np.clip(_further(old.alpha, new.alpha, factor), SMALLEST_ALPHA, LARGEST_ALPHA)
    return BCEState(alpha, table, *_features_beyond(old, new, factor, columns))


def _features_beyond(old: BCEState, new: BCEState, factor: float, columns: BCEColumns) -> tuple[FloatArray, FloatArray]:
    """Features further on, but near the plain update.

    A cluster that no longer covers any of its values has no mass of the feature in the next update, and keeps its
    parameters ever after; the bound hides the loss if labels weigh much more than features.
    """
    gaussian = (columns.families == GAUSSIAN)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        rate, variance = (
            np.clip(_further(a, b, factor), b / _WIDER, b * _WIDER) for a, b in zip(old[2:], new[2:], strict=True)
        )
    deviation = np.sqrt(new.spread)
    move = np.clip((factor - 1) * (new.location - old.location), -deviation, deviation)
    location = np.where(gaussian, new.location + move, rate)
    location = np.where((columns.families == BERNOULLI)[:, None], np.minimum(location, 1 - TINY), location)
    return location, np.where(gaussian, np.maximum(variance, columns.smallest_variance[:, None]), 1.0)


def _further(old: FloatArray, new: FloatArray, factor: float) -> FloatArray:
    return np.asarray(old * np.clip(new / old, *_RATIOS) ** factor)


# -------------------------------------------------------------------------------------------------------------- runs
class BCERun(NamedTuple):
    """A run: where it began, where it ended, and q(theta) of each row there."""

    first: BCEState
    state: BCEState
    gamma: FloatArray
    history: list[float]
    converged: bool


class RunningEStep:
    """The E-steps of one run: gamma goes from one to the next, and steps are few as long as the bound rises fast."""

    def __init__(self, problem: BCEProblem, alpha: FloatArray, tol: float, n_jobs: int | None) -> None:
        self.problem = problem
        self.tol = tol
        self.n_jobs = n_jobs
        self.gamma = flat_gamma(problem, alpha)
        self.bounds = np.empty(len(self.gamma))
        self.bound, self.rise = -math.inf, math.nan  # nothing is known yet: the first steps are few

    def __call__(self, state: BCEState) -> tuple[MembershipSums, float]:
        near = self.rise <= _NEAR * self.tol * max(abs(self.bound), self.problem.n)
        n_steps = _MANY_STEPS if near else _FEW_STEPS
        sums = e_step(self.problem, state, self.gamma, self.bounds, n_steps=n_steps, tol=_SETTLED, n_jobs=self.n_jobs)
        bound = penalised_bound(state, sums, self.problem.columns)
        self.rise, self.bound = bound - self.bound, bound
        return sums, bound


def run_bce(
    problem: BCEProblem, first: BCEState, n_jobs: int | None, *, tol: float, max_iter: int, bar: Progress
) -> BCERun:
    """Variational EM from a state to its end."""
    columns = problem.columns
    expect = RunningEStep(problem, first.alpha, tol, n_jobs)
    update = partial(m_step, columns=columns, n=problem.n)
    stretch = Stretch(partial(beyond, columns=columns), expect.gamma)
    end = climb(expect, update, first, tol=tol, max_iter=max_iter, n=problem.n, bar=bar, stretch=stretch)
    return BCERun(first, end.state, expect.gamma, end.history, end.converged)


# ----------------------------------------------------------------------------------------------------------- estimator
class BCE(LabelModel):
    """Bayesian cluster ensemble.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    smoothing : float, default=0.0
        Pseudo-count of every label in every cluster, so that no label is impossible; 0.001 is a good value when new
        objects are to be scored. What rises is then the lower bound plus smoothing * sum_j u_j sum log beta_j, with u_j
        the weight of clustering j.
    init : {"kmeans", "random"}, default="kmeans"
        Start at the clusters of a short k-means on the labels, or at label probabilities from Dirichlet(1).
    n_init : int, default=10
        Number of starts; the best one is kept. With more than 3,000 distinct rows the starts compete on a sample of
        3,000 objects, and the best is run again on all.
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
        Mean of each object's mixture of clusters: gamma_ih / sum_h gamma_ih. Objects without labels have alpha instead.
    labels_ : ndarray of shape (n_samples,)
        Cluster of largest membership, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last.
    alpha_ : ndarray of shape (n_components_,)
        Dirichlet parameters of the mixtures; small values mean that objects belong to one cluster each.
    beta_ : list of ndarray of shape (n_components_, k_j)
        Probability of each label of each clustering in each cluster.
    gamma_ : ndarray of shape (n_samples, n_components_)
        Variational Dirichlet parameters of each object.
    lower_bound_ : float
        Lower bound of the log-likelihood of all labels (with smoothing, plus the sum of logs given there).
    history_ : list of float
        Lower bound after each iteration of the kept start; it never falls.
    n_iter_ : int
        Number of iterations of the kept start (on all objects, if starts competed on a sample); the length of
        ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
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

    Cost O(r m k) per inner step, five of them per iteration at first, for r distinct rows, m clusterings, k clusters;
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
        "smoothing": [Interval("real", 0, None)],
        "init": [StrOptions(set(STARTS))],
        **common("n_clusters", "n_init", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        smoothing: float = 0.0,
        init: Literal["kmeans", "random"] = "kmeans",
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-6,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.smoothing = smoothing
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        problem = self._problem(rows)
        steps = (int(self.n_init) + 1) * int(self.max_iter)
        with progress(steps, "Bayesian cluster ensemble", show=bool(self.verbose)) as bar:
            best = best_on_sample_then_all(
                problem,
                partial(self._begin, rows.n_clusters),
                partial(run_bce, tol=self.tol, max_iter=self.max_iter, bar=bar),
                partial(self._restart, problem),
                n_init=self.n_init,
                random_state=self.random_state,
                n_jobs=self.n_jobs,
                lowest=minus_bound,
            )
        if not best.converged:
            warn_not_converged(type(self).__name__, self.max_iter)
        self._columns, self._state = problem.columns, best.state
        self._fitted = FittedRows(problem.ensemble.codes, problem.features, best.gamma)
        self.history_, self.lower_bound_ = best.history, best.history[-1]
        self.n_iter_, self.converged_ = len(best.history), best.converged
        membership = best.gamma / best.gamma.sum(axis=1, keepdims=True)
        return Consensus(membership.argmax(axis=1), membership, self._state.alpha / self._state.alpha.sum())

    def _problem(self, rows: LabelledRows) -> BCEProblem:
        warn_one_clustering(self, rows.ensemble)
        return label_problem(rows.ensemble, BCEColumns(rows.ensemble.layout, self.smoothing))

    def _begin(self, n_clusters: int, problem: BCEProblem, number: int, seed: int) -> BCEState:
        start = STARTS[self.init](problem.ensemble, n_clusters, seed)
        alpha = np.full(n_clusters, _ALPHAS[number % len(_ALPHAS)])
        return BCEState(alpha, start.table, *self._start_features(problem, start.labels, n_clusters))

    def _start_features(self, problem: BCEProblem, labels: Array, n_clusters: int) -> tuple[FloatArray, FloatArray]:
        """Location and spread of the features in the clusters of a start: here, of none."""
        return np.empty((0, n_clusters)), np.empty((0, n_clusters))

    def _restart(self, problem: BCEProblem, found: BCERun) -> BCEState:
        """Where the best run of a sample began: how rows end depends on the path of alpha and beta (eqs. M6, M31)."""
        state: BCEState = with_every_label(found.first, problem.ensemble)
        return state

    def _place(self, problem: BCEProblem) -> tuple[FloatArray, FloatArray]:
        """Gamma and lower bounds of rows; one that was fitted starts where the fit left it."""
        gamma = flat_gamma(problem, self._state.alpha)
        row = self._fitted.find(problem.ensemble.codes, problem.features)
        gamma[row >= 0] = self._fitted.gamma[row[row >= 0]]
        return settle(problem, self._state, gamma)

    def _new_problem(self, codes: Codes) -> BCEProblem:
        """New rows of labels, in the codes of the fit."""
        return label_problem(self._columns.layout.with_rows(codes), self._columns)

    def _label_rows(self, codes: Codes) -> FloatArray:
        gamma = self._place(self._new_problem(codes))[0]
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
        return np.asarray(self.membership_ * (self.alpha_.sum() + self._observed_weight)[:, None])

    def _fit_matrix(self, matrix: LabelMatrix, sample_weight: FloatArray) -> None:
        super()._fit_matrix(matrix, sample_weight)
        self._observed_weight = self._weigh_observed(matrix)

    def _weigh_observed(self, matrix: LabelMatrix) -> FloatArray:
        """Weight of the columns that each object has."""
        encoder = self._placement.encoder
        used = np.isin(matrix.kept, encoder.columns)
        return np.asarray((encoder.known(matrix.codes[:, used]) >= 0) @ encoder.clustering_weights)
