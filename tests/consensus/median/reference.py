"""The expected loss from its definition, object by object, and all partitions of a few objects."""

import numpy as np


def slow_loss(codes, z, loss, a, w=None, v=None):
    """Mean over the clusterings of the loss on the objects that they label (eqs. V1 to V3), by loops over clusters."""
    w = np.ones(len(codes)) if w is None else w
    v = np.ones(codes.shape[1]) if v is None else v
    return sum(v[m] * _loss_of_pairs(codes[:, m], z, loss, a, w) for m in range(codes.shape[1])) / v.sum()


def _loss_of_pairs(x, z, loss, a, w):
    x, z, w = x[x >= 0], np.asarray(z)[x >= 0], w[x >= 0]
    if loss == "binder":  # costs of ordered pairs, not sums of squares
        joined, together = x[:, None] == x, z[:, None] == z
        return float(w @ (a * (joined & ~together) + (2 - a) * (~joined & together)) @ w) / w.sum() ** 2
    return (2 - a) * _conditional(x, z, w) + a * _conditional(z, x, w)


def _conditional(x, given, w):
    """H(x | given) in bits."""
    total = 0.0
    for label in np.unique(given):
        inside = given == label
        share = np.array([w[inside & (x == other)].sum() for other in np.unique(x[inside])]) / w[inside].sum()
        total -= w[inside].sum() / w.sum() * float(share @ np.log2(share))
    return total


def all_partitions(n):
    """Every partition of n objects, (n_partitions, n)."""
    found = [[0]]
    for _ in range(n - 1):
        found = [[*z, q] for z in found for q in range(max(z) + 2)]
    return np.array(found)
