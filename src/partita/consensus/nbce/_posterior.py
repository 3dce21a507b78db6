"""The posterior of NBCE, as each of the three inferences returns it: what a fit gives, and how rows are placed."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from partita._labels.ensemble import Ensemble
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.models._mixture import as_rows, posterior
from partita.consensus.nbce._joint import NBCEModel, mean_table, mean_weights

SMALL_CLUSTER = 0.05  # share of the objects below which removing a cluster is tried: every trial is a whole climb
_TINY = 1e-300  # instead of 0 in logs: near the smallest float, so that it counts as 0


class ClusterLogs(NamedTuple):
    """Logs of the means of theta and pi, or expected logs: they give a row of labels its probability in a cluster."""

    log_theta: FloatArray  # (n_cells, k) times the weight of the clustering
    log_pi: FloatArray  # (k,)

    def of(self, clusters: IntArray) -> "ClusterLogs":
        """Those of some clusters."""
        return ClusterLogs(self.log_theta[:, clusters].copy(), self.log_pi[clusters].copy())


class NBCEPosterior(NamedTuple):
    """Clusters of the rows of an ensemble, what places and scores new rows, and how inference went."""

    labels: IntArray  # (n_rows,) consensus
    membership: FloatArray  # (n_rows, k) probability of each cluster of the consensus
    theta: FloatArray  # (n_cells, k) mean probability of each label
    pi: FloatArray  # (k,) mean share of each cluster; what is missing to 1 is that of other clusters
    model: NBCEModel  # with alpha0 and beta, given or estimated
    placing: ClusterLogs  # gives new rows their membership
    predictive: Iterable[ClusterLogs]  # one per sample (Gibbs), else a single one: their mean density scores new rows
    history: list[float]
    n_iter: int
    converged: bool
    most_probable: bool = True  # labels are the most probable clusters
    # variational inference only
    lower_bound: float | None = None
    # Gibbs sampling only
    log_joint: float | None = None
    log_joint_trace: FloatArray | None = None  # (n_chains, n_sweeps)
    n_clusters_trace: IntArray | None = None  # (n_chains, n_sweeps)
    r_hat: dict[str, float] | None = None
    ess: dict[str, float] | None = None
    samples: Array | None = None  # (n_kept, n_rows), or (n_kept, n_samples) with -1 for objects without a row

    def for_objects(self, row_of_object: IntArray) -> "NBCEPosterior":
        """What a fitted model keeps: samples of its objects, and nothing else with one entry per row.

        Labels and memberships of the objects are attributes of the fitted model.
        """
        samples = self.samples
        if samples is not None:
            samples = np.where(row_of_object >= 0, samples[:, row_of_object], -1).astype(samples.dtype)
        return self._replace(labels=self.labels[:0], membership=self.membership[:0], samples=samples)

    def place(self, rows: Ensemble) -> FloatArray:
        """Membership of new rows."""
        return place(rows, self.placing)

    def log_density(self, rows: Ensemble) -> FloatArray:
        """Log of the predictive density of new rows, eq. N41."""
        listed = as_rows(rows)
        values = [posterior(listed, *logs)[1] for logs in self.predictive]
        return np.asarray(logsumexp(values, axis=0) - np.log(len(values)))


def place(rows: Ensemble, logs: ClusterLogs) -> FloatArray:
    """Probability of each cluster, (n_rows, k)."""
    return posterior(as_rows(rows), *logs)[0]


def mean_logs(theta: FloatArray, pi: FloatArray, model: NBCEModel) -> ClusterLogs:
    """Logs of the means of theta and pi."""
    return ClusterLogs(np.log(theta) * model.cell_weights[:, None], np.log(np.maximum(pi, _TINY)))


def predictive_logs(size: FloatArray, label_size: FloatArray, model: NBCEModel) -> ClusterLogs:
    """Logs of the means given an assignment, for a new object: its empty clusters as one, the last (eq. N41).

    ``size`` is that of all K clusters, ``label_size`` that of the clusters with objects alone.
    """
    occupied = size > 0
    pi = mean_weights(size, model)
    empty = np.zeros((len(label_size), 1))
    theta = mean_table(np.hstack([label_size, empty]), model)
    return mean_logs(theta, np.append(pi[occupied], pi[~occupied].sum()), model)
