"""Partitions to start from: cuts of the average-linkage tree of the co-association (evidence accumulation, eq. P3)."""

from collections.abc import Iterable, Iterator

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from partita._kernels import agreement, linkage
from partita._labels.ensemble import Ensemble
from partita._stopping import check_stop
from partita._typing import IntArray


def tree_cuts(ensemble: Ensemble, numbers: Iterable[int]) -> Iterator[IntArray]:
    """Clusters of the rows at the given numbers of clusters; O(r^2 m) time and r^2 numbers of 4 bytes."""
    left, right = _sorted_merges(ensemble)
    n = ensemble.n_rows
    for k in numbers:
        check_stop()
        merged = left[: n - k], right[: n - k]
        graph = sparse.coo_array((np.ones(n - k, dtype=np.int8), merged), shape=(n, n))
        yield connected_components(graph, directed=False)[1].astype(np.int64)


def _sorted_merges(ensemble: Ensemble) -> tuple[IntArray, IntArray]:
    """One row of each of the two clusters that are merged, lowest merges first."""
    n, groups = ensemble.n_rows, ensemble.columns
    D = np.empty((n, n), dtype=np.float32)
    total = 0.0 if groups.has_missing else groups.total
    agreement.dissimilarity_rows(groups.columns, groups.weights, total, 0, n, D)
    np.maximum(D, 0.0, out=D)
    left, right, height = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64), np.empty(n - 1)
    linkage.nn_chain(linkage.start_chain(D, ensemble.row_weights), linkage.AVERAGE, n, left, right, height)
    order = np.argsort(height, kind="stable")
    return left[order], right[order]
