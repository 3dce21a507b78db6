"""Read a label matrix from a file of any format."""

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from partita.exceptions import FileFormatError
from partita.io._formats import listing
from partita.io._label_table import LabelTable
from partita.io._read_table import read_table
from partita.io._source import Source


def read_labels(
    path: str | os.PathLike[str],
    *,
    id_column: str | bool | None = None,
    columns: Sequence[str] | None = None,
    header: bool | None = None,
    missing: Sequence[str] = (),
    missing_words: bool = True,
    encoding: str | None = None,
    separator: str | None = None,
) -> LabelTable:
    """Read a label matrix: one row per object, one column per clustering.

    Blanks around labels and ids are removed. It is told, by a ``FileContentWarning``, where that matters, where a word
    is taken for a missing label, where an encoding is guessed, and where an id occurs twice.

    Parameters
    ----------
    path : path
        CSV, TSV or TXT (also .gz), Parquet, Excel (.xlsx, its first sheet), NPY or NPZ (its only 2-D array, or the one
        named "labels"); "-" reads standard input. In text, lines that begin with "#" are comments.
    id_column : str or bool, optional
        Column with the names of the objects. By default the first column, if it has a usual name ("id", "cell", ...)
        or no two of its entries are equal. False if there is none, True for the first column whatever it holds.
    columns : sequence of str, optional
        Clusterings to use; by default all.
    header : bool, optional
        Whether a text file or a sheet begins with a line of names; by default it is recognised.
    missing : sequence of str, optional
        What is written in place of a missing label, beside empty fields and the usual words.
    missing_words : bool, default True
        Whether "NA", "nan", "null" and the like are missing, and also "?", "-", ".", "na", "none" and errors of
        spreadsheets, which a warning counts. If False, empty fields and ``missing`` are.
    encoding : str, optional
        Encoding of a text file, such as "latin-1". By default UTF-8, UTF-16 and Windows-1252 are recognised.
    separator : str, optional
        Character between the fields of a text file, such as ";"; "tab" is a tab. By default it is recognised.

    Returns
    -------
    LabelTable
        ``labels`` (a DataFrame), ``ids``, ``has_header``.
    """
    table = read_table(
        path,
        id_column=id_column,
        header=header,
        missing=missing,
        missing_words=missing_words,
        encoding=encoding,
        separator=separator,
    )
    labels = table.frame if columns is None else select_columns(table.frame, columns, table.source)
    if labels.shape[1] == 0:
        raise FileFormatError(
            f"{table.source.name!r} has no column of labels beside the ids; pass id_column=False if it has no ids."
        )
    return LabelTable(labels, table.ids, table.has_header)


def select_columns(labels: pd.DataFrame, columns: Sequence[str], source: Source | Path) -> pd.DataFrame:
    """The named columns; unknown names are refused."""
    unknown = [name for name in columns if name not in labels.columns]
    if unknown:
        raise FileFormatError(
            f"{source.name!r} has no column {listing(unknown)}; it has {listing(list(labels.columns))}."
        )
    return labels[list(columns)]
