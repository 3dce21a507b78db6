"""Two partitions side by side: the table that every external metric is computed from (eq. I1)."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from partita._labels.validation import check_labels
from partita._memory import ensure_memory
from partita._typing import Codes, FloatArray, IntArray
from partita.metrics._left_out import warn_left_out


class Contingency(NamedTuple):
    """Cells above 0 of the contingency table of two partitions (rows: first, columns: second)."""

    rows: IntArray
    cols: IntArray
    cells: IntArray
    row_sums: IntArray
    col_sums: IntArray
    n_objects: int
    n_left_out: int  # objects that are unlabelled in one of the two

    def dense(self) -> IntArray:
        """The table as an array."""
        shape = (len(self.row_sums), len(self.col_sums))
        ensure_memory(8 * shape[0] * shape[1], purpose=f"a {shape[0]} x {shape[1]} table", instead="merge clusters.")
        table = np.zeros(shape, dtype=np.int64)
        table[self.rows, self.cols] = self.cells
        return table

    @property
    def is_bijection(self) -> bool:
        """Whether both partitions are the same up to the names of the clusters."""
        return len(self.cells) == len(self.row_sums) == len(self.col_sums)


def contingency(labels_true: Any, labels_pred: Any) -> Contingency:
    """Cross-tabulate two partitions over the objects that are labelled in both.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any type; missing = -1, NaN, None.

    Returns
    -------
    Contingency
        ``n_left_out`` counts the objects left out; if there are any, a LeftOutWarning says so.
    """
    first, second, n_left_out = paired_codes(labels_true, labels_pred)
    return cross_tabulate(first, second, n_left_out)


def paired_codes(labels_true: Any, labels_pred: Any) -> tuple[Codes, Codes, int]:
    """Codes of the objects that two partitions both label, and how many were left out, with a warning."""
    first = check_labels(labels_true, "labels_true")
    second = check_labels(labels_pred, "labels_pred")
    if len(first) != len(second):
        raise ValueError(
            f"labels_true has {len(first)} labels, but labels_pred has {len(second)}; pass one label per object."
        )
    n_objects = len(first)
    first, second = labelled_in_both(first, second)
    n_left_out = n_objects - len(first)
    warn_left_out(n_left_out, n_objects, "are unlabelled in one of the partitions and were left out")
    return first, second, n_left_out


def labelled_in_both(first: Codes, second: Codes) -> tuple[Codes, Codes]:
    """Codes of the objects that both partitions label; refuse if there is none."""
    kept = (first >= 0) & (second >= 0)
    if not kept.any():
        raise ValueError("no object is labelled in both partitions, so they cannot be compared.")
    return (first, second) if kept.all() else (first[kept], second[kept])


def cross_tabulate(first: Codes, second: Codes, n_left_out: int = 0) -> Contingency:
    """Contingency of coded partitions without missing labels; codes that no object has do not count."""
    shape = (int(first.max()) + 1, int(second.max()) + 1)
    table = sparse.coo_array((np.ones(len(first), dtype=np.int64), (first, second)), shape=shape).tocsr().tocoo()
    rows, row = np.unique(table.coords[0], return_inverse=True)
    cols, col = np.unique(table.coords[1], return_inverse=True)
    return Contingency(
        row,
        col,
        table.data,
        np.bincount(row, weights=table.data, minlength=len(rows)).astype(np.int64),
        np.bincount(col, weights=table.data, minlength=len(cols)).astype(np.int64),
        n_objects=len(first),
        n_left_out=n_left_out,
    )


def largest_share(by: IntArray, of: FloatArray) -> FloatArray:
    """Largest value ``of`` the cells in each group of ``by``."""
    best = np.zeros(int(by.max()) + 1)
    np.maximum.at(best, by, of)
    return best
