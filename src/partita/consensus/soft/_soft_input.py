"""Reading soft clusterings: one (n, k_m) matrix of probabilities per clustering, NaN throughout in rows it did not see.

Labels are the special case of one-hot rows (eqs. G21, G25).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from partita._labels.membership import check_membership
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._cell_memberships import CellMemberships


def is_soft(X: Any) -> bool:
    """Whether X is a list or dict of matrices, and not a label matrix."""
    items = _items(X)
    if not isinstance(items, list | tuple) or len(items) == 0:
        return False
    matrices = [_is_matrix(item) for item in items]
    if any(matrices) and not all(matrices):
        raise ValueError(
            f"item {matrices.index(False)} of X is not a matrix of probabilities, but others are; pass one "
            "(n_samples, k) matrix per clustering, with one-hot rows for labels."
        )
    return all(matrices)


def _is_matrix(item: Any) -> bool:
    try:
        return np.ndim(item) == 2
    except ValueError:  # rows of different lengths
        return False


def read_clusterings(X: Any) -> list[FloatArray]:
    """The probabilities of each clustering, checked: rows of one length, that sum to 1 or are NaN."""
    blocks = [check_membership(item, f"clustering {number}", missing=True) for number, item in enumerate(_items(X))]
    n_samples = len(blocks[0])
    for number, block in enumerate(blocks):
        if len(block) != n_samples:
            raise ValueError(
                f"clustering {number} has shape {block.shape}, but clustering 0 has {n_samples} rows; pass one row per "
                "object in every clustering, NaN where it did not see the object."
            )
    return blocks


def check_same_clusterings(blocks: list[FloatArray], n_clusters: IntArray) -> None:
    """Refuse clusterings that are not those of the fit, by their numbers of clusters."""
    if len(blocks) != len(n_clusters):
        raise ValueError(
            f"X has {len(blocks)} clusterings, but {len(n_clusters)} were fitted; pass the same clusterings, in the "
            "same order."
        )
    for number, (block, fitted) in enumerate(zip(blocks, n_clusters.tolist(), strict=True)):
        if block.shape[1] != fitted:
            raise ValueError(
                f"clustering {number} has {block.shape[1]} clusters, but {fitted} were fitted; pass the same "
                "clusterings, in the same order."
            )


def stack_clusterings(
    blocks: list[FloatArray], clustering_weights: FloatArray, row_weights: FloatArray
) -> CellMemberships:
    """Probabilities of the clusterings of positive weight, side by side, 0 where a clustering did not see an object."""
    used = np.flatnonzero(clustering_weights > 0)
    kept = [blocks[m] for m in used]
    return CellMemberships(
        np.hstack([np.nan_to_num(block).clip(0) for block in kept]),
        np.column_stack([~np.isnan(block[:, 0]) for block in kept]),
        np.repeat(np.arange(len(kept)), [block.shape[1] for block in kept]),
        clustering_weights[used],
        row_weights,
    )


def _items(X: Any) -> Any:
    return list(X.values()) if isinstance(X, Mapping) else X
