"""The model of nonparametric Bayesian cluster ensembles, with theta and pi integrated out.

    pi ~ stick breaking (v_k ~ Beta(1, a0), v_K = 1) or Dirichlet(a0/K, ..., a0/K);   z_n ~ pi
    theta_km ~ Dirichlet(b, ..., b);   y_nm ~ theta_{z_n m}     for every clustering m that saw object n

Everything below is a function of counts: n_k objects, n_km of them with a label of clustering m, n_kmj with label j.
They may be fractions (expected counts): log p(Y, Z) of expected counts plus the entropy of q(Z) is the variational
bound.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from partita._labels.ensemble import Ensemble
from partita._typing import Codes, FloatArray, IntArray
from partita.consensus.models._em import column_sums

Prior = Literal["tsb", "fsd"]
LOWEST, HIGHEST = 1e-3, 1e3  # of alpha0 and beta, where they are estimated


class Counts(NamedTuple):
    """Objects of each cluster."""

    size: FloatArray  # (K,) n_k
    labels: FloatArray  # (n_cells, K) n_kmj


class NBCEModel(NamedTuple):
    """What is not estimated from the counts."""

    layout: Ensemble  # without rows: clusterings, their labels and weights
    prior: Prior
    alpha0: float
    beta: float

    @property
    def n_labels(self) -> FloatArray:
        """(m,) labels of each clustering, J."""
        return self.layout.n_labels.astype(np.float64)

    @property
    def weights(self) -> FloatArray:
        """(m,) weight of each clustering."""
        return self.layout.clustering_weights

    @property
    def cell_weight(self) -> FloatArray:
        """Weight of each label's clustering."""
        return self.layout.cell_weights


def count(z: IntArray, codes: Codes, weight: FloatArray, layout: Ensemble, n_clusters: int) -> Counts:
    """Counts of an assignment of weighted rows."""
    labels = np.zeros((layout.n_cells, n_clusters))
    for j, first in enumerate(layout.first_cell):
        seen = codes[:, j] >= 0
        place = (first + codes[seen, j]).astype(np.int64) * n_clusters + z[seen]
        labels += np.bincount(place, weights=weight[seen], minlength=labels.size).reshape(labels.shape)
    return Counts(np.bincount(z, weights=weight, minlength=n_clusters).astype(np.float64), labels)


def log_likelihood(counts: Counts, model: NBCEModel) -> float:
    """Log p(Y | Z)   (5.2)."""
    b, J = model.beta, model.n_labels
    K = counts.labels.shape[1]
    observed = column_sums(counts.labels, model.layout)
    of_totals = K * gammaln(J * b) - gammaln(J[:, None] * b + observed).sum(axis=1)
    of_labels = gammaln(b + counts.labels).sum(axis=1) - K * gammaln(b)
    return float(model.weights @ of_totals + model.cell_weight @ of_labels)


def log_prior(size: FloatArray, model: NBCEModel) -> float:
    """Log p(Z) of a labelled assignment   (5.2; with the factor a0^(K-1) that the paper omits)."""
    a0, K = model.alpha0, len(size)
    if model.prior == "fsd":
        return float(gammaln(a0) - gammaln(a0 + size.sum()) + gammaln(a0 / K + size).sum() - K * gammaln(a0 / K))
    beyond = size[::-1].cumsum()[::-1]  # n_{>=k}
    terms = gammaln(1 + size[:-1]) + gammaln(a0 + beyond[1:]) - gammaln(1 + a0 + beyond[:-1])
    return float((K - 1) * np.log(a0) + terms.sum())


def log_joint(counts: Counts, model: NBCEModel) -> float:
    """Log p(Y, Z)."""
    return log_likelihood(counts, model) + log_prior(counts.size, model)


def estimate_parameters(counts: Counts, model: NBCEModel, alpha0: bool, beta: bool) -> NBCEModel:
    """alpha0 and beta of the highest joint: each enters one of its two factors alone.

    With expected counts this maximises the variational bound over alpha0, beta and q(pi), q(theta) together, for q(Z)
    as it is; at the end the derivatives in 5.4 vanish, or a value is at an end of its range.
    """
    if alpha0:
        best = _best(lambda value: log_prior(counts.size, model._replace(alpha0=value)), model.alpha0)
        model = model._replace(alpha0=best)
    if beta:
        best = _best(lambda value: log_likelihood(counts, model._replace(beta=value)), model.beta)
        model = model._replace(beta=best)
    return model


def _best(value: Callable[[float], float], now: float) -> float:
    """Where a function of a number in [LOWEST, HIGHEST] is highest, or the present number."""
    ends = np.log(LOWEST), np.log(HIGHEST)
    found = minimize_scalar(
        lambda log: -value(float(np.exp(log))), bounds=ends, method="bounded", options={"xatol": 1e-9}
    )
    candidates = [now, *(float(np.exp(log)) for log in (*ends, found.x))]
    return max(candidates, key=value)


def mean_weights(size: FloatArray, model: NBCEModel) -> FloatArray:
    """E[pi | Z]."""
    a0, K = model.alpha0, len(size)
    if model.prior == "fsd":
        return np.asarray((a0 / K + size) / (a0 + size.sum()))
    beyond = size[::-1].cumsum()[::-1]
    v = np.append((1 + size[:-1]) / (1 + a0 + beyond[:-1]), 1.0)
    rest = np.concatenate([[1.0], np.cumprod((a0 + beyond[1:]) / (1 + a0 + beyond[:-1]))])
    return np.asarray(v * rest)


def mean_table(labels: FloatArray, model: NBCEModel) -> FloatArray:
    """E[theta | Z, Y]: (n_cells, K)."""
    observed = column_sums(labels, model.layout)[model.layout.cell_clustering]
    return np.asarray(
        (model.beta + labels) / (model.beta * model.n_labels[model.layout.cell_clustering][:, None] + observed)
    )


def means(counts: Counts, model: NBCEModel) -> tuple[FloatArray, FloatArray]:
    """E[theta] and E[pi] given counts."""
    return mean_table(counts.labels, model), mean_weights(counts.size, model)


def predictive(counts: Counts, model: NBCEModel) -> tuple[FloatArray, FloatArray]:
    """Log E[theta], times the clusterings' weights, and log E[pi]; the empty clusters as one, the last   (5.6)."""
    occupied = counts.size > 0
    weights = mean_weights(counts.size, model)
    empty = np.zeros((model.layout.n_cells, 1))
    table = mean_table(np.hstack([counts.labels[:, occupied], empty]), model)
    mass = np.append(weights[occupied], max(weights[~occupied].sum(), 1e-300))
    return np.log(table) * model.cell_weight[:, None], np.log(mass)
