"""What a soft consensus shows of its clusters: relations, centroids, certainty (PCC paper; eqs. P43, P44, P45, P46)."""

from numbers import Real
from typing import Any

import numpy as np

from partita._features import check_points
from partita._labels.membership import check_membership
from partita._typing import FloatArray


def relation_matrix(membership: Any, threshold: float = 0.05) -> FloatArray:
    """How much of each cluster lies in each other one: m_kl = sum_i y_ik y_il / sum_i y_ik.

    Of two independent draws of a partition from the memberships, m_kl is the expected share of cluster k of the first
    that is in cluster l of the second. Rows sum to 1. It is not symmetric: a small cluster can lie within a large one.

    Parameters
    ----------
    membership : array-like of shape (n_samples, n_clusters)
        Probabilities; objects of which the row is NaN are left out.
    threshold : float in [0, 1), default=0.05
        Probabilities below it count as 0 (the largest of each object is kept), and rows are normalised again.

    Returns
    -------
    relations : ndarray of shape (n_clusters, n_clusters)
        Rows and columns of clusters without mass are NaN.

    Examples
    --------
    >>> from partita import relation_matrix
    >>> relation_matrix([[1, 0], [1, 0], [0.5, 0.5]])
    array([[0.9, 0.1],
           [0.5, 0.5]])
    """
    if not isinstance(threshold, Real) or not 0 <= threshold < 1:
        raise ValueError(f"threshold={threshold!r:.60} must be in [0, 1); it is a probability too small to count.")
    Y = _known_rows(membership)
    kept = np.where(threshold > Y, 0.0, Y)
    top = Y.argmax(axis=1)
    kept[np.arange(len(Y)), top] = Y[np.arange(len(Y)), top]
    kept /= kept.sum(axis=1, keepdims=True)
    mass = kept.sum(axis=0)
    relations = np.full((Y.shape[1],) * 2, np.nan)
    there = mass > 0
    relations[np.ix_(there, there)] = (kept.T @ kept)[np.ix_(there, there)] / mass[there, None]
    return relations


def soft_centroids(membership: Any, features: Any) -> FloatArray:
    """Centroid of each cluster in feature space: mu_k = sum_i y_ik x_i / sum_i y_ik.

    Parameters
    ----------
    membership : array-like of shape (n_samples, n_clusters)
        Probabilities; objects of which the row is NaN are left out.
    features : array-like of shape (n_samples, n_features)
        The objects' features.

    Returns
    -------
    centroids : ndarray of shape (n_clusters, n_features)
        NaN for clusters without mass.

    Examples
    --------
    >>> from partita import soft_centroids
    >>> soft_centroids([[1, 0], [0.5, 0.5]], [[0.0], [3.0]])
    array([[1.],
           [3.]])
    """
    Y = check_membership(membership, "membership", missing=True)
    F = check_points(features, name="features")
    if len(F) != len(Y):
        raise ValueError(f"features has shape {F.shape}; pass one row per object, ({len(Y)}, n_features).")
    known = ~np.isnan(Y[:, 0])
    mass = Y[known].sum(axis=0)[:, None]
    centroids = np.full((Y.shape[1], F.shape[1]), np.nan)
    np.divide(Y[known].T @ F[known], mass, out=centroids, where=mass > 0)
    return centroids


def membership_entropy(membership: Any) -> FloatArray:
    """Uncertainty of each object: entropy of its memberships in bits, 0 if certain; NaN for rows of NaN.

    Parameters
    ----------
    membership : array-like of shape (n_samples, n_clusters)
        Probabilities.

    Returns
    -------
    entropy : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from partita import membership_entropy
    >>> membership_entropy([[1, 0], [0.5, 0.5]])
    array([0., 1.])
    """
    Y = check_membership(membership, "membership", missing=True)
    logs = np.log2(Y, out=np.zeros_like(Y), where=Y > 0)
    return np.asarray(np.abs((Y * logs).sum(axis=1)), dtype=np.float64)  # abs: no -0


def effective_n_clusters(membership: Any, least: float = 0.5) -> int:
    """Number of clusters with a mass sum_i y_ik above ``least`` objects.

    Parameters
    ----------
    membership : array-like of shape (n_samples, n_clusters)
        Probabilities; objects of which the row is NaN are left out.
    least : float, default=0.5
        A cluster counts if its mass is above this.

    Returns
    -------
    n_clusters : int

    Examples
    --------
    >>> from partita import effective_n_clusters
    >>> effective_n_clusters([[0.9, 0.1, 0], [0.2, 0.8, 0]])
    2
    """
    if not isinstance(least, Real) or not least >= 0:
        raise ValueError(f"least={least!r:.60} is not allowed; pass a number of objects, at least 0.")
    return int((_known_rows(membership).sum(axis=0) > least).sum())


def _known_rows(membership: Any) -> FloatArray:
    """Rows of probabilities, without those that are NaN."""
    Y = check_membership(membership, "membership", missing=True)
    return Y[~np.isnan(Y[:, 0])]
