"""Variational EM of Bayesian cluster ensembles: state, local statistics, update.

    theta_i ~ Dirichlet(alpha);  for every column j that object i has:  z_ij ~ theta_i,  x_ij ~ p_j(. | z_ij)

q(theta_i) = Dirichlet(gamma_i), q(z_ij) = phi_ij. E-step, to the fixed point, starting where the last one ended:

    phi_ijh prop. to p_hj(x_ij) exp(psi(gamma_ih)),     gamma_ih = alpha_h + sum_j u_j phi_ijh            (6.2, 6.6)

M-step: the parameters of column j are their maximum-likelihood values under weights phi_ijh; alpha by Newton. BCEColumns
are labels (tables of probabilities) or features (Gaussian, Poisson, Bernoulli); u_j is the weight of a column.
"""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from partita._kernels import bce
from partita._kernels.bce import (
    BERNOULLI,
    GAUSSIAN,
    LARGEST_ALPHA,
    SMALLEST_ALPHA,
    MembershipParameters,
    MembershipRows,
    MembershipSums,
)
from partita._labels.ensemble import Ensemble
from partita._runs import in_order
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.models._dirichlet import maximise_alpha
from partita.consensus.models._em import block_edges
from partita.consensus.models._label_tables import normalise

_RATIOS = (1e-3, 1e3)  # between new and old parameters that an update is stretched by
_NOISE = 0.1  # share of what all objects have in a start
_TINY = 1e-10  # smallest rate, and smallest distance of a probability from 0 and 1


class BCEColumns(NamedTuple):
    """What does not change during a fit: which columns there are, and how much they count."""

    layout: Ensemble  # without rows; its clustering weights are u of the labels
    families: IntArray  # (d,) GAUSSIAN, POISSON or BERNOULLI
    feature_weight: FloatArray  # (d,) u of each feature
    smallest_variance: FloatArray  # (d,)
    smoothing: float


class BCEState(NamedTuple):
    """Parameters of the model."""

    alpha: FloatArray  # (k,)
    table: FloatArray  # (n_cells, k) beta
    location: FloatArray  # (d, k) mean, rate or probability
    spread: FloatArray  # (d, k) variance


class BCEProblem(NamedTuple):
    """Rows and columns of a fit."""

    rows: MembershipRows
    columns: BCEColumns

    @property
    def n(self) -> float:
        """Weight of all rows: the number of objects."""
        return float(self.rows.row_weights.sum())

    @property
    def observed_weight(self) -> FloatArray:
        """Weight of the columns that each row has: sum_j u_j."""
        n = len(self.rows.row_weights)
        row = np.repeat(np.arange(n), np.diff(self.rows.start))
        labels = np.bincount(row, weights=self.columns.layout.cell_weights[self.rows.cells], minlength=n)
        return np.asarray(labels + ~np.isnan(self.rows.features) @ self.columns.feature_weight)


def label_columns(ensemble: Ensemble, smoothing: float) -> BCEColumns:
    """Columns of an ensemble of labels, without features."""
    none = np.empty(0)
    return BCEColumns(ensemble.layout, np.empty(0, dtype=np.int64), none, none, smoothing)


def as_rows(ensemble: Ensemble, features: FloatArray | None = None) -> MembershipRows:
    """Rows of labels, and of features where there are any."""
    beside = np.empty((ensemble.n_rows, 0)) if features is None else np.ascontiguousarray(features)
    return MembershipRows(ensemble.row_starts, ensemble.row_cells, beside, ensemble.row_weights)


def as_parameters(state: BCEState, columns: BCEColumns) -> MembershipParameters:
    """The state as the kernel wants it."""
    return MembershipParameters(
        state.alpha, state.table, columns.layout.cell_weights,
        columns.families, state.location, state.spread, columns.feature_weight,
    )  # fmt: skip


def flat_gamma(problem: BCEProblem, alpha: FloatArray) -> FloatArray:
    """Where the first E-step starts: every column's weight in equal parts on all clusters."""
    return np.asarray(alpha + problem.observed_weight[:, None] / len(alpha))


