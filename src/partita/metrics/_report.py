"""All internal indices of one or several partitions, in one table (eqs. I45, I46)."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._checks import check_count
from partita._features import check_lengths, check_points
from partita._labels.validation import check_label_matrix, check_labels
from partita._runs import draw_seeds
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.metrics._chosen_pairs import unrank_pairs
from partita.metrics._clustered import Clustered, sort_by_cluster
from partita.metrics._correlation import both_gammas
from partita.metrics._distances import centroid_tables, pair_tables
from partita.metrics._dunn import DIAMETERS, SEPARATIONS, dunn_index
from partita.metrics._internal import davies_bouldin, variance_ratio
from partita.metrics._left_out import leave_out
from partita.metrics._silhouette import VARIANTS, silhouette_values

_DUNN = {f"dunn_{s}_{d}": (s, d) for s in SEPARATIONS for d in DIAMETERS}
_SILHOUETTES = {f"silhouette_{variant}": variant for variant in VARIANTS}
_CORRELATIONS = ("goodman_kruskal", "weighted_goodman_kruskal")
_NAMES = ("calinski_harabasz", "davies_bouldin", *_DUNN, *_SILHOUETTES, *_CORRELATIONS)
_LOWER_IS_BETTER = ("davies_bouldin",)
_BY_CENTROIDS = (
    "calinski_harabasz",
    "davies_bouldin",
    "dunn_centroid_centroid",
    "dunn_hybrid_centroid",
    "silhouette_simplified",
    "silhouette_hybrid",
)


class _Judged(NamedTuple):
    """Which part of the data the indices use; the same for all partitions."""

    points: FloatArray
    kept: IntArray  # labelled objects
    shuffled: IntArray  # the same in random order
    n_sample: int  # objects of the indices that need all pairs
    left: IntArray  # pairs of labelled objects whose distance is correlated with being apart
    right: IntArray


def validity_report(
    X: Any,
    labels: Any,
    *,
    pairwise_limit: int | None = 20_000,
    n_pairs: int = 5000,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Judge one or several partitions by all internal indices.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features, finite numbers.
    labels : array-like of shape (n_samples,), or label matrix of shape (n_samples, n_partitions)
        One partition, or a table of several (array, DataFrame, dict, list of columns). Objects that are -1 (or NaN,
        None) in one of them are left out of all, with a warning, so that all are judged on the same objects.
    pairwise_limit : int or None, default=20_000
        If there are more objects, the indices that need all pairs use a random sample of this size, with at least two
        objects of every cluster; None for no limit. Smallest and largest distances of a sample are not those of all:
        Dunn's index by "single" and "hausdorff" separation or "max" diameter is then an upper estimate, or a rough one.
    n_pairs : int, default=5000
        Pairs of objects over which distance is correlated with being in different clusters: all, or a random sample.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the two samples; by default a report is the same each time.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.

    Returns
    -------
    report : DataFrame, one row per index
        - ``index``: its name;
        - ``value``: its value, or one column per partition, named like the partition;
        - ``better``: "higher" or "lower";
        - ``n_objects``: objects that it is computed from;
        - ``n_pairs``: pairs of objects whose distance it uses, <NA> if it uses centroids only.

    Notes
    -----
    "goodman_kruskal" is Baker and Hubert's Gamma: the rank correlation between the distance of two objects and whether
    they are in different clusters, ties left out; "weighted_goodman_kruskal" weighs by the distances. Both are NaN
    where all pairs, or none, are within a cluster. Distances are Euclidean. Cost O(n^2 d) per partition up to
    the limit; one pass over the pairs is enough for all.

    References
    ----------
    F. Baker and L. Hubert, "Measuring the power of hierarchical cluster analysis", Journal of the American Statistical
    Association 70, 1975; L. Vendramin, R. Campello and E. Hruschka, "Relative clustering validity criteria: a
    comparative overview", Statistical Analysis and Data Mining 3, 2010.

    Examples
    --------
    >>> from partita.metrics import validity_report
    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> report = validity_report(X, {"good": [0, 0, 1, 1], "bad": [0, 1, 0, 1]})
    >>> report.loc[report["index"] == "dunn_single_max", ["good", "bad", "better"]].values.tolist()
    [[8.0, 0.1111111111111111, 'higher']]
    """
    if pairwise_limit is not None:
        check_count(pairwise_limit, "pairwise_limit")
    check_count(n_pairs, "n_pairs")
    points = check_points(X)
    names, codes = _read_partitions(labels)
    check_lengths(len(points), len(codes))
    labelled = np.asarray((codes >= 0).all(axis=1))
    judged = _choose(points, leave_out(labelled), pairwise_limit, n_pairs, random_state)
    values = {name: _indices(judged, codes[:, j], n_jobs) for j, name in enumerate(names)}
    return pd.DataFrame(
        {
            "index": list(_NAMES),
            **{name: [found[index] for index in _NAMES] for name, found in values.items()},
            "better": ["lower" if index in _LOWER_IS_BETTER else "higher" for index in _NAMES],
            "n_objects": [judged.n_sample if _samples(index) else len(judged.kept) for index in _NAMES],
            "n_pairs": pd.array([_pairs_of(index, judged) for index in _NAMES], dtype="Int64"),
        }
    )


