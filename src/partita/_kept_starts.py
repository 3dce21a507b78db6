"""What each start of a fit found, for those who ask (``keep_starts=True``)."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from partita._numbering import number_by_size
from partita._typing import Array, IntArray
from partita.base import LabelledRows


class RowStart(NamedTuple):
    """One start, run to its end, as a method knows it."""

    objective: float  # on the scale of the method's weights
    seed: int
    n_iter: int
    labels: Array  # (n_rows,) cluster of each row, any numbering


class StartResult(NamedTuple):
    """One start, run to its end; ``pandas.DataFrame(model.starts_)`` makes a table of all."""

    objective: float  # what the method improves: its ``objective_`` or ``lower_bound_``
    seed: int
    n_iter: int
    labels: IntArray  # (n_samples,) clusters by decreasing size; -1 for objects without a label or without weight


def kept_starts(
    runs: Iterable[RowStart], rows: LabelledRows, *, objects: float = 0, clusterings: float = 0
) -> list[StartResult]:
    """What ``starts_`` holds; the powers of the weights are those with which the objective grows."""
    return [
        StartResult(
            float(rows.scale.report(run.objective, objects=objects, clusterings=clusterings)),
            int(run.seed),
            int(run.n_iter),
            _of_objects(run.labels, rows),
        )
        for run in runs
    ]


def _of_objects(labels: Any, rows: LabelledRows) -> IntArray:
    """Numbered as ``labels_``: by weight, equally large clusters by their first object."""
    of_object = np.append(np.asarray(labels, dtype=np.int64), -1)[rows.row_of_object]
    shared = rows.ensemble.row_weights / rows.n_objects  # so that the objects of a row add up to its weight
    return number_by_size(of_object, np.append(shared, 0.0)[rows.row_of_object])
