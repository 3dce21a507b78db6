"""Federation by rows: every site has its own objects, and the same clusterings.

1. The sites agree on the labels of each clustering (``_dictionary.py``).
2. The method asks for sums, as often as it needs, and has a model: what every site may know.
3. Each site places its own objects in the model; sizes and label counts of the clusters are added up, so that all sites
   number the clusters in the same way and judge their objects by the counts of all.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.validation import check_clustering_weights
from partita._typing import FloatArray
from partita.base import ClusterTotals, Consensus, LabelledRows, warn_fewer_clusters
from partita.federated._memory import SiteMemory
from partita.federated._sites import Sites
from partita.federated.rows._dictionary import agree
from partita.metrics._confidence import ClusterCounts

Model = dict[str, Any]  # arrays, numbers and text; "n_clusters" is the number of columns of a membership


class RowMethod(NamedTuple):
    """How a method is fitted on rows of several sites."""

    fit: Callable[[Sites, Any, Ensemble], Model]  # (sites, estimator, layout): the coordinator's part
    restore: Callable[[Any, LabelledRows, Model, SiteMemory], Consensus]  # sets what a fit sets; clusters of the rows
    finish: Callable[[Any, LabelledRows, ClusterTotals], None] | None = None  # from the counts of all


def open_rows(sites: Sites, estimator: Any, *, noisy: bool = False) -> Ensemble:
    """Agree on the labels; returns the clusterings that count, without rows. ``noisy``: sites release noisy tables."""
    agreed = agree(sites.each("labels", {}))
    given = check_clustering_weights(estimator.weights, len(agreed))
    used = [j for j, labels in enumerate(agreed) if labels and given[j] > 0]
    if not used:
        raise ValueError("no clustering has both labels and a positive weight; at least one must.")
    settings = {"method": type(estimator).__name__, "parameters": parameters_of(estimator), "names": sites.names}
    sites.each("open", {**settings, "labels": agreed, "noisy": noisy})
    n_labels = np.array([len(agreed[j]) for j in used], dtype=np.int64)
    weights = estimator._scale_weights(np.ones(1), given)[1][used]  # as every site does
    return Ensemble(np.empty((0, len(used)), dtype=np.int32), n_labels, weights, np.empty(0))


def fit_rows(sites: Sites, estimator: Any, method: RowMethod) -> tuple[Model, ClusterTotals]:
    """The model, and what the clusters weigh at all sites; every site has then its own fitted estimator."""
    layout = open_rows(sites, estimator)
    model = method.fit(sites, estimator, layout)
    k = int(model["n_clusters"])
    shapes = {"cells": (layout.n_cells, k), "sizes": (k,), "mass": (k,)}
    found = sites.total("place", {"model": model, "n_clusters": k}, shapes)
    sites.each("close", found)
    totals = ClusterTotals(ClusterCounts(found["cells"], found["sizes"]), found["mass"])
    asked = int(getattr(estimator, "n_clusters", None) or 0)
    warn_fewer_clusters(type(estimator).__name__, asked, totals.n_clusters)
    return model, totals


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Parameters of an estimator as plain values; its seed stays with the coordinator."""
    parameters = estimator.get_params(deep=False)
    parameters["random_state"] = None
    return {name: _plain(value) for name, value in parameters.items()}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    array: FloatArray = np.asarray(value)
    return array.tolist()


def join_rows(parts: list[LabelledRows]) -> LabelledRows:
    """The rows of all sites one after another: for a simulation, in which they are in one process."""
    first = parts[0]
    offsets = np.cumsum([0, *(part.ensemble.n_rows for part in parts[:-1])])
    of_object = [
        np.where(part.row_of_object >= 0, part.row_of_object + offset, -1)
        for part, offset in zip(parts, offsets, strict=True)
    ]
    codes = np.vstack([part.ensemble.codes for part in parts])
    weights = np.concatenate([part.ensemble.row_weights for part in parts])
    return first._replace(
        ensemble=first.ensemble.with_rows(codes, weights),
        row_of_object=np.concatenate(of_object),
        n_objects=np.concatenate([part.n_objects for part in parts]),
        weightless_row=np.full(sum(len(part.row_of_object) for part in parts), -1, dtype=np.int64),
    )
