"""What a fit on blocks keeps in a folder, so that it can go on after an interruption.

A fit is a sequence of passes over the blocks, and what it does next follows from what the passes before found. So the
folder holds what they found: the distinct rows of each block, and the sums of each pass. A fit that is started again
takes these instead of computing them, and arrives at the same bits. Files are written beside their place and renamed.
"""

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from partita import __version__
from partita._labels.columns import named_columns
from partita._typing import Array
from partita.blocks._engine import Sums
from partita.blocks._reduction import BlockRows
from partita.io._replacing import replacing

_ABOUT, _ROUTE = "fit.json", "route.txt"
IN_MEMORY, PARTS = "memory", "parts"


class Journal:
    """The passes of one fit; without a folder nothing is kept."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._n_asked = 0

    def route(self) -> str | None:
        """Whether the fit keeps its rows in memory or in parts, if that was decided; it must not change on the way."""
        path = None if self.folder is None else self.folder / _ROUTE
        return path.read_text(encoding="utf-8").strip() if path is not None and path.exists() else None

    def take_route(self, route: str) -> None:
        """Write down what was decided."""
        if self.folder is not None and self.route() is None:
            with replacing(self.folder / _ROUTE) as beside:
                beside.write_text(route, encoding="utf-8")

    def read_or_make(
        self, blocks: Any, make: Callable[[Iterable[Any]], Iterator[BlockRows | None]]
    ) -> Iterator[BlockRows | None]:
        """Distinct rows of all blocks, in order; those that are stored are not made again."""
        if self.folder is None:
            yield from make((block, blocks.noise) for block in blocks.blocks())
            return
        stored: dict[int, bool] = {}  # of the blocks that were looked at so far

        def left() -> Iterator[Any]:
            for number, block in enumerate(blocks.blocks()):
                stored[number] = self._block(number).exists()
                if not stored[number]:
                    yield block, blocks.noise
            stored[len(stored)] = False  # the end

        made, number = make(left()), 0
        for rows in made:
            while stored[number]:
                yield load_rows(self._block(number))
                number += 1
            save_rows(self._block(number), rows)
            yield rows
            number += 1
        for later in range(number, len(stored) - 1):
            yield load_rows(self._block(later))

    def ask(self, question: str, compute: Callable[[], Sums]) -> Sums:
        """Sums of one pass, from the folder if it has them."""
        number, self._n_asked = self._n_asked, self._n_asked + 1
        if self.folder is None:
            return compute()
        path = self.folder / f"pass-{number:06d}.npz"
        if path.exists():
            with _reading(path), np.load(path, allow_pickle=False) as found:
                stored = {name: found[name] for name in found.files}
            if str(stored.pop("question")) != question:
                raise ValueError(f"{str(self.folder)!r} is of another fit; pass another folder to resume.")
            return stored
        sums = compute()
        with replacing(path) as beside, open(beside, "wb") as file:
            np.savez(file, question=np.array(question), **sums)
        return sums

    def _block(self, number: int) -> Path:
        assert self.folder is not None
        return self.folder / f"block-{number:06d}.npz"


def journal_for(folder: Path | None, estimator: Any, blocks: Any) -> Journal:
    """The journal of a fit; a folder of another fit is refused."""
    if folder is None:
        return Journal()
    seed = getattr(estimator, "random_state", 0)
    if not isinstance(seed, int | np.integer):
        raise ValueError(
            f"random_state={seed!r:.60}, and a fit that can be resumed draws the same numbers again; pass a whole "
            "number as random_state."
        )
    known = folder.is_dir() and any(path.name[0] != "." for path in folder.iterdir())
    if known and not any(folder.glob(f"*/{_ABOUT}")):
        raise ValueError(f"the folder {str(folder)!r} holds other files; pass a new or an empty folder to resume.")
    folder = folder / type(estimator).__name__  # combine may fit two methods, one of them for the number of clusters
    folder.mkdir(parents=True, exist_ok=True)
    about = describe_fit(estimator, blocks)
    path = folder / _ABOUT
    if path.exists():
        with _reading(path):
            stored = json.loads(path.read_text(encoding="utf-8"))
        if stored != about:
            changed = ", ".join(name for name in about if stored.get(name) != about[name])
            raise ValueError(
                f"the folder {str(folder.parent)!r} holds another fit (it differs in: {changed}); delete it, or "
                "pass another folder to resume."
            )
    else:
        with replacing(path) as beside:
            beside.write_text(json.dumps(about, indent=1), encoding="utf-8")
    return Journal(folder)


def describe_fit(estimator: Any, blocks: Any) -> dict[str, Any]:
    """What tells one fit from another."""
    ignored = ("n_jobs", "verbose")  # they change no result
    parameters = {name: value for name, value in estimator.get_params(deep=False).items() if name not in ignored}
    listed = blocks.blocks() if blocks.n_blocks is not None else islice(blocks.blocks(), 1)
    marks = [mark_of_block(block) for block in listed]
    return {
        "version": __version__,
        "method": type(estimator).__name__,
        "parameters": repr({name: _plain(value) for name, value in sorted(parameters.items())}),
        "noise": blocks.noise,
        "blocks": hashlib.sha256("\n".join(marks).encode()).hexdigest(),
    }


def mark_of_block(block: Any) -> str:
    """What tells whether a block is the one of an earlier run: how it is read, or the labels that are in memory."""
    if hasattr(block, "mark"):
        return repr(block)
    if hasattr(block, "part"):
        return f"{block.name} {getattr(block.part, 'key', '')}"
    digest = hashlib.sha256(block.name.encode())
    for piece in block.pieces():
        for column in named_columns(piece.labels)[1]:
            content = column.tobytes() if column.dtype != object else repr(column.tolist()).encode()
            digest.update(content)
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    return np.asarray(value).tolist() if hasattr(value, "__array__") else value


# -------------------------------------------------------------------------------------------------------- rows in files
def save_rows(path: str | os.PathLike[str], rows: BlockRows | None) -> None:
    """Write the rows of a block; nothing for one without objects, which is read again."""
    if rows is None:
        return
    about = {"name": rows.name, "names": rows.names, "has_names": rows.has_names}
    about["labels"] = [_as_json(labels) for labels in rows.labels]
    try:
        text = json.dumps(about)
    except TypeError as error:
        raise ValueError(
            f"block {rows.name!r}: its labels cannot be kept to resume ({error}); make them numbers or text."
        ) from None
    with replacing(path) as beside, open(beside, "wb") as file:
        np.savez(
            file,
            about=np.array(text),
            codes=rows.codes,
            n_objects=rows.n_objects,
            row_of_object=rows.row_of_object,
        )


def load_rows(path: str | os.PathLike[str]) -> BlockRows:
    """Read the rows of a block."""
    with _reading(Path(path)), np.load(path, allow_pickle=False) as found:
        about = json.loads(str(found["about"]))
        labels = [_from_json(kind, values) for kind, values in about["labels"]]
        arrays = (found["codes"], found["n_objects"], found["row_of_object"])
        return BlockRows(about["name"], about["names"], labels, *arrays, about["has_names"])


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """A damaged file is told by its name."""
    try:
        yield
    except (zipfile.BadZipFile, ValueError, KeyError, EOFError) as error:
        raise ValueError(f"{str(path)!r}, kept to resume a fit, is damaged ({error}); delete its folder.") from error


def _as_json(labels: Array) -> tuple[str, list[Any]]:
    return labels.dtype.str if labels.dtype.kind in "biuf" else "object", labels.tolist()


def _from_json(kind: str, values: list[Any]) -> Array:
    if kind != "object":
        return np.array(values, dtype=kind)
    labels = np.empty(len(values), dtype=object)
    labels[:] = values
    return labels
