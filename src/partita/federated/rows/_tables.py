"""Methods that need one sum of the sites: the tables of all pairs of labels (eq. S9).

ECPCS ("meta") and MCLA group the labels; each site then places its own objects.
"""

from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.tables import ClusterTables, cluster_tables
from partita._runs import draw_seeds
from partita._typing import FloatArray, IntArray
from partita.base import ClusterTotals, Consensus, LabelledRows
from partita.consensus.graph._cell_memberships import cell_memberships
from partita.consensus.graph._graph_consensus import label_shares, with_unit_weights
from partita.consensus.graph._mcla import associate, group_cells
from partita.consensus.graph._whole_weights import in_units
from partita.consensus.label_space._cluster_cut import cut_graph
from partita.consensus.label_space._ecpcs import associate_rows, cluster_similarity, share_table
from partita.federated._engine import Values
from partita.federated._incoming import MOST_CLUSTERS, array_of, number_of, whole_numbers_of
from partita.federated._memory import SiteMemory
from partita.federated._sites import Sites
from partita.federated.rows._fit import Model, RowMethod

STEPS = 20  # of the walks of ECPCS where it serves as a start


def _tables(site: Any, values: Values) -> dict[str, Any]:
    """Tables of all pairs of labels of the site's rows."""
    together = cluster_tables(site.rows.ensemble).together
    site.check_counts(together)
    return {"together": together}


def _objects(site: Any, values: Values) -> dict[str, Any]:
    """Number of objects that have a label."""
    return {"n": np.array([site.rows.ensemble.row_weights.sum()])}


ANSWERS = {"tables": _tables, "count": _objects}


def ask_tables(sites: Sites, layout: Ensemble) -> ClusterTables:
    """Tables of the objects of all sites."""
    t = layout.n_cells
    together = np.rint(sites.total("tables", {}, {"together": (t, t)})["together"])  # counts, also where decrypted
    return ClusterTables(together, layout.cell_clustering, layout.clustering_weights)


# -------------------------------------------------------------------------------------------------------------- ECPCS
def meta_shares(tables: ClusterTables, n_clusters: int, steps: int = STEPS) -> FloatArray:
    """Groups of the labels, as a table by which rows are placed, (t, 2 k)."""
    return share_table(tables, cut_graph(cluster_similarity(tables, steps), n_clusters, tables.size))


def place_by_shares(ensemble: Ensemble, shares: FloatArray) -> IntArray:
    """Cluster of each row."""
    return associate_rows(ensemble, shares)


def shares_from(values: Values, n_cells: int, most: int) -> FloatArray:
    """The table as it was sent, of at most so many groups."""
    shares = array_of(values, "shares", n_cells, None)
    if shares.shape[1] % 2 or shares.shape[1] > 2 * most:
        wanted = f"({n_cells}, 2 k) with k up to {most}"
        raise ValueError(f"the message has 'shares' of shape {shares.shape}, and {wanted} is needed")
    return shares


def fit_ecpcs(sites: Sites, estimator: Any, layout: Ensemble) -> Model:
    """One exchange: the tables."""
    if estimator.output != "meta":
        raise ValueError("ECPCS(output='tree') compares all pairs of objects, which no site has; pass output='meta'.")
    shares = meta_shares(ask_tables(sites, layout), int(estimator.n_clusters), int(estimator.steps))
    return {"shares": shares, "n_clusters": shares.shape[1] // 2}


def restore_ecpcs(estimator: Any, rows: LabelledRows, model: Model, memory: SiteMemory) -> Consensus:
    """A fitted estimator of the site's rows."""
    k = number_of(model, "n_clusters", 1, MOST_CLUSTERS)
    estimator._shares = array_of(model, "shares", rows.ensemble.n_cells, 2 * k)
    estimator._layout = rows.ensemble.layout
    return Consensus(place_by_shares(rows.ensemble, estimator._shares))


ECPCS = RowMethod(fit_ecpcs, restore_ecpcs)


# --------------------------------------------------------------------------------------------------------------- MCLA
def fit_mcla(sites: Sites, estimator: Any, layout: Ensemble) -> Model:
    """One exchange: the tables, from which the labels are grouped as in the pooled fit."""
    found, settings = ask_tables(sites, layout), estimator._settings(int(draw_seeds(estimator.random_state, 1)[0]))
    tables = ClusterTables(found.together, found.cell_clustering, in_units(found.clustering_weights))
    meta = group_cells(tables, tables.size, int(estimator.n_clusters), settings)
    estimator._name_partitioner(meta)
    return {"meta": meta.labels, "partitioner": meta.partitioner, "n_clusters": int(meta.labels.max()) + 1}


def restore_mcla(estimator: Any, rows: LabelledRows, model: Model, memory: SiteMemory) -> Consensus:
    """A fitted estimator of the site's rows."""
    k = number_of(model, "n_clusters", 1, MOST_CLUSTERS)
    meta = whole_numbers_of(model, "meta", 0, k - 1, rows.ensemble.n_cells)
    estimator.partitioner_ = str(model["partitioner"])
    cells = cell_memberships(with_unit_weights(rows.ensemble))
    association = associate(cells.H, cells.seen, meta, cells.cell_clustering, cells.cell_weights)
    return Consensus(association.argmax(axis=1))


def share_labels(estimator: Any, rows: LabelledRows, totals: ClusterTotals) -> None:
    """How new rows are placed: by the shares of the clusters in the objects of each label at all sites (eq. S11)."""
    cells = totals.counts.cells
    estimator._shares = label_shares(cells, cells.sum(axis=1), with_unit_weights(rows.ensemble).cell_weights)


MCLA = RowMethod(fit_mcla, restore_mcla, share_labels)
