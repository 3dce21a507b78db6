"""What all models of the labels share: they give new objects probabilities, and rows of labels a likelihood."""

from typing import Any, ClassVar

import numpy as np

from partita._labels.ensemble import find_distinct_rows, layout_of
from partita._labels.validation import check_sample_weight
from partita._typing import Codes, FloatArray
from partita.base import BaseConsensus, SoftConsensusMixin
from partita.consensus.models._em import by_clustering
from partita.metrics import perplexity

UNSEEN = 1e-12  # probability of a label that no fitted object has (eq. M9): small, but its log is not minus infinity


class LabelModel(SoftConsensusMixin, BaseConsensus):
    """An estimator that is a model of the rows of labels.

    Subclasses implement ``_label_rows`` (probabilities of rows) and ``_log_likelihood``, both for rows in the codes of
    the fit.
    """

    _counts_objects: ClassVar[bool] = True

    def _log_likelihood(self, codes: Codes) -> FloatArray:
        """Log probability (or a lower bound of it) of the labels of each row; every row has one."""
        raise NotImplementedError(f"{type(self).__name__} must implement _log_likelihood.")

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
        codes = self._encode_new(X, unseen=-2)
        distinct = find_distinct_rows(np.maximum(codes, -1), self._placement.encoder.n_codes)
        rows = codes[distinct.first]
        known = self._placement.encoder.known(rows)
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
        """Exp of minus the mean log probability of a label: 1 if certain, the number of labels if equally probable.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)

        Returns
        -------
        perplexity : float
        """
        values = self.score_samples(X)
        codes = self._encode_new(X, unseen=-2)
        return perplexity(values, float((codes != -1).sum(axis=0) @ self._placement.encoder.clustering_weights))

    def _by_clustering(self, table: FloatArray) -> list[FloatArray]:
        """A table of (cells, k) as one (k, labels) array per column of X; NaN where a clustering has no weight."""
        encoder, order = self._placement.encoder, self._placement.order
        return encoder.by_column(by_clustering(table, layout_of(encoder.n_labels), order), len(order))

    def _penalty_of_unseen(self, codes: Codes) -> FloatArray:
        """Log probability of the labels that an object has, but no fitted object has."""
        unseen = (codes != -1) & (self._placement.encoder.known(codes) < 0)
        return np.asarray(np.log(UNSEEN) * (unseen @ self._placement.encoder.clustering_weights))
