"""Orders of objects in which similar ones stand side by side, and the names of objects."""

import numpy as np

from partita._typing import FloatArray, IntArray
from partita.results import ConsensusResult


def by_cluster(labels: IntArray, confidence: FloatArray) -> IntArray:
    """Places of the objects by cluster, the surest first; those without a cluster come last."""
    number = np.where(labels >= 0, labels, np.iinfo(np.int64).max)
    return np.lexsort((-np.nan_to_num(confidence, nan=-np.inf), number))


def runs_of(values: IntArray) -> tuple[IntArray, IntArray]:
    """First and last place + 1 of each run of equal values."""
    edges = np.flatnonzero(np.diff(values)) + 1
    return np.concatenate([[0], edges]), np.concatenate([edges, [len(values)]])


def longest_runs(values: IntArray) -> dict[int, tuple[int, int]]:
    """For every value its longest run of places, as (start, stop)."""
    longest: dict[int, tuple[int, int]] = {}
    for start, stop in zip(*(edge.tolist() for edge in runs_of(values)), strict=True):
        value = int(values[start])
        before = longest.get(value, (0, 0))
        longest[value] = (start, stop) if stop - start > before[1] - before[0] else before
    return longest


def object_names(result: ConsensusResult, objects: IntArray) -> list[str]:
    """Names of objects: those of the user's frame, else their numbers."""
    return [str(name) for name in result.ids[objects]]
