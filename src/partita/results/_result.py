"""A consensus as data to hand on: labels, confidence, how the number was chosen, and tables of all that took part."""

import json
import warnings
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from partita._confidence import JudgedRows
from partita._typing import FloatArray, IntArray
from partita.base import BaseConsensus
from partita.consensus._methods import METHODS
from partita.exceptions import UnlabelledObjectsWarning
from partita.metrics._confidence import ClusterCounts
from partita.results._choice import Choice, choice_of, facts_of, records
from partita.results._given_partition import GivenPartition

_IN_DOUBT = 0.0  # log-odds up to which the labels of an object speak for another cluster as much as for its own


class ConsensusResult:
    """The consensus of an ensemble, made by :func:`combine` or from a fitted estimator.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Cluster of each object, the largest cluster being 0; -1 for objects without any label.
    membership : ndarray of shape (n_samples, k)
        Probability of each cluster from methods that give one, else the votes of each object's labels for the
        clusters; rows sum to 1. ``membership_kind`` says which. Neither is a probability of being right.
    membership_kind : {"probabilities", "votes"}
        What ``membership`` holds.
    confidence : ndarray of shape (n_samples,)
        Log-odds of each object's cluster against the best other one. It ranks the objects and is not a probability of
        being right.
    n_clusters : int
        Number of clusters that have objects.
    method : str
        Name of the method.
    choice : Choice
        How method and number were chosen: ``reasons`` in words, ``runner_up``, ``table``, ``verdict``.
    clusters, clusterings, objects : DataFrame
        One row per cluster (size, share, confidence, objects in doubt, the cluster it is confused with), per clustering
        (labels, missing ones, agreement with the consensus) and per object (label, confidence, second cluster).
    estimator : estimator
        The fitted estimator: ``predict`` places new objects.

    Examples
    --------
    >>> from partita import EAC, ConsensusResult
    >>> result = ConsensusResult.from_estimator(EAC(2).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]))
    >>> result.labels, result.n_clusters, result.method
    (array([0, 0, 1, 1]), 2, 'eac')
    """

    def __init__(self, estimator: Any, choice: Choice) -> None:
        self.estimator = estimator
        self.choice = choice

    @classmethod
    def from_estimator(cls, fitted: Any) -> "ConsensusResult":
        """The result of a fitted consensus estimator, or of a fitted :class:`ConsensusClustering`.

        Parameters
        ----------
        fitted : estimator
            Any consensus estimator of partita, after ``fit``.

        Returns
        -------
        ConsensusResult
            A later ``fit`` of the estimator does not change it.
        """
        inner = getattr(fitted, "consensus_", fitted)
        if not isinstance(inner, BaseConsensus):
            raise TypeError(
                f"{fitted!r:.60} is no consensus estimator of partita; pass one such as EAC().fit(X), or use "
                "combine(X)."
            )
        check_is_fitted(inner, "labels_")
        kept = copy(inner)
        if hasattr(fitted, "index_"):
            kept.index_ = fitted.index_  # of the features, where labels were made from them
        return cls(kept, choice_of(inner, method_name(inner)))

    @classmethod
    def from_labels(cls, X: Any, labels: Any, *, weights: Any = None) -> "ConsensusResult":
        """A partition that you have, judged by an ensemble as a consensus is.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            The ensemble.
        labels : array-like of shape (n_samples,)
            Cluster of each object, from any method; -1 = none.
        weights : array-like of shape (n_clusterings,), optional
            Weight of each clustering.

        Returns
        -------
        ConsensusResult
            Its clusters are those of ``labels``, numbered by decreasing size; its method is "given".
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnlabelledObjectsWarning)  # the user has given them no cluster
            fitted = GivenPartition(labels, weights=weights).fit(X)
        return cls(fitted, choice_of(fitted, "given"))

    def __repr__(self) -> str:
        number = "1 cluster" if self.n_clusters == 1 else f"{self.n_clusters} clusters"
        return f"ConsensusResult({number} of {len(self.labels)} objects, method {self.method!r})"

    def __str__(self) -> str:
        sizes = self.clusters["size"].tolist()
        shown = ", ".join(map(str, sizes[:10])) + (", ..." if len(sizes) > 10 else "")
        counted = f"{len(self.labels)} objects, {len(self._names)} clusterings; clusters of sizes {shown}"
        return f"{self.choice}\n  - {counted}"

    # ------------------------------------------------------------------------------------------------ of the objects
    @property
    def labels(self) -> IntArray:
        """Cluster of each object."""
        return np.asarray(self.estimator.labels_)

    @property
    def n_clusters(self) -> int:
        """Number of clusters that have objects."""
        return int(self.estimator.n_clusters_)

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.choice.method

    @property
    def confidence(self) -> FloatArray:
        """Log-odds of each object's cluster against the best other one."""
        return np.asarray(self.estimator.confidence_)

    @property
    def membership_kind(self) -> str:
        """Whether ``membership`` holds "probabilities" or "votes"."""
        return "probabilities" if hasattr(self.estimator, "membership_") else "votes"

    @cached_property
    def membership(self) -> FloatArray:
        """Probabilities of the clusters, or votes for them."""
        return np.asarray(
            self.estimator.membership_ if self.membership_kind == "probabilities" else self.estimator.votes_
        )

    # --------------------------------------------------------------------------------------------------------- tables
    @cached_property
    def objects(self) -> pd.DataFrame:
        """One row per object: label, confidence, the second cluster, and its own share of the votes."""
        votes, labels = self.estimator.votes_, self.labels
        rows, labelled = np.arange(len(labels)), labels >= 0
        own = np.where(labelled, votes[rows, labels.clip(0)], np.nan)
        second = np.full(len(labels), -1)
        if votes.shape[1] > 1:
            votes[rows, labels.clip(0)] = -1.0
            second = np.where(labelled, votes.argmax(axis=1), -1)
        table = {"label": labels, "confidence": self.confidence, "vote": own, "second": second}
        return pd.DataFrame(table, index=getattr(self.estimator, "index_", None))

    @cached_property
    def clusters(self) -> pd.DataFrame:
        """One row per cluster: size, share, median confidence, objects in doubt, the cluster it is confused with."""
        labels, k = self.labels, self.n_clusters
        inside = labels >= 0
        size = np.bincount(labels[inside], minlength=k)
        doubt = np.bincount(labels[inside], weights=self.confidence[inside] <= _IN_DOUBT, minlength=k).astype(np.int64)
        counted = pd.Series(self.confidence[inside]).groupby(labels[inside]).median().reindex(range(k))
        return pd.DataFrame(
            {
                "cluster": np.arange(k),
                "size": size,
                "share": size / max(int(inside.sum()), 1),
                "median_confidence": counted.to_numpy(),
                "in_doubt": doubt,
                "confused_with": self._confused(),
            }
        )

    @cached_property
    def clusterings(self) -> pd.DataFrame:
        """One row per clustering that was used: labels, objects it labels, and its agreement with the consensus."""
        from partita.metrics import adjusted_rand_score, normalized_mutual_info_score  # loads scikit-learn's metrics

        judged, labels = self._judged, self.labels
        codes = np.vstack([judged.all_codes, np.full((1, len(self._names)), -1)])[judged.row_of_object]
        seen = (codes >= 0) & (labels >= 0)[:, None]
        pairs = [(column[kept], labels[kept]) for column, kept in zip(codes.T, seen.T, strict=True)]
        return pd.DataFrame(
            {
                "clustering": self._names,
                "n_labels": judged.ensemble.n_labels,
                "n_objects": seen.sum(axis=0),
                "weight": judged.ensemble.clustering_weights,
                "nmi": [normalized_mutual_info_score(*pair) if len(pair[0]) else np.nan for pair in pairs],
                "adjusted_rand": [adjusted_rand_score(*pair) if len(pair[0]) else np.nan for pair in pairs],
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per object, with the index of the frame that was combined.

        Returns
        -------
        DataFrame of label, confidence, vote (share of its own cluster in the votes) and second (cluster)
        """
        return self.objects.copy()

    def to_json(self) -> str:
        """Everything but the membership as JSON text.

        Returns
        -------
        str
            ``method``, ``n_clusters``, ``choice``, ``clusters``, ``clusterings``, ``labels`` and ``confidence``.
            Numbers that are not finite become null.
        """
        facts = {
            "method": self.method,
            "n_clusters": self.n_clusters,
            "choice": facts_of(self.choice),
            "clusters": records(self.clusters),
            "clusterings": records(self.clusterings),
            "labels": self.labels.tolist(),
            "confidence": [float(value) if np.isfinite(value) else None for value in self.confidence],
        }
        return json.dumps(facts, indent=2)

    # ---------------------------------------------------------------------------------------------------- small steps
    @property
    def _names(self) -> list[str]:
        """Names of the clusterings that were used; their numbers if they have no names."""
        used = self._judged.ensemble.n_clusterings
        soft = getattr(self.estimator, "_soft_placement", None)
        placement = getattr(self.estimator, "_placement", None)
        if soft is not None:
            columns = np.flatnonzero(soft.clustering_weights > 0)
        else:
            columns = np.arange(used) if placement is None else placement.encoder.columns
        names = getattr(self.estimator, "feature_names_in_", None)
        return [f"clustering {m}" if names is None else str(names[m]) for m in columns]

    @property
    def _judged(self) -> JudgedRows:
        return self.estimator._judged  # type: ignore[no-any-return]

    @cached_property
    def _counts(self) -> ClusterCounts:
        return self._judged.counts()

    def _confused(self) -> list[int]:
        """For each cluster, the other cluster for which its objects have most votes; -1 if there is no other."""
        ensemble, cells = self._judged.ensemble, self._counts.cells
        size = cells.sum(axis=1, keepdims=True)
        share = np.divide(cells, size, out=np.zeros_like(cells), where=size > 0)
        between = (cells * ensemble.cell_weights[:, None]).T @ share  # votes of the objects of one cluster for another
        np.fill_diagonal(between, -1.0)
        return between.argmax(axis=1).tolist() if len(between) > 1 else [-1] * len(between)


def method_name(estimator: Any) -> str:
    """Name of the method on the command line, or of the class if it has none."""
    name = type(estimator).__name__
    return next((row.name for row in METHODS.values() if row.estimator == name), name)
