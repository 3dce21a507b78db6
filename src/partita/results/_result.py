"""A consensus as data to hand on: labels, confidence, how the number was chosen, and tables of all that took part."""

import json
import os
import warnings
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from partita._confidence import JudgedRows
from partita._typing import Array, FloatArray, IntArray
from partita.base import BaseConsensus
from partita.consensus._registered import row_of
from partita.exceptions import UnlabelledObjectsWarning
from partita.results._annotations import annotation_table, read_annotations
from partita.results._choice import Choice, choice_of, facts_of, records
from partita.results._cluster_table import cluster_table
from partita.results._clustering_table import clustering_table
from partita.results._comparison import SAMPLE as COMPARED
from partita.results._comparison import MethodComparison, compare_methods
from partita.results._given_partition import GivenPartition
from partita.results._notebook import notebook_html
from partita.results._rows import rows_of, sample_of
from partita.results._stability import SAMPLE as RESAMPLED
from partita.results._stability import Stability, measure_stability
from partita.results._words import summary_of


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
    summary : str
        What was found and how sure it is, in one sentence.
    choice : Choice
        How method and number were chosen: ``reasons`` in words, ``runner_up``, ``table``, ``verdict``.
    clusters, clusterings, objects : DataFrame
        One row per cluster, per clustering and per object; each describes its columns.
    ids : ndarray of shape (n_samples,)
        Names of the objects: the index of the frame that was combined, else 0, 1, 2, ...
    plot : ResultPlots
        The displays of :mod:`partita.plotting`: ``result.plot.coassociation()``, ``result.plot.membership()``, ...
    estimator : estimator
        The fitted estimator: ``predict`` places new objects.

    Examples
    --------
    >>> from partita import EAC, ConsensusResult
    >>> result = ConsensusResult.from_estimator(EAC(2).fit([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]))
    >>> print(result.summary)
    3 clusterings of 4 objects lead to 2 clusters (method eac): their number was given, whether there are clusters was
    not tested, and no object is in doubt.
    >>> result.labels
    array([0, 0, 1, 1])
    """

    def __init__(
        self,
        estimator: Any,
        choice: Choice,
        *,
        ids: Any = None,
        id_name: str | None = None,
        names: list[str] | None = None,
    ) -> None:
        self.estimator = estimator
        self.choice = choice
        self._ids = ids
        self._id_name = id_name
        self._given_names = names  # of all columns of the label matrix, where the estimator does not know them

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
        base: Any = getattr(fitted, "base_", None)
        names = [str(name) for name in base.get_feature_names_out()] if hasattr(base, "get_feature_names_out") else None
        return cls(kept, choice_of(inner, method_name(inner)), names=names)

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
        return f"<ConsensusResult: {self.summary}>"

    def __str__(self) -> str:
        sizes = np.bincount(self.labels[self.labels >= 0]).tolist()
        shown = ", ".join(map(str, sizes[:10])) + (", ..." if len(sizes) > 10 else "")
        counted = f"{len(self.labels)} objects, {len(self._names)} clusterings; clusters of sizes {shown}"
        return f"{self.choice}\n  - {counted}"

    def _repr_html_(self) -> str:
        columns = ["cluster", "size", "share", "consensus", "closest", "in_doubt", "distinguished_by"]
        return notebook_html(self.summary, self.choice.reasons, self.clusters[columns])

    @property
    def summary(self) -> str:
        """What was found and how sure it is, in one sentence."""
        return summary_of(self.choice, len(self.labels), len(self._names), self.confidence)

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
        """Probabilities of the clusters, or votes for them; of objects in blocks a sequence of one array per block."""
        soft = self.membership_kind == "probabilities"
        values = self.estimator.membership_ if soft else self.estimator.votes_
        return values if isinstance(values, Sequence) else np.asarray(values)  # type: ignore[return-value]

    @property
    def ids(self) -> Array:
        """Names of the objects."""
        index = getattr(self.estimator, "index_", None) if self._ids is None else self._ids
        return np.arange(len(self.labels)) if index is None else np.asarray(index)

    @property
    def id_name(self) -> str:
        """What the names of the objects are called: the name of the index, else "id"."""
        name = (
            getattr(getattr(self.estimator, "index_", None), "name", None) if self._id_name is None else self._id_name
        )
        return "id" if name is None else str(name)

    # --------------------------------------------------------------------------------------------------------- tables
    @cached_property
    def objects(self) -> pd.DataFrame:
        """One row per object.

        ``id``, ``cluster``, ``confidence``, ``vote`` (share of its own cluster in the votes of its labels) and
        ``second`` (the best other cluster, against which the confidence is measured; -1 if there is none). The index is
        that of the frame that was combined.
        """
        labels = self.labels
        own = self._judged.own_votes()
        second = self._judged.verdicts.second
        table = {"id": self.ids, "cluster": labels, "confidence": self.confidence, "vote": own, "second": second}
        return pd.DataFrame(table, index=getattr(self.estimator, "index_", None))

    @cached_property
    def clusters(self) -> pd.DataFrame:
        """One row per cluster.

        ``cluster``, ``size``, ``share`` of the objects with a cluster, ``consensus`` (mean co-association of its pairs;
        NaN for one object), ``closest`` (the other cluster of the highest mean co-association with it, -1 if there is
        none) and ``closest_consensus`` (that mean), ``median_confidence``, ``in_doubt`` (objects whose labels speak for
        another cluster as much or more) and ``distinguished_by`` (labels that it has and others have not, in words).

        With missing labels and more than 3,000 distinct rows the means are those of a sample of every cluster.
        """
        return cluster_table(self.estimator, self.confidence, self._names)

    @cached_property
    def clusterings(self) -> pd.DataFrame:
        """One row per clustering that was used.

        ``clustering``, ``n_labels``, ``n_objects`` that it labels, ``weight`` in the fit, ``nmi`` and ``adjusted_rand``
        with the consensus, ``agreement`` (mutual information adjusted for chance, over the smaller entropy: 1 if one of
        the two refines the other; NaN if one of them has one cluster), ``outlier`` (agrees far less than most do) and
        ``deserved_weight`` (agreement over its mean; 0 if it agrees no more than by chance, or says nothing): weights
        of these clusterings for another fit, without those that were not used.
        """
        return clustering_table(rows_of(self._judged), self._names, self._judged.ensemble.clustering_weights)

    def stability(
        self, n_resamples: int = 30, *, random_state: Any = 0, n_jobs: int | None = None, verbose: bool = False
    ) -> Stability:
        """How stable the clusters and their number are when the clusterings are drawn again (bootstrap).

        Parameters
        ----------
        n_resamples : int, default=30
            How often clusterings are drawn with replacement, as many as there are, and combined again.
        random_state : int, RandomState, Generator or None, default=0
            Seed.
        n_jobs : int, optional
            Number of threads; the result does not depend on it.
        verbose : bool, default=False
            Show a progress bar for what takes more than two seconds.

        Returns
        -------
        Stability
            ``interval`` of the number of clusters, ``numbers``, ``clusters`` (stability of each) and ``words``.

        Notes
        -----
        By the method itself, on a stratified sample of at most 1,000 objects that all weigh the same; soft clusterings
        count by their most probable clusters. LWGP stands for GBCE, which needs features, and for a partition
        that was given. Where the method does not find the number of clusters, that
        number is what LWGP finds. Stable is what the clusterings agree on: clusterings of one cloud can agree on cuts
        through it.
        """
        sample = sample_of(self._judged, self.labels, RESAMPLED)
        return measure_stability(
            self.estimator,
            sample,
            self.n_clusters,
            self._judged.ensemble.clustering_weights,
            n_resamples=n_resamples,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )

    def compare(
        self, methods: Any = None, *, random_state: Any = 0, n_jobs: int | None = None, verbose: bool = False
    ) -> MethodComparison:
        """What other methods find in the same labels.

        Parameters
        ----------
        methods : list of str, optional
            Names of `partita methods`; by default ten quick ones.
        random_state : int, RandomState, Generator or None, default=0
            Seed.
        n_jobs : int, optional
            Number of threads; the result does not depend on it.
        verbose : bool, default=False
            Show a progress bar for what takes more than two seconds.

        Returns
        -------
        MethodComparison
            ``table`` (one row per method) and ``agreement`` (adjusted Rand index between every two).

        Notes
        -----
        On a stratified sample of at most 2,000 objects that all weigh the same. Methods that take a number of clusters
        get that of this result.
        """
        return compare_methods(
            sample_of(self._judged, self.labels, COMPARED),
            self.n_clusters,
            self._judged.ensemble.clustering_weights,
            methods,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )

    def test_annotations(self, annotations: Any, *, random_state: int = 0) -> pd.DataFrame:
        """Whether what is known of the objects goes with their clusters.

        Parameters
        ----------
        annotations : DataFrame, Series, dict of columns or array of shape (n_samples,)
            One row per object, one column per annotation: categories or numbers, missing where unknown. A frame with
            the index of the labels may have its rows in another order.
        random_state : int, default=0
            Seed of the random tables.

        Returns
        -------
        DataFrame
            One row per annotation: ``annotation``, ``kind`` ("categories" or "numbers"), ``n_objects``, ``test``,
            ``statistic``, ``effect`` (Cramer's V or epsilon squared, 0 to 1), ``p_value``, ``p_corrected`` (for the
            number of annotations, by Benjamini and Hochberg) and ``words`` (what goes with which cluster).

        Notes
        -----
        For categories the chi-squared test (by random tables, if many expected counts are below 5), for numbers the
        Kruskal-Wallis test; whole numbers of at most ten different values are categories. Do not test what was used to
        make the clusterings.
        """
        frame = read_annotations(annotations, len(self.labels), getattr(self.estimator, "index_", None))
        return annotation_table(self.labels, frame, random_state)

    # ---------------------------------------------------------------------------------------------------- to hand on
    def to_frame(self) -> pd.DataFrame:
        """One row per object, with the index of the frame that was combined.

        Returns
        -------
        DataFrame of label, confidence, vote (share of its own cluster in the votes) and second (cluster)
        """
        return self.objects.drop(columns="id").rename(columns={"cluster": "label"})

    def to_json(self) -> str:
        """Everything but the membership as JSON text.

        Returns
        -------
        str
            ``summary``, ``method``, ``n_clusters``, ``choice``, ``clusters``, ``clusterings``, ``ids``, ``labels`` and
            ``confidence``. Numbers that are not finite become null.
        """
        facts = {
            "summary": self.summary,
            "method": self.method,
            "n_clusters": self.n_clusters,
            "choice": facts_of(self.choice),
            "clusters": records(self.clusters),
            "clusterings": records(self.clusterings),
            "ids": [_plain_id(name) for name in self.ids.tolist()],
            "labels": self.labels.tolist(),
            "confidence": [float(value) if np.isfinite(value) else None for value in self.confidence],
        }
        return json.dumps(facts, indent=2)

    def to_excel(self, path: str | os.PathLike[str]) -> None:
        """Write a workbook with the sheets summary, objects, clusters, clusterings and choice (extra ``excel``).

        Parameters
        ----------
        path : path
            File to write, ending in .xlsx. A failure leaves an old file as it was.
        """
        from partita.io import write_book

        facts = [
            ("summary", self.summary),
            ("method", self.method),
            ("clusters", self.n_clusters),
            ("objects", len(self.labels)),
            ("clusterings", len(self._names)),
            *(("reason", reason) for reason in self.choice.reasons),
        ]
        objects = self.objects.assign(id=pd.Series([_plain_id(name) for name in self.ids.tolist()], dtype=object).array)
        sheets = {
            "summary": pd.DataFrame(facts, columns=["what", "value"]),
            "objects": _without_infinities(objects),
            "clusters": _without_infinities(self.clusters),
            "clusterings": self.clusterings,
            "choice": self.choice.table,
        }
        write_book(path, sheets)

    def report(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write a report: one HTML file that opens offline, with pictures, tables and reasons (extra ``report``).

        Parameters
        ----------
        path : path
            File to write. A failure leaves an old file as it was.
        **options
            Those of :func:`partita.report.write_report`, such as ``annotations=``, ``compare=True``, ``tables=True``.
        """
        from partita.report import write_report

        write_report(self, path, **options)

    @property
    def plot(self) -> Any:
        """The displays of this result (extra ``plot``), such as ``result.plot.coassociation()``."""
        from partita.plotting._of_result import ResultPlots

        return ResultPlots(self)

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
        names = getattr(self.estimator, "feature_names_in_", self._given_names)
        return [f"clustering {m}" if names is None else str(names[m]) for m in columns]

    @property
    def _judged(self) -> JudgedRows:
        return self.estimator._judged  # type: ignore[no-any-return]


def _plain_id(name: Any) -> Any:
    """A name as JSON and a sheet can hold it."""
    if isinstance(name, float) and not np.isfinite(name):
        return None
    return name if isinstance(name, str | int | float) else str(name)


def _without_infinities(table: pd.DataFrame) -> pd.DataFrame:
    """The table with empty cells for infinite numbers, which a sheet cannot hold; other columns stay as they are."""
    numbers = [str(name) for name in table if pd.api.types.is_float_dtype(table[name])]
    return table.assign(**{name: table[name].where(np.isfinite(table[name])) for name in numbers})


def method_name(estimator: Any) -> str:
    """Name of the method on the command line, or of the class if it has none."""
    row = row_of(estimator)
    return type(estimator).__name__ if row is None else row.name
