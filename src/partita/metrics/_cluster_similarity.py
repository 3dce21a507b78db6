"""Mean co-association of the pairs of objects within each cluster and between every two: one number per pair of them.

    B_qr = mean of S_ij over the pairs i in q, j in r that a clustering labels together                       (eq. I77)

Where no label is missing, S_ij is a sum over clusterings divided by their total weight, and the mean follows from the
weight C_cq of each label in each cluster without looking at pairs. Else the pairs of distinct rows are looked at.
"""

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._typing import FloatArray, IntArray
from partita.metrics._coassociation import iter_blocks
from partita.metrics._confidence import count_cells

_TINY = np.finfo(np.float64).tiny


def cluster_similarity(rows: Ensemble, row_labels: IntArray, n_clusters: int) -> FloatArray:
    """B, (k, k), of distinct rows with their numbers of objects as weights; NaN where no pair is known.

    On the diagonal it is the cluster consensus of Monti et al. (eq. I51). Rows of cluster -1 are left out. Cost
    O(r m k) for r rows of m labels, and O(r^2 (m / 64 + k)) where labels are missing.
    """
    kept = row_labels >= 0
    if not kept.all():
        rows, row_labels = rows.with_rows(rows.codes[kept], rows.row_weights[kept]), row_labels[kept]
    if rows.has_missing:
        return _mean_of_pairs(rows, one_hot(row_labels, n_clusters) * rows.row_weights[:, None])
    counts = count_cells(rows, row_labels, n_clusters)
    weighted = counts.cells * rows.cell_weights[:, None]
    together = weighted.T @ counts.cells
    pairs = np.outer(counts.sizes, counts.sizes)
    itself = rows.clustering_weights.sum() * counts.sizes  # an object is no pair with itself
    total = rows.clustering_weights.sum() * (pairs - np.diag(counts.sizes))
    return _divide(together - np.diag(itself), total)


def _mean_of_pairs(rows: Ensemble, members: FloatArray) -> FloatArray:
    """The same from the pairs of rows; ``members`` (n_rows, k) are the objects of each row in each cluster."""
    sums, known = np.zeros((members.shape[1],) * 2), np.zeros((members.shape[1],) * 2)
    for block in iter_blocks(rows.columns):
        own = members[block.start : block.stop]
        sums += own.T @ ((block.counts / np.maximum(block.totals, _TINY)) @ members)
        known += own.T @ ((block.totals > 0).astype(np.float64) @ members)
    itself = np.diag(members[(rows.codes >= 0).any(axis=1)].sum(axis=0))
    return _divide(sums - itself, known - itself)


def _divide(sums: FloatArray, known: FloatArray) -> FloatArray:
    return np.asarray(np.divide(sums, known, out=np.full(sums.shape, np.nan), where=known > 0.5))
