"""Clusterings of the same features by several algorithms, each with every number of clusters."""

from functools import partial
from typing import Any, ClassVar

from partita._parameters import Interval, StrOptions
from partita._runs import draw_seeds
from partita.generation._base_clusterers import (
    BASE_CLUSTERERS,
    DETERMINISTIC,
    TREES,
    by_estimator,
    is_random,
    number_parameter,
)
from partita.generation._cluster_numbers import all_numbers
from partita.generation._feature_ensemble import FeatureEnsemble
from partita.generation._runs import Clusterer, Task

_USUAL = ("single", "average", "ward", "centroid", "kmeans", "spectral")


class MixedEnsemble(FeatureEnsemble):
    """Clusterings of features by several algorithms, as a label matrix.

    Parameters
    ----------
    clusterers : sequence or dict, optional
        What to run: names, among "single", "average", "complete", "ward", "centroid" (linkage), "kmeans", "spectral"
        (Ng, Jordan and Weiss on the graph of nearest neighbours), "fuzzy" (c-means), "affinity" (propagation), "metis"
        (on the graph of nearest neighbours; extra ``graph``) and "gmm"; and any clusterers in the manner of
        scikit-learn, which get ``n_clusters`` (or ``n_components``) and ``random_state`` where they have them. A dict
        names them. Default: the six of the PCC paper: single, average, ward, centroid, kmeans, spectral.
    n_clusters : int, list, tuple (low, high) or "auto", default="auto"
        Every one of these numbers is used with every clusterer that takes one. "auto" is (2, 10).
    n_repeats : int or dict, default=5
        Runs of each clusterer and number of clusters; a dict gives it by name, 1 for others. Linkage, affinity
        propagation and clusterers without a seed give the same each time and run once, unless samples differ.
    sample_fraction : float, default=1.0
        Share of the objects, drawn anew without replacement, that each run sees; the others are -1 there.
    random_state : int, RandomState or None
        Seed; the result does not depend on ``n_jobs``.
    n_jobs : int, optional
        Number of threads.
    verbose : int, default=0
        Show a progress bar on what takes more than two seconds.

    Attributes
    ----------
    manifest_ : DataFrame
        One row a clustering that was tried: name, algorithm, numbers of clusters asked for and found, number of objects
        it saw, seed, steps, status ("ok", "failed", "not converged") and message.
    n_iter_ : int
        Steps of the clustering that took most.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost: linkage and affinity propagation hold numbers for all pairs of objects, the others do not. A clusterer that
    fails or does not converge is noted in ``manifest_`` and left out, with a warning. A clusterer's own -1 (noise) is a
    missing label.

    References
    ----------
    A. Lourenço, S. Rota Bulò, N. Rebagliati, A. Fred, M. Figueiredo, M. Pelillo, Probabilistic consensus clustering
    using evidence accumulation, Machine Learning 98 (2015) 331-357.

    Examples
    --------
    >>> import numpy as np
    >>> from partita import MixedEnsemble
    >>> F = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> MixedEnsemble(["average", "kmeans"], n_clusters=[2, 3], n_repeats=1, random_state=0).fit_transform(F).shape
    (6, 4)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **FeatureEnsemble._parameter_constraints,
        "clusterers": [list, tuple, dict, None],
        "n_clusters": [Interval("int", 1, None), "array-like", StrOptions({"auto"})],
        "n_repeats": [Interval("int", 1, None), dict],
    }

    def __init__(
        self,
        clusterers: Any = None,
        n_clusters: Any = "auto",
        *,
        n_repeats: Any = 5,
        sample_fraction: float = 1.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.clusterers = clusterers
        self.n_clusters = n_clusters
        self.n_repeats = n_repeats
        self.sample_fraction = sample_fraction
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _tasks(self, n_objects: int, n_sampled: int) -> list[Task]:
        named = _name_clusterers(_USUAL if self.clusterers is None else self.clusterers)
        numbers = all_numbers(self.n_clusters, n_sampled)
        sampled = n_sampled < n_objects
        repeats = {name: self._repeats(name, given, sampled) for name, given in named.items()}
        if min(repeats.values()) < 1:
            raise ValueError(f"n_repeats={self.n_repeats!r} must be whole numbers from 1 on.")
        if isinstance(self.n_repeats, dict) and not self.n_repeats.keys() <= named.keys():
            unknown = next(name for name in self.n_repeats if name not in named)
            raise ValueError(f"n_repeats names {unknown!r}, which is not among the clusterers {', '.join(named)}.")
        groups = [(name, ks) for name, given in named.items() for ks in _groups(given, numbers, sampled)]
        plan = [(name, ks) for name, ks in groups for _ in range(repeats[name])]
        seeds = draw_seeds(self.random_state, len(plan)).tolist()
        return [
            Task(name, _as_clusterer(named[name]), ks, n_sampled, seed)
            for (name, ks), seed in zip(plan, seeds, strict=True)
        ]

    def _repeats(self, name: str, given: Any, sampled: bool) -> int:
        if isinstance(self.n_repeats, dict):
            return int(self.n_repeats.get(name, 1))
        fixed = given in DETERMINISTIC if isinstance(given, str) else not is_random(given)
        return 1 if fixed and not sampled else int(self.n_repeats)


def _name_clusterers(clusterers: Any) -> dict[str, Any]:
    """Clusterers by name; those without one are called like their class, in small letters."""
    named: dict[str, Any] = {}
    pairs = clusterers.items() if isinstance(clusterers, dict) else [(None, given) for given in clusterers]
    for name, given in pairs:
        if isinstance(given, str) and given not in BASE_CLUSTERERS:
            raise ValueError(f"there is no clusterer {given!r}; choose from {', '.join(BASE_CLUSTERERS)}.")
        if not isinstance(given, str) and not hasattr(given, "fit_predict"):
            raise TypeError(f"the clusterer {given!r:.60} is neither a name nor has it fit_predict.")
        plain = given if isinstance(given, str) else type(given).__name__.lower()
        name = plain if name is None else str(name)
        if name in named:
            raise ValueError(f"two clusterers are called {name!r}; pass a dict that names them.")
        named[name] = given
    if not named:
        raise ValueError("clusterers is empty; name at least one.")
    return named


def _groups(given: Any, numbers: list[int], sampled: bool) -> list[tuple[int | None, ...]]:
    """Numbers of clusters that one run serves: all for a tree of all objects, else one; None if it takes none."""
    if isinstance(given, str):
        return [tuple(numbers)] if given in TREES and not sampled else [(k,) for k in numbers]
    return [(k,) for k in numbers] if number_parameter(given) else [(None,)]


def _as_clusterer(given: Any) -> Clusterer:
    return BASE_CLUSTERERS[given] if isinstance(given, str) else partial(by_estimator, estimator=given)
