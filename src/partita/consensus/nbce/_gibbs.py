"""The posterior of NBCE by sampling partitions: several chains from different starts, one consensus (eqs. N16 to N24).

A chain is in ``_gibbs_chain.py``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble, find_distinct_rows
from partita._memory import ensure_memory
from partita._numbering import number_by_size
from partita._partition_search.samples import estimate_partition
from partita._runs import Progress, in_order
from partita._sampling import SamplingPlan, compare_chains
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.consensus.models._em import STARTS
from partita.consensus.nbce._gibbs_chain import N_TEMPERATURES, ChainSettings, GibbsChain, make_replicas, run_chain
from partita.consensus.nbce._joint import NBCEModel, Occupancy, log_joint, mean_table, mean_weights, occupancy_of
from partita.consensus.nbce._partition_sampler import GibbsMode, log_parameter_prior
from partita.consensus.nbce._posterior import ClusterLogs, NBCEPosterior, mean_logs, place, predictive_logs

_STARTS = (10, 1, 30, 3)  # clusters of the first, second, ... start: from far too few to far too many
_MANY_COLUMNS = 50  # sum of the weights of clusterings from which chains are tempered; with 10 they mix without
_MANY_OBJECTS = 2000  # beyond, six replicas cost minutes, and whether they help was not measured
_MOST_DRAWN = 10**6  # objects that weights may make of fewer rows: a sweep of so many takes about half a second
_NUMBERS = 2**24  # of the occupancies of all samples, at most: 64 MiB at 4 bytes each, and mostly far less


class GibbsSettings(NamedTuple):
    """How to sample, and what to make of the samples."""

    truncation: int
    plan: SamplingPlan
    n_chains: int
    n_temperatures: int | None  # replicas of a chain; None: by the rule of eq. N51
    estimate: tuple[bool, bool]  # whether alpha0 and beta are sampled
    consensus: Literal["map", "binder", "vi"]
    init: str
    n_jobs: int | None


def gibbs(
    ensemble: Ensemble, model: NBCEModel, settings: GibbsSettings, seeds: IntArray, bar: Progress
) -> NBCEPosterior:
    """Sample by several chains, each with a seed of its start and one of its sweeps, and choose a consensus."""
    objects = _objects_to_draw(ensemble, settings)
    drawn = ensemble.with_rows(ensemble.codes[objects])
    n_clusters = min(settings.truncation, drawn.n_rows)
    n_kept = settings.n_chains * len(settings.plan.kept)
    keep = n_kept * drawn.n_cells * n_clusters <= _NUMBERS
    of_chain = ChainSettings(settings.plan, settings.estimate, keep)
    n_temperatures = settings.n_temperatures or choose_temperatures(drawn)

    def run(number: int) -> GibbsChain:
        of_start, of_sweeps = seeds[2 * number : 2 * number + 2].tolist()
        z = start_assignment(ensemble, objects, n_clusters, number, of_start, at_random=settings.init == "random")
        replicas = make_replicas(drawn, model, z, n_clusters, of_sweeps, n_temperatures)
        return run_chain(replicas, of_chain, of_sweeps, bar)

    chains = list(in_order(run, range(settings.n_chains), settings.n_jobs))
    return _summarise(ensemble, drawn, objects, n_clusters, chains, settings)


def choose_temperatures(drawn: Ensemble) -> int:
    """Number of replicas of a chain: more than one for many clusterings and rows that are mostly distinct (eq. N51)."""
    if drawn.clustering_weights.sum() < _MANY_COLUMNS or drawn.n_rows > _MANY_OBJECTS:
        return 1
    n_distinct = len(find_distinct_rows(drawn.codes, drawn.n_labels).first)
    return N_TEMPERATURES if 2 * n_distinct > drawn.n_rows else 1


def start_assignment(
    ensemble: Ensemble, objects: IntArray, n_clusters: int, number: int, seed: int, *, at_random: bool
) -> IntArray:
    """Clusters of a short k-means, or random ones; every fourth start is at random (eq. N16)."""
    few = min(n_clusters, _STARTS[number % len(_STARTS)])
    if few == 1:
        return np.zeros(len(objects), dtype=np.int64)
    if at_random or number % len(_STARTS) == len(_STARTS) - 1:
        return np.random.default_rng(seed).integers(few, size=len(objects))
    labels = STARTS["kmeans"](ensemble, few, seed)[objects].astype(np.int64)
    return number_by_size(labels, ties="number")


def _objects_to_draw(ensemble: Ensemble, settings: GibbsSettings) -> IntArray:
    """Row of each object that is drawn, as often as its weight says."""
    copies, n_kept = _whole(ensemble.row_weights), settings.n_chains * len(settings.plan.kept)
    n_drawn = int(copies.sum())
    if n_drawn > max(_MOST_DRAWN, ensemble.n_rows):
        raise ValueError(
            f"sample_weight adds up to {n_drawn:.3g} objects, and Gibbs sampling draws each of them in every sweep: "
            f"more than {_MOST_DRAWN:.0e} are refused. Use inference='vb' or 'cvb', which take weights as they are, or "
            "divide the weights."
        )
    ensure_memory(
        n_drawn * (2 * n_kept + 4 * ensemble.n_clusterings + 64),  # samples in 16 bits, labels in 32, and what is drawn
        purpose=f"Gibbs sampling of {n_drawn} objects",
        instead="use inference='vb' or 'cvb', or a larger thin.",
    )
    return np.repeat(np.arange(ensemble.n_rows), copies)


def _whole(row_weights: FloatArray) -> IntArray:
    """How often each row is drawn."""
    copies = np.rint(row_weights).astype(np.int64)
    if (copies != row_weights).any():
        wrong = row_weights[copies != row_weights][0]
        raise ValueError(
            f"sample_weight contains {wrong}: Gibbs sampling draws every object, so weights must be whole numbers; "
            "use inference='vb' or 'cvb' for fractions."
        )
    return copies


# -------------------------------------------------------------------------------------------------- from the samples
def _summarise(
    ensemble: Ensemble,
    drawn: Ensemble,
    objects: IntArray,
    n_clusters: int,
    chains: list[GibbsChain],
    settings: GibbsSettings,
) -> NBCEPosterior:
    """The consensus of the chains, pi and theta at their means given it, and what is averaged over the samples."""
    traces = {
        "n_clusters": np.array([chain.n_clusters for chain in chains]),
        "log_joint": np.array([chain.log_joint for chain in chains]),
    }
    mixing = compare_chains(traces, settings.plan.burn_in, ", or temper them (n_temperatures=10)")
    best = max(chains, key=lambda chain: _log_posterior(chain.mode, settings.estimate))
    samples = np.vstack([chain.samples for chain in chains])
    models = [model for chain in chains for model in chain.models]
    z, model = _choose(drawn, samples, models, best.mode, n_clusters, settings)
    occupancy = occupancy_of(z, drawn.codes, drawn, n_clusters)
    occupied = np.flatnonzero(occupancy.size > 0)
    theta, pi = mean_table(occupancy.label_size, model), mean_weights(occupancy.size, model)
    placing = mean_logs(theta, pi, model).of(occupied)
    membership = place(ensemble, placing)
    is_map = settings.consensus == "map"
    first = np.searchsorted(objects, np.arange(ensemble.n_rows))  # place of each row among the objects that are drawn
    labels = membership.argmax(axis=1) if is_map else np.searchsorted(occupied, z[first])
    kept = [occupancy for chain in chains for occupancy in chain.occupancies]
    return NBCEPosterior(
        labels=labels,
        membership=membership,
        theta=theta[:, occupied],
        pi=pi[occupied],
        model=model,
        placing=placing,
        predictive=SampledLogs(models, kept) if kept else RecountedLogs(models, samples, drawn.codes, n_clusters),
        history=best.log_joint.tolist(),
        n_iter=settings.plan.n_sweeps,
        converged=mixing.agree,
        most_probable=is_map,
        log_joint=log_joint(occupancy, model),
        log_joint_trace=traces["log_joint"],
        n_clusters_trace=traces["n_clusters"],
        r_hat=mixing.r_hat,
        ess=mixing.ess,
        samples=samples if drawn.n_rows == ensemble.n_rows else samples[:, first],
    )


def _log_posterior(mode: GibbsMode, estimate: tuple[bool, bool]) -> float:
    """Log p(Y, Z), with the prior of the parameters that are sampled: modes of chains may differ in these."""
    return mode.log_joint + log_parameter_prior(mode.model, estimate)


def _choose(
    drawn: Ensemble,
    samples: Array,
    models: list[NBCEModel],
    mode: GibbsMode,
    n_clusters: int,
    settings: GibbsSettings,
) -> tuple[IntArray, NBCEModel]:
    """The assignment that is the consensus, and the model of its sample, or of the sample nearest to it."""
    if (drawn.codes == drawn.codes[0]).all():  # objects with equal labels are one cluster, eq. N24
        return np.zeros(drawn.n_rows, dtype=np.int64), mode.model
    if settings.consensus == "map":
        return mode.z, mode.model
    found = estimate_partition(samples, settings.consensus, n_clusters, settings.n_jobs)
    return number_by_size(found.labels, ties="number"), models[found.nearest]


@dataclass(frozen=True, eq=False)
class SampledLogs:
    """Predictive logs of each sample, from the occupancies that the chains kept."""

    models: list[NBCEModel]
    occupancies: list[Occupancy]  # label_size of the clusters with objects alone

    def __iter__(self) -> Iterator[ClusterLogs]:
        """One sample after another."""
        for (size, label_size), model in zip(self.occupancies, self.models, strict=True):
            yield predictive_logs(size.astype(np.float64), label_size.astype(np.float64), model)


@dataclass(frozen=True, eq=False)
class RecountedLogs:
    """The same from assignments and labels of the objects, where the occupancies would take more memory."""

    models: list[NBCEModel]
    samples: Array  # (n_kept, n_drawn)
    codes: Codes  # (n_drawn, n_clusterings)
    n_clusters: int

    def __iter__(self) -> Iterator[ClusterLogs]:
        """One sample after another."""
        for z, model in zip(self.samples, self.models, strict=True):
            occupancy = occupancy_of(z.astype(np.int64), self.codes, model.layout, self.n_clusters)
            yield predictive_logs(occupancy.size, occupancy.label_size[:, occupancy.size > 0], model)
