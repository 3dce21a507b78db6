"""An estimator fitted to labels in blocks.

Blocks are reduced to weighted distinct rows, and the estimator is fitted to these as to a label matrix with weights:
the same sums, the same draws, the same result as with all objects in memory (eq. B1). If the distinct rows do not fit
in memory, what can be computed part by part goes on in ``beyond/``.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from partita._confidence import JudgedRows
from partita._in_blocks import ValuesInBlocks
from partita._labels.ensemble import have_a_label
from partita._runs import progress
from partita._typing import Array, IntArray
from partita.base import BaseConsensus, remember_columns, warn_unlabelled
from partita.blocks._engine import Engine, InThisProcess
from partita.blocks._journal import IN_MEMORY, PARTS, Journal, journal_for
from partita.blocks._label_blocks import LabelBlocks
from partita.blocks._reduction import ReducedLabels, TooManyRowsError, join_blocks, reduce_block
from partita.blocks._results import hand_out
from partita.consensus.graph._graph_partition import is_installed


def fit_estimator(blocks: LabelBlocks, estimator: Any, sample_weight: Any) -> None:
    """Fit an estimator to blocks; see the module's docstring."""
    check_estimator(estimator, sample_weight)
    for name in ("starts_", "_coassignment"):  # of an earlier fit
        estimator.__dict__.pop(name, None)
    journal = journal_for(blocks.resume, estimator, blocks)
    engine = engine_for(blocks, estimator)
    reduced = reduce_all(blocks, engine, journal, show=bool(getattr(estimator, "verbose", False)))
    if reduced is not None:
        fit_reduced(estimator, reduced)
        return
    from partita.blocks.beyond._fit import fit_beyond_memory

    fit_beyond_memory(blocks, estimator, engine, journal)


def engine_for(blocks: LabelBlocks, estimator: Any) -> Engine:
    """Where the blocks are computed."""
    if blocks.client is None:
        return InThisProcess(getattr(estimator, "n_jobs", None))
    from partita.blocks._dask import OnDask

    return OnDask(blocks.client)


def check_estimator(estimator: BaseConsensus, sample_weight: Any) -> None:
    """Refuse, before any work, what needs every object by itself."""
    name = type(estimator).__name__
    if sample_weight is not None:
        raise ValueError("sample_weight is not taken with labels in blocks; an object of weight 2 can be there twice.")
    partitioner = getattr(estimator, "partitioner", None)
    if partitioner is not None and getattr(estimator, "_balances_objects", False) and is_installed(partitioner):
        raise ValueError(
            f"{name}(partitioner={partitioner!r}) balances single objects, and blocks are reduced to distinct rows; "
            "pass partitioner='auto' or 'spectral', or labels in memory."
        )
    if estimator._one_row_per_object():
        raise ValueError(
            f"{name} with these parameters sees every object by itself (Gibbs sampling, the greedy solver, chosen "
            "pairs), and blocks are reduced to distinct rows; pass labels in memory, or a sample of them. "
            f"{_INSTEAD.get(name, '')}".rstrip()
        )
    if getattr(estimator, "coassignment", False):
        raise ValueError(f"{name}(coassignment=True) makes a matrix of all pairs of objects; leave it out with blocks.")
    if not isinstance(getattr(estimator, "init", ""), str):
        raise ValueError(f"{name}(init=array) needs a row per object; pass the name of a start with blocks.")


_INSTEAD = {"NBCE": "NBCE(inference='vb') takes blocks.", "PCC": "PCC(divergence='l2') over all pairs takes blocks."}


# ---------------------------------------------------------------------------------------------------------- reduction
def reduce_all(blocks: LabelBlocks, engine: Engine, journal: Journal, *, show: bool) -> ReducedLabels | None:
    """Distinct rows of all blocks, kept for the next fit of the same blocks; None if they do not fit in memory."""
    route = journal.route()
    if route == PARTS:
        return None
    if "reduced" in blocks._kept:
        for block in blocks.blocks() if blocks.n_blocks is not None else ():
            if hasattr(block, "mark"):
                block.mark.check()
        return blocks._kept["reduced"]  # type: ignore[no-any-return]
    with progress(blocks.n_blocks, "reading blocks", show=show) as bar:

        def read() -> Any:
            for rows in journal.read_or_make(blocks, lambda left: engine.map(reduce_block, left)):
                yield rows
                bar.update(1)

        try:
            reduced = join_blocks(read(), blocks.noise, limited=route is None)
        except TooManyRowsError:
            journal.take_route(PARTS)
            return None
    journal.take_route(IN_MEMORY)
    blocks._kept["reduced"] = reduced
    return reduced


# ---------------------------------------------------------------------------------------------------------------- fit
def fit_reduced(estimator: Any, reduced: ReducedLabels) -> None:
    """Fit the distinct rows, and give their results to the objects."""
    matrix, n_samples = reduced.matrix, len(reduced.row_of_object)
    remember_names(estimator, reduced.names, matrix.n_columns_in)
    used = estimator._clustering_weights(matrix) > 0
    labelled = have_a_label(matrix.codes[:, used])
    n_objects, row_of_object = reduced.n_objects, reduced.row_of_object
    if not labelled.all():
        warn_unlabelled(int(n_objects[~labelled].sum()), n_samples)
        matrix = replace(matrix, codes=matrix.codes[labelled])
        n_objects = n_objects[labelled]
        row_of_object = renumber(row_of_object, labelled)
    estimator._fit_matrix(matrix, n_objects.astype(np.float64))
    give_to_objects(estimator, n_objects, row_of_object, reduced.lengths)


def renumber(row_of_object: Array, kept: Array) -> Array:
    """Row of each object among those that are kept, -1 for the others."""
    place = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    return hand_out(place, row_of_object)


def remember_names(estimator: Any, names: list[str] | None, n_columns: int) -> None:
    """Set ``n_features_in_``, and ``feature_names_in_`` if the columns have names of their own."""
    unnamed = np.empty((0, n_columns), dtype=np.int8)
    remember_columns(estimator, unnamed if names is None else pd.DataFrame(columns=pd.Index(names)), None, reset=True)


def give_to_objects(estimator: Any, n_objects: IntArray, row_of_object: Array, lengths: list[int]) -> None:
    """What an estimator found for distinct rows, for the objects of all blocks."""
    judged = _in_order_of_rows(estimator._judged, n_objects, row_of_object)
    estimator._judged = replace(judged, lengths=lengths)
    if "membership_" in estimator.__dict__:
        of_row = np.vstack([estimator.membership_, estimator._placement.prior])
        estimator.membership_ = ValuesInBlocks(of_row, row_of_object, lengths)
    if "starts_" in estimator.__dict__:
        estimator.starts_ = [
            start._replace(labels=hand_out(start.labels.astype(np.int32), row_of_object)) for start in estimator.starts_
        ]
    estimator.labels_ = hand_out(estimator.labels_.astype(np.int32), row_of_object)


def _in_order_of_rows(judged: JudgedRows, n_objects: IntArray, row_of_object: Array) -> JudgedRows:
    """The same rows in the order in which they were reduced, so that the place of each object is held only once."""
    place, old = judged.row_of_object, judged.ensemble
    weights = n_objects * (old.row_weights.sum() / n_objects.sum())  # a power of two, or 1
    ensemble = old.with_rows(np.ascontiguousarray(old.codes[place]), weights)
    return replace(judged, ensemble=ensemble, row_labels=judged.row_labels[place], row_of_object=row_of_object)
