"""How sure a fit beyond memory is of its objects: computed by a pass over the blocks when it is asked for.

Tables of clusters and clusterings come from the counts of all labels in all clusters, which are of all objects, and
from the rows of a sample.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, overload

import numpy as np

from partita._confidence import JudgedRows
from partita._labels.ensemble import Ensemble
from partita._labels.validation import RowEncoder
from partita._typing import Array, FloatArray, IntArray
from partita.blocks._label_blocks import LabelBlocks
from partita.blocks._placing import light, place_block
from partita.blocks._sources import Block, naming
from partita.metrics._confidence import ClusterCounts, RowVerdicts, judge_rows, row_votes


class LaterValues(Sequence[FloatArray]):
    """One array per block, computed from its labels when it is asked for: ``membership_`` of a fit beyond memory."""

    def __init__(self, blocks: LabelBlocks, compute: Callable[..., Array], *values: Any) -> None:
        self._blocks = blocks
        self._function = compute  # (block, *values)
        self._values = values

    def gammas(self, model: Any) -> "LaterValues":
        """``gamma_`` of BCE in the same way."""
        return later_membership(self._blocks, model, "gamma")

    def _compute(self, block: Block) -> FloatArray:
        return np.asarray(self._function(block, *self._values))

    def __len__(self) -> int:
        return sum(1 for _ in self._blocks.blocks())

    @overload
    def __getitem__(self, number: int) -> FloatArray: ...

    @overload
    def __getitem__(self, number: slice) -> list[FloatArray]: ...

    def __getitem__(self, number: int | slice) -> FloatArray | list[FloatArray]:
        """Values of one block, or of several."""
        listed = list(self._blocks.blocks())
        if isinstance(number, slice):
            return [self._compute(block) for block in listed[number]]
        return self._compute(listed[number])

    def __iter__(self) -> Iterator[FloatArray]:
        return map(self._compute, self._blocks.blocks())


def later_membership(blocks: LabelBlocks, estimator: Any, what: str = "membership") -> LaterValues:
    """Probabilities of the clusters, or gamma of BCE, of a fitted estimator."""
    return LaterValues(blocks, place_block, light(estimator), what)


class BlockReader(NamedTuple):
    """How the labels of all objects are read again."""

    blocks: LabelBlocks
    encoder: RowEncoder
    layout: Ensemble

    def rows_of(self, block: Block) -> Iterator[Ensemble]:
        """Labels of the objects of a block, piece by piece."""
        with naming(block):
            for piece in block.pieces():
                yield self.layout.with_rows(self.encoder.known(self.encoder.encode(piece.labels)))


def votes_of(block: Block, reader: BlockReader, counts: ClusterCounts) -> FloatArray:
    """Votes for the objects of a block (eq. I75)."""
    return np.concatenate([row_votes(rows, counts) for rows in reader.rows_of(block)])


@dataclass(frozen=True, eq=False)
class JudgedParts(JudgedRows):
    """What is kept of the objects: the counts of all of them, the rows of a sample, and where to read the others."""

    reader: BlockReader | None = None
    labels: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # (n_samples,) of all objects

    is_sample: ClassVar[bool] = True

    @cached_property
    def verdicts(self) -> RowVerdicts:
        """Log-odds of each object's cluster, and the second cluster (eq. I74), by a pass over the blocks."""
        found = [judge_rows(rows, labels, self.counts()) for rows, labels in self._pieces()]
        return RowVerdicts(
            np.concatenate([piece.confidence for piece in found]), np.concatenate([piece.second for piece in found])
        )

    def votes(self) -> Any:
        """Votes for each object (eq. I75), one array per block."""
        assert self.reader is not None
        return LaterValues(self.reader.blocks, votes_of, self.reader, self.counts())

    def own_votes(self) -> FloatArray:
        """Share of its own cluster in the votes for each object, by a pass over the blocks."""
        found = []
        for rows, own in self._pieces():
            votes = row_votes(rows, self.counts())[np.arange(len(own)), own.clip(0)]
            found.append(np.where(own >= 0, votes, np.nan))
        return np.concatenate(found)

    def _pieces(self) -> Iterator[tuple[Ensemble, IntArray]]:
        """Rows and clusters of the objects, piece by piece."""
        assert self.reader is not None
        lo = 0
        for block in self.reader.blocks.blocks():
            for rows in self.reader.rows_of(block):
                yield rows, self.labels[lo : lo + rows.n_rows]
                lo += rows.n_rows


def judged_parts(
    sample: Ensemble, sample_labels: IntArray, counts: ClusterCounts, blocks: LabelBlocks, estimator: Any
) -> JudgedParts:
    """What a fitted estimator keeps."""
    objects = np.repeat(np.arange(sample.n_rows), sample.row_weights.astype(np.int64))
    reader = BlockReader(blocks, estimator._placement.encoder, sample.layout)
    about = {"all_counts": counts, "reader": reader, "labels": estimator.labels_}
    return JudgedParts(sample, sample.codes[:0], sample_labels, objects, len(counts.sizes), **about)
