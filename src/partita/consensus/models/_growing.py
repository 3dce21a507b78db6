"""Further clusterings of the same objects: EM goes on from the memberships that the former ones gave (eq. M61).

The parameters of the new clusterings are those of the largest likelihood under the present memberships; then all
clusterings take part. A fit from the beginning searches again, and may end higher; this one costs a few iterations.
"""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita._labels.validation import LabelMatrix, check_label_matrix
from partita._stopping import whole_or_nothing
from partita._typing import Array, FloatArray, IntArray
from partita.base import Consensus, LabelledRows


class GrowingMixin:
    """For models of labels that go on with further clusterings."""

    @whole_or_nothing
    def extend(self, X: Any) -> Self:
        """Go on with further clusterings of the same objects, instead of fitting all of them again.

        EM continues on all clusterings from the present memberships. It may end lower than a fit from the beginning,
        which searches; where clusterings keep coming, it costs a few iterations each time.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_new_clusterings)
            The objects of the fit, in their order. The new columns come after the former ones.

        Returns
        -------
        self
        """
        matrix = grown_matrix(self, X)
        rows = self._open(matrix, np.ones(len(matrix.codes)))  # type: ignore[attr-defined]
        self.__dict__.pop("starts_", None)
        membership, order = self.membership_, self._placement.order  # type: ignore[attr-defined]
        found = self._go_on(rows, memberships_of_rows(rows, membership, order))
        self._close(rows, found)  # type: ignore[attr-defined]
        self.n_features_in_ = matrix.n_columns_in
        self.__dict__.pop("feature_names_in_", None)  # there are more columns than names
        return self

    def _go_on(self, rows: LabelledRows, membership: FloatArray) -> Consensus:
        """EM from the memberships of the rows."""
        raise NotImplementedError(f"{type(self).__name__} must implement _go_on.")


def grown_matrix(estimator: Any, X: Any) -> LabelMatrix:
    """The clusterings of the fit and those of X side by side."""
    check_is_fitted(estimator, "labels_")
    if not isinstance(estimator.membership_, np.ndarray):
        raise ValueError("this model was fitted to labels in blocks; extend goes on with models of labels in memory.")
    _refuse_weights(estimator)
    new = check_label_matrix(X)
    n = len(estimator.labels_)
    if len(new.codes) != n:
        raise ValueError(f"X has {len(new.codes)} objects, but {n} were fitted; pass the same objects in their order.")
    encoder = estimator._placement.encoder
    old = estimator._judged.codes_of(np.arange(n))
    places = zip(encoder.labels, encoder.place_of_code, strict=True)
    labels: list[Array] = [known[place[:-2] >= 0] for known, place in places]
    kept = np.concatenate([encoder.columns, encoder.n_columns_in + new.kept])
    return LabelMatrix(
        np.ascontiguousarray(np.hstack([old, new.codes])),
        labels + new.labels,
        [f"c{column}" for column in encoder.columns] + new.names,
        kept,
        encoder.n_columns_in + new.n_columns_in,
    )


def _refuse_weights(estimator: Any) -> None:
    if estimator.weights is not None:
        raise ValueError("extend goes on with weights=None only; fit all clusterings with their weights instead.")
    judged = estimator._judged
    n_objects = np.bincount(judged.row_of_object[judged.row_of_object >= 0], minlength=judged.ensemble.n_rows)
    if len(judged.idle_codes) or not np.array_equal(n_objects, judged.ensemble.row_weights):
        raise ValueError("extend goes on without sample_weight only; fit all clusterings with the weights instead.")


def memberships_of_rows(rows: LabelledRows, membership: FloatArray, order: IntArray) -> FloatArray:
    """Mean membership of the objects of each row, in the numbering of the model."""
    there = rows.row_of_object >= 0
    total = np.zeros((rows.ensemble.n_rows, membership.shape[1]))
    np.add.at(total, rows.row_of_object[there], membership[there])
    in_model = np.empty_like(total)
    in_model[:, order] = total / rows.n_objects[:, None]
    return in_model


def soft_counts(rows: LabelledRows, membership: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weight of the clusters (k,), and of their labels (n_cells, k)."""
    weighted = membership * rows.ensemble.row_weights[:, None]
    return weighted.sum(axis=0), np.asarray(rows.ensemble.indicator.T @ weighted)
