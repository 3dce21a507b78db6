"""NBCE from its definition: urns, integrals and sums over all assignments; losses of partitions by pairs."""

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
from scipy.special import betaln, logsumexp, xlogy

from partita._labels.ensemble import Ensemble
from partita.consensus.nbce import _joint as joint
from partita.consensus.nbce._joint import NBCEModel, Occupancy

PRIORS = ("fsd", "tsb")
QUICK = {
    "gibbs": {"inference": "gibbs", "n_sweeps": 40},
    "vb": {"inference": "vb", "truncation": 8, "n_init": 3},
    "cvb": {"inference": "cvb", "truncation": 8, "n_init": 3},
}
TINY = np.array([[0, 0, 1], [0, 0, -1], [1, -1, 0], [1, 1, 0], [0, 1, -1]])


HOLES = np.vstack([TINY, [-1, 0, 1]])
N_LABELS = np.array([3, 2, 2, 4])
WEIGHTS = [1.0, 0.4, 1.0, 2.5]


def random_labels(rng, n=20):
    """Labels of N_LABELS kinds with holes; every object has one."""
    X = np.column_stack([rng.integers(size, size=n) for size in N_LABELS])
    X = np.where(rng.random(X.shape) < 0.3, -1, X)
    X[:, 0] = np.where((X < 0).all(axis=1), 0, X[:, 0])
    return X


THREE = np.array([3, 2, 4])  # numbers of labels of three clusterings


def labels_with_holes(n, rng, missing=0.3):
    """Labels of THREE kinds with holes; an object may have none."""
    X = np.column_stack([rng.integers(size, size=n) for size in THREE])
    return np.where(rng.random(X.shape) < missing, -1, X)


def occupancy_of(X, z, n_clusters, model):
    return joint.occupancy_of(np.asarray(z), np.asarray(X), model.layout, n_clusters)


def make_model(n_labels, prior="fsd", *, alpha0=1.0, beta=0.5, weights=None):
    n_labels = np.asarray(n_labels, dtype=np.int64)
    weights = np.ones(len(n_labels)) if weights is None else np.asarray(weights, dtype=float)
    layout = Ensemble(np.empty((0, len(n_labels)), dtype=np.int32), n_labels, weights, np.empty(0))
    return NBCEModel(layout, prior, alpha0, beta)


def make_ensemble(X, model, row_weights=None):
    row_weights = None if row_weights is None else np.asarray(row_weights, dtype=float)
    return model.layout.with_rows(np.ascontiguousarray(X, dtype=np.int32), row_weights)


def assignments(n, n_clusters):
    """All K^n of them."""
    return np.array(list(product(range(n_clusters), repeat=n)), dtype=int).reshape(n_clusters**n, n)


def log_prior(z, n_clusters, model):
    """Dirichlet: an urn, one object after another. Sticks: each is broken by itself, E[v^n (1 - v)^rest]."""
    a0, size, value = model.alpha0, [0] * n_clusters, 0.0
    for i, k in enumerate(np.asarray(z).tolist()):
        value += math.log((a0 / n_clusters + size[k]) / (a0 + i))
        size[k] += 1
    if model.prior == "fsd":
        return value
    return sum(float(betaln(1 + size[k], a0 + sum(size[k + 1 :])) - betaln(1, a0)) for k in range(n_clusters - 1))


def log_likelihood(X, z, model):
    """An urn for every cluster and clustering, raised to the power of the clustering's weight."""
    b, n_labels, weights = model.beta, model.n_labels.tolist(), model.clustering_weights.tolist()
    drawn, value = Counter(), 0.0
    for row, k in zip(np.asarray(X).tolist(), np.asarray(z).tolist(), strict=True):
        for j, label in enumerate(row):
            if label >= 0:
                value += weights[j] * math.log((b + drawn[j, k, label]) / (b * n_labels[j] + drawn[j, k]))
                drawn[j, k, label] += 1
                drawn[j, k] += 1
    return value