def start_features(problem: BCEProblem, labels: Array, n_clusters: int) -> tuple[FloatArray, FloatArray]:
    """Mean of every feature in the clusters of a start, mixed with the mean of all; variance of all."""
    rows, columns = problem
    seen = ~np.isnan(rows.features)
    values = np.where(seen, rows.features, 0.0)
    weight = seen * rows.row_weights[:, None]
    location = np.empty((values.shape[1], n_clusters))
    spread = np.ones_like(location)
    for d in range(values.shape[1]):
        mass = np.bincount(labels, weights=weight[:, d], minlength=n_clusters)
        total = np.bincount(labels, weights=weight[:, d] * values[:, d], minlength=n_clusters)
        mean = total.sum() / mass.sum()
        location[d] = (1 - _NOISE) * np.divide(
            total, mass, out=np.full(n_clusters, mean), where=mass > 0
        ) + _NOISE * mean
        if columns.families[d] == GAUSSIAN:
            spread[d] = weight[:, d] @ (values[:, d] - mean) ** 2 / mass.sum()
        else:
            location[d] = np.maximum(location[d], _TINY)
    spread = np.maximum(spread, columns.smallest_variance[:, None])
    location[columns.families == BERNOULLI] = np.minimum(location[columns.families == BERNOULLI], 1 - _TINY)
    return location, spread


def local_stats(
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
    bce.expect(problem.rows, as_parameters(state, problem.columns), *block, n_steps, tol, gamma, bounds, sums)
    return sums


def add_up(parts: Iterable[MembershipSums]) -> MembershipSums:
    """Sum of the blocks' statistics."""
    total, *others = parts
    for other in others:
        for mine, its in zip(total, other, strict=True):
            mine += its
    return total


def expect_all(
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
    edges = block_edges(len(problem.rows.row_weights), len(state.table))
    task = partial(local_stats, problem, state, gamma=gamma, bounds=bounds, n_steps=n_steps, tol=tol)
    return add_up(in_order(task, edges, n_jobs))


def penalised_bound(state: BCEState, sums: MembershipSums, columns: BCEColumns) -> float:
    """What EM climbs: the lower bound and, with smoothing, eps sum log beta."""
    bound = float(sums.bound[0])
    if columns.smoothing:
        bound += columns.smoothing * float(columns.layout.cell_weights @ np.log(state.table).sum(axis=1))
    return bound


def update(state: BCEState, sums: MembershipSums, *, columns: BCEColumns, n: float) -> BCEState:
    """M-step; ``n`` is the weight of all rows."""
    table = normalise(sums.labels + columns.smoothing, columns.layout, state.table)
    location, spread = update_features(state, sums.features, columns)
    return BCEState(maximise_alpha(state.alpha, sums.log_theta, n), table, location, spread)


def update_features(state: BCEState, sums: FloatArray, columns: BCEColumns) -> tuple[FloatArray, FloatArray]:
    """Weighted means and variances; a cluster without mass keeps what it had."""
    mass, first, second = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, square = first / mass, second / mass
    gaussian = (columns.families == GAUSSIAN)[:, None]
    location = np.where(gaussian, state.location + mean, np.maximum(mean, _TINY))
    location = np.where((columns.families == BERNOULLI)[:, None], np.minimum(location, 1 - _TINY), location)
    spread = np.where(gaussian, np.maximum(square - mean**2, columns.smallest_variance[:, None]), 1.0)
    there = mass > 0
    return np.where(there, location, state.location), np.where(there, spread, state.spread)


def beyond(old: BCEState, new: BCEState, factor: float, *, columns: BCEColumns) -> BCEState:
    """Go ``factor`` times as far as from ``old`` to ``new``: in logs, Gaussian means as they are."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(old.table > 0, new.table / old.table, 1.0)
        further = [_further(a, b, factor) for a, b in zip(old[2:], new[2:], strict=True)]
    table = normalise(new.table * np.clip(ratio, *_RATIOS) ** (factor - 1), columns.layout, new.table)
    alpha = np.clip(_further(old.alpha, new.alpha, factor), SMALLEST_ALPHA, LARGEST_ALPHA)
    gaussian = (columns.families == GAUSSIAN)[:, None]
    location = np.where(gaussian, old.location + factor * (new.location - old.location), further[0])
    location = np.where((columns.families == BERNOULLI)[:, None], np.minimum(location, 1 - _TINY), location)
    spread = np.where(gaussian, np.maximum(further[1], columns.smallest_variance[:, None]), 1.0)
    return BCEState(alpha, table, location, spread)


def _further(old: FloatArray, new: FloatArray, factor: float) -> FloatArray:
    return np.asarray(old * np.clip(new / old, *_RATIOS) ** factor)
