"""Numbers of clusters for the runs of an ensemble: one, a list, a range, or left to us."""

from typing import Any

import numpy as np


def draw_numbers(n_clusters: Any, n_runs: int, n_objects: int, seed: int) -> list[int]:
    """One number a run: drawn uniformly from a range (low, high), in turns from a list."""
    if isinstance(n_clusters, str):
        n_clusters = _usual_range(n_objects)
    if isinstance(n_clusters, tuple):
        low, high = _check_range(n_clusters, n_objects)
        return [int(k) for k in np.random.default_rng(seed).integers(low, high + 1, size=n_runs)]
    values = _check_values(n_clusters, n_objects)
    return [values[run % len(values)] for run in range(n_runs)]


def all_numbers(n_clusters: Any, n_objects: int) -> list[int]:
    """Every number of a range or list."""
    if isinstance(n_clusters, str):
        low = min(2, n_objects)
        n_clusters = (low, max(low, min(10, n_objects - 1)))
    if isinstance(n_clusters, tuple):
        low, high = _check_range(n_clusters, n_objects)
        return list(range(low, high + 1))
    return _check_values(n_clusters, n_objects)


def _usual_range(n_objects: int) -> tuple[int, int]:
    """From sqrt(n) / 2 to sqrt(n), as PEACE has it for text, but not above (10, 30)."""
    root = np.sqrt(n_objects)
    low = max(2, min(10, int(np.ceil(root / 2))))
    return min(low, n_objects), min(max(low, min(30, int(root))), n_objects)


def _check_range(given: tuple[Any, ...], n_objects: int) -> tuple[int, int]:
    if len(given) != 2 or not all(map(_is_whole, given)) or not 1 <= given[0] <= given[1]:
        raise ValueError(
            f"n_clusters={given!r} is not a range; pass (low, high) with whole numbers 1 <= low <= high, or a list."
        )
    _check_values([int(given[1])], n_objects)
    return int(given[0]), int(given[1])


def _check_values(given: Any, n_objects: int) -> list[int]:
    values = [given] if _is_whole(given) else list(given)
    if not values or not all(_is_whole(value) and value >= 1 for value in values):
        raise ValueError(f"n_clusters={given!r} must be whole numbers from 1 on: a number, a list or (low, high).")
    if max(values) > n_objects:
        raise ValueError(
            f"n_clusters={max(values)} exceeds the {n_objects} objects that each clustering sees; pass smaller numbers"
            " or a larger sample_fraction."
        )
    return [int(value) for value in values]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
