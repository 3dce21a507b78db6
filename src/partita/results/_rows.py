"""The objects of a result as distinct rows: what its tables are computed from."""

from typing import Any, NamedTuple

import numpy as np

from partita._confidence import JudgedRows
from partita._labels.ensemble import Ensemble
from partita._typing import Codes, FloatArray, IntArray
from partita.exceptions import NotEnoughMemoryError
from partita.metrics._confidence import ClusterCounts, count_cells
from partita.results._sample import stratified_sample

_STEP = 1 << 22  # objects that are counted at a time


class ResultRows(NamedTuple):
    """Distinct rows of labels, of objects with a weight or without, each in one cluster."""

    ensemble: Ensemble  # its row weights are numbers of objects
    labels: IntArray  # (n_rows,) cluster of each row, -1 for none
    n_clusters: int
    all_counts: ClusterCounts | None = None  # of all objects, where the rows are those of a sample

    def counts(self) -> ClusterCounts:
        """Objects with each label in each cluster."""
        if self.all_counts is not None:
            return self.all_counts
        return count_cells(self.ensemble, self.labels, self.n_clusters)


def rows_of(judged: JudgedRows) -> ResultRows:
    """All objects that have a label, counted as objects, whatever weight they had in the fit."""
    n_objects = count_objects(judged.row_of_object, len(judged.row_labels))
    rows = judged.ensemble.with_rows(judged.all_codes, n_objects)
    all_counts = judged.counts() if judged.is_sample else None
    return ResultRows(rows, judged.row_labels, judged.n_clusters, all_counts)


def count_objects(row_of_object: IntArray, n_rows: int) -> FloatArray:
    """Objects of each row; a hundred million objects are counted in steps, for which NumPy needs little memory."""
    n_objects = np.zeros(n_rows + 1)
    for lo in range(0, len(row_of_object), _STEP):
        n_objects += np.bincount(row_of_object[lo : lo + _STEP] + 1, minlength=n_rows + 1)
    return n_objects[1:]  # the first entry counts objects without a row


class SampledLabels(NamedTuple):
    """Labels of a sample of the objects that have a cluster."""

    objects: IntArray  # their numbers
    codes: Codes  # (n, m), -1 = missing
    labels: IntArray  # (n,) their clusters


def sample_of(judged: JudgedRows, labels: IntArray, size: int, seed: int = 0) -> SampledLabels:
    """At most ``size`` objects, every cluster among them."""
    if judged.is_sample:
        raise NotEnoughMemoryError(
            "the distinct rows of this fit did not fit in memory, and this needs them; combine a sample of the objects."
        )
    inside = np.flatnonzero((labels >= 0) & (judged.row_of_object >= 0))
    objects = inside[stratified_sample(labels[inside], size, seed)]
    return SampledLabels(objects, judged.codes_of(objects), labels[objects])


def names_of_labels(estimator: Any) -> list[list[str]]:
    """Names of the labels of each clustering that was used, in the order of their cells; numbers if it is soft."""
    judged: JudgedRows = estimator._judged
    if getattr(estimator, "_soft_placement", None) is not None or not hasattr(estimator, "_placement"):
        return [[str(code) for code in range(width)] for width in judged.ensemble.n_labels]
    encoder = estimator._placement.encoder
    names = []
    for labels, place in zip(encoder.labels, encoder.place_of_code, strict=True):
        present = np.flatnonzero(place[: len(labels)] >= 0)
        names.append([_as_text(labels[code]) for code in present[np.argsort(place[present], kind="stable")]])
    return names


def _as_text(label: Any) -> str:
    """A label as users write it: whole numbers without a point."""
    number = isinstance(label, float | np.floating) and float(label).is_integer()
    return str(int(label)) if number else str(label)
