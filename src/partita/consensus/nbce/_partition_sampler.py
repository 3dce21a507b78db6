"""The state of one chain, or of one replica of it: objects sorted by row, slots, and what the kernel needs.

A sweep is made of three kinds of moves of the partition, and a draw of the sticks (eqs. N45 to N50):

    objects   each in turn, given all others
    pairs     two objects: their cluster is split, or their two clusters are merged or split anew
    rows      all copies of a row that are in two clusters are shared out between them at once
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from partita._kernels import nbce_gibbs as kernel
from partita._kernels.nbce_climb import climb
from partita._kernels.nbce_tables import HEAT
from partita._kernels.nbce_types import PartitionLogs, PartitionRows, PartitionState, SweepPlan
from partita._labels.ensemble import Ensemble, find_distinct_rows
from partita._numbering import number_by_size
from partita._stopping import until_stopped
from partita._typing import FloatArray, IntArray
from partita.consensus.nbce._joint import (
    HIGHEST,
    LOWEST,
    NBCEModel,
    Occupancy,
    log_assignment_prior,
    log_joint,
    log_label_likelihood,
    occupancy_of,
)
from partita.consensus.nbce._posterior import SMALL_CLUSTER

# Proposals per sweep that split or merge. ecoli, 10 clusterings, 4 chains of 250 sweeps, 20 seeds: the largest R-hat is
# 1.08 (sticks) and 1.11 (Dirichlet) with 15, 1.07 and 1.09 with 25; with 5 and 10 some runs do not agree at all.
PAIRS = 25
# Steps of the random walk in log alpha0 and log beta: long moves are rarely accepted, short ones explore slowly. Every
# label tells about beta, but only the sizes of the clusters about alpha0, so that beta varies less.
_STEPS = {"alpha0": 0.6, "beta": 0.25}


class GibbsMode(NamedTuple):
    """An assignment that no move of one object, and no removal of a small cluster, improves."""

    z: IntArray  # (n,) clusters by decreasing size
    model: NBCEModel
    log_joint: float


class SortedObjects(NamedTuple):
    """Objects sorted by row, and the tables that all replicas share."""

    objects: Ensemble  # in their own order
    order: IntArray  # (n,) place of each sorted object in their own order
    rows: PartitionRows


def sort_objects(objects: Ensemble) -> SortedObjects:
    """Put objects with equal rows side by side."""
    distinct = find_distinct_rows(objects.codes, objects.n_labels)
    order = np.argsort(distinct.inverse, kind="stable")
    rows = objects.with_rows(np.ascontiguousarray(objects.codes[distinct.first]))
    n_labels, group = np.unique(objects.n_labels, return_inverse=True)
    return SortedObjects(
        objects,
        order,
        PartitionRows(
            rows.row_starts,
            rows.row_cells,
            rows.row_clusterings,
            np.append(0, np.cumsum(distinct.n_objects)).astype(np.int64),
            distinct.inverse[order].astype(np.int64),
            objects.clustering_weights,
            objects.cell_weights,
            group.astype(np.int64),
            n_labels.astype(np.float64),
        ),
    )


class PartitionSampler:
    """Clusters of the objects, alpha0 and beta; the likelihood counts with the power ``heat``."""

    def __init__(
        self, data: SortedObjects, model: NBCEModel, z: IntArray, n_clusters: int, seed: int, heat: float = 1.0
    ) -> None:
        n, m, n_cells, K = data.objects.n_rows, data.objects.n_clusterings, data.objects.n_cells, n_clusters
        groups = len(data.rows.n_labels)
        self.data, self.model, self.n, self.sticks = data, model, n, model.prior == "tsb"
        self.logs = PartitionLogs(
            np.empty(n + 1), np.empty((groups, n + 1)), np.empty(n + 1), np.empty((groups, n + 1))
        )
        self.state = PartitionState(
            np.empty(n, dtype=np.int64),
            np.empty(K, dtype=np.int64),
            np.zeros(K, dtype=np.int64),
            np.zeros((n_cells, K), dtype=np.int64),
            np.zeros((m, K), dtype=np.int64),
            np.zeros((n_cells, K)),
            np.zeros((m, K)),
            np.zeros(K),
            np.zeros(2, dtype=np.int64),
            np.array([model.alpha0, model.beta, heat]),
            np.array([seed], dtype=np.uint64),
        )
        self.best_z = np.zeros(n, dtype=np.int64)
        self.set_z(z)

    @property
    def heat(self) -> float:
        """Power of the likelihood."""
        return float(self.state.values[HEAT])

    @heat.setter
    def heat(self, value: float) -> None:
        self.state.values[HEAT] = value

    @property
    def z(self) -> IntArray:
        """Labels of the objects in their own order: sticks, or slots."""
        return self._in_own_order(self.state.label[self.state.z] if self.sticks else self.state.z)

    def _in_own_order(self, sorted_z: IntArray) -> IntArray:
        z = np.empty(self.n, dtype=np.int64)
        z[self.data.order] = sorted_z
        return z

    def set_z(self, z: IntArray) -> None:
        """Take another assignment."""
        self.state.z[:] = z[self.data.order]
        self.state.label[:] = np.arange(len(self.state.label))
        kernel.rebuild(self.data.rows, self.logs, self.state)

    def set_model(self, model: NBCEModel) -> None:
        """Take other values of alpha0 and beta."""
        changed = model.beta != self.model.beta
        self.model = model
        self.state.values[:2] = model.alpha0, model.beta
        if changed:
            kernel.rebuild(self.data.rows, self.logs, self.state)

    def sweep(self, n_sweeps: int, moves: tuple[int, int, int] = (1, PAIRS, 1)) -> tuple[FloatArray, float]:
        """Sweep; returns a trace (log p(Y, Z), clusters, log p(Y | Z), log p(Y, Z) by size) and its best last value.

        ``moves``: passes over the objects, pairs and passes over the rows in a sweep.
        """
        trace, plan = np.empty((n_sweeps, 4)), SweepPlan(*moves, self.sticks)
        sweep = kernel.sweep_partition
        return trace, until_stopped(sweep, self.data.rows, self.logs, self.state, plan, trace, self.best_z)

    def occupancy(self) -> Occupancy:
        """Size of all clusters, and labels of those with objects: empty ones add nothing to log p(Y | Z)."""
        occupied = np.flatnonzero(self.state.size > 0)
        labels = self.state.label[occupied] if self.sticks else occupied
        size = np.zeros(len(self.state.size))
        size[labels] = self.state.size[occupied]
        return Occupancy(size, self.state.label_size[:, occupied[np.argsort(labels)]].astype(np.float64))

    # ------------------------------------------------------------------------------------------------ alpha0 and beta
    def draw_parameters(self, estimate: tuple[bool, bool], rng: np.random.Generator) -> None:
        """Metropolis steps for alpha0 (through p(Z) alone) and beta (through p(Y | Z) alone)."""
        if not any(estimate):
            return
        occupancy = self.occupancy()
        if estimate[0]:
            self._draw("alpha0", lambda model: log_assignment_prior(occupancy.size, model), rng)
        if estimate[1]:
            self._draw("beta", lambda model: self.heat * log_label_likelihood(occupancy, model), rng)

    def _draw(self, name: str, value: Callable[[NBCEModel], float], rng: np.random.Generator) -> None:
        now = getattr(self.model, name)
        proposal = float(now * np.exp(_STEPS[name] * rng.normal()))
        moved = self.model._replace(alpha0=proposal) if name == "alpha0" else self.model._replace(beta=proposal)
        if LOWEST <= proposal <= HIGHEST:
            gain = value(moved) + _log_gamma_density(proposal) - value(self.model) - _log_gamma_density(now)
            if np.log(rng.random()) < gain:
                self.set_model(moved)

    # ----------------------------------------------------------------------------------------------------- the climb
    def best(self) -> IntArray:
        """The best assignment of the last call of ``sweep``."""
        return self._in_own_order(self.best_z)

    def climb_from(self, z: IntArray, model: NBCEModel) -> GibbsMode:
        """Raise log p(Y, Z), clusters by size, until no move or removal of a small cluster does (eq. N18)."""
        self.set_model(model)
        moved, K = z[self.data.order].astype(np.int64), len(self.state.size)
        small = SMALL_CLUSTER * self.n
        until_stopped(climb, self.data.rows, self.logs, moved, K, model.alpha0, self.sticks, small)
        by_size = number_by_size(self._in_own_order(moved), ties="number")
        objects = self.data.objects
        return GibbsMode(by_size, model, log_joint(occupancy_of(by_size, objects.codes, objects, K), model))


def _log_gamma_density(value: float) -> float:
    """Log density of log alpha0, or of log beta, under Gamma(1, 1)."""
    return float(np.log(value) - value)


def log_parameter_prior(model: NBCEModel, estimate: tuple[bool, bool]) -> float:
    """Log density of the logs of the parameters that are sampled; 0 where none is."""
    values = zip((model.alpha0, model.beta), estimate, strict=True)
    return sum(_log_gamma_density(value) for value, sampled in values if sampled)
