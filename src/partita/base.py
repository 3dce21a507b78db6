"""The contract of every consensus estimator, so that a method is its mathematics and nothing else.

A method implements ``_fit_rows``: weighted distinct rows in, one label (or one probability a cluster)
a row out. The base class takes care of the door, of objects without labels or without weight, of the
numbering of the clusters, and of scikit-learn's conventions.
"""

import warnings
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils.validation import validate_data

from partita._ensemble import Ensemble, canonical_order, every_row, find_distinct_rows
from partita._typing import Array, Codes, FloatArray, IntArray
from partita._validation import LabelMatrix, check_label_matrix, check_sample_weight, check_weights
from partita.exceptions import UnlabelledObjectsWarning


class Rows(NamedTuple):
    """The ensemble of distinct rows, and where each object is in it."""

    ensemble: Ensemble
    members: IntArray  # (n_samples,) row of the ensemble, or -1: no label, or no weight
    n_objects: IntArray  # (n_rows,) objects in each row, whatever their weight
    idle_codes: Codes  # (n_idle, n_clusterings) labelled rows without weight: labelled, never counted
    idle: IntArray  # (n_samples,) row of idle_codes, or -1


class Consensus(NamedTuple):
    """What a method finds for the rows of an ensemble."""

    labels: Array  # (n_rows,) cluster of each row, any numbering
    membership: FloatArray | None = None  # (n_rows, n_clusters) probabilities
    prior: FloatArray | None = None  # (n_clusters,) membership of an object of which nothing is known
    most_probable: bool = True  # labels are the most probable clusters; else they were chosen in another way


