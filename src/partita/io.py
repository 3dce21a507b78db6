"""Read label matrices from files, and write results so that a failure leaves the old file as it was.

CSV and TSV (also gzipped; the separator, the header and a column of ids are recognised), Parquet, NPY and NPZ.
"""

import csv
import gzip
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._optional import require
from partita._typing import Array
from partita.exceptions import FileFormatError

__all__ = [
    "FeatureTable",
    "LabelTable",
    "check_output",
    "read_feature_table",
    "read_features",
    "read_labels",
    "replacing",
    "write_matrix",
    "write_table",
]

_TEXT = (".csv", ".tsv", ".tab", ".txt")
_PARQUET = (".parquet", ".pq")
_NUMPY = (".npy", ".npz")
_ALLOWED = "CSV, TSV, TXT (also .gz), Parquet, NPY and NPZ"
_SEPARATORS = (",", "\t", ";", "|", " ")
_SAMPLE = 1000  # rows that are looked at to recognise header and ids
_ID_NAMES = frozenset(
    [
        "",
        "id",
        "ids",
        "index",
        "name",
        "object",
        "object_id",
        "sample",
        "sample_id",
        "cell",
        "cell_id",
        "barcode",
    ]
)


# what a missing label looks like in a text file; ids are never read as missing
_HOLES = ["", "NA", "N/A", "n/a", "#N/A", "nan", "NaN", "null", "NULL", "None", "<NA>"]


class LabelTable(NamedTuple):
    """Labels read from a file: pass ``labels`` to any estimator."""

    labels: pd.DataFrame  # one row an object, one column a clustering
    ids: "pd.Series[Any] | None"  # name of each object, where the file has one
    has_header: bool

    @property
    def id_name(self) -> str:
        """Name of the column of ids, "object" where the file has none."""
        return "object" if self.ids is None else str(self.ids.name or "object")

    def object_ids(self) -> Array:
        """Ids of the objects; their numbers from 0 where the file has none."""
        return np.arange(len(self.labels)) if self.ids is None else np.asarray(self.ids, dtype=object)


def read_labels(
    path: str | os.PathLike[str],
    *,
    id_column: str | bool | None = None,
    columns: Sequence[str] | None = None,
    header: bool | None = None,
) -> LabelTable:
    """Read a label matrix: one row an object, one column a clustering.

    Parameters
    ----------
    path : path
        CSV, TSV or TXT (also .gz), Parquet, NPY or NPZ (its only 2-D array, or the one named "labels").
    id_column : str or bool, optional
        Column that names the objects. By default the first one, if it is called like one ("id", "cell", ...) or
        no two of its entries are equal; False if there is none, True for the first column whatever it holds.
    columns : sequence of str, optional
        Clusterings to use; default all.
    header : bool, optional
        Whether a text file begins with a line of names; recognised by default.

    Returns
    -------
    LabelTable
        ``labels`` (a DataFrame), ``ids``, ``has_header``.
    """
    source = Path(path)
    if not source.exists():
        raise FileNotFoundError(f"there is no file {str(path)!r}.")
    if source.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file ({_ALLOWED}).")
    kind = _kind(source)
    if kind in _TEXT:
        table = _read_text(source, id_column, header)
    elif kind in _PARQUET:
        table = _split_ids(_read_parquet(source), id_column, source)
    else:
        table = _split_ids(_read_numpy(source), id_column if isinstance(id_column, str) else False, source)
    if columns is not None:
        table = table._replace(labels=_select(table.labels, columns, source))
    if table.labels.shape[1] == 0:
        raise FileFormatError(f"{str(path)!r} has no column of labels beside the ids; pass id_column=False if it has.")
    if len(table.labels) == 0:
        raise FileFormatError(f"{str(path)!r} has no rows.")
    return table


