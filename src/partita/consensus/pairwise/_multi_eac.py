"""Multi-criteria evidence accumulation (Fred and Jain, 2006): only stable clusters of each algorithm count.

Columns of the label matrix belong to groups, the runs of one algorithm (on subsamples, say). Every group makes its own
co-association and its own partition by evidence accumulation. A cluster's stability is the mean co-association of its
pairs. Clusters that are stable enough add their pairs, with their stability as weight, to a common co-association:

    S_ij = sum over groups with i, j in one stable cluster of its stability / number of groups that saw both
"""

import warnings
from typing import Any, ClassVar, Literal

import numpy as np

from partita._labels.ensemble import Ensemble, WeightedColumns
from partita._labels.validation import RowEncoder
from partita._memory import ensure_memory
from partita._parameters import Interval, StrOptions
from partita._typing import Array, FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.pairwise._evidence_accumulation import EAC
from partita.exceptions import UnlabelledObjectsWarning
from partita.metrics._coassociation import coassociation_of_codes


class MultiEAC(EAC):
    """Evidence accumulation from the stable clusters of several algorithms.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters; found by the highest lifetime if not given.
    groups : array-like of shape (n_clusterings,), optional
        Algorithm (or anything that names a group) of each column. By default every column is a group of its own, whose
        clusters are stable.
    stability : float in [0, 1], default=0.7
        Smallest stability of clusters that count.
    weighting : {"stability", "uniform"}, default="stability"
        Whether a pair counts with the stability of its cluster or with 1.
    group_clusters : int, optional
        Number of clusters of each group's own partition; found by the highest lifetime if not given.
    linkage : {"average", "complete"}, default="average"
        Linkage of the groups' partitions and of the consensus.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering within its group; a group counts as much as they do on average.
    random_state : Ignored
        Present by convention; nothing is drawn at random.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
    stabilities_ : list of ndarray
        Stability of the clusters of each group.
    dendrogram_, leaves_, lifetimes_
        As of :class:`EAC`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With ``stability=0`` and ``weighting="uniform"`` it is EAC on the groups' partitions. Holds r^2 numbers for r
    distinct rows.

    References
    ----------
    A. L. N. Fred, A. K. Jain, Learning pairwise similarity for data clustering, ICPR 2006, 925-928.

    Examples
    --------
    >>> from partita import MultiEAC
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> MultiEAC(n_clusters=2).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval("int", 1, None), None],
        "groups": ["array-like", None],
        "stability": [Interval("real", 0, 1)],
        "weighting": [StrOptions({"stability", "uniform"})],
        "group_clusters": [Interval("int", 1, None), None],
        "linkage": [StrOptions({"average", "complete"})],
        "weights": ["array-like", None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    cut: Any = "auto"
    threshold = None
    ward: Any = "raw"
    allow_one = False

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        groups: Any = None,
        stability: float = 0.7,
        weighting: Literal["stability", "uniform"] = "stability",
        group_clusters: int | None = None,
        linkage: Literal["average", "complete"] = "average",
        weights: Any = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.groups = groups
        self.stability = stability
        self.weighting = weighting
        self.group_clusters = group_clusters
        self.linkage = linkage
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        names = self._group_names(rows.encoder)
        parts, self.stabilities_, self._group_weights = [], [], []
        for name in dict.fromkeys(names):
            labels, stability = self._partition_group(rows.ensemble, np.flatnonzero(names == name))
            parts.append(labels)
            self._group_weights.append(float(rows.ensemble.clustering_weights[names == name].mean()))
            self.stabilities_.append(stability)
        codes = np.column_stack(parts).astype(np.int32)
        n_labels = np.maximum(codes.max(axis=0).astype(np.int64) + 1, 1)
        common = Ensemble(codes, n_labels, np.ones(codes.shape[1]), rows.ensemble.row_weights)
        found = super()._fit_rows(rows._replace(ensemble=common))
        self._ensemble = rows.ensemble
        return found

    def _group_names(self, encoder: RowEncoder) -> Array:
        """Group of each clustering that is used."""
        n = encoder.n_columns_in
        names = np.arange(n) if self.groups is None else np.asarray(self.groups)
        if names.shape != (n,):
            raise ValueError(f"groups has shape {names.shape}; pass one name a clustering, shape ({n},).")
        return np.asarray(names[encoder.columns].astype(str))

    def _partition_group(self, ensemble: Ensemble, columns: IntArray) -> tuple[Array, FloatArray]:
        """Partition of the rows by one group, -1 for rows it did not see, and the stability of its clusters."""
        codes = np.ascontiguousarray(ensemble.codes[:, columns])
        if len(columns) == 1:
            return codes[:, 0], np.ones(int(ensemble.n_labels[columns[0]]))
        own = EAC(self.group_clusters, linkage=self.linkage, weights=ensemble.clustering_weights[columns])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnlabelledObjectsWarning)
            labels = own.fit(codes, sample_weight=ensemble.row_weights).labels_
        part = Ensemble(codes, ensemble.n_labels[columns], ensemble.clustering_weights[columns], ensemble.row_weights)
        return labels, cluster_stability(part, labels)

    def _distances(self, groups: WeightedColumns, counts: FloatArray) -> Array:
        """1 - S of the common co-association; the columns here are the groups' partitions."""
        n = len(counts)
        ensure_memory(24 * n * n, purpose=f"co-association of {n} distinct rows", instead="use fewer objects.")
        C, N = np.zeros((n, n)), np.zeros((n, n))
        missing = groups.columns.missing
        for column, stability, weight in zip(groups.columns.codes, self.stabilities_, self._group_weights, strict=True):
            seen = column != missing
            counted = np.where(stability >= self.stability, 1.0 if self.weighting == "uniform" else stability, 0.0)
            value = np.where(seen, np.append(counted, 0.0)[np.where(seen, column, len(counted))], 0.0)
            C += weight * np.where(column[:, None] == column, value[:, None], 0.0)
            N += weight * np.outer(seen, seen)
        D = 1 - np.divide(C, N, out=np.zeros_like(C), where=N > 0)
        np.fill_diagonal(D, 0.0)
        return D


def cluster_stability(ensemble: Ensemble, labels: Array) -> FloatArray:
    """Mean co-association of the pairs of objects in each cluster; 1 for a single object."""
    S = coassociation_of_codes(ensemble.columns).similarity()
    w, n_clusters = ensemble.row_weights, int(labels.max()) + 1
    stability = np.ones(n_clusters)
    for cluster in range(n_clusters):
        inside = np.flatnonzero(labels == cluster)
        weight = w[inside]
        pairs = weight.sum() ** 2 - weight.sum()  # ordered, without an object with itself
        if pairs > 0:
            stability[cluster] = (weight @ S[np.ix_(inside, inside)] @ weight - weight.sum()) / pairs
    return stability
