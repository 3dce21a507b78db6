"""Where models of columns at several sites start: hard clusters of the objects, by annealed EM of a mixture.

Searches that move rows one by one need rows, which nobody has here. Deterministic annealing (Ueda and Nakano, 1998)
needs sums over columns alone: memberships of all objects in all clusters are raised to a power that grows from that of
a single clustering to 1 (eq. S29). Half the starts have as many clusters as asked for, the others twice as many, which
are then merged, two at a time, where the log probability falls least (eq. S7): with few clusters the first kind ends
higher, with ten the second.

All starts are annealed at once: the probabilities of labels in a cluster depend on that cluster's memberships alone, so
that the clusters of several starts are columns of one array, and the number of exchanges is that of one start.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import xlogy

from partita._typing import FloatArray, IntArray
from partita.consensus.models._em import normalise, shares_of
from partita.consensus.models._mixture import MixtureState, log_tables
from partita.consensus.models._starts import label_mass
from partita.federated._engine import Values
from partita.federated._incoming import array_of, kept, number_of, real_of
from partita.federated._sites import Sites
from partita.federated.columns._bce_steps import clusters_from
from partita.federated.columns._fit import CommonObjects
from partita.federated.rows._merge import CountedClusters, Value, mixture_value

# Measured on 24 k-means ensembles of iris, wine and digits against the optimum of the pooled search: half the powers,
# or a third of the steps, lose up to three times as much, and three clusters for one a little more than two.
_POWERS = 20
_STEPS = 3  # of EM at each power
_MULTIPLE = 2  # clusters that are merged, for each one that is asked for
_MIXED = 0.1  # share of what all objects have in the first tables: no label is impossible
_EVEN = 5.0  # Dirichlet parameter of the first memberships: all clusters are nearly alike
_NOISE = 0.01  # of the logs of memberships before each power: clusters that are alike can separate
TINY = 1e-300  # instead of 0 in logs


# -------------------------------------------------------------------------------------------------------- at a site
def _logs(site: Any, values: Values) -> dict[str, Any]:
    """Log probability of the site's labels of each object in clusters of given memberships."""
    ensemble, mixed = site.ensemble, real_of(values, "mixed")
    mass = ensemble.indicator.T @ array_of(values, "membership", ensemble.n_rows, None)
    overall = shares_of(ensemble.cell_mass, ensemble)[:, None]
    table = normalise(mass, ensemble, np.repeat(overall, mass.shape[1], axis=1))
    state = MixtureState(np.ones(1), (1 - mixed) * table + mixed * overall)
    return {"logs": ensemble.sum_over_labels(log_tables(state, ensemble.cell_weights)[0])}


def _count(site: Any, values: Values) -> dict[str, Any]:
    """What the log probability of the site's labels gains if two clusters are merged, for all pairs."""
    counts = label_mass(site.ensemble, *clusters_from(values, site.ensemble.n_rows))
    site.memory["merging"] = counts
    value = mixture_value(site.ensemble)
    return {"gains": np.array([gains_of(counts, one, value) for one in range(counts.shape[1])])}


def _merge(site: Any, values: Values) -> dict[str, Any]:
    """Merge two clusters; the gains of merging the new one with each of the others."""
    counts = kept(site.memory, "merging").copy()
    into, other = (number_of(values, name, 0, counts.shape[1] - 1) for name in ("into", "other"))
    counts[:, into] += counts[:, other]
    counts[:, other] = 0
    site.memory["merging"] = counts
    return {"gains": gains_of(counts, into, mixture_value(site.ensemble))}


def gains_of(mass: FloatArray, one: int, value: Value) -> FloatArray:
    """Gain of merging one cluster with each cluster, their sizes apart."""
    clusters = CountedClusters(np.zeros(mass.shape[1]), mass)
    of_each = value(clusters)
    return np.asarray(value(clusters.plus(one)) - of_each - of_each[one])


ANSWERS = {"start.logs": _logs, "start.pairs": _count, "start.merge": _merge}


# ------------------------------------------------------------------------------------------------ at the coordinator
def find_starts(sites: Sites, common: CommonObjects, k: int, n_init: int, seed: int) -> list[IntArray]:
    """Hard clusters of all objects, at most k, from starts of both kinds."""
    many = min(_MULTIPLE * k, common.n)
    found = annealed_starts(sites, common, [many, k] * n_init, seed)
    return [labels if labels.max() < k else _merge_to(sites, labels, k) for labels in found]


def _merge_to(sites: Sites, labels: IntArray, k: int) -> IntArray:
    path = merge_path(sites, labels, k)
    return path[min(path)]


def annealed_starts(sites: Sites, common: CommonObjects, sizes: Sequence[int], seed: int) -> list[IntArray]:
    """Hard clusters of one start for each number of clusters."""
    draw = np.random.default_rng(seed)
    groups = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    membership, mixed = np.hstack([draw.dirichlet(np.full(k, _EVEN), size=common.n) for k in sizes]), _MIXED
    for power in np.geomspace(min(1.0, 1 / common.total), 1.0, _POWERS):
        logs = np.log(np.maximum(membership, TINY)) + _NOISE * draw.standard_normal(membership.shape)
        membership = _share_out(logs, groups)
        for _ in range(_STEPS):
            asked = {"membership": membership, "mixed": mixed}
            logs = sites.total("start.logs", asked, {"logs": membership.shape})["logs"]
            logs += np.log(np.maximum(membership.mean(axis=0), TINY))
            membership, mixed = _share_out(power * logs, groups), 0.0
    return [membership[:, group].argmax(axis=1) for group in groups]


def _share_out(logs: FloatArray, groups: list[IntArray]) -> FloatArray:
    """Memberships in the clusters of each start."""
    return np.hstack([soften(logs[:, group])[0] for group in groups])


def soften(logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """exp(logs) divided by their row sums, and the logs of these sums."""
    highest = logs.max(axis=1, keepdims=True)
    shares = np.exp(logs - highest)
    sums = shares.sum(axis=1, keepdims=True)
    return shares / sums, (highest + np.log(sums))[:, 0]


def merge_path(sites: Sites, labels: IntArray, last: int = 1) -> dict[int, IntArray]:
    """Merge the pair that loses least until ``last`` clusters are left: the labels at each number of clusters."""
    now = np.unique(labels, return_inverse=True)[1]
    size = np.bincount(now).astype(np.float64)
    k = len(size)
    path = {k: now.copy()}
    of_labels = sites.total("start.pairs", {"labels": now, "n_clusters": k}, {"gains": (k, k)})["gains"]
    for left in range(k - 1, last - 1, -1):
        gains = of_labels + _gains_of_sizes(size)
        into, other = (int(one) for one in np.unravel_index(int(gains.argmax()), gains.shape))
        now[now == other] = into
        size[into], size[other] = size[into] + size[other], 0
        row = sites.total("start.merge", {"into": into, "other": other}, {"gains": (k,)})["gains"]
        of_labels[into], of_labels[:, into] = row, row
        path[left] = np.unique(now, return_inverse=True)[1]
    return path


def _gains_of_sizes(size: FloatArray) -> FloatArray:
    """What the log probability of the clusters gains, for all pairs; those that are gone are no pairs."""
    both = size[:, None] + size
    gains = xlogy(both, both) - xlogy(size, size)[:, None] - xlogy(size, size)
    gains[size == 0], gains[:, size == 0] = -np.inf, -np.inf
    np.fill_diagonal(gains, -np.inf)
    return np.asarray(gains)
