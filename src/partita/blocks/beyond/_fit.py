"""An estimator fitted to more distinct rows than fit in memory (eqs. B1 to B7).

The rows are kept in parts. A method gets a sample of the objects and asks for sums over all parts; then one pass places
every object, and the clusters are numbered by their sizes.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._memory import available_memory, format_bytes
from partita._numbering import rank_of
from partita._runs import draw_seeds, progress, warn
from partita._typing import Array, IntArray
from partita.base import ClusterTotals, LabelledRows, Placement, warn_fewer_clusters
from partita.blocks._engine import Engine, Sums, add_up
from partita.blocks._fit import remember_names
from partita.blocks._journal import Journal
from partita.blocks._label_blocks import LabelBlocks
from partita.blocks._placing import light
from partita.blocks.beyond import _graphs, _kmeans, _label_space, _models, _pcc
from partita.blocks.beyond._judged import judged_parts, later_membership
from partita.blocks.beyond._parts import SAMPLE, Fitted, RowParts, make_parts
from partita.exceptions import FewerClustersWarning, NotEnoughMemoryError
from partita.metrics._confidence import ClusterCounts, count_cells


class Method(NamedTuple):
    """How a method is fitted to parts of the rows."""

    fit: Callable[[Any, RowParts, LabelledRows], Fitted]  # sets what a fit of the estimator sets
    place: Callable[[Ensemble, Any], IntArray] | None = None  # (rows, model) -> clusters; without, ``_label_rows``
    finish: Callable[..., None] | None = None  # (estimator, parts, totals), after all objects have been placed


METHODS = {
    "BCE": Method(_models.fit_bce),
    "CSPA": Method(_graphs.fit_cspa, _graphs.clusters_of, _graphs.share_labels),
    "ECPCS": Method(_label_space.fit_ecpcs),
    "HBGF": Method(_graphs.fit_hbgf, _graphs.clusters_of, _graphs.share_labels),
    "LWGP": Method(_label_space.fit_lwgp),
    "LabelKMeans": Method(_kmeans.fit_kmeans),
    "MCLA": Method(_graphs.fit_mcla, _graphs.place_mcla, _graphs.share_labels),
    "MultinomialMixture": Method(_models.fit_mixture),
    "NBCE": Method(_models.fit_nbce),
    "PCC": Method(_pcc.fit_pcc),
    "QMI": Method(_kmeans.fit_qmi),
    "USENC": Method(_label_space.fit_usenc),
}


def fit_beyond_memory(blocks: LabelBlocks, estimator: Any, engine: Engine, journal: Journal) -> None:
    """Fit an estimator to blocks whose distinct rows do not fit in memory together."""
    method = method_for(estimator)
    parts = make_parts(blocks, estimator, engine, journal)
    remember_names(estimator, parts.columns.names, parts.columns.encoder.n_columns_in)
    seed = int(draw_seeds(estimator.random_state, 1)[0])
    sample = parts.labelled_rows(parts.sample(SAMPLE, seed), estimator)
    warn_few_rows(estimator, sample.ensemble.n_rows, parts.n_rows)
    any_order = np.arange(1)
    estimator._placement = Placement(parts.columns.encoder, any_order, any_order, None)  # the encoder is needed now
    found = method.fit(estimator, parts, sample)
    counts = close(blocks, estimator, parts, method, found)
    labels = estimator._place_rows(sample.ensemble.codes)[0]
    estimator._judged = judged_parts(sample.ensemble, labels, counts, blocks, estimator)


def warn_few_rows(estimator: Any, n_sampled: int, n_rows: int) -> None:
    """Say that more clusters are asked for than the sample can show."""
    asked = int(getattr(estimator, "n_clusters", None) or 0)
    if asked > n_sampled and not estimator._n_clusters_is_bound:
        rows = f"{n_sampled} distinct rows of the sample, of {n_rows} in all,"
        warn(
            f"n_clusters={asked} exceeds the {rows} from which clusters start; {n_sampled} are used.",
            FewerClustersWarning,
        )


def method_for(estimator: Any) -> Method:
    """How the estimator is fitted; others are refused with the names of those that can be."""
    name = type(estimator).__name__
    if name not in METHODS:
        raise NotEnoughMemoryError(
            f"the distinct rows of these blocks do not fit in {format_bytes(available_memory())}, and {name} needs "
            f"them all at once. These methods do not: {', '.join(METHODS)} (NBCE with inference='vb', PCC with "
            "divergence='l2'). "
            "PARTITA_MAX_MEMORY sets another limit."
        )
    if getattr(estimator, "keep_starts", False):
        raise NotEnoughMemoryError(
            f"{name}(keep_starts=True) runs every start on all distinct rows, which do not fit in memory; leave it out."
        )
    return METHODS[name]


# ------------------------------------------------------------------------------------------------------------ placing
class Placing(NamedTuple):
    """What a part needs to place its rows."""

    estimator: Any  # fitted, without results
    place: Callable[[Ensemble, Any], IntArray] | None
    found: Fitted


def place_rows(rows: Ensemble, how: Placing, kept: dict[str, Array] | None = None) -> Sums:
    """Clusters of the rows of a part, in the method's own numbering, and how many objects of which labels they have."""
    if kept is not None:
        found = kept["Y"]
    elif how.place is not None:
        found = how.place(rows, how.found.model)
    else:
        found = how.estimator._label_rows(rows.codes)
    labels = found.argmax(axis=1) if found.ndim == 2 else found
    counts = count_cells(rows, labels, how.found.n_clusters)
    mass = rows.row_weights @ found if found.ndim == 2 else counts.sizes
    return {"labels": labels, "cells": counts.cells, "sizes": counts.sizes, "mass": np.asarray(mass)}


