"""Parquet files."""

from typing import Any

import pandas as pd

from partita._optional import require
from partita.exceptions import FileFormatError
from partita.io._formats import listing
from partita.io._source import Source, foreign_reader


def read_parquet(source: Source) -> pd.DataFrame:
    """All columns, after that of the index if it has one."""
    require("pyarrow", extra="parquet", purpose="reading Parquet")
    with foreign_reader(source, "a Parquet file"), source.open() as file:
        refuse_nested(file, source)
        return check_frame(name_columns(pd.read_parquet(file, engine="pyarrow")))


def name_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with text for names, and its index, if it has one, as the first column."""
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index(names=list(_names_of_index(frame)))
    frame.columns = pd.Index([str(name) for name in frame.columns])
    return frame


def check_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Let damaged characters fail here: Arrow hands on text without a look at it."""
    import pyarrow

    for place, dtype in enumerate(frame.dtypes):
        if isinstance(dtype, pd.StringDtype):
            pyarrow.array(frame.iloc[:, place].array).validate(full=True)
    return frame


def refuse_nested(file: Any, source: Source) -> None:
    """Lists, structs and maps in a cell are no labels, and pandas makes arrays or dicts of them."""
    import pyarrow.parquet
    import pyarrow.types

    schema = pyarrow.parquet.read_schema(file)
    file.seek(0)
    nested = [field.name for field in schema if pyarrow.types.is_nested(field.type)]
    if nested:
        kind = schema.field(nested[0]).type
        raise FileFormatError(
            f"{source.name!r} has more than one value in a cell, in the column {listing(nested)} ({kind}); give every "
            "value a column of its own."
        )


def _names_of_index(frame: pd.DataFrame) -> list[str]:
    if frame.index.nlevels == 1:
        return [str(frame.index.name or "object")]
    return [str(name or f"object_{level}") for level, name in enumerate(frame.index.names)]
