"""Fits that displays make themselves: several methods, with one number of clusters."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import clone

from partita._labels.validation import LabelMatrix
from partita._typing import Codes, IntArray
from partita.base import check_consensus
from partita.consensus._registered import find_method
from partita.consensus._registered import new_estimator as new_by_name
from partita.exceptions import EmptyColumnWarning, UnlabelledObjectsWarning
from partita.results import combine
from partita.results._result import method_name


def check_methods(methods: Any, *, at_least: int = 1) -> dict[str, Any]:
    """Methods by name: from names of `partita methods`, estimators, or a dict of both."""
    if isinstance(methods, str) or not isinstance(methods, Sequence | Mapping):
        raise TypeError(f"methods={methods!r:.60} is no list; pass names such as ['lwgp', 'eac'].")
    if not isinstance(methods, Mapping):
        methods = {method if isinstance(method, str) else method_name(method): method for method in methods}
    if len(methods) < at_least:
        number = "one" if at_least == 1 else "two"
        raise ValueError(f"methods={methods!r:.60} are too few; pass at least {number}.")
    for method in methods.values():
        if not isinstance(method, str):
            check_consensus(method, "methods")
        else:
            find_method(method)
    return {str(name): method for name, method in methods.items()}


def new_estimator(method: Any, **settings: Any) -> Any:
    """An estimator of a method with these settings, as far as it has a place for them."""
    estimator = new_by_name(method) if isinstance(method, str) else clone(method)
    known = estimator.get_params(deep=False)
    return estimator.set_params(**{name: value for name, value in settings.items() if name in known})


def consensus_of(codes: Codes, method: Any, n_clusters: int, random_state: Any) -> IntArray:
    """Labels of the consensus of codes (-1 = missing); -1 for objects without a label. Call it inside ``quiet``."""
    fitted = new_estimator(method, n_clusters=n_clusters, random_state=random_state).fit(codes)
    return np.asarray(fitted.labels_)


def number_of_clusters(matrix: LabelMatrix, n_clusters: Any, random_state: Any) -> tuple[int, str]:
    """The number to use, and what to say of it: two where the rule finds one, since one leaves nothing to compare."""
    whole = isinstance(n_clusters, int | np.integer) and not isinstance(n_clusters, bool)
    if whole and n_clusters >= 2:
        return int(n_clusters), ""
    if not isinstance(n_clusters, str) or n_clusters != "auto":
        raise ValueError(f"n_clusters={n_clusters!r:.60} is not allowed; pass a whole number from 2, or 'auto'.")
    with quiet():
        found = combine(matrix.codes, random_state=random_state).n_clusters
    return max(found, 2), "" if found > 1 else "2 clusters, although the rule finds one"


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings on objects and columns that have no label; around threads, and not inside them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnlabelledObjectsWarning)
        warnings.simplefilter("ignore", EmptyColumnWarning)
        yield
