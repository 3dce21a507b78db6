"""k-means on label rows by table look-up: the one-hot matrix is never formed."""

import numpy as np

from partita._kernels._jit import jit


@jit
def assign(cells, table, row_weights, labels, distance, mass):
    """Give each row to its nearest centre and add up what the centres' update needs.

    cells       IN  (n, m) int32, cell of each label: those of all clusterings, then one per clustering for missing
    table       IN  (n_cells + m, k) float64, squared distance that a cell adds, for each centre
    row_weights IN  (n,) float64
    labels      OUT (n,) int32
    distance    OUT (n,) float64, squared distance to the nearest centre
    mass        OUT (k, n_cells + m) float64, added to: weight of each cell in each cluster
    """
    n, m = cells.shape
    k = table.shape[1]
    total = np.empty(k, dtype=np.float64)
    for i in range(n):
        for h in range(k):
            total[h] = 0.0
        for j in range(m):
            cell = cells[i, j]  # no view of the table's row: making one costs as much as reading it
            for h in range(k):
                total[h] += table[cell, h]
        best = 0
        for h in range(1, k):
            if total[h] < total[best]:
                best = h
        labels[i] = best
        distance[i] = max(total[best], 0.0)
        for j in range(m):
            mass[best, cells[i, j]] += row_weights[i]
