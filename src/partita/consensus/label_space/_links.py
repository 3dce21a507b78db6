"""Similarity of clusters by their links to other clusters (Iam-On, Boongoen and Garrett, 2008; Iam-On et al., 2011).

Each function gives a table K of pairs of cells, (t, t), with 1 on the diagonal: the decay is in it.

    cts    K_cd = decay T_cd / max T,   T_cd = sum over b of v_b min(J_cb, J_db),   c and d of one clustering (eq. L33)
    asrs   K_cd = decay R_cd / max R,   R_cd = sum over b of v_b J_cb J_db / (n_c n_d)                      (eq. L35)
    srs    SimRank on the graph of objects and clusters                                             (eqs. L36 to L38)

J is the Jaccard coefficient of two clusters, v_b the weight of the clustering of b, and n_c the weight of the
neighbours of c.
"""

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.tables import ClusterTables, pair_sums
from partita._runs import progress
from partita._stopping import check_stop
from partita._typing import FloatArray, IntArray
from partita.consensus.label_space._trajectories import common_jaccard

_PAIRS = 2**20  # pairs of labels that are looked up at a time


def connected_triples(tables: ClusterTables, decay: float) -> FloatArray:
    """K of "cts", 0 between clusterings: how much two clusters have neighbours in common (eq. L33)."""
    J, v, t = common_jaccard(tables), tables.cell_weights, len(tables.cell_clustering)
    K = np.zeros((t, t))
    for m in range(len(tables.clustering_weights)):
        cells = np.flatnonzero(tables.cell_clustering == m)
        for c in cells:
            K[c, cells] = np.minimum(J[c], J[cells]) @ v
    return _scaled(K, decay)


def shared_neighbours(tables: ClusterTables, decay: float) -> FloatArray:
    """K of "asrs": mean product of the links of two clusters to their neighbours (eq. L35)."""
    J, v = common_jaccard(tables), tables.cell_weights
    n = (J > 0) @ v
    possible = np.outer(n, n)
    K = np.divide((J * v) @ J.T, possible, out=np.zeros_like(J), where=possible > 0)
    return _scaled((K + K.T) / 2, decay)


def simrank(ensemble: Ensemble, decay: float, steps: int, *, show: bool) -> FloatArray:
    """K of "srs": C after ``steps`` - 1 updates, from which the similarity of objects follows (eqs. L36 to L38)."""
    labelled = ensemble.sum_over_labels(ensemble.cell_weights[:, None])[:, 0]
    size = ensemble.cell_mass
    joint = pair_sums(ensemble, ensemble.row_weights / labelled) * ensemble.cell_weights  # F, eq. L38
    before, C = np.zeros((ensemble.n_cells, ensemble.n_cells)), np.eye(ensemble.n_cells)
    with progress(steps - 1, "SimRank", show=show) as bar:
        for _ in range(steps - 1):
            own = 1 - decay * own_similarity(ensemble, before, labelled)
            total = decay * (joint @ before @ joint.T) + pair_sums(ensemble, _copies(ensemble.row_weights) * own)
            before, C = C, decay * total / np.outer(size, size)
            C = (C + C.T) / 2
            np.fill_diagonal(C, 1.0)
            bar.update(1)
    return C


def own_similarity(ensemble: Ensemble, C: FloatArray, labelled: FloatArray) -> FloatArray:
    """Mean of C over all pairs of the labels of each row, (n_rows,)."""
    t, m = ensemble.n_cells, ensemble.n_clusterings
    padded = np.zeros((t + 1, t + 1))  # the last cell stands for missing labels
    padded[:t, :t] = C * np.outer(ensemble.cell_weights, ensemble.cell_weights)
    cells: IntArray = np.where(ensemble.codes >= 0, ensemble.codes + ensemble.first_cell, t)
    length = max(1, _PAIRS // (m * m))
    sums = np.empty(len(cells))
    for lo in range(0, len(cells), length):
        check_stop()
        part = cells[lo : lo + length]
        sums[lo : lo + length] = padded[part[:, :, None], part[:, None, :]].sum(axis=(1, 2))
    return sums / labelled**2


def _copies(row_weights: FloatArray) -> FloatArray:
    """How many pairs of a row's objects are an object and itself: w of w^2; all of them below weight 1."""
    return np.minimum(row_weights, row_weights**2)


def _scaled(K: FloatArray, decay: float) -> FloatArray:
    """Divided by the largest entry beside the diagonal, times the decay, and 1 on the diagonal."""
    np.fill_diagonal(K, 0.0)
    K *= decay / max(float(K.max()), np.finfo(float).tiny) if K.any() else 0.0
    np.fill_diagonal(K, 1.0)
    return K
