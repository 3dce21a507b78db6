"""Quadratic mutual information between the consensus and the clusterings (Topchy, Jain and Punch, 2003).

The consensus maximises the sum over the clusterings j of I_j = 2 U_j, with the category utility

    U_j = sum_h p_h sum_a p_j(a | h)^2 - sum_a p_j(a)^2                                              (eq. M21)

With every label an indicator, centred by its mean, sum_j U_j = (T - W) / n for the total and within-cluster sums of
squares T and W: maximising it is k-means (eq. M22). A missing label is 0 after centring, that is, the mean (eq. M23).
"""

from typing import Any, ClassVar

import numpy as np

from partita._labels.ensemble import Ensemble
from partita.base import Consensus, LabelledRows
from partita.consensus.kmeans._label_kmeans import LabelKMeans


class QMI(LabelKMeans):
    """Consensus of largest quadratic mutual information with the clusterings.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, at most the number of distinct rows of labels.
    n_init : int, default=10
        Number of starts (greedy k-means++) that are run to the end, beside one from the leading singular vectors of
        the rows (up to 50 clusters). Then children, each with the clusters of two runs and one new cluster, compete
        with them, until ``4 * n_init`` in a row improve nothing (at most ``8 * n_init``); there are none if five or
        more runs all end alike. With more than 3,000 distinct rows all this happens on a sample of 3,000 objects, and
        the best clusters are run to the end on all.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
    max_iter : int, default=300
        Largest number of iterations of each start.
    tol : float, default=1e-9
        Relative decrease of the objective below which a start has converged.
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
    mutual_information_ : float
        Sum over the clusterings of the quadratic mutual information with the consensus, 2 (T - W) / n.
    objective_ : float
        W, the weighted sum of squared distances to the centres; what k-means lowers.
    history_ : list of float
        W after each iteration of the last run; it never rises.
    cluster_centers_ : list of ndarray of shape (n_clusters_, k_j)
        Share of each label of each clustering in each cluster.
    n_iter_ : int
        Number of iterations of the last run, on all rows; the length of ``history_``.
    converged_ : bool
        Whether the last run converged within ``max_iter``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Missing labels are replaced by the mean of their clustering, so ``mutual_information_`` is that of the completed
    indicators. Cost O(r m k) per iteration for r distinct rows, m clusterings, k clusters.

    References
    ----------
    A. Topchy, A. K. Jain, W. Punch, Combining multiple weak clusterings, ICDM 2003, 331-338.

    Examples
    --------
    >>> from partita import QMI
    >>> X = {"a": [0, 0, 0, 1, 1], "b": ["u", "u", "v", "v", "v"], "c": [5, 5, 5, 6, None]}
    >>> model = QMI(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1])
    """

    coding = "onehot"
    solver = "lloyd"

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        name: kinds for name, kinds in LabelKMeans._parameter_constraints.items() if name not in ("coding", "solver")
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 10,
        keep_starts: bool = False,
        max_iter: int = 300,
        tol: float = 1e-9,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.keep_starts = keep_starts
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        found = super()._fit_rows(rows)
        within = rows.scale.report(self.objective_, objects=-1, clusterings=-1)
        gain = 2 * (self._total_sum_of_squares(rows.ensemble) - within) / float(rows.ensemble.row_weights.sum())
        self.mutual_information_ = rows.scale.report(gain, clusterings=1)
        return found

    def _total_sum_of_squares(self, ensemble: Ensemble) -> float:
        """T: the squared distance of an observed label from its clustering's mean mu is 1 - 2 mu[label] + |mu|^2."""
        codes, row_weights, total = ensemble.codes, ensemble.row_weights, 0.0
        means = np.split(self._space.mean, ensemble.first_cell[1:])
        for column, mean, weight in zip(codes.T, means, ensemble.clustering_weights, strict=True):
            seen = column >= 0
            total += weight * float(row_weights[seen] @ (1 - 2 * mean[column[seen]] + mean @ mean))
        return total
