"""Metrics that match clusters with classes: one to one (eq. I2), many to one (eq. I4), or by F-measures (eqs. I6, I8).

All are scores: higher is better, 1 is a perfect match.
"""

from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from partita._checks import check_choice
from partita._memory import ensure_memory
from partita.metrics._contingency import Contingency, contingency, largest_share

_ADVICE = "compare partitions with fewer clusters."


def consistency_index(labels_true: Any, labels_pred: Any) -> float:
    """Share of objects on which two partitions agree under the best one-to-one matching (H, or CI).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Two partitions; objects that are -1 (or NaN, None) in one of them are left out, with a warning.

    Returns
    -------
    score : float in (0, 1]
        Symmetric; 1 if and only if the partitions are the same.

    Examples
    --------
    >>> from partita.metrics import consistency_index
    >>> consistency_index([0, 0, 1, 1, 1], ["b", "b", "a", "a", "b"])
    0.8
    """
    table = contingency(labels_true, labels_pred)
    return _largest_matching(table) / table.n_objects


def _largest_matching(table: Contingency) -> int:
    """Objects in the best one-to-one matching; connected parts of the table are matched one by one."""
    n_rows, n_cols = len(table.row_sums), len(table.col_sums)
    graph = sparse.coo_array((table.cells, (table.rows, n_rows + table.cols)), shape=(n_rows + n_cols,) * 2)
    n_parts, part = connected_components(graph, directed=False)
    row_part, col_part = part[:n_rows], part[n_rows:]
    stars = np.minimum(np.bincount(row_part, minlength=n_parts), np.bincount(col_part, minlength=n_parts)) == 1
    best = np.zeros(n_parts, dtype=np.int64)  # a part with one row or one column matches its largest cell
    np.maximum.at(best, row_part[table.rows], table.cells)
    for p in np.flatnonzero(~stars):
        rows, cols = np.flatnonzero(row_part == p), np.flatnonzero(col_part == p)
        inside = row_part[table.rows] == p
        ensure_memory(
            8 * len(rows) * len(cols), purpose=f"matching {len(rows)} x {len(cols)} clusters", instead=_ADVICE
        )
        part_table = np.zeros((len(rows), len(cols)), dtype=np.int64)
        at = np.searchsorted(rows, table.rows[inside]), np.searchsorted(cols, table.cols[inside])
        part_table[at] = table.cells[inside]
        best[p] = part_table[linear_sum_assignment(part_table, maximize=True)].sum()
    return int(best.sum())


def micro_precision(labels_true: Any, labels_pred: Any) -> float:
    """Share of objects that belong to the majority class of their cluster (MP, also called purity).

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        Classes.
    labels_pred : array-like of shape (n_samples,)
        Clusters.

    Returns
    -------
    score : float in (0, 1]
        Never below the share of the largest class, and 1 if every object is its own cluster. Not symmetric; compare
        only partitions with the same number of clusters.

    Examples
    --------
    >>> from partita.metrics import micro_precision
    >>> micro_precision([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    table = contingency(labels_true, labels_pred)
    majority = largest_share(table.cols, table.cells.astype(np.float64))
    return float(majority.sum() / table.n_objects)


def f1_score(labels_true: Any, labels_pred: Any, *, recall: Literal["cluster", "class"] = "cluster") -> float:
    """Macro F1 of clusters against classes, with the recall of the NBCE paper.

    Precision is the mean over clusters of the largest share of the cluster that one class holds. Recall is
    the mean over *clusters* of the largest share of a class that the cluster holds (``recall="cluster"``), or
    the mean over *classes* of the largest share that one cluster holds (``recall="class"``).

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        Classes.
    labels_pred : array-like of shape (n_samples,)
        Clusters.
    recall : {"cluster", "class"}, default="cluster"
        Over what recall is averaged.

    Returns
    -------
    score : float in [0, 1]

    Examples
    --------
    >>> from partita.metrics import f1_score
    >>> round(f1_score([0, 0, 1, 1], [0, 0, 0, 1]), 3)
    0.789
    """
    check_choice("recall", recall, ("cluster", "class"))
    table = contingency(labels_true, labels_pred)
    of_cluster = table.cells / table.col_sums[table.cols]
    of_class = table.cells / table.row_sums[table.rows]
    precision = largest_share(table.cols, of_cluster).mean()
    over = table.cols if recall == "cluster" else table.rows
    sensitivity = largest_share(over, of_class).mean()
    return float(2 * precision * sensitivity / (precision + sensitivity))


def class_weighted_f1_score(labels_true: Any, labels_pred: Any) -> float:
    """Mean over objects of the best F-measure that a cluster reaches for the object's class.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        Classes.
    labels_pred : array-like of shape (n_samples,)
        Clusters.

    Returns
    -------
    score : float in [0, 1]
        sum_c (n_c / n) max_h 2 n_hc / (n_h + n_c).

    Examples
    --------
    >>> from partita.metrics import class_weighted_f1_score
    >>> round(class_weighted_f1_score([0, 0, 1, 1], [0, 0, 0, 1]), 3)
    0.733
    """
    table = contingency(labels_true, labels_pred)
    f_measure = 2 * table.cells / (table.row_sums[table.rows] + table.col_sums[table.cols])
    best = largest_share(table.rows, f_measure)
    return float(table.row_sums @ best / table.n_objects)
