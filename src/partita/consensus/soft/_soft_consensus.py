"""What the methods for soft clusterings share: two kinds of input, and how objects that took no part are placed.

A soft clustering gives every object a probability for each of its clusters (Punera and Ghosh, 2007). Labels are the
special case of one-hot rows, so a label matrix is accepted as well.
"""

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted, validate_data

from partita._confidence import JudgedRows, judged_rows, merge_equal_rows
from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._labels.validation import check_clustering_weights, check_sample_weight
from partita._labels.weights import WeightScale, to_ordinary_size
from partita._numbering import order_by_size, rank_of, sum_per_row
from partita._parameters import common
from partita._runs import draw_seeds
from partita._stopping import whole_or_nothing
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows, warn_fewer_clusters, warn_unlabelled
from partita.consensus.graph._cell_memberships import CellMemberships, cell_memberships
from partita.consensus.soft._soft_input import (
    check_same_clusterings,
    is_soft,
    read_clusterings,
    stack_clusterings,
)


class SoftPlacement(NamedTuple):
    """How objects that took no part in a fit on soft clusterings are read and placed."""

    n_clusters: IntArray  # (n_clusterings,) clusters of each clustering
    clustering_weights: FloatArray  # (n_clusterings,)
    profiles: FloatArray  # (n_cells, k), see mean_profiles
    rank: IntArray  # (k,) cluster of labels_ behind each cluster of the profiles

    def place(self, cells: CellMemberships) -> IntArray:
        """Cluster whose mean probabilities agree best with those of each object; -1 if it agrees with none."""
        agreement = np.asarray(cells.H @ self.profiles)
        return np.where(agreement.any(axis=1), self.rank[agreement.argmax(axis=1)], -1)


