"""k-means on label rows by table look-up: the one-hot matrix is never formed.

A cluster is known by its ``mass``: the weight of its rows that have each label, and that miss a label of each
clustering. Its centre is their mean, with mu for a missing label (eq. M16).
"""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

_ROUNDING = 1e-12  # of the distance of a row: a move that gains less could be one of rounding, and be taken back


class LabelSpace(NamedTuple):
    """The axes of the one-hot space; cells of missing labels, one per clustering, come after those of the labels."""

    first_cell: Any  # (m + 1,) int64, first cell of each clustering; the last entry is the number of cells of labels
    weights: Any  # (m,) float64, u of each clustering
    mean: Any  # (n_cells,) float64, mu: share of each label among the observed ones
    from_mean: Any  # (n_cells,) float64, u (1 - 2 mu + |mu|^2): squared distance of a label from a missing one


# ------------------------------------------------------------------------------------------------------------ starts
@helper
def _between(cells, i, c, space, limit):
    """Squared distance of two rows, or ``limit`` if that is less: most rows are soon known to be farther."""
    m = cells.shape[1]
    n_cells = space.first_cell[m]
    total = 0.0
    for j in range(m):
        a, b = cells[i, j], cells[c, j]
        if a != b:
            if a < n_cells and b < n_cells:
                total += 2.0 * space.weights[j]
            else:  # one is missing: its cell has the larger number
                total += space.from_mean[min(a, b)]
            if total >= limit:
                return limit
    return total


@helper
def _draw(cumulative, uniform):
    """The first row whose cumulative sum exceeds this share of the total."""
    n = cumulative.shape[0]
    target = uniform * cumulative[n - 1]
    low, high = 0, n - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > target:
            high = middle
        else:
            low = middle + 1
    return low


@jit
def draw_rows(cells, row_weights, space, uniform, nearest, chosen):
    """Greedy k-means++: of several rows, drawn in proportion to weight times squared distance, take the best.

    cells       IN     (n, m) int32
    uniform     IN     (k, trials) float64 in [0, 1)
    nearest     IN/OUT (n,) float64, squared distance to the nearest centre so far; infinite if there is none
    chosen      OUT    (k,) int64, rows to start from

    Returns how many rows were chosen: fewer than k if all rows are at a chosen one.
    """
    n = cells.shape[0]
    k, trials = uniform.shape
    cumulative, apart, kept = np.empty(n), np.empty(n), np.empty(n)
    for c in range(k):
        none_yet = nearest[0] == np.inf
        total = 0.0
        for i in range(n):
            total += row_weights[i] * (1.0 if none_yet else nearest[i])
            cumulative[i] = total
        if total <= 0.0:
            return c
        smallest = np.inf
        for trial in range(1 if none_yet else trials):
            row = _draw(cumulative, uniform[c, trial])
            left = 0.0
            for i in range(n):
                apart[i] = _between(cells, i, row, space, nearest[i])
                left += row_weights[i] * apart[i]
            if left < smallest:
                smallest = left
                chosen[c] = row
                apart, kept = kept, apart
        for i in range(n):
            nearest[i] = kept[i]
        nearest[chosen[c]] = 0.0
    return k


# ------------------------------------------------------------------------------------------------------------- steps
@helper
def _fill_column(mass, size, space, h, table):
    """Squared distance that each cell adds for centre h (eqs. M15, M16)."""
    m = space.weights.shape[0]
    n_cells = space.first_cell[m]
    scale = 1.0 / size[h] if size[h] > 0.0 else 0.0
    for j in range(m):
        u, missing = space.weights[j], mass[h, n_cells + j]
        own, apart = 0.0, 0.0
        for cell in range(space.first_cell[j], space.first_cell[j + 1]):
            share = (mass[h, cell] + space.mean[cell] * missing) * scale
            own += share * share
            apart += (space.mean[cell] - share) * (space.mean[cell] - share)
            table[cell, h] = share
        for cell in range(space.first_cell[j], space.first_cell[j + 1]):
            table[cell, h] = u * (1.0 - 2.0 * table[cell, h] + own)
        table[n_cells + j, h] = u * apart


