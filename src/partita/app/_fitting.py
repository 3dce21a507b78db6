"""From a file that was understood to a consensus."""

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from partita._labels.validation import LabelMatrix, check_label_matrix
from partita._stopping import limits
from partita.app._errors import RequestError
from partita.app._reading import Understood
from partita.consensus._registered import find_method, new_estimator
from partita.generation import KMeansEnsemble
from partita.results import ConsensusResult, combine
from partita.results._choice import choice_of

AUTO, DEFAULT = "auto", "lwgp"
_KEYS = ("dataset", "method", "n_clusters", "seed", "max_time", "settings", "base")
_BASE = ("n_clusterings", "base_clusters")
_OWN = ("n_clusters", "random_state", "n_jobs", "verbose")  # settings that have a place of their own
THREADS = min(4, os.cpu_count() or 1)  # of a fit: two may run at a time, and the page must answer meanwhile


@dataclass(frozen=True)
class Asked:
    """What is to be fitted."""

    method: str = AUTO
    n_clusters: int | str = AUTO
    seed: int = 0
    max_time: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    n_clusterings: int | None = None  # of features
    base_clusters: int | tuple[int, int] | None = None

    @property
    def name(self) -> str:
        """Name of the method, also where it was left to us."""
        return DEFAULT if self.method == AUTO else self.method

    @property
    def takes_number(self) -> bool:
        """Whether another number of clusters can be asked for."""
        return "n_clusters" in new_estimator(self.name).get_params(deep=False)


def read_asked(given: Any) -> Asked:
    """Refuse, before any work, what cannot be fitted."""
    if not isinstance(given, dict) or not set(given) <= set(_KEYS):
        raise RequestError(f"A run is an object of {', '.join(_KEYS)}.")
    method, settings = given.get("method", AUTO), given.get("settings") or {}
    if not isinstance(method, str) or not isinstance(settings, dict):
        raise RequestError("method is a name, and settings are an object of names and values.")
    name = DEFAULT if method == AUTO else find_method(method).name
    n_clusters = given.get("n_clusters", AUTO)
    if n_clusters != AUTO:
        n_clusters = _whole(n_clusters, "The number of clusters", 1, 10_000)
    estimator = new_estimator(name)
    known = estimator.get_params(deep=False)
    unknown = [one for one in settings if one not in known or one in _OWN]
    if unknown:
        allowed = ", ".join(sorted(set(known) - set(_OWN)))
        raise RequestError(f"{name} has no setting {unknown[0]!r:.60}; it has {allowed}.")
    if n_clusters != AUTO and "n_clusters" not in known:
        raise RequestError(f"{name} finds the number of clusters itself; leave it out, or choose another method.")
    base = given.get("base") or {}
    if not isinstance(base, dict) or not set(base) <= set(_BASE):
        raise RequestError(f"base is an object of {', '.join(_BASE)}.")
    return Asked(
        method if method == AUTO else name,
        n_clusters,
        _whole(given.get("seed", 0), "The seed", 0, 2**32 - 1),
        _seconds(given.get("max_time")),
        settings,
        None if base.get("n_clusterings") is None else _whole(base["n_clusterings"], "n_clusterings", 2, 10_000),
        _base_clusters(base.get("base_clusters")),
    )


def _whole(value: Any, what: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise RequestError(f"{what} cannot be {value!r:.60}; it is a whole number from {least} to {most}.")
    return value


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        raise RequestError(f"max_time cannot be {value!r:.60}; it is a number of seconds above 0, or null.")
    return float(value)


def _base_clusters(value: Any) -> int | tuple[int, int] | None:
    if value is None:
        return None
    if isinstance(value, list) and len(value) == 2:
        low, high = (_whole(one, "base_clusters", 2, 10_000) for one in value)
        return min(low, high), max(low, high)
    return _whole(value, "base_clusters", 2, 10_000)


# ---------------------------------------------------------------------------------------------------------------- fit
def make_labels(found: Understood, asked: Asked) -> LabelMatrix:
    """The labels of the file, or those of clusterings of its features."""
    if found.matrix is not None:
        return found.matrix
    from sklearn.preprocessing import StandardScaler

    assert found.features is not None
    given: dict[str, Any] = {"n_clusterings": asked.n_clusterings, "n_clusters": asked.base_clusters}
    ensemble = KMeansEnsemble(
        **{name: value for name, value in given.items() if value is not None}, random_state=asked.seed, n_jobs=THREADS
    )
    X = ensemble.fit_transform(StandardScaler().fit_transform(found.features.to_numpy()))
    return check_label_matrix(pd.DataFrame(np.asarray(X), columns=ensemble.get_feature_names_out()))


def fit(found: Understood, X: LabelMatrix, asked: Asked, n_clusters: int | str) -> ConsensusResult:
    """The consensus of the labels."""
    run: dict[str, Any] = {"random_state": asked.seed, "n_jobs": THREADS}
    method: Any = asked.method
    number = None
    if asked.settings:
        method = new_estimator(asked.name).set_params(**asked.settings)
        if n_clusters == AUTO and asked.name != DEFAULT and asked.takes_number:
            number = new_estimator(DEFAULT).set_params(**run).fit(X).choice_
            n_clusters = number.n_clusters
    result = combine(X, method=method, n_clusters=n_clusters, **run)
    choice = result.choice if number is None else choice_of(result.estimator, result.method, number)
    ids, names = found.object_ids(), X.names
    return ConsensusResult(result.estimator, choice, ids=ids, id_name=found.id_name, names=names)


def fit_within(found: Understood, X: LabelMatrix | None, asked: Asked) -> tuple[LabelMatrix, ConsensusResult]:
    """Labels and their consensus, within the time that was given."""
    with limits(asked.max_time):
        matrix = make_labels(found, asked) if X is None else X
        return matrix, fit(found, matrix, asked, asked.n_clusters)
