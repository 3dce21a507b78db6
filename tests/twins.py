"""Slow and obvious NumPy twins of the kernels and of the matrices built on them."""

import numpy as np


def distinct_rows(codes):
    seen, first, inverse = {}, [], []
    for i, row in enumerate(map(tuple, codes.tolist())):
        if row not in seen:
            seen[row] = len(first)
            first.append(i)
        inverse.append(seen[row])
    return first, inverse


def coassociation(X, weights=None):
    """C and N by a double loop over objects and clusterings."""
    n, m = X.shape
    w = np.ones(m) if weights is None else np.asarray(weights, dtype=float)
    C, N = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for k in range(m):
                if X[i, k] >= 0 and X[j, k] >= 0:
                    N[i, j] += w[k]
                    if X[i, k] == X[j, k]:
                        C[i, j] += w[k]
    return C, N


def dissimilarity(X, weights=None):
    """1 - C / N, 1 where N = 0, 0 on the diagonal."""
    C, N = coassociation(X, weights)
    D = 1 - np.divide(C, N, out=np.zeros_like(C), where=N > 0)
    np.fill_diagonal(D, 0)
    return D


def one_hot(X, weights=None):
    """Indicators with missing rows imputed by the column's mean; columns scaled by the root of the weight."""
    w = np.ones(X.shape[1]) if weights is None else np.asarray(weights, dtype=float)
    blocks = []
    for j in range(X.shape[1]):
        seen = X[:, j] >= 0
        indicator = (X[:, j][:, None] == np.unique(X[seen, j])[None, :]).astype(float)
        indicator[~seen] = indicator[seen].mean(axis=0)
        blocks.append(indicator * np.sqrt(w[j]))
    return np.hstack(blocks)


def components(adjacency):
    """Connected components by growing each from its first object."""
    n = len(adjacency)
    labels = -np.ones(n, dtype=int)
    for start in range(n):
        if labels[start] >= 0:
            continue
        todo = [start]
        while todo:
            i = todo.pop()
            if labels[i] < 0:
                labels[i] = start
                todo.extend(np.flatnonzero(adjacency[i] & (labels < 0)).tolist())
    return labels
