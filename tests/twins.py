"""Slow and obvious NumPy twins of the kernels and of the matrices built on them."""

import math
from itertools import product

import numpy as np
from scipy.special import gammaln, logsumexp, psi, xlogy


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


def mixture_posterior(X, pi, theta, weights):
    """Probability of each component, and log-likelihood, of each row in a mixture of multinomials."""
    n, m = X.shape
    r, log_likelihood = np.empty((n, len(pi))), np.empty(n)
    for i in range(n):
        for h in range(len(pi)):
            r[i, h] = pi[h] * math.prod(theta[j][h, X[i, j]] ** weights[j] for j in range(m) if X[i, j] >= 0)
        log_likelihood[i] = np.log(r[i].sum())
        r[i] /= r[i].sum()
    return r, log_likelihood


def mixture_update(X, r, theta, row_weights, *, impute=False):
    """M-step of that mixture: new pi and theta."""
    new = []
    for j in range(X.shape[1]):
        mass = np.zeros_like(theta[j])
        for i in range(len(X)):
            if X[i, j] >= 0:
                mass[:, X[i, j]] += row_weights[i] * r[i]
            elif impute:
                mass += row_weights[i] * r[i][:, None] * theta[j]
        new.append(mass / mass.sum(axis=1, keepdims=True))
    return row_weights @ r / row_weights.sum(), new


def membership_row(x, alpha, beta, weights, gamma, *, n_steps=10_000, tol=1e-13):
    """gamma, phi of the observed labels and lower bound of a row of BCE after some steps of the fixed point."""
    seen = np.flatnonzero(x >= 0)
    local = np.array([beta[j][:, x[j]] for j in seen])
    u = weights[seen]
    for _ in range(n_steps):
        before, gamma = gamma, alpha + u @ _membership_phi(local, gamma)
        if np.abs(gamma - before).max() < tol:
            break
    phi = _membership_phi(local, gamma)
    e = psi(gamma) - psi(gamma.sum())
    prior = gammaln(alpha.sum()) - gammaln(alpha).sum() + (alpha - 1) @ e
    entropy = gammaln(gamma.sum()) - gammaln(gamma).sum() + (gamma - 1) @ e
    bound = prior + (u @ (phi * e + xlogy(phi, local) - xlogy(phi, phi))).sum() - entropy
    return gamma, phi, bound


def _membership_phi(local, gamma):
    e = psi(gamma) - psi(gamma.sum())
    with np.errstate(divide="ignore"):
        logs = np.log(local) + e
    return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))


def log_evidence_by_enumeration(x, alpha, beta):
    """log p(x) of BCE: the sum over all assignments z of the observed labels to clusters."""
    seen = np.flatnonzero(x >= 0)
    logs = []
    for z in product(range(len(alpha)), repeat=len(seen)):
        counts = np.bincount(np.array(z, dtype=int), minlength=len(alpha))
        probability = math.prod(beta[j][h, x[j]] for j, h in zip(seen, z, strict=True))
        if probability > 0:
            logs.append(_log_dirichlet_multinomial(alpha, counts) + np.log(probability))
    return logsumexp(logs)


def log_evidence_by_counts(x, alpha, beta):
    """The same by dynamic programming: coefficients of prod_j sum_h t_h beta_hj(x_j), one count vector a monomial."""
    coefficients = {(0,) * len(alpha): 1.0}
    for j in np.flatnonzero(x >= 0):
        longer = {}
        for counts, value in coefficients.items():
            for h in range(len(alpha)):
                key = (*counts[:h], counts[h] + 1, *counts[h + 1 :])
                longer[key] = longer.get(key, 0.0) + value * beta[j][h, x[j]]
        coefficients = longer
    return logsumexp([_log_dirichlet_multinomial(alpha, np.array(c)) + np.log(v) for c, v in coefficients.items()])


def _log_dirichlet_multinomial(alpha, counts):
    total = gammaln(alpha.sum()) - gammaln(alpha.sum() + counts.sum())
    return total + (gammaln(alpha + counts) - gammaln(alpha)).sum()
