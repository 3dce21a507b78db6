"""From any container of labels to named columns of one length."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from partita._runs import warn
from partita._typing import Array
from partita.exceptions import LabelMatrixError

_ALLOWED = (
    "pass an (n_samples, n_clusterings) array, a pandas or polars frame, a dict of columns, or a list of "
    "columns, one clustering a column"
)


def named_columns(X: Any) -> tuple[list[str], list[Array]]:
    """Names and columns of a label matrix in any container; all columns have one, positive, length."""
    names, columns = _columns_of(X)
    _check_lengths(names, columns)
    return names, columns


def _columns_of(X: Any) -> tuple[list[str], list[Array]]:
    if hasattr(X, "tocsr"):
        raise TypeError(
            f"X is a sparse matrix ({type(X).__name__}), and sparse input is not labels; {_ALLOWED}, "
            "or X.toarray() if its entries are labels."
        )
    if isinstance(X, Mapping):
        return [str(name) for name in X], [as_column(values, str(name)) for name, values in X.items()]
    if isinstance(X, np.ma.MaskedArray):
        return _columns_of_array(_unmask(X))
    if hasattr(X, "__array__") and not hasattr(X, "columns") and not hasattr(X, "column_names"):
        return _columns_of_array(np.asarray(X))
    if isinstance(X, Sequence) and not isinstance(X, str | bytes):
        return _columns_of_list(X)
    return _columns_of_frame(X)


def _columns_of_array(X: Array) -> tuple[list[str], list[Array]]:
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


def _columns_of_list(X: Sequence[Any]) -> tuple[list[str], list[Array]]:
    if len(X) == 0:
        _refuse_empty(0, 0)
    flat = [j for j, column in enumerate(X) if isinstance(column, str | bytes) or not hasattr(column, "__len__")]
    if flat:
        raise LabelMatrixError(
            f"X is a flat list (X[{flat[0]}]={X[flat[0]]!r} is not a column); {_ALLOWED}, so one clustering "
            "alone is [labels]."
        )
    if len(X) > len(X[0]) > 0:
        warn(
            f"a list is a list of columns: X was read as {len(X)} clusterings of {len(X[0])} objects. "
            "If its items are objects, pass np.asarray(X).",
            UserWarning,
        )
    return [f"c{j}" for j in range(len(X))], [as_column(column, f"c{j}") for j, column in enumerate(X)]


def _columns_of_frame(X: Any) -> tuple[list[str], list[Array]]:
    import narwhals.stable.v1 as nw

    if isinstance(X, pd.DataFrame):  # also with several columns of one name, which narwhals refuses
        _refuse_empty(*X.shape)
        return [str(name) for name in X.columns], [as_column(X.iloc[:, j], f"c{j}") for j in range(X.shape[1])]
    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        raise LabelMatrixError(f"X is a {type(X).__name__}, which holds no label table; {_ALLOWED}.") from None
    names = [str(name) for name in frame.columns]
    _refuse_empty(frame.shape[0], frame.shape[1])
    return names, [_column_of_series(frame[:, j]) for j in range(frame.shape[1])]


def _column_of_series(series: Any) -> Array:
    """Values of one column of a frame; NaN (numbers) or None (others) where they are null."""
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
    known = np.asarray(series.filter(~series.is_null()).to_numpy())
    exact = known.dtype.kind == "f" or (known.dtype.kind in "iu" and np.abs(known.astype(float)).max(initial=0) < 2**53)
    values = np.full(len(null), np.nan) if exact else np.full(len(null), None, dtype=object)
    values[~null] = known
    return values


def as_column(values: Any, name: str) -> Any:
    """One column of a list or dict; NumPy must not turn a mixture of numbers and text into text."""
    import narwhals.stable.v1 as nw

    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise LabelMatrixError(f"{name} is {values!r}; it must be a sequence of labels, one an object.")
    if isinstance(values, np.ma.MaskedArray):
        return _unmask(values)
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


def _unmask(masked: Any) -> Array:
    """What is masked is missing."""
    values = np.array(np.ma.getdata(masked), dtype=object)
    values[np.ma.getmaskarray(masked)] = None
    return values


def _check_lengths(names: list[str], columns: list[Any]) -> None:
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
