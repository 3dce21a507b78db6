"""What ``choose_n_clusters`` is given, checked: the data, the numbers to compare, the level, the method."""

from typing import Any, Literal

import numpy as np

from partita._checks import check_choice, check_count, check_instance, check_share
from partita._features import check_points
from partita._labels.ensemble import have_a_label
from partita._labels.membership import as_numbers
from partita._labels.validation import check_label_matrix
from partita._typing import Array
from partita.base import check_consensus
from partita.consensus import EAC
from partita.generation._base_clusterers import BASE_CLUSTERERS
from partita.generation._estimator_clusterer import number_parameter
from partita.selection._quick_kmeans import QuickKMeans
from partita.selection._resampling import SHARE_OF_OBJECTS

Kind = Literal["auto", "labels", "features"]


def read_data(X: Any, kind: Kind) -> tuple[str, Any]:
    """What X is, and its codes (of the objects that have a label) or features."""
    check_choice("kind", kind, ("auto", "labels", "features"))
    if kind == "auto":
        kind = "features" if _has_fractions(X) else "labels"
    if kind == "features":
        return kind, check_points(X, min_samples=4)
    codes = check_label_matrix(X).codes
    return kind, codes[have_a_label(codes)]


def _has_fractions(X: Any) -> bool:
    try:
        values = as_numbers(X, "X")
    except ValueError:
        return False
    known = values[np.isfinite(values)]
    return bool((known != np.round(known)).any())


def draw_objects(data: Array, max_objects: int, seed: int) -> Array:
    """The data, or a random part of them with ``max_objects`` objects."""
    if len(data) <= check_count(max_objects, "max_objects"):
        return data
    return data[np.sort(np.random.default_rng(seed).choice(len(data), max_objects, replace=False))]


def check_numbers(given: Any, n_objects: int) -> list[int]:
    """Numbers to compare, from 2 to less than the objects in a sample."""
    most = int(SHARE_OF_OBJECTS * n_objects) - 1
    if most < 2:
        raise ValueError(
            f"{n_objects} objects with a label are too few to choose a number of clusters; pass at least 4."
        )
    if given is None:
        given = (2, min(10, most))
    numbers = given if isinstance(given, tuple | list | range) else [given]
    if not all(isinstance(value, int | np.integer) and not isinstance(value, bool) for value in numbers):
        raise ValueError(f"n_clusters={given!r:.60} must be a range (low, high) or a list of whole numbers.")
    as_range = isinstance(given, tuple) and len(given) == 2
    last = min(numbers[-1], most + 1) if as_range else 0  # a range may be longer than memory
    numbers = sorted(set(range(numbers[0], last + 1) if as_range else numbers) - {1})
    if not numbers or numbers[0] < 2 or numbers[-1] > most:
        raise ValueError(
            f"n_clusters={given!r:.60} must be numbers from 2 to {most}: each sample has "
            f"{100 * SHARE_OF_OBJECTS:.0f} % of {n_objects} objects."
        )
    return numbers


def check_level(n_resamples: Any, n_references: Any, alpha: Any) -> None:
    """Refuse a level that is not a probability, or that so few references cannot show."""
    least = int(np.ceil(1 / check_share(alpha, "alpha") - 1 - 1e-9))  # 1 / 0.05 is slightly above 20
    if check_count(n_references, "n_references") < least:
        raise ValueError(f"n_references={n_references} cannot show p <= {alpha}; pass at least {least}.")
    if check_count(n_resamples, "n_resamples") < 2:
        raise ValueError(f"n_resamples={n_resamples} is too few; pass at least 2.")


def check_method(kind: str, consensus: Any, base: Any) -> Any:
    """What combines labels, or what clusters features."""
    if kind == "labels":
        if base is not None:
            raise ValueError("base is for features, and X is taken for labels; pass kind='features' or leave it out.")
        method = EAC(linkage="ward") if consensus is None else consensus
        check_consensus(method)
        if "n_clusters" not in method.get_params(deep=False):
            raise ValueError(f"{type(method).__name__} has no n_clusters to be chosen; it finds the number itself.")
        return method
    if consensus is not None:
        raise ValueError("consensus is for labels, and X is taken for features; pass kind='labels' or leave it out.")
    if base is None:
        return QuickKMeans()
    if isinstance(base, str):
        check_choice("base", base, BASE_CLUSTERERS)
        return base
    check_instance(base, "base", needs="fit_predict", example="a name or a clusterer such as KMeans()")
    if number_parameter(base) is None:
        raise ValueError(f"{type(base).__name__} has no n_clusters to be chosen; it finds the number itself.")
    return base
