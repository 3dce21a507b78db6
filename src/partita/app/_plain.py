"""Values of tables as JSON can hold them, and the answers made of them."""

import json
from typing import Any

import numpy as np
import pandas as pd

from partita._typing import Array


def plain(value: Any) -> Any:
    """A number, text, truth value, or None for what is missing or not finite."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return str(value)


def plain_list(values: Array, digits: int | None = None) -> list[Any]:
    """An array of numbers as a list, None where it is not finite."""
    values = np.asarray(values)
    if values.dtype.kind != "f":
        return values.tolist()  # type: ignore[no-any-return]
    rounded = values if digits is None else np.round(values, digits)
    found = rounded.astype(object)
    found[~np.isfinite(values)] = None
    return found.tolist()  # type: ignore[no-any-return]


def text_of(value: Any) -> str | None:
    """A cell as a reader would write it: whole numbers without a point; None if it is missing."""
    found = plain(value)
    if isinstance(found, float) and found.is_integer():
        return str(int(found))
    return None if found is None else str(found)


def encode(answer: Any) -> bytes:
    """JSON as bytes; text that is no valid Unicode is replaced, numbers that are not finite are a fault of ours."""
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")
