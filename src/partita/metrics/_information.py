"""Metrics from information theory, between partitions (eqs. I15, I16) and between memberships (eqs. I17, I18)."""

from typing import Any, Literal

import numpy as np

from partita._features import check_lengths
from partita._labels.membership import check_membership, one_hot
from partita._labels.validation import check_label_matrix, check_labels, check_weights
from partita._memory import ensure_memory
from partita._typing import Codes, FloatArray
from partita.metrics._contingency import Contingency, cross_tabulate, labelled_in_both, paired_codes
from partita.metrics._left_out import warn_left_out


def normalized_mutual_info_score(
    labels_true: Any,
    labels_pred: Any,
    *,
    average_method: Literal["geometric", "arithmetic", "min", "max"] = "geometric",
) -> float:
    """Mutual information, normalised: I / sqrt(H1 H2) by default (Strehl and Ghosh), by scikit-learn.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Two partitions; objects that are -1 (or NaN, None) in one of them are left out, with a warning.
    average_method : {"geometric", "arithmetic", "min", "max"}, default="geometric"
        Mean of the two entropies that normalises.

    Returns
    -------
    score : float in [0, 1]
        0 if one partition is a single cluster, 1 if both are.

    Examples
    --------
    >>> from partita.metrics import normalized_mutual_info_score
    >>> normalized_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    from sklearn.metrics import normalized_mutual_info_score as of_scikit_learn

    first, second, _ = paired_codes(labels_true, labels_pred)
    score = of_scikit_learn(first, second, average_method=average_method)
    return float(np.clip(score, 0.0, 1.0))


def average_nmi_score(X: Any, labels: Any, *, weights: Any = None) -> float:
    """Mean normalised mutual information between a consensus and the clusterings of an ensemble (ANMI).

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        The ensemble. Each clustering is compared on the objects that it labels.
    labels : array-like of shape (n_samples,)
        The consensus; -1 is left out, with a warning.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering in the mean.

    Returns
    -------
    score : float in [0, 1]

    Examples
    --------
    >>> from partita.metrics import average_nmi_score
    >>> X = {"a": [0, 0, 1, 1], "b": [0, 0, 1, None]}
    >>> average_nmi_score(X, [1, 1, 0, 0])
    1.0
    """
    matrix = check_label_matrix(X)
    clustering_weights = check_weights(weights, matrix)
    codes = check_labels(labels, "labels")
    check_lengths(len(matrix.codes), len(codes))
    warn_left_out(int((codes < 0).sum()), len(codes), "have no consensus label and were left out")
    common = (matrix.codes >= 0)[codes >= 0].any(axis=0) & (clustering_weights > 0)
    if not common.any():
        raise ValueError("no object has both a consensus label and a label in X, so they cannot be compared.")
    scores = np.array([_nmi(codes, np.ascontiguousarray(matrix.codes[:, j])) for j in np.flatnonzero(common)])
    return float(np.average(scores, weights=clustering_weights[common]))


def _nmi(first: Codes, second: Codes) -> float:
    """I / sqrt(H1 H2) from the contingency alone, which avoids sorting all labels for each clustering."""
    table = cross_tabulate(*labelled_in_both(first, second))
    entropies = [
        float(-(p * np.log(p)).sum()) for p in (table.row_sums / table.n_objects, table.col_sums / table.n_objects)
    ]
    if min(entropies) <= 0:
        return 1.0 if max(entropies) <= 0 else 0.0
    return float(np.clip(_mutual_information(table) / np.sqrt(entropies[0] * entropies[1]), 0.0, 1.0))


def _mutual_information(table: Contingency) -> float:
    """Mutual information in nats, in scikit-learn's order of operations; its metrics take long to import."""
    n = table.n_objects
    share = table.cells / n
    by_chance = -np.log(table.row_sums[table.rows] * table.col_sums[table.cols]) + np.log(n) + np.log(n)
    terms = share * (np.log(table.cells) - np.log(n)) + share * by_chance
    return max(float(np.where(np.abs(terms) < np.finfo(np.float64).eps, 0.0, terms).sum()), 0.0)


def jensen_shannon_distance(membership_true: Any, membership_pred: Any) -> float:
    """Mean Jensen-Shannon divergence between two soft partitions, under the best matching (J criterion).

    Parameters
    ----------
    membership_true, membership_pred : array-like of shape (n_samples, n_clusters)
        Probabilities, rows sum to 1; the numbers of clusters may differ (clusters of probability 0 are added).
        A 1-D array is taken as hard labels. Rows of NaN, and hard labels of -1, are left out with a warning.

    Returns
    -------
    distance : float in [0, 1]
        In bits, (1 / n) min over matchings of sum_i JS(z_i, y_i); 0 if and only if the soft partitions are equal
        up to the order of the clusters.

    Notes
    -----
    The divergence is a sum over clusters, so the best matching is a linear assignment with cost
    sum_i (z log2(2z / (z + y)) + y log2(2y / (z + y))) / 2, solved exactly. Cost O(n k^2 + k^3).

    Examples
    --------
    >>> from partita.metrics import jensen_shannon_distance
    >>> jensen_shannon_distance([[0.9, 0.1], [0.2, 0.8]], [[0.1, 0.9], [0.8, 0.2]])
    0.0
    >>> jensen_shannon_distance([0, 0, 1, 1], [0, 0, 0, 0])
    0.5
    """
    from scipy.optimize import linear_sum_assignment

    Z = _read_membership(membership_true, "membership_true")
    Y = _read_membership(membership_pred, "membership_pred")
    if len(Z) != len(Y):
        raise ValueError(
            f"membership_true has {len(Z)} rows, but membership_pred has {len(Y)}; pass one row per object."
        )
    kept = ~(np.isnan(Z[:, 0]) | np.isnan(Y[:, 0]))
    if not kept.any():
        raise ValueError("no object has a membership in both, so they cannot be compared.")
    warn_left_out(int((~kept).sum()), len(kept), "have no membership and were left out")
    Z, Y = Z[kept], Y[kept]
    n_clusters = max(Z.shape[1], Y.shape[1])
    Z, Y = (np.pad(M, ((0, 0), (0, n_clusters - M.shape[1]))) for M in (Z, Y))
    cost = np.array([[_half_divergence(z, y) for y in Y.T] for z in Z.T])
    return float(cost[linear_sum_assignment(cost)].sum() / (len(Z) * np.log(2)))


def _half_divergence(z: FloatArray, y: FloatArray) -> float:
    """Part of the Jensen-Shannon divergence that one pair of clusters adds, in nats, over all objects."""
    from scipy.special import rel_entr

    middle = (z + y) / 2
    return float(rel_entr(z, middle).sum() + rel_entr(y, middle).sum()) / 2


def _has_rows(membership: Any) -> bool:
    try:
        return np.ndim(membership) > 1
    except ValueError:  # rows of different lengths
        return True


def _read_membership(membership: Any, name: str) -> FloatArray:
    """Probabilities (n, k) from themselves or from hard labels; rows of objects without any are NaN."""
    if _has_rows(membership):
        return check_membership(membership, name, missing=True).clip(0)
    codes = check_labels(membership, name)
    k = int(codes.max()) + 1
    ensure_memory(
        4 * 8 * len(codes) * k, purpose=f"memberships of {len(codes)} x {k} clusters", instead="merge clusters."
    )
    Y = one_hot(codes, max(int(codes.max()) + 1, 1))
    Y[codes < 0] = np.nan
    return Y
