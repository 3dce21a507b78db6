"""Federation by columns: every site has its own clusterings of the same objects, in the same order.

1. The sites say how many objects and clusterings they have; weights are split, and objects without a label at any site
   are found from the sum of the weights of their labels (eq. S21).
2. The method asks for sums over columns. Parameters of labels stay where the labels are.
3. Every site is told the consensus of the common objects.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import layout_of
from partita._labels.validation import LabelMatrix, check_clustering_weights
from partita._labels.weights import check_countable
from partita._numbering import order_by_size, rank_of
from partita._runs import progress
from partita._typing import FloatArray, IntArray
from partita.base import Consensus, LabelledRows, warn_fewer_clusters, warn_unlabelled
from partita.consensus.models._em import warn_one_clustering
from partita.exceptions import SiteError, UnlabelledObjectsWarning
from partita.federated._engine import InProcess, Values
from partita.federated._sites import PlainSites, Sites
from partita.federated.columns._disclosure import check_disclosure
from partita.federated.columns._site import ColumnSite
from partita.federated.encryption._sealed_sites import sealed_sites
from partita.federated.rows._fit import Model, parameters_of


class CommonObjects(NamedTuple):
    """What is known of the objects that all sites have."""

    n_objects: int
    labelled: IntArray  # (n,) those that have a label at some site; arrays of the methods have one row for each
    weight: FloatArray  # (n,) weight of the clusterings that label each of them
    total: float  # weight of all clusterings
    paper: bool = False  # whether the paper's own messages are sent

    @property
    def n(self) -> int:
        """Number of objects with a label."""
        return len(self.labelled)


class ColumnMethod(NamedTuple):
    """How a method is fitted on clusterings of several sites.

    The model has "place" (where the sites have the tables of its end), "membership" (n, k), "prior" (k,), and
    "clusters" (k,), which columns of the tables are meant.
    """

    fit: Callable[[Sites, Any, CommonObjects], Model]  # the coordinator's part
    restore: Callable[[Any, LabelledRows, Model, FloatArray, IntArray], Consensus]
    # (estimator, rows, model, table of all sites, object of each row): sets what a fit sets; in a simulation alone


# -------------------------------------------------------------------------------------------------------- at a site
def _observe(site: Any, values: Values) -> dict[str, Any]:
    """Weight of the site's clusterings that label each object, and of all of them."""
    weights = site.ensemble.clustering_weights
    return {
        "weight": (site.ensemble.codes >= 0) @ weights,
        "total": np.array([weights.sum()]),
        "n_clusterings": np.array([float(len(weights))]),
    }


ANSWERS = {"columns.observe": _observe}


# ------------------------------------------------------------------------------------------------ at the coordinator
def open_columns(sites: Sites, estimator: Any, *, paper: bool = False) -> CommonObjects:
    """Split the weights, and find the objects that have a label."""
    described = sites.each("describe", {})
    n_objects = compare_objects(described)
    n_columns = [int(described[name]["n_columns"]) for name in sites.names]
    given = check_clustering_weights(estimator.weights, sum(n_columns))
    given = check_countable(given, "weights", type(estimator).__name__)
    parameters = {**parameters_of(estimator), "weights": None}
    settings = {"method": type(estimator).__name__, "parameters": parameters, "names": sites.names, "paper": paper}
    for name, weights in zip(sites.names, np.split(given, np.cumsum(n_columns)[:-1]), strict=True):
        sites.each("open", {**settings, "weights": weights}, to=[name])
    shapes = {"weight": (n_objects,), "total": (1,), "n_clusterings": (1,)}
    found = sites.total("columns.observe", {}, shapes)
    labelled = np.flatnonzero(found["weight"] > 0)
    if not len(labelled):
        raise ValueError("no object has a label in a clustering of positive weight; at least one must.")
    sites.each("objects", {"labelled": labelled})
    warn_unlabelled(int(np.count_nonzero(found["weight"] <= 0)), len(found["weight"]))
    warn_one_clustering(estimator, layout_of(np.ones(round(float(found["n_clusterings"][0])), dtype=np.int64)))
    return CommonObjects(n_objects, labelled, found["weight"][labelled], float(found["total"][0]), paper)


def _is_description(reply: Any) -> bool:
    numbers = [reply.get("n_objects"), reply.get("n_columns")]
    return all(isinstance(number, int) and number > 0 for number in numbers) and isinstance(reply.get("ids"), str)


def compare_objects(described: Mapping[str, Any]) -> int:
    """The number of objects, if all sites have the same ones as far as they say."""
    strange = [site for site, reply in described.items() if not _is_description(reply)]
    if strange:
        raise SiteError(dict.fromkeys(strange, "did not say how many objects and clusterings it has"))
    first = next(iter(described))
    n_objects = int(described[first]["n_objects"])
    other = {
        site: f"has {reply['n_objects']} objects, and site {first!r} has {n_objects}; all must have the same, in the "
        "same order"
        for site, reply in described.items()
        if reply["n_objects"] != n_objects
    }
    named = {site: reply["ids"] for site, reply in described.items() if reply["ids"]}
    for site, digest in named.items():
        if digest != (known := next(iter(named.values()))) and site not in other:
            with_first = next(name for name, one in named.items() if one == known)
            other[site] = f"names its objects (ids) otherwise than site {with_first!r}, in another order, or under "
            other[site] += "another secret_key"
    if other:
        raise SiteError(other)
    return n_objects


