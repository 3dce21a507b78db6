"""Spherical k-means (Dhillon and Modha, 2001; eqs. R9, R10): rows of length 1, each at the centre of largest cosine.

    assign   z_i = argmax_k  x_i . c_k        update   c_k = sum of its rows, scaled to length 1

The sum of the cosines never falls. With mini-batches a centre has the direction of the sum of its start and all rows
that were ever assigned to it (Sculley, 2010; eq. R11).
"""

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import safe_sparse_dot

from partita._typing import FloatArray, IntArray
from partita.generation._base_clusterings import FoundClusters

_BATCH = 1024  # rows per mini-batch, as in scikit-learn's MiniBatchKMeans
_PATIENCE = 10  # batches without a higher mean cosine (smoothed) before mini-batches stop, also as there


def spherical_kmeans(X: Any, k: int, seed: int, *, max_iter: int, minibatch: bool = False) -> FoundClusters:
    """Cluster rows by direction, from k rows drawn at random; a row of zeros goes to the first cluster."""
    rows = normalize(X)
    rng = np.random.default_rng(seed)
    centers = _dense(rows[np.sort(rng.choice(rows.shape[0], k, replace=False))])
    if minibatch:
        centers, n_iter, converged = *_by_batches(rows, centers, rng, max_iter), True
    else:
        centers, n_iter, converged = _by_sweeps(rows, centers, max_iter)
    used, labels = np.unique(most_similar(rows, centers), return_inverse=True)
    return FoundClusters(labels, partial(most_similar, centers=centers[used]), converged, n_iter)


def most_similar(X: Any, centers: FloatArray) -> IntArray:
    """Centre of largest cosine; the length of a row does not matter."""
    return np.asarray(safe_sparse_dot(X, centers.T).argmax(axis=1), dtype=np.int64)


def _by_sweeps(rows: Any, centers: FloatArray, max_iter: int) -> tuple[FloatArray, int, bool]:
    labels = None
    for n_iter in range(1, max_iter + 1):
        cosine = safe_sparse_dot(rows, centers.T)
        new = cosine.argmax(axis=1)
        if labels is not None and (new == labels).all():
            return centers, n_iter, True
        labels = new
        centers = _centers(rows, _refill(labels, cosine.max(axis=1), len(centers)), centers)
    return centers, max_iter, False


def _refill(labels: IntArray, own: FloatArray, k: int) -> IntArray:
    """Empty clusters take the rows that are least similar to their own centre (eq. R10)."""
    empty = np.flatnonzero(np.bincount(labels, minlength=k) == 0)
    if len(empty) == 0:
        return labels
    refilled = labels.copy()
    refilled[np.argsort(own, kind="stable")[: len(empty)]] = empty
    return refilled


def _centers(rows: Any, labels: IntArray, before: FloatArray) -> FloatArray:
    return _scale(_sum_up(rows, labels, len(before)), before)


def _sum_up(rows: Any, labels: IntArray, k: int) -> FloatArray:
    """Sum of the rows of each cluster."""
    places = (labels, np.arange(len(labels)))
    return _dense(sparse.csr_array((np.ones(len(labels)), places), shape=(k, len(labels))) @ rows)


def _scale(total: FloatArray, before: FloatArray) -> FloatArray:
    """Sums scaled to length 1; a sum of 0 keeps the centre it had before."""
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.asarray(np.divide(total, length, out=before.copy(), where=length > 0))


def _by_batches(rows: Any, centers: FloatArray, rng: np.random.Generator, max_iter: int) -> tuple[FloatArray, int]:
    total = centers.copy()  # the start of each centre and all rows assigned to it: its mean, up to the length
    best, smoothed, waited = -np.inf, None, 0
    share = min(1.0, 2 * _BATCH / (rows.shape[0] + 1))
    n_iter, most = 0, max_iter * max(1, rows.shape[0] // _BATCH)
    while n_iter < most and waited < _PATIENCE:
        n_iter += 1
        batch = rows[rng.integers(rows.shape[0], size=min(_BATCH, rows.shape[0]))]
        cosine = safe_sparse_dot(batch, centers.T)
        labels = cosine.argmax(axis=1)
        mean = float(cosine.max(axis=1).mean())
        smoothed = mean if smoothed is None else (1 - share) * smoothed + share * mean
        best, waited = (smoothed, 0) if smoothed > best else (best, waited + 1)
        total += _sum_up(batch, labels, len(total))
        centers = _scale(total, centers)
    return centers, n_iter


def _dense(rows: Any) -> FloatArray:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)
