"""How certain an ensemble is about which objects belong together, from its co-association S = C / N.

Pairs that no clustering labels together (N_ij = 0) are left out everywhere (eqs. I47, I48, I49, I50, I51).
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from partita._features import check_lengths
from partita._labels.membership import one_hot
from partita._labels.validation import check_labels
from partita._memory import ensure_memory
from partita._parameters import check_choice
from partita._typing import Codes, FloatArray
from partita.metrics._ensemble_pairs import EqualObjects, Pairs, read_pairs
from partita.metrics._left_out import warn_left_out
from partita.metrics._series import check_series

_THRESHOLDS = {"senbabaoglu": (0.1, 0.9), "strict": (0.0, 1.0)}


def pac_score(
    X: Any,
    thresholds: tuple[float, float] | Literal["senbabaoglu", "strict"] = (0.1, 0.9),
    *,
    n_jobs: int | None = None,
) -> float:
    """Proportion of ambiguously clustered pairs: neither mostly together nor mostly apart. LOWER is better.

    Parameters
    ----------
    X : label matrix, Coassociation or square similarity matrix
        The ensemble: labels in any form that :func:`partita.check_label_matrix` takes, its co-association ("dense", or
        a sample of "pairs"), or a symmetric float array with entries in [0, 1], NaN where unknown, and unit diagonal.
    thresholds : (lower, upper), or {"senbabaoglu", "strict"}, default=(0.1, 0.9)
        A pair is ambiguous if lower < S_ij < upper. "senbabaoglu" is (0.1, 0.9), "strict" is (0, 1).
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.

    Returns
    -------
    score : float in [0, 1]
        Lower is better: 0 for an ensemble that agrees on every pair. NaN if no pair is known.

    Notes
    -----
    For labels, cost O(D^2 m / 64) with D distinct rows of m labels, and no n x n array.

    References
    ----------
    Y. Senbabaoglu, G. Michailidis and J. Li, "Critical limitations of consensus clustering in class discovery",
    Scientific Reports 4, 2014.

    Examples
    --------
    >>> from partita.metrics import pac_score
    >>> pac_score({"a": [0, 0, 1], "b": [0, 0, 1], "c": [0, 1, 1]}) * 3  # pairs (0, 1) and (1, 2) are ambiguous
    2.0
    """
    lower, upper = _check_thresholds(thresholds)
    n_pairs = n_ambiguous = 0
    for similarity, n_each in read_pairs(X).values(n_jobs):
        n_pairs += int(n_each.sum())
        n_ambiguous += int(n_each[(lower < similarity) & (similarity < upper)].sum())
    return n_ambiguous / n_pairs if n_pairs else np.nan


class ConsensusCDF(NamedTuple):
    """Result of ``consensus_cdf``."""

    grid: FloatArray
    cdf: FloatArray  # share of pairs with S_ij <= grid
    area: float  # under the whole curve between 0 and 1, not only at the grid: 1 - mean of S


def consensus_cdf(X: Any, grid: Any = None, *, n_jobs: int | None = None) -> ConsensusCDF:
    """Distribution function of the co-association of pairs: a step at 0 and one at 1 if the ensemble is certain.

    Parameters
    ----------
    X : label matrix, Coassociation or square similarity matrix
        The ensemble, as for :func:`pac_score`.
    grid : array-like, optional
        Similarities at which the function is computed; default 0, 0.01, ..., 1.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.

    Returns
    -------
    ConsensusCDF
        ``grid``, ``cdf`` (share of pairs with S_ij <= grid) and ``area`` under the curve from 0 to 1. NaN if no pair
        is known.

    Notes
    -----
    The area is that of the step function itself, 1 - mean of S; it does not depend on the grid.

    References
    ----------
    S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering: a resampling-based method for class discovery
    and visualization of gene expression microarray data", Machine Learning 52, 2003.

    Examples
    --------
    >>> from partita.metrics import consensus_cdf
    >>> consensus_cdf({"a": [0, 0, 1], "b": [0, 0, 1]}, grid=[0, 0.5, 1]).cdf.round(3)
    array([0.667, 0.667, 1.   ])
    """
    points = np.arange(101) / 100 if grid is None else check_series(grid, "grid")
    if np.isnan(points).any():
        raise ValueError(f"grid={grid!r:.60} has NaN; pass a series of at least one number, without NaN.")
    up_to, n_pairs, total = np.zeros(len(points), dtype=np.int64), 0, 0.0
    for similarity, n_each in read_pairs(X).values(n_jobs):
        order = np.argsort(similarity, kind="stable")
        cumulated = np.concatenate([[0], np.cumsum(n_each[order])])
        up_to += cumulated[np.searchsorted(similarity[order], points, side="right")]
        n_pairs += int(n_each.sum())
        total += float(similarity @ n_each)
    if n_pairs == 0:
        return ConsensusCDF(points, np.full(len(points), np.nan), np.nan)
    return ConsensusCDF(points, up_to / n_pairs, 1 - total / n_pairs)


def item_consensus(X: Any, labels: Any) -> FloatArray:
    """Mean co-association of each object with the members of each cluster, itself left out.

    Parameters
    ----------
    X : label matrix, Coassociation or square similarity matrix
        The ensemble, as for :func:`pac_score`.
    labels : array-like of shape (n_samples,)
        A partition, such as the consensus. Objects that are -1 (or NaN, None) are not members of a cluster, with a
        warning; they still have a row.

    Returns
    -------
    consensus : ndarray of shape (n_samples, n_clusters)
        In the order of the sorted labels. NaN where a cluster has no other member, or none that a clustering labels
        together with the object.

    Notes
    -----
    Cost O(D^2 (m / 64 + k) + n k), with D distinct rows of m labels.

    References
    ----------
    S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering: a resampling-based method for class discovery
    and visualization of gene expression microarray data", Machine Learning 52, 2003.

    Examples
    --------
    >>> from partita.metrics import item_consensus
    >>> item_consensus({"a": [0, 0, 1], "b": [0, 1, 1]}, ["x", "x", "y"])
    array([[0.5 , 0.  ],
           [0.5 , 0.5 ],
           [0.25,  nan]])
    """
    pairs, codes = _read_judged(X, labels)
    members = _members(pairs.rows, codes)
    sums, known = pairs.to_clusters(members)
    itself = one_hot(codes, members.shape[1])
    # other objects with the same row of labels are together with it wherever it is labelled
    row = pairs.rows.inverse
    equal = (members[row] - itself) * pairs.rows.labelled[row, None]
    return _mean_or_nan(sums[row] + equal, known[row] + equal)


def cluster_consensus(X: Any, labels: Any) -> FloatArray:
    """Mean co-association of the pairs within each cluster.

    Parameters
    ----------
    X : label matrix, Coassociation or square similarity matrix
        The ensemble, as for :func:`pac_score`.
    labels : array-like of shape (n_samples,)
        A partition, such as the consensus. Objects that are -1 (or NaN, None) are left out, with a warning.

    Returns
    -------
    consensus : ndarray of shape (n_clusters,)
        In the order of the sorted labels; NaN for a cluster of one object, or in which no pair is labelled together.

    References
    ----------
    S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering: a resampling-based method for class discovery
    and visualization of gene expression microarray data", Machine Learning 52, 2003.

    Examples
    --------
    >>> from partita.metrics import cluster_consensus
    >>> cluster_consensus({"a": [0, 0, 1], "b": [0, 1, 1]}, ["x", "x", "y"])
    array([0.5, nan])
    """
    pairs, codes = _read_judged(X, labels)
    members = _members(pairs.rows, codes)
    sums, known = pairs.to_clusters(members)
    equal = np.maximum(members - 1, 0) * pairs.rows.labelled[:, None]
    return _mean_or_nan((members * (sums + equal)).sum(axis=0), (members * (known + equal)).sum(axis=0))


def _check_thresholds(thresholds: Any) -> tuple[float, float]:
    if isinstance(thresholds, str):
        check_choice("thresholds", thresholds, _THRESHOLDS)
        return _THRESHOLDS[thresholds]
    try:
        lower, upper = map(float, thresholds)
    except (TypeError, ValueError):
        raise ValueError(
            f"thresholds={thresholds!r:.60} must be two numbers (lower, upper), 'senbabaoglu' or 'strict'."
        ) from None
    if not 0 <= lower < upper <= 1:
        raise ValueError(f"thresholds={thresholds!r:.60} must satisfy 0 <= lower < upper <= 1.")
    return lower, upper


def _read_judged(X: Any, labels: Any) -> tuple[Pairs, Codes]:
    """Pairs of an ensemble, and the codes of the partition to judge."""
    pairs, codes = read_pairs(X), check_labels(labels, "labels")
    check_lengths(len(pairs.rows.inverse), len(codes))
    if (codes < 0).all():
        raise ValueError(f"none of the {len(codes)} objects is labelled, so there is no cluster to judge.")
    warn_left_out(int((codes < 0).sum()), len(codes), "are unlabelled and were left out of the clusters")
    return pairs, codes


def _members(rows: EqualObjects, codes: Codes) -> FloatArray:
    """Number of objects of each row in each cluster, (n_rows, k)."""
    k, kept = int(codes.max()) + 1, codes >= 0
    # members, sums and numbers of pairs of each row with each cluster, and the same of each object
    ensure_memory(6 * 8 * len(codes) * k, purpose=f"a table of {len(codes)} x {k} clusters", instead="merge clusters.")
    cell = rows.inverse[kept] * k + codes[kept]
    table = np.bincount(cell, minlength=len(rows.n_objects) * k).astype(np.float64)
    return table.reshape(len(rows.n_objects), k)


def _mean_or_nan(sums: FloatArray, known: FloatArray) -> FloatArray:
    means: FloatArray = np.divide(sums, known, out=np.full(sums.shape, np.nan), where=known > 0)
    return means
