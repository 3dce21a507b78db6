"""The contract of every consensus estimator, so that a method is its mathematics and nothing else.

A method implements ``_fit_rows``: weighted distinct rows in, one label (or one probability per cluster) per row out.
The base class handles the door, objects without labels or without weight, the numbering of the clusters, new objects,
and scikit-learn's conventions.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils.validation import check_is_fitted, validate_data

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
from partita._parameters import check_instance
from partita._runs import warn
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.exceptions import UnlabelledObjectsWarning


class LabelledRows(NamedTuple):
    """The ensemble of distinct rows, where each object is in it, and how it was encoded."""

    ensemble: Ensemble
    row_of_object: IntArray  # (n_samples,) row of the ensemble, or -1: no label, or no weight
    n_objects: IntArray  # (n_rows,) objects in each row, whatever their weight
    weightless_codes: Codes  # (n_weightless, m) distinct rows of objects without weight: labelled, never counted
    weightless_row: IntArray  # (n_samples,) row of weightless_codes, or -1
    encoder: RowEncoder


class Consensus(NamedTuple):
    """What a method finds for the rows of an ensemble."""

    labels: Array  # (n_rows,) cluster of each row, any numbering
    membership: FloatArray | None = None  # (n_rows, n_clusters) probabilities
    prior: FloatArray | None = None  # (n_clusters,) membership of an object of which nothing is known
    most_probable: bool = True  # labels are the most probable clusters; else they were chosen in another way


@dataclass(frozen=True, eq=False)
class Placement:
    """How new rows are encoded and placed in a fitted model."""

    encoder: RowEncoder
    order: IntArray  # (n_clusters_,) cluster of ``_fit_rows`` behind each cluster of ``labels_``
    rank: IntArray  # and the other way round; -1 for clusters that were dropped
    prior: FloatArray | None  # (n_clusters_,) membership of an object of which nothing is known; None for hard methods


class BaseConsensus(ClusterMixin, BaseEstimator):
    """Fit on a label matrix; see the module's docstring.

    Subclasses set ``weights`` in their constructor and implement ``_fit_rows`` and ``_label_rows``.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    _ties_by_codes: ClassVar[bool] = False  # see canonical_order

    weights: Any
    labels_: IntArray
    n_clusters_: int
    _placement: Placement

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the consensus of the clusterings in the columns of X.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
        y : Ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each object. Weight 2 is the object twice; an object of weight 0 has no influence and is
            labelled afterwards (-1 if it shares no label with any other).

        Returns
        -------
        self
        """
        matrix = check_label_matrix(X)
        remember_columns(self, X, matrix, reset=True)
        self._fit_matrix(matrix, check_sample_weight(sample_weight, len(matrix.codes)))
        return self

    def predict(self, X: Any) -> IntArray:
        """Cluster of new objects, -1 for those without any label that was fitted.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            The same clusterings, in the same order, as in ``fit``. Labels never seen count as missing.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._place_objects(self._encode_new(X))[0]

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

    # ------------------------------------------------------------------------------------------------ the steps of fit
    def _fit_matrix(self, matrix: LabelMatrix, sample_weight: FloatArray) -> None:
        """Fit a checked label matrix."""
        rows = self._open(matrix, sample_weight)
        self._close(rows, self._fit_rows(rows))

    def _open(self, matrix: LabelMatrix, sample_weight: FloatArray) -> LabelledRows:
        """Weighted distinct rows of the objects that have a label and a weight."""
        n_samples = matrix.codes.shape[0]
        clustering_weights = self._clustering_weights(matrix)
        encoder = row_encoder(matrix, clustering_weights)
        used = clustering_weights > 0
        codes = matrix.codes if used.all() else np.ascontiguousarray(matrix.codes[:, used])
        labelled = self._have_evidence(codes)
        warn_unlabelled(labelled)
        if self._one_row_per_object():
            distinct = every_row(int(labelled.sum()))
        else:
            distinct = find_distinct_rows(codes if labelled.all() else codes[labelled], encoder.n_codes)
        row_codes = codes[np.flatnonzero(labelled)[distinct.first]]
        row_weights = sum_per_row(distinct.inverse, sample_weight[labelled], len(row_codes))
        if not row_weights.any():
            raise ValueError("no object has both a label and a positive sample_weight; at least one must.")
        if self._one_row_per_object():
            order = np.arange(len(row_codes))
        else:
            order = canonical_order(row_codes, row_weights, encoder.clustering_weights, by_codes=self._ties_by_codes)
        active, weightless = order[row_weights[order] > 0], order[row_weights[order] == 0]
        row_of = np.full(n_samples, -1, dtype=np.int64)
        row_of[labelled] = distinct.inverse
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
        )

    def _close(self, rows: LabelledRows, found: Consensus) -> None:
        """Number the clusters by decreasing size, and give the rows' results to their objects (eqs. C13 to C16)."""
        row_of_object = rows.row_of_object
        order, n_clusters = _order_clusters(rows, found)
        rank = rank_of(order, n_clusters)
        prior = None if found.prior is None or found.membership is None else found.prior[order]
        self._placement = Placement(rows.encoder, order, rank, prior)
        self.n_clusters_ = len(order)
        soft = found.membership if found.most_probable else None
        # the first of equally probable clusters is that of the new numbering (eq. C14)
        numbered = rank[found.labels] if soft is None else soft[:, order].argmax(axis=1)
        self.labels_ = _hand_out(numbered, row_of_object)
        if found.membership is not None and prior is not None:
            known = row_of_object >= 0
            self.membership_ = np.tile(prior, (len(row_of_object), 1))
            self.membership_[known] = found.membership[:, order][row_of_object[known]]
        weightless = rows.weightless_row >= 0
        if weightless.any():
            labels, membership = self._place_rows(rows.weightless_codes)
            self.labels_[weightless] = labels[rows.weightless_row[weightless]]
            if membership is not None:
                self.membership_[weightless] = membership[rows.weightless_row[weightless]]

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
        """Labels, in the numbering of ``labels_``, and memberships (if soft) of new rows.

        A row that has no label of a fitted object gets -1 and the prior (eq. C17).
        """
        placement = self._placement
        known_codes = placement.encoder.known(codes)
        labels = np.full(len(codes), -1, dtype=np.int64)
        placed = np.flatnonzero(have_a_label(known_codes))
        membership = None if placement.prior is None else np.tile(placement.prior, (len(codes), 1))
        if len(placed):
            found = self._label_rows(known_codes[placed])
            if found.ndim == 2 and membership is not None:
                membership[placed] = found[:, placement.order]
                labels[placed] = membership[placed].argmax(axis=1)
            else:
                labels[placed] = placement.rank[found]
        return labels, membership


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
        membership : ndarray of shape (n_samples, n_clusters_)
        """
        codes = self._encode_new(X)  # type: ignore[attr-defined]
        membership: FloatArray = self._place_objects(codes)[1]  # type: ignore[attr-defined]
        return membership


# ------------------------------------------------------------------------------------------- numbering the clusters
def order_by_size(
    labels: Array, n_clusters: int | None = None, size: FloatArray | None = None, mass: FloatArray | None = None
) -> IntArray:
    """Clusters by decreasing size, equally large ones by first appearance; -1 is not a cluster.

    ``size`` is the weight of each cluster, by default its number of objects. Clusters of size 0 are left out or, if
    the ``mass`` of each cluster is given (soft methods), come last by decreasing mass.
    """
    labelled = np.flatnonzero(labels >= 0)
    found = labels[labelled]
    k = int(found.max(initial=-1)) + 1 if n_clusters is None else n_clusters
    sizes = np.asarray(np.bincount(found, minlength=k) if size is None else size, dtype=np.float64)
    first = np.full(k, len(labels))
    np.minimum.at(first, found, labelled)
    if mass is not None:
        return np.lexsort((-mass, first, -sizes))
    return np.lexsort((first, -sizes))[: int(np.count_nonzero(sizes > 0))]


def rank_of(order: IntArray, n_clusters: int) -> IntArray:
    """New number of each cluster when they are put in this order; -1 for those that are not in it."""
    rank = np.full(n_clusters, -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def number_by_size(labels: Array, row_weights: FloatArray | None = None, *, ties: str = "appearance") -> IntArray:
    """The same partition with clusters numbered by decreasing size; -1 stays.

    ``row_weights`` are those of the objects or rows. Equally large clusters are numbered by their first
    ``"appearance"``, or by their present ``"number"``.
    """
    labelled = labels >= 0
    weights = np.ones(len(labels)) if row_weights is None else row_weights
    size = sum_per_row(labels[labelled], weights[labelled], 0)
    order = order_by_size(labels, size=size) if ties == "appearance" else np.argsort(-size, kind="stable")
    return np.asarray(np.append(rank_of(order, len(size)), -1)[labels])  # the last entry is used for -1


# ------------------------------------------------------------------------------------------- checks and small steps
def check_n_clusters(n_clusters: int, n_rows: int) -> int:
    """Refuse more clusters than there are distinct rows; a single distinct row is always one cluster."""
    if n_rows == 1:
        return 1
    if n_clusters > n_rows:
        raise ValueError(
            f"n_clusters={n_clusters} exceeds the {n_rows} distinct rows of X: objects with the same labels cannot "
            f"be told apart. Pass n_clusters <= {n_rows}."
        )
    return n_clusters


def check_consensus(consensus: Any) -> None:
    """Refuse what does not combine labels: a clusterer of features would take the numbers of labels for features."""
    check_instance(consensus, "consensus", needs="fit_predict", example="one such as EAC() or PCC(5)")
    if not isinstance(consensus, BaseConsensus):
        raise TypeError(
            f"consensus={consensus!r:.60} clusters features, not labels; pass a consensus estimator of partita, such "
            "as EAC() or PCC(5)."
        )


def remember_columns(estimator: Any, X: Any, matrix: LabelMatrix, *, reset: bool) -> None:
    """Set, or compare with, ``n_features_in_`` and ``feature_names_in_``, as scikit-learn does."""
    distinct = hasattr(X, "columns") and len(set(map(str, X.columns))) == len(X.columns)  # clusterings may share a name
    named = X if distinct else np.broadcast_to(np.int8(0), (len(matrix.codes), matrix.n_columns_in))
    validate_data(estimator, named, reset=reset, skip_check_array=True)


def warn_unlabelled(labelled: Array) -> None:
    """Warn once about objects of which nothing is known."""
    n_without = int((~labelled).sum())
    if n_without:
        warn(
            f"{n_without} of {len(labelled)} objects have no label in any clustering; labels_ is -1 for them.",
            UnlabelledObjectsWarning,
        )


def _order_clusters(rows: LabelledRows, found: Consensus) -> tuple[IntArray, int]:
    """Clusters by decreasing size (eq. C13), and how many there were; soft ones without an own object come last."""
    n_clusters = int(found.labels.max()) + 1 if found.membership is None else found.membership.shape[1]
    size = sum_per_row(found.labels, rows.ensemble.row_weights, n_clusters)
    mass = None if found.membership is None else rows.ensemble.row_weights @ found.membership
    return order_by_size(_hand_out(found.labels, rows.row_of_object), n_clusters, size, mass), n_clusters


def sum_per_row(place: Array, weights: FloatArray, length: int) -> FloatArray:
    """Sum of the weights at each place."""
    return np.bincount(place, weights=weights, minlength=length).astype(np.float64)


def _renumber(row_of: IntArray, chosen: IntArray, n_rows: int) -> IntArray:
    """Place of each object's row among the chosen rows, -1 for the others."""
    place = np.full(n_rows + 1, -1, dtype=np.int64)  # the last entry is used for objects without a row
    place[chosen] = np.arange(len(chosen))
    return place[row_of]


def _hand_out(of_row: Array, row_of_object: IntArray) -> IntArray:
    """Value of each object's row, -1 for objects without a row."""
    return np.append(of_row, -1)[row_of_object].astype(np.int64)
