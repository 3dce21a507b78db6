"""What the options of recipes may be, checked before any work; those of the generators are checked by these."""

from collections.abc import Callable
from typing import Any

import numpy as np

from partita._parameters import check_choice, check_count, check_share
from partita.experiments._recipe_ensemble import as_list

# numbers of clusters of "ensemble 2" for the data sets of PEACE (Table 1) and PCC (Table 3); eq. R50
TO_20 = (15, 20)
NUMBERS_OF_CLUSTERS: dict[str, list[int]] = {
    "spiral": [*range(2, 9)],
    "rings": [*range(2, 9)],
    "image-c": [*range(8, 16), 20, 30],
    "image-1": [*range(8, 16), 20, 30],
    "iris": [*range(3, 11), *TO_20],
    "wine": [*range(4, 11), *TO_20],
    "house-votes": [*range(4, 11), *TO_20],
    "ionosphere": [*range(4, 11), *TO_20],
    "std-yeast-cell": [*range(5, 11), *TO_20],
    "breast-cancer": [*range(3, 11), *TO_20],
    "optdigits": [10, 12, 15, 20, 35, 50],
}


def check_option(name: str, value: Any) -> None:
    """Refuse a value that an option cannot have; None stands for the paper's choice where that depends on the data."""
    if value is None and name in _PAPERS_CHOICE:
        return
    if name in _COUNTS and check_count(value, name) > _MOST:
        raise ValueError(f"{name}={value} is not allowed; pass a whole number, at most {_MOST}.")
    if name in _CHECKS:
        _CHECKS[name](value, name)


def _check_each(values: Any, name: str, check: Callable[[Any, str], Any]) -> None:
    given = as_list(values)
    if np.ndim(values) > 1 or not given:
        raise ValueError(f"{name}={values!r:.60} is not allowed; pass a number or a list of numbers.")
    for value in given:
        check(value, name)


def _check_counts(values: Any, name: str) -> None:
    _check_each(values, name, check_count)


def _check_levels(values: Any, name: str) -> None:
    _check_each(values, name, _check_level)


def _check_level(value: Any, name: str) -> None:
    """A share from 0 to 1, both included."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name}={value!r:.60} is not allowed; pass a share from 0 to 1.")


def _check_pairs(value: Any, name: str) -> None:
    """A share of all pairs, or a number per object."""
    if isinstance(value, float):
        check_share(value, name)
    else:
        check_count(value, name)


_MOST = 1_000_000  # of anything that is counted: far above all experiments, and lists of draws still fit in memory
_PAPERS_CHOICE = frozenset({"n_clusters", "dataset", "n_repeats", "shares"})
_COUNTS = frozenset({"n_clusterings", "n_classes", "n_runs", "n_draws", "n_ensembles", "n_per_cluster", "size"})
_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "held_out": check_share,
    "fraction": _check_level,
    "pairs": _check_pairs,
    "shares": _check_levels,
    "noise": _check_levels,
    "sizes": _check_counts,
    "n_parties": _check_counts,
    "dataset": lambda value, name: check_choice(name, value, NUMBERS_OF_CLUSTERS),
}
