"""One chain of collapsed Gibbs sampling: each object in turn given all others, then a climb from the best sweep.

    p(z_n = k | rest) prop. to prior_k prod_{m observed} (b + n_km,y_nm) / (J_m b + n_km)     without n, eqs. N10 to N13

Under stick breaking labels are not exchangeable, and objects alone rarely carry a cluster to another label; so after
each sweep swaps of two labels are proposed (eq. N14). alpha0 and beta are fixed, or sampled on the log scale under
Gamma(1, 1) (eq. N15).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from partita._kernels import nbce_gibbs as kernel
from partita._labels.ensemble import Ensemble
from partita._runs import Progress
from partita._sampling import SamplingPlan
from partita._typing import FloatArray, IntArray
from partita.consensus.nbce._joint import (
    HIGHEST,
    LOWEST,
    NBCEModel,
    Occupancy,
    log_assignment_prior,
    log_joint,
    log_label_likelihood,
)
from partita.consensus.nbce._posterior import SMALL_CLUSTER

# Steps of the random walk in log alpha0 and log beta: long moves are rarely accepted, short ones explore slowly. Every
# label tells about beta, but only the sizes of the clusters about alpha0, so that beta varies less.
_STEPS = {"alpha0": 0.6, "beta": 0.25}
_CLIMBS = 100  # limit of the rounds of a climb, which ends before it where nothing rises any more
_RISE = 1e-9  # relative rise of log p(Y, Z) that is more than the rounding of a sum over labels and clusters


class ChainSettings(NamedTuple):
    """What a chain does."""

    plan: SamplingPlan
    swap_labels: bool
    estimate: tuple[bool, bool]  # whether alpha0 and beta are sampled
    keep_occupancies: bool


class GibbsMode(NamedTuple):
    """An assignment that no move of one object, swap of labels or removal of a small cluster improves."""

    z: IntArray  # (n,)
    model: NBCEModel
    log_joint: float


class GibbsChain(NamedTuple):
    """What one chain found."""

    samples: IntArray  # (n_kept, n) assignments
    models: list[NBCEModel]  # of the kept samples
    occupancies: list[Occupancy]  # of the kept samples, labels of the clusters with objects alone; or none
    log_joint: FloatArray  # (n_sweeps,)
    n_clusters: IntArray  # (n_sweeps,)
    mode: GibbsMode


class GibbsSampler:
    """Objects with their labels, and the state of the kernel."""

    def __init__(self, objects: Ensemble, model: NBCEModel, z: IntArray, n_clusters: int) -> None:
        m, shape = objects.n_clusterings, (objects.n_cells, n_clusters)
        self.objects, self.model, self.n = objects, model, objects.n_rows
        self.state = kernel.GibbsState(
            z.astype(np.int64).copy(),
            np.zeros(n_clusters, dtype=np.int64),
            np.zeros(shape, dtype=np.int64),
            np.zeros((m, n_clusters), dtype=np.int64),
            np.zeros(shape),
            np.zeros((m, n_clusters)),
            np.zeros(n_clusters),
        )
        self._tabulate()

    def _tabulate(self) -> None:
        """Logs of everything that a number of objects can become, for the present beta."""
        beta, numbers = self.model.beta, np.arange(self.n + 2)
        kinds, group = np.unique(self.model.n_labels, return_inverse=True)
        self.rows = kernel.GibbsRows(
            self.objects.row_starts,
            self.objects.row_cells,
            self.objects.row_clusterings,
            self.model.clustering_weights,
            np.log(beta + numbers),
            np.log(beta * kinds[:, None] + numbers),
            group.astype(np.int64),
        )
        kernel.rebuild(self.rows, self.state)

    def set_model(self, model: NBCEModel) -> None:
        """Take other values of alpha0 and beta."""
        changed = model.beta != self.model.beta
        self.model = model
        if changed:
            self._tabulate()

    def set_z(self, z: IntArray) -> None:
        """Take another assignment."""
        self.state.z[:] = z
        kernel.rebuild(self.rows, self.state)

    def sweep(self, uniform: FloatArray, *, climb: bool = False) -> int:
        """One pass over the objects; returns how many moved."""
        sticks = self.model.prior == "tsb"
        return int(kernel.sweep_gibbs(self.rows, self.state, self.model.alpha0, sticks, climb, uniform))

    def conditional(self, i: int) -> FloatArray:
        """p(z_i = k | all others)."""
        out = np.empty(len(self.state.size))
        kernel.conditional(self.rows, self.state, i, self.model.alpha0, self.model.prior == "tsb", out)
        return out

    def dissolve(self, cluster: int) -> None:
        """Move each object of a cluster to the best of the others."""
        kernel.dissolve(self.rows, self.state, cluster, self.model.alpha0, self.model.prior == "tsb")

    def occupancy(self) -> Occupancy:
        """Size of all clusters, and labels of those with objects: empty ones add nothing to log p(Y | Z)."""
        size = self.state.size
        return Occupancy(size.astype(np.float64), self.state.label_size[:, size > 0].astype(np.float64))

    def log_joint(self) -> float:
        """Log p(Y, Z)."""
        return log_joint(self.occupancy(), self.model)

    def swap(self, rng: np.random.Generator | None) -> None:
        """Propose swaps of neighbouring labels, and of any two; without ``rng`` only better ones are taken.

        Which pairs are proposed must not depend on the state, or the moves would favour some labels.
        """
        size = self.state.size
        if len(size) < 2:
            return
        near = np.column_stack([np.arange(len(size) - 1), np.arange(1, len(size))])
        if rng is None:
            pairs, log_uniform = near, np.full(len(near), kernel.GAIN)  # log p(Z) must rise by more than rounding
        else:
            ends = rng.integers(len(size), size=(len(size), 2))
            far = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
            pairs = np.vstack([near, far])
            log_uniform = np.log(rng.random(len(pairs)))
        new_label = np.empty(len(size), dtype=np.int64)
        kernel.swap_labels(size, self.model.alpha0, pairs, log_uniform, new_label)
        if (new_label != np.arange(len(size))).any():
            self._renumber(new_label)

    def _renumber(self, new_label: IntArray) -> None:
        """Give the clusters new labels; the kernel did so with their sizes."""
        state, old_label = self.state, np.argsort(new_label)
        state.z[:] = new_label[state.z]
        for table in (state.label_size, state.observed, state.numerator, state.denominator):
            table[:] = table[:, old_label]
        state.total[:] = state.total[old_label]

    def draw_parameters(self, estimate: tuple[bool, bool], rng: np.random.Generator) -> None:
        """Metropolis steps for alpha0 (through p(Z) alone) and beta (through p(Y | Z) alone)."""
        if not any(estimate):
            return
        occupancy = self.occupancy()
        if estimate[0]:
            self._draw("alpha0", lambda model: log_assignment_prior(occupancy.size, model), rng)
        if estimate[1]:
            self._draw("beta", lambda model: log_label_likelihood(occupancy, model), rng)

    def _draw(self, name: str, value: Callable[[NBCEModel], float], rng: np.random.Generator) -> None:
        now = getattr(self.model, name)
        proposal = float(now * np.exp(_STEPS[name] * rng.normal()))
        moved = self.model._replace(alpha0=proposal) if name == "alpha0" else self.model._replace(beta=proposal)
        if LOWEST <= proposal <= HIGHEST:
            gain = value(moved) + _log_gamma_density(proposal) - value(self.model) - _log_gamma_density(now)
            if np.log(rng.random()) < gain:
                self.set_model(moved)


def _log_gamma_density(value: float) -> float:
    """Log density of log alpha0, or of log beta, under Gamma(1, 1)."""
    return float(np.log(value) - value)


def log_parameter_prior(model: NBCEModel, estimate: tuple[bool, bool]) -> float:
    """Log density of the logs of the parameters that are sampled; 0 where none is."""
    values = zip((model.alpha0, model.beta), estimate, strict=True)
    return sum(_log_gamma_density(value) for value, sampled in values if sampled)


def run_chain(sampler: GibbsSampler, settings: ChainSettings, seed: int, bar: Progress) -> GibbsChain:
    """Sample, keep every ``thin``-th assignment after the burn-in, and climb from the best."""
    rng, plan = np.random.default_rng(seed), settings.plan
    label_type = np.int16 if len(sampler.state.size) < 2**15 else np.int32
    samples = np.empty((len(plan.kept), sampler.n), dtype=label_type)
    models: list[NBCEModel] = []
    occupancies: list[Occupancy] = []
    trace, n_clusters = np.empty(plan.n_sweeps), np.empty(plan.n_sweeps, dtype=np.int64)
    best, best_model, highest = sampler.state.z.copy(), sampler.model, -np.inf
    for t in range(plan.n_sweeps):
        sampler.sweep(rng.random(sampler.n))
        if settings.swap_labels and sampler.model.prior == "tsb":
            sampler.swap(rng)
        sampler.draw_parameters(settings.estimate, rng)
        trace[t] = sampler.log_joint()
        n_clusters[t] = np.count_nonzero(sampler.state.size)
        value = trace[t] + log_parameter_prior(sampler.model, settings.estimate)
        if t >= plan.burn_in and value > highest:
            highest, best, best_model = value, sampler.state.z.copy(), sampler.model
        if t in plan.kept:
            samples[len(models)] = sampler.state.z
            models.append(sampler.model)
            if settings.keep_occupancies:
                occupancies.append(_compact(sampler.occupancy()))
        bar.update(1)
    return GibbsChain(samples, models, occupancies, trace, n_clusters, climb_from(sampler, best, best_model))


def _compact(occupancy: Occupancy) -> Occupancy:
    """The same whole numbers in the smallest type that holds them."""
    smallest = np.min_scalar_type(int(occupancy.size.sum()))
    return Occupancy(occupancy.size.astype(smallest), occupancy.label_size.astype(smallest))


# ---------------------------------------------------------------------------------------------------------- the climb
def climb_from(sampler: GibbsSampler, z: IntArray, model: NBCEModel) -> GibbsMode:
    """Raise log p(Y, Z) until no move of one object, swap of labels or removal of a small cluster does (eq. N18)."""
    sampler.set_model(model)
    best, highest = _climb(sampler, z)
    for _ in range(_CLIMBS):
        size = np.bincount(best, minlength=len(sampler.state.size))
        small = np.flatnonzero((size > 0) & (size < SMALL_CLUSTER * sampler.n) & (size < size.max()))
        for cluster in small[np.argsort(size[small], kind="stable")]:
            sampler.set_z(best)
            sampler.dissolve(cluster)
            moved, value = _climb(sampler, sampler.state.z)
            if value > highest + _RISE * abs(highest):
                best, highest = moved, value
                break
        else:
            break
    sampler.set_z(best)
    return GibbsMode(best, model, highest)


def _climb(sampler: GibbsSampler, z: IntArray) -> tuple[IntArray, float]:
    """Move one object, or swap two labels, at a time as long as log p(Y, Z) rises."""
    sampler.set_z(z)
    unused = np.empty(sampler.n)
    for _ in range(_CLIMBS):
        if sampler.sweep(unused, climb=True) == 0:
            break
        if sampler.model.prior == "tsb":
            sampler.swap(None)
    return sampler.state.z.copy(), sampler.log_joint()
