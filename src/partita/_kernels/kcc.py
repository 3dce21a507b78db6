"""k-means with the divergences of utilities (KCC, k-modes): distances by table look-up, and single moves.

A cluster is known by its ``mass``: the weight of its rows with each label of each clustering. With s the masses of one
clustering in one cluster and n their sum, the cluster has the value psi(s) = n phi(s / n) of the utility (eq. U3);
the objective is the sum of a (K0 n - psi(s)). Cells of missing labels come after those of the labels, and cost nothing.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._kernels import label_kmeans
from partita._kernels._jit import helper, jit, jit_over
from partita._kernels.label_kmeans import _distances

CATEGORY, ENTROPY, COSINE, NORM, MODES = range(5)  # phi: sum p^2, sum p log2 p, |p|_2, |p|_power, max p

_ROUNDING = 1e-13  # of what two clusters weigh: a move that gains less could be one of rounding, and be taken back
_PER_E = 1.0 / math.log(2.0)  # log2(e)


class Utility(NamedTuple):
    """A utility and the clusterings that it is summed over."""

    first_cell: Any  # (m + 1,) int64, first cell of each clustering; the last entry is the number of cells of labels
    weights: Any  # (m,) float64, a of each clustering
    prior: Any  # (n_cells,) float64, P: share of each label among the observed ones
    kind: int  # CATEGORY, ...
    power: float  # of NORM
    unseen: float  # least weight of a row, for the floor of ENTROPY (eq. U9)


# ------------------------------------------------------------------------------------------------------ psi and phi
@helper
def _term(x, utility):
    """What one label adds to the sum from which psi is made; to the maximum for MODES."""
    if utility.kind == ENTROPY:
        return x * math.log2(x) if x > 0.0 else 0.0
    if utility.kind == NORM:
        return x**utility.power if x > 0.0 else 0.0
    return x if utility.kind == MODES else x * x


@helper
def _psi(total, n, utility):
    """psi(s) = n phi(s / n), from the sum of the terms of s (eq. U3)."""
    if n <= 0.0:
        return 0.0
    if utility.kind == CATEGORY:
        return total / n
    if utility.kind == ENTROPY:
        return total - n * math.log2(n)
    if utility.kind == COSINE:
        return math.sqrt(total)
    return total ** (1.0 / utility.power) if utility.kind == NORM else total


@helper
def _sum_block(mass, h, j, utility, total, seen):
    """Sum of the terms of one clustering in one cluster (their maximum for MODES), and weight of its labels."""
    terms, n = 0.0, 0.0
    for cell in range(utility.first_cell[j], utility.first_cell[j + 1]):
        s = mass[h, cell]
        n += s
        terms = max(terms, s) if utility.kind == MODES else terms + _term(s, utility)
    total[h, j], seen[h, j] = terms, n


@helper
def _gain(s, w, total, n, utility):
    """psi(s + w e) - psi(s): what psi grows by if a row of weight w with this label joins (eq. U7)."""
    if utility.kind == MODES:
        return max(s + w - total, 0.0)
    if utility.kind == ENTROPY:  # the differences of terms of s and of n keep more digits than psi
        return (_term(s + w, utility) - _term(s, utility)) - (_term(n + w, utility) - _term(n, utility))
    return _psi(total - _term(s, utility) + _term(s + w, utility), n + w, utility) - _psi(total, n, utility)


@helper
def _second(mass, h, j, chosen, utility):
    """Largest mass of the labels of a clustering other than ``chosen``."""
    best = 0.0
    for cell in range(utility.first_cell[j], utility.first_cell[j + 1]):
        if cell != chosen:
            best = max(best, mass[h, cell])
    return best


@helper
def _loss(mass, h, j, cell, w, total, seen, utility):
    """psi(s) - psi(s - w e): what psi falls by if a row of weight w leaves (eq. U7)."""
    s, n = mass[h, cell], seen[h, j]
    rest = max(s - w, 0.0)
    if utility.kind == MODES:
        return total[h, j] - max(_second(mass, h, j, cell, utility), rest)
    if utility.kind == ENTROPY:
        return (_term(s, utility) - _term(rest, utility)) - (_term(n, utility) - _term(max(n - w, 0.0), utility))
    left = max(total[h, j] - _term(s, utility) + _term(rest, utility), 0.0)
    return _psi(total[h, j], n, utility) - _psi(left, n - w, utility)


@helper
def _spread(mass, h, j, utility):
    """K0 n - psi(s) of one clustering in one cluster (eq. U4), from terms that are not negative.

    The difference itself would have no digit left where one label outweighs the others by far. ``rest`` is n less the
    largest mass; for other labels n - s is at least n / 2, and loses nothing.
    """
    mode, rest, total = utility.first_cell[j], 0.0, 0.0
    for cell in range(utility.first_cell[j], utility.first_cell[j + 1]):
        if mass[h, cell] > mass[h, mode]:
            mode = cell
    most = mass[h, mode]
    for cell in range(utility.first_cell[j], utility.first_cell[j + 1]):
        if cell != mode:
            rest += mass[h, cell]
    if utility.kind == MODES or rest <= 0.0:
        return rest
    n = most + rest
    for cell in range(utility.first_cell[j], utility.first_cell[j + 1]):
        s = mass[h, cell]
        if utility.kind == NORM:
            total += (s / most) ** utility.power if cell != mode else 0.0
        elif utility.kind != ENTROPY:
            total += s * ((rest if cell == mode else n - s) / n)  # sum of s (n - s) / n = n - |s|^2 / n
        elif s > 0.0:
            total += s * (math.log1p(rest / most) * _PER_E if cell == mode else math.log2(n / s))
    if utility.kind == NORM:  # n - |s| = rest - most ((1 + sum of (s / most)^power)^(1 / power) - 1)
        return max(rest - most * math.expm1(math.log1p(total) / utility.power), 0.0)
    if utility.kind == COSINE:  # n - |s| = (n^2 - |s|^2) / (n + |s|), with |s|^2 = n (n - total)
        return total / (1.0 + math.sqrt(max(1.0 - total / n, 0.0)))
    return total


@jit
def objective(mass, utility):
    """Sum of a (K0 n - psi) over clusters and clusterings (eq. U4).

    mass IN (k, n_cells + m) float64
    """
    value = 0.0
    for h in range(mass.shape[0]):
        for j in range(utility.weights.shape[0]):
            value += utility.weights[j] * _spread(mass, h, j, utility)
    return value


# -------------------------------------------------------------------------------------------------- nearest centres
@helper
def _divergence(share, terms, n, utility):
    """Divergence of a label from a centre with this share of it and this sum of terms (eqs. U5, U9)."""
    if utility.kind == CATEGORY:
        return max(1.0 + terms - 2.0 * share, 0.0)
    if utility.kind == ENTROPY:
        u = utility.unseen
        return -math.log2(share) if share > 0.0 else math.log2((n + u) / u) + _PER_E
    if utility.kind == COSINE:
        return 1.0 - share / math.sqrt(terms)
    return 1.0 - (share / terms ** (1.0 / utility.power)) ** (utility.power - 1.0)


@helper
def _mark_mode(h, j, utility, table):
    """Shares of a clustering in a column of the table become 0 at the first of the largest, its weight elsewhere."""
    mode = utility.first_cell[j]
    for cell in range(utility.first_cell[j], utility.first_cell[j + 1]):
        if table[cell, h] > table[mode, h]:
            mode = cell
    for cell in range(utility.first_cell[j], utility.first_cell[j + 1]):
        table[cell, h] = 0.0 if cell == mode else utility.weights[j]


@jit
def fill_table(mass, utility, table):
    """Divergence that each cell adds, for the centre of each cluster; P where a cluster has no label of a clustering.

    mass  IN  (k, n_cells + m) float64
    table OUT (n_cells + m, k) float64
    """
    m = utility.weights.shape[0]
    n_cells = utility.first_cell[m]
    for h in range(mass.shape[0]):
        for j in range(m):
            n, terms = 0.0, 0.0
            for cell in range(utility.first_cell[j], utility.first_cell[j + 1]):
                n += mass[h, cell]
            for cell in range(utility.first_cell[j], utility.first_cell[j + 1]):
                share = mass[h, cell] / n if n > 0.0 else utility.prior[cell]
                table[cell, h] = share
                terms += _term(share, utility)
            table[n_cells + j, h] = 0.0
            if utility.kind == MODES:
                _mark_mode(h, j, utility, table)
                continue
            for cell in range(utility.first_cell[j], utility.first_cell[j + 1]):
                table[cell, h] = utility.weights[j] * _divergence(table[cell, h], terms, n, utility)


# ------------------------------------------------------------------------------------------------------ single moves
@jit
def count_cells(cells, row_weights, labels, mass):
    """Weight of each cell in each cluster.

    cells  IN  (n, m) int32
    labels IN  (n,) int32
    mass   OUT (k, n_cells + m) float64, added to
    """
    for i in range(cells.shape[0]):
        for j in range(cells.shape[1]):
            mass[labels[i], cells[i, j]] += row_weights[i]


@helper
def _refresh(mass, h, w, utility, total, seen, table):
    """Sums of cluster h, and what a row of weight w with each label gains there."""
    m = utility.weights.shape[0]
    for j in range(m):
        _sum_block(mass, h, j, utility, total, seen)
        for cell in range(utility.first_cell[j], utility.first_cell[j + 1]):
            table[cell, h] = utility.weights[j] * _gain(mass[h, cell], w, total[h, j], seen[h, j], utility)
        table[utility.first_cell[m] + j, h] = 0.0


@helper
def _gain_directly(cells, i, w, mass, utility, total, seen, gained):
    """What row i gains in each cluster, where the table is of another weight."""
    m = cells.shape[1]
    n_cells = utility.first_cell[m]
    for h in range(mass.shape[0]):
        gained[h] = 0.0
        for j in range(m):
            cell = cells[i, j]
            if cell < n_cells:
                gained[h] += utility.weights[j] * _gain(mass[h, cell], w, total[h, j], seen[h, j], utility)


@helper
def _lost(cells, i, own, w, mass, utility, total, seen):
    """What the cluster of row i loses without it."""
    m = cells.shape[1]
    lost = 0.0
    for j in range(m):
        if cells[i, j] < utility.first_cell[m]:
            lost += utility.weights[j] * _loss(mass, own, j, cells[i, j], w, total, seen, utility)
    return lost


@jit_over(label_kmeans)
def sweep_rows(cells, row_weights, utility, common, labels, mass, size, stop):
    """One sweep of single moves: a row changes its cluster as soon as that lowers the objective (eq. U8).

    cells  IN     (n, m) int32
    common IN     weight that most rows have: what they gain is kept in a table
    labels IN/OUT (n,) int32
    mass   IN/OUT (k, n_cells + m) float64, of the clusters of these labels
    size   IN/OUT (k,) float64, weight of each cluster
    stop   IN     (1,) uint8, not 0 as soon as it is to return, whatever is done by then

    Returns the number of moves. The only row of a cluster stays.
    """
    k, m = mass.shape[0], cells.shape[1]
    total, seen = np.empty((k, m)), np.empty((k, m))
    table, gained = np.empty((mass.shape[1], k)), np.empty(k)
    scale = 0.0
    for j in range(m):
        scale += utility.weights[j] * _ROUNDING
    for h in range(k):
        _refresh(mass, h, common, utility, total, seen, table)
    n_moves = 0
    for i in range(cells.shape[0]):
        if stop[0] != 0:
            break
        own, w = labels[i], row_weights[i]
        if size[own] <= w * (1.0 + 1e-12):
            continue
        if w == common:
            _distances(cells, i, table, gained)
        else:
            _gain_directly(cells, i, w, mass, utility, total, seen, gained)
        best = own
        for h in range(k):
            if h != own and (best == own or gained[h] > gained[best]):
                best = h
        lost = _lost(cells, i, own, w, mass, utility, total, seen)
        if best == own or gained[best] <= lost + scale * (size[own] + size[best]):
            continue
        for j in range(m):
            mass[own, cells[i, j]] = max(mass[own, cells[i, j]] - w, 0.0)
            mass[best, cells[i, j]] += w
        size[own] -= w
        size[best] += w
        labels[i] = best
        _refresh(mass, own, common, utility, total, seen, table)
        _refresh(mass, best, common, utility, total, seen, table)
        n_moves += 1
    return n_moves
