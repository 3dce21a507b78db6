"""Labels in any container and of any type become named columns of codes.

Two steps: the columns of a container (``named_columns``), and the codes 0..k-1 of one column, -1 where a label is
missing (``encode_column``; docs/theory, eqs. C1, C2).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from partita._runs import warn
from partita._typing import Array, Codes
from partita.exceptions import FeaturesWarning, LabelMatrixError

Noise = Literal["missing", "singleton", "cluster"]

# what NumPy and pandas write for a missing value when they turn it into text
_MISSING_TEXT = frozenset(["", "nan", "NaN", "None", "<NA>", "NaT", b"", b"nan", b"None"])
# integers are numbered through a table if their range is at most this, or 4 per label: a table of 64 KiB costs nothing
_TABLE_RANGE = 1 << 16
_FEW_FRACTIONS = 10  # so many different fractions in a column are labels; more than this and half the objects: features

# ------------------------------------------------------------------------------------------------- container to columns
_ALLOWED = (
    "pass an (n_samples, n_clusterings) array, a pandas or polars frame, a dict of columns, or a list of "
    "columns, one clustering per column"
)


def named_columns(X: Any) -> tuple[list[str], list[Array]]:
    """Names and columns of a label matrix in any container; all columns have one, positive, length."""
    names, columns = _columns_of(X)
    _check_lengths(names, columns)
    return names, columns


def _columns_of(X: Any) -> tuple[list[str], list[Array]]:
    if hasattr(X, "tocsr"):
        raise TypeError(
            f"X is a sparse matrix ({type(X).__name__}), but labels cannot be sparse; {_ALLOWED}, "
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
    if isinstance(X, pd.DataFrame):  # also with several columns of one name, which narwhals refuses
        _refuse_empty(*X.shape)
        plain = _plain_columns(X)
        return [str(name) for name in X.columns], [
            plain[j] if j in plain else as_column(X.iloc[:, j], f"c{j}") for j in range(X.shape[1])
        ]
    import narwhals.stable.v1 as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        raise LabelMatrixError(f"X is a {type(X).__name__}, which is not a label table; {_ALLOWED}.") from None
    names = [str(name) for name in frame.columns]
    _refuse_empty(frame.shape[0], frame.shape[1])
    return names, [_column_of_series(frame[:, j]) for j in range(frame.shape[1])]


def _plain_columns(X: pd.DataFrame) -> dict[int, Array]:
    """Columns of NumPy numbers by their place, taken out of the frame all at once: thousands of them are common."""
    plain: dict[int, Array] = {}
    kinds = [dtype.str if isinstance(dtype, np.dtype) and dtype.kind in "iuf" else "" for dtype in X.dtypes]
    for kind in set(kinds) - {""}:
        places = [j for j, other in enumerate(kinds) if other == kind]
        block = X.iloc[:, places].to_numpy()
        plain |= {j: block[:, place] for place, j in enumerate(places)}
    return plain


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
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise LabelMatrixError(f"{name} is {values!r}; it must be a sequence of labels, one per object.")
    if isinstance(values, np.ma.MaskedArray):
        return _unmask(values)
    if isinstance(values, pd.Series) and isinstance(values.dtype, np.dtype) and values.dtype.kind in "biu":
        return np.asarray(values)  # what most files hold: nothing can be missing
    if not isinstance(values, np.ndarray | list | tuple):  # for those narwhals need not be imported
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


def _unmask(masked: Any) -> Array:
    """Masked entries are missing."""
    values = np.array(np.ma.getdata(masked), dtype=object)
    values[np.ma.getmaskarray(masked)] = None
    return values


def _check_lengths(names: list[str], columns: list[Any]) -> None:
    _refuse_empty(max((len(column) for column in columns), default=0), len(columns))
    for name, column in zip(names, columns, strict=True):
        if getattr(column, "ndim", 1) != 1:
            raise LabelMatrixError(f"column {name!r} has shape {column.shape}; a column has one label per object.")
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        longest = max(lengths)
        j = next(j for j, column in enumerate(columns) if len(column) != longest)
        raise LabelMatrixError(
            f"ragged columns: column {names[j]!r} has {len(columns[j])} labels and another has {longest}; "
            "all must have one entry per object, with None or -1 where an object was not labelled."
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


# -------------------------------------------------------------------------------------------------- column to codes
def encode_column(column: Array, name: str, noise: Noise) -> tuple[Codes, Array]:
    """Codes in the order of the sorted labels, and the labels that they stand for."""
    kind = column.dtype.kind
    if kind == "c":
        raise ValueError(
            f"Complex data not supported: column {name!r} has dtype {column.dtype}; labels must be integers, text or "
            "categories."
        )
    if kind == "b":
        codes, labels = _encode_integers(column.astype(np.int8))
        return codes, labels.astype(bool)
    if kind in "iu":
        return _settle_noise(*_encode_integers(column), noise)
    if kind == "f":
        return _settle_noise(*_encode_floats(column, name), noise)
    return _settle_noise(*_encode_objects(column, name), noise)


def _settle_noise(codes: Codes, labels: Array, noise: Noise) -> tuple[Codes, Array]:
    """Apply the meaning of the label -1: missing, one cluster per such object, or one cluster of them all."""
    is_noise = np.array([_is_minus_one(label) for label in labels]) if labels.dtype == object else labels == -1
    if not np.any(is_noise):
        return codes, labels
    if noise == "cluster":  # -1 and the text "-1" are one cluster
        first = int(np.argmax(is_noise))
        is_noise[first] = False
        merged = np.append(np.cumsum(~is_noise) - 1, -1)
        merged[:-1][is_noise] = merged[first]
        return merged[codes].astype(np.int32), labels[~is_noise]
    translate = np.full(len(labels) + 1, -1, dtype=np.int32)  # the last entry is used for missing labels, code -1
    translate[:-1][~is_noise] = np.arange((~is_noise).sum())
    settled = translate[codes]
    if noise == "missing":
        return settled, labels[~is_noise]
    singles = np.flatnonzero(np.append(is_noise, False)[codes])
    settled[singles] = (~is_noise).sum() + np.arange(len(singles))
    return settled, np.concatenate([labels[~is_noise], np.full(len(singles), -1).astype(labels.dtype)])


def _is_minus_one(label: Any) -> bool:
    if isinstance(label, str | bytes):
        return label in ("-1", b"-1")
    return isinstance(label, int | float | np.number) and bool(label == -1)


def _encode_integers(column: Array, missing: Array | None = None) -> tuple[Codes, Array]:
    """Integers of a narrow range are numbered through a table; others are hashed."""
    values = np.ascontiguousarray(column) if missing is None else column[~missing]
    if len(values) == 0:
        return np.full(len(column), -1, dtype=np.int32), values
    low, high = int(values.min()), int(values.max())
    if high - low <= max(4 * len(values), _TABLE_RANGE):
        wide = np.uint64 if values.dtype.kind == "u" else np.int64
        offsets = (values.astype(wide) - wide(low)).astype(np.int64)
        present = np.zeros(high - low + 1, dtype=bool)
        present[offsets] = True
        labels = np.flatnonzero(present).astype(wide) + wide(low)
        found = (np.cumsum(present) - 1).astype(np.int32)[offsets]
    else:
        hashed, uniques = pd.factorize(values, sort=True)
        found, labels = hashed.astype(np.int32), np.asarray(uniques)
    if missing is None:
        return found, labels
    codes = np.full(len(column), -1, dtype=np.int32)
    codes[~missing] = found
    return codes, labels


def _encode_floats(column: Array, name: str) -> tuple[Codes, Array]:
    """Whole numbers are labels like integers; fractions are labels too, but look like features."""
    missing = np.isnan(column)
    infinite = np.flatnonzero(np.isinf(column))
    if len(infinite):
        _refuse_infinity(name, int(infinite[0]))
    values = np.where(missing, 0, column)
    if (values == np.floor(values)).all() and float(np.abs(values).max(initial=0)) < 2**62:
        return _encode_integers(values.astype(np.int64), missing)
    hashed, uniques = pd.factorize(column, sort=True)  # NaN becomes -1
    if len(uniques) > max(_FEW_FRACTIONS, len(column) / 2):
        warn(
            f"column {name!r} has {len(uniques)} different fractional numbers for {len(column)} objects: X looks like "
            "features, and a consensus needs labels; cluster the features first.",
            FeaturesWarning,
        )
    return hashed.astype(np.int32), np.asarray(uniques)


def _encode_objects(column: Array, name: str) -> tuple[Codes, Array]:
    """Strings and mixtures: hashed by pandas, sorted by type and value."""
    values = column.astype(object)
    try:
        hashed, found = pd.factorize(values)  # None, NaN, NaT and pd.NA become -1
    except TypeError:
        row, bad = next((i, value) for i, value in enumerate(values) if not _hashable(value))
        raise TypeError(
            f"row {row} of column {name!r} is {bad!r}: a label argument must be a string, a number or a category."
        ) from None
    uniques = np.asarray(found, dtype=object)
    for label in uniques:
        if isinstance(label, float | np.floating) and np.isinf(label):
            _refuse_infinity(name, int(np.flatnonzero(values == label)[0]))
    kept = [k for k, label in enumerate(uniques) if not (isinstance(label, str | bytes) and label in _MISSING_TEXT)]
    order = sorted(kept, key=lambda k: sort_key(uniques[k]))
    rank = np.full(len(uniques) + 1, -1, dtype=np.int32)  # the last entry is used for pandas' -1
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[hashed], uniques[order]


def _refuse_infinity(name: str, row: int) -> None:
    raise LabelMatrixError(
        f"row {row} of column {name!r} is infinity (inf), which is not a label; use NaN, None or -1 for a missing one."
    )


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def sort_key(label: Any) -> tuple[int, Any]:
    """Numbers first, then text, then the rest by its text: a fixed order for any mixture."""
    if isinstance(label, int | float | np.number):
        return 0, float(label)
    return (1, label) if isinstance(label, str) else (2, str(label))
