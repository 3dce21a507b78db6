"""Tables of the user as pandas frames."""

from typing import Any

import pandas as pd


def as_frame(table: Any) -> pd.DataFrame:
    """A pandas or polars frame, a dict of columns or an array as a pandas frame."""
    if isinstance(table, pd.DataFrame):
        return table
    if hasattr(table, "to_pandas") and hasattr(table, "columns"):  # polars; its to_pandas would need pyarrow
        return pd.DataFrame({name: table[name].to_numpy() for name in table.columns})
    return pd.DataFrame(table)
