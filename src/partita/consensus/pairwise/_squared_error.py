"""The squared error of Baum-Eagon consensus and its growth factors, from stored pairs or from the labels alone.

    F = sum_ij w_i w_j W_ij (S_ij - y_i.y_j)^2,   G_i = sum_j w_j W_ij (S_ij - y_i.y_j) y_j + sum_j w_j W_ij   (eq. P49)

over ordered pairs of rows of weight w.
"""

from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._typing import FloatArray
from partita.consensus.pairwise._memberships import random_memberships
from partita.consensus.pairwise._pair_counts import PairSums


class _Memberships:
    """Starts and updates of memberships, whatever the pairs."""

    row_weights: FloatArray

    def start(self, n_clusters: int, seed: int) -> FloatArray:
        """Memberships drawn uniformly from the simplex."""
        return random_memberships(len(self.row_weights), n_clusters, np.random.default_rng(seed))

    def transform(self, Y: FloatArray, G: FloatArray, exponent: float) -> FloatArray:
        """y_k G_k^exponent, normalised by row; a row without pairs, or without anything left, stays."""
        top = G.max(axis=1, keepdims=True)
        grown = Y * np.divide(G, top, out=np.ones_like(G), where=top > 0) ** exponent
        total = grown.sum(axis=1, keepdims=True)
        # a long exponent may leave a row without anything
        return np.asarray(np.divide(grown, total, out=Y.copy(), where=total > 0), dtype=np.float64)


class StoredGrowth(_Memberships):
    """All pairs, dense, or chosen ones, sparse."""

    def __init__(self, sums: PairSums) -> None:
        self.sums, self.row_weights = sums, sums.row_weights  # sums of W and S
        self.row_sums = np.asarray(sums.matrices[0] @ sums.row_weights)[:, None]  # sum_j w_j W_ij

    def measure(self, Y: FloatArray) -> tuple[float, FloatArray]:
        """F and G, in O(pairs K)."""
        error, product = self.sums.of(_squared_difference, Y, Y)
        return error, product + self.row_sums


def _squared_difference(a: FloatArray, W: FloatArray, S: FloatArray) -> tuple[FloatArray, FloatArray]:
    np.subtract(S, a, out=a)
    R = W * a
    a *= R
    return a, R


class LabelGrowth(_Memberships):
    """All pairs of an ensemble without missing labels, without looking at pairs (eq. P63).

    N is the same for all pairs, so W is a number u, and S = H diag(v) H' / V with the indicator H of the labels.
    """

    def __init__(self, ensemble: Ensemble, *, u: float, diagonal: bool) -> None:
        w = self.row_weights = ensemble.row_weights
        self.u, self.H = u, ensemble.indicator
        self.H_t = self.H.T.tocsr()
        self.share = ensemble.cell_weights / ensemble.clustering_weights.sum()  # v / V, one per label
        self.own = np.zeros(len(w)) if diagonal else np.minimum(w, 1.0)  # what an object does not meet of its row
        self.row_sums = (u * (w.sum() - self.own))[:, None]
        self.squares = _sum_of_squares(self.H, self.share, w)

    def measure(self, Y: FloatArray) -> tuple[float, FloatArray]:
        """F and G, in O(r M K + r K^2)."""
        w = self.row_weights
        weighted = w[:, None] * Y
        B = np.asarray(self.H_t @ weighted)  # sum of w y over the objects with each label
        M = Y.T @ weighted
        left = (1 - np.einsum("ik,ik->i", Y, Y))[:, None]  # S_ii - y_i.y_i
        G = self.H @ (self.share[:, None] * B) - Y @ M - self.own[:, None] * left * Y
        error = self.squares - 2 * float(self.share @ (B * B).sum(axis=1)) + float((M * M).sum())
        error -= float((w * self.own) @ left[:, 0] ** 2)
        return self.u * max(error, 0.0), self.u * G + self.row_sums


def _sum_of_squares(H: Any, share: FloatArray, row_weights: FloatArray) -> float:
    """sum_ij w_i w_j S_ij^2, from the weight of the objects with both of any two labels."""
    together = (H.T @ (H * row_weights[:, None])).tocoo()
    one, other = together.coords
    return float(share[one] @ (together.data**2 * share[other]))
