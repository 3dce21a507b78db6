"""Labels in blocks: more objects than fit in memory, in files, arrays, what a function yields, or Dask collections."""

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from partita._checks import check_choice
from partita._labels.columns import Noise
from partita._typing import FloatArray, IntArray
from partita.blocks._sources import (
    Block,
    YieldedBlock,
    array_as_blocks,
    dask_as_blocks,
    files_as_blocks,
    warn_unknown,
)
from partita.exceptions import BlockError, FileFormatError
from partita.io._formats import format_of
from partita.io._label_parts import IN_PARTS, PartReading

_SINGLETON = (
    "noise='singleton' gives every object of label -1 a cluster of its own, which blocks cannot hold; pass 'missing' "
    "or 'cluster'."
)


class LabelBlocks:
    """Labels of any number of objects, in blocks: pass it to ``fit``, ``predict``, ``predict_proba`` or ``combine``.

    Use one of the constructors: :meth:`from_files`, :meth:`from_array`, :meth:`from_iterable`, :meth:`from_dask`.

    Every block is reduced to its distinct rows, and those of all blocks are merged. While these fit in memory, a fit
    has the result of the fit of all labels in memory, whatever the number of objects. Beyond that, models that are sums
    over rows iterate over parts of the distinct rows on disk (or on Dask workers), and methods that work on tables of
    labels need these tables, a sample and one pass that places the objects.

    After a fit, ``labels_`` is an int32 array, and ``membership_`` of a soft method is a sequence of arrays, one per
    block.

    Parameters
    ----------
    blocks : list of blocks, or callable
        The blocks, or what gives them, again at each call.
    names : list of str, optional
        Names of the clusterings, where they are known.
    noise : {"missing", "cluster"}, default="missing"
        What the label -1 means.
    client : dask.distributed.Client, optional
        Blocks are then read and computed by the workers of its cluster, with the same result. They must be able to read
        the same paths, and have the same version of partita.
    resume : path, optional
        A folder in which a fit keeps what it has, so that the same fit, interrupted, goes on from there to the same
        result. It can be deleted after the fit.

    Attributes
    ----------
    n_blocks : int or None
        Number of blocks; None if a function yields them.
    names : list of str or None
        Names of the clusterings.

    Examples
    --------
    >>> import numpy as np
    >>> from partita import LWGP, LabelBlocks
    >>> labels = np.repeat([[0, 0, 1], [1, 2, 0], [1, 2, 0]], 100, axis=0)
    >>> blocks = LabelBlocks.from_array(labels, rows=70)
    >>> blocks.n_blocks
    5
    >>> np.bincount(LWGP(2, random_state=0).fit(blocks).labels_)
    array([200, 100])
    """

    def __init__(
        self,
        blocks: list[Any] | Callable[[], Iterable[Any]],
        *,
        names: list[str] | None = None,
        noise: Noise = "missing",
        client: Any = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> None:
        check_choice("noise", noise, ("missing", "singleton", "cluster"))
        if noise == "singleton":
            raise ValueError(_SINGLETON)
        self._source = blocks
        self.names = names
        self.noise = noise
        self.client = client
        self.resume = None if resume is None else Path(resume)
        self._kept: dict[str, Any] = {}  # what a pass found, for the next fit

    # --------------------------------------------------------------------------------------------------- constructors
    @classmethod
    def from_files(
        cls,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        rows: int | None = None,
        id_column: str | bool | None = None,
        columns: Sequence[str] | None = None,
        header: bool | None = None,
        missing: Sequence[str] = (),
        missing_words: bool = True,
        encoding: str | None = None,
        separator: str | None = None,
        noise: Noise = "missing",
        client: Any = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> "LabelBlocks":
        """Files with the same columns, one after another.

        The beginning of every file is looked at here: one with other columns, or text where others have numbers, is
        refused by name.

        Parameters
        ----------
        paths : path, or sequence of paths
            A folder, a pattern such as "parts/*.csv", a file, or a list of files. NPY, Parquet, CSV, TSV and TXT (also
            .gz). Files of a folder or a pattern are taken in the order of their names, numbers by their value.
        rows : int, optional
            Objects of a block, for NPY and Parquet files, which are cut into blocks; by default so many that a block
            has 8 million labels. A text file is one block, which is read in parts.
        id_column, columns, header, missing, missing_words, encoding, separator
            As in :func:`partita.io.read_labels`.
        noise, client, resume
            As in the class.

        Returns
        -------
        LabelBlocks
        """
        check_rows(rows)
        chosen = None if columns is None else tuple(columns)
        reading = PartReading(id_column, chosen, header, tuple(missing), missing_words, encoding, separator)
        found = files_as_blocks(find_files(paths), reading, rows)
        return cls(found.blocks, names=found.names, noise=noise, client=client, resume=resume)

    @classmethod
    def from_array(
        cls,
        array: Any,
        *,
        rows: int | None = None,
        noise: Noise = "missing",
        client: Any = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> "LabelBlocks":
        """Slices of a 2-D array, one row per object: memory-mapped, or anything that can be sliced by rows.

        Parameters
        ----------
        array : array of shape (n_samples, n_clusterings)
            As ``np.load(path, mmap_mode="r")`` gives; also arrays of h5py or zarr.
        rows : int, optional
            Objects of a block; by default so many that a block has 8 million labels.
        noise, client, resume
            As in the class. With ``client`` a memory-mapped array travels as the path of its file, another one as its
            labels.

        Returns
        -------
        LabelBlocks
        """
        check_rows(rows)
        blocks = array_as_blocks(array, rows)
        return cls(blocks, noise=noise, client=client, resume=resume)

    @classmethod
    def from_iterable(
        cls,
        function: Callable[[], Iterable[Any]],
        *,
        noise: Noise = "missing",
        resume: str | os.PathLike[str] | None = None,
    ) -> "LabelBlocks":
        """Blocks that a function yields, each a label matrix in any container.

        Parameters
        ----------
        function : callable
            Called for every pass, without arguments; yields the same blocks each time.
        noise, resume
            As in the class.

        Returns
        -------
        LabelBlocks
        """
        if not callable(function):
            raise TypeError(
                f"{function!r:.60} cannot be called; pass a function that yields the blocks, again at each call (an "
                "iterator would be empty in the second pass)."
            )
        return cls(function, noise=noise, resume=resume)

    @classmethod
    def from_dask(
        cls,
        collection: Any,
        *,
        noise: Noise = "missing",
        client: Any = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> "LabelBlocks":
        """Parts of a Dask array or a Dask frame.

        Parameters
        ----------
        collection : dask.array.Array or dask.dataframe.DataFrame
            One row per object, one column per clustering; a frame has no column of ids.
        noise, client, resume
            As in the class; by default the client that is current in Dask, if there is one.

        Returns
        -------
        LabelBlocks
        """
        from partita.blocks._dask import current_client

        blocks = dask_as_blocks(collection)
        names = [str(name) for name in collection.columns] if hasattr(collection, "columns") else None
        return cls(
            blocks,
            names=names,
            noise=noise,
            client=current_client() if client is None else client,
            resume=resume,
        )

    # --------------------------------------------------------------------------------------------------- as a container
    @property
    def n_blocks(self) -> int | None:
        """Number of blocks; None if a function yields them."""
        return len(self._source) if isinstance(self._source, list) else None

    def __iter__(self) -> Iterator[Any]:
        """Label matrices in the order of the objects, one or more per block."""
        for block in self.blocks():
            for piece in block.pieces():
                yield piece.labels

    def __repr__(self) -> str:
        n = self.n_blocks
        return f"<LabelBlocks: {'blocks of a function' if n is None else f'{n} blocks'}>"

    def blocks(self) -> Iterator[Block]:
        """The blocks, which know how to read themselves."""
        if isinstance(self._source, list):
            return iter(self._source)
        return (YieldedBlock(number, labels) for number, labels in enumerate(self._source()))

    def __getstate__(self) -> dict[str, Any]:
        """What is stored with a fitted model: neither the client nor what an earlier pass found."""
        return {**self.__dict__, "client": None, "_kept": {}}

    # ------------------------------------------------------------------------------------------ what estimators ask for
    def fit_estimator(self, estimator: Any, sample_weight: Any = None) -> None:
        """Fit an estimator: ``estimator.fit(blocks)`` calls this."""
        from partita.blocks._fit import fit_estimator

        fit_estimator(self, estimator, sample_weight)

    def predict_with(self, estimator: Any) -> IntArray:
        """Cluster of each object: ``estimator.predict(blocks)`` calls this."""
        from partita.blocks._placing import predict

        return predict(self, estimator)

    def memberships_by(self, estimator: Any) -> Iterator[FloatArray]:
        """Probabilities, block by block: ``estimator.predict_proba(blocks)`` calls this."""
        from partita.blocks._placing import memberships

        return memberships(self, estimator)


def check_rows(rows: Any) -> None:
    """Refuse what is no number of rows."""
    if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int) or rows < 1):
        raise ValueError(f"rows={rows!r:.60} is no number of objects of a block; pass a whole number from 1, or None.")


def find_files(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Files of a folder, a pattern or a list, in order."""
    if not isinstance(paths, str | os.PathLike):
        found = [Path(path) for path in paths]
        if not found:
            raise BlockError("the list of files is empty; name at least one.")
        return found
    text = os.fspath(paths)
    if Path(text).is_dir():
        visible = [path for path in Path(text).iterdir() if path.is_file() and path.name[0] not in "._"]
        files = [path for path in visible if _holds_labels(path)]
        if not files:
            raise BlockError(f"the folder {text!r} holds no file that can be read in blocks: {', '.join(IN_PARTS)}.")
        for path in set(visible) - set(files):
            warn_unknown(path)
        return sorted(files, key=_by_number)
    if Path(text).exists() or not glob.has_magic(text):
        return [Path(text)]
    files = [Path(path) for path in glob.glob(text)]
    if not files:
        raise BlockError(f"no file matches {text!r}.")
    return sorted(files, key=_by_number)


def _holds_labels(path: Path) -> bool:
    try:
        return format_of(path) in IN_PARTS
    except FileFormatError:
        return False


def _by_number(path: Path) -> list[Any]:
    """Key that sorts part-2 before part-10."""
    return [(1, int(word), "") if word.isdigit() else (0, 0, word) for word in re.split(r"(\d+)", path.name)]
