"""The one door for labels: whatever holds them comes out as int32 codes, or with a clear error.

Everything behind the door trusts its result and checks nothing again.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from partita._typing import Array, Codes, FloatArray, IntArray
from partita.exceptions import EmptyColumnWarning, FeaturesWarning, LabelMatrixError

Noise = Literal["missing", "singleton", "cluster"]

# what NumPy and pandas write for a missing value when they turn it into text
_MISSING_TEXT = ("", "-1", "nan", "NaN", "None", "<NA>", "NaT")
_ALLOWED = (
    "pass an (n_samples, n_clusterings) array, a pandas or polars frame, a dict of columns, or a list of "
    "columns, one clustering a column"
)


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
    n_columns_in: int = field(default=0)

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

    def encode(self, X: Any) -> Codes:
        """Codes of *new* objects in the numbering of this matrix; labels never seen become -1."""
        new = check_label_matrix(X, allow_unlabelled=True)
        if new.n_columns_in != self.n_columns_in:
            raise LabelMatrixError(
                f"X has {new.n_columns_in} clusterings, but {self.n_columns_in} were fitted; pass the same columns."
            )
        codes = np.full((new.codes.shape[0], len(self.kept)), -1, dtype=np.int32)
        place = {int(column): j for j, column in enumerate(new.kept)}
        for j, column in enumerate(self.kept):
            if int(column) in place:
                known = {label: code for code, label in enumerate(self.labels[j].tolist())}
                of_new = new.labels[place[int(column)]].tolist()
                translate = np.array([known.get(label, -1) for label in of_new] + [-1], dtype=np.int32)
                codes[:, j] = translate[new.codes[:, place[int(column)]]]
        return codes


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
    names, columns = _columns_of(X)
    n_samples = _common_length(names, columns)
    codes = np.empty((n_samples, len(columns)), dtype=np.int32)
    labels = []
    for j, (name, column) in enumerate(zip(names, columns, strict=True)):
        codes[:, j], found = _encode(column, name, noise)
        labels.append(found)
    kept = np.flatnonzero([len(found) > 0 for found in labels])
    if len(kept) < len(columns):
        codes, labels = _drop_empty(codes, labels, names, kept, allow_unlabelled)
    return LabelMatrix(codes, labels, [names[j] for j in kept], kept, n_columns_in=len(columns))


def check_labels(labels: Any, name: str) -> Codes:
    """Codes of one partition, a 1-D sequence of labels; -1 where a label is missing."""
    column = _as_column(labels)
    if column.ndim != 1:
        raise LabelMatrixError(f"{name} has shape {column.shape}; a partition is one label an object, shape (n,).")
    if len(column) == 0:
        raise LabelMatrixError(f"{name} is empty; a partition has at least one object.")
    return _encode(column, name, "missing")[0]


def check_sample_weight(sample_weight: Any, n_samples: int) -> FloatArray:
    """Non-negative, finite weights of the objects; ones where none are given."""
    if sample_weight is None:
        return np.ones(n_samples)
    weight = np.asarray(sample_weight, dtype=np.float64)
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
    weight = np.asarray(weights, dtype=np.float64)
    if weight.shape != (matrix.n_columns_in,):
        raise ValueError(
            f"weights has shape {weight.shape}; pass one weight a clustering, shape ({matrix.n_columns_in},)."
        )
    _check_weights("weights", weight)
    return weight[matrix.kept]


def _check_weights(name: str, weight: FloatArray) -> None:
    if not np.isfinite(weight).all() or (weight < 0).any():
        bad = int(np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))[0])
        raise ValueError(f"{name}[{bad}]={weight[bad]} is not a weight; weights are finite and not negative.")
    if not (weight > 0).any():
        raise ValueError(f"{name} is zero everywhere; at least one weight must be positive.")


# ---------------------------------------------------------------------------------------------------------
# from any container to named columns


def _columns_of(X: Any) -> tuple[list[str], list[Any]]:
    if hasattr(X, "tocsr"):
        raise TypeError(
            f"X is a sparse matrix ({type(X).__name__}), and sparse input is not labels; {_ALLOWED}, "
            "or X.toarray() if its entries are labels."
        )
    if isinstance(X, Mapping):
        return [str(name) for name in X], [_as_column(values) for values in X.values()]
    if hasattr(X, "__array__") and not hasattr(X, "columns") and not hasattr(X, "column_names"):
        return _columns_of_array(np.asarray(X))
    if isinstance(X, Sequence) and not isinstance(X, str | bytes):
        return _columns_of_list(X)
    return _columns_of_frame(X)


def _columns_of_array(X: Array) -> tuple[list[str], list[Any]]:
    if X.ndim != 2:
        advice = (
            "Reshape your data: one clustering alone is labels.reshape(-1, 1)"
            if X.ndim == 1
            else "its rows are objects"
        )
        raise LabelMatrixError(
            f"X has {X.ndim} dimension(s), shape {X.shape}, expected a 2D array; {_ALLOWED} ({advice})."
        )
    _refuse_empty(X.shape[0], X.shape[1])
    return [f"c{j}" for j in range(X.shape[1])], [X[:, j] for j in range(X.shape[1])]


def _columns_of_list(X: Sequence[Any]) -> tuple[list[str], list[Any]]:
    if len(X) == 0:
        _refuse_empty(0, 0)
    flat = [j for j, column in enumerate(X) if isinstance(column, str | bytes) or not hasattr(column, "__len__")]
    if flat:
        raise LabelMatrixError(
            f"X is a flat list (X[{flat[0]}]={X[flat[0]]!r} is not a column); {_ALLOWED}, so one clustering "
            "alone is [labels]."
        )
    if len(X) > len(X[0]) > 0:
        warnings.warn(
            f"a list is a list of columns: X was read as {len(X)} clusterings of {len(X[0])} objects. "
            "If its items are objects, pass np.asarray(X).",
            UserWarning,
            stacklevel=4,
        )
    return [f"c{j}" for j in range(len(X))], [_as_column(column) for column in X]


def _columns_of_frame(X: Any) -> tuple[list[str], list[Any]]:
    import narwhals.stable.v1 as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        raise LabelMatrixError(f"X is a {type(X).__name__}, which holds no label table; {_ALLOWED}.") from None
    names = [str(name) for name in frame.columns]
    _refuse_empty(frame.shape[0], frame.shape[1])
    return names, [_column_of_series(frame[:, j]) for j in range(frame.shape[1])]


def _column_of_series(series: Any) -> Array:
    """Values of one column of a frame; an object array with None where they are null."""
    import narwhals.stable.v1 as nw

    if series.dtype in (nw.Categorical, nw.Enum):
        # categories of any type; text for polars, which has no other
        native = series.to_native()
        if isinstance(native, pd.Series):
            return np.asarray(native.astype(object))
        series = series.cast(nw.String)
    null = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if not null.any():
        return np.asarray(series.to_numpy())
    values = np.full(len(null), None, dtype=object)
    values[~null] = series.filter(~series.is_null()).to_numpy()
    return values


def _as_column(values: Any) -> Any:
    """One column of a list or dict; NumPy must not turn a mixture of numbers and text into text."""
    import narwhals.stable.v1 as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _column_of_series(series)
    if hasattr(values, "__array__"):
        return np.asarray(values)
    values = list(values)
    try:
        column = np.asarray(values)
    except ValueError:  # items of different lengths
        column = np.empty(0)
    turned_to_text = column.dtype.kind in "US" and not all(isinstance(value, str) for value in values)
    if len(column) != len(values) or turned_to_text:
        column = np.empty(len(values), dtype=object)
        column[:] = values
    return column


def _common_length(names: list[str], columns: list[Any]) -> int:
    _refuse_empty(max((len(column) for column in columns), default=0), len(columns))
    for name, column in zip(names, columns, strict=True):
        if getattr(column, "ndim", 1) != 1:
            raise LabelMatrixError(f"column {name!r} has shape {column.shape}; a column is one label an object.")
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        longest = max(lengths)
        j = next(j for j, column in enumerate(columns) if len(column) != longest)
        raise LabelMatrixError(
            f"ragged columns: column {names[j]!r} has {len(columns[j])} labels and another has {longest}; "
            "all must have one entry an object, with None or -1 where an object was not labelled."
        )
    return lengths.pop()


def _refuse_empty(n_samples: int, n_columns: int) -> None:
    if n_columns == 0:
        raise LabelMatrixError(
            f"Found array with 0 feature(s) (shape=({n_samples}, 0)) while a minimum of 1 is required: "
            "X has no clustering."
        )
    if n_samples == 0:
        raise LabelMatrixError(
            f"Found array with 0 sample(s) (shape=(0, {n_columns})) while a minimum of 1 is required: X has no rows."
        )


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
        warnings.warn(
            f"{len(dropped)} of {len(names)} clusterings have no label at all and were dropped: {shown}.",
            EmptyColumnWarning,
            stacklevel=4,
        )
    return np.ascontiguousarray(codes[:, kept]), [labels[j] for j in kept]


# ---------------------------------------------------------------------------------------------------------
# from one column to codes


def _encode(column: Array, name: str, noise: Noise) -> tuple[Codes, Array]:
    """Codes 0..k-1 in the order of the sorted labels, and the labels."""
    kind = column.dtype.kind
    if kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} has dtype {column.dtype}; {_ALLOWED}.")
    if kind == "b":
        codes, labels = _encode_integers(column.astype(np.int64), "missing")
        return codes, labels.astype(bool)
    if kind == "f":
        return _encode_floats(np.ascontiguousarray(column), name, noise)
    if kind in "iu":
        return _encode_integers(np.ascontiguousarray(column), noise)
    return _encode_objects(column, name, noise)


def _encode_floats(column: Array, name: str, noise: Noise) -> tuple[Codes, Array]:
    """Whole numbers are labels like integers; fractions are labels too, but look like features."""
    missing = np.isnan(column)
    values = np.where(missing, 0, column)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        _refuse_infinity(name, int(infinite[0]))
    if (values == np.floor(values)).all() and np.abs(values).max(initial=0) < 2**62:
        return _encode_integers(values.astype(np.int64), noise, missing)
    codes, found = _encode_objects(column.astype(object), name, noise)
    labels = found.astype(column.dtype)
    if len(labels) > max(10, len(column) / 2):
        warnings.warn(
            f"column {name!r} has {len(labels)} different fractional numbers for {len(column)} objects: X looks like "
            "features, and a consensus needs labels; cluster the features first.",
            FeaturesWarning,
            stacklevel=5,
        )
    return codes, labels


def _refuse_infinity(name: str, row: int) -> None:
    raise LabelMatrixError(
        f"row {row} of column {name!r} is infinity (inf), which is no label; use NaN, None or -1 for a missing one."
    )


def _encode_integers(column: Array, noise: Noise, missing: Array | None = None) -> tuple[Codes, Array]:
    """Integers of a narrow range are counted off in a table; others are hashed."""
    n = len(column)
    unlabelled = np.zeros(n, dtype=bool) if missing is None else missing
    if column.dtype.kind == "i" and noise != "cluster":
        minus = (column == -1) & ~unlabelled
        if noise == "singleton" and minus.any():
            return _encode_singletons(column, minus, unlabelled)
        unlabelled = unlabelled | minus
    some = bool(unlabelled.any())
    values = column[~unlabelled] if some else column
    if len(values) == 0:
        return np.full(n, -1, dtype=np.int32), values
    low, high = int(values.min()), int(values.max())
    if high - low <= max(4 * n, 1 << 16):
        offsets = (values - low).astype(np.int64) if low else values.astype(np.int64, copy=False)
        present = np.zeros(high - low + 1, dtype=bool)
        present[offsets] = True
        labels = np.flatnonzero(present) + low
        rank = (np.cumsum(present) - 1).astype(np.int32)
        found = rank[offsets]
    else:
        hashed, labels = pd.factorize(values, sort=True)
        found = hashed.astype(np.int32)
    if not some:
        return found, np.asarray(labels)
    codes = np.full(n, -1, dtype=np.int32)
    codes[~unlabelled] = found
    return codes, np.asarray(labels)


def _encode_singletons(column: Array, minus: Array, unlabelled: Array) -> tuple[Codes, Array]:
    """Each -1 becomes a label of its own, after the others; it is shown as -1, -2, ..."""
    codes, labels = _encode_integers(column, "missing", unlabelled | minus)
    n_noise = int(minus.sum())
    codes[minus] = len(labels) + np.arange(n_noise, dtype=np.int32)
    return codes, np.concatenate([labels.astype(np.int64), -1 - np.arange(n_noise)])


def _encode_objects(column: Array, name: str, noise: Noise) -> tuple[Codes, Array]:
    """Strings and mixtures: hashed by pandas, sorted by type and value."""
    values = column.astype(object)
    missing = np.asarray(pd.isna(values), dtype=bool)
    try:
        hashed, uniques = pd.factorize(values)
    except TypeError:
        row, bad = next((i, v) for i, v in enumerate(values) if not _hashable(v))
        raise TypeError(
            f"row {row} of column {name!r} is {bad!r}: a label argument must be a string, a number or a category."
        ) from None
    uniques = np.asarray(uniques, dtype=object)
    for label in uniques:
        if isinstance(label, float | np.floating) and np.isinf(label):
            _refuse_infinity(name, int(np.flatnonzero(values == label)[0]))
    minus = np.array([_is_minus_one(label) for label in uniques], dtype=bool)
    text = np.array([isinstance(label, str) and label in _MISSING_TEXT for label in uniques], dtype=bool)
    drop = (text & ~minus) | (minus if noise == "missing" else False)
    if noise == "singleton" and minus.any():
        return _encode_object_singletons(hashed, uniques, minus, drop)
    order = sorted(np.flatnonzero(~drop), key=lambda k: _sort_key(uniques[k]))
    rank = np.full(len(uniques) + 1, -1, dtype=np.int32)  # the last entry serves pandas' own -1
    rank[order] = np.arange(len(order), dtype=np.int32)
    codes = rank[hashed]
    codes[missing] = -1
    return codes, uniques[order]


def _encode_object_singletons(hashed: Array, uniques: Array, minus: Array, drop: Array) -> tuple[Codes, Array]:
    order = sorted(np.flatnonzero(~drop & ~minus), key=lambda k: _sort_key(uniques[k]))
    rank = np.full(len(uniques) + 1, -1, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    codes = rank[hashed]
    is_noise = np.append(minus, False)[hashed]
    n_noise = int(is_noise.sum())
    codes[is_noise] = len(order) + np.arange(n_noise, dtype=np.int32)
    singles = np.array([-1 - i for i in range(n_noise)], dtype=object)
    return codes, np.concatenate([uniques[order], singles])


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_minus_one(label: Any) -> bool:
    return label == "-1" if isinstance(label, str) else isinstance(label, int | float | np.number) and label == -1


def _sort_key(label: Any) -> tuple[int, Any]:
    """Numbers first, then text, then the rest by how it is written: a fixed order for any mixture."""
    if isinstance(label, int | float | np.number):
        return 0, float(label)
    return (1, label) if isinstance(label, str) else (2, str(label))
