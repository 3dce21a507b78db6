"""HBGF on rows of several sites: the graph of the labels, k-means on sums, and the better of two cuts (eq. S19).

METIS needs the graph of all objects, which no site has: the cut is spectral. As in the pooled fit, clusters of objects
and labels together compete with clusters of the labels alone, by the normalised cut, which label counts of the clusters
give.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._runs import draw_seeds
from partita._typing import FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.graph._graph_partition import cut_between
from partita.consensus.graph._spectral import STARTS, cluster_rows
from partita.consensus.graph._whole_weights import in_units
from partita.consensus.kmeans._weighted_kmeans import nearest_center
from partita.consensus.label_space._transfer_cut import TransferCut, cut_cells, unit_rows
from partita.federated._engine import Values
from partita.federated._incoming import MOST_CLUSTERS, number_of
from partita.federated._memory import SiteMemory
from partita.federated._sites import Sites
from partita.federated.rows._embedding import ask_graph, embedded_model, place_embedded
from partita.federated.rows._fit import Model, RowMethod
from partita.federated.rows._lloyd import Points, cluster_sites
from partita.federated.rows._tables import ask_tables, share_labels
from partita.metrics._confidence import count_cells

_METIS = (
    "HBGF(partitioner='metis') partitions the graph of all objects, which sites that do not pool them do not have; "
    "pass partitioner='spectral', or 'auto', which is spectral here."
)
_LEAST = 1e-6  # singular value by which vectors are divided, as in the pooled embedding


class Candidate(NamedTuple):
    """Clusters of the rows, by a model, and of the labels."""

    model: Model
    cells: FloatArray  # (t, k) objects of each label in each cluster
    of_labels: IntArray  # (t,)


def _count(site: Any, values: Values) -> dict[str, Any]:
    """Label counts of the clusters of the site's rows."""
    ensemble, k = site.rows.ensemble, number_of(values, "n_clusters", 1, MOST_CLUSTERS)
    number_of(values["model"], "n_clusters", k, k)
    return {"cells": count_cells(ensemble, place_embedded(ensemble, values["model"]), k).cells}


ANSWERS = {"hbgf.count": _count}


def fit(sites: Sites, estimator: Any, layout: Ensemble) -> Model:
    """Two exchanges, k-means, and one exchange that compares the two cuts."""
    if estimator.partitioner == "metis":
        raise ValueError(_METIS)
    tables, k = ask_tables(sites, layout), int(estimator.n_clusters)
    edges = in_units(layout.clustering_weights)[layout.cell_clustering]
    if k == 1:
        return {
            **embedded_model(TransferCut(np.ones(1), edges, edges[:, None]), np.ones((1, 1))),
            "partitioner": "none",
        }
    cut, labels = embed_both(ask_graph(sites, tables, edges), edges, k)
    seed = int(draw_seeds(estimator.random_state, 1)[0])
    candidates = [both_together(sites, cut, labels, tables.size, k, seed)]
    if len(labels) >= k:
        candidates.append(labels_alone(sites, cut, labels, k, seed))
    best = min(candidates, key=lambda found: rank(found, edges))
    return {**best.model, "partitioner": "spectral"}


def embed_both(W: FloatArray, edges: FloatArray, k: int) -> tuple[TransferCut, FloatArray]:
    """The embedding of the rows by singular vectors of length 1 (eq. G20), and the points of the labels, (t, k)."""
    cut = cut_cells(W, edges, k)
    vectors = cut.cell_map / (edges / np.sqrt(W.sum(axis=1)))[:, None]
    scale = np.maximum(cut.singular_values[: cut.cell_map.shape[1]], _LEAST)
    return cut._replace(cell_map=cut.cell_map / scale), unit_rows(vectors)


def both_together(sites: Sites, cut: TransferCut, labels: FloatArray, size: FloatArray, k: int, seed: int) -> Candidate:
    """k-means of the rows of all sites and the labels."""
    own = Points(labels, np.ones(len(labels)))
    found = cluster_sites(sites, cut, size, k, seed=seed, n_init=STARTS, own=own)
    return Candidate(embedded_model(cut, found.centers), found.cells, nearest_center(labels, found.centers))


def labels_alone(sites: Sites, cut: TransferCut, labels: FloatArray, k: int, seed: int) -> Candidate:
    """k-means of the labels; each row joins where most of its labels are, which an embedding of k axes says."""
    of_labels = cluster_rows(labels, np.ones(len(labels)), k, seed)
    votes = cut._replace(cell_map=cut.cell_weights[:, None] * one_hot(of_labels, k))
    model = embedded_model(votes, np.eye(k))
    cells = sites.total("hbgf.count", {"model": model, "n_clusters": k}, {"cells": (len(labels), k)})["cells"]
    return Candidate(model, cells, of_labels)


def rank(found: Candidate, edges: FloatArray) -> tuple[int, float]:
    """More clusters first, then the lower normalised cut of objects and labels (eqs. G5, S19)."""
    k = found.cells.shape[1]
    across = (edges[:, None] * found.cells).T @ one_hot(found.of_labels, k)  # from objects of a cluster to its labels
    return -int(np.count_nonzero(found.cells.sum(axis=0) > 0)), cut_between(across + across.T)


def restore(estimator: Any, rows: LabelledRows, model: Model, memory: SiteMemory) -> Consensus:
    """A fitted estimator of the site's rows."""
    estimator.partitioner_ = str(model["partitioner"])
    return Consensus(place_embedded(rows.ensemble, model))


METHOD = RowMethod(fit, restore, share_labels)
