"""Clusters that sites found for themselves become common ones: the pair that costs least is merged, again and again.

A model of labels sees of a cluster its size and the counts of its labels only, so that the value of clusters, and what
a merge changes, are exact without any row (eqs. S7, S8).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from partita._labels.ensemble import Ensemble
from partita._typing import FloatArray
from partita.consensus.models._em import column_sums
from partita.consensus.nbce._joint import NBCEModel


class CountedClusters(NamedTuple):
    """Sizes of clusters, and of their labels."""

    size: FloatArray  # (k,)
    mass: FloatArray  # (n_cells, k)

    def plus(self, i: int) -> "CountedClusters":
        """Every cluster merged with cluster i."""
        return CountedClusters(self.size + self.size[i], self.mass + self.mass[:, i : i + 1])


Value = Callable[[CountedClusters], FloatArray]  # what each cluster adds to the log probability


def mixture_value(layout: Ensemble) -> Value:
    """Log p(labels, clusters) of a mixture with its best parameters: sums of x log x (eq. S7)."""

    def value(clusters: CountedClusters) -> FloatArray:
        total = column_sums(clusters.mass, layout)
        of_labels = layout.cell_weights @ xlogy(clusters.mass, clusters.mass)
        of_totals = layout.clustering_weights @ xlogy(total, total)
        return np.asarray(xlogy(clusters.size, clusters.size) + of_labels - of_totals)

    return value


def nbce_value(model: NBCEModel, K: int) -> Value:
    """The same with theta and pi integrated out (eqs. N5, N6, S8)."""
    layout, a, b, J = model.layout, model.alpha0 / K, model.beta, model.n_labels[:, None]

    def value(clusters: CountedClusters) -> FloatArray:
        total = column_sums(clusters.mass, layout)
        of_labels = layout.cell_weights @ (gammaln(b + clusters.mass) - gammaln(b))
        of_totals = layout.clustering_weights @ (gammaln(J * b) - gammaln(J * b + total))
        return np.asarray(gammaln(a + clusters.size) - gammaln(a) + of_labels + of_totals)

    return value


def merge_clusters(clusters: CountedClusters, value: Value, n_clusters: int | None = None) -> CountedClusters:
    """Merge until there are ``n_clusters``; without a number, as long as a merge raises the log probability."""
    clusters = CountedClusters(clusters.size.copy(), clusters.mass.copy())
    own, k = value(clusters), len(clusters.size)
    gain = np.full((k, k), -np.inf)
    for i in range(k):
        gain[i, :] = value(clusters.plus(i)) - own - own[i]
    np.fill_diagonal(gain, -np.inf)
    left = list(range(k))
    while len(left) > (n_clusters or 1):
        part = gain[np.ix_(left, left)]
        a, b = np.unravel_index(int(part.argmax()), part.shape)
        if n_clusters is None and part[a, b] <= 0:
            break
        i, j = left[int(a)], left[int(b)]
        clusters.size[i] += clusters.size[j]
        clusters.mass[:, i] += clusters.mass[:, j]
        left.remove(j)
        own = value(clusters)
        gain[i, :] = value(clusters.plus(i)) - own - own[i]
        gain[:, i] = gain[i, :]
        gain[i, i] = -np.inf
    order = np.array(left)[np.argsort(-clusters.size[left], kind="stable")]
    return CountedClusters(clusters.size[order], clusters.mass[:, order])


def side_by_side(parts: list[CountedClusters], most: int) -> CountedClusters:
    """Clusters of several lists in one, by decreasing size; the largest ones, if there are more than ``most``."""
    size, mass = np.concatenate([part.size for part in parts]), np.hstack([part.mass for part in parts])
    order = np.argsort(-size, kind="stable")[:most]
    return CountedClusters(size[order], mass[:, order])
