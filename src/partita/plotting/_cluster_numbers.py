"""The consensus for several numbers of clusters: which numbers, which method, which objects."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from partita.consensus import EAC
from partita.exceptions import FewerClustersWarning
from partita.selection._input import check_method

LARGEST = 10  # number of clusters, unless the user or a result has more
_MANY = 40  # numbers that have room on a figure: beyond, those near the number of a result are not shown


def read_numbers(given: Any, most: int, reached: int = 0) -> list[int]:
    """Numbers of clusters, ascending: those given, or 2 to 10 (and a little beyond ``reached``) as far as ``most``."""
    if most < 2:
        raise ValueError("the objects are too few, or their labels too equal, to compare numbers of clusters.")
    if given is None:
        beyond = reached + 2 if reached + 2 <= _MANY else LARGEST
        return list(range(2, min(max(LARGEST, beyond), most) + 1))
    numbers = list(given) if isinstance(given, tuple | list | range | np.ndarray) else [given]
    if not numbers or not all(isinstance(k, int | np.integer) and not isinstance(k, bool) for k in numbers):
        raise ValueError(f"numbers={given!r:.60} is not allowed; pass a range (low, high) or a list of whole numbers.")
    low, high = int(min(numbers)), int(max(numbers))
    if low < 2 or high > most:
        raise ValueError(f"numbers={given!r:.60} is not allowed; pass numbers of clusters from 2 to {most}.")
    as_range = isinstance(given, tuple) and len(given) == 2
    return list(range(low, high + 1)) if as_range else sorted({int(k) for k in numbers})


def read_consensus(consensus: Any, weights: Any = None) -> tuple[Any, str]:
    """What combines the labels, and its name: by default EAC with Ward linkage, whose one tree serves all numbers."""
    if consensus is None:
        return EAC(linkage="ward", weights=weights), "EAC with Ward linkage"
    return check_method("labels", consensus, None), type(consensus).__name__


@contextmanager
def fewer_clusters() -> Iterator[None]:
    """Be silent about fewer clusters than were asked for: the picture shows them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerClustersWarning)
        yield
