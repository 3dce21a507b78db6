"""Whether the parts of a model that was read fit together.

Compiled kernels trust their arrays. What they use to find places in other arrays (codes, rows, clusters) is therefore
compared with the sizes of those arrays here, when a file is opened.
"""

import types
from collections.abc import Callable
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from partita._confidence import JudgedRows
from partita._labels.ensemble import Ensemble
from partita._labels.validation import RowEncoder
from partita._typing import Array
from partita.base import Placement
from partita.exceptions import FileFormatError
from partita.model_files._classes import field_names

# Kinds of arrays that may stand where another is declared: numbers are kept as small as they can be.
_ALLOWED = {"i": "iu", "u": "iu", "f": "fiu", "b": "b"}


def check_fields(part: type, values: dict[str, Any]) -> None:
    """Refuse fields that a part has not, that are missing, or of another type; and places that are not there."""
    known = field_names(part)
    wrong = [name for name in values if name not in known] + [name for name in known if name not in values]
    if wrong:
        raise FileFormatError(f"its {part.__name__} has no, or an unknown, field {wrong[0][:40]!r}")
    hints = _hints(part)
    for name, value in values.items():
        if name in hints and not _matches(value, hints[name]):
            raise FileFormatError(f"the field {name!r} of its {part.__name__} is a {_kind(value)}")
    check = _CHECKS.get(part.__name__)
    if check is not None and not check(**values):
        raise FileFormatError(f"the arrays of its {part.__name__} do not fit together")


def check_attributes(estimator: type, values: dict[str, Any]) -> None:
    """Refuse attributes of a fitted estimator that are of another type than it declares."""
    hints = _hints(estimator)
    for name, value in values.items():
        if name in hints and not _matches(value, hints[name]):
            raise FileFormatError(f"the attribute {name!r} of its {estimator.__name__} is a {_kind(value)}")


def check_whole(values: dict[str, Any]) -> None:
    """Compare the parts of one model: what was fitted, how new rows are encoded, and the objects."""
    placement, judged, labels = (values.get(name) for name in ("_placement", "_judged", "labels_"))
    if not isinstance(placement, Placement) or not isinstance(labels, np.ndarray) or labels.ndim != 1:
        raise FileFormatError("it holds no fitted model")
    encoder = placement.encoder
    for name, value in values.items():
        if isinstance(value, Ensemble) and len(value.n_labels) != len(encoder.columns):
            raise FileFormatError(f"{name!r} has another number of clusterings than the encoder")
    if isinstance(judged, JudgedRows) and len(judged.row_of_object) != len(labels):
        raise FileFormatError("its labels and its objects differ in number")


# ------------------------------------------------------------------------------------------------------ types of fields
@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _matches(value: Any, hint: Any) -> bool:
    """Whether a value has the declared type, as far as plain numbers, arrays, lists and our own parts go."""
    origin = get_origin(hint)
    if hasattr(origin, "__value__"):  # NDArray of NumPy 2.5 is an alias of its own kind
        hint = origin.__value__[get_args(hint)]
        origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(_matches(value, one) for one in get_args(hint))
    if origin is np.ndarray:
        return _is_array(value, hint)
    if origin is list:
        return isinstance(value, list) and all(_matches(item, get_args(hint)[0]) for item in value)
    if hint is int:
        return isinstance(value, int | np.integer) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if isinstance(hint, type) and (hint in (str, bool, type(None)) or hint.__module__.startswith("partita")):
        return isinstance(value, hint) or (hint is bool and isinstance(value, np.bool_))
    return True


def _is_array(value: Any, hint: Any) -> bool:
    if not isinstance(value, np.ndarray):
        return False
    (scalar,) = get_args(get_args(hint)[1])
    return scalar is Any or value.dtype.kind in _ALLOWED[np.dtype(scalar).kind]


def _kind(value: Any) -> str:
    return f"{type(value).__name__} of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__


# --------------------------------------------------------------------------------------------- places in other arrays
def _ensemble_fits(codes: Array, n_labels: Array, clustering_weights: Array, row_weights: Array) -> bool:
    m = len(n_labels) if n_labels.ndim == 1 else -1
    if codes.ndim != 2 or codes.dtype != np.int32 or codes.shape[1] != m or not codes.flags.c_contiguous:
        return False
    if clustering_weights.shape != (m,) or row_weights.shape != (len(codes),) or not (n_labels >= 0).all():
        return False
    return bool((codes >= -1).all() and (codes < n_labels).all())


def _encoder_fits(
    n_columns_in: int,
    columns: Array,
    labels: list[Any],
    blank: Any,
    place_of_code: list[Any],
    clustering_weights: Array,
) -> bool:
    if columns.ndim != 1 or not len(columns) == len(labels) == len(place_of_code) == len(clustering_weights):
        return False
    if len(columns) and not (columns.min() >= 0 and columns.max() < n_columns_in):
        return False
    return all(
        known.ndim == place.ndim == 1 and len(place) == len(known) + 2 and _within(place, len(known))
        for known, place in zip(labels, place_of_code, strict=True)
    )


def _placement_fits(encoder: RowEncoder, order: Array, rank: Array, prior: Array | None) -> bool:
    if order.ndim != 1 or rank.ndim != 1 or not _within(order, len(rank)) or not _within(rank, len(order)):
        return False
    return prior is None or prior.shape == order.shape


def _judged_fits(
    ensemble: Ensemble, idle_codes: Array, row_labels: Array, row_of_object: Array, n_clusters: int, **_: Any
) -> bool:
    m, n_rows = len(ensemble.n_labels), len(row_labels)
    if idle_codes.ndim != 2 or idle_codes.shape[1] != m or n_rows != len(ensemble.codes) + len(idle_codes):
        return False
    within = (idle_codes >= -1).all() and (idle_codes < ensemble.n_labels).all()
    return bool(within) and _within(row_labels, n_clusters) and _within(row_of_object, n_rows)


def _within(places: Array, length: int) -> bool:
    """Whether all are places from 0 to length - 1, or -1 for none."""
    return len(places) == 0 or bool(places.min() >= -1 and places.max() < length)


_CHECKS: dict[str, Callable[..., bool]] = {
    "Ensemble": _ensemble_fits,
    "RowEncoder": _encoder_fits,
    "Placement": _placement_fits,
    "JudgedRows": _judged_fits,
}
