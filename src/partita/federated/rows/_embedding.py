"""LWGP and USENC on rows of several sites: two sums of t x t tables, then k-means on sums (eqs. S10 to S13).

The graph of the labels is a sum over objects. The coordinator finds its leading vectors; each site embeds its own rows
by them, and clusters of the rows are found by k-means on sums (``_lloyd.py``).
"""

from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.tables import ClusterTables
from partita._runs import draw_seeds
from partita._typing import FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.kmeans._weighted_kmeans import nearest_center
from partita.consensus.label_space._cluster_number import warn_weak
from partita.consensus.label_space._embedded_rows import cut_between_components, embed_rows
from partita.consensus.label_space._lwgp import check_one_number, split_cells, weights_from
from partita.consensus.label_space._transfer_cut import TransferCut, cell_graph, components, cut_cells, ensure_cells
from partita.federated._engine import Values
from partita.federated._incoming import MOST_CLUSTERS, array_of, number_of
from partita.federated._memory import SiteMemory
from partita.federated._sites import Sites
from partita.federated.rows._fit import Model, RowMethod
from partita.federated.rows._lloyd import cluster_sites, cut_from
from partita.federated.rows._number import SiteNumberProblem, ask_limit, choice_from, choice_values, choose_number
from partita.federated.rows._tables import ask_tables


# -------------------------------------------------------------------------------------------------------- at a site
def _graph(site: Any, values: Values) -> dict[str, Any]:
    """Graph of the labels that the site's rows make (eq. L5)."""
    ensemble = site.rows.ensemble
    return {"graph": cell_graph(ensemble, array_of(values, "cell_weights", ensemble.n_cells))}


ANSWERS = {"embedding.graph": _graph}


def clusters_from(model: Values, n_cells: int) -> tuple[TransferCut, FloatArray]:
    """An embedding and the centres of the clusters in it, as they were sent."""
    cut, k = cut_from(model, n_cells), number_of(model, "n_clusters", 1, MOST_CLUSTERS)
    return cut, array_of(model, "centers", k, cut.cell_map.shape[1])


def place_embedded(ensemble: Ensemble, model: Values) -> IntArray:
    """Cluster of each row."""
    cut, centers = clusters_from(model, ensemble.n_cells)
    return nearest_center(embed_rows(cut, ensemble, None), centers)


# ------------------------------------------------------------------------------------------------ at the coordinator
def ask_graph(sites: Sites, tables: ClusterTables, cell_weights: FloatArray) -> FloatArray:
    """W of the rows of all sites, (t, t) (eq. S10); labels that no object has in common are not joined."""
    t = len(cell_weights)
    ensure_cells(t)
    W = sites.total("embedding.graph", {"cell_weights": cell_weights}, {"graph": (t, t)})["graph"]
    return np.where(tables.together > 0, W, 0.0)


def cluster_cut(
    sites: Sites, cut: TransferCut, W: FloatArray, tables: ClusterTables, k: int, *, seed: int, n_init: int
) -> Model:
    """Clusters in the embedding: k-means on sums, or components if there are enough of them (eq. L9)."""
    part = components(W)
    if part.max() + 1 >= k:
        return embedded_model(cut_between_components(cut, part, W, k), np.eye(k))
    found = cluster_sites(sites, cut.take(k), tables.size, k, seed=seed, n_init=n_init)
    return {**embedded_model(cut.take(k), found.centers), "singular_values": cut.singular_values}


def embedded_model(cut: TransferCut, centers: FloatArray) -> Model:
    """What every site may know."""
    return {**cut._asdict(), "centers": centers, "n_clusters": len(centers)}


def fit_usenc(sites: Sites, estimator: Any, layout: Ensemble) -> Model:
    """Two exchanges, and k-means: all labels count the same."""
    tables, k = ask_tables(sites, layout), int(estimator.n_clusters)
    W = ask_graph(sites, tables, layout.cell_weights)
    seed = int(draw_seeds(estimator.random_state, 1)[0])
    cut = cut_cells(W, layout.cell_weights, k)
    return cluster_cut(sites, cut, W, tables, k, seed=seed, n_init=int(estimator.n_init))


def fit_lwgp(sites: Sites, estimator: Any, layout: Ensemble) -> Model:
    """Two exchanges, those that find the number of clusters if it is not given, and k-means."""
    check_one_number(estimator.n_clusters, estimator.max_clusters)
    tables, seeds = ask_tables(sites, layout), draw_seeds(estimator.random_state, 3).tolist()
    index = weights_from(tables, estimator.theta)
    cell_weights = index * layout.cell_weights
    W = ask_graph(sites, tables, cell_weights)
    choice, k = None, estimator.n_clusters
    if k is None:
        limit = ask_limit(sites, estimator.max_clusters)
        cut = cut_cells(W, cell_weights, limit.max_clusters)
        problem = SiteNumberProblem(tables, cut.singular_values, int(components(W).max()) + 1, estimator.theta, limit)
        choice = choose_number(sites, problem, seeds[2])
        warn_weak(choice)
        k = choice.n_clusters
    else:
        cut = cut_cells(W, cell_weights, k)
    model = cluster_cut(sites, cut, W, tables, k, seed=seeds[0], n_init=int(estimator.n_init))
    return {**model, "index": index, "choice": None if choice is None else choice_values(choice)}


# ---------------------------------------------------------------------------------------------------------- the model
def restore(estimator: Any, rows: LabelledRows, model: Model, memory: SiteMemory) -> Consensus:
    """A fitted estimator of the site's rows."""
    estimator.singular_values_ = array_of(model, "singular_values", None)
    estimator._cut, estimator._centers = clusters_from(model, rows.ensemble.n_cells)
    estimator._layout = rows.ensemble.layout
    return Consensus(place_embedded(rows.ensemble, model))


def restore_lwgp(estimator: Any, rows: LabelledRows, model: Model, memory: SiteMemory) -> Consensus:
    """The same, with the weights of the labels and the reasons for the number of clusters."""
    estimator.cluster_weights_ = split_cells(array_of(model, "index", rows.ensemble.n_cells), rows.ensemble)
    if model["choice"] is not None:
        estimator.choice_ = choice_from(model["choice"])
    return restore(estimator, rows, model, memory)


USENC = RowMethod(fit_usenc, restore)
LWGP = RowMethod(fit_lwgp, restore_lwgp)
