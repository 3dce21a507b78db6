"""A start of k-means from the leading singular vectors of the one-hot rows (Ding and He, 2004).

The span of the k best centres is near that of the first k right singular vectors of the weighted rows. The rows
projected on these are points of k features, where many starts of k-means cost little; the clusters of the best one
are a start in the whole space (eq. M60).
"""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from partita._typing import FloatArray
from partita.consensus.kmeans._lloyd import LabelPoints, start_clusters
from partita.consensus.kmeans._one_hot_space import sum_per_clustering
from partita.consensus.kmeans._weighted_kmeans import weighted_kmeans

_TOL = 1e-3  # relative, of the eigenvalues: the vectors are only a start, and 1e-6 gives no better one
_MANY = 50  # clusters beyond which the vectors cost more than all other starts
_STARTS = 10  # of k-means on the projected rows: together they cost less than two starts on the rows


def principal_clusters(points: LabelPoints, n_clusters: int, seed: int) -> FloatArray:
    """Clusters of k-means on the projected rows, as masses; those of k-means++ where there is nothing to project."""
    if not 1 < n_clusters < min(points.space.layout.n_cells, _MANY):
        return start_clusters(points, n_clusters, seed)
    indicators = _indicators(points)
    try:
        projected = project(points, indicators, n_clusters, seed)
    except ArpackError:  # no convergence
        return start_clusters(points, n_clusters, seed)
    labels = weighted_kmeans(projected, points.row_weights, n_clusters, n_init=_STARTS, seed=seed).labels
    if labels.max() + 1 < n_clusters:
        return start_clusters(points, n_clusters, seed)
    member = sparse.csr_array((points.row_weights, (labels, np.arange(len(labels)))), shape=(n_clusters, len(labels)))
    return np.asarray((member @ indicators).toarray())


def project(points: LabelPoints, indicators: sparse.csr_array, n_vectors: int, seed: int) -> FloatArray:
    """Coordinates of the rows on the leading eigenvectors of X' W X, (n_rows, n_vectors); X is never formed."""
    space, weights = points.space, points.row_weights
    layout, root, back = space.layout, np.sqrt(space.layout.cell_weights), indicators.T.tocsr()

    def on_axis(v: FloatArray) -> FloatArray:
        """X v: a label adds its entry of v, a missing one the mean of its clustering's entries."""
        scaled = root * v
        return np.asarray(indicators @ np.append(scaled, sum_per_clustering(space.mean * scaled, layout)))

    def product(v: FloatArray) -> FloatArray:
        """X' W X v."""
        cells = back @ (weights * on_axis(v.ravel()))
        absent = cells[layout.n_cells :][layout.cell_clustering]
        return np.asarray(root * (cells[: layout.n_cells] + space.mean * absent))

    operator = LinearOperator((layout.n_cells, layout.n_cells), matvec=product, dtype=np.float64)
    start = np.random.default_rng(seed).random(layout.n_cells)
    vectors = eigsh(operator, k=n_vectors, which="LA", v0=start, tol=_TOL)[1]
    return np.column_stack([on_axis(vector) for vector in vectors.T])


def _indicators(points: LabelPoints) -> sparse.csr_array:
    """One row per row, one column per cell, missing ones included; 1 where the row has the label."""
    n, m = points.cells.shape
    ends = np.arange(0, n * m + 1, m)
    return sparse.csr_array((np.ones(n * m), points.cells.ravel(), ends), shape=(n, points.space.n_all_cells))