class SoftEnsembleConsensus(BaseConsensus):
    """A method for soft clusterings, or labels; subclasses implement ``_cluster``."""

    _ties_by_codes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = common("n_clusters", "weights", "random_state", "verbose")

    n_clusters: Any  # a number; None where the method finds it
    random_state: Any
    _soft_placement: SoftPlacement | None  # None after a fit on labels

    def _cluster(self, cells: CellMemberships, n_clusters: int, seed: int) -> IntArray:
        """Cluster of each row; ``n_clusters`` is 0 if their number is to be found."""
        raise NotImplementedError(f"{type(self).__name__} must implement _cluster.")

    @whole_or_nothing
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the consensus of soft clusterings, or of labels.

        Parameters
        ----------
        X : list (or dict) of arrays of shape (n_samples, k_m), or label matrix of shape (n_samples, n_clusterings)
            Probabilities of the clusters of each clustering, rows NaN where it did not see an object; or labels.
        y : Ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each object. Weight 2 is the object twice; an object of weight 0 has no influence and is
            labelled afterwards (-1 if it shares no cluster with any other).

        Returns
        -------
        self
        """
        if is_soft(X):
            blocks = read_clusterings(X)
            self._fit_soft(blocks, check_sample_weight(sample_weight, len(blocks[0])))
        else:
            super().fit(X, y, sample_weight)
            self._soft_placement = None
        return self

    def predict(self, X: Any) -> IntArray:
        """Cluster of new objects, -1 for those that share no cluster with any fitted object.

        Parameters
        ----------
        X : list (or dict) of arrays of shape (n_samples, k_m), or label matrix of shape (n_samples, n_clusterings)
            The same clusterings, in the same order and of the same kind (soft or labels), as in ``fit``. Labels never
            seen count as missing.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "labels_")
        placement, soft = self._soft_placement, is_soft(X)
        if soft and placement is None:
            raise ValueError("X is a collection of soft clusterings, but labels were fitted; pass a label matrix.")
        if placement is None:
            return super().predict(X)
        if not soft:
            raise ValueError(
                "X is a label matrix, but soft clusterings were fitted; pass one (n_samples, k) matrix of "
                "probabilities per clustering, with one-hot rows for labels."
            )
        blocks = read_clusterings(X)
        check_same_clusterings(blocks, placement.n_clusters)
        return placement.place(stack_clusterings(blocks, placement.clustering_weights, np.ones(len(blocks[0]))))

    def _labels_of(self, X: Any) -> Any:
        """Of soft clusterings the most probable clusters, -1 where an object was not seen."""
        if not is_soft(X):
            return X
        blocks = read_clusterings(X)
        return [np.where(np.isnan(block[:, 0]), -1, np.nan_to_num(block).argmax(axis=1)) for block in blocks]

    def _fit_soft(self, blocks: list[FloatArray], sample_weight: FloatArray) -> None:
        """Fit checked soft clusterings, every object by itself."""
        clustering_weights = check_clustering_weights(self.weights, len(blocks))
        cells = stack_clusterings(blocks, clustering_weights, sample_weight)
        seen = np.asarray(cells.seen.any(axis=1))
        warn_unlabelled(int((~seen).sum()), len(seen))
        active, weightless = (np.flatnonzero(seen & chosen) for chosen in (sample_weight > 0, sample_weight == 0))
        if len(active) == 0:
            raise ValueError("no object has both a probability and a positive sample_weight; at least one must.")
        part = cells.take(active)
        row_weights, ordinary, scale = self._scale_weights(part.row_weights, part.clustering_weights)
        part = part._replace(row_weights=row_weights, clustering_weights=ordinary)
        self._note_objects(row_weights, np.ones(len(active), dtype=np.int64), scale)
        found, profiles = self._cluster_cells(part, min(self.n_clusters or 0, len(active)))
        self._report(scale)
        k = profiles.shape[1]
        warn_fewer_clusters(type(self).__name__, self.n_clusters or 0, k)
        order = order_by_size(found, k, sum_per_row(found, row_weights, k))
        n_clusters = np.array([block.shape[1] for block in blocks])
        self._soft_placement = SoftPlacement(n_clusters, clustering_weights, profiles, rank_of(order, k))
        self.n_clusters_ = k
        self.labels_ = np.full(len(sample_weight), -1, dtype=np.int64)
        self.labels_[active] = self._soft_placement.rank[found]
        self.labels_[weightless] = self._soft_placement.place(cells.take(weightless))
        self._judged = self._judge(blocks, clustering_weights, sample_weight)
        columns = np.broadcast_to(np.int8(0), cells.seen.shape[:1] + (len(blocks),))
        validate_data(self, columns, reset=True, skip_check_array=True)  # n_features_in_; forgets names of columns
        self.__dict__.pop("index_", None)

    def _judge(self, blocks: list[FloatArray], clustering_weights: FloatArray, sample_weight: FloatArray) -> JudgedRows:
        """What ``confidence_`` needs: of soft clusterings the most probable clusters count."""
        used = np.flatnonzero(clustering_weights > 0)
        codes = np.column_stack([column.astype(np.int32) for column in self._labels_of([blocks[m] for m in used])])
        n_labels = np.array([blocks[m].shape[1] for m in used], dtype=np.int64)
        objects, clusterings = to_ordinary_size(sample_weight), to_ordinary_size(clustering_weights[used])
        ensemble = Ensemble(codes, n_labels, clusterings.weights, objects.weights)
        every, none = np.arange(len(codes)), np.full(len(codes), -1)
        return merge_equal_rows(judged_rows(ensemble, codes[:0], self.labels_, (every, none), self.n_clusters_))

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        self._note_objects(rows.ensemble.row_weights, rows.n_objects, rows.scale)
        labels, self._profiles = self._cluster_cells(cell_memberships(rows.ensemble), rows.n_clusters)
        self._report(rows.scale)
        return Consensus(labels)

    def _label_rows(self, codes: Codes) -> Array:
        return np.asarray(
            self._placement.encoder.ensemble(codes).sum_over_labels(self._profiles).argmax(axis=1), dtype=np.int64
        )

    def _cluster_cells(self, cells: CellMemberships, n_clusters: int) -> tuple[IntArray, FloatArray]:
        """Cluster of each row, numbered without gaps, and the profiles of the clusters."""
        found = self._cluster(cells, n_clusters, int(draw_seeds(self.random_state, 1)[0]))
        labels: IntArray = np.unique(found, return_inverse=True)[1].astype(np.int64)
        return labels, mean_profiles(cells, labels)

    def _note_objects(self, row_weights: FloatArray, n_objects: IntArray, scale: WeightScale) -> None:
        """What ``_cluster`` may need of the rows besides: how many objects they have, and the scale of the weights."""

    def _report(self, scale: WeightScale) -> None:
        """Bring the numbers that ``_cluster`` has set to the scale of the user's weights."""


def mean_profiles(cells: CellMemberships, labels: IntArray) -> FloatArray:
    """Mean membership in each cell of the rows of each cluster, times the weight of the clustering: (n_cells, k).

    The mean is over the rows that the clustering saw. A new object joins the cluster of the largest product with its
    own memberships (eq. G3).
    """
    member = one_hot(labels, int(labels.max()) + 1) * cells.row_weights[:, None]
    seen = cells.seen.T.astype(np.float64) @ member  # (m, k)
    mass = np.asarray(cells.H.T @ member)
    share = mass / np.maximum(seen[cells.cell_clustering], np.finfo(float).tiny)
    return np.asarray(share * cells.cell_weights[:, None])