def fit_columns(
    sites: Sites, estimator: Any, *, encrypted: bool = False, paper: bool = False, accept_disclosure: bool = False
) -> Model:
    """The coordinator's part of a fit (with encryption, the leading site's); every site has then the consensus."""
    from partita.federated._methods import COLUMN_METHODS

    name = type(estimator).__name__
    if name not in COLUMN_METHODS:
        raise ValueError(f"{name} cannot be fitted by columns; pass one of {', '.join(COLUMN_METHODS)}.")
    if paper and name != "BCE":
        raise ValueError(f"paper=True is the column-distributed EM of BCE, and not one of {name}; leave it out.")
    if getattr(estimator, "keep_starts", False):
        raise ValueError("keep_starts=True has no meaning by columns, where all starts are annealed together.")
    check_disclosure(sites.names, encrypted=encrypted, paper=paper, accepted=accept_disclosure)
    common = open_columns(sites, estimator, paper=paper)
    model = COLUMN_METHODS[name].fit(sites, estimator, common)
    told = consensus_of(model, common)
    sites.each("close", {**told, "place": model["place"]})
    found = len(np.unique(told["labels"][told["labels"] >= 0]))
    warn_fewer_clusters(name, int(getattr(estimator, "n_clusters", None) or 0), found)
    return model


def consensus_of(model: Model, common: CommonObjects) -> Model:
    """Labels and memberships of all objects, clusters by decreasing size; without labels: -1 and the prior."""
    membership, prior = model["membership"], model["prior"]
    found = np.full(common.n_objects, -1, dtype=np.int64)
    found[common.labelled] = membership.argmax(axis=1)
    order = order_by_size(found, len(prior), mass=membership.sum(axis=0))
    of_objects = np.tile(prior[order], (common.n_objects, 1))
    of_objects[common.labelled] = membership[:, order]
    labels = np.append(rank_of(order, len(prior)), -1)[found]
    return {"labels": labels, "membership": of_objects, "order": model["clusters"][order]}


# --------------------------------------------------------------------------------------------------- in one process
SitesOf = Callable[[dict[str, ColumnSite]], Sites]


def simulate_columns(
    estimator: Any,
    parts: Mapping[str, Any],
    *,
    encrypted: bool = False,
    paper: bool = False,
    accept_disclosure: bool = False,
    sites_of: SitesOf | None = None,
) -> Any:
    """Fit an estimator to the clusterings of several sites side by side; it is as if it had been fitted to all."""
    check_disclosure(list(parts), encrypted=encrypted, paper=paper, accepted=accept_disclosure)
    owners = {
        name: ColumnSite(part, name=name, accept_disclosure=accept_disclosure, encrypted=encrypted)
        for name, part in parts.items()
    }
    settings = {"encrypted": encrypted, "paper": paper, "accept_disclosure": accept_disclosure}
    with progress(None, "exchanges", show=bool(estimator.verbose)) as bar:
        if sites_of is not None:
            sites = sites_of(owners)
        else:
            sites = sealed_sites(owners, bar=bar) if encrypted else PlainSites(InProcess(owners, bar))
        model = fit_columns(sites, estimator, **settings)
    tables = [owner.table(model["place"]) for owner in owners.values()]
    restore_columns(estimator, [owner.matrix for owner in owners.values()], tables, model)
    estimator.exchanges_ = sites.exchanges
    return estimator


def restore_columns(
    estimator: Any, matrices: Sequence[LabelMatrix], tables: Sequence[FloatArray], model: Model
) -> None:
    """Set what a fit sets, from the labels of all sites and the parameters that these have of them."""
    from partita.federated._methods import COLUMN_METHODS

    matrix = join_matrices(matrices)
    estimator.n_features_in_ = matrix.n_columns_in
    rows = open_joined(estimator, matrix)
    restore = COLUMN_METHODS[type(estimator).__name__].restore
    estimator._close(rows, restore(estimator, rows, model, np.vstack(tables), object_of_row(rows)))


def join_matrices(matrices: Sequence[LabelMatrix]) -> LabelMatrix:
    """The clusterings of all sites side by side."""
    first = np.cumsum([0, *(matrix.n_columns_in for matrix in matrices)])
    return LabelMatrix(
        np.hstack([matrix.codes for matrix in matrices]),
        [labels for matrix in matrices for labels in matrix.labels],
        [name for matrix in matrices for name in matrix.names],
        np.concatenate([matrix.kept + start for matrix, start in zip(matrices, first[:-1], strict=True)]),
        int(first[-1]),
        matrices[0].noise,
    )


def open_joined(estimator: Any, matrix: LabelMatrix) -> LabelledRows:
    """Distinct rows of all clusterings; that some objects have none was said before."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnlabelledObjectsWarning)
        rows: LabelledRows = estimator._open(matrix, np.ones(len(matrix.codes)), is_part=True)
    return rows


def object_of_row(rows: LabelledRows) -> IntArray:
    """An object of each row, among those that have a label: equal rows have equal memberships."""
    row_of = rows.row_of_object[rows.row_of_object >= 0]
    of_row = np.empty(rows.ensemble.n_rows, dtype=np.int64)
    of_row[row_of[::-1]] = np.arange(len(row_of))[::-1]
    return of_row
