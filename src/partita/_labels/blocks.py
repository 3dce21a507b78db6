"""Labels in blocks, as the door knows them: a container that is read block by block and never as a whole.

Readers of blocks and what computes on them are in ``partita.blocks``; here is the little that estimators know of them.
"""

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from partita._typing import FloatArray, IntArray


@runtime_checkable
class BlockedLabels(Protocol):
    """What an estimator asks of labels in blocks: to be fitted to them, and to be applied to them."""

    def fit_estimator(self, estimator: Any, sample_weight: Any) -> None:
        """Fit the estimator to all blocks."""
        ...

    def predict_with(self, estimator: Any) -> IntArray:
        """Cluster of each object of all blocks, by a fitted estimator."""
        ...

    def memberships_by(self, estimator: Any) -> Iterator[FloatArray]:
        """Probabilities of the clusters, block by block, by a fitted estimator."""
        ...


def as_blocks(X: Any) -> BlockedLabels | None:
    """X if it comes in blocks, also as a Dask array or frame; None if it is in memory."""
    if isinstance(X, BlockedLabels):
        return X
    if type(X).__module__.split(".")[0] in ("dask", "dask_expr"):
        from partita.blocks import LabelBlocks  # the one import from below: whoever passes Dask's data has Dask

        return LabelBlocks.from_dask(X)
    return None


def refuse_blocks(X: Any) -> None:
    """Refuse labels in blocks where they are needed in memory."""
    if as_blocks(X) is not None:
        raise TypeError(
            f"X is {type(X).__name__}, labels in blocks, which fit, predict, predict_proba and combine take; here they "
            "are needed in memory: pass an array or a frame of them, or of a sample."
        )
