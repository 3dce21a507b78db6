"""Clusters of each clustering renamed after those of a reference, so that the same name means nearly the same objects.

    maximum over one-to-one matchings s of  sum over clusters c of n(c, s(c))                                 (eq. I92)

n(c, r) counts the objects in cluster c of a clustering and in cluster r of the reference.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from partita._labels.columns import as_column, encode_column
from partita._labels.validation import LabelMatrix, check_label_matrix
from partita._memory import ensure_memory
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.ensembles._distinct import check_partition
from partita.results import combine


def align_labels(X: Any, reference: Any = None, *, many_to_one: bool = False, random_state: Any = 0) -> Any:
    """Rename the clusters of each clustering after those of a reference.

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
    reference : array-like of shape (n_samples,), optional
        Partition whose names are taken; by default the consensus of :func:`partita.combine`, clusters 0, 1, ... by
        decreasing size. Objects without a label there do not count.
    many_to_one : bool, default=False
        False: each name of the reference is given to at most one cluster of a clustering, so that as many objects as
        possible have the name that the reference gives them (maximum matching). True: each cluster takes the name of
        the cluster of the reference with which it shares most objects, so that several may have one name.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the consensus.

    Returns
    -------
    aligned : of the kind of X
        pandas and polars frames, dicts and lists as they came, with missing labels as pd.NA or null in frames and -1
        elsewhere; anything else as an integer array. The partitions are the same as before, unless ``many_to_one``.
        Clusters that share no object with a free cluster of the reference get numbers after its largest one, within
        each clustering by decreasing size. If names of the reference are no whole numbers from 0, its clusters are
        numbered in their sorted order.

    Notes
    -----
    Cost O(n m + m k^3) for n objects, m clusterings and k clusters.

    Examples
    --------
    >>> import pandas as pd
    >>> from partita import align_labels
    >>> X = pd.DataFrame({"a": ["x", "x", "y", "y", "y"], "b": [2, 2, 2, 1, None]})
    >>> align_labels(X, [0, 0, 1, 1, 1])
       a     b
    0  0     0
    1  0     0
    2  1     0
    3  1     1
    4  1  <NA>
    """
    if not isinstance(many_to_one, bool | np.bool_):
        raise ValueError(f"many_to_one={many_to_one!r:.60} is not allowed; pass True or False.")
    matrix = check_label_matrix(X)
    names = _reference(matrix, reference, random_state)
    columns = [_renamed(column, names, many_to_one) for column in matrix.codes.T]
    aligned = np.full((matrix.shape[0], matrix.n_columns_in), -1, dtype=np.int64)
    aligned[:, matrix.kept] = np.column_stack(columns)
    return _like(X, aligned)


class _Reference(NamedTuple):
    codes: Codes  # (n,) -1 = missing
    names: IntArray  # number of each cluster


def _reference(matrix: LabelMatrix, reference: Any, random_state: Any) -> _Reference:
    """The partition whose names are taken."""
    if reference is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what combine says of objects and structure is not asked for here
            labels = combine(matrix, random_state=random_state).labels
        return _Reference(labels.astype(np.int32), np.arange(int(labels.max()) + 1))
    codes = check_partition(reference, matrix.shape[0], "reference")
    found = encode_column(as_column(reference, "reference"), "reference", "missing")[1]
    return _Reference(codes, _numbers(found))


def _numbers(found: Array) -> IntArray:
    """The labels themselves where they are whole numbers from 0, else their places."""
    places = np.arange(len(found))
    try:
        values = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        return places
    whole = np.isfinite(values).all() and (values == np.floor(values)).all() and (values >= 0).all()
    small = values.max(initial=0) < 2**31  # new names follow, and text such as "3" is a name, not a number
    return values.astype(np.int64) if whole and small and np.asarray(found).dtype.kind in "iuf" else places


# ------------------------------------------------------------------------------------------------------- one clustering
def _renamed(column: Codes, reference: _Reference, many_to_one: bool) -> IntArray:
    table = shared_objects(column, reference.codes, int(column.max()) + 1, len(reference.names))
    match = largest_shares(table) if many_to_one else best_matching(table)
    number = np.where(match >= 0, reference.names[match], -1)
    new = np.flatnonzero(match < 0)
    by_size = new[np.argsort(-np.bincount(column[column >= 0], minlength=len(match))[new], kind="stable")]
    number[by_size] = reference.names.max() + 1 + np.arange(len(by_size))
    return np.append(number, -1)[column]


def shared_objects(first: Codes, second: Codes, k: int, k_second: int) -> FloatArray:
    """Contingency table of two clusterings over the objects that both label."""
    ensure_memory(
        3 * 8 * k * k_second, purpose=f"matching {k} x {k_second} clusters", instead="pass a reference with fewer."
    )
    both = (first >= 0) & (second >= 0)
    place = first[both].astype(np.int64) * k_second + second[both]
    return np.bincount(place, minlength=k * k_second).reshape(k, k_second).astype(np.float64)


def best_matching(table: FloatArray) -> IntArray:
    """Column of each row in a matching that shares most objects; -1 where it would share none (eq. I92)."""
    match = np.full(len(table), -1)
    rows, cols = linear_sum_assignment(table, maximize=True)
    shared = table[rows, cols] > 0
    match[rows[shared]] = cols[shared]
    return match


def largest_shares(table: FloatArray) -> IntArray:
    """Column with which each row shares most objects, the first among equals; -1 if it shares none."""
    return np.where(table.any(axis=1), table.argmax(axis=1), -1)


# ----------------------------------------------------------------------------------------------------------- containers
def _like(X: Any, aligned: IntArray) -> Any:
    """The numbers in the kind of container that X is."""
    if isinstance(X, pd.DataFrame):
        columns = [_nullable(column) for column in aligned.T]
        frame = pd.concat([pd.Series(column, index=X.index) for column in columns], axis=1)
        frame.columns = X.columns
        return frame
    if hasattr(X, "with_columns") and hasattr(X, "columns"):  # polars
        values = ([None if label < 0 else label for label in column.tolist()] for column in aligned.T)
        return type(X)(dict(zip(X.columns, values, strict=True)))
    if isinstance(X, dict):
        return {name: column.copy() for name, column in zip(X, aligned.T, strict=True)}
    if isinstance(X, list | tuple):
        return [column.copy() for column in aligned.T]
    return aligned


def _nullable(column: IntArray) -> Any:
    """Numbers, with pd.NA for missing ones."""
    missing = column < 0
    return pd.arrays.IntegerArray(column.copy(), missing) if missing.any() else column