def read_features(path: str | os.PathLike[str], table: LabelTable) -> pd.DataFrame:
    """Read features of the objects of a label table: one row an object, one column a feature.

    If the file has the label table's column of ids, rows are matched by it; else they are in the same order.

    Parameters
    ----------
    path : path
        Any of the formats of ``read_labels``.
    table : LabelTable
        The labels of the same objects.

    Returns
    -------
    pandas.DataFrame
        Features in the order of ``table``; what is not a number is text.
    """
    frame = read_labels(path, id_column=False).labels
    if table.ids is not None and table.id_name in frame.columns:
        frame = _match_ids(frame, table, str(path))
    if len(frame) != len(table.labels):
        raise FileFormatError(
            f"{str(path)!r} has {len(frame)} rows and the labels have {len(table.labels)}; pass one row an object, in "
            "the same order, or a column of ids with the same name as that of the labels."
        )
    if frame.shape[1] == 0:
        raise FileFormatError(f"{str(path)!r} has no column of features beside the ids.")
    return frame.reset_index(drop=True)


class FeatureTable(NamedTuple):
    """Features read from a file."""

    features: pd.DataFrame  # one row an object, one column a feature, all numbers
    ids: "pd.Series[Any] | None"  # name of each object, where the file has one

    @property
    def id_name(self) -> str:
        """Name of the column of ids, "object" where the file has none."""
        return "object" if self.ids is None else str(self.ids.name or "object")

    def object_ids(self) -> Array:
        """Ids of the objects; their numbers from 0 where the file has none."""
        return np.arange(len(self.features)) if self.ids is None else np.asarray(self.ids, dtype=object)


def read_feature_table(
    path: str | os.PathLike[str],
    *,
    id_column: str | bool | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    header: bool | None = None,
) -> FeatureTable:
    """Read features: one row an object, one column a feature.

    Parameters
    ----------
    path : path
        Any of the formats of ``read_labels``.
    id_column : str or bool, optional
        Column that names the objects. By default the first one, if it is called like one ("id", "cell", ...) or holds
        text and no two of its entries are equal; False if there is none, True for the first column.
    columns : sequence of str, optional
        Features to use; default all.
    drop : sequence of str, optional
        Columns to leave out, such as a known class.
    header : bool, optional
        Whether a text file begins with a line of names; recognised by default.

    Returns
    -------
    FeatureTable
        ``features`` (a DataFrame of floats) and ``ids``.
    """
    frame = read_labels(path, id_column=False, header=header).labels
    place = _find_feature_ids(frame, id_column, Path(path))
    if id_column is None and place is not None and str(frame.columns[place]) in (*drop, *(columns or ())):
        place = None  # it was called by its name, as a column like others
    ids = None
    if place is not None:
        # once more, now that we know which: ids stay text as it is written
        table = read_labels(path, id_column=True if place == 0 else str(frame.columns[place]), header=header)
        frame, ids = table.labels, table.ids
    if drop:
        _select(frame, drop, Path(path))  # refuses names that are not there
        frame = frame.drop(columns=list(drop))
    if columns is not None:
        frame = _select(frame, columns, Path(path))
    return FeatureTable(_as_numbers(frame, str(path)), ids)


def _find_feature_ids(frame: pd.DataFrame, id_column: str | bool | None, source: Path) -> int | None:
    names = [str(name) for name in frame.columns]
    if id_column is not None:
        return _find_ids(names, [frame[name] for name in frame.columns], id_column, source, n_rows=len(frame))
    first = frame.iloc[:, 0]
    if frame.shape[1] < 2 or first.isna().any():
        return None
    n_different = first.nunique()
    if names[0].strip().lower() in _ID_NAMES or names[0] == "unnamed":
        return 0 if n_different > len(first) / 2 else None
    text = not pd.api.types.is_numeric_dtype(first)
    whole = source.suffix in _PARQUET or not all(map(_is_number, first))
    return 0 if text and whole and n_different == len(first) else None


