"""Single moves of information-theoretic k-means: a row changes its cluster if that lowers the objective at once."""

import math

from partita._kernels._jit import helper, jit


@helper
def _entropy_part(mass):
    return mass * math.log(mass) if mass > 0.0 else 0.0


@helper
def _change(starts, cells, values, cell_clustering, i, sign, mass, total, g):
    """How much a cluster's part of the objective changes if row i joins (sign 1) or leaves (sign -1)   (eq. G40)."""
    change, clustering, part = 0.0, -1, 0.0
    for place in range(starts[i], starts[i + 1]):
        cell = cells[place]
        if cell_clustering[cell] != clustering:
            if clustering >= 0:
                before = total[g, clustering]
                change += _entropy_part(before + sign * part) - _entropy_part(before)
            clustering, part = cell_clustering[cell], 0.0
        part += values[place]
        before = mass[g, cell]
        change -= _entropy_part(before + sign * values[place]) - _entropy_part(before)
    if clustering >= 0:
        before = total[g, clustering]
        change += _entropy_part(before + sign * part) - _entropy_part(before)
    return change


@helper
def _add(starts, cells, values, cell_clustering, i, sign, mass, total, g):
    for place in range(starts[i], starts[i + 1]):
        cell = cells[place]
        # a difference of sums may be slightly below 0
        mass[g, cell] = max(mass[g, cell] + sign * values[place], 0.0)
        total[g, cell_clustering[cell]] = max(total[g, cell_clustering[cell]] + sign * values[place], 0.0)


@jit
def move_rows(starts, cells, values, cell_clustering, least, max_passes, labels, n_rows, mass, total, stop):
    """Move rows one after another to the cluster that lowers the objective most; returns the number of moves.

    starts          IN     (n + 1,) int64, place of each row's first cell; the cells of a row are in order
    cells           IN     int64
    values          IN     float64, weight of the row times that of the clustering times the row's probability
    cell_clustering IN     (t,) int64
    least           IN     smallest decrease that counts
    max_passes      IN     over all rows
    labels          IN/OUT (n,) int64
    n_rows          IN/OUT (k,) int64, rows of each cluster: the last one stays
    mass            IN/OUT (k, t) float64, sum of the values of each cluster in each cell
    total           IN/OUT (k, m) float64, and in each clustering
    stop            IN     (1,) uint8, not 0 as soon as it is to return, whatever is done by then
    """
    n, k, n_moves = labels.shape[0], mass.shape[0], 0
    for _ in range(max_passes):
        before = n_moves
        for i in range(n):
            if stop[0] != 0:
                return n_moves
            own = labels[i]
            if n_rows[own] <= 1:
                continue
            leave = _change(starts, cells, values, cell_clustering, i, -1.0, mass, total, own)
            best, lowest = own, -least
            for g in range(k):
                if g != own:
                    change = leave + _change(starts, cells, values, cell_clustering, i, 1.0, mass, total, g)
                    if change < lowest:
                        best, lowest = g, change
            if best != own:
                _add(starts, cells, values, cell_clustering, i, -1.0, mass, total, own)
                _add(starts, cells, values, cell_clustering, i, 1.0, mass, total, best)
                n_rows[own] -= 1
                n_rows[best] += 1
                labels[i] = best
                n_moves += 1
        if n_moves == before:
            break
    return n_moves
