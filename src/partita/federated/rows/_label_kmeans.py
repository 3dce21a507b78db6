"""k-means on the labels of rows at several sites (Jagannathan and Wright, 2005): Lloyd's iteration on sums.

A cluster is known by its ``mass``, the weight of its rows that have each label, and that miss a label of each
clustering: sums over rows (eq. S36). A missing label is the mean of its clustering over all sites, which is a sum too.
From the same clusters every iteration is that of the pooled rows. All starts run side by side, one exchange per
iteration.

Two things of the pooled fit are left out, because they need single rows: rows that move one at a time after Lloyd's
iteration (eq. M54), and a cluster that lost all rows and begins anew at one of them (eq. M18): here it keeps its
centre. In their place the clusters of two ends are merged into new starts, as long as that helps (eq. S37).

Reference: G. Jagannathan, R. N. Wright, Privacy-preserving distributed k-means clustering over arbitrarily partitioned
data, KDD 2005.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import draw_seeds, warn_not_converged
from partita._typing import FloatArray
from partita.base import Consensus, LabelledRows
from partita.consensus.kmeans._lloyd import KMeansRows, KMeansStats, assign_rows
from partita.consensus.kmeans._one_hot_space import OneHotSpace, sum_per_clustering
from partita.federated._engine import Values
from partita.federated._incoming import MOST_CLUSTERS, array_of, number_of
from partita.federated._memory import SiteMemory
from partita.federated._sites import Sites
from partita.federated.rows._fit import Model, RowMethod
from partita.federated.rows._merge import CountedClusters, Value, merge_clusters, side_by_side
from partita.federated.rows._starts import search_sites
from partita.federated.rows._tables import ask_tables, meta_shares

_TINY = np.finfo(float).tiny  # instead of 0 in divisors
_ROUNDS = 10  # of children: a limit, as they end by themselves when none of a round is better
_BETTER = 1e-9  # relative decrease of the objective that counts as one
_RAW = (
    "LabelKMeans(coding='raw') takes the numbers of the labels for measurements, which sites that agree on hashed "
    "labels do not share; pass coding='onehot'."
)
_MOVES = (
    "LabelKMeans(solver='coordinate') moves single rows, which sites do not show to each other; pass solver='lloyd'."
)


class LloydRun(NamedTuple):
    """One run from one start."""

    mass: FloatArray  # (k, n_cells + n_clusterings) clusters whose centres the rows were last assigned to
    found: FloatArray  # the same of the clusters after that
    history: list[float]
    converged: bool


# -------------------------------------------------------------------------------------------------------- at a site
def points_of(ensemble: Ensemble, mean: FloatArray) -> KMeansRows:
    """Rows as points, missing labels at the mean of all sites."""
    space = OneHotSpace(ensemble.layout, mean)
    return KMeansRows(space.to_cells(ensemble.codes), ensemble.row_weights, space, space.for_kernels())


def assign_points(points: KMeansRows, mass: FloatArray) -> tuple[Any, KMeansStats]:
    """Nearest cluster of each row, and what the next step needs."""
    n = len(points.cells)
    labels = np.empty(n, dtype=np.int32)
    return labels, assign_rows(points.cells, points.row_weights, points.table(mass), labels, np.empty(n))


def _assign(site: Any, values: Values) -> dict[str, Any]:
    """Assignment of the site's rows to the clusters of each start."""
    ensemble = site.rows.ensemble
    points = points_of(ensemble, array_of(values, "mean", ensemble.n_cells))
    starts = array_of(values, "mass", None, None, points.space.n_all_cells)
    stats = [assign_points(points, mass)[1] for mass in starts]
    return {"mass": np.stack([one.mass for one in stats]), "inertia": np.array([one.inertia for one in stats])}


ANSWERS = {"kmeans.assign": _assign}


# ------------------------------------------------------------------------------------------------ at the coordinator
def fit(sites: Sites, estimator: Any, layout: Ensemble) -> Model:
    """The best of several starts, all of them from sums over the sites."""
    if estimator.coding == "raw":
        raise ValueError(_RAW)
    if estimator.solver != "lloyd":
        raise ValueError(_MOVES)
    *seeds, child_seed = draw_seeds(estimator.random_state, int(estimator.n_init) + 1).tolist()
    limits: dict[str, Any] = {"max_iter": int(estimator.max_iter), "tol": float(estimator.tol)}
    k = int(estimator.n_clusters)
    starts, mean = first_clusters(sites, layout, k, seeds)
    space = OneHotSpace(layout, mean)
    runs = run_starts(sites, space, [full_mass(start, layout) for start in starts], **limits)
    best = recombine(sites, space, runs, k, np.random.default_rng(child_seed), limits)
    if not best.converged:
        warn_not_converged(type(estimator).__name__, estimator.max_iter)
    used = space.sizes(best.found) > 0
    model = {"mean": mean, "mass": best.mass[used], "history": best.history, "converged": best.converged}
    return {**model, "n_clusters": int(used.sum())}


