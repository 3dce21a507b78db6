"""Sources of columns: label matrices of the same objects, each with some of the clusterings, in memory or in a file.

A source becomes a site of the federation by columns, here or on a Dask worker; all of them belong to one owner, so that
nothing is hidden. A file travels as its path.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from partita.blocks._sources import FileMark, mark_of
from partita.federated._engine import Values
from partita.federated.columns._site import ColumnSite
from partita.io import read_labels


class FileSource(NamedTuple):
    """A file with some of the clusterings."""

    path: str
    mark: FileMark | None  # what it looked like here; None if only workers can see it


class SourceSite(ColumnSite):
    """A site whose size Dask knows, so that tasks go to where its labels are."""

    def __sizeof__(self) -> int:
        """Bytes of the labels, as they came and as the fit sees them."""
        fitted = self.ensemble.codes.nbytes if hasattr(self, "ensemble") else 0
        return object.__sizeof__(self) + int(self.matrix.codes.nbytes) + int(fitted)


class Unreadable:
    """In place of a source that could not be read: it answers with the reason."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def answer(self, question: str, values: Values) -> dict[str, Any]:
        """Raise what reading raised."""
        raise self.error


def name_sources(sources: Any) -> dict[str, Any]:
    """The sources by name, files as ``FileSource``."""
    if isinstance(sources, Mapping):
        named = {str(name): source for name, source in sources.items()}
    elif isinstance(sources, Sequence) and not isinstance(sources, str | bytes):
        named = {f"source-{i + 1}": source for i, source in enumerate(sources)}
    else:
        raise TypeError(
            f"sources is a {type(sources).__name__}; pass a list of label matrices or paths, or a dict of them by name."
        )
    if not named:
        raise ValueError("sources is empty; pass at least one label matrix or path.")
    return {name: _file_or_labels(source) for name, source in named.items()}


def _file_or_labels(source: Any) -> Any:
    if not isinstance(source, str | os.PathLike):
        return source
    path = os.path.abspath(source)
    return FileSource(path, mark_of(path) if os.path.exists(path) else None)


def load_site(name: str, source: Any, folder: Path | None = None) -> SourceSite | Unreadable:
    """A site that has read its labels, or that says why it could not; with ``folder``, it keeps its state there."""
    try:
        labels, ids = _read(source)
        return SourceSite(labels, name=name, ids=ids, accept_disclosure=True, folder=folder)
    except Exception as error:  # whatever it is: the source is named in the first exchange
        return Unreadable(error)


def _read(source: Any) -> tuple[Any, list[Any] | None]:
    """Labels, and the names of the objects, if there are any: those of all sources are then compared."""
    if not isinstance(source, FileSource):
        named = isinstance(source, pd.DataFrame) and not isinstance(source.index, pd.RangeIndex)
        return source, source.index.tolist() if named else None
    if source.mark is not None:
        source.mark.check()  # a worker that reads it again, because another one died, must find the same labels
    table = read_labels(source.path)
    return table.labels, None if table.ids is None else table.object_ids().tolist()
