"""Tables of the user as pandas frames, in the order of the objects."""

from typing import Any

import pandas as pd


def as_frame(table: Any) -> pd.DataFrame:
    """A pandas or polars frame, a dict of columns or an array as a pandas frame."""
    if isinstance(table, pd.DataFrame):
        return table
    if hasattr(table, "to_pandas") and hasattr(table, "columns"):  # polars; its to_pandas would need pyarrow
        return pd.DataFrame({name: table[name].to_numpy() for name in table.columns})
    return pd.DataFrame(table)


def in_order_of(frame: pd.DataFrame, index: Any, name: str) -> pd.DataFrame:
    """Rows in the order of the objects, by name; an index 0, 1, 2, ... or of no labels is taken by position.

    An index that does not name the objects of the labels is refused: its rows may be those of others.
    """
    by_position = isinstance(frame.index, pd.RangeIndex) and frame.index.equals(pd.RangeIndex(len(frame)))
    if index is None or by_position or frame.index.equals(index):
        return frame
    if frame.index.is_unique and index.is_unique and bool(frame.index.isin(index).all()) and len(frame) == len(index):
        ordered: pd.DataFrame = frame.loc[index]
        return ordered
    raise ValueError(
        f"the index of {name} is not that of the labels, or names objects twice; pass the same names, or "
        f"{name}.reset_index(drop=True) if the rows are in the same order."
    )