def first_clusters(
    sites: Sites, layout: Ensemble, k: int, seeds: list[int]
) -> tuple[list[CountedClusters], FloatArray]:
    """Clusters to start from, and the mean of the labels of each clustering over all sites."""
    tables = ask_tables(sites, layout)
    total = sum_per_clustering(tables.size, layout)[layout.cell_clustering]
    mean = tables.size / np.maximum(total, _TINY)
    shapes = {"size": (k,), "mass": (layout.n_cells, k)}
    starts = [
        CountedClusters(**sites.total("start.count", {"shares": meta_shares(tables, k), "n_clusters": k}, shapes))
    ]
    value = kmeans_value(layout, mean)
    searched = [search_sites(sites, layout, k, seed, "kmeans") for seed in seeds]
    return starts + [merge_clusters(one, value, k) for one in searched if len(one.size)], mean


def full_mass(clusters: CountedClusters, layout: Ensemble) -> FloatArray:
    """Weight of the labels and of the missing labels of clusters, (k, n_cells + n_clusterings)."""
    there = clusters.size > 0
    size, mass = clusters.size[there], clusters.mass[:, there].T
    return np.hstack([mass, np.maximum(size[:, None] - sum_per_clustering(mass, layout), 0.0)])


def kmeans_value(layout: Ensemble, mean: FloatArray) -> Value:
    """What each cluster adds to minus the objective, up to a constant: size times squared centre (eq. S37)."""
    space = OneHotSpace(layout, mean)

    def value(clusters: CountedClusters) -> FloatArray:
        mass = clusters.mass.T
        absent = clusters.size[:, None] - sum_per_clustering(mass, layout)
        total = space.centers(np.hstack([mass, absent])) * clusters.size[:, None]
        return np.asarray((total**2 @ layout.cell_weights) / np.maximum(clusters.size, _TINY))

    return value


def run_starts(
    sites: Sites, space: OneHotSpace, starts: list[FloatArray], *, max_iter: int, tol: float
) -> list[LloydRun]:
    """Lloyd's iteration from each start to its end; starts of fewer clusters are filled up with empty ones."""
    k = max(map(len, starts))
    mass = np.stack([np.vstack([one, np.zeros((k - len(one), one.shape[1]))]) for one in starts])
    histories: list[list[float]] = [[] for _ in starts]
    ends: dict[int, LloydRun] = {}
    moving = np.arange(len(starts))
    while len(moving):
        asked = {"mass": mass[moving], "mean": space.mean}
        total = sites.total("kmeans.assign", asked, {"mass": mass[moving].shape, "inertia": (len(moving),)})
        for start, found, inertia in zip(moving.tolist(), total["mass"], total["inertia"].tolist(), strict=True):
            history = histories[start]
            history.append(inertia)
            settled = len(history) > 1 and history[-2] - history[-1] <= tol * history[-2]
            if settled or len(history) == max_iter:
                ends[start] = LloydRun(mass[start].copy(), found, history, settled)
            else:
                empty = space.sizes(found) == 0
                mass[start] = np.where(empty[:, None], mass[start], found)  # an empty cluster keeps its centre
        moving = np.array([start for start in moving if start not in ends], dtype=np.int64)
    return [ends[start] for start in range(len(starts))]


def recombine(
    sites: Sites, space: OneHotSpace, runs: list[LloydRun], k: int, rng: np.random.Generator, limits: dict[str, Any]
) -> LloydRun:
    """The best run, after children of the runs have competed with them, as long as one of them is better (eq. S37)."""
    value, pool = kmeans_value(space.layout, space.mean), sorted(runs, key=_inertia)
    for _ in range(_ROUNDS):
        if len(pool) < 2 or _inertia(pool[0]) <= 0:
            break
        pairs = [(0, int(other)) for other in rng.permutation(np.arange(1, len(pool)))[: len(runs)]]
        both = [side_by_side([_counted(pool[i], space), _counted(pool[j], space)], 2 * k) for i, j in pairs]
        children = [full_mass(merge_clusters(one, value, k), space.layout) for one in both]
        before = _inertia(pool[0])
        pool = sorted([*pool, *run_starts(sites, space, children, **limits)], key=_inertia)[: len(runs)]
        if before - _inertia(pool[0]) <= _BETTER * before:
            break
    return pool[0]


def _inertia(run: LloydRun) -> float:
    return run.history[-1]


def _counted(run: LloydRun, space: OneHotSpace) -> CountedClusters:
    """Clusters that have objects."""
    size = space.sizes(run.found)
    return CountedClusters(size[size > 0], run.found[size > 0, : space.layout.n_cells].T)


# ---------------------------------------------------------------------------------------------------------- the model
def restore(estimator: Any, rows: LabelledRows, model: Model, memory: SiteMemory) -> Consensus:
    """A fitted estimator of the site's rows."""
    k, ensemble = number_of(model, "n_clusters", 1, MOST_CLUSTERS), rows.ensemble
    points = points_of(ensemble, array_of(model, "mean", ensemble.n_cells))
    mass, history = array_of(model, "mass", k, points.space.n_all_cells), array_of(model, "history", None).tolist()
    estimator.history_ = rows.scale.report(history, objects=1, clusterings=1)
    estimator.n_iter_, estimator.converged_ = len(history), bool(model["converged"])
    estimator.objective_ = estimator.history_[-1]
    estimator._space, estimator._centers = points.space, points.space.centers(mass)
    return Consensus(assign_points(points, mass)[0].astype(np.int64))


METHOD = RowMethod(fit, restore)
