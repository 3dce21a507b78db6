"""What all models of the labels share: they give new objects probabilities, and rows of labels a likelihood."""

import warnings
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita._ensemble import find_distinct_rows
from partita._typing import Codes, FloatArray, IntArray
from partita._validation import check_sample_weight
from partita.base import BaseConsensus
from partita.consensus._label_tables import by_clustering, lay_out
from partita.exceptions import IdentifiabilityWarning
from partita.metrics import perplexity

UNSEEN = 1e-12  # probability of a label that no fitted object has


class LabelModel(BaseConsensus):
    """An estimator that is a model of the rows of labels.

    Subclasses implement ``_label_rows`` (probabilities of rows) and ``_log_likelihood``, both for rows in the codes of
    the fit.
    """

    def _log_likelihood(self, codes: Codes) -> FloatArray:
        """Log probability (or a lower bound of it) of the labels of each row; every row has one."""
        raise NotImplementedError(f"{type(self).__name__} must implement _log_likelihood.")

    def _warn_one_clustering(self) -> None:
        """Warn that one clustering tells nothing but how frequent its labels are."""
        if len(self._used_columns) == 1:
            warnings.warn(
                f"{type(self).__name__} is not identifiable from a single clustering: every model with the right label "
                "frequencies fits it equally well. Pass two or more clusterings.",
                IdentifiabilityWarning,
                stacklevel=5,
            )

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each cluster for new objects.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            The same clusterings, in the same order, as in ``fit``. Labels never seen count as missing, and an object
            without any other gets the prior.

        Returns
        -------
        membership : ndarray of shape (n_samples, n_clusters_)
        """
        check_is_fitted(self, "labels_")
        return self._place_objects(self._encode_new(X))[1]

    def predict(self, X: Any) -> IntArray:
        """Most probable cluster of new objects, -1 for those without any label that was fitted.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            As in ``predict_proba``.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "labels_")
        return self._place_objects(self._encode_new(X))[0]

    def score_samples(self, X: Any) -> FloatArray:
        """Log probability of each row of labels, 0 for a row without any.

        A label that no fitted object has counts with probability 1e-12. Clusterings count with their ``weights``.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)

        Returns
        -------
        log_likelihood : ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "labels_")
        codes = self._encode_new(X, unseen=-2)
        distinct = find_distinct_rows(np.maximum(codes, -1), self._code_widths)
        rows = codes[distinct.first]
        known = self._known_codes(rows)
        log_likelihood = np.zeros(len(rows))
        placed = np.flatnonzero((known >= 0).any(axis=1))
        if len(placed):
            log_likelihood[placed] = self._log_likelihood(known[placed])
        of_objects = log_likelihood[distinct.inverse]
        return np.asarray(of_objects + self._penalty_of_unseen(codes))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean log probability of the rows of labels: see ``score_samples``.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
        y : Ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        score : float
        """
        values = self.score_samples(X)
        return float(np.average(values, weights=check_sample_weight(sample_weight, len(values))))

    def perplexity(self, X: Any) -> float:
        """Exp of minus the mean log probability of a label: 1 is certainty, and the number of labels is ignorance.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)

        Returns
        -------
        perplexity : float
        """
        values = self.score_samples(X)
        codes = self._encode_new(X, unseen=-2)
        return perplexity(values, float((codes != -1).sum(axis=0) @ self._used_weights))

    def _by_clustering(self, table: FloatArray) -> list[FloatArray]:
        """A table of (cells, k) as one (k, labels) array a column of X; NaN where a clustering has no weight."""
        parts = iter(by_clustering(table, lay_out(self._used_n_labels), self._cluster_order))
        used = set(self._used_columns.tolist())
        arrays = [np.empty((len(self._cluster_order), 0)) for _ in range(self._matrix.n_columns_in)]
        for j, column in enumerate(self._matrix.kept):
            blank = np.full((len(self._cluster_order), len(self._matrix.labels[j])), np.nan)
            arrays[int(column)] = next(parts) if j in used else blank
        return arrays

    def _penalty_of_unseen(self, codes: Codes) -> FloatArray:
        """Log probability of the labels that an object has, but no fitted object has."""
        unseen = (codes != -1) & (self._known_codes(codes) < 0)
        return np.asarray(np.log(UNSEEN) * (unseen @ self._used_weights))

    def _place_objects(self, codes: Codes) -> tuple[IntArray, FloatArray]:
        """Labels and memberships of new objects, through their distinct rows."""
        distinct = find_distinct_rows(codes, self._code_widths)
        labels, membership = self._place_rows(codes[distinct.first])
        assert membership is not None
        return labels[distinct.inverse], membership[distinct.inverse]
