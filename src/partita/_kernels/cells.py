"""Sums over the labels of rows: tables of pairs of cells, and rows of a table of cells added up.

A cell is one label of one clustering, ``first_cell[m] + code``. Rows are taken in order, so that sums have the bits of
the sparse products that serve few rows.
"""

from partita._kernels._jit import jit


@jit
def add_pairs(codes, first_cell, values, cells, out):
    """Add the value of each row to ``out[c, d]`` for all pairs of its cells c <= d.

    codes (n, m) int32, first_cell (m,) int64, values (n,), cells (m,) int64 is work space, out (t, t).
    """
    n, m = codes.shape
    for r in range(n):
        n_seen = 0
        for j in range(m):
            if codes[r, j] >= 0:
                cells[n_seen] = first_cell[j] + codes[r, j]
                n_seen += 1
        value = values[r]
        for a in range(n_seen):
            c = cells[a]
            for b in range(a, n_seen):
                out[c, cells[b]] += value


@jit
def sum_labels(codes, first_cell, table, out):
    """Sum of the rows of a table over the cells of each row: codes (n, m) int32, table (t, k), out (n, k)."""
    n, m = codes.shape
    k = table.shape[1]
    for r in range(n):
        for q in range(k):
            out[r, q] = 0.0
        for j in range(m):
            if codes[r, j] >= 0:
                c = first_cell[j] + codes[r, j]
                for q in range(k):
                    out[r, q] += table[c, q]
