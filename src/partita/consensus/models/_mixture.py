"""EM of the mixture of multinomials over the rows of labels (Topchy, Jain and Punch, 2004).

A row x belongs to component h with probability pi_h, and then its labels are independent:

    p(x) = sum_h pi_h prod_{j observed} theta_hj[x_j]                                                (eq. M10)

E-step: r_ih prop. to pi_h prod_j theta_hj[x_ij].                                                    (eq. M11)
M-step: pi_h = mean of r_ih, theta_hj[a] prop. to eps + sum_{i: x_ij = a} r_ih.                      (eqs. M12, M57)
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from partita._kernels import mixture
from partita._labels.ensemble import Ensemble
from partita._runs import Progress, block_edges, in_order
from partita._stopping import check_stop
from partita._typing import FloatArray
from partita.consensus.models._em import EMRun, climb, column_sums, normalise, penalty

_TINY = 1e-300  # instead of 0 in logs: near the smallest float, so that it counts as 0
_ROWS = 2**17  # whose posterior is computed between two looks at the limits of time: some tenths of a second


class MixtureState(NamedTuple):
    """Parameters of the mixture."""

    pi: FloatArray  # (k,)
    table: FloatArray  # (n_cells, k) theta


class MixtureModel(NamedTuple):
    """What does not change during a fit."""

    impute: bool = False  # whether the M-step sees missing labels as the old parameters expect them
    smoothing: float = 0.0  # pseudo-count of every label in every component


PLAIN = MixtureModel()


class MixtureStats(NamedTuple):
    """What the M-step needs; additive over blocks of rows."""

    mass: FloatArray  # (k,) sum of r
    label_mass: FloatArray  # (n_cells, k) sum of r over the rows with a label
    log_likelihood: float


StatsOf = Callable[[FloatArray, FloatArray], MixtureStats]  # E-step of all rows, from logs of the labels and of pi


def as_rows(ensemble: Ensemble) -> mixture.MixtureRows:
    """Rows as the kernels need them."""
    return mixture.MixtureRows(ensemble.row_starts, ensemble.row_cells, ensemble.row_weights)


def expect_block(
    rows: mixture.MixtureRows, log_table: FloatArray, log_weights: FloatArray, block: tuple[int, int]
) -> MixtureStats:
    """E-step of a block of rows."""
    mass, label_mass = np.zeros(len(log_weights)), np.zeros(log_table.shape)
    log_likelihood = mixture.expect_mixture(rows, log_table, log_weights, *block, mass, label_mass)
    return MixtureStats(mass, label_mass, float(log_likelihood))


def add_stats(parts: Any) -> MixtureStats:
    """Sum of the blocks' statistics."""
    first, *others = parts
    mass, label_mass, log_likelihood = first
    for other in others:
        mass += other.mass
        label_mass += other.label_mass
        log_likelihood += other.log_likelihood
    return MixtureStats(mass, label_mass, log_likelihood)


def expect_all(
    rows: mixture.MixtureRows, log_table: FloatArray, log_weights: FloatArray, n_jobs: int | None
) -> MixtureStats:
    """E-step of all rows, in blocks."""
    edges = block_edges(len(rows.row_weights), len(log_table))
    return add_stats(in_order(partial(expect_block, rows, log_table, log_weights), edges, n_jobs))


def posterior(
    rows: mixture.MixtureRows, log_table: FloatArray, log_weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Membership and log-likelihood of each row."""
    n = len(rows.row_weights)
    membership, log_likelihood = np.empty((n, len(log_weights))), np.empty(n)
    for lo in range(0, n, _ROWS):
        check_stop()
        part = slice(lo, min(n, lo + _ROWS))
        mixture.posterior(rows, log_table, log_weights, lo, part.stop, membership[part], log_likelihood[part])
    return membership, log_likelihood


def update_mixture(
    state: MixtureState, stats: MixtureStats, layout: Ensemble, model: MixtureModel = PLAIN
) -> MixtureState:
    """M-step. With ``impute``, a missing label counts as the old parameters expect it (the paper's way, eq. M13)."""
    mass = stats.label_mass
    if model.impute:
        missing = stats.mass - column_sums(mass, layout)
        mass = mass + np.maximum(missing, 0.0)[layout.cell_clustering] * state.table
    table = normalise(mass + model.smoothing, layout, state.table)
    return MixtureState(stats.mass / stats.mass.sum(), table)


def log_tables(state: MixtureState, cell_weights: FloatArray, floor: float = _TINY) -> tuple[FloatArray, FloatArray]:
    """Logs of theta, times the weight of the clustering, and of pi."""
    log_table = np.log(np.maximum(state.table, floor)) * cell_weights[:, None]
    return log_table, np.log(np.maximum(state.pi, _TINY))


def run_mixture(
    ensemble: Ensemble,
    state: MixtureState,
    model: MixtureModel,
    *,
    tol: float,
    max_iter: int,
    bar: Progress | None = None,
    n_jobs: int | None = None,
) -> EMRun:
    """EM from a state to its end."""
    rows, n = as_rows(ensemble), float(ensemble.row_weights.sum())

    def stats_of(log_table: FloatArray, log_weights: FloatArray) -> MixtureStats:
        return expect_all(rows, log_table, log_weights, n_jobs)

    return climb_mixture(stats_of, state, model, layout=ensemble.layout, n=n, tol=tol, max_iter=max_iter, bar=bar)


def climb_mixture(
    stats_of: StatsOf,
    state: MixtureState,
    model: MixtureModel,
    *,
    layout: Ensemble,
    n: float,
    tol: float,
    max_iter: int,
    bar: Progress | None = None,
) -> EMRun:
    """The same for rows of weight ``n`` that are anywhere."""

    def expect(state: MixtureState) -> tuple[MixtureStats, float]:
        stats = stats_of(*log_tables(state, layout.cell_weights))
        return stats, stats.log_likelihood + penalty(state.table, model.smoothing, layout.cell_weights)

    step = partial(update_mixture, layout=layout, model=model)
    return climb(expect, step, state, tol=tol, max_iter=max_iter, n=n, bar=bar)
