"""The rows of a fit in parts, of which one at a time is in memory: on disk, or on the workers of a Dask cluster.

A part is some blocks together, at most 64 parts in all: what a pass sends back and forth does not grow with the number
of objects. What methods ask for are sums over the rows of all parts, added up in the order of the parts, and samples.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from partita._labels.columns import Noise
from partita._labels.ensemble import Ensemble, canonical_order, find_distinct_rows, have_a_label
from partita._labels.validation import LabelMatrix, RowEncoder, row_encoder, warn_dropped
from partita._labels.weights import WeightScale
from partita._runs import progress
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import LabelledRows, warn_unlabelled
from partita.blocks._engine import Engine, Sums, add_up
from partita.blocks._journal import Journal
from partita.blocks._label_blocks import LabelBlocks
from partita.blocks._reduction import BlockRows, Dictionary, JoinedRows, label_kinds, reduce_block, shorten
from partita.blocks._sources import Block, check_names, join_kinds
from partita.exceptions import BlockError, LabelMatrixError

MOST_PARTS = 64
SAMPLE = 20_000  # objects on which starts are searched: what a model finds on them, a pass over all rows only polishes

_COUNTABLE = 10**9  # objects that NumPy can draw from without replacement

RowSums = Callable[[Ensemble, Any], Sums]  # (rows of a part, values) -> arrays that are added up


class PartOfRows(NamedTuple):
    """What is told of a part when its blocks have been read."""

    name: str
    names: list[str]
    labels: list[Array]
    lengths: list[int]  # objects of each block
    has_names: bool = False


class Fitted(NamedTuple):
    """What a method found."""

    n_clusters: int  # in its own numbering, those without objects among them
    prior: FloatArray | None = None  # (n_clusters,) of soft methods: membership of an object of which nothing is known
    model: Any = None  # what places rows, where it is not the estimator itself
    kept: list[Any] | None = None  # handles of memberships of the rows of each part, under "Y", if they are kept


class FitColumns(NamedTuple):
    """The clusterings of a fit."""

    encoder: RowEncoder
    layout: Ensemble  # without rows
    scale: WeightScale
    names: list[str] | None  # of all columns, used or not, if they have names of their own


class RowParts:
    """Rows of all objects that have a label, in parts."""

    def __init__(
        self,
        engine: Engine,
        handles: list[Any],
        columns: FitColumns,
        n_objects: IntArray,
        n_rows: int,
        lengths: list[list[int]],
        journal: Journal,
    ) -> None:
        self.columns = columns
        self.layout = columns.layout
        self.n_objects = n_objects  # (n_parts,) that have a label
        self.n = int(n_objects.sum())
        self.n_rows = n_rows  # distinct rows of the parts; equal rows of two parts count twice
        self.lengths = lengths  # objects of the blocks of each part
        self._engine = engine
        self._handles = handles
        self._journal = journal

    def total(self, question: str, function: RowSums, values: Any = None) -> Sums:
        """Sum over the parts of what ``function`` computes from the rows of a part."""

        def compute() -> Sums:
            shared = self._engine.share(values)
            return add_up(self._engine.map(_sums_of_part, self._tasks(function, shared)))

        return self._journal.ask(question, compute)

    def place(
        self, function: Callable[..., Sums], values: Any, kept: list[Any] | None = None
    ) -> Iterator[tuple[Array, Sums]]:
        """For every part the labels of its objects, -1 for none, and sums; ``function`` gives the labels of the rows.

        They are the entry "labels" of what it gives; the others are sums. It also gets what was kept of the part, if
        there is such.
        """
        tasks = self._tasks(function, self._engine.share(values))
        if kept is not None:
            tasks = ((*task, own) for task, own in zip(tasks, kept, strict=True))
        return self._engine.map(_labels_of_part, tasks)

    # ------------------------------------------------------------------------------ what is kept of the rows of a part
    def each(self, function: Callable[..., Any], values: Any, kept: Any = None) -> Iterator[tuple[Sums, Any]]:
        """For every part sums, and a handle of what ``function(rows, values, kept)`` wants to keep of its rows."""
        tasks = self._tasks(function, self._engine.share(values))
        if kept is not None:
            tasks = ((*task, own) for task, own in zip(tasks, kept, strict=True))
        return self._engine.keep(_kept_of_part, tasks)

    def one(self, number: int, function: Callable[..., Any], values: Any, kept: Any) -> tuple[Sums, Any]:
        """The same for one part."""
        task = (self._handles[number], function, self.layout, self._engine.share(values), kept)
        return next(self._engine.keep(_kept_of_part, [task]))

    def drop(self, handle: Any) -> None:
        """Forget what was kept."""
        self._engine.drop(handle)

    def _tasks(self, function: RowSums, values: Any) -> Iterator[tuple[Any, ...]]:
        return ((handle, function, self.layout, values) for handle in self._handles)

    def sample(self, size: int, seed: int) -> Ensemble:
        """Objects drawn without replacement, as weighted distinct rows; all of them if there are no more."""

        def compute() -> Sums:
            rng = np.random.default_rng(seed)
            n_drawn = self.n_objects.copy()
            if self.n > size:
                n_drawn = _share_out(self.n_objects, size, rng)
            tasks = (
                (handle, int(n), [seed, number])
                for number, (handle, n) in enumerate(zip(self._handles, n_drawn, strict=True))
                if n
            )
            codes, counts = zip(*self._engine.map(_draw_objects, tasks), strict=True)
            return {"codes": np.concatenate(codes), "counts": np.concatenate(counts)}

        drawn = self._journal.ask(f"sample {size} {seed}", compute)
        distinct = find_distinct_rows(drawn["codes"].astype(np.int32), self.layout.n_labels)
        weights = np.bincount(distinct.inverse, weights=drawn["counts"]).astype(np.float64)
        return self.layout.with_rows(np.ascontiguousarray(drawn["codes"][distinct.first], dtype=np.int32), weights)

    def labelled_rows(self, ensemble: Ensemble, estimator: Any) -> LabelledRows:
        """A sample as the estimator sees the rows of a fit."""
        order = canonical_order(
            ensemble.codes, ensemble.row_weights, ensemble.clustering_weights, by_codes=estimator._ties_by_codes
        )
        rows = ensemble.with_rows(np.ascontiguousarray(ensemble.codes[order]), ensemble.row_weights[order])
        n_objects = rows.row_weights.astype(np.int64)
        return LabelledRows(
            rows,
            row_of_object=np.repeat(np.arange(rows.n_rows), n_objects),
            n_objects=n_objects,
            weightless_codes=rows.codes[:0],
            weightless_row=np.full(int(n_objects.sum()), -1, dtype=np.int64),
            encoder=self.columns.encoder,
            n_clusters=min(int(getattr(estimator, "n_clusters", None) or 0), rows.n_rows),
            scale=self.columns.scale,
        )


# ------------------------------------------------------------------------------------------ steps of a part of the rows
def _rows_in(part: dict[str, Array], layout: Ensemble) -> Ensemble:
    codes: Codes = np.ascontiguousarray(part["codes"], dtype=np.int32)
    return layout.with_rows(codes, part["n_objects"].astype(np.float64))


def _sums_of_part(part: dict[str, Array], function: RowSums, layout: Ensemble, values: Any) -> Sums:
    return function(_rows_in(part, layout), values)


def _kept_of_part(
    part: dict[str, Array], function: Callable[..., Any], layout: Ensemble, values: Any, *kept: Any
) -> tuple[Sums, dict[str, Array]]:
    told: tuple[Sums, dict[str, Array]] = function(_rows_in(part, layout), values, *kept)
    return told


def _labels_of_part(
    part: dict[str, Array], function: Callable[..., Sums], layout: Ensemble, values: Any, *kept: Any
) -> tuple[Array, Sums]:
    sums = function(_rows_in(part, layout), values, *kept)
    labels = np.append(sums.pop("labels"), -1)  # the last entry is for objects without any label
    return _short(labels)[part["row_of_object"]], sums


def _draw_objects(part: dict[str, Array], n_drawn: int, seed: list[int]) -> tuple[Codes, IntArray]:
    """Rows of some objects, drawn without replacement, and how often each was drawn."""
    ends = np.cumsum(part["n_objects"])
    places = np.random.default_rng(seed).choice(int(ends[-1]), size=n_drawn, replace=False, shuffle=False)
    rows, counts = np.unique(np.searchsorted(ends, places, side="right"), return_counts=True)
    return np.asarray(part["codes"][rows], dtype=np.int32), counts


# ----------------------------------------------------------------------------------------------------- making the parts
def make_parts(blocks: LabelBlocks, estimator: Any, engine: Engine, journal: Journal) -> RowParts:
    """Read all blocks, agree on the labels of each column, and keep the rows of each part."""
    told, handles = _read_parts(blocks, engine, show=bool(getattr(estimator, "verbose", False)))
    matrix, lengths = agree_on_labels(told, blocks.noise), [about.lengths for about in told]
    n_samples, names = sum(map(sum, lengths)), told[0].names if told[0].has_names else None
    columns = columns_of(estimator, matrix, names, n_samples)
    used = columns.encoder.columns
    tables = [(_translations(about.labels, matrix, used), used) for about in told]
    counts: list[tuple[int, int]] = []
    kept: list[Any] = []
    for count, handle in engine.keep(
        _number_part, ((handle, *own) for handle, own in zip(handles, tables, strict=True))
    ):
        engine.drop(handles[len(kept)])
        counts.append(count)
        kept.append(handle)
    n_objects, n_rows = np.array(counts, dtype=np.int64).T
    warn_unlabelled(n_samples - int(n_objects.sum()), n_samples)
    if not n_objects.sum():
        raise LabelMatrixError(f"none of the {n_samples} objects has a label in a clustering of positive weight.")
    return RowParts(engine, kept, columns, n_objects, int(n_rows.sum()), lengths, journal)


def _read_parts(blocks: LabelBlocks, engine: Engine, *, show: bool) -> tuple[list[PartOfRows], list[Any]]:
    """What is told of the parts that have objects, and handles of their rows."""
    n_parts = None if blocks.n_blocks is None else min(blocks.n_blocks, MOST_PARTS)
    told, handles = [], []
    with progress(n_parts, "reading blocks", show=show) as bar:
        for about, handle in engine.keep(_read_part, ((group, blocks.noise) for group in group_blocks(blocks))):
            bar.update(1)
            if about.names:  # it has objects
                told.append(about)
                handles.append(handle)
    return told, handles


def group_blocks(blocks: LabelBlocks) -> Iterator[list[Block]]:
    """Consecutive blocks, at most 64 groups; the groups follow from the number of blocks alone."""
    n_blocks = blocks.n_blocks
    if n_blocks is None:  # a function yields them, and one is in memory at a time
        yield from ([block] for block in blocks.blocks())
        return
    listed = list(blocks.blocks())
    for part in np.array_split(np.arange(n_blocks), min(n_blocks, MOST_PARTS)):
        yield [listed[number] for number in part]


def _read_part(group: list[Block], noise: Noise) -> tuple[PartOfRows, dict[str, Array]]:
    """Distinct rows of some blocks, in the numbering of their own labels."""
    joined = JoinedRows(limited=False)
    for block in group:
        joined.add(reduce_block(block, noise))
    if not joined.n_blocks:
        return PartOfRows(group[0].name, [], [], joined.lengths), {}
    rows = joined.as_block(group[0].name)
    return PartOfRows(rows.name, rows.names, rows.labels, joined.lengths, rows.has_names), _arrays(rows)


def _arrays(rows: BlockRows) -> dict[str, Array]:
    return {"codes": _short(rows.codes), "n_objects": rows.n_objects, "row_of_object": rows.row_of_object}


def _short(codes: Codes) -> Array:
    """Codes in the smallest signed type."""
    return codes.astype(np.min_scalar_type(-int(codes.max(initial=0)) - 1))


def _number_part(
    part: dict[str, Array], tables: list[Codes], used: IntArray
) -> tuple[tuple[int, int], dict[str, Array]]:
    """The rows of a part in the common numbering, of the clusterings that count, without those of no label."""
    codes = np.column_stack([table[part["codes"][:, j]] for table, j in zip(tables, used, strict=True)])
    labelled = have_a_label(codes)
    place = np.where(labelled, np.cumsum(labelled) - 1, -1)
    n_objects = part["n_objects"][labelled]
    rows = {
        "codes": _short(np.ascontiguousarray(codes[labelled])),
        "n_objects": n_objects,
        "row_of_object": place.astype(np.int32)[part["row_of_object"]],
    }
    if labelled.all():
        rows["row_of_object"] = shorten(np.asarray(rows["row_of_object"], dtype=np.int64))
    return (int(n_objects.sum()), len(n_objects)), rows


def agree_on_labels(told: list[PartOfRows], noise: Noise) -> LabelMatrix:
    """A label matrix without rows: the labels of each column in all parts, sorted."""
    if not told:
        raise BlockError("there are no blocks with objects; pass at least one.")
    names = told[0].names
    dictionaries = [Dictionary() for _ in names]
    kinds: list[str | None] = [None] * len(names)
    for about in told:
        check_names(about.name, about.names, names)
        kinds = join_kinds(about.name, label_kinds(about.labels), kinds, names)
        for dictionary, labels, kind in zip(dictionaries, about.labels, kinds, strict=True):
            dictionary.kind = kind
            dictionary.number(labels)
    agreed = [dictionary.sorted_labels()[0] for dictionary in dictionaries]
    kept = np.flatnonzero([len(of_column) > 0 for of_column in agreed])
    if not len(kept):
        raise LabelMatrixError("all labels of all blocks are missing; at least one object needs a label.")
    warn_dropped(names, kept)
    codes: Codes = np.empty((0, len(kept)), dtype=np.int32)
    return LabelMatrix(codes, [agreed[j] for j in kept], [names[j] for j in kept], kept, len(names), noise)


def columns_of(estimator: Any, matrix: LabelMatrix, names: list[str] | None, n_samples: int) -> FitColumns:
    """The clusterings of positive weight, with their labels, as the method numbers them."""
    given = estimator._clustering_weights(matrix)
    _, clustering_weights, scale = estimator._scale_weights(np.array([float(n_samples)]), given)
    encoder = row_encoder(matrix, clustering_weights)
    codes: Codes = np.empty((0, len(encoder.columns)), dtype=np.int32)
    layout = Ensemble(codes, encoder.n_labels, encoder.clustering_weights, np.empty(0))
    return FitColumns(encoder, layout, scale, names)


def _translations(labels: list[Array], matrix: LabelMatrix, used: IntArray) -> list[Codes]:
    """For every clustering that counts, the common code of each code of a part; the last entry is for missing ones."""
    of_column = {int(column): of_matrix for column, of_matrix in zip(matrix.kept, matrix.labels, strict=True)}
    tables = []
    for column in used.tolist():
        place = {label: code for code, label in enumerate(of_column[column].tolist())}
        tables.append(np.array([place[label] for label in labels[column].tolist()] + [-1], dtype=np.int32))
    return tables


def _share_out(n_objects: IntArray, size: int, rng: np.random.Generator) -> IntArray:
    """How many objects are drawn from each part, without replacement."""
    if n_objects.sum() < _COUNTABLE:
        return rng.multivariate_hypergeometric(n_objects, size, method="marginals")
    return np.minimum(rng.multinomial(size, n_objects / n_objects.sum()), n_objects)  # of so many it is the same


def weight_of_objects(parts: RowParts) -> FloatArray:
    """Weight of the objects that have each label, (n_cells,)."""
    return np.asarray(parts.total("labels", count_labels)["mass"])


def count_labels(rows: Ensemble, _: Any) -> Sums:
    """Weight of the rows that have each label."""
    mass = [
        np.bincount(column + 1, weights=rows.row_weights, minlength=width + 1)[1:]
        for column, width in zip(rows.codes.T, rows.n_labels, strict=True)
    ]
    return {"mass": np.concatenate(mass)}
