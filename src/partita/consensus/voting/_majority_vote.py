"""Plurality vote of partitions whose clusters are matched to a reference; the order of the columns does not matter.

The reference is the partition of the highest mean normalised mutual information with the others (eq. G35). Every other
one is matched to it, cluster to cluster, so that as many objects as possible agree; clusters without a partner stay
apart (eq. G36). Each object gets the cluster of the most votes, and the result is the next reference, until nothing
changes (eq. G37).
"""

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from partita._labels.validation import check_label_matrix, check_weights
from partita._labels.weights import to_ordinary_size
from partita._numbering import number_by_size
from partita._typing import FloatArray, IntArray
from partita.metrics import normalized_mutual_info_score

_ROUNDS = 50  # a bound for votes that alternate between results; the others end when nothing changes
_DECIMALS = 12  # votes and similarities are rounded, so that ties do not depend on the order of sums


def majority_vote(X: Any, *, weights: Any = None) -> IntArray:
    """Vote of several partitions, such as the results of several consensus methods.

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1. Missing labels do not
        vote.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label. The order of the columns and the names of their
        labels do not matter.

    Examples
    --------
    >>> from partita import majority_vote
    >>> majority_vote({"a": [0, 0, 1, 1], "b": [1, 1, 0, 0], "c": ["x", "y", "y", "y"]})
    array([0, 0, 1, 1])
    """
    matrix = check_label_matrix(X)
    given = check_weights(weights, matrix)
    if not given.any():
        raise ValueError("all clusterings that have labels have weight 0; give at least one of them a positive weight.")
    clustering_weights = to_ordinary_size(given[given > 0]).weights
    codes = np.column_stack([number_by_size(column) for column in matrix.codes.T[given > 0]])
    order = np.lexsort(codes[::-1])  # columns in an order of their own, so that ties do not depend on the given one
    codes, clustering_weights = codes[:, order], clustering_weights[order]
    reference = codes[:, _most_central(codes, clustering_weights)]
    for _ in range(_ROUNDS):
        voted = number_by_size(_vote(codes, clustering_weights, reference))
        if np.array_equal(voted, reference):
            break
        reference = voted
    return reference


def _most_central(codes: IntArray, clustering_weights: FloatArray) -> int:
    """The partition that is most similar to the others, the first among equals."""
    n = codes.shape[1]
    similarity = clustering_weights.copy()  # with itself it is 1, as often as it counts
    for a in range(n):
        for b in range(a):
            both = (codes[:, a] >= 0) & (codes[:, b] >= 0)
            if both.any():
                nmi = normalized_mutual_info_score(codes[both, a], codes[both, b])
                similarity[a] += clustering_weights[b] * nmi
                similarity[b] += clustering_weights[a] * nmi
    return int(similarity.round(_DECIMALS).argmax())


def _vote(codes: IntArray, clustering_weights: FloatArray, reference: IntArray) -> IntArray:
    """Cluster of the most votes of each object; among equals the lower number of the reference."""
    width = int(max(reference.max(), codes.max())) + 1
    votes = np.zeros((len(codes), width * (1 + codes.shape[1])))  # clusters without a partner have places of their own
    for number, (column, weight) in enumerate(zip(codes.T, clustering_weights, strict=True)):
        seen = column >= 0
        both = seen & (reference >= 0)
        table = np.bincount(column[both] * width + reference[both], minlength=width * width).reshape(width, width)
        clusters, partners = linear_sum_assignment(-table)
        match = np.arange(width) + width * (1 + number)
        agreed = table[clusters, partners] > 0
        match[clusters[agreed]] = partners[agreed]
        votes[seen, match[column[seen]]] += weight
    labels = votes.round(_DECIMALS).argmax(axis=1)
    return np.where(votes.any(axis=1), labels, -1)
