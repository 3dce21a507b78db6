"""Where models of rows at several sites start: hard clusters from sums, so that no row leaves a site.

Each site searches clusters of its own rows, as a pooled fit would, and sends their sizes and label counts; the
coordinator merges them into common clusters (``_merge.py``). A second start is the consensus of the tables of labels,
which needs no search at all (``_tables.py``).
"""

from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import draw_seeds, sample_for_starts
from partita._typing import FloatArray, IntArray
from partita.consensus.kmeans._lloyd import SHORT_TOL, run_k_means
from partita.consensus.models._starts import SEARCH_SIZE, best_clusters, label_mass, search_clusters
from partita.consensus.nbce._posterior import ClusterLogs
from partita.consensus.nbce._variational_starts import race_of_searches
from partita.consensus.nbce._vb import most_probable
from partita.federated._engine import Values
from partita.federated._incoming import LARGEST_SEED, MOST_CLUSTERS, array_of, number_of
from partita.federated._sites import Sites
from partita.federated.rows._merge import CountedClusters, Value, merge_clusters
from partita.federated.rows._tables import ask_tables, meta_shares, place_by_shares, shares_from

PARTS = 4  # of a cluster that a site proposes: with 2 the bounds of NBCE on nine ensembles were 0.3 % lower
MOST = 100  # clusters of a site, where their number is to be found


class HardStart(NamedTuple):
    """Hard clusters of the objects of all sites."""

    size: FloatArray  # (k,)
    mass: FloatArray  # (n_cells, k) weight of each label in each cluster
    n: float  # weight of all objects that have a label


# ------------------------------------------------------------------------------------------------------- at a site
def logs_from(values: Values, n_cells: int) -> ClusterLogs:
    """Logs of the probabilities of labels in clusters, and of the clusters, as they were sent."""
    log_weights = array_of(values, "log_weights", None)
    return ClusterLogs(array_of(values, "log_table", n_cells, len(log_weights)), log_weights)


def n_sites_of(site: Any, values: Values) -> int:
    """Number of sites, beside which the site has its place in an array: those that the fit was opened with."""
    return number_of(values, "n_sites", site.n_sites, site.n_sites)


def seed_of(values: Values) -> int:
    """Seed from which sites draw."""
    return number_of(values, "seed", 0, LARGEST_SEED)


def _count(site: Any, values: Values) -> dict[str, Any]:
    """Sizes of given clusters in the site's rows, and of their labels."""
    ensemble, k = site.rows.ensemble, number_of(values, "n_clusters", 1, MOST_CLUSTERS)
    labels = place_by_shares(ensemble, shares_from(values, ensemble.n_cells, k))
    return {"size": np.bincount(labels, ensemble.row_weights, minlength=k), "mass": label_mass(ensemble, labels, k)}


def _search(site: Any, values: Values) -> dict[str, Any]:
    """Clusters of the site's own rows, in the site's place among those of all sites."""
    k, n_sites = number_of(values, "n_clusters", 1, MOST_CLUSTERS), n_sites_of(site, values)
    seed = int(np.random.default_rng([seed_of(values), site.index]).integers(2**31))
    search = {"nbce": _search_nbce, "mixture": _search_mixture, "kmeans": _search_kmeans}[values["model"]]
    few, labels = search(site, k, seed)
    return _in_place(site, few, labels.astype(np.int64), k, n_sites)


def _search_mixture(site: Any, k: int, seed: int) -> tuple[Ensemble, IntArray]:
    """As the models of labels start (eq. M56)."""
    few = sample_for_starts(site.rows.ensemble, seed, SEARCH_SIZE)
    init, seeds = site.estimator.init, draw_seeds(seed, int(site.estimator.n_init)).tolist()
    return few, best_clusters(few, min(k, few.n_rows), init, seeds, 1, None)[0].labels


def _search_nbce(site: Any, k: int, seed: int) -> tuple[Ensemble, IntArray]:
    """As variational Bayes starts (eq. N33)."""
    estimator, ensemble = site.estimator, site.rows.ensemble
    model, estimate = estimator._prior_model(ensemble.layout)
    settings = estimator._variational(estimate)
    seeds = draw_seeds(seed, int(estimator.n_init) + 1)
    return ensemble, race_of_searches(ensemble, model, settings, settings.n_clusters(ensemble), seeds)[0].labels


