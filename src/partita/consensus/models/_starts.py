"""Where the models of labels start: hard clusters under which the labels have the highest probability (eq. M56).

Each search begins at clusters of k-means, or at random ones. Rows move one at a time, pairs of clusters are shared out
anew, and two clusters are merged while another is split. The search is annealed: at first it also accepts changes that
lower the probability a little. The best of several searches, without those that ended at the same clusters, are kept.
"""

from typing import NamedTuple

import numpy as np

from partita._kernels import mixture_search as kernel
from partita._labels.ensemble import Ensemble
from partita._runs import Round, race
from partita._stopping import check_stop, until_stopped
from partita._typing import FloatArray, IntArray
from partita.consensus.models._em import STARTS, normalise, shares_of
from partita.consensus.models._mixture import MixtureState

SEARCH_SIZE = 1500  # objects of a search if there are more distinct rows: keeps its cost near that of EM
# Measured on six ensembles of iris to digits, 16 to 24 searches each: half the proposals lose up to 0.3 % on average,
# half the heat up to 0.2 %, twice the sweeps gain no more than the same time in further searches.
_SWEEPS = 10
_PROPOSALS = 20  # after each sweep
HEAT = 6.0  # in nats, at the start
_WHOLE = 100_000  # largest sum of whole weights for which x log x is tabulated
_SAME = 1e-9  # relative difference of values below which two searches ended at the same clusters


class HardClusters(NamedTuple):
    """Where a search ended."""

    labels: IntArray  # (n_rows,)
    value: float  # log p(labels, clusters), up to a constant


def search_clusters(ensemble: Ensemble, n_clusters: int, init: str, seed: int, heat: float = HEAT) -> HardClusters:
    """One search from the clusters of ``init``; ``heat`` is in nats, for clusterings of weight 1."""
    labels = STARTS[init](ensemble, n_clusters, seed)
    rows, state = search_rows(ensemble), search_state(ensemble, labels, n_clusters, seed)
    first = kernel.count_clusters(rows, state)
    rise = until_stopped(kernel.search_clusters, rows, state, _SWEEPS, _PROPOSALS, heat)
    return HardClusters(state.z, float(first + rise))


def best_clusters(
    ensemble: Ensemble,
    n_clusters: int,
    init: str,
    seeds: list[int],
    n_best: int,
    n_jobs: int | None,
    heat: float = HEAT,
) -> list[HardClusters]:
    """The best of the searches with these seeds, without those that ended at the same clusters."""

    def run(seed: int) -> HardClusters:
        return search_clusters(ensemble, n_clusters, init, seed, heat)

    found = race(seeds, [Round(run, len(seeds))], n_jobs, lowest=lambda one: -one.value)
    best = found[:1]
    for one in found[1:]:
        if best[-1].value - one.value > _SAME * max(abs(one.value), 1.0):
            best.append(one)
    return list(best[:n_best])


def as_state(ensemble: Ensemble, labels: IntArray, n_clusters: int, mixed: float) -> MixtureState:
    """Sizes and label shares of clusters, mixed with what all objects have, so that every label is possible."""
    size = np.bincount(labels, ensemble.row_weights, minlength=n_clusters).astype(np.float64)
    return state_of_counts(size, label_mass(ensemble, labels, n_clusters), ensemble, mixed)


def state_of_counts(size: FloatArray, mass: FloatArray, layout: Ensemble, mixed: float) -> MixtureState:
    """The same from the weight of the clusters (k,), and that of their labels (n_cells, k): both are sums over rows."""
    k = len(size)
    overall = shares_of(mass.sum(axis=1), layout)[:, None]
    table = normalise(mass, layout, np.repeat(overall, k, axis=1))
    return MixtureState((1 - mixed) * size / size.sum() + mixed / k, (1 - mixed) * table + mixed * overall)


def label_mass(ensemble: Ensemble, labels: IntArray, n_clusters: int) -> FloatArray:
    """Weight of each label in each cluster: (n_cells, k)."""
    check_stop()
    row = np.repeat(np.arange(ensemble.n_rows), np.diff(ensemble.row_starts))
    place = ensemble.row_cells.astype(np.int64) * n_clusters + labels[row]
    mass = np.bincount(place, ensemble.row_weights[row], minlength=ensemble.n_cells * n_clusters)
    return np.asarray(mass.reshape(ensemble.n_cells, n_clusters))


def search_rows(ensemble: Ensemble) -> kernel.HardRows:
    """Rows as the kernel needs them."""
    weights = ensemble.row_weights
    whole = float(weights.sum()) <= _WHOLE and bool((weights == np.floor(weights)).all())
    x = np.arange(weights.sum() + 2 if whole else 0.0)
    logs = x * np.log(np.maximum(x, 1.0))
    return kernel.HardRows(
        ensemble.row_starts,
        ensemble.row_cells,
        ensemble.row_clusterings,
        weights,
        ensemble.clustering_weights,
        np.asarray(ensemble.cell_clustering, dtype=np.int64),
        0.0 if ensemble.has_missing else float(ensemble.clustering_weights.sum()),
        logs,
        np.diff(logs),
    )


def search_state(ensemble: Ensemble, labels: IntArray, n_clusters: int, seed: int) -> kernel.HardState:
    """State of the kernel, before it is counted."""
    n, slots = ensemble.n_rows, n_clusters + 2
    return kernel.HardState(
        z=labels.astype(np.int64),
        n_rows=np.zeros(slots, dtype=np.int64),
        size=np.zeros(slots),
        mass=np.zeros((slots, ensemble.n_cells)),
        total=np.zeros((slots, ensemble.n_clusterings)),
        value=np.zeros(slots),
        members=np.zeros(n, dtype=np.int64),
        sides=np.zeros(n, dtype=np.int64),
        generator=np.array([2 * seed + 1], dtype=np.uint64),
        best=np.zeros(n, dtype=np.int64),
    )
