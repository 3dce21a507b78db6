"""The number of clusters, chosen with reasons; one cluster can be the answer (eqs. I54 to I63).

For every number k the objects are resampled and clustered again (labels: combined again). If there are k clusters, two
objects are nearly always together or nearly always apart: the proportion of ambiguous pairs (PAC) is low. PAC also
falls with k by itself, so it is compared with the PAC of reference data without clusters. An oblong cloud is cut in two
as reliably as two clusters are separated; so for features the scatter within the clusters is compared as well.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from partita._memory import ensure_memory
from partita._runs import Progress, check_run, draw_seeds, progress
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.metrics import consensus_cdf
from partita.selection import _criteria as criteria
from partita.selection._comparison import Comparison, Profile, compare_with_references, weakest
from partita.selection._input import Kind, check_level, check_method, check_numbers, draw_objects, read_data
from partita.selection._recommendation import proposals, recommend, supporting_criteria
from partita.selection._references import gaussian_cloud, uniform_cloud, without_agreement
from partita.selection._resampling import Resampling, cluster_all, combine, sample_features, sample_labels

_GRID = np.arange(101) / 100


@dataclass(frozen=True)
class ClusterNumberChoice:
    """A recommended number of clusters, and the evidence for it."""

    n_clusters: int
    reasons: list[str]
    table: pd.DataFrame  # one row per number of clusters
    proposals: dict[str, int]  # number that each criterion proposes by itself, at least 2
    p_value: float  # of the hypothesis that there are no clusters
    kind: str  # "labels" or "features"
    n_objects: int  # objects that were used
    cdf: pd.DataFrame = field(repr=False)  # share of pairs with co-association up to the index, one column per number

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
    verbose: bool = False,
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
        For labels: the method that combines them. Default: :class:`EAC` with Ward linkage, one tree for all numbers.
    base : clusterer with ``n_clusters``, or its name, optional
        For features: the method that clusters them. Default: k-means, the best of three starts.
    n_resamples : int, default=20
        Samples that are clustered for every number.
    n_references : int, default=19
        Reference data sets without clusters (of each kind); at least 1 / alpha - 1.
    alpha : float, default=0.05
        Probability of seeing clusters where there are none.
    max_objects : int, default=1000
        Largest number of objects that are used; of more a random sample is drawn.
    random_state : int, RandomState or None
        Seed of the samples and of the references.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Returns
    -------
    ClusterNumberChoice
        ``n_clusters``, ``reasons``, ``proposals`` of each criterion, ``cdf`` and ``table``, which has for each number:

        - n_found: clusters that are found among all objects; a number that is not found is not recommended
        - pac, pac_strict: pairs that are together in between 0.1 and 0.9 (0 and 1) of the samples; lower is better
        - cdf_area, delta_area: area under the distribution of co-association, and its relative growth
        - stability: mean adjusted Rand index of the samples' clusterings with the clustering of all
        - lifetime: in evidence accumulation with average linkage
        - bic: of a mixture model (of labels, or Gaussian); lower is better
        - lower_bound: of ``consensus``, if it is a model that has one
        - rcsi: mean log PAC of the references minus that of X; gap (features): the same for the scatter in clusters
        - reference_pac, p_value: mean PAC of the references; share of data sets that stand out as much at this number

    Notes
    -----
    One cluster is recommended unless the data stand out among the references, over all numbers together. Of the
    numbers at which they do (p_value at most alpha), the largest with a PAC of at most 0.01 is recommended, since it
    refines the coarser ones; if there is none, the number with the highest rcsi.

    References of features are of two kinds, a Gaussian with the same covariance and a uniform box along the principal
    axes, and the data must stand out among both. Skewed or heavy-tailed clouds are like neither and may be split. The
    covariance is estimated, so with few objects and many features the test has less power. In references of labels
    every clustering is shuffled: one cluster is the answer if clusterings agree no more than by chance, and the test is
    exact. Labels alone cannot show whether all clusterings cut one cluster in the same way: pass features for that.

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
    check_level(n_resamples, n_references, alpha)
    check_run(n_jobs, verbose)
    what, data = read_data(X, kind)
    seeds = [int(seed) for seed in draw_seeds(random_state, 3)]
    data = draw_objects(data, max_objects, seeds[0])
    plan = Resampling(check_method(what, consensus, base), check_numbers(n_clusters, len(data)), n_resamples, n_jobs)
    n_labels = len(data) * n_resamples * len(plan.numbers)
    ensure_memory(8 * n_labels, purpose=f"{n_labels} labels of samples", instead="pass a smaller n_resamples.")
    n_steps = 2 + n_references * len(_REFERENCES[what])
    with progress(n_steps, "number of clusters", show=bool(verbose)) as bar, threadpool_limits(limits=1):
        found = _RESAMPLE[what](data, plan, seeds[1])
        bar.update(1)
        columns = _columns(what, data, plan, found, seeds[2])
        bar.update(1)
        compared = _compare_data(what, data, plan, found.profile, n_references, seeds[2], bar)
    table = pd.DataFrame({"n_clusters": plan.numbers, **columns, **compared.columns})
    proposed = proposals(table)
    chosen, reasons = recommend(table, compared.p_value, alpha, what)
    if chosen > 1 and compared.p_value * (n_references + 1) < 1.5:
        reasons[0] += f", the smallest that {n_references} references can show"
    reasons += supporting_criteria(chosen, proposed)
    cdf = _curves(plan.numbers, found.resampled)
    return ClusterNumberChoice(chosen, reasons, table, proposed, compared.p_value, what, len(data), cdf)


class _Resampled(NamedTuple):
    """What resampling a data set gives."""

    resampled: list[IntArray]  # (n, n_resamples) labels for each number of clusters
    of_all: list[IntArray]  # clusters of all objects
    profile: Profile


def _resample_features(F: FloatArray, plan: Resampling, seed: int) -> _Resampled:
    resampled = sample_features(F, plan, seed)
    of_all = cluster_all(F, plan, seed)
    return _Resampled(resampled, of_all, Profile(criteria.ambiguity(resampled), criteria.scatter(F, of_all)))


def _resample_labels(X: Codes, plan: Resampling, seed: int) -> _Resampled:
    resampled = sample_labels(X, plan, seed)
    of_all = combine(plan.method, X, plan.numbers, seed)
    return _Resampled(resampled, of_all, Profile(criteria.ambiguity(resampled)))


_RESAMPLE: dict[str, Callable[[Any, Resampling, int], _Resampled]] = {
    "features": _resample_features,
    "labels": _resample_labels,
}
_REFERENCES: dict[str, tuple[Callable[[Any, int], Any], ...]] = {
    "features": (gaussian_cloud, uniform_cloud),
    "labels": (without_agreement,),
}


def _columns(kind: str, data: Array, plan: Resampling, found: _Resampled, seed: int) -> dict[str, Any]:
    """The columns of the table that need no references: stability, PAC, lifetime and the criteria of models."""
    columns: dict[str, Any] = {
        "n_found": np.array([len(np.unique(labels[labels >= 0])) for labels in found.of_all]),
        "stability": criteria.stability(found.resampled, found.of_all),
        **criteria.pac_columns(found.resampled),
        "lifetime": criteria.eac_lifetimes(np.hstack(found.resampled) if kind == "features" else data, plan.numbers),
    }
    if kind == "features":
        return columns | {"bic": criteria.bic_of_features(data, plan.numbers, seed)}
    columns["bic"] = criteria.bic_of_labels(data, plan.numbers, seed)
    bounds = criteria.lower_bounds(plan.method, data, plan.numbers, seed)
    return columns if bounds is None else columns | {"lower_bound": bounds}


def _compare_data(
    kind: str, data: Array, plan: Resampling, profile: Profile, n_references: int, seed: int, bar: Progress
) -> Comparison:
    """The data among references of each kind; of several kinds the weakest evidence counts."""
    comparisons = []
    for make in _REFERENCES[kind]:
        references = []
        for data_seed, sample_seed in draw_seeds(seed, 2 * n_references).reshape(-1, 2).tolist():
            references.append(_RESAMPLE[kind](make(data, data_seed), plan, sample_seed).profile)
            bar.update(1)
        comparisons.append(compare_with_references(profile, references))
    return weakest(comparisons)


def _curves(numbers: list[int], resampled: list[IntArray]) -> pd.DataFrame:
    """Distribution of the co-association for each number of clusters."""
    curves = {k: consensus_cdf(labels, _GRID).cdf for k, labels in zip(numbers, resampled, strict=True)}
    return pd.DataFrame(curves, index=pd.Index(_GRID, name="coassociation"))
