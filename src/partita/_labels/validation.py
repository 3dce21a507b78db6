"""The one door for labels: whatever holds them comes out as int32 codes, or with a clear error.

Everything behind the door trusts its result and checks nothing again.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from partita._labels.columns import as_column, named_columns
from partita._labels.encoding import Noise, encode_column
from partita._runs import warn
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.exceptions import EmptyColumnWarning, LabelMatrixError


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """A validated label matrix: one row an object, one column a clustering.

    Attributes
    ----------
    codes : ndarray of shape (n_samples, n_clusterings), int32, C-contiguous
        Label of each object in each clustering, numbered 0..k_j-1 within column j; -1 = missing.
    labels : list of ndarray
        ``labels[j][code]`` is the label that ``code`` stands for in column j.
    names : list of str
        Name of each column.
    kept : ndarray of int
        Column of the input that each column comes from; columns without any label were dropped.
    n_columns_in : int
        Number of columns of the input.
    """

    codes: Codes
    labels: list[Array]
    names: list[str]
    kept: IntArray
    n_columns_in: int

    @property
    def n_labels(self) -> IntArray:
        """Number of labels in each column."""
        return np.array([len(labels) for labels in self.labels], dtype=np.int64)

    @property
    def shape(self) -> tuple[int, int]:
        """Objects and clusterings."""
        return self.codes.shape[0], self.codes.shape[1]

    @property
    def has_missing(self) -> bool:
        """Whether any label is missing."""
        return bool((self.codes < 0).any())

    def encode(self, X: Any, *, unseen: int = -1) -> Codes:
        """Codes of *new* objects in the numbering of this matrix; missing labels are -1, ones never seen ``unseen``."""
        return encode_new(X, self.labels, self.kept, self.n_columns_in, unseen=unseen)


def check_label_matrix(X: Any, noise: Noise = "missing", *, allow_unlabelled: bool = False) -> LabelMatrix:
    """Read labels from anything that holds them.

    Parameters
    ----------
    X : array, DataFrame, dict or list of columns
        Labels, (n_samples, n_clusterings): integers, floats, booleans, strings, categories or a mixture.
        Missing is NaN, None, pd.NA or -1 (in text also an empty string, "-1" and what "nan" and "None" become).
        A *list* is a list of columns, one clustering each; so is a dict, by name.
    noise : {"missing", "singleton", "cluster"}, default="missing"
        What -1 means: not labelled; noise, each such object a cluster of its own; or noise as one cluster.
        NaN, None and pd.NA always mean missing.
    allow_unlabelled : bool, default=False
        Accept a matrix without a single label (for new objects of a fitted model).

    Returns
    -------
    LabelMatrix
        ``codes``, ``labels``, ``names``. Columns without any label are dropped with a warning.

    Examples
    --------
    >>> from partita import check_label_matrix
    >>> matrix = check_label_matrix({"a": [3, 3, 7, -1], "b": ["x", None, "y", "y"]})
    >>> matrix.codes
    array([[ 0,  0],
           [ 0, -1],
           [ 1,  1],
           [-1,  1]], dtype=int32)
    >>> matrix.names, matrix.n_labels
    (['a', 'b'], array([2, 2]))
    """
    if isinstance(X, LabelMatrix):
        return X
    if noise not in ("missing", "singleton", "cluster"):
        raise ValueError(f"noise={noise!r} is not known; choose 'missing', 'singleton' or 'cluster'.")
    names, columns = named_columns(X)
    codes = np.empty((len(columns[0]), len(columns)), dtype=np.int32)
    labels = []
    for j, (name, column) in enumerate(zip(names, columns, strict=True)):
        codes[:, j], found = encode_column(column, name, noise)
        labels.append(found)
    kept = np.flatnonzero([len(found) > 0 for found in labels])
    if len(kept) < len(columns):
        codes, labels = _drop_empty(codes, labels, names, kept, allow_unlabelled)
    return LabelMatrix(codes, labels, [names[j] for j in kept], kept, n_columns_in=len(columns))


def encode_new(X: Any, labels: list[Array], columns: IntArray, n_columns_in: int, *, unseen: int) -> Codes:
    """Codes of new objects in a numbering of labels: ``labels[j][code]`` is a label of column ``columns[j]`` of X.

    Missing labels are -1, labels that are not in the numbering ``unseen``.
    """
    new = check_label_matrix(X, allow_unlabelled=True)
    if new.n_columns_in != n_columns_in:
        raise LabelMatrixError(
            f"X has {new.n_columns_in} clusterings, but {n_columns_in} were fitted; pass the same columns."
        )
    codes = np.full((new.codes.shape[0], len(columns)), -1, dtype=np.int32)
    place = {int(column): j for j, column in enumerate(new.kept)}
    for j, column in enumerate(columns.tolist()):
        if column in place:
            known = {label: code for code, label in enumerate(labels[j].tolist())}
            of_new = new.labels[place[column]].tolist()
            translate = np.array([known.get(label, unseen) for label in of_new] + [-1], dtype=np.int32)
            codes[:, j] = translate[new.codes[:, place[column]]]
    return codes


def check_labels(labels: Any, name: str) -> Codes:
    """Codes of one partition, a 1-D sequence of labels; -1 where a label is missing."""
    column = as_column(labels, name)
    if column.ndim != 1:
        raise LabelMatrixError(f"{name} has shape {column.shape}; a partition is one label an object, shape (n,).")
    if len(column) == 0:
        raise LabelMatrixError(f"{name} is empty; a partition has at least one object.")
    return encode_column(column, name, "missing")[0]


def check_sample_weight(sample_weight: Any, n_samples: int) -> FloatArray:
    """Non-negative, finite weights of the objects; ones where none are given."""
    if sample_weight is None:
        return np.ones(n_samples)
    weight = _as_numbers("sample_weight", sample_weight)
    if weight.ndim == 0:
        weight = np.full(n_samples, float(weight))
    if weight.shape != (n_samples,):
        raise ValueError(f"sample_weight has shape {weight.shape}; pass one weight an object, shape ({n_samples},).")
    _check_weights("sample_weight", weight)
    return weight


def check_weights(weights: Any, matrix: LabelMatrix) -> FloatArray:
    """Non-negative, finite weights of the clusterings that were kept; ones where none are given."""
    if weights is None:
        return np.ones(len(matrix.kept))
    weight = _as_numbers("weights", weights)
    if weight.shape != (matrix.n_columns_in,):
        raise ValueError(
            f"weights has shape {weight.shape}; pass one weight a clustering, shape ({matrix.n_columns_in},)."
        )
    _check_weights("weights", weight)
    return weight[matrix.kept]


def _as_numbers(name: str, values: Any) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, received {values!r:.60}.") from None


def _check_weights(name: str, weight: FloatArray) -> None:
    if not np.isfinite(weight).all() or (weight < 0).any():
        bad = int(np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))[0])
        raise ValueError(f"{name}[{bad}]={weight[bad]} is not a weight; weights are finite and not negative.")
    if not (weight > 0).any():
        raise ValueError(f"{name} is zero everywhere; at least one weight must be positive.")


def _drop_empty(
    codes: Codes, labels: list[Array], names: list[str], kept: IntArray, allow_unlabelled: bool
) -> tuple[Codes, list[Array]]:
    if len(kept) == 0:
        if allow_unlabelled:
            return codes[:, :0], []
        raise LabelMatrixError(
            f"all {codes.size} labels of X, shape {codes.shape}, are missing (NaN, None, pd.NA or -1); "
            "at least one object needs a label."
        )
    dropped = [name for j, name in enumerate(names) if j not in set(kept.tolist())]
    shown = ", ".join(map(repr, dropped[:5])) + (", ..." if len(dropped) > 5 else "")
    if not allow_unlabelled:
        warn(
            f"{len(dropped)} of {len(names)} clusterings have no label at all and were dropped: {shown}.",
            EmptyColumnWarning,
        )
    return np.ascontiguousarray(codes[:, kept]), [labels[j] for j in kept]
