"""Fuzzy c-means (Bezdek, 1981; eqs. R15, R16): memberships instead of labels.

    u_ik = 1 / sum_l (d_ik / d_il)^(2 / (m - 1))        c_k = sum_i u_ik^m x_i / sum_i u_ik^m

with d the Euclidean distance and m = 2. The objective sum_ik u_ik^m d_ik^2 never rises. Hardened, an object belongs to
its nearest centre.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from partita._typing import FloatArray
from partita.consensus.pairwise._fuzzy import memberships as shares

_FUZZIFIER = 2.0  # the usual value; the BCE paper, which uses fuzzy c-means, states none


class FuzzyClusters(NamedTuple):
    """Where the iterations ended."""

    centers: FloatArray  # (k, d)
    membership: FloatArray  # (n, k)
    history: list[float]  # objective at the centres of each iteration
    converged: bool


def fuzzy_cmeans(X: FloatArray, k: int, seed: int, *, tol: float = 1e-4, max_iter: int = 500) -> FuzzyClusters:
    """Iterate from k objects drawn at random until no membership changes by more than ``tol``."""
    rng = np.random.default_rng(seed)
    centers = X[np.sort(rng.choice(len(X), k, replace=False))].astype(np.float64)
    membership, history = memberships(X, centers), []
    for _ in range(max_iter):
        power = membership**_FUZZIFIER
        centers = power.T @ X / np.maximum(power.sum(axis=0), np.finfo(float).tiny)[:, None]
        distance = cdist(X, centers, "sqeuclidean")
        history.append(float((power * distance).sum()))
        new = memberships(X, centers)
        change = np.abs(new - membership).max()
        membership = new
        if change <= tol:
            return FuzzyClusters(centers, membership, history, True)
    return FuzzyClusters(centers, membership, history, False)


def memberships(X: FloatArray, centers: FloatArray) -> FloatArray:
    """Membership (n, k) for given centres; an object on centres belongs to these alone, in equal shares."""
    return shares(cdist(X, centers, "sqeuclidean"), _FUZZIFIER)
