"""Read a model file, and refuse what is none, in one clear error."""

import os
from collections.abc import Callable
from inspect import getattr_static
from typing import Any, NamedTuple

from partita._typing import Array
from partita.exceptions import FileFormatError
from partita.io._source import Source, open_source, reason_of
from partita.model_files._checks import check_attributes, check_whole
from partita.model_files._classes import estimator_named
from partita.model_files._format import FORMAT, VERSION, read_archive
from partita.model_files._read_tree import TreeReader

_NOISE = ("missing", "singleton", "cluster")


class StoredModel(NamedTuple):
    """What a model file holds."""

    estimator: Any
    clusterings: list[str] | None  # names of the columns that were fitted, None if they had none
    noise: str  # what the label -1 meant
    format_version: int
    partita_version: str  # the one that wrote it


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a fitted model that :func:`save_model` wrote.

    Nothing in the file is run: it names classes of a fixed list of partita's own, and holds numbers, text and arrays.

    Parameters
    ----------
    path : path
        Model file; "-" is standard input.

    Returns
    -------
    estimator
        The fitted estimator: its labels, probabilities and predictions are the same to the last bit.

    Raises
    ------
    FileFormatError
        (a ValueError) if the file is damaged, no model file, or was made by a newer version of partita.
    """
    return read_model_file(path).estimator


def read_model_file(path: str | os.PathLike[str]) -> StoredModel:
    """Read a model file with all that it holds beside the estimator.

    Parameters
    ----------
    path : path
        Model file; "-" is standard input.

    Returns
    -------
    StoredModel
        Estimator, names of the clusterings, what -1 meant, and the versions that wrote it.
    """
    source = open_source(path)
    try:
        return _read(source)
    except MemoryError:
        raise
    except Exception as error:  # NumPy, zipfile and json raise many kinds on hostile values, OSError too
        if isinstance(error, FileFormatError) and str(error).endswith("."):
            raise
        why = "it is nested too deeply" if isinstance(error, RecursionError) else reason_of(error)
        raise FileFormatError(
            f"{source.name!r} cannot be read as a model file ({why}); it is damaged, or was not written by "
            "partita.save_model or --save-model."
        ) from None


def _read(source: Source) -> StoredModel:
    with source.open() as content:
        size = content.seek(0, os.SEEK_END)
        content.seek(0)
        document, arrays = read_archive(content, size)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileFormatError("its document is not that of a model")
    version = document.get("format_version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FileFormatError("its format has no version")
    if version > VERSION:
        by = str(document.get("partita_version"))[:40]
        raise FileFormatError(
            f"{source.name!r} was made by a newer partita ({by}, format {version}; this one reads formats up to "
            f"{VERSION}); update partita to open it."
        )
    return _READERS[version](document, arrays)


def _read_version_1(document: dict[str, Any], arrays: dict[str, Array]) -> StoredModel:
    kind, reader = estimator_named(document.get("class")), TreeReader(arrays)
    if kind is None:
        raise FileFormatError(
            f"it names the class {str(document.get('class'))[:40]!r}, which is no estimator of partita"
        )
    parameters = {name: reader.read(value) for name, value in document["parameters"].items()}
    attributes = {name: reader.read(value) for name, value in document["attributes"].items()}
    estimator = kind(**parameters)
    reserved = [name for name in attributes if name in parameters or _is_own(kind, name)]
    if reserved:
        raise FileFormatError(f"its attribute {reserved[0][:40]!r} is none that a fit sets")
    check_attributes(kind, attributes)
    check_whole(attributes)
    vars(estimator).update(attributes)
    names, noise, by = document.get("clusterings"), document.get("noise"), document.get("partita_version")
    if noise not in _NOISE or not isinstance(by, str):
        raise FileFormatError("its document has wrong values")
    if names is not None and (not isinstance(names, list) or not all(isinstance(name, str) for name in names)):
        raise FileFormatError("the names of its clusterings are no text")
    if names is not None and len(names) != attributes["_placement"].encoder.n_columns_in:
        raise FileFormatError("the names of its clusterings do not fit their number")
    return StoredModel(estimator, names, noise, 1, by)


def _is_own(kind: type, name: str) -> bool:
    """Whether a name belongs to the class itself: a method or a property must not be hidden by what is in a file."""
    own = getattr_static(kind, name, None)
    return name.startswith("__") or callable(own) or hasattr(own, "__get__")


# By the version of the format: readers of older formats stay here.
_READERS: dict[int, Callable[[dict[str, Any], dict[str, Array]], StoredModel]] = {1: _read_version_1}
