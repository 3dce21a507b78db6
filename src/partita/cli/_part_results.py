"""Results of labels in parts, written file by file: ids are read again from each input while its output is written."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from partita.cli._file_options import is_spreadsheet_safe
from partita.cli._part_folder import CONFIDENCE, LABELS, MEMBERSHIP, ResultFolder
from partita.cli._results import label_table


class Part(NamedTuple):
    """An input file."""

    path: Path
    blocks: list[tuple[int, Any]]  # a number among all blocks, and the block

    @property
    def name(self) -> str:
        """Name of the file."""
        return self.path.name


class Objects(NamedTuple):
    """Some objects of a file, one after another."""

    first: int  # number among the objects of all files
    n: int
    ids: Any  # None if the file has none
    id_name: str
    block: int  # number of their block
    place: int  # of the first one in the block

    @property
    def place_in_all(self) -> slice:
        """Their place among the objects of all files."""
        return slice(self.first, self.first + self.n)

    @property
    def place_in_block(self) -> slice:
        """Their place in the block."""
        return slice(self.place, self.place + self.n)


def parts_of(paths: Sequence[Path], blocks: Any) -> list[Part]:
    """The files with their blocks; those of one file follow each other."""
    grouped = groupby(enumerate(blocks.blocks()), key=lambda numbered: numbered[1].mark.path)
    of_files = [list(of_file) for _, of_file in grouped]
    return [Part(path, of_file) for path, of_file in zip(paths, of_files, strict=True)]


# --------------------------------------------------------------------------------------------------- what is written
class Results:
    """What a fit found, a few objects at a time: beside labels nothing is held with a row per object."""

    def __init__(self, estimator: Any, contents: Sequence[str]) -> None:
        self.labels = estimator.labels_
        self._membership = estimator.membership_ if MEMBERSHIP in contents else None
        self._certainty = certainty_of(estimator) if CONFIDENCE in contents else None
        self._held: tuple[int, Any] = (-1, None)  # a block and its membership: several pieces of it follow each other

    def table(self, objects: Objects) -> Any:
        """Ids, or numbers, and labels."""
        import numpy as np

        numbers = objects.place_in_all
        ids = np.arange(numbers.start, numbers.stop) if objects.ids is None else objects.ids
        return label_table(ids, objects.id_name, self.labels[numbers])

    def add(self, content: str, table: Any, objects: Objects) -> Any:
        """The table with the columns of the content beside it."""
        import pandas as pd

        if content == LABELS:
            return table
        if content == MEMBERSHIP:
            return pd.concat([table, self._shares(objects)], axis=1)
        assert self._certainty is not None
        return pd.concat([table, self._certainty(objects.place_in_all)], axis=1)

    def _shares(self, objects: Objects) -> Any:
        import pandas as pd

        assert self._membership is not None
        if self._held[0] != objects.block:
            self._held = objects.block, self._membership[objects.block]
        shares = self._held[1][objects.place_in_block]
        return pd.DataFrame(shares, columns=[f"cluster_{k}" for k in range(shares.shape[1])])


def certainty_of(estimator: Any) -> Callable[[slice], Any]:
    """A function that gives confidence, vote and second cluster of some objects, as ``--confidence`` writes them.

    They are those of the distinct rows; of objects only where the rows do not fit in memory.
    """
    from dataclasses import replace

    import numpy as np
    import pandas as pd

    judged = estimator._judged
    row_of_object = None if judged.is_sample else judged.row_of_object
    if row_of_object is not None:
        judged = replace(judged, row_of_object=np.append(np.arange(len(judged.row_labels)), -1))  # -1: without a row
    verdicts = judged.verdicts
    values = {"confidence": verdicts.confidence, "vote": judged.own_votes(), "second": verdicts.second}

    def of(some: slice) -> Any:
        place = some if row_of_object is None else row_of_object[some]
        return pd.DataFrame({name: column[place] for name, column in values.items()})

    return of


# ------------------------------------------------------------------------------------------------------------ reading
def objects_of(part: Part, first: int) -> Iterator[Objects]:
    """The objects of a file in their order, a few at a time; they begin at a number among all."""
    from partita.blocks._sources import naming

    for number, block in part.blocks:
        place = 0
        with naming(block):
            for n, ids, id_name in _pieces(block):
                yield Objects(first, n, ids, id_name, number, place)
                place, first = place + n, first + n


def _pieces(block: Any) -> Iterator[tuple[int, Any, str]]:
    """How many objects, their ids, and what these are called; an array without ids is not read."""
    if block.path.suffix.lower() != ".npy" or isinstance(block.reading.id_column, str):
        for piece in block.pieces():
            yield len(piece.labels), piece.ids, piece.id_name
        return
    block.mark.check()
    last = n_rows_of_array(block.path) if block.last is None else block.last
    for lo in range(block.first, last, block.n_rows):
        yield min(block.n_rows, last - lo), None, "object"


def n_rows_of_array(path: Path) -> int:
    """Rows of the array in an NPY file, of which only the beginning is read."""
    import numpy as np

    return len(np.load(path, mmap_mode="r", allow_pickle=False))


# ------------------------------------------------------------------------------------------------------------ writing
def write_all(parts: Sequence[Part], folders: Sequence[ResultFolder], results: Results, *, show: bool) -> None:
    """Write every output that is not there yet, one input after another."""
    from partita._runs import progress

    first = 0
    try:
        with progress(len(parts), "writing files", show=show) as bar:
            for part in parts:
                first += _write_part(part, first, folders, results)
                bar.update(1)
    finally:
        for folder in folders:
            folder.save()


def _write_part(part: Part, first: int, folders: Sequence[ResultFolder], results: Results) -> int:
    """Write what is left of one input; returns its number of objects."""
    known = {folder.content: folder.n_objects(part.name) for folder in folders}
    left = [folder for folder in folders if known[folder.content] is None]
    if not left:
        return next(n for n in known.values() if n is not None)
    n = 0
    with ExitStack() as stack:
        appends = [(folder, stack.enter_context(_writer(folder, part.path))) for folder in left]
        for objects in objects_of(part, first):
            table = results.table(objects)
            for folder, append in appends:
                append(results.add(folder.content, table, objects))
            n += objects.n
    for folder in left:
        folder.finish(part.name, n)
    return n


def _writer(folder: ResultFolder, source: Path) -> AbstractContextManager[Callable[[Any], None]]:
    from partita.io._write_parts import table_in_parts

    path = folder.path_of(source.name)
    if path.suffix.lower() == ".npy":
        return _array_writer(path, n_rows_of_array(source), folder.content)
    return table_in_parts(path, spreadsheet_safe=is_spreadsheet_safe())


@contextmanager
def _array_writer(path: Path, n_rows: int, content: str) -> Iterator[Callable[[Any], None]]:
    """NPY holds labels or shares, without ids."""
    from partita.io._write_parts import array_in_parts

    with array_in_parts(path, n_rows) as append:
        yield lambda table: append(table["label"].to_numpy() if content == LABELS else table.iloc[:, 2:].to_numpy())