def close(blocks: LabelBlocks, estimator: Any, parts: RowParts, method: Method, found: Fitted) -> ClusterCounts:
    """Place all objects, number the clusters by decreasing size, and keep the results; gives their counts."""
    how = Placing(light(estimator), method.place, found)
    labels, totals = _place_all(parts, how, show=bool(getattr(estimator, "verbose", False)))
    order = np.lexsort((-totals.mass, -totals.counts.sizes))
    if found.prior is None:
        order = order[: totals.n_clusters]
    rank, prior = rank_of(order, found.n_clusters), None if found.prior is None else found.prior[order]
    estimator._placement = Placement(parts.columns.encoder, order, rank, prior)
    for lo in range(0, len(labels), 1 << 20):
        part = labels[lo : lo + (1 << 20)]
        part[:] = np.append(rank, -1).astype(np.int32)[part]
    estimator.labels_, estimator.n_clusters_ = labels, totals.n_clusters
    if found.prior is not None:
        estimator.n_components_ = len(order)
        estimator.membership_ = later_membership(blocks, estimator)
    if method.finish is not None:
        method.finish(estimator, parts, totals)
    if not estimator._n_clusters_is_bound:
        asked = int(getattr(estimator, "n_clusters", None) or 0)
        warn_fewer_clusters(type(estimator).__name__, asked, len(order))
    return totals.counts.of(order[: totals.n_clusters])


def _place_all(parts: RowParts, how: Placing, *, show: bool) -> tuple[Array, ClusterTotals]:
    n_samples = sum(map(sum, parts.lengths))
    labels, lo = np.empty(n_samples, dtype=np.int32), 0
    total: Sums = {}
    with progress(len(parts.lengths), "placing objects", show=show) as bar:
        for found, of_part in parts.place(
            place_rows, how._replace(found=how.found._replace(kept=None)), how.found.kept
        ):
            labels[lo : lo + len(found)] = found
            lo += len(found)
            total = add_up([total, of_part] if total else [of_part])
            bar.update(1)
    return labels, ClusterTotals(ClusterCounts(total["cells"], total["sizes"]), total["mass"])
