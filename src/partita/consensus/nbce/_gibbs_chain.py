"""One chain: sweeps over the partition, tempered where asked for, and a climb from the best sweep (eqs. N16, N51).

A tempered chain has replicas whose likelihood has a power from 1 down to a half. Neighbours exchange their powers; the
replica of power 1 is the chain.
"""

from typing import NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import Progress
from partita._sampling import SamplingPlan
from partita._typing import FloatArray, IntArray
from partita.consensus.nbce._joint import NBCEModel, Occupancy
from partita.consensus.nbce._partition_sampler import GibbsMode, PartitionSampler, log_parameter_prior, sort_objects

# Power of the last replica, and the number of replicas. ecoli, 100 clusterings of 336 objects, 4 chains of 300 sweeps:
# without replicas 4 nats short of the best and R-hat 7 to 19; 6 down to 0.5: 0 short, R-hat 1.04 to 1.11; 10 down to
# 0.1 (200 sweeps): 0 short, R-hat 1.7 to 3.0, as few exchanges at the lower end are accepted.
WEAKEST, N_TEMPERATURES = 0.5, 6
_AT_ONCE = 50  # sweeps in one call of the kernel: between calls the progress bar moves on


class ChainSettings(NamedTuple):
    """What a chain does."""

    plan: SamplingPlan
    estimate: tuple[bool, bool]  # whether alpha0 and beta are sampled
    keep_occupancies: bool


class GibbsChain(NamedTuple):
    """What one chain found."""

    samples: IntArray  # (n_kept, n) assignments
    models: list[NBCEModel]  # of the kept samples
    occupancies: list[Occupancy]  # of the kept samples, labels of the clusters with objects alone; or none
    log_joint: FloatArray  # (n_sweeps,)
    n_clusters: IntArray  # (n_sweeps,)
    mode: GibbsMode


class _Best(NamedTuple):
    value: float
    z: IntArray
    model: NBCEModel


def make_replicas(
    objects: Ensemble, model: NBCEModel, z: IntArray, n_clusters: int, seed: int, n_temperatures: int = 1
) -> list[PartitionSampler]:
    """Samplers from the same start, the one of power 1 first."""
    data, heats = sort_objects(objects), np.linspace(1.0, WEAKEST, n_temperatures)
    seeds = np.random.SeedSequence(seed).generate_state(n_temperatures, np.uint64)
    replicas = zip(seeds, heats, strict=True)
    return [PartitionSampler(data, model, z, n_clusters, int(s), float(heat)) for s, heat in replicas]


def run_chain(replicas: list[PartitionSampler], settings: ChainSettings, seed: int, bar: Progress) -> GibbsChain:
    """Sample, keep every ``thin``-th assignment after the burn-in, and climb from the best."""
    rng, plan, estimate = np.random.default_rng(seed), settings.plan, settings.estimate
    label_type = np.int16 if len(replicas[0].state.size) < 2**15 else np.int32
    samples = np.empty((len(plan.kept), replicas[0].n), dtype=label_type)
    models: list[NBCEModel] = []
    occupancies: list[Occupancy] = []
    trace = np.empty((plan.n_sweeps, 2))
    best = _Best(-np.inf, replicas[0].z, replicas[0].model)
    single = len(replicas) == 1 and not any(estimate)
    for first, last in _stretches(plan, _AT_ONCE if single else 1):
        found = [_sweep(replica, last - first, estimate, rng) for replica in replicas]
        best = max([best, *(candidate for _, candidate in found)], key=lambda candidate: candidate.value)
        cold = _exchange(replicas, [float(rows[-1, 2]) for rows, _ in found], rng)
        trace[first:last] = found[cold][0][:, :2]
        if last - 1 in plan.kept:
            chain = replicas[cold]
            samples[len(models)] = chain.z
            models.append(chain.model)
            if settings.keep_occupancies:
                occupancies.append(_compact(chain.occupancy()))
        bar.update(last - first)
    mode = replicas[0].climb_from(best.z, best.model)
    return GibbsChain(samples, models, occupancies, trace[:, 0], trace[:, 1].astype(np.int64), mode)


def _stretches(plan: SamplingPlan, longest: int) -> list[tuple[int, int]]:
    """Sweeps that run at once: up to the next one that is kept."""
    stops = sorted({*(t + 1 for t in plan.kept), *range(longest, plan.n_sweeps, longest), plan.n_sweeps})
    return list(zip([0, *stops[:-1]], stops, strict=True))


def _sweep(
    replica: PartitionSampler, n_sweeps: int, estimate: tuple[bool, bool], rng: np.random.Generator
) -> tuple[FloatArray, _Best]:
    replica.draw_parameters(estimate, rng)
    trace, highest = replica.sweep(n_sweeps)
    return trace, _Best(highest + log_parameter_prior(replica.model, estimate), replica.best(), replica.model)


def _exchange(replicas: list[PartitionSampler], log_likelihoods: list[float], rng: np.random.Generator) -> int:
    """Propose to exchange the powers of all neighbours; returns the replica that then has power 1 (eq. N51)."""
    order = sorted(range(len(replicas)), key=lambda place: -replicas[place].heat)
    for step in range(len(order) - 1):
        a, b = order[step], order[step + 1]
        gain = (replicas[a].heat - replicas[b].heat) * (log_likelihoods[b] - log_likelihoods[a])
        if np.log(rng.random()) < gain:
            replicas[a].heat, replicas[b].heat = replicas[b].heat, replicas[a].heat
            order[step], order[step + 1] = b, a
    return order[0]


def _compact(occupancy: Occupancy) -> Occupancy:
    """The same whole numbers in the smallest type that holds them."""
    smallest = np.min_scalar_type(int(occupancy.size.sum()))
    return Occupancy(occupancy.size.astype(smallest), occupancy.label_size.astype(smallest))


def best_partition(
    objects: Ensemble, model: NBCEModel, z: IntArray, n_clusters: int, n_sweeps: int, seed: int
) -> GibbsMode:
    """The best assignment of one short chain from a given one, at given alpha0 and beta."""
    sampler = make_replicas(objects, model, z, n_clusters, seed)[0]
    sampler.sweep(n_sweeps)
    return sampler.climb_from(sampler.best(), model)
