"""What the user knows about the objects, as coloured bars beside a picture: categories or numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from partita._typing import Array, FloatArray, IntArray

MAX_BARS = 5  # more would leave no room for the picture
_MOST = (12, 10, 7, 5, 4)  # categories with a colour of their own, if there are 1, 2, ... bars: their legends fit
_FEW = 10  # whole numbers with at most so many values are categories


@dataclass(frozen=True, eq=False)
class Annotation:
    """One bar: numbers, or codes of categories."""

    name: str
    values: FloatArray  # (n_drawn,) numbers, NaN = missing; of categories their codes
    categories: list[str] | None  # None: numbers
    n_others: int = 0  # categories that share the last entry, "other"


def read_annotations(annotations: Any, objects: IntArray, n: int) -> list[Annotation]:
    """Bars of some of n objects from a frame, a dict of columns, or one column."""
    columns = [] if annotations is None else list(_columns(annotations).items())
    if len(columns) > MAX_BARS:
        raise ValueError(f"annotations has {len(columns)} columns; pass at most {MAX_BARS}.")
    for name, values in columns:
        if values.ndim != 1 or len(values) != n:
            raise ValueError(
                f"annotations: {name!r:.60} has shape {values.shape}; pass one value per object, shape ({n},)."
            )
    return [_read(name, values, objects, _MOST[len(columns) - 1]) for name, values in columns]


def _columns(annotations: Any) -> dict[str, Any]:
    """Columns by name; those of a frame keep their types."""
    if hasattr(annotations, "to_pandas"):  # polars
        annotations = annotations.to_pandas()
    if isinstance(annotations, pd.Series):
        return {"annotation" if annotations.name is None else str(annotations.name): annotations.array}
    if isinstance(annotations, pd.DataFrame):
        return {str(name): annotations.iloc[:, place].array for place, name in enumerate(annotations.columns)}
    if isinstance(annotations, Mapping):
        return {str(name): _array(values) for name, values in annotations.items()}
    values = _array(annotations)
    if values.ndim == 2:
        return {f"annotation {place}": column for place, column in enumerate(np.asarray(values).T)}
    return {"annotation": values}


def _array(values: Any) -> Any:
    if isinstance(values, pd.Series | pd.Index):
        return values.array
    return values if isinstance(values, np.ndarray | pd.api.extensions.ExtensionArray) else pd.Series(values).array


def _read(name: str, values: Any, objects: IntArray, most: int) -> Annotation:
    column = pd.Series(values)
    if _is_numeric(column):
        return Annotation(name, column.to_numpy(dtype=np.float64, na_value=np.nan)[objects], None)
    codes, categories = _categories(column)
    counts = np.bincount(codes[codes >= 0], minlength=len(categories))
    if len(categories) <= most:
        return Annotation(name, codes[objects].astype(np.float64), categories)
    kept = np.sort(np.argsort(-counts, kind="stable")[:most])
    new = np.full(len(categories) + 1, most)
    new[kept], new[-1] = np.arange(most), -1
    n_others = len(categories) - most
    names = [*(categories[place] for place in kept), f"other ({n_others} values)"]
    return Annotation(name, new[codes][objects].astype(np.float64), names, n_others)


def _is_numeric(column: "pd.Series[Any]") -> bool:
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return False
    known = column.dropna().to_numpy(dtype=np.float64)
    known = known[np.isfinite(known)]
    return bool((known != np.round(known)).any()) or len(np.unique(known)) > _FEW


def _categories(column: "pd.Series[Any]") -> tuple[Array, list[str]]:
    """Codes and names, in the order of a categorical column, else sorted as far as they can be; -1 = missing."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        used = column.cat.remove_unused_categories()
        return used.cat.codes.to_numpy(dtype=np.int64), [str(name) for name in used.cat.categories]
    codes, names = pd.factorize(column)
    shown = [_plain(name) for name in names]
    try:
        order = np.argsort(names)
    except TypeError:  # strings and numbers together
        order = np.argsort(shown)
    rank = np.append(np.argsort(order), -1)
    return rank[codes], [shown[place] for place in order]


def _plain(value: Any) -> str:
    """A category as text: 2.0 of a column with holes is 2."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