class BaseConsensus(ClusterMixin, BaseEstimator):
    """Fit on a label matrix; see the module's docstring.

    Subclasses set ``weights`` in their constructor and implement ``_fit_rows``; those that can label a
    row which took no part in the fit implement ``_label_rows``.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    _ties_by_codes: ClassVar[bool] = False  # see canonical_order

    weights: Any
    labels_: IntArray
    n_clusters_: int

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
        self._fit_matrix(matrix, sample_weight)
        return self

    def _fit_matrix(self, matrix: LabelMatrix, sample_weight: Any) -> None:
        """Fit a checked label matrix."""
        rows = self._open(matrix, sample_weight)
        self._matrix = matrix
        self._close(rows, self._fit_rows(rows))

    def _fit_rows(self, rows: Rows) -> Consensus:
        raise NotImplementedError(f"{type(self).__name__} must implement _fit_rows.")

    def _one_row_per_object(self) -> bool:
        """Whether equal rows must stay apart: the method then sees every object, in the order of X."""
        return False

    def _clustering_weights(self, matrix: LabelMatrix) -> FloatArray:
        """Weight of each clustering that was kept."""
        return check_weights(self.weights, matrix)

    def _have_evidence(self, codes: Codes) -> Array:
        """Whether anything is known of each object."""
        return _have_a_label(codes)

    def _label_rows(self, codes: Codes) -> Array:
        """Cluster (or probabilities), in the numbering of ``_fit_rows``, of rows that took no part in the fit.

        Labels that no fitted object has come as missing, and every row has at least one other label.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement _label_rows.")

    def _open(self, matrix: LabelMatrix, sample_weight: Any) -> Rows:
        """Weighted distinct rows of the objects that have a label and a weight."""
        n_samples = matrix.codes.shape[0]
        weight = check_sample_weight(sample_weight, n_samples)
        clustering_weights = self._clustering_weights(matrix)
        used = clustering_weights > 0
        self._used_columns = np.flatnonzero(used)
        self._code_widths = matrix.n_labels[used]
        self._used_weights = clustering_weights[used]
        codes = matrix.codes if used.all() else np.ascontiguousarray(matrix.codes[:, used])
        labelled = self._have_evidence(codes)
        warn_unlabelled(labelled)
        n_labels = self._code_widths
        if self._one_row_per_object():
            distinct = every_row(int(labelled.sum()))
        else:
            distinct = find_distinct_rows(codes if labelled.all() else codes[labelled], n_labels)
        row_codes = codes[np.flatnonzero(labelled)[distinct.first]]
        row_weight = np.bincount(distinct.inverse, weight[labelled], minlength=len(row_codes)).astype(np.float64)
        if not row_weight.any():
            raise ValueError("no object has both a label and a positive sample_weight; at least one must.")
        if self._one_row_per_object():
            order = np.arange(len(row_codes))
        else:
            order = canonical_order(row_codes, row_weight, clustering_weights[used], by_codes=self._ties_by_codes)
        active, idle = order[row_weight[order] > 0], order[row_weight[order] == 0]
        row_of = np.full(n_samples, -1, dtype=np.int64)
        row_of[labelled] = distinct.inverse
        present = self._number_present(row_codes[active])
        return Rows(
            Ensemble(present, self._used_n_labels, clustering_weights[used], row_weight[active]),
            members=_renumber(row_of, active, len(row_codes)),
            n_objects=distinct.counts[active],
            idle_codes=row_codes[idle],
            idle=_renumber(row_of, idle, len(row_codes)),
        )

    def _number_present(self, codes: Codes) -> Codes:
        """Number the labels that objects of weight have; others are not labels for the method."""
        self._place_of_code = []
        for column, width in zip(codes.T, self._code_widths, strict=True):
            there = np.bincount(column + 1, minlength=width + 1)[1:] > 0
            place = np.where(there, np.cumsum(there) - 1, -1)
            # the last two entries stand for -1, missing, and -2, a label that is new
            self._place_of_code.append(np.append(place, [-1, -1]).astype(np.int32))
        self._used_n_labels = np.array([max(place.max() + 1, 1) for place in self._place_of_code], dtype=np.int64)
        return codes if (self._used_n_labels == self._code_widths).all() else self._known_codes(codes)

    def _close(self, rows: Rows, found: Consensus) -> None:
        """Number the clusters by decreasing size, and hand the rows' results to their objects."""
        n_clusters = int(found.labels.max()) + 1 if found.membership is None else found.membership.shape[1]
        size = np.bincount(found.labels, weights=rows.ensemble.counts, minlength=n_clusters)
        labels = _hand_out(found.labels, rows.members)
        first = np.full(n_clusters, len(labels))
        np.minimum.at(first, labels[labels >= 0], np.flatnonzero(labels >= 0))
        if found.membership is None:
            order = np.lexsort((first, -size))[: int((size > 0).sum())]
        else:  # clusters without any object of their own come last, by their mass
            order = np.lexsort((-(rows.ensemble.counts @ found.membership), first, -size))
        self._cluster_order = order  # cluster of ``_fit_rows`` behind each cluster of ``labels_``
        self._rank = np.full(n_clusters, -1, dtype=np.int64)  # and the other way round
        self._rank[order] = np.arange(len(order))
        self.n_clusters_ = len(order)
        soft = found.membership if found.most_probable else None
        # the first of equally probable clusters is that of the new numbering
        numbered = self._rank[found.labels] if soft is None else soft[:, order].argmax(axis=1)
        self.labels_ = _hand_out(numbered, rows.members)
        if found.membership is not None and found.prior is not None:
            self._prior = found.prior[order]
            self.membership_ = np.tile(self._prior, (len(rows.members), 1))
            self.membership_[rows.members >= 0] = found.membership[:, order][rows.members[rows.members >= 0]]
        idle = rows.idle >= 0
        if idle.any():
            labels, membership = self._place_rows(rows.idle_codes)
            self.labels_[idle] = labels[rows.idle[idle]]
            if membership is not None:
                self.membership_[idle] = membership[rows.idle[idle]]

    def _place_rows(self, codes: Codes) -> tuple[IntArray, FloatArray | None]:
        """Labels, in the numbering of ``labels_``, and memberships (if soft) of new rows.

        A row that has no label of a fitted object gets -1 and the prior.
        """
        known_codes = self._known_codes(codes)
        labels = np.full(len(codes), -1, dtype=np.int64)
        placed = np.flatnonzero((known_codes >= 0).any(axis=1))
        membership = np.tile(self._prior, (len(codes), 1)) if hasattr(self, "_prior") else None
        if len(placed):
            found = self._label_rows(known_codes[placed])
            if found.ndim == 2 and membership is not None:
                membership[placed] = found[:, self._cluster_order]
                labels[placed] = membership[placed].argmax(axis=1)
            else:
                labels[placed] = self._rank[found]
        return labels, membership

    def _known_codes(self, codes: Codes) -> Codes:
        """The codes as the method numbers them, -1 for labels that no fitted object has."""
        known = np.empty(codes.shape, dtype=np.int32)
        for j, place in enumerate(self._place_of_code):
            known[:, j] = place[codes[:, j]]
        return known

    def _encode_new(self, X: Any, *, unseen: int = -1) -> Codes:
        """Codes of new objects in the numbering, and of the clusterings, of the fit; ``unseen`` for labels it lacks."""
        remember_columns(self, X, check_label_matrix(X, allow_unlabelled=True), reset=False)
        return np.ascontiguousarray(self._matrix.encode(X, unseen=unseen)[:, self._used_columns])


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


def remember_columns(estimator: Any, X: Any, matrix: LabelMatrix, *, reset: bool) -> None:
    """Set, or compare with, ``n_features_in_`` and ``feature_names_in_``, as scikit-learn does."""
    named = X if hasattr(X, "columns") else np.broadcast_to(np.int8(0), (len(matrix.codes), matrix.n_columns_in))
    validate_data(estimator, named, reset=reset, skip_check_array=True)


def _have_a_label(codes: Codes) -> Array:
    """Whether each object has a label; most often the first clusterings settle it for all."""
    labelled = np.zeros(len(codes), dtype=bool)
    for column in codes.T:
        labelled |= column >= 0
        if labelled.all():
            break
    return labelled


def warn_unlabelled(labelled: Array) -> None:
    """Say, once, how many objects nothing is known of."""
    n_without = int((~labelled).sum())
    if n_without:
        warnings.warn(
            f"{n_without} of {len(labelled)} objects have no label in any clustering; labels_ is -1 for them.",
            UnlabelledObjectsWarning,
            stacklevel=5,
        )


def _renumber(row_of: IntArray, chosen: IntArray, n_rows: int) -> IntArray:
    """Place of each object's row among the chosen rows, -1 for the others."""
    place = np.full(n_rows + 1, -1, dtype=np.int64)  # the last entry serves objects without a row
    place[chosen] = np.arange(len(chosen))
    return place[row_of]


def _hand_out(of_row: Array, members: IntArray) -> IntArray:
    return np.append(of_row, -1)[members].astype(np.int64)