def log_joint(X, z, n_clusters, model):
    return log_prior(z, n_clusters, model) + log_likelihood(X, z, model)


def conditional(X, z, i, n_clusters, model):
    """p(z_i = k | all others) as a ratio of joints."""
    logs = np.empty(n_clusters)
    for k in range(n_clusters):
        moved = np.array(z)
        moved[i] = k
        logs[k] = log_joint(X, moved, n_clusters, model)
    return np.exp(logs - logsumexp(logs))


class Posterior:
    """Everything about tiny data, by enumeration."""

    def __init__(self, X, n_clusters, model):
        self.X, self.n_clusters, self.model = np.asarray(X), n_clusters, model
        self.Z = assignments(len(X), n_clusters)
        self.log_joint = np.array([log_joint(X, z, n_clusters, model) for z in self.Z])
        self.log_evidence = logsumexp(self.log_joint)
        self.probability = np.exp(self.log_joint - self.log_evidence)

    def mean(self, values):
        return np.tensordot(self.probability, values, axes=1)

    def coassignment(self):
        return self.mean(self.Z[:, :, None] == self.Z[:, None, :])

    def n_clusters_distribution(self):
        return np.bincount([len(set(z)) for z in self.Z], weights=self.probability, minlength=self.n_clusters + 1)

    def label_distribution(self):
        return self.mean(self.Z[:, :, None] == np.arange(self.n_clusters))

    def log_q(self, gamma):
        with np.errstate(divide="ignore"):
            return np.log(gamma)[np.arange(len(self.X)), self.Z].sum(axis=1)

    def collapsed_bound(self, gamma):
        """E_q[log p(Y, Z) - log q(Z)]: the bound of collapsed variational Bayes, exactly."""
        log_q = self.log_q(gamma)
        q = np.exp(log_q)
        return float(q @ self.log_joint - xlogy(q, q).sum())

    def exact_update(self, gamma, i):
        """The q(z_i) that is best for the others' q."""
        with np.errstate(divide="ignore"):
            others = np.log(gamma)[np.arange(len(self.X)), self.Z]
        q = np.exp(np.delete(others, i, axis=1).sum(axis=1))
        logs = np.array([q[self.Z[:, i] == k] @ self.log_joint[self.Z[:, i] == k] for k in range(self.n_clusters)])
        return np.exp(logs - logsumexp(logs))


def expected_occupancy(X, gamma, model, row_weights=None):
    """Sizes of the clusters, and objects with each label in each cluster, under q(Z)."""
    row_weights = np.ones(len(X)) if row_weights is None else row_weights
    label_size = np.zeros((model.layout.n_cells, gamma.shape[1]))
    for i, row in enumerate(X):
        for j, label in enumerate(row):
            if label >= 0:
                label_size[model.layout.first_cell[j] + label] += row_weights[i] * gamma[i]
    return Occupancy(row_weights @ gamma, label_size)


def entropy_of_q(gamma):
    return float(-xlogy(gamma, gamma).sum())


def within_monte_carlo_error(draws, expected, *, n_batches=40, n_errors=4.0):
    """Whether means of (n_draws, ...) correlated draws are near what they should be, by batch means."""
    draws = np.asarray(draws, dtype=float)
    length = len(draws) // n_batches
    batches = draws[: n_batches * length].reshape(n_batches, length, *draws.shape[1:]).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / np.sqrt(n_batches)
    return bool((np.abs(batches.mean(axis=0) - expected) <= n_errors * error + 1e-12).all())


def binder_loss(a, b):
    return sum((a[i] == a[j]) != (b[i] == b[j]) for i, j in combinations(range(len(a)), 2))


def _entropy(labels):
    shares = np.array(list(Counter(labels).values())) / len(labels)
    return -(shares @ np.log(shares))


def variation_of_information(a, b):
    """H(a | b) + H(b | a)."""
    a, b = list(a), list(b)
    return 2 * _entropy(list(zip(a, b, strict=True))) - _entropy(a) - _entropy(b)


LOSSES = {"binder": binder_loss, "vi": variation_of_information}
