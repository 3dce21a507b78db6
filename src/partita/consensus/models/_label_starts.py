"""Where models of labels start: clusters of a short k-means on the labels, or probabilities at random."""

from typing import NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._typing import Array, FloatArray
from partita.consensus.kmeans._label_kmeans import run_k_means
from partita.consensus.models._label_tables import column_sums

_NOISE = 0.1  # share of the clustering's own distribution in a start: no label is impossible in any cluster
_ROUNDS = 10
_RARE = 1e-12  # share of a label that no object of weight, or none of a sample, has


class Start(NamedTuple):
    """Clusters to start from."""

    weights: FloatArray  # (k,) share of each cluster
    table: FloatArray  # (n_cells, k) probability of each label in each cluster
    labels: Array  # (n_rows,) cluster of each row


def shares(ensemble: Ensemble) -> FloatArray:
    """Share of each label among those of its clustering: (n_cells,)."""
    mass = np.zeros(ensemble.n_cells)
    for j, first in enumerate(ensemble.first_cell):
        seen = ensemble.codes[:, j] >= 0
        mass += np.bincount(
            first + ensemble.codes[seen, j], weights=ensemble.row_weights[seen], minlength=ensemble.n_cells
        )
    total = column_sums(mass[:, None], ensemble)[ensemble.cell_clustering, 0]
    share = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
    return np.asarray(np.maximum(share, _RARE))


def kmeans_start(ensemble: Ensemble, n_clusters: int, seed: int) -> Start:
    """Clusters of k-means, mixed with what all objects have; those for which there are no rows are like all objects."""
    fit = run_k_means(ensemble, min(n_clusters, ensemble.n_rows), seed, max_iter=_ROUNDS, tol=1e-3)
    overall = shares(ensemble)[:, None]
    table = np.repeat(overall, n_clusters, axis=1)
    found = fit.centers.T
    table[:, : found.shape[1]] = found
    size = np.bincount(fit.labels, weights=ensemble.row_weights, minlength=n_clusters)
    weights = (1 - _NOISE) * size / size.sum() + _NOISE / n_clusters
    return Start(weights, (1 - _NOISE) * table + _NOISE * overall, fit.labels)


def random_start(ensemble: Ensemble, n_clusters: int, seed: int) -> Start:
    """Probabilities of labels from Dirichlet(1), clusters of equal weight."""
    rng = np.random.default_rng(seed)
    table = rng.standard_gamma(1.0, size=(ensemble.n_cells, n_clusters)) + 1e-12
    table /= column_sums(table, ensemble)[ensemble.cell_clustering]
    labels = rng.integers(n_clusters, size=ensemble.n_rows)
    return Start(np.full(n_clusters, 1 / n_clusters), table, labels)


STARTS = {"kmeans": kmeans_start, "random": random_start}
