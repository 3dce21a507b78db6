"""PCC's objective, gradient and gap written down once more, in plain NumPy over all pairs of objects."""

from typing import NamedTuple

import numpy as np
from scipy.special import rel_entr, xlogy

from partita._kernels import pcc_pairs
from partita._labels.ensemble import Ensemble
from partita._labels.validation import check_label_matrix
from tests import twins
from tests.ensembles import noisy_ensemble


class KullbackLeibler:
    """Binary Kullback-Leibler divergence, in nats."""

    def value(self, x1, x2):
        """x1 log(x1 / x2) + (1 - x1) log((1 - x1) / (1 - x2)), with 0 log 0 = 0."""
        return np.asarray(rel_entr(x1, x2) + rel_entr(1 - x1, 1 - x2))

    def derivative(self, x1, x2):
        """(1 - x1) / (1 - x2) - x1 / x2, each term absent where its numerator is 0."""
        upper = np.divide(1 - x1, 1 - x2, out=np.zeros_like(x2), where=x1 < 1)
        return upper - np.divide(x1, x2, out=np.zeros_like(x2), where=x1 > 0)


class SquaredEuclidean:
    """Squared difference of the shares: half of the squared distance of (x, 1 - x), as in the PCC paper, eq. 4."""

    def value(self, x1, x2):
        """(x1 - x2)^2."""
        return (x1 - x2) ** 2

    def derivative(self, x1, x2):
        """2 (x2 - x1)."""
        return 2 * (x2 - x1)


KINDS = {"kl": pcc_pairs.KL, "l2": pcc_pairs.L2}

CONFIGURATIONS = {
    "kl block": {},
    "l2 block": {"divergence": "l2"},
    "kl greedy": {"solver": "greedy"},
    "l2 greedy": {"solver": "greedy", "divergence": "l2"},
    "kl pairs": {"pairs": 0.5},
    "l2 pairs": {"pairs": 12, "divergence": "l2"},
    "kl pairs greedy": {"pairs": 0.5, "solver": "greedy"},
    "l2 pairs greedy": {"pairs": 12, "solver": "greedy", "divergence": "l2"},
    "own kl": {"divergence": KullbackLeibler()},
    "own l2": {"divergence": SquaredEuclidean()},
    "own kl pairs": {"divergence": KullbackLeibler(), "pairs": 0.5},
    "i-divergence": {"divergence": "i-divergence"},
    "mahalanobis": {"divergence": "mahalanobis"},
}
OVER_ALL_PAIRS = ["kl block", "l2 block", "kl greedy", "l2 greedy"]


def divergence_of(case):
    return "l2" if ("l2" in case or case == "mahalanobis") else "kl"


def rows_of(X, row_weights=None, weights=None):
    """An ensemble with one row per row of X."""
    matrix = check_label_matrix(X)
    row_weights = np.ones(len(X)) if row_weights is None else np.asarray(row_weights, float)
    weights = np.ones(X.shape[1]) if weights is None else weights
    return Ensemble(matrix.codes, matrix.n_labels, weights, row_weights)


class Placed(NamedTuple):
    """Weighted rows with memberships, and what the definition over all objects says of them."""

    X: np.ndarray
    rows: Ensemble
    Y: np.ndarray
    gaps: np.ndarray  # (n_rows,)
    objective: float
    scale: float


def placed_rows(divergence, weighted, rng):
    X = noisy_ensemble(sizes=(9, 6, 4), n_clusterings=6, missing=0.3).X
    X = np.unique(X, axis=0)
    weight = rng.integers(1, 4, size=len(X)) if weighted else np.ones(len(X), int)
    Y = rng.dirichlet(np.ones(3), size=len(X))
    if divergence == "l2":  # KL has no gradient where objects that are together share no cluster
        Y[rng.random(Y.shape) < 0.2] = 0
        Y /= Y.sum(axis=1, keepdims=True)
    C, N = counts(np.repeat(X, weight, axis=0))
    full_Y = np.repeat(Y, weight, axis=0)
    g = gradient(divergence, C, N, full_Y)
    used = np.where(full_Y > 0, g, -np.inf).max(axis=1)
    gaps = (used - g.min(axis=1))[np.cumsum(weight) - 1]
    scale = max(1, N.sum(axis=1).mean())
    return Placed(X, rows_of(X, weight), Y, gaps, objective(divergence, C, N, full_Y), scale)


def copied(rng, n=25, missing=0.25):
    """An ensemble in which many rows are equal."""
    X = noisy_ensemble(sizes=(12, 8, 5), n_clusterings=7, missing=missing, flip=0.2, seed=3).X
    return np.vstack([X, X[rng.integers(len(X), size=n)]])


def counts(X, weights=None):
    C, N = twins.coassociation(X, weights)
    np.fill_diagonal(C, 0)
    np.fill_diagonal(N, 0)
    return C, N


def objective(divergence, C, N, Y):
    """sum_{i<j} N d(C / N, y_i.y_j)."""
    i, j = np.nonzero(np.triu(N > 0, 1))
    c, n, a = C[i, j], N[i, j], np.einsum("pk,pk->p", Y[i], Y[j])
    if divergence == "l2":
        return float((n * (c / n - a) ** 2).sum())
    with np.errstate(divide="ignore"):
        return float((xlogy(c, c / n) - xlogy(c, a) + xlogy(n - c, 1 - c / n) - xlogy(n - c, 1 - a)).sum())


def gradient(divergence, C, N, Y):
    """g_i = sum_j y_j N d'(C / N, y_i.y_j)."""
    A = Y @ Y.T
    if divergence == "l2":
        return 2 * (N * A - C) @ Y
    slope = np.divide(N - C, 1 - A, out=np.zeros_like(A), where=N > C)
    slope -= np.divide(C, A, out=np.zeros_like(A), where=C > 0)
    return slope @ Y


def kkt_gap(divergence, C, N, Y):
    """Largest gap of an object, relative to max(1, mean_i sum_j N_ij)."""
    g = gradient(divergence, C, N, Y)
    used = np.where(Y > 0, g, -np.inf).max(axis=1)
    return float((used - g.min(axis=1)).max() / max(1.0, N.sum(axis=1).mean()))


def log_likelihood(C, N, Y):
    i, j = np.triu_indices(len(Y), 1)
    a = (Y @ Y.T)[i, j]
    return float((xlogy(C[i, j], a) + xlogy((N - C)[i, j], 1 - a)).sum())
