"""The contract of every consensus estimator, so that a method is its mathematics and nothing else.

A method implements ``_fit_rows``: weighted distinct rows in, one label (or one probability per cluster) per row out.
The base class handles the door, objects without labels or without weight, the numbering of the clusters, new objects,
and scikit-learn's conventions.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils.validation import check_is_fitted, validate_data

from partita._checks import check_instance
from partita._confidence import ConfidenceMixin, judged_rows, merge_equal_rows
from partita._labels.blocks import as_blocks, refuse_blocks
from partita._labels.ensemble import Ensemble, canonical_order, every_row, find_distinct_rows, have_a_label
from partita._labels.validation import (
    LabelMatrix,
    RowEncoder,
    check_label_matrix,
    check_sample_weight,
    check_weights,
    number_present,
    row_encoder,
)
from partita._labels.weights import WeightScale, check_countable, check_reportable, to_ordinary_size
from partita._numbering import order_by_size, rank_of, sum_per_row
from partita._runs import warn
from partita._stopping import check_stop, whole_or_nothing
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.exceptions import FewerClustersWarning, LeftOutWarning, UnlabelledObjectsWarning
from partita.metrics._confidence import ClusterCounts


class LabelledRows(NamedTuple):
    """The ensemble of distinct rows, where each object is in it, and how it was encoded."""

    ensemble: Ensemble
    row_of_object: IntArray  # (n_samples,) row of the ensemble, or -1: no label, or no weight
    n_objects: IntArray  # (n_rows,) objects in each row, whatever their weight
    weightless_codes: Codes  # (n_weightless, m) distinct rows of objects without weight: labelled, never counted
    weightless_row: IntArray  # (n_samples,) row of weightless_codes, or -1
    encoder: RowEncoder
    n_clusters: int = 0  # asked for, at most one per row; 0 if the method is to find their number
    scale: WeightScale = WeightScale()  # of the weights: what is reported is on the user's scale


class Consensus(NamedTuple):
    """What a method finds for the rows of an ensemble."""

    labels: Array  # (n_rows,) cluster of each row, any numbering
    membership: FloatArray | None = None  # (n_rows, n_clusters) probabilities
    prior: FloatArray | None = None  # (n_clusters,) membership of an object of which nothing is known
    most_probable: bool = True  # labels are the most probable clusters; else they were chosen in another way

    @property
    def n_clusters(self) -> int:
        """Number of clusters, those that no row is in among them if there are probabilities."""
        return int(self.labels.max()) + 1 if self.membership is None else self.membership.shape[1]


class ClusterTotals(NamedTuple):
    """The clusters of a consensus of which these rows are a part: what they weigh in all parts together."""

    counts: ClusterCounts  # of the hard clusters, in the numbering of ``_fit_rows``
    mass: FloatArray  # (n_clusters,) sum of the memberships; of hard methods the sizes

    @property
    def n_clusters(self) -> int:
        """Number of clusters that have objects."""
        return int(np.count_nonzero(self.counts.sizes))


class FoundRows(NamedTuple):
    """Clusters of rows that took no part in the fit, in the numbering of ``_fit_rows``."""

    placed: Array  # (n_rows,) bool: the others share no label with any fitted object
    labels: IntArray  # (n_placed,)
    membership: FloatArray | None  # (n_placed, n_clusters) for soft methods


@dataclass(frozen=True, eq=False)
class Placement:
    """How new rows are encoded and placed in a fitted model."""

    encoder: RowEncoder
    order: IntArray  # (n_components_,) cluster of ``_fit_rows`` behind each cluster of ``labels_``
    rank: IntArray  # and the other way round; -1 for clusters that were dropped
    prior: FloatArray | None  # (n_components_,) membership of an object of which nothing is known; None for hard ones


class BaseConsensus(ConfidenceMixin, ClusterMixin, BaseEstimator):
    """Fit on a label matrix; see the module's docstring.

    Subclasses set ``weights`` in their constructor and implement ``_fit_rows`` and ``_label_rows``.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    _ties_by_codes: ClassVar[bool] = False  # see canonical_order
    _counts_objects: ClassVar[bool] = False  # a model of counts: weight 2 is twice, and weights are never rescaled
    _n_clusters_is_bound: ClassVar[bool] = False  # fewer clusters than n_clusters are an answer like any other

    weights: Any
    labels_: IntArray
    n_clusters_: int
    n_components_: int  # soft methods only
    index_: Any  # after a fit on a pandas frame only
    _placement: Placement

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags

    @whole_or_nothing
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the consensus of the clusterings in the columns of X.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1. Or labels in
            blocks: :class:`LabelBlocks`, a Dask array or a Dask frame.
        y : Ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each object. Weight 2 is the object twice; an object of weight 0 has no influence and is
            labelled afterwards (-1 if it shares no label with any other). Models of labels take sums from 1e-12 to
            1e12. Not for labels in blocks.

        Returns
        -------
        self
        """
        blocks = as_blocks(X)
        if blocks is not None:
            blocks.fit_estimator(self, sample_weight)
            return self
        matrix = check_label_matrix(X)
        remember_columns(self, X, matrix, reset=True)
        self._fit_matrix(matrix, check_sample_weight(sample_weight, len(matrix.codes)))
        return self

    def predict(self, X: Any) -> IntArray:
        """Cluster of new objects, -1 for those without any label that was fitted.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            The same clusterings, in the same order, as in ``fit``, also in blocks. Labels never seen count as missing.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        blocks = as_blocks(X)
        if blocks is not None:
            return blocks.predict_with(self)
        return self._place_objects(self._encode_new(X))[0]

    def score(self, X: Any, y: Any = None) -> float:
        """Mean normalised mutual information between the clusters of these objects and the clusterings in X.

        Objects that share no label with any fitted object are left out.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            The same clusterings, in the same order, as in ``fit``.
        y : Ignored
            Present by convention.

        Returns
        -------
        score : float in [0, 1]
        """
        from partita.metrics import average_nmi_score  # when asked for: it loads more than a fit needs

        refuse_blocks(X)
        labels = self.predict(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOutWarning)
            return average_nmi_score(self._labels_of(X), labels, weights=self.weights)

    def to_series(self) -> "pd.Series[int]":
        """``labels_`` as a pandas Series, with the index of the frame that was fitted.

        Returns
        -------
        labels : Series of shape (n_samples,), named "label"
            Its index is ``index_``, or 0, 1, 2, ... if X was no pandas frame.
        """
        check_is_fitted(self, "labels_")
        return pd.Series(self.labels_, index=getattr(self, "index_", None), name="label")

    # ------------------------------------------------------------------------------------- what a method implements
    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        raise NotImplementedError(f"{type(self).__name__} must implement _fit_rows.")

    def _label_rows(self, codes: Codes) -> Array:
        """Cluster (or probabilities), in the numbering of ``_fit_rows``, of rows that took no part in the fit.

        Codes are those of the method (``encoder.known``), and every row has at least one label.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement _label_rows.")

    def _one_row_per_object(self) -> bool:
        """Whether equal rows must stay apart: the method then sees every object, in the order of X."""
        return False

    def _clustering_weights(self, matrix: LabelMatrix) -> FloatArray:
        """Weight of each clustering that was kept."""
        return check_weights(self.weights, matrix)

    def _have_evidence(self, codes: Codes) -> Array:
        """Whether anything is known of each object."""
        return have_a_label(codes)

    def _powers_of_weights(self) -> tuple[float, float]:
        """Powers of the sample weights and of the weights with which the objective, if any, grows."""
        return 0, 0

    def _find_weightless(self, rows: LabelledRows) -> FoundRows:
        """Where the rows of objects without weight belong."""
        return self._find_rows(rows.weightless_codes)

    def _labels_of(self, X: Any) -> Any:
        """The label matrix that X is, or stands for."""
        return X

    # ------------------------------------------------------------------------------------------------ the steps of fit
    def _fit_matrix(self, matrix: LabelMatrix, sample_weight: FloatArray) -> None:
        """Fit a checked label matrix."""
        self.__dict__.pop("starts_", None)  # of an earlier fit with keep_starts
        rows = self._open(matrix, sample_weight)
        found = self._fit_rows(rows)
        check_stop()
        self._close(rows, found)

    def _open(self, matrix: LabelMatrix, sample_weight: FloatArray, *, is_part: bool = False) -> LabelledRows:
        """Weighted distinct rows of the objects that have a label and a weight.

        ``is_part``: other parts of the objects are elsewhere, and every label of the matrix occurs in some part.
        """
        n_samples = matrix.codes.shape[0]
        given = self._clustering_weights(matrix)
        used = given > 0
        codes = matrix.codes if used.all() else np.ascontiguousarray(matrix.codes[:, used])
        labelled = self._have_evidence(codes)
        warn_unlabelled(int((~labelled).sum()), n_samples)
        object_weights, clustering_weights, scale = self._scale_weights(sample_weight[labelled], given)
        check_stop()
        encoder = row_encoder(matrix, clustering_weights)
        if self._one_row_per_object():
            distinct = every_row(int(labelled.sum()))
        else:
            distinct = find_distinct_rows(codes if labelled.all() else codes[labelled], encoder.n_codes)
        check_stop()
        row_codes = codes[np.flatnonzero(labelled)[distinct.first]]
        row_weights = sum_per_row(distinct.inverse, object_weights, len(row_codes))
        if self._one_row_per_object():
            order = np.arange(len(row_codes))
        else:
            order = canonical_order(row_codes, row_weights, encoder.clustering_weights, by_codes=self._ties_by_codes)
        check_stop()
        active, weightless = order[row_weights[order] > 0], order[row_weights[order] == 0]
        check_stop()
        row_of = np.full(n_samples, -1, dtype=np.int64)
        row_of[labelled] = distinct.inverse
        if not is_part:
            encoder = replace(encoder, place_of_code=number_present(encoder, row_codes[active]))
        present = row_codes[active]
        if (encoder.n_labels != encoder.n_codes).any():
            present = encoder.known(present)
        return LabelledRows(
            Ensemble(present, encoder.n_labels, encoder.clustering_weights, row_weights[active]),
            row_of_object=_renumber(row_of, active, len(row_codes)),
            n_objects=distinct.n_objects[active],
            weightless_codes=row_codes[weightless],
            weightless_row=_renumber(row_of, weightless, len(row_codes)),
            encoder=encoder,
            n_clusters=self._allowed_clusters(len(active)) if not is_part else 0,
            scale=scale,
        )

    def _scale_weights(
        self, sample_weight: FloatArray, clustering_weights: FloatArray
    ) -> tuple[FloatArray, FloatArray, WeightScale]:
        """Weights of objects and clusterings as the method sees them (eq. C34)."""
        if not sample_weight.any():
            raise ValueError("no object has both a label and a positive sample_weight; at least one must.")
        method = type(self).__name__
        if self._counts_objects:
            of_objects = check_countable(sample_weight, "sample_weight", method)
            return of_objects, check_countable(clustering_weights, "weights", method), WeightScale()
        check_reportable(sample_weight, clustering_weights, self._powers_of_weights())
        objects, clusterings = to_ordinary_size(sample_weight), to_ordinary_size(clustering_weights)
        return objects.weights, clusterings.weights, WeightScale(objects.exponent, clusterings.exponent)

    def _allowed_clusters(self, n_rows: int) -> int:
        """The number of clusters asked for, or 0; not more than there are rows, which is said before any work."""
        asked = int(getattr(self, "n_clusters", None) or 0)
        if asked > n_rows > 1 and not self._n_clusters_is_bound:
            warn(f"{too_many_clusters(asked, n_rows)} {n_rows} are used.", FewerClustersWarning)
        return min(asked, n_rows)

    def _close(self, rows: LabelledRows, found: Consensus, totals: ClusterTotals | None = None) -> None:
        """Number the clusters by decreasing size, and give the rows' results to their objects (eqs. C13 to C16).

        ``totals`` are those of all parts, if the rows are one of several.
        """
        n_clusters = len(totals.mass) if totals is not None else found.n_clusters
        unordered = np.arange(n_clusters)
        self._placement = Placement(rows.encoder, unordered, unordered, found.prior)  # rows can be placed from here on
        idle = self._find_weightless(rows) if len(rows.weightless_codes) else None
        order, labels, idle_labels = _order_clusters(rows, found, idle) if totals is None else _order(found, totals)
        rank = rank_of(order, n_clusters)
        prior = None if found.prior is None or found.membership is None else found.prior[order]
        self._placement = Placement(rows.encoder, order, rank, prior)
        self.labels_ = np.append(rank, -1)[_hand_out(labels, idle_labels, rows)]
        self.n_clusters_ = len(np.unique(self.labels_[self.labels_ >= 0])) if totals is None else totals.n_clusters
        of_rows = np.append(rank, -1)[np.append(labels, idle_labels)]
        idle_codes, places = rows.encoder.known(rows.weightless_codes), (rows.row_of_object, rows.weightless_row)
        judged = judged_rows(rows.ensemble, idle_codes, of_rows, places, self.n_clusters_)
        if totals is not None:
            judged = replace(judged, all_counts=totals.counts.of(order[: self.n_clusters_]))
        self._judged = merge_equal_rows(judged) if self._one_row_per_object() else judged
        if not self._n_clusters_is_bound:
            warn_fewer_clusters(type(self).__name__, rows.n_clusters, len(order))
        if found.membership is not None and prior is not None:
            self.n_components_ = len(order)
            self.membership_ = np.tile(prior, (len(self.labels_), 1))
            known = rows.row_of_object >= 0
            self.membership_[known] = found.membership[:, order][rows.row_of_object[known]]
            if idle is not None and idle.membership is not None:
                of_row = np.tile(prior, (len(idle.placed), 1))
                of_row[idle.placed] = idle.membership[:, order]
                weightless = rows.weightless_row >= 0
                self.membership_[weightless] = of_row[rows.weightless_row[weightless]]

    # ---------------------------------------------------------------------------------------------------- new objects
    def _encode_new(self, X: Any, *, unseen: int = -1) -> Codes:
        """Codes of the door of new objects, for the clusterings that are used; ``unseen`` for labels never seen."""
        check_is_fitted(self, "_placement")
        remember_columns(self, X, check_label_matrix(X, allow_unlabelled=True), reset=False)
        return self._placement.encoder.encode(X, unseen=unseen)

    def _place_objects(self, codes: Codes) -> tuple[IntArray, FloatArray | None]:
        """Labels and memberships (if soft) of new objects, through their distinct rows."""
        distinct = find_distinct_rows(codes, self._placement.encoder.n_codes)
        labels, membership = self._place_rows(codes[distinct.first])
        return labels[distinct.inverse], None if membership is None else membership[distinct.inverse]

    def _place_rows(self, codes: Codes) -> tuple[IntArray, FloatArray | None]:
        """Labels and memberships (if soft) of new rows (eq. C17)."""
        return self._number_found(self._find_rows(codes))

    def _number_found(self, found: FoundRows) -> tuple[IntArray, FloatArray | None]:
        """The same in the numbering of ``labels_``; -1 and the prior for rows that were not placed."""
        placement, labels = self._placement, np.full(len(found.placed), -1, dtype=np.int64)
        if found.membership is None or placement.prior is None:
            labels[found.placed] = placement.rank[found.labels]
            return labels, None
        membership = np.tile(placement.prior, (len(labels), 1))
        membership[found.placed] = found.membership[:, placement.order]
        labels[found.placed] = membership[found.placed].argmax(axis=1)
        return labels, membership

    def _find_rows(self, codes: Codes) -> FoundRows:
        """Clusters of rows that took no part in the fit, in codes of the door."""
        known = self._placement.encoder.known(codes)
        placed = have_a_label(known)
        if not placed.any():
            k = len(self._placement.rank)
            nothing = np.empty((0, k)) if self._placement.prior is not None else None
            return FoundRows(placed, np.empty(0, dtype=np.int64), nothing)
        found = self._label_rows(known[placed])
        if found.ndim == 2:
            return FoundRows(placed, found.argmax(axis=1), found)
        return FoundRows(placed, found, None)


class SoftConsensusMixin:
    """For methods that give probabilities: those of new objects, too."""

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each cluster for new objects.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            The same clusterings, in the same order, as in ``fit``. Labels never seen count as missing, and an object
            without any other label gets the prior.

        Returns
        -------
        membership : ndarray of shape (n_samples, n_components_)
            For labels in blocks an iterator over such arrays, one per block.
        """
        blocks = as_blocks(X)
        if blocks is not None:
            return blocks.memberships_by(self)  # type: ignore[return-value]
        codes = self._encode_new(X)  # type: ignore[attr-defined]
        membership: FloatArray = self._place_objects(codes)[1]  # type: ignore[attr-defined]
        return membership


