"""Soft ensembles: clusterings that give every object a probability for each of their clusters (Punera and Ghosh).

A soft clustering is an (n, k_m) matrix with rows that sum to 1, NaN throughout where it did not see an object. Labels
are the special case of one-hot rows, so that a label matrix is taken as well.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import _fit_context

from partita._labels.validation import check_sample_weight
from partita._parameters import Interval
from partita._runs import draw_seeds
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows, warn_unlabelled

_SUM = 1e-6  # how far from 1 the probabilities of an object may sum


class Soft(NamedTuple):
    """Probabilities of all clusters of all clusterings, side by side."""

    S: Any  # (n, t) array, or sparse for labels; 0 where a clustering did not see an object
    seen: Array  # (n, m) bool
    column: IntArray  # (t,) clustering of each cluster
    clustering_weights: FloatArray  # (m,)
    row_weights: FloatArray  # (n,)

    @property
    def cluster_weight(self) -> FloatArray:
        """Weight of each cluster's clustering."""
        return np.asarray(self.clustering_weights[self.column])


class SoftConsensus(BaseConsensus):
    """A method for soft clusterings; subclasses implement ``_cluster``."""

    _ties_by_codes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval("int", 1, None)],
        "weights": ["array-like", None],
        "random_state": ["random_state"],
    }

    n_clusters: int
    random_state: Any

    def _cluster(self, soft: Soft, n_clusters: int, seed: int) -> IntArray:
        """Cluster of each row."""
        raise NotImplementedError(f"{type(self).__name__} must implement _cluster.")

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the consensus of soft clusterings, or of labels.

        Parameters
        ----------
        X : list (or dict) of arrays of shape (n_samples, k_m), or label matrix of shape (n_samples, n_clusterings)
            Probabilities of the clusters of each clustering, rows NaN where it did not see an object; or labels.
        y : Ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each object.

        Returns
        -------
        self
        """
        if not is_soft(X):
            super().fit(X, y, sample_weight)
            return self
        matrices = list(X.values()) if isinstance(X, Mapping) else list(X)
        blocks = [check_soft(matrix, number, len(matrices[0])) for number, matrix in enumerate(matrices)]
        weight = check_sample_weight(sample_weight, len(blocks[0]))
        self._fit_soft(blocks, weight)
        return self

    def _fit_soft(self, blocks: list[FloatArray], weight: FloatArray) -> None:
        soft = stack(blocks, _weights_of(self.weights, len(blocks)), weight)
        there = np.asarray(soft.seen.any(axis=1))
        warn_unlabelled(there)
        active = np.flatnonzero(there & (weight > 0))
        if len(active) == 0:
            raise ValueError("no object has both a probability and a positive sample_weight; at least one must.")
        part = soft._replace(S=soft.S[active], seen=soft.seen[active], row_weights=weight[active])
        found = self._cluster_numbered(part)
        size = np.bincount(found, weights=part.row_weights)
        first = np.unique(found, return_index=True)[1]
        order = np.lexsort((first, -size))
        self.labels_ = np.full(len(weight), -1, dtype=np.int64)
        self.labels_[active] = np.argsort(order)[found]
        self.n_clusters_ = len(order)
        self.n_features_in_ = len(blocks)
        idle = np.flatnonzero(there & (weight == 0))
        self.labels_[idle] = np.argsort(order)[self._nearest(soft.S[idle], soft.seen[idle])]

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        seen = ensemble.codes >= 0
        return Consensus(
            self._cluster_numbered(
                Soft(
                    ensemble.indicator,
                    seen,
                    ensemble.cell_clustering,
                    ensemble.clustering_weights,
                    ensemble.row_weights,
                )
            )
        )

    def _cluster_numbered(self, soft: Soft) -> IntArray:
        seed = int(draw_seeds(self.random_state, 1)[0])
        found = self._cluster(soft, min(self.n_clusters, len(soft.row_weights)), seed)
        labels: IntArray = np.unique(found, return_inverse=True)[1].astype(np.int64)
        member = np.eye(int(labels.max()) + 1)[labels] * soft.row_weights[:, None]
        seen = soft.seen.T.astype(np.float64) @ member  # (m, k)
        mass = np.asarray(soft.S.T @ member)
        self._profiles = mass / np.maximum(seen[soft.column], np.finfo(float).tiny) * soft.cluster_weight[:, None]
        return labels

    def _nearest(self, S: FloatArray, seen: Array) -> IntArray:
        """Cluster whose mean probabilities agree best with those of an object."""
        return np.asarray((S @ self._profiles).argmax(axis=1), dtype=np.int64)

    def _label_rows(self, codes: Codes) -> Array:
        return np.asarray(
            self._placement.encoder.ensemble(codes).sum_over_labels(self._profiles).argmax(axis=1), dtype=np.int64
        )


def is_soft(X: Any) -> bool:
    """Whether X is a collection of matrices."""
    items = list(X.values()) if isinstance(X, Mapping) else X
    if not isinstance(items, list | tuple) or len(items) == 0:
        return False
    matrices = [np.ndim(item) == 2 for item in items]
    if any(matrices) and not all(matrices):
        raise ValueError(
            f"item {matrices.index(False)} of X is no matrix of probabilities, and others are; pass one (n_samples, k) "
            "matrix a clustering, with one-hot rows for labels."
        )
    return all(matrices)


def check_soft(matrix: Any, number: int, n_samples: int) -> FloatArray:
    """A soft clustering as floats: every row sums to 1 or is NaN."""
    try:
        values = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"clustering {number} is not a matrix of numbers; pass probabilities (n_samples, k)."
        ) from None
    if len(values) != n_samples or values.shape[1] == 0:
        raise ValueError(f"clustering {number} has shape {values.shape}; all must have {n_samples} rows and a column.")
    missing = np.isnan(values)
    partly = missing.any(axis=1) & ~missing.all(axis=1)
    if partly.any():
        row = int(partly.argmax())
        raise ValueError(f"row {row} of clustering {number} is NaN in part; make all of it NaN, or none.")
    total = np.where(missing.all(axis=1), 1.0, values.sum(axis=1))
    bad = (np.abs(total - 1) > _SUM) | (values < -_SUM).any(axis=1)
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"row {row} of clustering {number} is {values[row].round(4).tolist()!r:.80}; probabilities are not "
            "negative and sum to 1."
        )
    return values


def stack(blocks: list[FloatArray], weights: FloatArray, counts: FloatArray) -> Soft:
    """Side by side."""
    seen = np.column_stack([~np.isnan(block[:, 0]) for block in blocks])
    column = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
    used = weights > 0
    keep = used[column]
    S = np.hstack([np.nan_to_num(block).clip(0) for block in blocks])[:, keep]
    renumbered = np.cumsum(used) - 1
    return Soft(S, seen[:, used], renumbered[column[keep]], weights[used], counts)


def _weights_of(weights: Any, n_clusterings: int) -> FloatArray:
    if weights is None:
        return np.ones(n_clusterings)
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n_clusterings,) or not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise ValueError(f"weights={weights!r:.60} must be {n_clusterings} numbers, not negative and not all zero.")
    return values
