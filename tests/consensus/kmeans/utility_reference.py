"""Utilities and their objective by explicit sums over objects, slow."""

import itertools

import numpy as np

PHI = {
    "c": lambda p: (p**2).sum(),
    "h": lambda p: (p[p > 0] * np.log2(p[p > 0])).sum(),
    "cos": lambda p: np.sqrt((p**2).sum()),
    "lp": lambda p: (p**5).sum() ** 0.2,
    "modes": lambda p: p.max(),
}
DIVERGENCE = {
    "c": lambda c, x: 1 + (c**2).sum() - 2 * c[x],
    "h": lambda c, x: -np.log2(c[x]),
    "cos": lambda c, x: 1 - c[x] / np.sqrt((c**2).sum()),
    "lp": lambda c, x: 1 - (c[x] / (c**5).sum() ** 0.2) ** 4,
    "modes": lambda c, x: float(c[x] < c.max()),
}


def _ones(X, weights, w):
    return np.ones(X.shape[1]) if weights is None else weights, np.ones(len(X)) if w is None else w


def _shares(column, w, n_labels):
    mass = np.bincount(column, weights=w, minlength=n_labels)
    return mass / mass.sum()


def _blocks(X, labels, w):
    """Clustering, cluster, labels that are observed there, their weights, and the number of labels."""
    for m, column in enumerate(X.T):
        for k in np.unique(labels):
            mine = (labels == k) & (column >= 0)
            if mine.any():
                yield m, column[mine], w[mine], column.max() + 1


def objective(X, labels, name, weights=None, w=None):
    """Sum over clusters and clusterings of K0 n - n phi(c)."""
    weights, w = _ones(X, weights, w)
    constant = float(name != "h")
    return sum(
        weights[m] * mass.sum() * (constant - PHI[name](_shares(column, mass, n)))
        for m, column, mass, n in _blocks(X, labels, w)
    )


def divergences(X, labels, name, weights=None, w=None):
    """The same as the sum of the divergences of all labels from their centres."""
    weights, w = _ones(X, weights, w)
    total = 0.0
    for m, column, mass, n in _blocks(X, labels, w):
        center = _shares(column, mass, n)
        total += weights[m] * sum(one * DIVERGENCE[name](center, x) for one, x in zip(mass, column, strict=True))
    return total


def utility(X, labels, name, weights=None, w=None):
    """Sum over clusterings of the share of labelled objects times phi inside clusters less phi of all."""
    weights, w = _ones(X, weights, w)
    total = 0.0
    for m, column in enumerate(X.T):
        seen = column >= 0
        inside = sum(
            mass.sum() * PHI[name](_shares(labels_, mass, n)) for j, labels_, mass, n in _blocks(X, labels, w) if j == m
        )
        n_m = w[seen].sum()
        total += weights[m] * (inside - n_m * PHI[name](_shares(column[seen], w[seen], column.max() + 1)))
    return total / w.sum()


def best_of_all(X, k, name):
    """Lowest objective of all partitions of the distinct rows into at most k clusters."""
    rows, counts = np.unique(X, axis=0, return_counts=True)
    weights = np.ones(X.shape[1])
    hot, widths = _one_hot(rows), X.max(axis=0) + 1
    best = np.inf
    for chunk in _chunks(itertools.product(range(k), repeat=len(rows) - 1)):
        z = np.column_stack([np.zeros(len(chunk), dtype=int), chunk])  # the first row is in the first cluster
        member = (z[:, :, None] == np.arange(k)) * counts[None, :, None]
        mass = np.einsum("zrk,rc->zkc", member, hot)
        best = min(best, _values(mass, widths, name, weights).min())
    return best


def _one_hot(rows):
    return np.hstack([(column[:, None] == np.arange(column.max() + 1)).astype(float) for column in rows.T])


def _chunks(products, size=20_000):
    while chunk := list(itertools.islice(products, size)):
        yield np.array(chunk)


def _values(mass, widths, name, weights):
    """Objective of many partitions at once, from the masses (partitions, k, cells)."""
    total = 0.0
    for s, a in zip(np.split(mass, np.cumsum(widths)[:-1], axis=2), weights, strict=True):
        n = s.sum(axis=2)
        p = s / np.where(n > 0, n, 1.0)[..., None]
        logs = p * np.log2(np.where(p > 0, p, 1.0))
        phi = {
            "c": (p**2).sum(axis=2),
            "h": logs.sum(axis=2),
            "cos": np.sqrt((p**2).sum(axis=2)),
            "lp": (p**5).sum(axis=2) ** 0.2,
            "modes": p.max(axis=2),
        }[name]
        total = total + a * (n * (float(name != "h") - phi)).sum(axis=1)
    return total
