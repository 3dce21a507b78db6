"""A folder with one result file per input file, and the list of those that are finished.

The list, ``.partita.json``, says by which fit the files were made. The same command, started again, writes what is not
finished; a folder of another fit is refused.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

LIST = ".partita.json"
LABELS, MEMBERSHIP, CONFIDENCE = "labels", "membership", "confidence"
_ADVICE = "Name another folder, or pass --overwrite to write all files again."
_SAVES = 1000  # how often the list is written at most: it has a line per file, and there may be very many
_SHOWN = 3  # differences that a message lists


class ResultFolder:
    """Where one kind of result goes."""

    def __init__(self, content: str, folder: str, inputs: Sequence[Path]) -> None:
        self.content, self.shown, self.folder = content, folder, Path(folder)
        self.names = {path.name: _output_name(content, path) for path in inputs}  # of the output, by that of the input
        self.summary: dict[str, Any] = {}  # what the fit found, as plain values
        self.written: set[str] = set()  # inputs whose output this run has written
        self._fit: dict[str, Any] = {}
        self._inputs = {path.name: _mark(path) for path in inputs}
        self._finished: dict[str, dict[str, int]] = {}
        self._digest: Any = None  # of the labels of all objects

    # ------------------------------------------------------------------------------------------- before the fit
    def open(self, fit: dict[str, Any], *, overwrite: bool) -> None:
        """Find what is finished; refuse what cannot be written, another fit, and files that are not ours."""
        self._check_place()
        self._fit = _plain({"content": self.content, **fit})
        if overwrite:
            self._warn_of_others()
            return
        known = self._read_list()
        if known is not None and known["finished"]:
            self._check_same(known)
            self._check_unchanged(known["finished"])
            self.summary, self._digest = known["summary"], known["digest"]
        elif known is None:
            self._refuse_others()

    def make(self) -> None:
        """Create the folder, so that a place that cannot be written to is told before the fit."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OSError(f"the folder {self.shown!r} cannot be created ({error.strerror}); name another.") from None

    def _check_place(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(
                f"{self.shown!r} is a file; FILE is read in parts, and its results go to a folder."
            )
        if self.folder.is_dir() and not os.access(self.folder, os.W_OK):
            raise PermissionError(f"the folder {self.shown!r} cannot be written to; choose another one.")

    def _read_list(self) -> dict[str, Any] | None:
        path = self.folder / LIST
        if not path.exists():
            return None
        try:
            known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            found: dict[str, Any] = {name: dict(known[name]) for name in ("fit", "inputs", "finished", "summary")}
            return found | {"digest": known.get("digest")}
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"the list of results {str(path)!r} is damaged. {_ADVICE}") from None

    def _check_same(self, known: dict[str, Any]) -> None:
        told = _differences(known["fit"], self._fit) + _changed_inputs(known["inputs"], self._inputs)
        if told:
            more = [f"and {len(told) - _SHOWN} more"] if len(told) > _SHOWN else []
            shown = "; ".join(told[:_SHOWN] + more)
            raise ValueError(f"the folder {self.shown!r} holds the results of another fit: {shown}. {_ADVICE}")

    def _check_unchanged(self, finished: dict[str, Any]) -> None:
        """Take as finished what is there as it was written; refuse what somebody has changed since."""
        for name, about in finished.items():
            path = self.path_of(name)
            if not path.exists():
                continue
            if path.stat().st_size != about["bytes"]:
                raise ValueError(f"{str(path)!r} was changed after it had been written. {_ADVICE}")
            self._finished[name] = about

    def _refuse_others(self) -> None:
        there = [name for name in self.names.values() if (self.folder / name).exists()]
        if there:
            more = f" and {len(there) - 1} more" if len(there) > 1 else ""
            raise ValueError(f"the folder {self.shown!r} holds {there[0]!r}{more}, which would be lost. {_ADVICE}")

    def _warn_of_others(self) -> None:
        """Say which files of an earlier fit stay beside the new ones."""
        from partita._runs import warn
        from partita.exceptions import FileContentWarning

        try:
            known = self._read_list()
        except ValueError:
            return
        old = [] if known is None else [name for name in known["finished"] if name not in self.names]
        left = [
            name for name in (_output_name(self.content, Path(name)) for name in old) if (self.folder / name).exists()
        ]
        if left:
            warn(
                f"the folder {self.shown!r} still holds files of an earlier fit that are no results of this one "
                f"({len(left)}, such as {left[0]!r}).",
                FileContentWarning,
            )

    # ----------------------------------------------------------------------------------------- while files are written
    def begin(self, summary: dict[str, Any], digest: int) -> None:
        """Write down the fit before its first file: from here on the files are ours.

        ``digest`` is that of all labels. Finished files of other labels, which less memory or another processor can
        lead to, must not stand beside new ones.
        """
        if self._finished and self._digest not in (None, digest):
            raise ValueError(
                f"this fit came out otherwise than the one that wrote {self.shown!r}: there was another amount of "
                f"memory, or another processor. {_ADVICE}"
            )
        self.summary, self._digest = _plain(summary), digest
        self.save()

    def path_of(self, name: str) -> Path:
        """Output of an input."""
        return self.folder / self.names[name]

    def n_objects(self, name: str) -> int | None:
        """Objects of an input whose output is finished, else None."""
        return self._finished[name]["n_objects"] if name in self._finished else None

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to write."""
        return len(self._finished) == len(self.names)

    def finish(self, name: str, n_objects: int) -> None:
        """Write down that an output is there."""
        self._finished[name] = {"n_objects": n_objects, "bytes": self.path_of(name).stat().st_size}
        self.written.add(name)
        if len(self.written) % max(1, len(self.names) // _SAVES) == 0:
            self.save()

    def save(self) -> None:
        """Write the list."""
        from partita.io import replacing

        about = {"fit": self._fit, "summary": self.summary, "inputs": self._inputs, "finished": self._finished}
        about["digest"] = self._digest
        with replacing(self.folder / LIST) as beside:
            beside.write_text(json.dumps(about, indent=1), encoding="utf-8")


def _output_name(content: str, path: Path) -> str:
    """The name of the input; NPY cannot hold a table with columns of several kinds."""
    return f"{path.stem}.csv" if content == CONFIDENCE and path.suffix.lower() == ".npy" else path.name


def _mark(path: Path) -> list[int]:
    """Size and time of the last change."""
    about = path.stat()
    return [about.st_size, about.st_mtime_ns]


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """The values as JSON gives them back."""
    plain: dict[str, Any] = json.loads(json.dumps(values, default=repr))
    return plain


def _differences(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    """What tells one fit from the other, in words."""
    names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    return [f"{name} is {_value(there, name)} there and {_value(here, name)} here" for name in names]


def _value(of: dict[str, Any], name: str) -> str:
    return repr(of[name]) if name in of else "not set"


def _changed_inputs(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    gone = [f"the input {name!r} is gone" for name in there if name not in here]
    new = [f"the input {name!r} is new" for name in here if name not in there]
    return (
        gone + new + [f"the input {name!r} has changed" for name in here if there.get(name, here[name]) != here[name]]
    )


# -------------------------------------------------------------------------------------------------------- all folders
def result_folders(paths: Sequence[Path], **targets: str | None) -> list[ResultFolder]:
    """The folders that are asked for, by content; refuses names by which files would be lost."""
    _check_names([(path, path.name) for path in paths])
    folders = [ResultFolder(content, target, paths) for content, target in targets.items() if target is not None]
    taken = {os.path.realpath(place) for path in paths for place in (path, path.parent)}
    places: set[str] = set()
    for folder in folders:
        _check_names([(path, folder.names[path.name]) for path in paths])
        _refuse_name_of_file(folder)
        place = os.path.realpath(folder.folder)
        if taken & {place, *(os.path.realpath(folder.path_of(path.name)) for path in paths)}:
            raise ValueError(
                f"results in {folder.shown!r} would be among the inputs, or over them; name another folder."
            )
        if place in places:
            raise ValueError(f"two results cannot go to one folder ({folder.shown!r}); choose different names.")
        places.add(place)
    return folders


def _check_names(outputs: Sequence[tuple[Path, str]]) -> None:
    """Refuse inputs, such as those of one name in several folders, that would have one output."""
    seen: dict[str, Path] = {}
    for path, name in outputs:
        if name in seen:
            raise ValueError(
                f"the results of {str(seen[name])!r} and {str(path)!r} would both be called {name!r}; give the files "
                "different names."
            )
        seen[name] = path


def _refuse_name_of_file(folder: ResultFolder) -> None:
    """Refuse a new folder that is called like a table, as in ``-o out.csv``."""
    from partita.exceptions import FileFormatError
    from partita.io._formats import format_of

    if folder.folder.exists():
        return
    with suppress(FileFormatError):
        format_of(folder.folder)
        raise click.UsageError(
            f"{folder.shown!r} is the name of a file; FILE is read in parts, and results go to a folder, one file for "
            "each input."
        )
