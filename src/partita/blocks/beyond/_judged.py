"""How sure a fit beyond memory is of its objects: computed by a pass over the blocks when it is asked for."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from partita._confidence import JudgedRows
from partita._labels.ensemble import Ensemble
from partita._typing import Array, Codes, FloatArray
from partita.blocks._label_blocks import LabelBlocks
from partita.blocks._placing import light, place_block
from partita.blocks._sources import Block, naming
from partita.metrics._confidence import ClusterCounts, RowVerdicts, judge_rows, row_votes

_ROWS = "the rows of this fit do not fit in memory, and {} needs them; fit a sample of the objects for it."


class LaterMembership(Sequence[FloatArray]):
    """``membership_`` of a fit beyond memory: one array per block, computed when it is asked for."""

    def __init__(self, blocks: LabelBlocks, estimator: Any, what: str = "membership") -> None:
        self._blocks = blocks
        self._estimator = light(estimator)
        self._what = what

    def gammas(self, model: Any) -> "LaterMembership":
        """``gamma_`` of BCE in the same way."""
        return LaterMembership(self._blocks, model, "gamma")

    def __len__(self) -> int:
        return sum(1 for _ in self._blocks.blocks())

    @overload
    def __getitem__(self, number: int) -> FloatArray: ...

    @overload
    def __getitem__(self, number: slice) -> list[FloatArray]: ...

    def __getitem__(self, number: int | slice) -> FloatArray | list[FloatArray]:
        """Membership of one block, or of several."""
        chosen = list(self._blocks.blocks())[number]
        if isinstance(number, slice):
            return [place_block(block, self._estimator, self._what) for block in chosen]  # type: ignore[union-attr]
        return np.asarray(place_block(chosen, self._estimator, self._what))  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[FloatArray]:
        return (place_block(block, self._estimator, self._what) for block in self._blocks.blocks())


class JudgedParts(JudgedRows):
    """What is known of the objects without their rows: the counts of all labels in all clusters."""

    def __init__(self, blocks: LabelBlocks, estimator: Any, counts: ClusterCounts, layout: Ensemble) -> None:
        none = np.empty(0, dtype=np.int64)
        super().__init__(layout, layout.codes, none, none, len(counts.sizes), counts)
        object.__setattr__(self, "_blocks", blocks)
        object.__setattr__(self, "_estimator", estimator)

    @property
    def verdicts(self) -> RowVerdicts:
        """Log-odds of each object's cluster, and the second cluster (eq. I74), by a pass over the blocks."""
        confidence, second, lo = [], [], 0
        for codes in self._codes():
            rows = self.ensemble.with_rows(codes)
            found = judge_rows(rows, self._estimator.labels_[lo : lo + len(codes)], self.counts())  # type: ignore[attr-defined]
            confidence.append(found.confidence)
            second.append(found.second.astype(np.int32))
            lo += len(codes)
        return RowVerdicts(np.concatenate(confidence), np.concatenate(second))

    def votes(self) -> Any:
        """Votes for each object (eq. I75): an iterator over the pieces of the blocks."""
        return (row_votes(self.ensemble.with_rows(codes), self.counts()) for codes in self._codes())

    def codes_of(self, objects: Array) -> Codes:
        """Not there."""
        raise MemoryError(_ROWS.format("this"))

    def _codes(self) -> Iterator[Codes]:
        """Codes of the objects, piece by piece, as the method numbers them."""
        encoder = self._estimator._placement.encoder  # type: ignore[attr-defined]
        block: Block
        for block in self._blocks.blocks():  # type: ignore[attr-defined]
            with naming(block):
                for piece in block.pieces():
                    yield encoder.known(encoder.encode(piece.labels))
