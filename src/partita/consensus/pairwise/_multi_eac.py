"""Multi-criteria evidence accumulation (Fred and Jain, 2006): only stable clusters of each algorithm count.

Columns of the label matrix belong to groups, the runs of one algorithm (for instance on subsamples). Every group makes
its own co-association and its own partition by evidence accumulation. A cluster's stability is the mean co-association
of its pairs. Clusters that are stable enough add their pairs, weighted by their stability, to a common co-association:

    S_ij = sum over groups with i, j in one stable cluster of its stability / number of groups that saw both
                                                                                                            (eq. P14)
"""

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.validation import RowEncoder
from partita._memory import ensure_memory
from partita._parameters import Interval, StrOptions, common
from partita._stopping import check_stop
from partita._typing import Array, FloatArray, IntArray
from partita.base import LabelledRows
from partita.consensus.pairwise._evidence_accumulation import _ROWS, EAC, Merges
from partita.exceptions import AmbiguousNumberWarning, UnlabelledObjectsWarning
from partita.metrics._coassociation import coassociation_of_codes


class MultiEAC(EAC):
    """Evidence accumulation from the stable clusters of several algorithms.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. If not given, that of the highest lifetime, up to the root of the number of objects.
    groups : array-like of shape (n_clusterings,), optional
        Algorithm (or anything that names a group) of each column. By default every column is a group of its own, whose
        clusters are stable.
    stability : float in [0, 1], default=0.7
        Smallest stability of clusters that count.
    weighting : {"stability", "uniform"}, default="stability"
        Whether a pair counts with the stability of its cluster or with 1.
    group_clusters : int, optional
        Number of clusters of each group's own partition; found in the same way if not given.
    linkage : {"average", "complete"}, default="average"
        Linkage of the groups' partitions and of the consensus.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering, within its group; a group has the mean weight of its clusterings.
    random_state : Ignored
        Present by convention; nothing is drawn at random.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    stabilities_ : list of ndarray
        Stability of the clusters of each group.
    dendrogram_, leaves_, lifetimes_
        As in :class:`EAC`.
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
        **common("weights", "random_state", "verbose"),
        "n_clusters": [Interval("int", 1, None), None],
        "groups": ["array-like", None],
        "stability": [Interval("real", 0, 1)],
        "weighting": [StrOptions({"stability", "uniform"})],
        "group_clusters": [Interval("int", 1, None), None],
        "linkage": [StrOptions({"average", "complete"})],
    }

    # what EAC leaves open and this method fixes
    cut: Any = "auto"
    threshold = None
    ward: Any = "raw"
    allow_one = False
    max_clusters: Any = "sqrt"

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

    def _check_cut(self) -> str:
        if self.groups is None and self.group_clusters is not None:
            raise ValueError(
                f"group_clusters={self.group_clusters} is for groups of clusterings, but groups is None: every "
                "clustering is a group of its own, and has its own clusters. Pass groups, or leave it out."
            )
        return super()._check_cut()

    def _merge_rows(self, rows: LabelledRows) -> Merges:
        ensemble, names = rows.ensemble, self._group_names(rows.encoder)
        groups = [np.flatnonzero(names == name) for name in dict.fromkeys(names)]
        partitions = [self._partition_group(ensemble, columns) for columns in groups]
        self.stabilities_ = [stability for _, stability in partitions]
        n = ensemble.n_rows
        ensure_memory(24 * n * n, purpose=f"co-association of {n} distinct rows", instead="use fewer objects.")
        C, N = np.zeros((n, n)), np.zeros((n, n))
        for columns, (labels, stability) in zip(groups, partitions, strict=True):
            self._add_group(labels, stability, float(ensemble.clustering_weights[columns].mean()), C, N)
        for part in _blocks(n):
            C[part] = 1 - np.divide(C[part], N[part], out=np.zeros_like(C[part]), where=N[part] > 0)
        np.fill_diagonal(C, 0.0)
        return self._link(C, ensemble.row_weights)

    def _group_names(self, encoder: RowEncoder) -> Array:
        """Group of each clustering that is used."""
        n = encoder.n_columns_in
        names = np.arange(n) if self.groups is None else np.asarray(self.groups)
        if names.shape != (n,):
            raise ValueError(f"groups has shape {names.shape}; pass one name per clustering, shape ({n},).")
        return np.asarray(names[encoder.columns].astype(str))

    def _partition_group(self, ensemble: Ensemble, columns: IntArray) -> tuple[Array, FloatArray]:
        """Partition of the rows by one group, -1 for rows it did not see, and the stability of its clusters."""
        codes = np.ascontiguousarray(ensemble.codes[:, columns])
        if len(columns) == 1:
            return codes[:, 0], np.ones(int(ensemble.n_labels[columns[0]]))
        own = EAC(self.group_clusters, linkage=self.linkage, weights=ensemble.clustering_weights[columns])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnlabelledObjectsWarning)
            warnings.simplefilter("ignore", AmbiguousNumberWarning)  # the user can only set the final number
            labels = own.fit(codes, sample_weight=ensemble.row_weights).labels_
        part = Ensemble(codes, ensemble.n_labels[columns], ensemble.clustering_weights[columns], ensemble.row_weights)
        return labels, cluster_stability(part, labels)

    def _add_group(self, labels: Array, stability: FloatArray, weight: float, C: FloatArray, N: FloatArray) -> None:
        """Add the pairs of one group's stable clusters to C, and those of all rows that it saw to N (eq. P14)."""
        seen = labels >= 0
        counted = np.where(stability >= self.stability, 1.0 if self.weighting == "uniform" else stability, 0.0)
        value = np.append(counted, 0.0)[labels]  # the last entry is used for -1
        for part in _blocks(len(labels)):
            C[part] += weight * np.where(labels[part, None] == labels, value[part, None], 0.0)
            N[part] += weight * np.outer(seen[part], seen)


def _blocks(n: int) -> Iterator[slice]:
    """Rows of a matrix, some at a time, with a look at the limits of time before each."""
    for lo in range(0, n, _ROWS):
        check_stop()
        yield slice(lo, lo + _ROWS)


def cluster_stability(ensemble: Ensemble, labels: Array) -> FloatArray:
    """Mean co-association of the pairs of objects in each cluster; 1 for a single object (eq. P13)."""
    S = coassociation_of_codes(ensemble.columns).similarity()
    n_clusters = int(labels.max()) + 1
    stability = np.ones(n_clusters)
    for cluster in range(n_clusters):
        check_stop()
        inside = np.flatnonzero(labels == cluster)
        weight = ensemble.row_weights[inside]
        pairs = weight.sum() ** 2 - weight.sum()  # ordered, without an object with itself
        if pairs > 0:
            stability[cluster] = (weight @ S[np.ix_(inside, inside)] @ weight - weight.sum()) / pairs
    return stability
