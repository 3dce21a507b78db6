"""Clusterings of the same features by several algorithms, each with every number of clusters."""

from functools import partial
from typing import Any, ClassVar

from partita._parameters import Interval, StrOptions, check_choice, check_count, check_instance
from partita._runs import draw_seeds
from partita.generation._base_clusterers import BASE_CLUSTERERS, DETERMINISTIC, TREES
from partita.generation._base_clusterings import BaseClusterer, ClusteringTask, ensure_labels_fit
from partita.generation._cluster_numbers import all_numbers
from partita.generation._estimator_clusterer import cluster_by_estimator, is_random, number_parameter
from partita.generation._feature_ensemble import FeatureEnsemble

_OF_THE_PCC_PAPER = ("single", "average", "ward", "centroid", "kmeans", "spectral")


class MixedEnsemble(FeatureEnsemble):
    """Clusterings of features by several algorithms, as a label matrix.

    Parameters
    ----------
    clusterers : sequence or dict, optional
        Base clusterers: names, among "single", "average", "complete", "ward", "centroid" (linkage), "kmeans",
        "spectral" (Ng, Jordan and Weiss on the graph of nearest neighbours), "fuzzy" (c-means), "affinity"
        (propagation), "metis" (on the graph of nearest neighbours; extra ``graph``) and "gmm"; and any clusterers in
        the manner of scikit-learn, whose ``n_clusters`` (or ``n_components``) and ``random_state`` are set where they
        exist. A dict gives them names. Default: the six of the PCC paper: single, average, ward, centroid, kmeans,
        spectral.
    n_clusters : int, list, tuple (low, high) or "auto", default="auto"
        Numbers of clusters; each is used with every clusterer that has this parameter. "auto" is (2, 10).
    n_repeats : int or dict, default=5
        Clusterings per clusterer and number of clusters; a dict gives it by name, 1 for the others. Linkage, affinity
        propagation and clusterers without a seed give the same each time and run once, unless samples differ.
    sample_fraction : float, default=1.0
        Share of the objects, drawn without replacement, that each clustering sees; the others get -1.
    random_state : int, RandomState or None
        Seed of the clusterings.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    manifest_ : DataFrame
        One row per clustering that was tried: name, algorithm, numbers of clusters requested and found, number of
        objects it saw, seed, iterations, status ("ok", "failed", "not converged") and message.
    n_iter_ : int
        Largest number of iterations of a clustering.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost: linkage and affinity propagation hold numbers for all pairs of objects, the others do not. A clustering that
    fails or does not converge is left out, with a warning, and noted in ``manifest_``. A clusterer's own -1 (noise) is
    a missing label. The model is on the theory page about ensembles, eqs. R1 to R19.

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
        verbose: bool = False,
    ) -> None:
        self.clusterers = clusterers
        self.n_clusters = n_clusters
        self.n_repeats = n_repeats
        self.sample_fraction = sample_fraction
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _tasks(self, n_objects: int, n_sampled: int) -> list[ClusteringTask]:
        named = _name_clusterers(_OF_THE_PCC_PAPER if self.clusterers is None else self.clusterers)
        numbers = all_numbers(self.n_clusters, n_sampled)
        sampled = n_sampled < n_objects
        _check_repeats(self.n_repeats, named)
        repeats = {name: _repeats_of(name, given, self.n_repeats, sampled) for name, given in named.items()}
        groups = [(name, ks) for name, given in named.items() for ks in _groups(given, numbers, sampled)]
        ensure_labels_fit(n_objects, sum(len(ks) * repeats[name] for name, ks in groups))
        plan = [(name, ks) for name, ks in groups for _ in range(repeats[name])]
        seeds = draw_seeds(self.random_state, len(plan)).tolist()
        return [
            ClusteringTask(name, _base_clusterer(named[name]), ks, n_sampled, seed)
            for (name, ks), seed in zip(plan, seeds, strict=True)
        ]


def _name_clusterers(clusterers: Any) -> dict[str, Any]:
    """Clusterers by name; those without a name get that of their class, in lower case."""
    named: dict[str, Any] = {}
    pairs = clusterers.items() if isinstance(clusterers, dict) else [(None, given) for given in clusterers]
    for name, given in pairs:
        if isinstance(given, str):
            check_choice("clusterer", given, BASE_CLUSTERERS)
        else:
            check_instance(given, "clusterer", needs="fit_predict", example="a name or a clusterer such as KMeans()")
        plain = given if isinstance(given, str) else type(given).__name__.lower()
        name = plain if name is None else str(name)
        if name in named:
            raise ValueError(f"two clusterers are called {name!r}; pass a dict that names them.")
        named[name] = given
    if not named:
        raise ValueError("clusterers is empty; pass at least one.")
    return named


def _check_repeats(n_repeats: Any, named: dict[str, Any]) -> None:
    if not isinstance(n_repeats, dict):
        return
    for name, times in n_repeats.items():
        if name not in named:
            raise ValueError(f"n_repeats names {name!r}, which is not among the clusterers {', '.join(named)}.")
        check_count(times, f"n_repeats[{name!r}]")


def _repeats_of(name: str, given: Any, n_repeats: Any, sampled: bool) -> int:
    """Clusterings of this clusterer per number of clusters (eq. R19)."""
    if isinstance(n_repeats, dict):
        return int(n_repeats.get(name, 1))
    fixed = given in DETERMINISTIC if isinstance(given, str) else not is_random(given)
    return 1 if fixed and not sampled else int(n_repeats)


def _groups(given: Any, numbers: list[int], sampled: bool) -> list[tuple[int | None, ...]]:
    """Numbers of clusters per task: all for a tree of all objects, else one; None for clusterers without a number."""
    if isinstance(given, str):
        return [tuple(numbers)] if given in TREES and not sampled else [(k,) for k in numbers]
    return [(k,) for k in numbers] if number_parameter(given) else [(None,)]


def _base_clusterer(given: Any) -> BaseClusterer:
    return BASE_CLUSTERERS[given] if isinstance(given, str) else partial(cluster_by_estimator, estimator=given)
