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
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

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
from partita._labels.membership import one_hot
from partita._runs import (
    Progress,
    block_edges,
    in_order,
)
from partita._typing import FloatArray, IntArray
from partita.consensus.models._dirichlet import maximise_alpha
from partita.consensus.models._em import (
    EMRun,
    Memory,
    Stretch,
    climb,
    normalise,
    penalty,
)
from partita.consensus.models._mixture import MixtureState, as_rows, log_tables, posterior

_FEW_STEPS = 5  # of the inner fixed point while EM still moves: more would settle rows for parameters that change
_MANY_STEPS = 50  # near the end, where few would make EM stop too early; a limit, as settled rows end before it
_NEAR = 10  # times tol: rise of the bound below which steps are many, from a few iterations before EM would stop
_LAST_STEPS = 500  # for rows placed in a fitted model, which have one E-step only; a limit of the time, as above
SETTLED = 1e-6  # change of gamma below which a row is at its fixed point, where the bound is flat
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
        if not self.ensemble.has_missing and not self.features.shape[1]:
            return np.full(n, self.columns.layout.clustering_weights.sum())
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


def hard_gamma(problem: BCEProblem, state: BCEState) -> FloatArray:
    """Where rows begin if the state is near the end of a run: nearly all weight on the most probable cluster.

    Labels alone are looked at. From equal parts, rows would first end at worse fixed points than those of the run.
    """
    layout = problem.columns.layout
    logs = log_tables(MixtureState(state.alpha / state.alpha.sum(), state.table), layout.cell_weights)
    membership = posterior(as_rows(problem.ensemble), *logs)[0]
    return np.asarray(state.alpha + problem.observed_weight[:, None] * membership)


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
    e_step(problem, state, gamma, bounds, n_steps=_LAST_STEPS, tol=SETTLED)
    return gamma, bounds


def better_gamma(problem: BCEProblem, state: BCEState, n_steps: int = _LAST_STEPS) -> FloatArray:
    """Gamma of rows of which no earlier one is kept: the best of three fixed points (eq. B4).

    They are followed from equal membership in all clusters, from the probabilities of the clusters, and from the most
    probable cluster alone. Each start by itself leaves some rows at worse fixed points than EM that goes on from its
    last E-step.
    """
    probable = hard_gamma(problem, state)
    alone = one_hot((probable - state.alpha).argmax(axis=1), len(state.alpha))
    best, best_bounds = flat_gamma(problem, state.alpha), np.empty(len(probable))
    e_step(problem, state, best, best_bounds, n_steps=n_steps, tol=SETTLED)
    for gamma in (probable, state.alpha + problem.observed_weight[:, None] * alone):
        bounds = np.empty(len(gamma))
        e_step(problem, state, gamma, bounds, n_steps=n_steps, tol=SETTLED)
        better = bounds > best_bounds
        best[better], best_bounds[better] = gamma[better], bounds[better]
    return best


def penalised_bound(state: BCEState, sums: MembershipSums, columns: BCEColumns) -> float:
    """What EM climbs: the lower bound and, with smoothing, eps sum_j u_j sum log beta_j   (eq. M33)."""
    return float(sums.bound[0]) + penalty(state.table, columns.smoothing, columns.layout.cell_weights)


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
    table = table_beyond(old.table, new.table, factor, columns.layout)
    return BCEState(alpha_beyond(old.alpha, new.alpha, factor), table, *_features_beyond(old, new, factor, columns))


def alpha_beyond(old: FloatArray, new: FloatArray, factor: float) -> FloatArray:
    """Dirichlet parameters further on."""
    return np.asarray(np.clip(_further(old, new, factor), SMALLEST_ALPHA, LARGEST_ALPHA))


def table_beyond(old: FloatArray, new: FloatArray, factor: float, layout: Ensemble) -> FloatArray:
    """Probabilities of labels further on."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(old > 0, new / old, 1.0)
    return normalise(new * np.clip(ratio, *_RATIOS) ** (factor - 1), layout, new)


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


SumsOf = Callable[[Any, int], MembershipSums]  # the E-step of all rows, wherever they are, with so many steps


class RunningEStep:
    """The E-steps of one run: gamma goes from one to the next, and steps are few as long as the bound rises fast."""

    def __init__(self, sums_of: SumsOf, bound_of: Callable[[Any, MembershipSums], float], n: float, tol: float) -> None:
        self.sums_of = sums_of
        self.bound_of = bound_of
        self.n = n
        self.tol = tol
        self.bound, self.rise = -math.inf, math.nan  # nothing is known yet: the first steps are few

    def __call__(self, state: Any) -> tuple[MembershipSums, float]:
        near = self.rise <= _NEAR * self.tol * max(abs(self.bound), self.n)
        sums = self.sums_of(state, _MANY_STEPS if near else _FEW_STEPS)
        bound = self.bound_of(state, sums)
        self.rise, self.bound = bound - self.bound, bound
        return sums, bound


def climb_bce(
    sums_of: SumsOf,
    memory: Memory,
    first: BCEState,
    *,
    columns: BCEColumns,
    n: float,
    tol: float,
    max_iter: int,
    bar: Progress | None = None,
) -> EMRun:
    """Variational EM from a state to its end; ``memory`` is gamma of the rows, ``n`` their weight."""
    expect = RunningEStep(sums_of, partial(penalised_bound, columns=columns), n, tol)
    update = partial(m_step, columns=columns, n=n)
    stretch = Stretch(partial(beyond, columns=columns), memory)
    return climb(expect, update, first, tol=tol, max_iter=max_iter, n=n, bar=bar, stretch=stretch)


def run_bce(
    problem: BCEProblem,
    first: BCEState,
    *,
    tol: float,
    max_iter: int,
    bar: Progress | None = None,
    n_jobs: int | None = None,
    gamma: FloatArray | None = None,
) -> BCERun:
    """The same for rows that are here; they begin at ``gamma``, or alike in all clusters."""
    rows = flat_gamma(problem, first.alpha) if gamma is None else gamma
    bounds = np.empty(len(rows))

    def sums_of(state: BCEState, n_steps: int) -> MembershipSums:
        return e_step(problem, state, rows, bounds, n_steps=n_steps, tol=SETTLED, n_jobs=n_jobs)

    columns, n = problem.columns, problem.n
    end = climb_bce(sums_of, rows, first, columns=columns, n=n, tol=tol, max_iter=max_iter, bar=bar)
    return BCERun(first, end.state, rows, end.history, end.converged)
