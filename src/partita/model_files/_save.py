"""Write a fitted estimator to a model file."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita import __version__
from partita._runs import warn
from partita.exceptions import FileContentWarning
from partita.io import replacing
from partita.io._source import STANDARD
from partita.model_files._classes import name_of_estimator
from partita.model_files._format import FORMAT, VERSION, write_archive
from partita.model_files._write_tree import NotStorableError, TreeWriter

_SUFFIX = ".npz"


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file that :func:`load_model` reads.

    The file holds JSON and plain arrays, never a pickle. It is written to a new file beside the target and renamed, so
    that a failure leaves an old file as it was. The same model gives the same bytes.

    Parameters
    ----------
    model : estimator or ConsensusResult
        A fitted consensus estimator of partita, or the result of :func:`combine`, whose estimator is kept with the
        names of its clusterings.
    path : path
        File to write, ending in .npz.

    Notes
    -----
    A ``random_state`` that is a RandomState or a Generator is not kept: the model that is read has None, and nothing
    of what was fitted changes. :class:`ConsensusClustering` holds clusterers of other packages and cannot be saved;
    its ``consensus_`` can.

    Examples
    --------
    >>> import os, tempfile
    >>> from partita import LWGP, load_model, save_model
    >>> model = LWGP(2, random_state=0).fit({"a": [0, 0, 1, 1], "b": ["x", "x", "y", "x"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, os.path.join(folder, "model.npz"))
    ...     again = load_model(os.path.join(folder, "model.npz"))
    >>> again.predict({"a": [1, 0], "b": ["y", None]})
    array([1, 0])
    """
    write_model(model, check_model_target(path))


def write_model(model: Any, target: Path, *, clusterings: list[str] | None = None, noise: str = "missing") -> None:
    """The same with what the command line knows: names of the clusterings, and what -1 meant."""
    estimator = model
    if type(model).__name__ == "ConsensusResult":
        estimator, clusterings = model.estimator, clusterings or model._given_names
    document, arrays = model_document(estimator, clusterings, noise)
    with replacing(target) as beside:
        write_archive(beside, document, arrays)


def check_model_target(path: str | os.PathLike[str]) -> Path:
    """The path of a model file to write, or a refusal."""
    shown = os.fspath(path)
    target = Path(path)
    if shown == STANDARD or target.suffix.lower() != _SUFFIX:
        raise ValueError(f"{shown!r} is no name of a model file; let it end in {_SUFFIX}.")
    if target.is_dir():
        raise IsADirectoryError(f"{shown!r} is a folder; name a file.")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"there is no folder {str(target.parent)!r} to write {target.name!r} to; make it first."
        )
    return target


def model_document(
    estimator: Any, clusterings: list[str] | None, noise: str
) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """The document and the arrays of a model."""
    name = name_of_estimator(estimator)
    if name is None:
        raise TypeError(f"{_told(estimator)} cannot be saved in a model file; {_advice(estimator)}.")
    check_is_fitted(estimator, "_placement")
    if clusterings is None and hasattr(estimator, "feature_names_in_"):
        clusterings = [str(one) for one in estimator.feature_names_in_]
    writer, parameters = TreeWriter(), estimator.get_params(deep=False)
    attributes = {key: value for key, value in vars(estimator).items() if key not in parameters}
    document = {
        "format": FORMAT,
        "format_version": VERSION,
        "partita_version": __version__,
        "class": name,
        "clusterings": clusterings,
        "noise": noise,
        "parameters": {key: _written(writer, name, key, _seed(key, value)) for key, value in parameters.items()},
        "attributes": _attributes(writer, name, attributes),
    }
    return document, writer.arrays


def _seed(name: str, value: Any) -> Any:
    """A random state that can be written: whole numbers and None are, streams are not."""
    if name != "random_state" or value is None or isinstance(value, int | np.integer):
        return value
    warn(f"random_state={value!r:.60} is not kept in a model file; it will be None.", FileContentWarning)
    return None


def _attributes(writer: TreeWriter, model: str, attributes: dict[str, Any]) -> dict[str, Any]:
    """What was fitted; an index of pandas that has no plain values is left out, since nothing needs it."""
    written = {}
    for name, value in attributes.items():
        try:
            written[name] = _written(writer, model, name, value)
        except ValueError as error:
            if name != "index_":
                raise
            warn(f"the index of the objects is not kept in the model file: {error}", FileContentWarning)
    return written


def _written(writer: TreeWriter, model: str, name: str, value: Any) -> Any:
    try:
        return writer.write(value)
    except NotStorableError as error:
        raise NotStorableError(
            f"{name!r} of {model} holds {error}, which a model file cannot hold; numbers, text and arrays of them can "
            "be saved."
        ) from None


def _told(model: Any) -> str:
    return f"{type(model).__module__}.{type(model).__qualname__}"


def _advice(model: Any) -> str:
    if hasattr(model, "consensus_"):
        return "it holds clusterers of other packages. Its consensus_ can be saved"
    return "pass a fitted consensus estimator of partita, such as LWGP, or a ConsensusResult"
