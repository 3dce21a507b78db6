"""k-modes on the labels (Huang, 1998): as KCC, with phi the largest share (eq. U12).

The centre of a cluster is the most frequent label of each clustering; a row is as far from it as the weight of the
clusterings in which it has another label.
"""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita._labels.ensemble import Ensemble
from partita._parameters import common
from partita._typing import Array, Codes, IntArray
from partita.consensus.kmeans._kcc import KCC
from partita.consensus.kmeans._utility import Solver, UtilityRows, utility_rows


class KModes(KCC):
    """k-modes: clusters whose objects differ least from the most frequent label of each clustering.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, at most the number of distinct rows of labels.
    n_init : int, default=10
        Number of starts of a search: greedy k-means++ with the number of different labels as distance, each run to its
        end, beside one start from the leading singular vectors of the rows (up to 50 clusters). Then children, each
        with the clusters of two runs and one new cluster, or with some rows of a cluster in another, compete with them,
        until ``4 * n_init`` in a row improve nothing (at most ``8 * n_init``). Up to four searches are made, until two
        find the same best end; with at most 500 distinct rows up to eight, until four do. With more than 3,000 distinct
        rows all this happens on a sample of 3,000 objects, and the best clusters are run to the end on all.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
    max_iter : int, default=300
        Largest number of iterations of each start: steps of Lloyd and sweeps of single moves.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the starts.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    modes_ : ndarray of shape (n_clusters_, n_clusterings)
        Most frequent label of each clustering of positive weight in each cluster, the first in sorted order of equally
        frequent ones; that of all objects where a cluster has none.
    objective_ : float
        Weighted number of labels that differ from the mode; missing labels do not count.
    utility_ : float
        What the modes explain beyond those of all objects: weighted sum over the clusterings of the share of labels.
    history_ : list of float
        Objective after each iteration of the last run; it never rises.
    cluster_centers_ : list of ndarray of shape (n_clusters_, k_j)
        Share of each label among the observed labels of each clustering in each cluster.
    n_iter_ : int
        Number of iterations of the last run, on all rows; the length of ``history_``.
    converged_ : bool
        Whether the last run ended within ``max_iter``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost O(r m k) per iteration for r distinct rows, m clusterings, k clusters, by table look-up; O(r m) memory. Many
    partitions share the same objective, because it counts labels: another seed can give another one of them, and
    ``predict`` gives an object that is equally near to two modes to the first.

    References
    ----------
    Z. Huang, Extensions to the k-means algorithm for clustering large data sets with categorical values, Data Mining
    and Knowledge Discovery 2(3), 283-304, 1998.

    Examples
    --------
    >>> from partita import KModes
    >>> X = {"a": [0, 0, 0, 1, 1], "b": ["u", "u", "v", "v", "v"], "c": [5, 5, 5, 6, None]}
    >>> model = KModes(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1])
    >>> model.objective_
    1.0
    """

    solver: Solver = "lloyd"
    normalized = False
    tol = 0.0  # Lloyd's iteration ends when the number of labels that differ stays the same

    _parameter_constraints: ClassVar[dict[str, Any]] = common(
        "n_clusters", "n_init", "keep_starts", "max_iter", "weights", "random_state", "n_jobs", "verbose"
    )

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 10,
        keep_starts: bool = False,
        max_iter: int = 300,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.keep_starts = keep_starts
        self.max_iter = max_iter
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _utility_rows(self, ensemble: Ensemble) -> UtilityRows:
        return utility_rows(ensemble, "modes", 1.0)

    @property
    def modes_(self) -> Array:
        """Most frequent label of each clustering, clusters in the order of ``labels_``."""
        check_is_fitted(self, "labels_")
        encoder, centers = self._placement.encoder, self.cluster_centers_
        modes = [
            _labels_of(labels, place, shares.argmax(axis=1))
            for labels, place, shares in zip(encoder.labels, encoder.place_of_code, centers, strict=True)
        ]
        same = len({column.dtype for column in modes}) == 1
        return np.column_stack(modes if same else [column.astype(object) for column in modes])


def _labels_of(labels: Array, place: Codes, codes: IntArray) -> Array:
    """Labels behind codes of the method; None where no object of positive weight has one."""
    present = np.asarray(labels)[place[: len(labels)] >= 0]
    return present[codes] if len(present) else np.full(len(codes), None)
