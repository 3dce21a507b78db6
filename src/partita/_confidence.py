"""How sure a fitted consensus is of each object: ``confidence_`` and ``votes_``, computed when they are asked for.

A fit keeps references to its distinct rows, their clusters and the row of each object, and computes nothing more.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita._in_blocks import ValuesInBlocks
from partita._labels.ensemble import Ensemble, find_distinct_rows
from partita._typing import Codes, FloatArray, IntArray
from partita.metrics._confidence import ClusterCounts, RowVerdicts, count_cells, judge_rows, row_votes


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """What a fitted model keeps of its objects."""

    ensemble: Ensemble  # rows that counted in the fit
    idle_codes: Codes  # (n_idle, m) rows of objects without weight
    row_labels: IntArray  # (n_rows + n_idle,) cluster of each row, of both kinds; -1 for none
    row_of_object: IntArray  # (n_samples,) its row among both, or -1
    n_clusters: int
    all_counts: ClusterCounts | None = None  # of all objects, where these are a part of them
    lengths: list[int] | None = None  # objects of each block, where they came in blocks

    is_sample: ClassVar[bool] = False  # whether the rows are those of a sample of the objects

    def __getstate__(self) -> dict[str, Any]:
        """The fields; what is derived from them is not stored."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def verdicts(self) -> RowVerdicts:
        """Log-odds of each object's cluster, and the second cluster (eq. I74)."""
        of_row = judge_rows(self._all_rows(), self.row_labels, self.counts())
        confidence, second = np.append(of_row.confidence, np.nan), np.append(of_row.second, -1)
        return RowVerdicts(confidence[self.row_of_object], second[self.row_of_object])

    def votes(self) -> FloatArray:
        """Votes for each object (eq. I75); of objects in blocks a list of one array per block, made one at a time."""
        counts = self.counts()
        of_row = np.vstack([row_votes(self._all_rows(), counts), counts.sizes / counts.sizes.sum()])
        if self.lengths is None:
            return np.asarray(of_row[self.row_of_object])
        return ValuesInBlocks(of_row, self.row_of_object, self.lengths)  # type: ignore[return-value]

    def own_votes(self) -> FloatArray:
        """Share of its own cluster in the votes for each object; NaN without a cluster."""
        of_row, own = row_votes(self._all_rows(), self.counts()), self.row_labels
        mine = np.where(own >= 0, of_row[np.arange(len(own)), own.clip(0)], np.nan)
        return np.asarray(np.append(mine, np.nan)[self.row_of_object])

    def counts(self) -> ClusterCounts:
        """Weight of each label in each cluster."""
        if self.all_counts is not None:
            return self.all_counts
        return count_cells(self.ensemble, self.row_labels[: self.ensemble.n_rows], self.n_clusters)

    def codes_of(self, objects: IntArray) -> Codes:
        """Codes of some objects, (n, m); -1 throughout for those without a row."""
        codes = self.all_codes
        return np.asarray(
            np.vstack([codes, np.full((1, codes.shape[1]), -1, dtype=codes.dtype)])[self.row_of_object[objects]]
        )

    @property
    def all_codes(self) -> Codes:
        """Codes of the rows, with weight and without."""
        return np.vstack([self.ensemble.codes, self.idle_codes]) if len(self.idle_codes) else self.ensemble.codes

    def _all_rows(self) -> Ensemble:
        return self.ensemble.with_rows(self.all_codes) if len(self.idle_codes) else self.ensemble


class ConfidenceMixin:
    """Of every consensus estimator: how sure it is of each object."""

    _judged: JudgedRows

    @property
    def confidence_(self) -> FloatArray:
        """Log-odds of each object's cluster against the best other one, in nats; see ``metrics.label_confidence``.

        Not a probability of being right: it ranks objects, and those with low values are in the wrong cluster more
        often. NaN for objects without any label or cluster, infinite if there is one cluster.
        """
        check_is_fitted(self, "_judged")
        return self._judged.verdicts.confidence

    @property
    def votes_(self) -> FloatArray:
        """Votes of each object's labels for the clusters, (n_samples, n_clusters_); see ``metrics.label_votes``.

        Rows sum to 1, and are not probabilities of being right. Computed at each access.
        """
        check_is_fitted(self, "_judged")
        return self._judged.votes()


def judged_rows(
    ensemble: Ensemble,
    idle_codes: Codes,
    row_labels: IntArray,
    rows_of_objects: tuple[IntArray, IntArray],
    n_clusters: int,
) -> JudgedRows:
    """What is kept of the rows of a fit; ``rows_of_objects`` are those with and without weight, -1 for none."""
    of_object, idle_of_object = rows_of_objects
    if len(idle_codes):
        of_object = np.where(idle_of_object >= 0, ensemble.n_rows + idle_of_object, of_object)
    light = ensemble.with_rows(ensemble.codes, ensemble.row_weights)  # without the tables that a fit has derived
    return JudgedRows(light, idle_codes, row_labels, of_object, n_clusters)


def merge_equal_rows(judged: JudgedRows) -> JudgedRows:
    """The same with one row for all that have equal labels and one cluster: for methods that see every object."""
    old, n_rows = judged.ensemble, judged.ensemble.n_rows
    both = np.column_stack([old.codes, judged.row_labels[:n_rows]]).astype(np.int32)
    found = find_distinct_rows(both, np.append(old.n_labels, judged.n_clusters))
    weights = np.bincount(found.inverse, weights=old.row_weights).astype(np.float64)
    n_idle, n_new = len(judged.idle_codes), len(found.first)
    place = np.concatenate([found.inverse, n_new + np.arange(n_idle), [-1]])  # the last entry is used for -1
    return JudgedRows(
        old.with_rows(np.ascontiguousarray(old.codes[found.first]), weights),
        judged.idle_codes,
        judged.row_labels[np.append(found.first, n_rows + np.arange(n_idle))],
        place[judged.row_of_object],
        judged.n_clusters,
    )
