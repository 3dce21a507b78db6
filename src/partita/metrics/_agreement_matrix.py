"""Agreement of every two clusterings of an ensemble, from one contingency table per pair (eqs. I1, I10, I12)."""

from typing import Literal

import numpy as np

from partita._checks import check_choice
from partita._typing import Array, Codes, FloatArray
from partita.metrics._table_scores import TableCells, adjusted_rand_of, nmi_of

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
    score = adjusted_rand_of if measure == "adjusted_rand" else nmi_of
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


def _cross(first: Array, second: Array, shape: tuple[int, int], weights: FloatArray) -> TableCells:
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
    return TableCells(cells, rows, cols, np.bincount(rows, cells), np.bincount(cols, cells))