@jit
def fill_table(mass, size, space, table):
    """Squared distance that each cell adds, for each centre.

    mass  IN  (k, n_cells + m) float64
    size  IN  (k,) float64, weight of each cluster
    table OUT (n_cells + m, k) float64
    """
    for h in range(mass.shape[0]):
        _fill_column(mass, size, space, h, table)


@helper
def _distances(cells, i, table, total):
    """Squared distance of row i from each centre: of four at a time, whose sums stay in registers."""
    k, m = table.shape[1], cells.shape[1]
    h = 0
    while h + 4 <= k:
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for j in range(m):
            cell = cells[i, j]  # no view of the table's row: making one costs as much as reading it
            a += table[cell, h]
            b += table[cell, h + 1]
            c += table[cell, h + 2]
            d += table[cell, h + 3]
        total[h], total[h + 1], total[h + 2], total[h + 3] = a, b, c, d
        h += 4
    while h < k:  # one to three are left; at the end of an odd number the last is added up twice
        a, b, last = 0.0, 0.0, min(h + 1, k - 1)
        for j in range(m):
            cell = cells[i, j]
            a += table[cell, h]
            b += table[cell, last]
        total[h], total[last] = a, b
        h += 2


@jit
def assign(cells, table, row_weights, lo, hi, labels, distance, mass):
    """Give rows lo to hi - 1 to their nearest centre and add up what the centres' update needs.

    cells       IN  (n, m) int32, cell of each label: those of all clusterings, then one per clustering for missing
    table       IN  (n_cells + m, k) float64, squared distance that a cell adds, for each centre
    row_weights IN  (n,) float64
    labels      OUT (n,) int32
    distance    OUT (n,) float64, squared distance to the nearest centre
    mass        OUT (k, n_cells + m) float64, added to: weight of each cell in each cluster
    """
    k = table.shape[1]
    total = np.empty(k, dtype=np.float64)
    for i in range(lo, hi):
        _distances(cells, i, table, total)
        best = 0
        for h in range(1, k):
            if total[h] < total[best]:
                best = h
        labels[i] = best
        distance[i] = max(total[best], 0.0)
        for j in range(cells.shape[1]):
            mass[best, cells[i, j]] += row_weights[i]


@helper
def _better_cluster(total, size, w, own):
    """The cluster in which a row of weight w adds least (eq. M54), ``own`` unless another gains."""
    gain = w * size[own] / (size[own] - w) * total[own]
    best, least = own, gain - _ROUNDING * max(gain, w)
    for h in range(total.shape[0]):
        if h != own:
            cost = w * size[h] / (size[h] + w) * total[h]
            if cost < least:
                best, least = h, cost
    return best


@jit
def move_rows(cells, row_weights, space, max_sweeps, labels, mass, size, stop):
    """Hartigan's single moves: a row changes its cluster as soon as that lowers the sum of squares.

    labels IN/OUT (n,) int32
    mass   IN/OUT (k, n_cells + m) float64, of the clusters of these labels
    size   IN/OUT (k,) float64
    stop   IN     (1,) uint8, not 0 as soon as it is to return, whatever is done by then

    Returns the number of moves; the last of fewer than ``max_sweeps`` sweeps made none.
    """
    k = mass.shape[0]
    table, total = np.empty((mass.shape[1], k)), np.empty(k)
    for h in range(k):
        _fill_column(mass, size, space, h, table)
    n_moves = 0
    for _ in range(max_sweeps):
        before = n_moves
        for i in range(cells.shape[0]):
            if stop[0] != 0:
                return n_moves
            own, w = labels[i], row_weights[i]
            if size[own] <= w * (1.0 + _ROUNDING):  # the only row of its cluster is at its centre
                continue
            _distances(cells, i, table, total)
            best = _better_cluster(total, size, w, own)
            if best == own:
                continue
            for j in range(cells.shape[1]):
                mass[own, cells[i, j]] -= w
                mass[best, cells[i, j]] += w
            size[own] -= w
            size[best] += w
            labels[i] = best
            _fill_column(mass, size, space, own, table)
            _fill_column(mass, size, space, best, table)
            n_moves += 1
        if n_moves == before:
            break
    return n_moves
