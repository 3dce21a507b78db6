"""What the user knows about the objects, as coloured bars beside a picture: categories or numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from partita._typing import Array, FloatArray, IntArray
from partita.results import ConsensusResult
from partita.results._annotations import is_numeric, read_annotations

MAX_BARS = 5  # more would leave no room for the picture
_MOST = (12, 10, 7, 5, 4)  # categories with a colour of their own, if there are 1, 2, ... bars: their legends fit


@dataclass(frozen=True, eq=False)
class Annotation:
    """One bar: numbers, or codes of categories."""

    name: str
    values: FloatArray  # (n_drawn,) numbers, NaN = missing; of categories their codes
    categories: list[str] | None  # None: numbers
    n_others: int = 0  # categories that share the last entry, "other"


def read_bars(annotations: Any, objects: IntArray, result: ConsensusResult) -> list[Annotation]:
    """Bars of some of the objects of a result, from a frame, a dict of columns, or one column."""
    if annotations is None:
        return []
    frame = read_annotations(annotations, len(result.labels), getattr(result.estimator, "index_", None))
    n_bars = frame.shape[1]
    if n_bars > MAX_BARS:
        raise ValueError(f"annotations has {n_bars} columns; pass at most {MAX_BARS}.")
    return [
        _read(str(name), frame.iloc[:, place], objects, _MOST[n_bars - 1]) for place, name in enumerate(frame.columns)
    ]


def _read(name: str, column: "pd.Series[Any]", objects: IntArray, most: int) -> Annotation:
    if is_numeric(column):
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
