"""From one column of labels of any type to codes 0..k-1, -1 where a label is missing."""

from typing import Any, Literal

import numpy as np
import pandas as pd

from partita._runs import warn
from partita._typing import Array, Codes
from partita.exceptions import FeaturesWarning, LabelMatrixError

Noise = Literal["missing", "singleton", "cluster"]

# what NumPy and pandas write for a missing value when they turn it into text
_MISSING_TEXT = frozenset(["", "nan", "NaN", "None", "<NA>", "NaT", b"", b"nan", b"None"])


def encode_column(column: Array, name: str, noise: Noise) -> tuple[Codes, Array]:
    """Codes in the order of the sorted labels, and the labels that they stand for."""
    kind = column.dtype.kind
    if kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} has dtype {column.dtype}; labels are no such.")
    if kind == "b":
        codes, labels = _encode_integers(column.astype(np.int8))
        return codes, labels.astype(bool)
    if kind in "iu":
        return _settle_noise(*_encode_integers(column), noise)
    if kind == "f":
        return _settle_noise(*_encode_floats(column, name), noise)
    return _settle_noise(*_encode_objects(column, name), noise)


def _settle_noise(codes: Codes, labels: Array, noise: Noise) -> tuple[Codes, Array]:
    """Make of the label -1 what it means: a missing label, a cluster of each such object, or one of all."""
    is_noise = np.array([_is_minus_one(label) for label in labels]) if labels.dtype == object else labels == -1
    if not np.any(is_noise):
        return codes, labels
    if noise == "cluster":  # -1 and the text "-1" are one cluster
        first = int(np.argmax(is_noise))
        is_noise[first] = False
        merged = np.append(np.cumsum(~is_noise) - 1, -1)
        merged[:-1][is_noise] = merged[first]
        return merged[codes].astype(np.int32), labels[~is_noise]
    translate = np.full(len(labels) + 1, -1, dtype=np.int32)  # the last entry serves missing labels, code -1
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
    """Integers of a narrow range are counted off in a table; others are hashed."""
    values = np.ascontiguousarray(column) if missing is None else column[~missing]
    if len(values) == 0:
        return np.full(len(column), -1, dtype=np.int32), values
    low, high = int(values.min()), int(values.max())
    if high - low <= max(4 * len(values), 1 << 16):
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
    if len(uniques) > max(10, len(column) / 2):
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
    order = sorted(kept, key=lambda k: _sort_key(uniques[k]))
    rank = np.full(len(uniques) + 1, -1, dtype=np.int32)  # the last entry serves pandas' -1
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[hashed], uniques[order]


def _refuse_infinity(name: str, row: int) -> None:
    raise LabelMatrixError(
        f"row {row} of column {name!r} is infinity (inf), which is no label; use NaN, None or -1 for a missing one."
    )


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _sort_key(label: Any) -> tuple[int, Any]:
    """Numbers first, then text, then the rest by how it is written: a fixed order for any mixture."""
    if isinstance(label, int | float | np.number):
        return 0, float(label)
    return (1, label) if isinstance(label, str) else (2, str(label))