# ------------------------------------------------------------------------------------------- checks and small steps
def too_many_clusters(n_clusters: int, n_rows: int) -> str:
    """Why there cannot be more clusters than distinct rows (eq. C19)."""
    return (
        f"n_clusters={n_clusters} exceeds the {n_rows} distinct rows of X: objects with the same labels cannot be told "
        "apart."
    )


def check_consensus(consensus: Any, name: str = "consensus") -> None:
    """Refuse what does not combine labels: a clusterer of features would take the numbers of labels for features."""
    check_instance(consensus, name, needs="fit_predict", example="one such as EAC() or PCC(5)")
    if not isinstance(consensus, BaseConsensus):
        raise TypeError(
            f"{name}={consensus!r:.60} clusters features, not labels; pass a consensus estimator of partita, such "
            "as EAC() or PCC(5). If it takes labels, give it a name by partita.register_method and use combine."
        )


def remember_columns(estimator: Any, X: Any, matrix: LabelMatrix | None, *, reset: bool) -> None:
    """Set, or compare with, ``n_features_in_`` and ``feature_names_in_``; set ``index_``, unless rows are elsewhere."""
    if reset:
        estimator.__dict__.pop("index_", None)
        if isinstance(X, pd.DataFrame) and matrix is not None:
            estimator.index_ = X.index
    distinct = hasattr(X, "columns") and len(set(map(str, X.columns))) == len(X.columns)  # clusterings may share a name
    shape = X.shape if matrix is None else (len(matrix.codes), matrix.n_columns_in)
    named = X if distinct else np.broadcast_to(np.int8(0), shape)
    validate_data(estimator, named, reset=reset, skip_check_array=True)


