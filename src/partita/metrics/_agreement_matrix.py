"""Agreement of every two clusterings of an ensemble, from one contingency table per pair (eqs. I1, I10, I12)."""

from typing import Literal, NamedTuple

import numpy as np

from partita._checks import check_choice
from partita._typing import Array, Codes, FloatArray

Measure = Literal["adjusted_rand", "nmi"]
MEASURES = ("adjusted_rand", "nmi")
_WIDE = 4  # cells of a table per row; of a wider one the cells that occur are found by sorting


def agreement_matrix(codes: Codes, n_objects: Array, measure: Measure = "adjusted_rand") -> FloatArray:
    """Agreement of every two columns over the objects that both label.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, n_clusterings)
        Label codes, -1 = missing: rows of objects, or distinct rows.
    n_objects : ndarray of shape (n_rows,)
        Number of objects of each row.
    measure : {"adjusted_rand", "nmi"}, default="adjusted_rand"
        As :func:`adjusted_rand_score`, or :func:`normalized_mutual_info_score` with its geometric mean.

    Returns
    -------
    agreement : ndarray of shape (n_clusterings, n_clusterings)
        Symmetric; NaN where no object has both labels.

    Notes
    -----
    Cost O(r m^2) for r rows of m labels.

    Examples
    --------
    >>> import numpy as np
    >>> from partita.metrics._agreement_matrix import agreement_matrix
    >>> agreement_matrix(np.array([[0, 1], [0, 1], [1, 0], [1, 0]]), np.ones(4))
    array([[1., 1.],
           [1., 1.]])
    """
    check_choice("measure", measure, MEASURES)
    score = _adjusted_rand if measure == "adjusted_rand" else _nmi
    m = codes.shape[1]
    widths = codes.max(axis=0, initial=-1).astype(np.int64) + 2  # the first cell is for missing labels
    columns = np.ascontiguousarray(codes.T, dtype=np.int64) + 1
    weights = np.asarray(n_objects, dtype=np.float64)
    agreement = np.empty((m, m))
    for i in range(m):
        for j in range(i, m):
            table = _cross(columns[i], columns[j], (int(widths[i]), int(widths[j])), weights)
            agreement[i, j] = agreement[j, i] = score(table) if len(table.cells) else np.nan
    return agreement


class _Cells(NamedTuple):
    """Cells above 0 of a contingency table, and its margins."""

    cells: Array  # numbers of objects, as floats
    rows: Array  # of the cells
    cols: Array
    row_sums: Array
    col_sums: Array


def _cross(first: Array, second: Array, shape: tuple[int, int], weights: FloatArray) -> _Cells:
    """Cross-tabulate two columns over the rows with both labels."""
    place = first * shape[1] + second
    if shape[0] * shape[1] <= _WIDE * len(place) + 1000:
        counted = np.bincount(place, weights=weights)
        places = np.flatnonzero(counted)
        cells = counted[places]
    else:
        places, inverse = np.unique(place, return_inverse=True)
        cells = np.bincount(inverse, weights=weights)
    rows, cols = np.divmod(places, shape[1])
    kept = (rows > 0) & (cols > 0) & (cells > 0)
    cells, rows, cols = cells[kept], rows[kept], cols[kept]
    return _Cells(cells, rows, cols, np.bincount(rows, cells), np.bincount(cols, cells))


def _adjusted_rand(table: _Cells) -> float:
    """From numbers of ordered pairs, in whole numbers: they are exact for any number of objects."""
    n = int(table.cells.sum())
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


def _nmi(table: _Cells) -> float:
    """Mutual information by the geometric mean of the entropies; 1 if neither has any, 0 if one has none (eq. I13)."""
    n = table.cells.sum()
    entropies = [_entropy(table.row_sums / n), _entropy(table.col_sums / n)]
    if min(entropies) <= 0:
        return 1.0 if max(entropies) <= 0 else 0.0
    by_chance = table.row_sums[table.rows] * table.col_sums[table.cols] / n
    information = float((table.cells / n) @ np.log(table.cells / by_chance))
    return float(np.clip(information / np.sqrt(entropies[0] * entropies[1]), 0.0, 1.0))


def _entropy(share: Array) -> float:
    there = share[share > 0]
    return 0.0 if len(there) == 1 else float(-(there @ np.log(there)))