def _search_kmeans(site: Any, k: int, seed: int) -> tuple[Ensemble, IntArray]:
    """As k-means on the labels starts (eq. M17)."""
    few = sample_for_starts(site.rows.ensemble, seed)
    run = run_k_means(few, min(k, few.n_rows), seed, max_iter=int(site.estimator.max_iter), tol=SHORT_TOL)
    return few, run.labels


def _split(site: Any, values: Values) -> dict[str, Any]:
    """Some parts of the rows of every cluster, in the site's place among those of all sites."""
    ensemble, n_sites, seed = site.rows.ensemble, n_sites_of(site, values), seed_of(values)
    logs = logs_from(values, ensemble.n_cells)
    labels, k = most_probable(ensemble, logs), PARTS * len(logs[1])
    parts = np.zeros(ensemble.n_rows, dtype=np.int64)
    for h in np.unique(labels):
        rows = np.flatnonzero(labels == h)
        if len(rows) > 1:
            own = ensemble.with_rows(ensemble.codes[rows], ensemble.row_weights[rows])
            parts[rows] = search_clusters(own, min(PARTS, len(rows)), "kmeans", seed).labels
    return _in_place(site, ensemble, PARTS * labels + parts, k, n_sites)


def _in_place(site: Any, ensemble: Ensemble, labels: IntArray, k: int, n_sites: int) -> dict[str, Any]:
    """Counts of the site's clusters beside zeros for those of the others; clusters that are too small are not told."""
    size, mass = np.zeros((n_sites, k)), np.zeros((n_sites, ensemble.n_cells, k))
    own = np.bincount(labels, ensemble.row_weights, minlength=k)[:k]
    told = np.where(own >= max(site.min_count, 1), 1.0, 0.0)
    size[site.index] = own * told
    mass[site.index] = label_mass(ensemble, np.minimum(labels, k), k + 1)[:, :k] * told
    return {"size": size, "mass": mass}


ANSWERS = {"start.count": _count, "start.search": _search, "start.split": _split}


# ------------------------------------------------------------------------------------------------ at the coordinator
def hard_starts(sites: Sites, layout: Ensemble, k: int, seed: int, value: Value, n_init: int = 4) -> list[HardStart]:
    """Starts of k clusters: those of the tables of labels, and those that the sites found."""
    tables = ask_tables(sites, layout)
    groups = meta_shares(tables, k)
    shapes = {"size": (k,), "mass": (layout.n_cells, k)}
    found = sites.total("start.count", {"shares": groups, "n_clusters": k}, shapes)
    n = float(found["size"].sum())
    starts = [HardStart(found["size"], found["mass"], n)]
    merged = []
    for s in np.random.default_rng(seed).integers(2**31, size=n_init).tolist():
        searched = search_sites(sites, layout, k, s, "mixture")
        if len(searched.size) >= k:
            merged.append(merge_clusters(searched, value, k))
    best = sorted(merged, key=lambda clusters: -float(value(clusters).sum()))[:2]
    return starts + [HardStart(*clusters, n) for clusters in best]


def search_sites(sites: Sites, layout: Ensemble, k: int, seed: int, model: str) -> CountedClusters:
    """The clusters that each site finds for itself, side by side; those without objects are left out."""
    n_sites, t = len(sites.names), layout.n_cells
    asked = {"n_clusters": k, "n_sites": n_sites, "seed": seed, "model": model}
    found = sites.total("start.search", asked, {"size": (n_sites, k), "mass": (n_sites, t, k)})
    return _side_by_side(found["size"], found["mass"])


def split_sites(sites: Sites, log_table: FloatArray, log_weights: FloatArray, seed: int) -> list[CountedClusters]:
    """Parts of each cluster, as the sites propose them; clusters without objects are left out."""
    n_sites, t, k = len(sites.names), len(log_table), PARTS * len(log_weights)
    asked = {"log_table": log_table, "log_weights": log_weights, "n_sites": n_sites, "seed": seed}
    told = sites.total("start.split", asked, {"size": (n_sites, k), "mass": (n_sites, t, k)})
    of_cluster = [slice(lo, lo + PARTS) for lo in range(0, k, PARTS)]
    parts = [_side_by_side(told["size"][:, own], told["mass"][:, :, own]) for own in of_cluster]
    return [part for part in parts if len(part.size)]


def _side_by_side(size: FloatArray, mass: FloatArray) -> CountedClusters:
    """Clusters of all sites (n_sites, k), (n_sites, t, k), as (K,), (t, K); those without objects are left out."""
    there = size.ravel() > 0
    return CountedClusters(size.ravel()[there], mass.swapaxes(0, 1).reshape(mass.shape[1], -1)[:, there])
