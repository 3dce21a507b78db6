"""PCC's objective, gradient and gap written down once more, in plain NumPy over all pairs of objects."""

import numpy as np
from scipy.special import xlogy

from tests import twins


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
