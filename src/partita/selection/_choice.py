"""The number of clusters, chosen with reasons; one cluster can be the answer.

For every number k the objects are resampled and clustered again (labels: combined again). Where k clusters are there,
two objects are nearly always together or nearly always apart: the proportion of ambiguous pairs (PAC) is low. PAC also
falls with k by itself, so it is compared with that of reference data without clusters. An oblong cloud is cut in two as
surely as two clusters are told apart; so for features the scatter within the clusters is compared as well.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_array
from threadpoolctl import threadpool_limits

from partita._features import check_magnitude
from partita._labels.validation import check_label_matrix
from partita._runs import draw_seeds, progress
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.consensus import EAC
from partita.generation._estimator_clusterer import number_parameter
from partita.metrics import consensus_cdf
from partita.selection import _criteria as criteria
from partita.selection._quick_kmeans import QuickKMeans
from partita.selection._references import gaussian_cloud, uniform_cloud, without_agreement
from partita.selection._resampling import Sampling, cluster_all, combine, sample_features, sample_labels

_CLEAR = 0.01  # PAC of clusters that hardly any sample disagrees about
_GROWTH = 0.1  # of the area under the CDF that is still worth another cluster
_GRID = np.arange(101) / 100

Kind = Literal["auto", "labels", "features"]


@dataclass(frozen=True)
class ClusterNumberChoice:
    """A recommendation and what it rests on."""

    n_clusters: int
    reasons: list[str]
    table: pd.DataFrame  # one row a number of clusters
    proposals: dict[str, int]  # number that each criterion alone would choose, from 2 on
    p_value: float  # of there being no clusters
    kind: str  # "labels" or "features"
    n_objects: int  # that were used
    cdf: pd.DataFrame = field(repr=False)  # share of pairs with co-association up to the index, one column a number

    def __str__(self) -> str:
        lines = [
            f"n_clusters = {self.n_clusters}, from {self.kind} of {self.n_objects} objects",
            *(f"  - {reason}" for reason in self.reasons),
            "",
        ]
        return "\n".join([*lines, self.table.round(3).to_string(index=False)])


def choose_n_clusters(
    X: Any,
    n_clusters: Any = None,
    *,
    kind: Kind = "auto",
    consensus: Any = None,
    base: Any = None,
    n_resamples: int = 20,
    n_references: int = 19,
    alpha: float = 0.05,
    max_objects: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> ClusterNumberChoice:
    """Choose the number of clusters of labels, or of features.

    Parameters
    ----------
    X : label matrix, or array-like of shape (n_samples, n_features)
        Labels of several clusterings, or features.
    n_clusters : tuple (low, high) or list, optional
        Numbers to compare; one cluster is always considered. Default: 2 to 10, or as far as the objects allow.
    kind : {"auto", "labels", "features"}, default="auto"
        What X is. "auto" takes numbers with fractions for features, everything else for labels.
    consensus : estimator with ``n_clusters``, optional
        Labels: what combines them. Default: :class:`EAC` with Ward linkage, one tree for all numbers.
    base : clusterer with ``n_clusters``, or its name, optional
        Features: what clusters them. Default: k-means, the best of three starts.
    n_resamples : int, default=20
        Samples that are clustered for every number.
    n_references : int, default=19
        Reference data sets without clusters (of each kind); at least 1 / alpha - 1.
    alpha : float, default=0.05
        Probability of seeing clusters where there are none.
    max_objects : int, default=1000
        Objects that are used, at most; more are drawn from at random.
    random_state : int, RandomState or None
        Seed; the result does not depend on ``n_jobs``.
    n_jobs : int, optional
        Number of threads.
    verbose : int, default=0
        Show a progress bar on what takes more than two seconds.

    Returns
    -------
    ClusterNumberChoice
        ``n_clusters``, ``reasons``, ``proposals`` of each criterion, ``cdf`` and ``table``, which has for each number:

        - n_found: clusters that are found among all objects; a number that is not reached is not recommended
        - pac, pac_strict: pairs that are together in between 0.1 and 0.9 (0 and 1) of the samples; lower is better
        - cdf_area, delta_area: area under the distribution of co-association, and its relative growth
        - stability: mean adjusted Rand index of the samples' clusterings with the clustering of all
        - lifetime: in evidence accumulation with average linkage
        - bic: of a mixture model (of labels, or Gaussian); lower is better
        - lower_bound: of ``consensus``, if it is a model that has one
        - rcsi: mean log PAC of the references minus that of X; gap (features): the same of the scatter in clusters
        - reference_pac, p_value: mean PAC of the references; how often one of them stands out as much at this number

    Notes
    -----
    Recommended is one cluster unless the data stand out among the references, over all numbers together. Of the
    numbers at which they do (p_value at most alpha), it is the largest whose PAC is at most 0.01, since coarser
    clusters are kept in it; if there is none, that of the highest rcsi.

    References of features are of two kinds, a Gaussian with the same covariance and a uniform box along the principal
    axes, and the data must stand out among both. Skewed or heavy-tailed clouds are like neither and may be split. The
    covariance is estimated, so that with few objects for many features the test finds less than it might. References
    of labels have every clustering shuffled: one cluster is the answer where clusterings agree no more than by chance,
    and the test is exact. Labels cannot tell whether what all clusterings agree on is one cluster cut in the same way:
    for that pass features.

    References
    ----------
    S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering: a resampling-based method for class discovery
    and visualization of gene expression microarray data", Machine Learning 52, 2003.
    Y. Senbabaoglu, G. Michailidis and J. Li, "Critical limitations of consensus clustering in class discovery",
    Scientific Reports 4, 2014.
    C. R. John et al., "M3C: Monte Carlo reference-based consensus clustering", Scientific Reports 10, 2020.
    R. Tibshirani, G. Walther and T. Hastie, "Estimating the number of clusters in a data set via the gap statistic",
    Journal of the Royal Statistical Society B 63, 2001.

    Examples
    --------
    >>> from partita import choose_n_clusters
    >>> from partita.datasets import load_wine_ensemble
    >>> choose_n_clusters(load_wine_ensemble().labels, (2, 6), random_state=0).n_clusters
    3
    """
    what, data = _read(X, kind)
    _check_counts(n_resamples, n_references, alpha)
    seeds = [int(seed) for seed in draw_seeds(random_state, 3)]
    data = _at_most(data, max_objects, seeds[0])
    numbers = _check_numbers(n_clusters, len(data))
    sampling = Sampling(_check_method(what, consensus, base), numbers, n_resamples, n_jobs)
    look = _look_at_labels if what == "labels" else _look_at_features
    kinds: Any = (without_agreement,) if what == "labels" else (gaussian_cloud, uniform_cloud)
    with (
        progress(len(kinds) * n_references + 2, "number of clusters", show=bool(verbose)) as bar,
        threadpool_limits(limits=1),
    ):
        found = look(data, sampling, seeds[1])
        bar.update(1)
        columns = _other_columns(what, data, sampling, found, seeds[2])
        bar.update(1)
        comparisons = []
        for refer in kinds:
            references = []
            for like, task in draw_seeds(seeds[2], 2 * n_references).reshape(-1, 2).tolist():
                references.append(look(refer(data, like), sampling, task).profile)
                bar.update(1)
            comparisons.append(criteria.compare(found.profile, references))
    compared = criteria.weakest(comparisons)
    table = pd.DataFrame({"n_clusters": numbers, **columns, **compared.columns})
    proposals = _proposals(table)
    chosen, reasons = _recommend(table, compared.p_value, alpha, what)
    if chosen > 1 and compared.p_value * (n_references + 1) < 1.5:
        reasons[0] += f", the smallest that {n_references} references can show"
    reasons += _agreement(chosen, proposals)
    curves = {k: consensus_cdf(labels, _GRID).cdf for k, labels in zip(numbers, found.resampled, strict=True)}
    cdf = pd.DataFrame(curves, index=pd.Index(_GRID, name="coassociation"))
    return ClusterNumberChoice(chosen, reasons, table, proposals, compared.p_value, what, len(data), cdf)


class _Found(NamedTuple):
    """What resampling a data set gives."""

    resampled: list[IntArray]  # (n, n_resamples) labels for each number of clusters
    of_all: list[IntArray]  # clusters of all objects
    profile: criteria.Profile


def _look_at_features(F: FloatArray, sampling: Sampling, seed: int) -> _Found:
    resampled = sample_features(F, sampling, seed)
    of_all = cluster_all(F, sampling, seed)
    return _Found(resampled, of_all, criteria.Profile(criteria.ambiguity(resampled), criteria.scatter(F, of_all)))


def _look_at_labels(X: Codes, sampling: Sampling, seed: int) -> _Found:
    resampled = sample_labels(X, sampling, seed)
    of_all = combine(sampling.method, X, sampling.numbers, seed)
    return _Found(resampled, of_all, criteria.Profile(criteria.ambiguity(resampled)))


def _other_columns(kind: str, data: Array, sampling: Sampling, found: _Found, seed: int) -> dict[str, FloatArray]:
    """Stability, lifetime and the criteria of models."""
    numbers = sampling.numbers
    columns: dict[str, Any] = {
        "n_found": np.array([len(np.unique(labels[labels >= 0])) for labels in found.of_all]),
        "stability": criteria.stability(found.resampled, found.of_all),
        **criteria.pac_columns(found.resampled),
        "lifetime": criteria.lifetimes(np.hstack(found.resampled) if kind == "features" else data, numbers),
    }
    if kind == "features":
        return columns | {"bic": criteria.bic_of_features(data, numbers, seed)}
    columns["bic"] = criteria.bic_of_labels(data, numbers, seed)
    bounds = criteria.lower_bounds(sampling.method, data, numbers, seed)
    return columns if bounds is None else columns | {"lower_bound": bounds}


def _recommend(table: pd.DataFrame, p_value: float, alpha: float, kind: str) -> tuple[int, list[str]]:
    """The number, and why."""
    like = "clusterings that share nothing" if kind == "labels" else "data without clusters"
    reached = table[table["n_found"] == table["n_clusters"]]
    if p_value > alpha or reached.empty:
        return 1, [f"one cluster: the data do not stand out among {like} (p = {p_value:.2g})"]
    better = reached[reached["p_value"] <= alpha]
    better = reached if better.empty else better  # the data stand out over all numbers, though at none by itself
    clear = better[better["pac"] <= _CLEAR]
    row = better.iloc[int(better["rcsi"].argmax())] if clear.empty else clear.iloc[-1]
    chosen = int(row["n_clusters"])
    why = "is furthest below the references" if clear.empty else "is the largest number with hardly an ambiguous pair"
    against = f"PAC {row['pac']:.3f} against {row['reference_pac']:.3f} in {like}"
    return chosen, [f"there are clusters (p = {p_value:.2g})", f"{chosen} {why}: {against}"]


def _agreement(chosen: int, proposals: dict[str, int]) -> list[str]:
    """Which criteria say the same, and what others say."""
    same = [name for name, number in proposals.items() if number == chosen]
    others = [f"{name} {number}" for name, number in proposals.items() if number != chosen]
    told = [f"the same by {', '.join(same)}"] if same else []
    return told + ([f"otherwise by {', '.join(others)}"] if others else [])


def _proposals(table: pd.DataFrame) -> dict[str, int]:
    """The number that each criterion would choose alone, of those that are reached; the smaller among equals."""
    reached = table[table["n_found"] == table["n_clusters"]]
    table = table if reached.empty else reached
    highest = [name for name in ("rcsi", "gap", "stability", "lifetime", "lower_bound") if name in table]
    best = {name: int(np.argmax(table[name].fillna(-np.inf))) for name in highest}
    best |= {name: int(np.argmin(table[name].fillna(np.inf))) for name in ("pac", "bic")}
    best["delta_area"] = int(np.flatnonzero(table["delta_area"] >= _GROWTH).max(initial=0))
    return {name: int(table["n_clusters"].iloc[place]) for name, place in best.items()}


def _read(X: Any, kind: Kind) -> tuple[str, Any]:
    """What X is, and its codes or features."""
    if kind not in ("auto", "labels", "features"):
        raise ValueError(f"kind={kind!r} is not known; choose 'auto', 'labels' or 'features'.")
    if kind == "auto":
        kind = "features" if _has_fractions(X) else "labels"
    if kind == "features":
        features = check_array(X, dtype=np.float64, ensure_min_samples=4)
        check_magnitude(features)
        return kind, features
    codes = check_label_matrix(X).codes
    labelled = (codes >= 0).any(axis=1)
    return kind, codes[labelled]


def _has_fractions(X: Any) -> bool:
    try:
        values = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    known = values[np.isfinite(values)]
    return bool((known != np.round(known)).any())


def _at_most(data: Array, max_objects: int, seed: int) -> Array:
    if len(data) <= max_objects:
        return data
    return data[np.sort(np.random.default_rng(seed).choice(len(data), max_objects, replace=False))]


def _check_numbers(given: Any, n_objects: int) -> list[int]:
    """Numbers to compare, from 2 to less than the objects in a sample."""
    most = int(0.8 * n_objects) - 1
    if given is None:
        given = (2, min(10, most))
    wanted = given if isinstance(given, tuple | list | range) else [given]
    if not all(isinstance(value, int | np.integer) and not isinstance(value, bool) for value in wanted):
        raise ValueError(f"n_clusters={given!r} must be a range (low, high) or a list of whole numbers.")
    as_range = isinstance(given, tuple) and len(given) == 2
    numbers = sorted(set(range(given[0], given[1] + 1) if as_range else wanted) - {1})
    if not numbers or numbers[0] < 2 or numbers[-1] > most:
        raise ValueError(
            f"n_clusters={given!r} must be numbers from 2 to {most}: each sample has 80 % of {n_objects} objects."
        )
    return numbers


def _check_counts(n_resamples: int, n_references: int, alpha: float) -> None:
    if not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha} must be a probability between 0 and 1.")
    least = int(np.ceil(1 / alpha - 1 - 1e-9))
    if n_references < least:
        raise ValueError(f"n_references={n_references} cannot show p <= {alpha}; pass at least {least}.")
    if n_resamples < 2:
        raise ValueError(f"n_resamples={n_resamples} is too few; pass at least 2.")


def _check_method(kind: str, consensus: Any, base: Any) -> Any:
    if kind == "labels":
        if base is not None:
            raise ValueError("base is for features, and X is taken for labels; pass kind='features' or leave it out.")
        method = EAC(linkage="ward") if consensus is None else consensus
        if not hasattr(method, "get_params") or isinstance(method, type):
            raise TypeError(f"consensus={consensus!r:.60} is no estimator; pass one such as EAC().")
        if "n_clusters" not in method.get_params(deep=False):
            raise ValueError(f"{type(method).__name__} has no n_clusters to be chosen; it finds the number itself.")
        return method
    if consensus is not None:
        raise ValueError("consensus is for labels, and X is taken for features; pass kind='labels' or leave it out.")
    if base is not None and not isinstance(base, str) and number_parameter(base) is None:
        raise ValueError(f"{type(base).__name__} has no n_clusters to be chosen; it finds the number itself.")
    return QuickKMeans() if base is None else base