def warn_fewer_clusters(method: str, asked: int, found: int) -> None:
    """Say that a method found fewer clusters than it was asked for."""
    if found < asked:
        warn(f"{asked} clusters were asked for, and {method} found {found}.", FewerClustersWarning)


def warn_unlabelled(n_without: int, n_samples: int) -> None:
    """Warn once about objects of which nothing is known."""
    if n_without:
        told = f"{n_without} of {n_samples} objects have no label in any clustering; labels_ is -1 for them."
        warn(told, UnlabelledObjectsWarning)


def _order_clusters(
    rows: LabelledRows, found: Consensus, idle: FoundRows | None
) -> tuple[IntArray, IntArray, IntArray]:
    """Clusters by decreasing size (eq. C13), and those of the rows with and without weight.

    Soft clusters without an object of their own come last. Of equally probable clusters an object is in the first of
    this order (eq. C14); that makes large clusters larger, so that the order is looked at again until it stays.
    """
    labels, weights = found.labels.astype(np.int64), rows.ensemble.row_weights
    idle_labels = np.full(len(rows.weightless_codes), -1, dtype=np.int64)
    if idle is not None:
        idle_labels[idle.placed] = idle.labels
    n_clusters = found.n_clusters
    mass = None if found.membership is None else weights @ found.membership
    for _ in range(n_clusters + 1):
        size = sum_per_row(labels, weights, n_clusters)
        order = order_by_size(_hand_out(labels, idle_labels, rows), n_clusters, size, mass)
        before = labels, idle_labels.copy()
        if found.membership is not None and found.most_probable:
            labels = order[found.membership[:, order].argmax(axis=1)]
        if idle is not None and idle.membership is not None:
            idle_labels[idle.placed] = order[idle.membership[:, order].argmax(axis=1)]
        if np.array_equal(labels, before[0]) and np.array_equal(idle_labels, before[1]):
            break
    return order, labels, idle_labels


def _order(found: Consensus, totals: ClusterTotals) -> tuple[IntArray, IntArray, IntArray]:
    """The same where these rows are one part of several: equally large clusters keep their numbers."""
    order = np.lexsort((-totals.mass, -totals.counts.sizes))
    if found.membership is None:
        order = order[: totals.n_clusters]
    return order, found.labels.astype(np.int64), np.empty(0, dtype=np.int64)


def _renumber(row_of: IntArray, chosen: IntArray, n_rows: int) -> IntArray:
    """Place of each object's row among the chosen rows, -1 for the others."""
    place = np.full(n_rows + 1, -1, dtype=np.int64)  # the last entry is used for objects without a row
    place[chosen] = np.arange(len(chosen))
    return place[row_of]


def _hand_out(labels: Array, idle_labels: Array, rows: LabelledRows) -> IntArray:
    """Label of each object's row, with weight or without; -1 for objects without a row."""
    of_object = np.append(labels, -1)[rows.row_of_object].astype(np.int64)
    weightless = rows.weightless_row >= 0
    of_object[weightless] = idle_labels[rows.weightless_row[weightless]]
    return of_object
