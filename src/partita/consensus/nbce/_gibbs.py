"""Collapsed Gibbs sampling: several chains of assignments, each object in turn given all others.

    p(z_n = k | rest) prop. to prior_k prod_{m observed} (b + n_km,y_nm) / (J_m b + n_km)      counts without n   (5.3)

Under stick breaking labels are not exchangeable, and objects alone rarely carry a cluster to another label; so after
each sweep swaps of two labels are proposed. alpha0 and beta are fixed, or sampled on the log scale under Gamma(1, 1).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from partita._kernels import nbce_gibbs as kernel
from partita._labels.ensemble import Ensemble
from partita._runs import Progress
from partita._typing import FloatArray, IntArray
from partita.consensus.nbce._joint import HIGHEST, LOWEST, Counts, NBCEModel, log_joint, log_likelihood, log_prior

_STEPS = {"alpha0": 0.6, "beta": 0.25}  # of the random walk in log alpha0 and log beta
_CLIMBS = 100
_SMALL = 0.05  # share of the objects below which a cluster is small


class GibbsPlan(NamedTuple):
    """How long to sample, and what."""

    n_sweeps: int
    burn_in: int
    thin: int
    swap_labels: bool
    sample_alpha0: bool
    sample_beta: bool


class GibbsChain(NamedTuple):
    """What one chain found."""

    samples: IntArray  # (n_kept, n) assignments
    models: list[NBCEModel]  # of the kept samples
    log_joint: FloatArray  # (n_sweeps,)
    n_clusters: IntArray  # (n_sweeps,)
    best: IntArray  # (n,) assignment of the highest joint, climbed to its mode
    best_model: NBCEModel
    best_log_joint: float


class GibbsSampler:
    """One chain: objects with their labels, and the state of the kernel."""

    def __init__(self, objects: Ensemble, model: NBCEModel, z: IntArray, n_clusters: int) -> None:
        n, m = len(z), len(model.weights)
        self.objects, self.model = objects, model
        self.kinds, self.group = np.unique(model.n_labels, return_inverse=True)
        shape = (model.layout.n_cells, n_clusters)
        self.state = kernel.GibbsState(
            z.astype(np.int64).copy(),
            np.zeros(n_clusters, dtype=np.int64),
            np.zeros(shape, dtype=np.int64),
            np.zeros((m, n_clusters), dtype=np.int64),
            np.zeros(shape),
            np.zeros((m, n_clusters)),
            np.zeros(n_clusters),
        )
        self.n = n
        self.set_model(model)

    def set_model(self, model: NBCEModel) -> None:
        """Take other values of alpha0 and beta."""
        renew = model.beta != self.model.beta or not hasattr(self, "rows")
        self.model = model
        if renew:
            counts = np.arange(self.n + 2)
            self.rows = kernel.GibbsRows(
                self.objects.row_starts,
                self.objects.row_cells,
                self.objects.row_clusterings,
                model.weights,
                np.log(model.beta + counts),
                np.log(model.beta * self.kinds[:, None] + counts),
                self.group.astype(np.int64),
            )
            kernel.rebuild(self.rows, self.state)

    def set_z(self, z: IntArray) -> None:
        """Take another assignment."""
        self.state.z[:] = z
        kernel.rebuild(self.rows, self.state)

    def sweep(self, uniform: FloatArray, *, climb: bool = False) -> int:
        """One pass over the objects."""
        sticks = self.model.prior == "tsb"
        return int(kernel.sweep(self.rows, self.state, self.model.alpha0, sticks, climb, uniform))

    def conditional(self, i: int) -> FloatArray:
        """p(z_i = k | all others)."""
        out = np.empty(len(self.state.size))
        kernel.conditional(self.rows, self.state, i, self.model.alpha0, self.model.prior == "tsb", out)
        return out

    def counts(self) -> Counts:
        """Counts of all clusters for the prior, of the occupied ones for the labels."""
        return Counts(self.state.size.astype(np.float64), self.state.labels[:, self.state.size > 0].astype(np.float64))

    def log_joint(self) -> float:
        """Log p(Y, Z)."""
        return log_joint(self.counts(), self.model)

    def swap(self, rng: np.random.Generator | None) -> None:
        """Propose swaps of neighbouring labels, and of any two; without ``rng`` only better ones are taken.

        Which pairs are proposed must not depend on the state, or the moves would favour some labels.
        """
        size = self.state.size
        if len(size) < 2:
            return
        near = np.column_stack([np.arange(len(size) - 1), np.arange(1, len(size))])
        if rng is None:
            pairs, log_uniform = near, np.full(len(near), 1e-10)
        else:
            ends = rng.integers(len(size), size=(len(size), 2))
            far = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
            pairs = np.vstack([near, far])
            log_uniform = np.log(rng.random(len(pairs)))
        place = np.empty(len(size), dtype=np.int64)
        kernel.swap_labels(size, self.model.alpha0, pairs, log_uniform, place)
        if (place != np.arange(len(size))).any():
            self.state.z[:] = place[self.state.z]
            at = np.argsort(place)
            for table in (self.state.labels, self.state.observed, self.state.numerator, self.state.denominator):
                table[:] = table[:, at]
            self.state.total[:] = self.state.total[at]

    def draw_parameters(self, plan: GibbsPlan, rng: np.random.Generator) -> None:
        """Metropolis steps for alpha0 (through p(Z) alone) and beta (through p(Y | Z) alone)."""
        counts = self.counts()
        if plan.sample_alpha0:
            self._draw("alpha0", lambda model: log_prior(counts.size, model), rng)
        if plan.sample_beta:
            self._draw("beta", lambda model: log_likelihood(counts, model), rng)

    def _draw(self, name: str, value: Callable[[NBCEModel], float], rng: np.random.Generator) -> None:
        proposal = float(getattr(self.model, name) * np.exp(_STEPS[name] * rng.normal()))
        moved = self.model._replace(alpha0=proposal) if name == "alpha0" else self.model._replace(beta=proposal)
        if LOWEST <= proposal <= HIGHEST:
            gain = value(moved) + hyper_prior(moved, name) - value(self.model) - hyper_prior(self.model, name)
            if np.log(rng.random()) < gain:
                self.set_model(moved)


def hyper_prior(model: NBCEModel, name: str) -> float:
    """Log density of log alpha0 (or log beta) under Gamma(1, 1)."""
    value = getattr(model, name)
    return float(np.log(value) - value)


def run_chain(sampler: GibbsSampler, plan: GibbsPlan, seed: int, bar: Progress) -> GibbsChain:
    """Sample, keep every ``thin``-th assignment after the burn-in, and climb from the best."""
    rng = np.random.default_rng(seed)
    kept = range(plan.burn_in + plan.thin - 1, plan.n_sweeps, plan.thin)
    kind = np.int16 if len(sampler.state.size) < 2**15 else np.int32
    samples = np.empty((len(kept), sampler.n), dtype=kind)
    models: list[NBCEModel] = []
    trace, n_clusters = np.empty(plan.n_sweeps), np.empty(plan.n_sweeps, dtype=np.int64)
    best, best_model, highest = sampler.state.z.copy(), sampler.model, -np.inf
    drawn = [name for name, wanted in (("alpha0", plan.sample_alpha0), ("beta", plan.sample_beta)) if wanted]
    for t in range(plan.n_sweeps):
        sampler.sweep(rng.random(sampler.n))
        if plan.swap_labels and sampler.model.prior == "tsb":
            sampler.swap(rng)
        sampler.draw_parameters(plan, rng)
        trace[t] = sampler.log_joint()
        n_clusters[t] = np.count_nonzero(sampler.state.size)
        value = trace[t] + sum(hyper_prior(sampler.model, name) for name in drawn)
        if t >= plan.burn_in and value > highest:
            highest, best, best_model = value, sampler.state.z.copy(), sampler.model
        if t in kept:
            samples[len(models)] = sampler.state.z
            models.append(sampler.model)
        bar.update(1)
    return GibbsChain(samples, models, trace, n_clusters, *climb_from(sampler, best, best_model))


def climb_from(sampler: GibbsSampler, z: IntArray, model: NBCEModel) -> tuple[IntArray, NBCEModel, float]:
    """Raise log p(Y, Z) until no move of one object, swap of labels, or end of a small cluster raises it further."""
    sampler.set_model(model)
    best, highest = _climb(sampler, z)
    for _ in range(_CLIMBS):
        size = np.bincount(best, minlength=len(sampler.state.size))
        small = np.flatnonzero((size > 0) & (size < _SMALL * sampler.n) & (size < size.max()))
        for cluster in small[np.argsort(size[small], kind="stable")]:
            sampler.set_z(best)
            kernel.dissolve(sampler.rows, sampler.state, cluster, model.alpha0, model.prior == "tsb")
            moved, value = _climb(sampler, sampler.state.z)
            if value > highest + 1e-9 * abs(highest):
                best, highest = moved, value
                break
        else:
            break
    sampler.set_z(best)
    return best, model, highest


def _climb(sampler: GibbsSampler, z: IntArray) -> tuple[IntArray, float]:
    """Move one object, or swap two labels, at a time as long as log p(Y, Z) rises."""
    sampler.set_z(z)
    nothing = np.empty(sampler.n)
    for _ in range(_CLIMBS):
        if sampler.sweep(nothing, climb=True) == 0:
            break
        if sampler.model.prior == "tsb":
            sampler.swap(None)
    return sampler.state.z.copy(), sampler.log_joint()