def _indices(judged: _Judged, codes: Codes, n_jobs: int | None) -> dict[str, float]:
    """All indices of one partition."""
    everything = sort_by_cluster(judged.points, codes, judged.kept)
    sampled = judged.n_sample < len(judged.kept)
    sample = sort_by_cluster(judged.points, codes, _sample(judged, codes)) if sampled else everything
    values = _of_tables(sample, n_jobs, _NAMES)
    if sampled:
        values |= _of_tables(everything, n_jobs, _BY_CENTROIDS)
    return values | {
        "calinski_harabasz": variance_ratio(everything),
        "davies_bouldin": davies_bouldin(everything),
        **_correlations(judged, codes, n_jobs),
    }


def _sample(judged: _Judged, codes: Codes) -> IntArray:
    """Objects whose pairs are used: two of every cluster, so that none is lost, then others in random order."""
    cluster = codes[judged.shuffled]
    order = np.argsort(cluster, kind="stable")
    first = np.searchsorted(cluster[order], cluster[order])  # place of the first object of the same cluster
    turn = np.empty(len(order), dtype=np.int64)  # 0 for the first object of a cluster in the random order, 1 the second
    turn[order] = np.arange(len(order)) - first
    chosen = np.argsort(np.minimum(turn, 2), kind="stable")[: judged.n_sample]
    return np.sort(judged.shuffled[chosen])


def _of_tables(clusters: Clustered, n_jobs: int | None, names: tuple[str, ...]) -> dict[str, float]:
    """The Dunn indices and silhouettes among ``names``; pairs are computed only if one of them needs pairs."""
    if clusters.n_clusters == 1:
        return dict.fromkeys(names, np.nan)
    needs_pairs = any(_samples(name) for name in names)
    pairs = pair_tables(clusters, "euclidean", n_jobs) if needs_pairs else None
    centroids = centroid_tables(clusters, "euclidean", n_jobs)
    values = {name: dunn_index(clusters, pairs, centroids, *_DUNN[name]) for name in names if name in _DUNN}
    for name in names:
        if name in _SILHOUETTES:
            tables: Any = pairs if _samples(name) else centroids
            values[name] = float(silhouette_values(clusters, tables, _SILHOUETTES[name]).mean())
    return values


def _correlations(judged: _Judged, codes: Codes, n_jobs: int | None) -> dict[str, float]:
    """Correlation of the distance of two objects with being in different clusters."""
    apart = (codes[judged.left] != codes[judged.right]).astype(np.float64)
    if len(apart) == 0 or apart.min() == apart.max():
        return dict.fromkeys(_CORRELATIONS, np.nan)
    distance = np.linalg.norm(judged.points[judged.left] - judged.points[judged.right], axis=1)
    return dict(zip(_CORRELATIONS, both_gammas(distance, apart, "neutral", n_jobs), strict=True))


def _samples(index: str) -> bool:
    """Whether an index needs all pairs of objects, and so uses a sample if there are many."""
    return index not in _BY_CENTROIDS and index not in _CORRELATIONS


def _pairs_of(index: str, judged: _Judged) -> int | None:
    if index in _BY_CENTROIDS:
        return None
    n = judged.n_sample
    return n * (n - 1) // 2 if _samples(index) else len(judged.left)


def _choose(points: FloatArray, kept: IntArray, pairwise_limit: int | None, n_pairs: int, random_state: Any) -> _Judged:
    rng = np.random.default_rng(draw_seeds(random_state, 1)[0])
    n = len(kept)
    n_sample = n if pairwise_limit is None else min(n, pairwise_limit)
    n_all = n * (n - 1) // 2
    drawn = np.arange(n_all) if n_all <= n_pairs else np.sort(rng.choice(n_all, size=n_pairs, replace=False))
    # numbered column by column, that is, row by row from the end in the triangle of the reversed objects
    of_right, of_left = unrank_pairs(n_all - 1 - drawn, n)
    left, right = kept[n - 1 - of_left], kept[n - 1 - of_right]
    return _Judged(points, kept, rng.permutation(kept), n_sample, left, right)


def _read_partitions(labels: Any) -> tuple[list[str], Array]:
    """Names and codes (n, n_partitions) of one partition or of several."""
    is_table = isinstance(labels, dict) or hasattr(labels, "columns") or _n_dimensions(labels) == 2
    if not is_table:
        return ["value"], check_labels(labels, "labels")[:, None]
    matrix = check_label_matrix(labels)
    taken = {"index", "better", "n_objects", "n_pairs"} & set(matrix.names)
    if taken or len(set(matrix.names)) < len(matrix.names):
        raise ValueError(
            f"labels has the columns {matrix.names}; names must differ from each other and from 'index', 'better', "
            "'n_objects' and 'n_pairs', which the report has itself."
        )
    return matrix.names, matrix.codes


def _n_dimensions(labels: Any) -> int:
    if hasattr(labels, "ndim"):
        return int(labels.ndim)
    flat = isinstance(labels, str) or not hasattr(labels, "__len__") or len(labels) == 0
    return 1 if flat or isinstance(labels[0], str) or not hasattr(labels[0], "__len__") else 2