def _as_numbers(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Refuse what is no number, with its place."""
    if frame.shape[1] == 0:
        raise FileFormatError(f"{name!r} has no column of features.")
    numbers = pd.DataFrame(frame.apply(pd.to_numeric, errors="coerce").astype(np.float64))
    bad = ~np.isfinite(numbers.to_numpy())
    if bad.any():
        row, column = (int(place[0]) for place in np.nonzero(bad))
        value: Any = frame.iloc[row, column]
        shown = repr(value) if isinstance(value, str) else value
        what = "is missing" if pd.isna(value) else f"is {shown}, no number"
        raise FileFormatError(
            f"{name!r}: row {row}, column {str(frame.columns[column])!r} {what}; features are numbers without holes. "
            "Leave the column out, or fill the holes first."
        )
    return numbers


def _match_ids(frame: pd.DataFrame, table: LabelTable, name: str) -> pd.DataFrame:
    """Rows of the frame in the order of the label table's ids."""
    ids = frame[table.id_name].astype(str)
    wanted = [str(value) for value in table.object_ids()]
    if ids.duplicated().any():
        raise FileFormatError(f"{name!r} has the id {ids[ids.duplicated()].iloc[0]!r} twice; ids must be different.")
    place = {value: row for row, value in enumerate(ids)}
    missing = [value for value in wanted if value not in place]
    if missing:
        raise FileFormatError(f"{name!r} has no row for the object {missing[0]!r} ({len(missing)} in all).")
    return frame.drop(columns=[table.id_name]).iloc[[place[value] for value in wanted]]


def write_table(path: str | os.PathLike[str], table: pd.DataFrame) -> None:
    """Write a table in the format that the file's name tells: CSV, TSV (also .gz), Parquet, NPY or NPZ.

    It is written beside the target and renamed, so that a failure leaves an old file as it was. NPY keeps the
    column "label" only; NPZ one array a column.
    """
    target = check_output(path)
    kind = _kind(target)
    with replacing(target) as beside:
        if kind in _TEXT:
            separator = "," if kind in (".csv", ".txt") else "\t"
            table.to_csv(beside, index=False, sep=separator, compression="gzip" if target.suffix == ".gz" else None)
        elif kind in _PARQUET:
            table.to_parquet(beside, index=False)
        elif kind == ".npy":
            with open(beside, "wb") as file:
                np.save(file, table["label"].to_numpy())
        else:
            arrays: dict[str, Any] = {str(name): _plain(table[name]) for name in table.columns}
            with open(beside, "wb") as file:
                np.savez_compressed(file, **arrays)


def write_matrix(
    path: str | os.PathLike[str], matrix: pd.DataFrame, *, ids: "pd.Series[Any]", name: str = "labels"
) -> None:
    """Write numbers of objects, one column a clustering or cluster, with the ids of the objects in front.

    NPY has the numbers alone; NPZ has them as one array ``name``, and the arrays "columns" and "ids". Both have -1
    where a label is missing; ``read_labels`` reads all of them.
    """
    target = check_output(path)
    kind = _kind(target)
    if kind not in _NUMPY:
        write_table(path, pd.concat([ids.reset_index(drop=True), matrix], axis=1))
        return
    whole = name == "labels"
    numbers = matrix.fillna(-1).to_numpy(dtype=np.int64) if whole else matrix.to_numpy(dtype=np.float64)
    with replacing(target) as beside, open(beside, "wb") as file:
        if kind == ".npy":
            np.save(file, numbers)
        else:
            columns = np.array([str(column) for column in matrix.columns])
            arrays: dict[str, Any] = {name: numbers, "columns": columns, "ids": _plain(ids)}
            np.savez_compressed(file, **arrays)


def check_output(path: str | os.PathLike[str]) -> Path:
    """Refuse, before any work, a path that cannot be written."""
    target = Path(path)
    kind = _kind(target)
    if kind in _PARQUET:
        require("pyarrow", extra="parquet", purpose="writing Parquet")
    if target.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file to write.")
    folder = target.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {str(folder)!r} to write {target.name!r} in; make it first.")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"the folder {str(folder)!r} cannot be written; choose another one.")
    return target


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path beside ``path`` to write to; it takes the place of ``path`` if and only if all goes well."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(_mode_of(target))
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def _mode_of(target: Path) -> int:
    """Permissions of the file that is replaced, or those of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _kind(path: Path) -> str:
    """Suffix that tells the format, without .gz."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compressed = bool(suffixes) and suffixes[-1] == ".gz"
    kind = (suffixes[-2] if len(suffixes) > 1 else "") if compressed else (suffixes[-1] if suffixes else "")
    if kind in _TEXT or (kind in (*_PARQUET, *_NUMPY) and not compressed):
        return kind
    raise FileFormatError(f"the format of {path.name!r} is not known by its name; {_ALLOWED} are.")


def _plain(column: "pd.Series[Any]") -> Array:
    """Values that NPZ can hold without pickling: text as fixed-width text."""
    values = column.to_numpy()
    return values.astype(str) if values.dtype.kind not in "biuf" else values


# ---------------------------------------------------------------------------------------------------------
# text


def _read_text(source: Path, id_column: str | bool | None, header: bool | None) -> LabelTable:
    lines, n_blank = _first_lines(source)
    if not lines:
        raise FileFormatError(f"{source.name!r} is empty; a label file has one row an object.")
    separator = _find_separator(lines)
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
    _refuse_ragged(rows, source)
    sample = pd.DataFrame(rows, dtype=object)
    has_header = _looks_like_header(sample) if header is None else header
    names = [str(name) for name in sample.iloc[0]] if has_header else [f"c{j}" for j in range(sample.shape[1])]
    body = sample.iloc[1:] if has_header else sample
    id_place = _find_ids(names, [body[j] for j in body.columns], id_column, source, n_rows=len(body))
    if id_place is not None and not has_header:
        names = ["object" if j == id_place else f"c{j - (j > id_place)}" for j in range(len(names))]
    _refuse_repeated(names, source)
    frame = _parse(source, separator, n_blank + has_header, id_place, len(names))
    frame.columns = pd.Index(names)
    nameless = [name for name in names if name == "" and frame[name].isna().all()]  # a separator at the line's end
    frame = frame.drop(columns=nameless).rename(columns={"": "unnamed"})
    ids = None if id_place is None else frame.pop(names[id_place] or "unnamed").rename(names[id_place])
    return LabelTable(frame, ids, has_header)


def _first_lines(source: Path) -> tuple[list[str], int]:
    """The first lines that are not blank, and how many blank ones come before them."""
    open_text = gzip.open if source.suffix.lower() == ".gz" else open
    lines: list[str] = []
    n_blank = 0
    try:
        with open_text(source, "rt", encoding="utf-8-sig") as file:
            for line in file:
                if line.strip():
                    lines.append(line.rstrip("\r\n"))
                elif not lines:
                    n_blank += 1
                if len(lines) > _SAMPLE:
                    break
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
        raise FileFormatError(f"{source.name!r} is not a text file ({error}).") from None
    return lines, n_blank


def _find_separator(lines: list[str]) -> str:
    """The separator that splits all lines into the same, largest, number of fields; a comma for one column."""
    best, best_fields = ",", 1
    for separator in _SEPARATORS:
        fields = {len(row) for row in csv.reader(lines[:50], delimiter=separator)}
        if len(fields) == 1 and max(fields) > best_fields:
            best, best_fields = separator, max(fields)
    if best_fields == 1:  # ragged, or one column: take what splits most, and let the parser say what is wrong
        best = max(_SEPARATORS[:4], key=lambda separator: sum(line.count(separator) for line in lines[:50]))
    return best


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _looks_like_header(sample: pd.DataFrame) -> bool:
    """A first line of names, as against a first object."""
    top, body = list(sample.iloc[0]), sample.iloc[1:]
    if len(body) == 0:
        return not all(_is_number(cell) or cell == "" for cell in top)
    if top[0] == "" and len(top) > 1 and (body[0] != "").any():
        return True  # what pandas writes above an index
    if all(_is_number(cell) or cell == "" for cell in top):
        return len(top) >= 3 and [str(cell) for cell in top] == [str(j) for j in range(len(top))]
    numbers_below = [_is_column_of_numbers(body[j]) for j in body.columns]
    if any(below and cell and not _is_number(cell) for below, cell in zip(numbers_below, top, strict=True)):
        return True
    if "" in top[1:]:
        return False  # in text a name is not empty, a label may be missing
    return not any(cell in set(body[j]) for j, cell in enumerate(top))  # text labels recur, names do not


def _is_column_of_numbers(column: "pd.Series[Any]") -> bool:
    filled = [cell for cell in column if cell != ""]
    return bool(filled) and all(_is_number(cell) for cell in filled)


def _find_ids(
    names: list[str],
    columns: list["pd.Series[Any]"],
    id_column: str | bool | None,
    source: Path,
    *,
    n_rows: int,
) -> int | None:
    """Place of the column of ids, or None."""
    if isinstance(id_column, str):
        if id_column not in names:
            raise FileFormatError(f"{source.name!r} has no column {id_column!r}; it has {_listing(names)}.")
        return names.index(id_column)
    if isinstance(id_column, bool):
        return 0 if id_column else None
    if len(columns) < 2:
        return None
    first = columns[0]
    n_different = first.nunique()
    if names[0].strip().lower() in _ID_NAMES or names[0].startswith("Unnamed"):
        return 0 if n_different > n_rows / 2 else None
    distinct = n_different == n_rows and not (first.isna() | (first.astype(str) == "")).any()
    numeric = all(_is_number(cell) for cell in first)
    return 0 if distinct and n_rows >= (10 if numeric else 3) else None


def _parse(source: Path, separator: str, n_skip: int, id_place: int | None, n_columns: int) -> pd.DataFrame:
    """The table below the names; ids stay text as it is written, and an empty line of a single column is a hole."""
    holes: dict[Any, list[str]] = {j: _HOLES for j in range(n_columns) if j != id_place}
    try:
        frame = pd.read_csv(
            source,
            sep=separator,
            header=None,
            skiprows=n_skip,
            skip_blank_lines=n_columns > 1,
            skipinitialspace=True,
            dtype=None if id_place is None else {id_place: str},
            keep_default_na=False,
            na_values=holes,
            low_memory=False,
            encoding="utf-8-sig",
        )
    except pd.errors.EmptyDataError:
        raise FileFormatError(f"{source.name!r} has a line of names and no rows.") from None
    except (pd.errors.ParserError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split()).removeprefix("Error tokenizing data. C error: ")
        raise FileFormatError(f"{source.name!r} cannot be read as a table: {reason}.") from None
    if n_columns == 1 and frame[0].notna().any():
        frame = frame.loc[: frame[0].last_valid_index()]  # empty lines at the end are no objects
    return frame


def _refuse_ragged(rows: list[list[str]], source: Path) -> None:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise FileFormatError(
                f"{source.name!r} is no table: row {number} has {len(row)} fields and the first row has {len(rows[0])}."
            )


def _refuse_repeated(names: list[str], source: Path) -> None:
    repeated = sorted({name for name in names if name and names.count(name) > 1})
    if repeated:
        raise FileFormatError(f"{source.name!r} has more than one column called {_listing(repeated)}; rename them.")


def _listing(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:10])) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


