"""Balance of the clusters where a partitioner that balances is asked for by name.

Objects of equal labels are one row, and a partitioner keeps a row together. With few distinct rows no partition of
whole rows may keep the imbalance. Heavy rows are then divided into smaller ones of whole objects, so that objects with
the same labels go to different clusters, as they do where every object is a vertex (eq. G6).
"""

from typing import Any, ClassVar

import numpy as np

from partita._labels.validation import LabelMatrix
from partita._runs import draw_seeds, warn
from partita._stopping import check_stop
from partita._typing import FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows
from partita.consensus.graph._graph_partition import GraphPartition, PartitionerSettings, is_installed
from partita.consensus.graph._whole_weights import number_of_objects
from partita.exceptions import PartitionerWarning

_STEPS = 50  # rows of a cluster of mean size, at least: sizes change in steps of 2 %; adds at most 50 k vertices


class BalancedConsensus(BaseConsensus):
    """A method that partitions a graph; subclasses implement ``_cut`` and ``_finish``."""

    _balances_objects: ClassVar[bool] = True  # the parts are clusters of objects, not of labels

    n_clusters: int
    partitioner: Any
    imbalance: float
    random_state: Any
    verbose: bool | int
    partitioner_: str

    def _cut(self, rows: LabelledRows, settings: PartitionerSettings) -> GraphPartition:
        """Part of each row."""
        raise NotImplementedError(f"{type(self).__name__} must implement _cut.")

    def _finish(self, rows: LabelledRows, labels: IntArray) -> Consensus:
        """What is kept of the parts, for rows that took no part."""
        raise NotImplementedError(f"{type(self).__name__} must implement _finish.")

    def _fit_matrix(self, matrix: LabelMatrix, sample_weight: FloatArray) -> None:
        rows = self._open(matrix, sample_weight)
        settings = self._settings(int(draw_seeds(self.random_state, 1)[0]))
        settings = settings._replace(n_objects=number_of_objects(sample_weight[rows.row_of_object >= 0]))
        check_stop()
        found = self._cut(rows, settings)
        check_stop()
        strict = self._balances_objects and is_installed(settings.partitioner)
        if strict and not keeps_imbalance(rows, found, settings):
            rows = split_heavy_rows(rows, sample_weight)
            found = self._cut(rows, settings)
        self._name_partitioner(found)
        self._close(rows, self._finish(rows, found.labels))

    def _settings(self, seed: int) -> PartitionerSettings:
        return PartitionerSettings(self.partitioner, self.imbalance, seed, bool(self.verbose))

    def _name_partitioner(self, found: GraphPartition) -> None:
        """Note who made the partition; say so if the partitioner asked for by name found none."""
        self.partitioner_ = found.partitioner
        if is_installed(self.partitioner) and found.partitioner not in (self.partitioner, "none"):
            warn(
                f"partitioner={self.partitioner!r} found no partition into n_clusters={self.n_clusters} clusters, and "
                f"{found.partitioner!r} was used instead: the weights are too unequal, or there are too few objects. "
                "Pass a smaller n_clusters, or another partitioner.",
                PartitionerWarning,
            )


def keeps_imbalance(rows: LabelledRows, found: GraphPartition, settings: PartitionerSettings) -> bool:
    """Whether there are all clusters, and none exceeds the allowed weight by more than an object."""
    if found.partitioner == "none":
        return True
    weights = rows.ensemble.row_weights
    heaviest = np.bincount(found.labels, weights=weights).max()
    allowed = ((1 + settings.imbalance) / rows.n_clusters + 1 / settings.n_objects) * weights.sum()
    all_found = found.partitioner == settings.partitioner and len(np.unique(found.labels)) == rows.n_clusters
    return all_found and bool(heaviest <= allowed)


def split_heavy_rows(rows: LabelledRows, sample_weight: FloatArray) -> LabelledRows:
    """Divide rows heavier than a step of balance."""
    share = rows.ensemble.row_weights / rows.ensemble.row_weights.sum()
    n_pieces = np.ceil(share * rows.n_clusters * _STEPS * (1 - 1e-9)).astype(np.int64)  # less rounding
    return split_rows(rows, sample_weight, np.maximum(n_pieces, 1))


def split_rows(rows: LabelledRows, sample_weight: FloatArray, n_pieces: IntArray) -> LabelledRows:
    """Divide each row into at most so many rows of about equal weight, of whole objects in the order of X."""
    members = np.flatnonzero((rows.row_of_object >= 0) & (sample_weight > 0))
    members = members[np.argsort(rows.row_of_object[members], kind="stable")]
    row = rows.row_of_object[members]
    weight = sample_weight[members] / sample_weight.max()
    total = np.bincount(row, weights=weight)
    before = np.cumsum(weight) - weight - (np.cumsum(total) - total)[row]  # weight of earlier objects of the row
    heavy = n_pieces[row] > 1
    piece = np.zeros(len(row), dtype=np.int64)
    piece[heavy] = (
        before[heavy] / total[row[heavy]] * n_pieces[row[heavy]] + 1e-6
    )  # rounding must not open a piece late
    first_piece = np.cumsum(n_pieces) - n_pieces
    pieces, place = np.unique(first_piece[row] + np.minimum(piece, n_pieces[row] - 1), return_inverse=True)
    old_row = np.searchsorted(first_piece, pieces, side="right") - 1
    mass = np.bincount(place, weights=weight)
    share = np.divide(mass, total[old_row], out=np.ones(len(pieces)), where=n_pieces[old_row] > 1)
    row_of_object = np.append(np.searchsorted(old_row, np.arange(len(total))), -1)[rows.row_of_object]
    row_of_object[members] = place
    return rows._replace(
        ensemble=rows.ensemble.with_rows(rows.ensemble.codes[old_row], rows.ensemble.row_weights[old_row] * share),
        row_of_object=row_of_object,
        n_objects=np.bincount(row_of_object[row_of_object >= 0], minlength=len(pieces)),
    )
