"""The model of nonparametric Bayesian cluster ensembles, with theta and pi integrated out (eqs. N1 to N8).

    pi ~ stick breaking (v_k ~ Beta(1, a0), v_K = 1) or Dirichlet(a0/K, ..., a0/K);   z_n ~ pi
    theta_km ~ Dirichlet(b, ..., b);   y_nm ~ theta_{z_n m}     for every clustering m that saw object n

Everything below is a function of the occupancy of the clusters: n_k objects, n_km of them with a label of clustering
m, n_kmj with label j. These numbers may be fractions (expected numbers): log p(Y, Z) of an expected occupancy plus the
entropy of q(Z) is the variational bound (eq. N30).
"""

from typing import Literal, NamedTuple

import numpy as np
from scipy.special import gammaln

from partita._labels.ensemble import Ensemble
from partita._typing import Codes, FloatArray, IntArray
from partita.consensus.models._em import column_sums

Prior = Literal["tsb", "fsd"]

LOWEST, HIGHEST = 1e-3, 1e3  # of alpha0 and beta where they are estimated; the lower end keeps psi(a0 / K) finite


class Occupancy(NamedTuple):
    """Objects of each cluster, and those of them with each label (eq. N4)."""

    size: FloatArray  # (K,) n_k
    label_size: FloatArray  # (n_cells, K) n_kmj


class NBCEModel(NamedTuple):
    """What is not found from the occupancy."""

    layout: Ensemble  # without rows: clusterings, their labels and weights
    prior: Prior
    alpha0: float
    beta: float

    @property
    def n_labels(self) -> FloatArray:
        """(m,) labels of each clustering, J."""
        return self.layout.n_labels.astype(np.float64)

    @property
    def clustering_weights(self) -> FloatArray:
        """(m,) weight of each clustering."""
        return self.layout.clustering_weights

    @property
    def cell_weights(self) -> FloatArray:
        """(n_cells,) weight of each label's clustering."""
        return self.layout.cell_weights


def occupancy_of(z: IntArray, codes: Codes, layout: Ensemble, n_clusters: int) -> Occupancy:
    """Occupancy of an assignment of objects."""
    label_size = np.zeros((layout.n_cells, n_clusters))
    for j, first in enumerate(layout.first_cell):
        seen = codes[:, j] >= 0
        place = (first + codes[seen, j]).astype(np.int64) * n_clusters + z[seen]
        label_size += np.bincount(place, minlength=label_size.size).reshape(label_size.shape)
    return Occupancy(np.bincount(z, minlength=n_clusters).astype(np.float64), label_size)


# --------------------------------------------------------------------------------------------------- log p(Y, Z)
def log_label_likelihood(occupancy: Occupancy, model: NBCEModel) -> float:
    """Log p(Y | Z), eq. N5."""
    b, J = model.beta, model.n_labels
    K = occupancy.label_size.shape[1]
    observed = column_sums(occupancy.label_size, model.layout)
    of_totals = K * gammaln(J * b) - gammaln(J[:, None] * b + observed).sum(axis=1)
    of_labels = gammaln(b + occupancy.label_size).sum(axis=1) - K * gammaln(b)
    return float(model.clustering_weights @ of_totals + model.cell_weights @ of_labels)


def log_assignment_prior(size: FloatArray, model: NBCEModel) -> float:
    """Log p(Z) of a labelled assignment, eqs. N6 and N7 (with the factor a0^(K-1) that the paper omits, eq. N8)."""
    a0, K = model.alpha0, len(size)
    if model.prior == "fsd":
        return float(gammaln(a0) - gammaln(a0 + size.sum()) + gammaln(a0 / K + size).sum() - K * gammaln(a0 / K))
    beyond = size[::-1].cumsum()[::-1]  # n_{>=k}
    terms = gammaln(1 + size[:-1]) + gammaln(a0 + beyond[1:]) - gammaln(1 + a0 + beyond[:-1])
    return float((K - 1) * np.log(a0) + terms.sum())


def log_joint(occupancy: Occupancy, model: NBCEModel) -> float:
    """Log p(Y, Z)."""
    return log_label_likelihood(occupancy, model) + log_assignment_prior(occupancy.size, model)


# ------------------------------------------------------------------------------------------------- means of pi, theta
def mean_weights(size: FloatArray, model: NBCEModel) -> FloatArray:
    """E[pi | Z], eq. N39."""
    a0, K = model.alpha0, len(size)
    if model.prior == "fsd":
        return np.asarray((a0 / K + size) / (a0 + size.sum()))
    beyond = size[::-1].cumsum()[::-1]
    v = np.append((1 + size[:-1]) / (1 + a0 + beyond[:-1]), 1.0)
    rest = np.concatenate([[1.0], np.cumprod((a0 + beyond[1:]) / (1 + a0 + beyond[:-1]))])
    return np.asarray(v * rest)


def mean_table(label_size: FloatArray, model: NBCEModel) -> FloatArray:
    """E[theta | Z, Y], eq. N40: (n_cells, K)."""
    observed = column_sums(label_size, model.layout)[model.layout.cell_clustering]
    return np.asarray(
        (model.beta + label_size) / (model.beta * model.n_labels[model.layout.cell_clustering][:, None] + observed)
    )
