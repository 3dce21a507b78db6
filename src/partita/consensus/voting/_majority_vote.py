"""Plurality vote of partitions after their clusters were matched to a reference, whatever the order of the columns.

The reference is the partition with the highest mean normalised mutual information to the others. Every other one is
matched to it, cluster to cluster, so that as many objects as possible agree; clusters without a partner stay apart.
Each object gets the cluster of most votes, and the result is the next reference, until nothing changes.
"""

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from partita._labels.validation import check_label_matrix, check_weights
from partita._typing import FloatArray, IntArray
from partita.metrics import normalized_mutual_info_score

_ROUNDS = 50


def majority_vote(X: Any, *, weights: Any = None) -> IntArray:
    """Vote of several partitions, such as the results of several consensus methods.

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_partitions)
        Partitions of the same objects; missing labels do not vote.
    weights : array-like of shape (n_partitions,), optional
        Weight of each vote.

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
    weight = check_weights(weights, matrix)
    codes = np.column_stack([_by_size(column) for column in matrix.codes.T[weight > 0]])
    weight = weight[weight > 0]
    order = np.lexsort(codes[::-1])  # columns in an order of their own, so that ties do not depend on the given one
    codes, weight = codes[:, order], weight[order]
    reference = codes[:, _most_central(codes, weight)]
    for _ in range(_ROUNDS):
        voted = _by_size(_vote(codes, weight, reference))
        if np.array_equal(voted, reference):
            break
        reference = voted
    return reference


def _by_size(labels: IntArray) -> IntArray:
    """Clusters numbered by decreasing size, ties by first appearance; -1 stays."""
    found, first, size = np.unique(labels[labels >= 0], return_index=True, return_counts=True)
    rank = np.empty(len(found), dtype=np.int64)
    rank[np.lexsort((first, -size))] = np.arange(len(found))
    numbered = np.full(len(labels), -1, dtype=np.int64)
    numbered[labels >= 0] = rank[np.searchsorted(found, labels[labels >= 0])]
    return numbered


def _most_central(codes: IntArray, weight: FloatArray) -> int:
    """The partition most like the others, the first among equals."""
    n = codes.shape[1]
    likeness = weight.copy()  # a partition is like itself, as often as it counts
    for a in range(n):
        for b in range(a):
            both = (codes[:, a] >= 0) & (codes[:, b] >= 0)
            if both.any():
                nmi = normalized_mutual_info_score(codes[both, a], codes[both, b])
                likeness[a] += weight[b] * nmi
                likeness[b] += weight[a] * nmi
    return int(likeness.round(12).argmax())


def _vote(codes: IntArray, weight: FloatArray, reference: IntArray) -> IntArray:
    """Most voted cluster of each object, the reference's lower number among equals."""
    width = int(max(reference.max(), codes.max())) + 1
    votes = np.zeros((len(codes), width * (1 + codes.shape[1])))  # clusters without a partner: places of their own
    for number, (column, own) in enumerate(zip(codes.T, weight, strict=True)):
        seen = column >= 0
        both = seen & (reference >= 0)
        table = np.bincount(column[both] * width + reference[both], minlength=width * width).reshape(width, width)
        rows, partners = linear_sum_assignment(-table)
        match = np.arange(width) + width * (1 + number)
        agreed = table[rows, partners] > 0
        match[rows[agreed]] = partners[agreed]
        votes[seen, match[column[seen]]] += own
    labels = votes.round(12).argmax(axis=1)
    return np.where(votes.any(axis=1), labels, -1)