# ---------------------------------------------------------------------------------------------------------
# binary formats


def _read_parquet(source: Path) -> pd.DataFrame:
    require("pyarrow", extra="parquet", purpose="reading Parquet")
    try:
        frame = pd.read_parquet(source)
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{source.name!r} is not a Parquet file ({' '.join(str(error).split())}).") from None
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index(names=frame.index.name or "object")
    frame.columns = pd.Index([str(name) for name in frame.columns])
    _refuse_repeated(list(frame.columns), source)
    return frame


def _read_numpy(source: Path) -> pd.DataFrame:
    try:
        loaded = np.load(source, allow_pickle=False)
        arrays = {"labels": loaded} if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except (OSError, ValueError, EOFError) as error:
        raise FileFormatError(
            f"{source.name!r} cannot be read ({' '.join(str(error).split())}); save plain number or string arrays."
        ) from None
    tables = {name: array for name, array in arrays.items() if array.ndim == 2}
    if "labels" in tables:
        array = tables["labels"]
    elif len(tables) == 1:
        array = next(iter(tables.values()))
    else:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise FileFormatError(f"{source.name!r} must hold one 2-D array, or one called 'labels'; it holds {shapes}.")
    return pd.DataFrame(array, columns=[f"c{j}" for j in range(array.shape[1])])


def _split_ids(frame: pd.DataFrame, id_column: str | bool | None, source: Path) -> LabelTable:
    names = list(frame.columns)
    sample = frame.iloc[:_SAMPLE]
    place = _find_ids(names, [sample[name] for name in names], id_column, source, n_rows=len(sample))
    if place is None:
        return LabelTable(frame, None, True)
    return LabelTable(frame.drop(columns=names[place]), frame[names[place]], True)


def _select(labels: pd.DataFrame, columns: Sequence[str], source: Path) -> pd.DataFrame:
    unknown = [name for name in columns if name not in labels.columns]
    if unknown:
        raise FileFormatError(
            f"{source.name!r} has no column {_listing(unknown)}; it has {_listing(list(labels.columns))}."
        )
    return labels[list(columns)]
