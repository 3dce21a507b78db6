"""Numbers of clusters of the clusterings of an ensemble: one number, a list, a range or "auto" (eqs. R6, R7, R63)."""

from typing import Any

import numpy as np

from partita._checks import check_count

_LARGER_SAMPLE = " or a larger sample_fraction"


def draw_numbers(
    n_clusters: Any,
    n_clusterings: int,
    n_objects: int,
    seed: int,
    *,
    auto: tuple[int, int] = (10, 30),
    instead: str = _LARGER_SAMPLE,
) -> list[int]:
    """One number per clustering: drawn uniformly from a range (low, high), or taken from a list in turns.

    "auto" is not above the numbers ``auto``; ``instead`` is what an error advises beside smaller numbers.
    """
    if isinstance(n_clusters, str):
        n_clusters = _auto_range(n_objects, *auto)
    if isinstance(n_clusters, tuple):
        low, high = _check_range(n_clusters, n_objects, instead)
        return [int(k) for k in np.random.default_rng(seed).integers(low, high + 1, size=n_clusterings)]
    values = _check_values(n_clusters, n_objects, instead)
    return [values[place % len(values)] for place in range(n_clusterings)]


def all_numbers(n_clusters: Any, n_objects: int) -> list[int]:
    """Every number of a range or list; "auto" is 2 to 10."""
    if isinstance(n_clusters, str):
        low = min(2, n_objects)
        n_clusters = (low, max(low, min(10, n_objects - 1)))
    if isinstance(n_clusters, tuple):
        low, high = _check_range(n_clusters, n_objects)
        return list(range(low, high + 1))
    return _check_values(n_clusters, n_objects)


def _auto_range(n_objects: int, most_low: int, most_high: int) -> tuple[int, int]:
    """From sqrt(n) / 2 to sqrt(n), as in the PEACE paper for text, but not above (10, 30) or other limits (eq. R7)."""
    root = np.sqrt(n_objects)
    low = max(2, min(most_low, int(np.ceil(root / 2))))
    return min(low, n_objects), min(max(low, min(most_high, int(root))), n_objects)


def _check_range(given: tuple[Any, ...], n_objects: int, instead: str = _LARGER_SAMPLE) -> tuple[int, int]:
    if len(given) != 2:
        raise ValueError(f"n_clusters={given!r:.60} is not a range; pass (low, high), or a list of numbers.")
    low, high = (check_count(end, f"n_clusters[{place}]") for place, end in enumerate(given))
    if low > high:
        raise ValueError(f"n_clusters={given!r:.60} is not a range; pass (low, high) with low <= high.")
    return low, _check_values([high], n_objects, instead)[0]


def _check_values(given: Any, n_objects: int, instead: str = _LARGER_SAMPLE) -> list[int]:
    if np.ndim(given) == 0:
        values = [check_count(given[()] if isinstance(given, np.ndarray) else given, "n_clusters")]
    else:
        values = [check_count(value, f"n_clusters[{place}]") for place, value in enumerate(given)]
    if not values:
        raise ValueError("n_clusters is an empty list; pass a number, a list of numbers or a range (low, high).")
    if max(values) > n_objects:
        raise ValueError(
            f"n_clusters={max(values)} exceeds the {n_objects} objects that each clustering sees; pass smaller numbers"
            f"{instead}."
        )
    return values
