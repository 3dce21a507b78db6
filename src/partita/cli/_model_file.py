"""Model files on the command line: writing one after a fit, and finding its clusterings in another table."""

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from partita.consensus._methods import METHODS

if TYPE_CHECKING:
    from partita.model_files import StoredModel

SUFFIXES = (".npz",)
_SHOWN = 5  # columns that a message names

save_model_option = click.option(
    "--save-model",
    type=click.Path(),
    metavar="FILE",
    help="File to keep the fitted model in, ending in .npz, for `partita predict`.",
)


def save_model_file(path: str, estimator: Any, clusterings: list[str], noise: str) -> None:
    """Write the model with the names of its clusterings, by which new objects are matched."""
    import numpy as np

    from partita.cli._file_options import standard_file
    from partita.model_files._save import write_model

    if len(set(clusterings)) == len(clusterings):
        estimator.feature_names_in_ = np.array(clusterings, dtype=object)
    with standard_file(path, SUFFIXES[0]) as target:
        write_model(estimator, target, clusterings=clusterings, noise=noise)


def open_model(path: str) -> "StoredModel":
    """The model in a file."""
    from partita.cli._stages import stage
    from partita.model_files import read_model_file

    with stage(f"reading {path}"):
        return read_model_file(path)


def method_of(estimator: Any) -> str:
    """The name of the method on the command line."""
    kind = type(estimator).__name__
    return next(name for name, method in METHODS.items() if method.estimator == kind)


def votes_of(estimator: Any, X: Any) -> Any:
    """Votes of the labels of new objects for the clusters (eq. I75); without a label the shares of the clusters."""
    import numpy as np

    from partita._labels.ensemble import have_a_label
    from partita.metrics._confidence import row_votes

    encoder, judged = estimator._placement.encoder, estimator._judged
    codes = encoder.known(encoder.encode(X))
    counts, known = judged.counts(), have_a_label(codes)
    votes = np.tile(counts.sizes / counts.sizes.sum(), (len(codes), 1))
    votes[known] = row_votes(judged.ensemble.with_rows(codes[known]), counts)
    return votes


# ----------------------------------------------------------------------------------------- columns of new objects
class NewLabels(NamedTuple):
    """Labels of new objects, as the model has them."""

    frame: Any  # one column per clustering of the model, in its order
    swaps: dict[str, dict[Any, Any]]  # by clustering: labels that were of another type, and the model's own
    n_unseen: int  # labels that the model does not know


def fitted_columns(stored: "StoredModel", table: Any, file: str) -> NewLabels:
    """The clusterings of the model, in its order, with labels as the model writes them."""
    from partita.exceptions import FileFormatError

    frame, names = table.labels, stored.clusterings
    n_fitted = stored.estimator._placement.encoder.n_columns_in
    by_place = names is None or not table.has_header or len(set(names)) < len(names)
    if by_place:
        if frame.shape[1] != n_fitted:
            raise FileFormatError(
                f"{file!r} has {frame.shape[1]} columns of labels, and the model was fitted to {n_fitted}, without "
                "names to find them by; pass as many, in the same order (--columns, --drop)."
            )
        chosen = frame if names is None else frame.set_axis(names, axis=1)
    else:
        chosen = _by_name(frame, list(names or []), file)
        left = [str(name) for name in frame.columns if str(name) not in set(names or [])]
        if left:
            verb = "is" if len(left) == 1 else "are"
            _warn(f"{file!r}: {_listed(left)} {verb} left out, since the model has no such clustering.")
    return _as_the_model_writes(chosen, stored.estimator._placement.encoder, file)


def _by_name(frame: Any, names: list[str], file: str) -> Any:
    from partita.exceptions import FileFormatError

    places = {str(name): place for place, name in enumerate(frame.columns)}
    missing = [name for name in names if name not in places]
    if missing:
        raise FileFormatError(
            f"{file!r} lacks {_listed(missing)} of the model; a clustering that did not see these objects can be an "
            "empty column of that name."
        )
    return frame.iloc[:, [places[name] for name in names]].set_axis(names, axis=1)


def _as_the_model_writes(frame: Any, encoder: Any, file: str) -> NewLabels:
    """Labels that differ from those of the model in their type only, such as the text "1" and the number 1, as its own.

    A column of numbers becomes text as soon as one field is a word, so types of two files differ easily.
    """
    import pandas as pd

    columns, swaps, examples, n_unseen = [frame.iloc[:, j] for j in range(frame.shape[1])], {}, [], 0
    for place, known in zip(encoder.columns.tolist(), encoder.labels, strict=True):
        name = str(frame.columns[place])
        swap, unseen = _compared(columns[place], known.tolist())
        n_unseen += int(columns[place].isin(unseen).sum())
        examples += [f"{_shown(label)} of {name!r}" for label in unseen[:1]]
        if swap:
            swaps[name] = swap
            columns[place] = columns[place].astype(object).map(lambda label, own=swap: own.get(label, label))
    if n_unseen:
        told = "1 label is" if n_unseen == 1 else f"{n_unseen} labels are"
        shown = ", ".join(examples[:_SHOWN])
        _warn(f"{file!r}: {told} not known to the model and counted as missing, such as {shown}.")
    return NewLabels(pd.concat(columns, axis=1, keys=frame.columns), swaps, n_unseen)


def _compared(column: Any, known: list[Any]) -> tuple[dict[Any, Any], list[Any]]:
    """The model's own labels for those that are the same as text, and the labels that it does not know; -1 is none."""
    have = set(known)
    by_text: dict[str, list[Any]] = {}
    for label in known:
        by_text.setdefault(_text(label), []).append(label)
    swap, unseen = {}, []
    for label in column.dropna().unique().tolist():
        if label in have or _text(label) == "-1":
            continue
        same = by_text.get(_text(label), [])
        if len(same) == 1:
            swap[label] = same[0]
        else:
            unseen.append(label)
    return swap, unseen


def _text(label: Any) -> str:
    """A label as text, whole numbers without a point."""
    try:
        number = float(label)
    except (TypeError, ValueError):
        return str(label)
    return str(int(number)) if number.is_integer() else str(number)


def _shown(label: Any) -> str:
    """A label in a message; a number as it stands in the file, also where a hole made it one with a point."""
    return repr(label) if isinstance(label, str) else _text(label)


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
    return f"the column {shown}" if len(names) == 1 else f"{len(names)} columns ({shown})"


def _warn(text: str) -> None:
    from partita._runs import warn
    from partita.exceptions import FileContentWarning

    warn(text, FileContentWarning)
