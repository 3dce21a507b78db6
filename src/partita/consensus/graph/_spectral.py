"""Spectral partitioning: rows of the leading eigenvectors of a normalised similarity, clustered by k-means.

Ng, Jordan and Weiss: D^-1/2 W D^-1/2, top k eigenvectors, rows normalised, k-means. Where W = A A' for a sparse A with
few columns (labels), the eigenvectors are the left singular vectors of D^-1/2 A and no n x n matrix is formed.
A vertex of weight w stands for w vertices with the same neighbours.
"""

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from partita._labels.tables import membership_sums
from partita._stopping import check_stop
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._stoppable_matrix import stoppable
from partita.consensus.kmeans._starts_of_sklearn import fit_kmeans

_DENSE = 600  # vertices, or labels, up to which the dense matrix is decomposed, at cubic cost; beyond, Lanczos
STARTS = 10  # of k-means: time against the risk that every start ends in a poor optimum


def embed_graph(W: Any, vertex_weights: FloatArray, n_vectors: int, seed: int) -> FloatArray:
    """Top eigenvectors of the normalised similarity W (sparse, symmetric): one row per vertex (eq. G9)."""
    root = np.sqrt(vertex_weights)
    degree = np.asarray(W @ vertex_weights).ravel()
    scale = root / np.sqrt(np.maximum(degree, np.finfo(float).tiny))
    n = len(vertex_weights)
    if n <= _DENSE:
        dense = W.toarray()
        return np.asarray(eigh(scale[:, None] * dense * scale, subset_by_index=(max(0, n - n_vectors), n - 1))[1])
    normal = sparse.diags_array(scale) @ sparse.csr_array(W) @ sparse.diags_array(scale)
    start = np.random.default_rng(seed).random(n)
    return np.asarray(sparse.linalg.eigsh(stoppable(normal), k=min(n_vectors, n - 1), which="LA", v0=start)[1])


def embed_factor(
    A: Any, row_weights: FloatArray, n_vectors: int, seed: int, *, bipartite: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Singular vectors of the normalised factor A: of its rows, and of its columns (eqs. G10, G20).

    W = A A' is normalised by its degrees; with ``bipartite`` rows and columns of A are each normalised by their sums.
    """
    root = np.sqrt(row_weights)
    mass = np.asarray(A.T @ row_weights).ravel()
    degree = np.asarray(A.sum(axis=1)).ravel() if bipartite else np.asarray(A @ mass).ravel()
    left = root / np.sqrt(np.maximum(degree, np.finfo(float).tiny))
    right = 1 / np.sqrt(np.maximum(mass, np.finfo(float).tiny)) if bipartite else np.ones(A.shape[1])
    normal = sparse.csr_array(sparse.diags_array(left) @ A @ sparse.diags_array(right))
    check_stop()
    if A.shape[1] > _DENSE:
        k = min(n_vectors, min(normal.shape) - 1)
        start = np.random.default_rng(seed).random(min(normal.shape))
        U, _, Vt = sparse.linalg.svds(stoppable(normal), k=k, v0=start)
        return np.asarray(U), np.asarray(Vt.T)
    t = A.shape[1]
    values, V = eigh(membership_sums(normal, np.ones(len(root))), subset_by_index=(max(0, t - n_vectors), t - 1))
    check_stop()
    U = np.asarray(normal @ V) / np.sqrt(np.maximum(values, 1e-12))
    return U, np.asarray(V)


def cluster_rows(vectors: FloatArray, row_weights: FloatArray, n_clusters: int, seed: int) -> IntArray:
    """k-means on the rows, scaled to length 1; one thread, so that sums do not depend on their number."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    points = vectors / np.maximum(length, np.finfo(float).tiny)
    if len(points) < 10 * n_clusters:  # k-means warns where there are fewer different points than clusters
        n_clusters = min(n_clusters, len(np.unique(points.round(9), axis=0)))
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of equal points: base.py says it in our words
        model = fit_kmeans(points, row_weights, n_clusters, n_init=STARTS, random_state=seed)
    return np.asarray(model.labels_, dtype=np.int64)
