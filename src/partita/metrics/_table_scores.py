"""Scores of two partitions from their contingency table alone, at any number of objects (eqs. I1, I10, I12, I15)."""

from typing import NamedTuple

import numpy as np

from partita._typing import Array


class TableCells(NamedTuple):
    """Cells above 0 of a contingency table, and its margins."""

    cells: Array  # numbers of objects, as floats
    rows: Array  # of the cells
    cols: Array
    row_sums: Array
    col_sums: Array

    @property
    def n_objects(self) -> int:
        """Objects that both partitions label."""
        return round(float(self.cells.sum()))


def table_cells(table: Array) -> TableCells:
    """The cells of a table that is given as an array."""
    rows, cols = np.nonzero(table)
    return TableCells(table[rows, cols].astype(np.float64), rows, cols, table.sum(axis=1), table.sum(axis=0))


def adjusted_rand_of(table: TableCells) -> float:
    """From numbers of ordered pairs, in whole numbers: they are exact for any number of objects."""
    n = table.n_objects
    both, first, second = (_squares(sizes) - n for sizes in (table.cells, table.row_sums, table.col_sums))
    only_first, only_second = first - both, second - both
    neither = n * n - n - first - second + both
    if only_first == 0 and only_second == 0:
        return 1.0
    above = 2 * (both * neither - only_first * only_second)
    return above / ((both + only_first) * (only_first + neither) + (both + only_second) * (only_second + neither))


def _squares(sizes: Array) -> int:
    whole = np.rint(sizes).astype(np.int64)
    return int((whole * whole).sum())


def nmi_of(table: TableCells) -> float:
    """Mutual information by the geometric mean of the entropies; 1 if neither has any, 0 if one has none (eq. I13)."""
    first, second = entropies(table)
    if min(first, second) <= 0:
        return 1.0 if max(first, second) <= 0 else 0.0
    return float(np.clip(mutual_information(table) / np.sqrt(first * second), 0.0, 1.0))


def mutual_information(table: TableCells) -> float:
    """In nats."""
    n = table.cells.sum()
    by_chance = table.row_sums[table.rows] * table.col_sums[table.cols] / n
    return float((table.cells / n) @ np.log(table.cells / by_chance))


def entropies(table: TableCells) -> tuple[float, float]:
    """Of both partitions, in nats."""
    n = table.cells.sum()
    return _entropy(table.row_sums / n), _entropy(table.col_sums / n)


def _entropy(share: Array) -> float:
    there = share[share > 0]
    return 0.0 if len(there) == 1 else float(-(there @ np.log(there)))
